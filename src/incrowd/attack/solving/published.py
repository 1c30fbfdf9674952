"""Published tables of counts as what they say for certain: cells, and between which two numbers each count lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.homes import homes_of
from incrowd.attack.matching.spans import span
from incrowd.attack.matching.tables import COUNTS, TOTALS
from incrowd.attack.situation import Int64, Situation

Floats = NDArray[np.float64]
#: A table is understood when so many of the people lie in its categories.
UNDERSTOOD = 0.9
#: A count with no end upwards.
MANY = 10.0**9
#: A table is taken for rounded or perturbed where more than so many of its counts, and more than so large a share of
#: those that are not 0, are not the source's; else these are mistakes or late returns, and the others stay exact.
FEW, SHARE = 1, 0.2
ANY = -1  # in a cell: a column that the row is a total over
_TOTAL = "\0total"  # the same among labels: no file has it


@dataclass(frozen=True)
class Categories:
    """One column as some tables tell it. The place after the last label, where there is one, is 'none of these'."""

    column: str
    labels: tuple[str | None, ...]
    home: Int64  # for everybody in the original, the place of the own label
    open: bool  # whether somebody has none of these

    @property
    def size(self) -> int:
        """How many there are, with 'none of these'."""
        return len(self.labels) + self.open


@dataclass(frozen=True)
class Part:
    """Cells of one table by the same columns: its inner cells, or the totals over some columns."""

    axes: tuple[int, ...]  # numbers of the categories
    cells: Int64  # cells x axes
    low: Floats
    high: Floats
    closed: bool  # whether a cell of these labels that is not listed holds nobody


@dataclass(frozen=True)
class Published:
    """All tables together."""

    categories: tuple[Categories, ...]
    parts: tuple[Part, ...]
    tables: tuple[str, ...]  # the names of those that are used
    notes: tuple[str, ...]  # what was assumed of each of them
    unread: Mapping[str, str]  # tables that could not be used, and why


def read_tables(situation: Situation, tables: Mapping[str, pa.Table]) -> Published:
    """What the tables say. Whether a table is exact, rounded or perturbed is taken from the truth: an intruder reads
    it in the notes to the table. Rounded to b: each count is less than b away. Perturbed: no count is further away
    than the furthest one, as the notes of an office tell. Where few counts are not the source's, only those have this
    room: one mistake must not make all others uncertain. A count that is not told is anything, or what its sign says
    ('<5'). Rows of totals are counts like all others.
    """
    known: dict[tuple[str, frozenset[str | None]], int] = {}
    categories: list[Categories] = []
    parts: list[Part] = []
    used, notes, unread = [], [], {}
    for name, table in tables.items():
        told = _Told.of(situation, table)
        if isinstance(told, str):
            unread[name] = told
            continue
        axes = []
        for one in told.axes:
            key = (one.column, frozenset(one.labels))
            if key not in known:
                known[key] = len(categories)
                categories.append(one)
            axes.append(known[key])
        found, note = _parts(situation, told, axes, categories)
        parts += found
        used.append(name)
        notes.append(f"The table {name} {note}.")
    return Published(tuple(categories), tuple(parts), tuple(used), tuple(notes), unread)


@dataclass(frozen=True)
class _Told:
    """A table in numbers: for each row the label of each axis, or _TOTAL, and its count."""

    axes: list[Categories]
    rows: list[tuple[str | None, ...]]
    low: list[float]
    high: list[float]

    @staticmethod
    def of(situation: Situation, table: pa.Table) -> _Told | str:
        """Read one; the reason where that is not possible."""
        counts = next((column for column in table.column_names if column.lower() in COUNTS), None)
        there = {*situation.columns, *situation.known.column_names} - set(situation.identifiers)
        columns = [name for name in table.column_names if name in there and name != counts]
        if counts is None or not columns:
            return f"needs a column of counts ({', '.join(COUNTS)}) and columns of the source."
        table = _without(table, [name for name in table.column_names if name not in (*columns, counts)])
        texts = [[_TOTAL if _is_total(label) else label for label in table[name].to_pylist()] for name in columns]
        ends = [_between(value) for value in table[counts].to_pylist()]
        axes = []
        for name, labels in zip(columns, texts, strict=True):
            listed = tuple(dict.fromkeys(label for label in labels if label != _TOTAL))
            home = homes_of(situation, name, listed)
            lost = home < 0
            if not len(home) or lost.mean() > 1 - UNDERSTOOD:
                return f"has labels of {name} that the source does not know."
            axes.append(Categories(name, listed, np.where(lost, len(listed), home), bool(lost.any())))
        rows = [tuple(row) for row in zip(*texts, strict=True)]
        return _summed(axes, rows, ends)


def _summed(axes: list[Categories], rows: Sequence[tuple[str | None, ...]], ends: list[tuple[float, float]]) -> _Told:
    """Rows that are alike in all columns that are understood are one."""
    found: dict[tuple[str | None, ...], list[float]] = {}
    for row, (low, high) in zip(rows, ends, strict=True):
        at = found.setdefault(row, [0.0, 0.0])
        at[0] += low
        at[1] += high
    return _Told(axes, list(found), [low for low, _ in found.values()], [high for _, high in found.values()])


def _parts(
    situation: Situation, told: _Told, axes: Sequence[int], categories: Sequence[Categories]
) -> tuple[list[Part], str]:
    """The cells by which columns they have, with the true counts as what is known of the table's own rules."""
    mine = [categories[axis] for axis in axes]
    place: list[dict[str | None, int]] = [{label: i for i, label in enumerate(one.labels)} for one in mine]
    codes = np.array(
        [[ANY if label == _TOTAL else place[i][label] for i, label in enumerate(row)] for row in told.rows], np.int64
    ).reshape(-1, len(mine))
    low, high = np.array(told.low), np.array(told.high)
    exact = low == high
    true, pieces = np.zeros(len(codes)), []
    for pattern in np.unique(codes == ANY, axis=0):
        rows = np.flatnonzero(((codes == ANY) == pattern).all(axis=1))
        kept = np.flatnonzero(~pattern).tolist()
        listed, people = _counted([mine[i] for i in kept], codes[rows][:, kept], situation.known.num_rows)
        true[rows] = listed
        pieces.append((rows, kept, int(listed.sum()) == people))
    away = float(np.abs(low - true)[exact].max(initial=0.0))
    step = float(np.gcd.reduce(low[exact & (low > 0)].astype(np.int64))) if (exact & (low > 0)).any() else 0.0
    wrong, filled = exact & (low != true), exact & ((low > 0) | (true > 0))
    few = int(wrong.sum()) <= max(FEW, SHARE * int(filled.sum()))
    slack = step - 1 if step > away and not few else away
    moved = wrong if few else exact
    low = np.where(moved, np.maximum(low - slack, 0.0), low)
    high = np.where(moved, high + slack, high)
    untold = int((~exact).sum())
    note = (
        "is taken for exact" if not away
        else f"is taken for exact but for {int(wrong.sum()):,} of its {int(exact.sum()):,} counts, which are at most "
             f"{away:.0f} from the source's" if few
        else f"is taken for rounded to {step:.0f}" if step > away
        else f"was perturbed: its counts are taken to be at most {away:.0f} from the true ones, and are no exact limits"
    ) + (f"; {untold:,} of its counts are not told" if untold else "")  # fmt: skip
    parts = [
        Part(tuple(axes[i] for i in kept), codes[rows][:, kept], low[rows], high[rows], closed)
        for rows, kept, closed in pieces
    ]
    return parts, note


