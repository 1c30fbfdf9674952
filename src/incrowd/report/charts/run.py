"""Charts of a run, as functions of its log. Each gives an Altair chart whose description is its alt text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import altair as alt
import vl_convert

from incrowd.audit.log import LARGEST_K, StepLog
from incrowd.errors import visible
from incrowd.report.words import count, share

# vl-convert carries this font, so text is measured alike on every machine; Arial has the same widths.
FONT, FONTS = "Liberation Sans", "Liberation Sans, Arial, Helvetica, sans-serif"
INK, SOFT, GRID = "#1d2733", "#4b5866", "#dfe4ea"
HEAT = ["#f5f8fb", "#6f9bc6"]  # ink can be read on all of it
CLASSES, UNIQUES, LOST = "#8fb0d0", "#b8430b", "#5b4b8a"
LABELS = 280  # pixels for the names of the steps

_TAG = re.compile(r"<[^>]+>")
_FRACTION = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_CHATTER = re.compile(r' (?:role|aria-roledescription|aria-hidden|aria-label|class|pointer-events)="[^"]*"')
_SHORT = {"under 0.1%": "<0.1%", "over 99.9%": ">99.9%", "none": ""}  # where a cell has little room
_NAMED = re.compile(r'(\bid="|url\(#)')


def class_sizes(step: StepLog) -> alt.Chart:
    """How many classes of each size up to LARGEST_K are there after this step? One panel of the study's figure 1."""
    after = step.after
    numbers = {size: after.sizes.get(size, 0) for size in range(1, LARGEST_K + 1)}
    rows = [
        {"size": size, "classes": number, "what": "unique" if size == 1 else "class"}
        for size, number in numbers.items()
    ]
    told = f"Classes by size after {_name(step)}: {count(after.uniques)} uniques"
    told += "".join(f", {count(number)} of size {size}" for size, number in numbers.items() if size > 1) + "."
    return _sized(
        alt.Chart(_data(rows))
        .mark_bar()
        .encode(
            x=alt.X("size:O", title="people in the class", axis=alt.Axis(labelAngle=0, grid=False)),
            y=_amount("classes", "classes"),
            color=_colours(["unique", "class"], [UNIQUES, CLASSES], legend=None),
        ),
        told,
        300,
        190,
    )


def released_sizes(sizes: Sequence[tuple[str, int]]) -> alt.Chart:
    """How large are the classes of this file? By rows that may be told in public."""
    rows = [{"size": label, "classes": number} for label, number in sizes]
    told = "Classes of the released file by size: "
    told += ", ".join(f"{count(number)} of {label} people" for label, number in sizes) + "."
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("size:O", sort=None, title="people in the class", axis=alt.Axis(labelAngle=0, grid=False)),
        y=_amount("classes", "classes"),
    )
    bars = base.mark_bar(color=CLASSES)
    numbers = base.mark_text(dy=-7, color=INK, fontSize=11).encode(text=alt.Text("classes:Q", format=",d"))
    return _sized(alt.layer(bars, numbers), told, 860, 280)


def classes_by_step(steps: Sequence[StepLog]) -> alt.Chart:
    """How many classes, and how many uniques among them, are left after each step?"""
    rows = [{"step": _name(step), "classes": step.after.classes, "uniques": step.after.uniques} for step in steps]
    told = "Classes and uniques after each step: "
    told += "; ".join(f"{_name(s)}: {count(s.after.classes)} and {count(s.after.uniques)}" for s in steps) + "."
    base = alt.Chart(_data(rows)).encode(y=_steps("step"))
    layers = []
    for what, size in (("classes", 16), ("uniques", 7)):
        bar = base.transform_calculate(what=f"'{what}'").mark_bar(size=size)
        layers.append(
            bar.encode(
                x=alt.X(f"{what}:Q", title=None, axis=alt.Axis(format=",d", tickCount=5)),
                color=_colours(["classes", "uniques"], [CLASSES, UNIQUES], alt.Legend(orient="top", title=None)),
            )
        )
    for what, colour, right in (("classes", INK, 495), ("uniques", UNIQUES, 562)):
        number = base.mark_text(align="right", color=colour, fontSize=12)
        layers.append(number.encode(x=alt.value(right), text=alt.Text(f"{what}:Q", format=",d")))
    return _sized(alt.layer(*layers), told, 430, alt.Step(28), fit=False)


def records_lost(steps: Sequence[StepLog]) -> alt.Chart | None:
    """How many records did each step drop, and for what? None when no step dropped any."""
    rows = [
        {"row": f"step {step.number}: {reason}", "records": number, "text": count(number)}
        for step in steps
        for reason, number in lost_rows(step)
        if number
    ]
    if not rows:
        return None
    told = "Records dropped by step and reason: " + "; ".join(f"{r['row']}: {r['text']}" for r in rows) + "."
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("records:Q", title="records dropped", axis=alt.Axis(format=",d", tickCount=5)),
        y=_steps("row", 340),
    )
    numbers = base.mark_text(align="left", dx=6, color=INK, fontSize=12).encode(text="text:N")
    return _sized(alt.layer(base.mark_bar(color=LOST, size=16), numbers), told, 430, alt.Step(28), fit=False)


