"""What all charts share: their look, their labels, and how one becomes an SVG. Its description is its alt text."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from textwrap import wrap
from typing import Any

import altair as alt
import vl_convert

from incrowd.errors import visible
from incrowd.report.charts.palette import GRID, INK, SOFT

# vl-convert carries this font, so text is measured alike on every machine; Arial has the same widths.
FONT, FONTS = "Liberation Sans", "Liberation Sans, Arimo, Arial, Helvetica, Nimbus Sans, sans-serif"
#: Where the page is read without these fonts, letters are up to so much wider (DejaVu Sans, Verdana). Texts are
#: measured so much larger than they are drawn: no label is cut, no legend runs into the next.
ROOM = 1.18
#: Letters in a line of a label, and pixels from line to line.
LETTERS, LINE = 27, 14
#: Pixels for what is drawn beside the labels: with both a chart fits a page of paper, and nearly a phone.
WIDTH = 250

_TAG = re.compile(r"<[^>]+>")
_FRACTION = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_CHATTER = re.compile(r' (?:role|aria-roledescription|aria-hidden|aria-label|class|pointer-events)="[^"]*"')
_NAMED = re.compile(r'(\bid="|url\(#)')
_SIZE = re.compile(r'font-size="([0-9.]+)px"')


def to_svg(chart: alt.Chart) -> str:
    """The chart as an SVG to stand inside a page: no script, no outside resource, the same bytes each time."""
    spec = spec_of(chart)
    told = spec["description"]  # a chart without alt text is a fault
    svg = str(vl_convert.vegalite_to_svg(_roomy(spec), allowed_base_urls=[]))
    mark = "c" + sha256(svg.encode()).hexdigest()[:8]  # ids must differ between the charts of one page
    svg = _TAG.sub(lambda tag: _plain(tag[0], mark), svg)
    return svg.replace("<svg ", f'<svg class="chart" role="img" aria-label="{html.escape(told)}" ', 1)


def spec_of(chart: alt.Chart) -> dict[str, Any]:
    """The chart in Vega-Lite's words, its texts made visible: a control character ends the converter's process."""
    spec: dict[str, Any] = _visible(chart.to_dict(validate=False))
    return spec


def data(rows: Iterable[dict[str, Any]]) -> alt.InlineData:
    """Rows to draw."""
    return alt.InlineData(values=list(rows))


@dataclass(frozen=True)
class Names:
    """An axis of names: where each stands, how high a row is, and the names themselves as layers of a chart."""

    y: alt.Y
    row: int
    layers: list[alt.Chart]

    @property
    def step(self) -> alt.Step:
        """The height of a row in Vega's words."""
        return alt.Step(self.row, **{"for": "position"})


def names(field: str, values: Iterable[str]) -> Names:
    """Names down the side in the order given, each in as many lines as it needs, about the middle of its row."""
    shown = list(dict.fromkeys(visible(value) for value in values))
    lines = {value: in_lines(value) for value in shown}
    y = alt.Y(f"{field}:N", scale=alt.Scale(domain=shown), title=None, axis=None)
    rows: dict[float, list[dict[str, str]]] = {}
    for value, parts in lines.items():
        for at, part in enumerate(parts):
            rows.setdefault((at - (len(parts) - 1) / 2) * LINE, []).append({field: value, "text": part})
    layers = [
        alt.Chart(data(some)).mark_text(align="right", baseline="middle", dy=dy, fontSize=12, color=SOFT)
        .encode(x=alt.value(-8), y=y, text="text:N")
        for dy, some in rows.items()
    ]  # fmt: skip
    return Names(y, max(28, LINE * max(map(len, lines.values()), default=1) + 8), layers)


def in_lines(value: str, letters: int = LETTERS) -> list[str]:
    """A name in lines of so many letters; a longer word is broken after an underscore. Nothing is left out."""
    words = (word if len(word) <= letters else word.replace("_", "_ ") for word in value.split())
    return [line.replace("_ ", "_") for line in wrap(" ".join(words), letters)] or [value]


def broken(values: Iterable[str], letters: int) -> str:
    """A Vega expression that shows these labels in lines."""
    shown = list(dict.fromkeys(visible(value) for value in values))
    return f"{json.dumps([in_lines(value, letters) for value in shown])}[indexof({json.dumps(shown)}, datum.value)]"


def amount(field: str, title: str) -> alt.Y:
    """An axis of whole numbers."""
    return alt.Y(f"{field}:Q", title=title, axis=alt.Axis(format=",d", tickCount=4, tickMinStep=1))


def some() -> alt.Axis:
    """Few whole numbers below a chart, apart from each other."""
    return alt.Axis(format=",d", tickCount=3, tickMinStep=1, labelFlush=False, labelOverlap=True, labelSeparation=8)


def colours(domain: Sequence[str], range_: Sequence[str], legend: alt.Legend | None) -> alt.Color:
    """Fixed colours for the kinds in the field `what`."""
    return alt.Color("what:N", scale=alt.Scale(domain=list(domain), range=list(range_)), legend=legend)


def above() -> alt.Legend:
    """A legend above the chart, at its left, that ends before the chart does."""
    return alt.Legend(orient="top", title=None, labelLimit=0, columnPadding=16)


def sized(chart: alt.Chart, told: str, width: Any, height: Any, fit: bool = True) -> alt.Chart:
    """The chart with its alt text, its size and the look that all charts share."""
    autosize = alt.AutoSizeParams(type="fit" if fit else "pad", contains="padding")
    return (
        chart.properties(description=told, width=width, height=height, autosize=autosize, padding=4)
        .configure(font=FONT, background="transparent", aria=False)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=SOFT, titleColor=SOFT, gridColor=GRID, domainColor=GRID, tickColor=GRID, labelFontSize=11,
            titleFontSize=11, titleFontWeight="normal", titlePadding=6, titleLimit=0,
        )
        .configure_title(fontSize=11, fontWeight="normal", color=SOFT, limit=0, offset=6)
        .configure_legend(labelColor=INK, labelFontSize=12, symbolType="square")
    )  # fmt: skip


def _roomy(part: Any) -> Any:
    """The spec with larger letters; they are drawn as small as they were."""
    if isinstance(part, dict):
        return {
            name: value * ROOM
            if name.lower().endswith("fontsize") and isinstance(value, int | float)
            else _roomy(value)
            for name, value in part.items()
        }
    return [_roomy(value) for value in part] if isinstance(part, list) else part


def _visible(part: Any) -> Any:
    if isinstance(part, dict):
        return {visible(name) if isinstance(name, str) else name: _visible(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_visible(value) for value in part]
    return visible(part) if isinstance(part, str) else part


def _plain(tag: str, mark: str) -> str:
    """A tag without what only a script would use, with short numbers and with the page's fonts."""
    tag = _CHATTER.sub("", tag).replace(' xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1"', "")
    tag = _SIZE.sub(lambda size: f'font-size="{float(size[1]) / ROOM:.3g}px"', tag)
    tag = _FRACTION.sub(lambda number: f"{round(float(number[0]), 2):g}", tag)
    tag = tag.replace(f'font-family="{FONT}"', f'font-family="{FONTS}"')
    return _NAMED.sub(rf"\g<1>{mark}-", tag)
