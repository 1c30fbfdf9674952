"""Charts of places: the groups below a threshold, by component and by population; and a map of people by area."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import altair as alt

from incrowd.errors import visible
from incrowd.keys.postcodes import NAMES
from incrowd.postcodes.analyse import Analysis, Curve
from incrowd.report.charts.look import above, data, sized, to_svg
from incrowd.report.charts.palette import ALSO_PEOPLE, GRID, HEAT, INK, PEOPLE, PLACES, SOFT
from incrowd.report.words import count, share

#: A curve is drawn through so many thresholds, a pixel apart; the shares there are exact.
DRAWN = 480
#: Where its values show, when it is pointed at.
HOVERED = 120
#: Shares that an axis of bars ends at.
SPANS = (0.1, 0.25, 0.5, 1.0)
#: How high a bar is, and the lines of populations: a second way to tell them apart.
BAR = 15
DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3])


def populations_at(analysis: Analysis, width: int = 520) -> alt.Chart:
    """All populations side by side: which share of each component's groups is below the threshold?"""
    names = analysis.places.populations
    components = [NAMES.get(name, name) for name in dict.fromkeys(one.component for one in analysis.lines)][::-1]
    at = count(analysis.threshold)
    rows = [
        {
            "component": NAMES.get(one.component, one.component), "what": one.population,
            "share": one.below / max(one.groups, 1), "text": share(one.below, one.groups),
            "below": f"{count(one.below)} of {count(one.groups)}", "inside": count(one.people_below),
        }
        for one in analysis.lines
    ]  # fmt: skip
    told = f"Share of groups with fewer than {at}, by component and population. " + "; ".join(
        f"{component}: " + ", ".join(f"{row['what']} {row['text']}" for row in rows if row["component"] == component)
        for component in components
    )
    most = next(end for end in SPANS if end >= max(one.below / max(one.groups, 1) for one in analysis.lines))
    base = alt.Chart(data(rows)).encode(
        y=alt.Y("component:N", scale=alt.Scale(domain=components, paddingInner=0.25), title=None,
                axis=alt.Axis(domain=False, ticks=False, labelFontSize=12, labelColor=INK)),
        yOffset=alt.YOffset("what:N", scale=alt.Scale(domain=list(names), paddingInner=0.1)),
        x=alt.X("share:Q", scale=alt.Scale(domain=[0, 1.15 * most]), title=f"groups below {at}",
                axis=alt.Axis(format="~%", values=[most * i / 5 for i in range(6)])),
        tooltip=[
            alt.Tooltip("component:N"), alt.Tooltip("what:N", title="population"),
            alt.Tooltip("below:N", title=f"groups below {at}"), alt.Tooltip("text:N", title="share"),
            alt.Tooltip("inside:N", title="in them together"),
        ],
    )  # fmt: skip
    bars = base.mark_bar(minBandSize=4).encode(color=_population_colours(names, above()))
    texts = base.mark_text(align="left", baseline="middle", dx=4, fontSize=10, color=SOFT).encode(text="text:N")
    height = len(components) * len(names) * (BAR + 3) + 24 * len(components)
    return sized(alt.layer(bars, texts), told + ".", width, height)


def curves_by_population(analysis: Analysis, component: str, width: int = 520, height: int = 300) -> alt.Chart:
    """All populations on one axis: which share of a component's groups is below each threshold? Values to point at."""
    curves = [curve for curve in analysis.curves if curve.component == component]
    names = [curve.population for curve in curves]
    word, at = NAMES.get(component, component), analysis.threshold
    told = f"Share of {word}s with fewer than a number, by that number and population. At {count(at)}: "
    told += ", ".join(f"{curve.population} {share(curve.below(at), len(curve.sizes))}" for curve in curves)
    rows = [{**row, "what": curve.population} for curve in curves for row in _points(curve, curves)]
    x = alt.X("threshold:Q", scale=alt.Scale(type="log", nice=False), title="threshold",
              axis=alt.Axis(format="~s", values=[10**power for power in range(12)], grid=True))  # fmt: skip
    drawn = (
        alt.Chart(data(rows)).mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=x, y=alt.Y("share:Q", scale=alt.Scale(domain=[0, 1]), title=f"{word}s below it",
                         axis=alt.Axis(format="%", tickCount=5)),
            color=_population_colours(names, alt.Legend(title=None, orient="top", symbolType="stroke", offset=20)),
            strokeDash=alt.StrokeDash("what:N", scale=alt.Scale(domain=names, range=list(DASHES)), legend=None),
        )
    )  # fmt: skip
    pointed = _pointed({curve.population: curve for curve in curves})
    return sized(alt.layer(drawn, *_threshold(at), pointed), told + ".", width, height)