def lost_rows(step: StepLog) -> list[tuple[str, int]]:
    """What a step dropped records for; records it dropped for nothing it names come last."""
    rows = list(step.removed_for.items())
    rest = step.records_removed - sum(step.removed_for.values())
    return [*rows, (step.title if not rows else "for no named reason", rest)] if rest > 0 else rows


def people_below(steps: Sequence[StepLog], who: str = "records") -> alt.Chart:
    """Which share of the file would each k drop, had the recoding stopped at this step? The study's table 1."""
    rows = [
        {
            "step": _name(step),
            "k": k,
            "share": below / (step.after.people or 1),
            "text": _SHORT.get(share(below, step.after.people), share(below, step.after.people)),
        }
        for step in steps
        for k, below in sorted(step.after.people_below.items())
    ]
    return _heat(rows, steps, who)


def _heat(rows: list[dict[str, Any]], steps: Sequence[StepLog], who: str) -> alt.Chart:
    told = f"Share of {who} in classes smaller than k, for k from 2 to {LARGEST_K}, after each step. "
    told += " ".join(
        f"{_name(s)}: {share(s.after.people_below.get(2, 0), s.after.people)} at k = 2, "
        f"{share(s.after.people_below.get(LARGEST_K, 0), s.after.people)} at k = {LARGEST_K}."
        for s in steps
    )
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("k:O", title="k", axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False)),
        y=_steps("step"),
    )
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(
        color=alt.Color("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=HEAT))
    )
    texts = base.mark_text(fontSize=11, color=INK).encode(text="text:N")
    return _sized(alt.layer(cells, texts), told, alt.Step(46), alt.Step(28), fit=False)


def to_svg(chart: alt.Chart) -> str:
    """The chart as an SVG to stand inside a page: no script, no outside resource, the same bytes each time."""
    spec = spec_of(chart)
    told = spec["description"]  # a chart without alt text is a fault
    svg = str(vl_convert.vegalite_to_svg(spec, allowed_base_urls=[]))
    mark = "c" + sha256(svg.encode()).hexdigest()[:8]  # ids must differ between the charts of one page
    svg = _TAG.sub(lambda tag: _plain(tag[0], mark), svg)
    return svg.replace("<svg ", f'<svg class="chart" role="img" aria-label="{html.escape(told)}" ', 1)


def spec_of(chart: alt.Chart) -> dict[str, Any]:
    """The chart in Vega-Lite's words, its texts made visible: a control character ends the converter's process."""
    spec: dict[str, Any] = _visible(chart.to_dict(validate=False))
    return spec


def _visible(part: Any) -> Any:
    if isinstance(part, dict):
        return {visible(name) if isinstance(name, str) else name: _visible(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_visible(value) for value in part]
    return visible(part) if isinstance(part, str) else part


def _plain(tag: str, mark: str) -> str:
    """A tag without what only a script would use, with short numbers and with the page's fonts."""
    tag = _CHATTER.sub("", tag).replace(' xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1"', "")
    tag = _FRACTION.sub(lambda number: f"{round(float(number[0]), 2):g}", tag)
    tag = tag.replace(f'font-family="{FONT}"', f'font-family="{FONTS}"')
    return _NAMED.sub(rf"\g<1>{mark}-", tag)


def _name(step: StepLog) -> str:
    return f"{step.number} · {step.title}"


def _data(rows: Iterable[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=list(rows))


def _amount(field: str, title: str) -> alt.Y:
    return alt.Y(f"{field}:Q", title=title, axis=alt.Axis(format=",d", tickCount=4, tickMinStep=1))


def _steps(field: str, limit: int = LABELS) -> alt.Y:
    axis = alt.Axis(labelLimit=limit, minExtent=0, domain=False, ticks=False, labelPadding=8, labelFontSize=12)
    return alt.Y(f"{field}:N", sort=None, title=None, axis=axis)


def _colours(domain: list[str], colours: list[str], legend: alt.Legend | None) -> alt.Color:
    return alt.Color("what:N", scale=alt.Scale(domain=domain, range=colours), legend=legend)


def _sized(chart: alt.Chart, told: str, width: Any, height: Any, fit: bool = True) -> alt.Chart:
    """The chart with its alt text, its size and the look that all charts share."""
    autosize = alt.AutoSizeParams(type="fit" if fit else "pad", contains="padding")
    return (
        chart.properties(description=told, width=width, height=height, autosize=autosize, padding=4)
        .configure(font=FONT, background="transparent", aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=SOFT, titleColor=SOFT, gridColor=GRID, domainColor=GRID, tickColor=GRID, labelFontSize=11,
            titleFontSize=11, titleFontWeight="normal", titlePadding=6,
        )
        .configure_legend(labelColor=INK, labelFontSize=12, symbolType="square")
    )  # fmt: skip
