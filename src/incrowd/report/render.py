"""Pages made of templates: the one jinja environment, and how a chart is put into it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from incrowd.errors import visible
from incrowd.keys.saying import fixed, percent, percents, sentence
from incrowd.keys.unit_name import PEOPLE, UnitName
from incrowd.report import words


def render(template: str, **values: Any) -> str:
    """A whole page. Jinja escapes what HTML would act on, `visible` what a reader would not see."""
    return visible(part(template, **values))


def part(template: str, **values: Any) -> Markup:
    """A part of a page, to be put into another; what it was given is escaped."""
    return Markup(environment().get_template(template).render(**values))


def svg(chart: Any) -> Markup:
    """A chart to be put into a page."""
    from incrowd.report.charts.look import to_svg  # altair takes a second to import: only who wants a report pays

    # Safe: the converter escapes the texts of marks, to_svg the alt text.
    return Markup(to_svg(chart))


@pass_context
def units(context: Context, text: str) -> str:
    """A text about those in the file, by the name that the plan gives them."""
    called: UnitName = context.get("called", PEOPLE)
    if not isinstance(text, Markup):
        return called.say(text)
    return Markup(UnitName(str(escape(called.one)), str(escape(called.many))).say(str(text)))


def breakable(text: str) -> Markup:
    """A value that may be broken between the values that were put together in it: in a narrow column else anywhere.

    >>> str(breakable("Cardiff|York <2>"))
    'Cardiff|<wbr>York &lt;2&gt;'
    """
    return Markup("|<wbr>").join(text.split("|"))


@cache
def environment() -> Environment:
    """Every page is made in this one: a value that a template names and nobody gave is an error."""
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    said = {
        "count": words.count, "figure": words.figure, "seconds": words.seconds, "limit": words.limit,
        "small": words.small, "percent": percent, "first_upper": lambda text: text[:1].upper() + text[1:],
        "fixed": fixed, "sentence": sentence, "units": units, "breakable": breakable,
    }  # fmt: skip
    made.filters.update(said)
    made.globals.update(share=words.share, percents=percents)
    return made
