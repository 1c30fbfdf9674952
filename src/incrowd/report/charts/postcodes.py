"""Charts of places: the share of groups below a threshold, for every threshold; and a map of people by area."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from incrowd.errors import visible
from incrowd.postcodes.analyse import Analysis, Curve
from incrowd.report.charts.look import data, sized, to_svg
from incrowd.report.charts.palette import GRID, HEAT, INK, PLACES
from incrowd.report.words import count, share

#: A curve is drawn through so many thresholds, a pixel apart; the shares there are exact.
DRAWN = 480
NAMES = {"subdistrict": "sub-district", "zip3": "three digits", "unit": "postcode"}


def population_curves(analysis: Analysis, population: str, width: int = 560, height: int = 300) -> alt.Chart:
    """Which share of the groups is below each threshold? One panel of the study's figure 1, on a log axis."""
    curves = [curve for curve in analysis.curves if curve.population == population]
    rows = [row for curve in curves for row in _points(curve, curves)]
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
    mark = alt.Chart(data([{"threshold": analysis.threshold, "text": f"threshold {count(analysis.threshold)}"}]))
    rule = mark.mark_rule(color=INK, strokeDash=[4, 3]).encode(x="threshold:Q")
    text = mark.mark_text(baseline="bottom", dy=-4, color=INK, fontSize=11).encode(
        x="threshold:Q", y=alt.value(0), text="text:N"
    )
    return sized(alt.layer(drawn, rule, text), told + ".", width, height)


def _points(curve: Curve, curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """The curve at thresholds a pixel apart, all curves over the same range, without repeated shares."""
    low = max(min(int(one.sizes[0]) for one in curves), 1)
    high = max(int(one.sizes[-1]) for one in curves) * 1.2 + 1
    steps = sorted({round(low * (high / low) ** (i / DRAWN)) for i in range(DRAWN + 1)})
    component = NAMES.get(curve.component, curve.component)
    rows: list[dict[str, Any]] = []
    for number, threshold in enumerate(steps):
        value = round(curve.share(threshold), 5)
        if not rows or rows[-1]["share"] != value or number == len(steps) - 1:
            rows.append({"threshold": threshold, "share": value, "component": component})
    return rows


def area_map(
    boundaries: Mapping[str, Any], name: str, people: Mapping[str, int], threshold: int, population: str
) -> alt.Chart:
    """People by area on the user's boundaries (GeoJSON, `name` is the property with the code), in shades of one colour.

    Areas below the threshold have a dark edge; those without people in the file are left empty.
    """
    features = []
    for feature in boundaries.get("features", []):
        code = str(feature.get("properties", {}).get(name, "")).strip().upper()
        if code in people and feature.get("geometry"):
            facts = {"code": code, "people": people[code], "log": math.log10(people[code] + 1)}
            features.append({**feature, "properties": {**facts, "small": people[code] < threshold}})
    below = sum(feature["properties"]["small"] for feature in features)
    told = f"Map of {count(len(features))} areas by {population}; {count(below)} "
    told += f"have fewer than {count(threshold)}."
    shapes = alt.Chart(alt.InlineData(values=features, format=alt.DataFormat(type="json"))).mark_geoshape(strokeWidth=1)
    drawn = shapes.encode(
        color=alt.Color("properties.log:Q", scale=alt.Scale(domainMin=0, range=HEAT, interpolate="rgb"), legend=None),
        stroke=alt.condition("datum.properties.small", alt.value(INK), alt.value(GRID)),
        tooltip=[alt.Tooltip("properties.code:N", title="area"), alt.Tooltip("properties.people:Q", format=",")],
    ).project(type="mercator")
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