def _population_colours(names: Sequence[str], legend: alt.Legend) -> alt.Color:
    """The colour of each population: fixed for those of a census, by their place for others."""
    fixed = [PEOPLE.get(ALSO_PEOPLE.get(name.lower(), name.lower())) for name in names]
    spare = [colour for colour in (*PEOPLE.values(), *PLACES) if colour not in fixed]
    range_ = [colour or spare.pop(0) for colour in fixed]
    return alt.Color("what:N", scale=alt.Scale(domain=list(names), range=range_), legend=legend)


def _threshold(at: int) -> tuple[alt.Chart, alt.Chart]:
    """The threshold that was asked for, as a line with its number."""
    mark = alt.Chart(data([{"threshold": at, "text": f"threshold {count(at)}"}]))
    text = mark.mark_text(baseline="bottom", dy=-4, color=INK, fontSize=11)
    return (
        mark.mark_rule(color=INK, strokeDash=[4, 3]).encode(x="threshold:Q"),
        text.encode(x="threshold:Q", y=alt.value(0), text="text:N"),
    )


def _pointed(curves: Mapping[str, Curve]) -> alt.Chart:
    """Bands that show when they are pointed at, with the values of all curves there."""
    steps = _steps(list(curves.values()), HOVERED)
    edges = [steps[0], *((one * two) ** 0.5 for one, two in pairwise(steps)), steps[-1]]
    rows = [
        {"from": low, "to": high, "threshold": count(step)}
        | {f"p{i}": _below(curve, step) for i, curve in enumerate(curves.values())}
        for step, (low, high) in zip(steps, pairwise(edges), strict=True)
    ]
    # Not the nearest of some points: Vega-Lite loses the tooltips of those.
    here = alt.selection_point(on="pointerover", clear="pointerout", fields=["from"], empty=False)
    tips = [alt.Tooltip("threshold:N"), *(alt.Tooltip(f"p{i}:N", title=name) for i, name in enumerate(curves))]
    opacity = alt.condition(here, alt.value(0.2), alt.value(0))
    bands = alt.Chart(data(rows)).mark_rect(color=SOFT)
    return bands.encode(x="from:Q", x2="to:Q", opacity=opacity, tooltip=tips).add_params(here)


def _below(curve: Curve, threshold: int) -> str:
    below = curve.below(threshold)
    return f"{share(below, len(curve.sizes))} ({count(below)} of {count(len(curve.sizes))})"


def population_curves(
    analysis: Analysis, population: str, width: int = 560, height: int = 300, *, live: bool = False
) -> alt.Chart:
    """Which share of the groups is below each threshold? One panel of the study's figure 1, on a log axis.

    `live`: with values to point at, where the page can show them.
    """
    curves = [curve for curve in analysis.curves if curve.population == population]
    rows = [
        {**row, "component": NAMES.get(curve.component, curve.component)}
        for curve in curves
        for row in _points(curve, curves)
    ]
    names = [NAMES.get(curve.component, curve.component) for curve in curves]
    lines = [one for one in analysis.lines if one.population == population]
    told = f"Share of groups with fewer than a number of {population}, by that number. At {count(analysis.threshold)}: "
    told += "; ".join(
        f"{NAMES.get(one.component, one.component)} {share(one.below, one.groups)} of {count(one.groups)} groups"
        for one in lines
    )
    base = alt.Chart(data(rows)).mark_line(interpolate="step-after", strokeWidth=2)
    drawn = base.encode(
        x=alt.X(
            "threshold:Q",
            scale=alt.Scale(type="log", nice=False),
            title=f"threshold ({population})",
            axis=alt.Axis(format="~s", values=[10**power for power in range(12)], grid=True),
        ),
        y=alt.Y(
            "share:Q", scale=alt.Scale(domain=[0, 1]), title="groups below it", axis=alt.Axis(format="%", tickCount=5)
        ),
        color=alt.Color(
            "component:N",
            scale=alt.Scale(domain=names, range=list(PLACES[: len(names)])),
            legend=alt.Legend(title=None, orient="top", symbolType="stroke", offset=20),
        ),
    )
    layers = [drawn, *_threshold(analysis.threshold)]
    if live:
        layers.append(_pointed(dict(zip(names, curves, strict=True))))
    return sized(alt.layer(*layers), told + ".", width, height)


