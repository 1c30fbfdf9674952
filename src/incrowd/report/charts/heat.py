"""The heat map of uniques tables: one glance instead of a wall of numbers."""

from __future__ import annotations

from collections.abc import Sequence

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
