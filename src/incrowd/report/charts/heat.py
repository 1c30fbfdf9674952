"""The heat map of uniques tables: one glance instead of a wall of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import altair as alt

from incrowd.report.charts.look import data, names, sized
from incrowd.report.charts.palette import COUNTS, GRID, HEAT, INK
from incrowd.report.words import count
from incrowd.risk.tables import Tables


def most_uniques(*tables: Tables | None) -> int:
    """The largest number that their heat maps show: the end of a scale that they share."""
    lines = [line for one in tables if one is not None for line in one.lines if len(line.keys) < 3]
    return max((line.counted.uniques for line in lines), default=0)


def uniques_heat(tables: Tables, state: str = "", *, most: int | None = None, first: Sequence[str] = ()) -> alt.Chart:
    """Which keys, alone and in pairs, leave people alone? Key by key; the diagonal is the key by itself.

    The colour is the number of uniques, the text too: white is none, and `most` (that of this chart when left out)
    the darkest. To be compared, two charts take the same `most`, and keys in the same order: those in `first` first.
    The alt text names the three largest. Tables of three and four keys are in the table beside it.
    """
    own = [contribution.key for contribution in tables.contributions]
    keys = [*(key for key in first if key in own), *(key for key in own if key not in first)]
    counts = {frozenset(names): counted.uniques for names, counted in tables.counts.items()}
    rows = []
    for i, one in enumerate(keys):
        for other in keys[: i + 1]:
            uniques = counts.get(frozenset((one, other)))
            if uniques is not None:
                rows.append({"one": one, "other": other, "uniques": uniques, "text": count(uniques)})
    top = sorted(rows, key=lambda row: -int(str(row["uniques"])))[:3]
    told = f"Uniques in tables of one and two keys{', ' + state if state else ''}. Most: "
    told += "; ".join(_told(row) for row in top) + "."
    most = most_uniques(tables) if most is None else most
    named = names("one", keys)
    slanted = alt.Axis(
        orient="top", labelAngle=-40, domain=False, ticks=False, labelLimit=0, labelFontSize=12, labelOverlap=False
    )  # fmt: skip
    base = alt.Chart(data(rows)).encode(
        x=alt.X("other:N", scale=alt.Scale(domain=keys), title=None, axis=slanted), y=named.y
    )
    # The domain of nothing but zeros would be one colour, and which is not said.
    scale = alt.Scale(type=COUNTS, domain=[0, max(most, 1)], range=HEAT, interpolate="rgb")
    cells = base.mark_rect(stroke=GRID, strokeWidth=1).encode(color=alt.Color("uniques:Q", legend=None, scale=scale))
    texts = base.mark_text(fontSize=11, color=INK).encode(text="text:N")
    wide = alt.Step(max(36, 14 + 7 * len(count(most))))
    return sized(alt.layer(*named.layers, cells, texts), told, wide, named.step, fit=False)


def _told(row: dict[str, object]) -> str:
    name = str(row["one"]) if row["one"] == row["other"] else f"{row['one']} with {row['other']}"
    return f"{name}: {row['text']}"


@dataclass(frozen=True)
class HeatTable:
    """Uniques of combinations of `ways` keys as a table: rows and columns are parts of a combination, a cell is the
    number of uniques of both together, None where the two share a key or the number is told elsewhere in the table.
    """

    ways: int
    rows: tuple[tuple[str, ...], ...]
    columns: tuple[tuple[str, ...], ...]
    cells: tuple[tuple[int | None, ...], ...]
    most: int


def heat_table(tables: Tables, ways: int, most_keys: int = 6) -> HeatTable:
    """The tables of two keys (key by key), three (pair by key) or four (pair by pair) at one glance, each combination
    once; the keys that hurt most first, and so many of them.
    """
    keys = [contribution.key for contribution in tables.contributions][:most_keys]
    place = {key: i for i, key in enumerate(keys)}
    counts = {frozenset(names): counted.uniques for names, counted in tables.counts.items() if len(names) == ways}
    rows = list(combinations(keys, ways - ways // 2))
    columns = list(combinations(keys, ways // 2))

    def cell(row: tuple[str, ...], column: tuple[str, ...]) -> int | None:
        """Once: where the row's keys all come before the column's first, or, pair by pair, where the row begins."""
        both = sorted({*row, *column}, key=place.__getitem__)
        return counts.get(frozenset(both)) if len(both) == ways and tuple(both[: len(row)]) == row else None

    cells = [tuple(cell(row, column) for column in columns) for row in rows]
    used = [i for i, line in enumerate(cells) if any(one is not None for one in line)]
    seen = [j for j in range(len(columns)) if any(line[j] is not None for line in cells)]
    shown = tuple(tuple(cells[i][j] for j in seen) for i in used)
    most = max((one for line in shown for one in line if one is not None), default=0)
    return HeatTable(ways, tuple(rows[i] for i in used), tuple(columns[j] for j in seen), shown, most)
