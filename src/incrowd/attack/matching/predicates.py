"""Which combinations of columns are worth trying to single people out? Few columns: all; many: those that part most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from incrowd.attack.knowledge import middles, whole_of
from incrowd.attack.matching.spans import are_numbers
from incrowd.attack.situation import Situation, codes_of
from incrowd.keys.packing import group, pack

Int64 = NDArray[np.int64]
Codes = NDArray[np.signedinteger[Any]]
Draws = Callable[[int], NDArray[np.uint64]]

MOST = 100  # combinations, up to which all of a size are tried
LARGEST = 4  # columns in one of these
GROWN = 8  # columns in a combination that is grown column by column
LOOKED_AT = 10_000  # records that tell which column parts most
DRAWN = 30  # combinations of two to six columns by keyed chance
BAND = 4  # a number that was moved is read in bands so many times as wide as it was usually moved


def predicates_of(columns: int) -> list[tuple[int, ...]]:
    """The combinations to try first, small ones first: all of a size, as far as a hundred of them allow."""
    size = 1
    while size < min(LARGEST, columns) and sum(comb(columns, s) for s in range(1, size + 2)) <= MOST:
        size += 1
    return [c for s in range(1, size + 1) for c in combinations(range(columns), s)]


def tried_on(columns: Sequence[Codes], spans: Sequence[int], draws: Draws) -> list[tuple[int, ...]]:
    """All combinations that are tried, small ones first: those of a few columns; where there are too many of them, one
    that is grown by the column that parts most, and some drawn by keyed chance; and all columns together.

    A superset isolates whom a subset isolates. So all columns together find everybody whom any of them isolates in the
    release; the smaller ones say how few columns will do, and are true more often where values were changed.
    """
    number = len(columns)
    found = predicates_of(number)
    if len(found[-1]) < min(number, LARGEST):
        found += [*grown(columns, spans, draws), *_drawn(number, draws)]
    found.append(tuple(range(number)))
    return sorted(dict.fromkeys(found), key=len)


def grown(columns: Sequence[Codes], spans: Sequence[int], draws: Draws) -> list[tuple[int, ...]]:
    """From nothing, column by column: each time the one with which most records are alone (then: with most classes)."""
    records = len(columns[0])
    some = np.sort(np.argsort(draws(records), kind="stable")[:LOOKED_AT]) if records > LOOKED_AT else np.arange(records)
    codes = [column[some] for column in columns]
    so_far, classes, chosen, found = np.zeros(len(some), np.int64), 1, list[int](), list[tuple[int, ...]]()
    while len(chosen) < min(GROWN, len(columns)) and classes < len(some):
        best = (0, classes, -1)
        for i, column in enumerate(codes):
            if i not in chosen:
                sizes = np.unique(pack([so_far, column], [classes, spans[i]]), return_counts=True)[1]
                best = max(best, (int((sizes == 1).sum()), len(sizes), i))
        if best[1] == classes:
            break  # no column tells any two of them apart
        chosen.append(best[2])
        first, so_far = group(pack([so_far, codes[best[2]]], [classes, spans[best[2]]]))
        classes = len(first)
        found.append(tuple(sorted(chosen)))
    return found


def _drawn(number: int, draws: Draws) -> list[tuple[int, ...]]:
    found = []
    for size in (draws(DRAWN) % np.uint64(5) + np.uint64(2)).astype(np.int64).tolist():
        chosen = np.argsort(draws(number), kind="stable")[: min(size, number)]
        found.append(tuple(sorted(chosen.tolist())))
    return found


@dataclass(frozen=True)
class Attributes:
    """Columns as numbers, the same for the same value: first those of the released records, then of everybody."""

    names: tuple[str, ...]
    codes: tuple[Codes, ...]
    spans: tuple[int, ...]
    how: str = ""  # how values are read, where not every value is its own


def readings(situation: Situation, names: Sequence[str]) -> list[Attributes]:
    """The ways in which an intruder can take the release's values; empty where none can be compared with the truth.

    As they stand; where numbers were moved, in bands wide enough to hold what they were; and without all columns that
    were changed: who knows which those are looks at the others.
    """
    exact: dict[str, Codes] = {}
    banded: dict[str, Codes] = {}
    changed: set[str] = set()
    for name in names:
        column, moved, differs = _column(situation, name)
        if column is not None:
            exact[name] = column
        if moved is not None:
            banded[name] = moved
        if differs:
            changed.add(name)
    found = [_attributes(exact)] if exact else []
    if banded:
        found.append(_attributes(exact | banded, f"moved numbers ({', '.join(banded)}) in bands"))
    kept = {name: codes for name, codes in exact.items() if name not in changed}
    if kept and changed:
        found.append(_attributes(kept, "columns that were changed left out"))
    return found


def _attributes(columns: dict[str, Codes], how: str = "") -> Attributes:
    spans = tuple(int(codes.max(initial=0)) + 1 for codes in columns.values())
    return Attributes(tuple(columns), tuple(columns.values()), spans, how)


def _column(situation: Situation, name: str) -> tuple[Codes | None, Codes | None, bool]:
    """One column's codes (None where no value is in both files), its bands where numbers were moved, and whether any
    value was changed.
    """
    released, known = whole_of(situation.released[name]), whole_of(situation.known[name])
    (mine,), (theirs,) = codes_of([situation.released.select([name]), situation.known.select([name])], [name])
    if name in situation.loose:  # its labels say less than the truth, and nothing else
        return np.concatenate([mine, theirs]).astype(np.int32), None, False
    differs = mine != theirs[situation.lines]
    bands = _bands(released, known, situation.lines) if 2 * int(differs.sum()) > len(mine) else None
    there = np.unique(mine[~released.is_null().to_numpy(zero_copy_only=False)])
    common = bool(np.isin(there, theirs).any())
    return np.concatenate([mine, theirs]).astype(np.int32) if common else None, bands, bool(differs.any())


def _bands(released: pa.Array, known: pa.Array, lines: Int64) -> Codes | None:
    """Numbers in bands, a few times as wide as they were usually moved; None where they are no numbers."""
    labels = pc.unique(pa.concat_arrays([released, known])).to_pylist()
    if not are_numbers(labels):
        return None
    mine, true = middles(released), middles(known)
    moved = np.abs(mine - true[lines])
    width = BAND * float(np.nanmedian(moved[moved > 0])) if (moved > 0).any() else 0.0
    if not width or not np.isfinite(width):
        return None
    both = np.concatenate([mine, true])
    bands = np.where(np.isnan(both), -np.inf, np.floor(both / width))
    return np.unique(bands, return_inverse=True)[1].ravel().astype(np.int32)
