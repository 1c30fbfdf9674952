"""The chart of attacks: how often each was right, beside a guess and beside people who are not in the file."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from incrowd.attack.value import Attacked, Rate
from incrowd.keys.saying import percent, percents
from incrowd.report.charts.look import WIDTH, above, colours, data, names, sized
from incrowd.report.charts.palette import BASELINE, CONTROL, SUCCESS

SERIES = {"success": SUCCESS, "baseline": BASELINE, "control": CONTROL}
#: Told apart without their colours, too.
SHAPES = ["circle", "triangle-up", "diamond"]
#: Attacks in one chart: more would leave a page of paper half empty before it.
MOST = 16


def attack_charts(attacks: Sequence[Attacked]) -> list[tuple[str, alt.Chart]]:
    """Success, baseline and control of each attack that was tried: a chart for each scenario, all with one axis."""
    tried = [one for one in attacks if one.in_full]
    most = max((rate for one in tried for rate in _drawn(one)), default=0.0)
    parts = []
    for scenario in dict.fromkeys(one.scenario for one in tried):
        mine = [one for one in tried if one.scenario == scenario]
        size = math.ceil(len(mine) / math.ceil(len(mine) / MOST))
        parts += [(scenario, _rates(mine[at : at + size], most)) for at in range(0, len(mine), size)]
    return parts


def _rates(tried: Sequence[Attacked], most: float) -> alt.Chart:
    rows = []
    for one in tried:
        for what, rate in (("success", one.success), ("control", one.control)):
            if isinstance(rate, Rate):
                rows.append({"attack": one.name, "what": what, "share": rate.value, "low": rate.low, "high": rate.high})
        if one.baseline is not None:
            rows.append({"attack": one.name, "what": "baseline", "share": one.baseline})
    told = "Success of each attack with its baseline and control: "
    told += "; ".join(_told(one) for one in tried) + "."
    named = names("attack", (one.name for one in tried))
    base = alt.Chart(data(rows)).encode(
        y=named.y, yOffset=alt.YOffset("what:N", sort=list(SERIES)),
        color=colours(list(SERIES), list(SERIES.values()), above()),
        shape=alt.Shape("what:N", scale=alt.Scale(domain=list(SERIES), range=SHAPES), legend=above()),
    )  # fmt: skip
    axis = alt.Axis(format="~%", tickCount=4)
    scale = alt.Scale(domain=[0, most or 1], nice=True)
    points = base.mark_point(filled=True, size=45, opacity=1).encode(
        x=alt.X("share:Q", title="share of those it goes for", axis=axis, scale=scale),
    )
    spans = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    return sized(alt.layer(*named.layers, spans, points), told, WIDTH + 50, named.step, fit=False)


def _drawn(one: Attacked) -> list[float]:
    ends = [rate.high for rate in (one.success, one.control) if isinstance(rate, Rate)]
    return [*ends, *([] if one.baseline is None else [one.baseline])]


def _told(one: Attacked) -> str:
    assert one.success is not None
    value, low, high = percents(one.success.value, one.success.low, one.success.high)
    text = f"{one.name} in {one.scenario}: {value} ({low} to {high})"
    text += "" if one.baseline is None else f", baseline {percent(one.baseline)}"
    return text + ("" if one.control is None else f", control {percent(one.control.value)}")
