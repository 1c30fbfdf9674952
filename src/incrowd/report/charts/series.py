"""The chart of a series: records, what was lost and the smallest class, release by release."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt

from incrowd.audit.series import SeriesRelease
from incrowd.keys.unit_name import PEOPLE, UnitName
from incrowd.report.charts.look import LINE, broken, data, sized
from incrowd.report.charts.palette import LOST, RECORDS, SMALLEST
from incrowd.report.words import count

#: With more releases than the first their names stand slanted, with more than the second not all have room.
UPRIGHT, MOST = 5, 20


def over_time(releases: Sequence[SeriesRelease], called: UnitName = PEOPLE) -> alt.Chart:
    """How did the releases of a series change? Three panels below each other with one axis of time."""
    names = [f"{number} · {_name(one)}" for number, one in enumerate(releases, start=1)]
    rows = [
        {"at": name, "records": one.records, "lost": one.lost, "smallest": one.smallest}
        for name, one in zip(names, releases, strict=True)
    ]
    told = "Records, share lost and smallest class of each release: "
    told += "; ".join(f"{_name(o)}: {count(o.records)}, {o.lost:.1%}, {count(o.smallest)}" for o in releases) + "."
    upright = len(releases) <= UPRIGHT
    labels = alt.Axis(
        labelAngle=0 if upright else -40, labelLimit=0, labelLineHeight=LINE, grid=False,
        labelOverlap=len(releases) > MOST,
        labelExpr=broken(names, 70 // len(releases) if upright else max(map(len, names))),
    )  # fmt: skip
    hidden = alt.Axis(labels=False, ticks=False, grid=False)
    panels = []
    for what, title, colour, form in (
        ("records", "records", RECORDS, ",d"), ("lost", "share lost", LOST, ".1%"),
        ("smallest", f"{called.many} in the smallest class", SMALLEST, ",d"),
    ):  # fmt: skip
        # Where nothing was lost, the axis still begins below.
        top = {"domainMax": max(0.05, *(one.lost for one in releases))} if what == "lost" else {}
        axis = alt.Axis(format=form, tickCount=3, tickMinStep=0.001 if what == "lost" else 1, title=None, minExtent=44)
        base = alt.Chart(data(rows), title=alt.Title(title, anchor="start", frame="group")).encode(
            x=alt.X("at:N", sort=None, title=None, axis=labels if what == "smallest" else hidden),
            y=alt.Y(f"{what}:Q", axis=axis, scale=alt.Scale(domainMin=0, **top)),
        )
        line = base.mark_line(color=colour, strokeWidth=2) + base.mark_point(
            filled=True, color=colour, size=55, opacity=1
        )
        panels.append(line.properties(width=420, height=80))
    return _sized_rows(alt.vconcat(*panels, spacing=14), told)


def _sized_rows(chart: alt.VConcatChart, told: str) -> alt.VConcatChart:
    """The look that all charts share; panels below each other have sizes of their own."""
    styled = sized(alt.Chart(), told, 1, 1)
    return chart.properties(description=told, padding=4, config=styled.config)


def _name(one: SeriesRelease) -> str:
    return one.version or one.date or "this release"