def _counted(axes: Sequence[Categories], cells: Int64, everybody: int) -> tuple[Floats, int]:
    """How many people each cell has in truth, and how many have the labels of the table at all."""
    if not axes:
        return np.full(len(cells), float(everybody)), everybody * len(cells)
    home = np.array([one.home for one in axes])
    located: Bools = np.all([one.home < len(one.labels) for one in axes], axis=0)
    whole = np.concatenate([home[:, located], cells.T], axis=1)
    _, to = np.unique(whole, axis=1, return_inverse=True)
    to = to.ravel()
    people = np.bincount(to[: int(located.sum())], minlength=int(to.max(initial=0)) + 1)
    return people[to[int(located.sum()) :]].astype(float), int(located.sum())


def _without(table: pa.Table, strange: Sequence[str]) -> pa.Table:
    """Of a column that the source does not have only the totals, where there are any."""
    for name in strange:
        totals = [_is_total(label) for label in table[name].to_pylist()]
        if any(totals):
            table = table.filter(pa.array(totals))
    return table


def _is_total(label: str | None) -> bool:
    return label is not None and label.strip().lower() in TOTALS


def _between(value: str | None) -> tuple[float, float]:
    """The smallest and the largest count that a cell of a table can mean."""
    found = span(value)
    if found is None or found[1] < 0:
        return 0.0, MANY
    low, high = found
    if low == high:
        return float(floor(low)), float(ceil(high))
    return max(float(ceil(low)), 0.0) if low > -inf else 0.0, float(floor(high)) if high < inf else MANY
