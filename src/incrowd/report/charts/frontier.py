"""The frontier: risk against utility over a sweep and over candidate plans."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import altair as alt
import vl_convert

from incrowd.errors import visible
from incrowd.report.charts import palette
from incrowd.report.charts.look import FONT, above, data, sized, spec_of
from incrowd.report.charts.palette import INK, SOFT
from incrowd.report.words import share
from incrowd.utility.points import Sweep, SweepPoint

HOLDS, BREAKS, NONE = "conclusions hold", "a conclusion changes", "no release"
#: Stands for "<" until the page is made; a character that no text of ours has.
LESS_THAN = "\ue000"
#: Points closer than this share of both axes have one label.
NEAR = 0.045
COLOURS = [palette.HOLDS, palette.FAILS, palette.NONE]


def frontier(sweep: Sweep, *, interactive: bool = False) -> alt.Chart:
    """How much risk for how much utility? A point for each setting, the chosen and the recommended one marked.

    Risk is the mean chance of an intruder who knows who is in the file (classes / records); utility the share of the
    records that is released, and the colour says whether every use case keeps its conclusion.
    """
    rows = [_row(point, sweep, "sweep") for point in sweep.points if point.risk_mean is not None]
    rows += [_row(point, sweep, "candidate") for point in sweep.candidates if point.risk_mean is not None]
    _label(rows)
    base = alt.Chart(data(rows)).encode(
        x=alt.X("risk:Q", title="risk: mean chance to find a person (classes / records)", axis=alt.Axis(format=".1%"),
                scale=alt.Scale(zero=False, nice=False, padding=28)),
        y=alt.Y("kept:Q", title="utility: share of the records released", axis=alt.Axis(format=".0%"),
                scale=alt.Scale(zero=False, nice=False, padding=28)),
    )  # fmt: skip
    line = base.transform_filter("datum.kind == 'sweep'").mark_line(color=SOFT, opacity=0.4, strokeWidth=1.5)
    line = line.encode(order=alt.Order("order:Q"))
    colour = alt.Color(
        "verdict:N", scale=alt.Scale(domain=[HOLDS, BREAKS, NONE], range=COLOURS),
        legend=above(),
    )  # fmt: skip
    shape = alt.Shape(
        "kind:N", scale=alt.Scale(domain=["sweep", "candidate"], range=["circle", "diamond"]), legend=None
    )
    tips = [
        alt.Tooltip(f"{field}:N", title=title)
        for field, title in (
            ("label", sweep.parameter), ("verdict", "use cases"), ("breaks", "changes"), ("released", "released"),
            ("smallest", "smallest class"), ("loss", "loss"), ("mean", "mean risk"), ("most", "largest risk"),
        )
    ]  # fmt: skip
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(color=colour, shape=shape, tooltip=tips)
    rings = base.transform_filter("datum.marked != ''").mark_point(size=320, color=INK, strokeWidth=1.6, filled=False)
    plain = base.transform_filter("datum.marked == '' && datum.labelled").mark_text(dy=-13, fontSize=11, color=INK)
    layers: list[Any] = [line, rings, dots, plain.encode(text="label:N")]
    for at, label in enumerate(row["label"] for row in sorted(rows, key=lambda row: -row["kept"]) if row["marked"]):
        mine = base.transform_filter(alt.FieldEqualPredicate(field="label", equal=label))
        # One below the other, so that they can be read where the two points are close.
        text = mine.transform_filter("datum.marked != ''").mark_text(dx=14, dy=15 + 13 * at, fontSize=11, align="left")
        layers.append(text.encode(text="text:N", color=alt.value(INK)))
    chart = alt.layer(*layers)
    if interactive:
        chart = chart.add_params(alt.selection_interval(bind="scales"))
    return sized(chart, _told(sweep), 560, 360)


def _label(rows: list[dict[str, Any]]) -> None:
    """Say which points have their label beside them: not one that would lie on another's. The table has them all."""
    spans = {name: max(ends) - min(ends) or 1 for name in ("risk", "kept") if (ends := [row[name] for row in rows])}
    taken: list[dict[str, Any]] = [row for row in rows if row["marked"]]
    for row in rows:
        near = (
            one for one in taken
            if one is not row and abs(one["risk"] - row["risk"]) / spans["risk"] < NEAR
            and abs(one["kept"] - row["kept"]) / spans["kept"] < NEAR
        )  # fmt: skip
        row["labelled"] = next(near, None) is None
        taken += [row] if row["labelled"] else []


def frontier_page(sweep: Sweep) -> str:
    """The same as a page by itself: to zoom, drag and point at. It carries its script along and fetches nothing."""
    spec = spec_of(frontier(sweep, interactive=True))
    spec["title"] = {
        "text": "Risk against utility", "subtitle": wrap(visible(sweep.advice), 110), "anchor": "start", "font": FONT,
        "color": INK, "subtitleColor": SOFT, "subtitleFont": FONT,
    }  # fmt: skip
    spec["background"] = "white"
    # The converter puts the texts into a script as they are, where "</script>" in a plan's file name would end it.
    page: str = vl_convert.vegalite_to_html(stand_in(spec), bundle=True).replace(LESS_THAN, "\\u003c")
    return page.replace("<title>Chart</title>", "<title>Risk against utility</title>", 1)


def stand_in(part: Any) -> Any:
    """A chart whose texts have no "<", until the page is made."""
    if isinstance(part, dict):
        return {name: stand_in(value) for name, value in part.items()}
    if isinstance(part, list):
        return [stand_in(value) for value in part]
    return part.replace("<", LESS_THAN) if isinstance(part, str) else part


def _row(point: SweepPoint, sweep: Sweep, kind: str) -> dict[str, Any]:
    marks = [] if kind == "candidate" else [
        word for word, label in (("chosen", sweep.chosen), ("recommended", sweep.recommended)) if label == point.label
    ]  # fmt: skip
    marked = " and ".join(marks)
    verdict = NONE if point.why else HOLDS if not point.broken else BREAKS
    return {
        "label": point.label, "kind": kind, "risk": point.risk_mean, "kept": point.kept, "verdict": verdict,
        "order": [*sweep.points, *sweep.candidates].index(point), "breaks": ", ".join(point.broken) or "none",
        "released": f"{point.released:,} of {point.records:,} ({share(point.released, point.records)})",
        "smallest": f"{point.smallest:,}", "loss": "none" if point.loss is None else f"{point.loss:.3f}",
        "mean": f"{point.risk_mean or 0:.2%}", "most": f"{point.risk_max or 0:.2%}", "marked": marked,
        "text": f"{point.label} {marked}".strip(),
    }  # fmt: skip


def _told(sweep: Sweep) -> str:
    points = [p for p in (*sweep.points, *sweep.candidates) if p.risk_mean is not None]
    told = f"Risk against utility for {len(points)} settings of {sweep.parameter}: "
    told += "; ".join(
        f"{p.label}: mean risk {p.risk_mean:.1%}, {share(p.released, p.records)} released, "
        + (f"changes {', '.join(p.broken)}" if p.broken else "conclusions hold")
        for p in points
    )
    return f"{told}. {sweep.advice}"