def _points(curve: Curve, curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """The curve at thresholds a pixel apart, without repeated shares."""
    steps = _steps(curves)
    rows: list[dict[str, Any]] = []
    for number, threshold in enumerate(steps):
        value = round(curve.share(threshold), 5)
        if not rows or rows[-1]["share"] != value or number == len(steps) - 1:
            rows.append({"threshold": threshold, "share": value})
    return rows


def _steps(curves: Sequence[Curve], number: int = DRAWN) -> list[int]:
    """Thresholds evenly apart on a log axis, the same for all curves of a chart."""
    low = max(min(int(one.sizes[0]) for one in curves), 1)
    high = max(int(one.sizes[-1]) for one in curves) * 1.2 + 1
    return sorted({round(low * (high / low) ** (i / number)) for i in range(number + 1)})


def area_map(
    shapes: Sequence[tuple[str, Mapping[str, Any]]], people: Mapping[str, int], component: str, threshold: int,
    population: str,
) -> alt.Chart:  # fmt: skip
    """People by place on the user's shapes, each with its code, in shades of one colour.

    Places below the threshold have a dark edge; those without people in the file are left out.
    """
    features: list[dict[str, Any]] = []
    for code, geometry in shapes:
        if code in people:
            facts = {"code": code, "people": people[code], "log": math.log10(people[code] + 1)}
            small = people[code] < threshold
            features.append({"type": "Feature", "geometry": geometry, "properties": {**facts, "small": small}})
    below = sum(feature["properties"]["small"] for feature in features)
    word = NAMES.get(component, component)
    told = f"Map of {count(len(features))} {word}s by {population}; {count(below)} "
    told += f"have fewer than {count(threshold)}."
    base = alt.Chart(alt.InlineData(values=features, format=alt.DataFormat(type="json"))).mark_geoshape(strokeWidth=1)
    drawn = base.encode(
        color=alt.Color("properties.log:Q", scale=alt.Scale(domainMin=0, range=HEAT, interpolate="rgb"), legend=None),
        stroke=alt.condition("datum.properties.small", alt.value(INK), alt.value(GRID)),
        strokeWidth=alt.condition("datum.properties.small", alt.value(2), alt.value(1)),
        tooltip=[
            alt.Tooltip("properties.code:N", title=word),
            alt.Tooltip("properties.people:Q", title=population, format=","),
        ],
    ).project(type="identity", reflectY=True)  # the shapes are flat already
    return sized(drawn, told, 560, 560)


def curves_page(analysis: Analysis) -> str:
    """The curves of all populations as one page that needs nothing but itself."""
    panels = "\n".join(
        f"<figure><figcaption>{html.escape(name)}</figcaption>{to_svg(population_curves(analysis, name))}</figure>"
        for name in analysis.places.populations
    )
    title = html.escape(f"Groups below a threshold: {analysis.places.source}")
    style = (
        "body{font-family:Liberation Sans,Arial,Helvetica,sans-serif;color:#1d2733;margin:24px;max-width:1240px}"
        "main{display:flex;flex-wrap:wrap;gap:24px}figure{margin:0}figcaption{font-weight:bold;margin-bottom:4px}"
        "svg{max-width:100%;height:auto}"
    )
    return visible(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{style}</style></head>'
        f"<body><h1>{title}</h1><main>\n{panels}\n</main></body></html>\n"
    )
