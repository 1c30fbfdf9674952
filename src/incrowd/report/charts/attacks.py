"""The chart of attacks: how often each was right, beside a guess and beside people who are not in the file."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from incrowd.attack.value import Attacked, Rate
from incrowd.keys.saying import percent, percents
from incrowd.report.charts.run import CLASSES, LOST, UNIQUES, _colours, _data, _sized, _steps

SERIES = {"success": UNIQUES, "baseline": LOST, "control": CLASSES}


def attack_rates(attacks: Sequence[Attacked]) -> alt.Chart | None:
    """Success, baseline and control of each attack that was tried; None when none was."""
    rows = []
    tried = [one for one in attacks if one.success is not None]
    if not tried:
        return None
    for one in tried:
        name = f"{one.name} · {one.scenario}"
        for what, rate in (("success", one.success), ("control", one.control)):
            if isinstance(rate, Rate):
                rows.append({"attack": name, "what": what, "share": rate.value, "low": rate.low, "high": rate.high})
        if one.baseline is not None:
            rows.append({"attack": name, "what": "baseline", "share": one.baseline})
    told = "Success of each attack with its baseline and control: "
    told += "; ".join(_told(one) for one in tried) + "."
    base = alt.Chart(_data(rows)).encode(
        y=_steps("attack"), yOffset=alt.YOffset("what:N", sort=list(SERIES)),
        color=_colours(list(SERIES), list(SERIES.values()), alt.Legend(orient="top", title=None)),
    )  # fmt: skip
    axis = alt.Axis(format="%", tickCount=5)
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("share:Q", title="share of those it goes for", axis=axis, scale=alt.Scale(domainMin=0)),
    )
    spans = base.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q")
    return _sized(alt.layer(spans, points), told, 430, alt.Step(14), fit=False)


def _told(one: Attacked) -> str:
    assert one.success is not None
    value, low, high = percents(one.success.value, one.success.low, one.success.high)
    text = f"{one.name} in {one.scenario}: {value} ({low} to {high})"
    text += "" if one.baseline is None else f", baseline {percent(one.baseline)}"
    return text + ("" if one.control is None else f", control {percent(one.control.value)}")
