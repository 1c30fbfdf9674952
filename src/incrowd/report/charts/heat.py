"""The heat map of uniques tables: one glance instead of a wall of numbers."""

from __future__ import annotations

import altair as alt

from incrowd.report.charts.run import HEAT, INK, _data, _sized
from incrowd.report.words import count
from incrowd.risk.tables import Tables


def uniques_heat(tables: Tables, state: str = "") -> alt.Chart:
    """Which keys, alone and in pairs, leave people alone? Key by key; the diagonal is the key by itself.

    The colour is the number of uniques, the text too; the alt text names the three largest. Tables of three and four
    keys are in the table beside it.
    """
    keys = [contribution.key for contribution in tables.contributions]
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
    axis = alt.Axis(domain=False, ticks=False, labelLimit=160, labelFontSize=12)
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("other:N", sort=keys, title=None, axis=alt.Axis(**_top(axis))),
        y=alt.Y("one:N", sort=keys, title=None, axis=axis),
    )
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color("uniques:Q", legend=None, scale=alt.Scale(domainMin=0, range=HEAT))
    )
    texts = base.mark_text(fontSize=11, color=INK).encode(text="text:N")
    return _sized(alt.layer(cells, texts), told, alt.Step(64), alt.Step(28), fit=False)


def _told(row: dict[str, object]) -> str:
    name = str(row["one"]) if row["one"] == row["other"] else f"{row['one']} with {row['other']}"
    return f"{name}: {row['text']}"


def _top(axis: alt.Axis) -> dict[str, object]:
    """The same axis above the cells, its labels slanted."""
    settings: dict[str, object] = axis.to_dict()
    return {**settings, "orient": "top", "labelAngle": -30}
