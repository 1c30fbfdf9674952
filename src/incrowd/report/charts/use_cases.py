"""Charts of what analysts keep: a use case in the original and in the release, and what each k would cost."""

from __future__ import annotations

from typing import Any

import altair as alt

from incrowd.report.charts import palette
from incrowd.report.charts.frontier import BREAKS, COLOURS, HOLDS, NONE
from incrowd.report.charts.look import WIDTH, above, colours, data, names, sized
from incrowd.report.charts.palette import INK
from incrowd.report.words import share
from incrowd.utility.outcome import Estimate, Figure, Outcome
from incrowd.utility.points import Sweep, SweepPoint

ORIGINAL, RELEASE = "original", "release"
#: So many figures are drawn; the table has them all.
SHOWN = 20
#: With more bars than this their labels would lie on each other.
LABELLED = 16
#: Pixels between the two sides of a figure.
APART = 5


def both_sides(outcome: Outcome) -> alt.Chart | None:
    """Did the figures of a use case move? Each in the original and in the release, with its 95% interval; None where
    there is nothing to draw.
    """
    drawn = [one for one in outcome.figures if one.original.value is not None or one.released.value is not None][:SHOWN]
    if not drawn:
        return None
    rows = [row for one in drawn for row in (_side(one, ORIGINAL), _side(one, RELEASE)) if row["value"] is not None]
    side = names("name", (one.name for one in drawn))
    x = alt.X("value:Q", title=None, scale=alt.Scale(zero=False, padding=12), axis=alt.Axis(tickCount=4))
    colour = colours([ORIGINAL, RELEASE], [palette.BASELINE, palette.RECORDS], above())
    tips = [
        alt.Tooltip("name:N", title="figure"),
        alt.Tooltip("what:N", title="file"),
        alt.Tooltip("told:N", title="value"),
    ]
    layers: list[Any] = [*side.layers]
    for what, shift in ((ORIGINAL, -APART), (RELEASE, APART)):
        base = alt.Chart(data([row for row in rows if row["what"] == what])).encode(
            y=side.y, color=colour, tooltip=tips
        )
        bars = base.transform_filter("datum.low != null").mark_rule(strokeWidth=2, opacity=0.55, yOffset=shift)
        layers.append(bars.encode(x=alt.X("low:Q", title=None), x2="high:Q"))
        shape = "circle" if what == ORIGINAL else "diamond"
        layers.append(base.mark_point(filled=True, size=60, opacity=1, shape=shape, yOffset=shift).encode(x=x))
    told = f"{outcome.use_case}: " + "; ".join(_told(one) for one in drawn)
    if len(drawn) < len(outcome.figures):
        told += f"; and {len(outcome.figures) - len(drawn)} more"
    return sized(alt.layer(*layers), f"{told}.", WIDTH, side.step, fit=False)


def cost_of_k(sweep: Sweep) -> alt.Chart:
    """Which share of the records would each value cost, and would the conclusions hold? A bar for each value."""
    rows = [
        {
            "label": point.label, "lost": 1.0 - point.kept, "told": _short(1.0 - point.kept),
            "verdict": _verdict(point), "breaks": ", ".join(point.broken) or "none",
        }
        for point in sweep.points
    ]  # fmt: skip
    most = max((1.0 - point.kept for point in sweep.points), default=0.0)
    base = alt.Chart(data(rows)).encode(
        x=alt.X("label:O", sort=None, title=sweep.parameter, axis=alt.Axis(labelAngle=0, grid=False)),
        y=alt.Y("lost:Q", title="records lost", axis=alt.Axis(format=".0%", tickCount=4),
                scale=alt.Scale(domainMin=0, domainMax=1.1 * most or 1.0)),
    )  # fmt: skip
    colour = alt.Color("verdict:N", scale=alt.Scale(domain=[HOLDS, BREAKS, NONE], range=COLOURS), legend=above())
    tips = [
        alt.Tooltip(f"{field}:N", title=title)
        for field, title in (
            ("label", sweep.parameter), ("told", "lost"), ("verdict", "use cases"), ("breaks", "changes"),
        )
    ]  # fmt: skip
    bars = base.mark_bar().encode(color=colour, tooltip=tips)
    layers: list[Any] = [bars]
    if len(rows) <= LABELLED:
        layers.append(base.mark_text(dy=-7, fontSize=11, color=INK).encode(text="told:N"))
    told = f"Records lost for each {sweep.parameter}: " + "; ".join(
        f"{point.label}: {share(point.records - point.released, point.records)}, {_verdict(point)}"
        for point in sweep.points
    )
    return sized(alt.layer(*layers), f"{told}.", 560, 260)


def _short(part: float) -> str:
    return f"{part:.0%}" if part >= 0.1 or not part else f"{part:.1%}"


def _verdict(point: SweepPoint) -> str:
    return NONE if point.why or not point.released else BREAKS if point.broken else HOLDS


def _side(figure: Figure, what: str) -> dict[str, Any]:
    one = figure.original if what == ORIGINAL else figure.released
    return {"name": figure.name, "what": what, "value": one.value, "low": one.low, "high": one.high, "told": _said(one)}


def _told(figure: Figure) -> str:
    return f"{figure.name}: {ORIGINAL} {_said(figure.original)}, {RELEASE} {_said(figure.released)}"


def _said(one: Estimate) -> str:
    if one.value is None:
        return "none"
    told = f"{one.value:,.4g}"
    return told if one.low is None or one.high is None else f"{told} ({one.low:,.4g} to {one.high:,.4g})"
