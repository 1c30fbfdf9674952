"""Charts of proposals: risk against what is kept, and what each promise costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert

from incrowd.errors import visible
from incrowd.report.charts import palette
from incrowd.report.charts.frontier import LESS_THAN, stand_in
from incrowd.report.charts.look import FONT, WIDTH, above, data, names, sized, spec_of
from incrowd.report.charts.palette import INK, SOFT

HOLD, SOME = "all use cases hold", "a use case breaks"
#: So many prices are drawn; the table has them all.
SHOWN = 12


@dataclass(frozen=True)
class Point:
    """A proposal on the chart."""

    name: str
    risk: float
    information: float
    held: int
    of: int
    recommended: bool
    k: int
    href: str = ""  # where a click leads, on a page that is not a file


def frontier_chart(points: Sequence[Point], *, interactive: bool = False) -> alt.Chart:
    """How much risk for how much information? A point for each proposal, the recommended one ringed."""
    rows = [
        {
            "name": one.name, "risk": one.risk, "kept": one.information, "recommended": one.recommended,
            "verdict": HOLD if one.held == one.of else SOME, "cases": f"{one.held} of {one.of} hold",
            "shown_risk": f"{one.risk:.1%}", "shown_kept": f"{one.information:.1%}", "k": f"{one.k:,}",
            **({"href_here": one.href} if one.href else {}),
        }
        for one in points
    ]  # fmt: skip
    base = alt.Chart(data(rows)).encode(
        x=alt.X("risk:Q", title="risk: the most that anybody may be found or told", axis=alt.Axis(format=".1%"),
                scale=alt.Scale(zero=False, nice=False, padding=40)),
        y=alt.Y("kept:Q", title="information kept", axis=alt.Axis(format=".0%"),
                scale=alt.Scale(zero=False, nice=False, padding=40)),
    )  # fmt: skip
    colour = alt.Color(
        "verdict:N", scale=alt.Scale(domain=[HOLD, SOME], range=[palette.HOLDS, palette.FAILS]), legend=above()
    )
    tips = [
        alt.Tooltip(f"{field}:N", title=title)
        for field, title in (
            ("name", "proposal"), ("shown_risk", "risk"), ("shown_kept", "information kept"), ("cases", "use cases"),
            ("k", "smallest class"),
        )
    ]  # fmt: skip
    hand = {"cursor": "pointer"} if any(one.href for one in points) else {}
    dots = base.mark_point(filled=True, size=110, opacity=1, **hand).encode(color=colour, tooltip=tips)
    ring = base.transform_filter("datum.recommended").mark_point(size=360, color=INK, strokeWidth=1.6, filled=False)
    label = base.mark_text(dy=-16, fontSize=11, color=INK).encode(text="name:N")
    layers: list[Any] = [ring, dots, label]
    chart = alt.layer(*layers)
    if interactive:
        chart = chart.add_params(alt.selection_interval(bind="scales"))
    return sized(chart, _told(points), 560, 340)


def frontier_page(points: Sequence[Point], title: str) -> str:
    """The same as a page by itself: to zoom, drag and point at. It carries its script along and fetches nothing."""
    spec = spec_of(frontier_chart(points, interactive=True))
    spec["title"] = {
        "text": visible(title), "anchor": "start", "font": FONT, "color": INK, "subtitleColor": SOFT,
        "subtitle": "Drag to move, turn the wheel to zoom, point at a plan to read its figures.",
    }  # fmt: skip
    spec["background"] = "white"
    page: str = vl_convert.vegalite_to_html(stand_in(spec), bundle=True).replace(LESS_THAN, "\\u003c")
    return page.replace("<title>Chart</title>", "<title>Proposals: risk against information</title>", 1)


def price_chart(prices: Sequence[tuple[str, float]]) -> alt.Chart:
    """What would come back without each promise? A bar for each, the dearest first."""
    drawn = list(prices)[:SHOWN]
    rows = [{"promise": visible(promise), "back": back, "told": f"{back:.1%}"} for promise, back in drawn]
    side = names("promise", (promise for promise, _ in drawn))
    most = max((back for _, back in drawn), default=0.0)
    base = alt.Chart(data(rows)).encode(
        y=side.y,
        x=alt.X(
            "back:Q", title="information that would come back", axis=alt.Axis(format=".0%", tickCount=4),
            scale=alt.Scale(domain=[0, 1.2 * most or 1.0], nice=False),
        ),
    )  # fmt: skip
    bars = base.mark_bar(color=palette.LOST, height=14)
    texts = base.mark_text(align="left", dx=4, fontSize=11, color=INK).encode(text="told:N")
    told = "What each promise costs: " + "; ".join(f"{promise} {back:.1%}" for promise, back in drawn) + "."
    return sized(alt.layer(bars, texts, *side.layers), told, WIDTH, side.step, fit=False)


def _told(points: Sequence[Point]) -> str:
    told = "; ".join(
        f"{one.name}: risk {one.risk:.1%}, {one.information:.0%} of the information, {one.held} of {one.of} use cases"
        + (" (recommended)" if one.recommended else "")
        for one in points
    )
    many = "1 proposal" if len(points) == 1 else f"{len(points)} proposals"
    return f"Risk against information kept for {many}: {told}."
