"""The part of a plan that says what the data are, as a form: read from the plan's text, and put back into it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from ruamel.yaml.comments import CommentedMap

from incrowd.app.edits import Tree, as_written, part, put, set_or_remove, take_out
from incrowd.app.fields import chosen
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, first

#: What each kind of file is, and what it means for an intruder.
KINDS = {
    "survey": ("Survey", "A sample of people was asked: hardly anybody knows who took part."),
    "administrative": ("Administrative", "Whoever uses a service is in it: others may know that somebody does."),
    "census": ("Census", "Everybody is in it, and everybody knows that."),
}
#: Who gets the file.
TIERS = {
    "open": ("Open", "Anybody, without asking."),
    "safeguarded": ("Safeguarded", "People who register and agree to terms."),
    "controlled": ("Controlled", "Approved researchers in a secure place."),
}
#: In the order in which they are written.
_ORDER = (
    "source", "delimiter", "encoding", "sheet", "drop_index", "kind", "unit", "unit_name", "household", "weights",
    "codes", "population", "protection",
)  # fmt: skip


def settings_of(text: str) -> dict[str, str]:
    """What a plan says of its data, as the fields of the form hold it."""
    plan = as_written(text)
    data = _block(plan, "data")
    population, protection = _block(data, "population"), _block(data, "protection")
    found = {name: _text(data.get(name)) for name in ("source", "kind", "unit", "unit_name", "household", "weights")}
    share = _text(protection.get("sampling_fraction"))
    return found | {
        "title": _text(plan.get("title")), "tier": _text(plan.get("tier")),
        "population": _text(population.get("source")), "population_count": _text(population.get("count")),
        "percent": percent_of(share) if share else "", "percent_reason": _text(protection.get("reason")),
    }  # fmt: skip


def save_settings(form: Form, paths: bool) -> Callable[[Tree], None]:
    """The edit that a form asks for. What it does not ask about stays; `paths` says whether files may be named."""
    title = first(form, "title")
    if not title:
        raise InputError("D422", "the title is empty.", "Say what is released: the title stands in public.")
    kind = first(form, "kind") and chosen(form, "kind", list(KINDS))
    tier = first(form, "tier") and chosen(form, "tier", list(TIERS))
    share = share_of(first(form, "percent"), "the share of people in the file", largest=Decimal(100))

    def edit(tree: Tree) -> None:
        put(tree, "title", title)
        if tier and not tree.get("tiers"):
            put(tree, "tier", tier, after=("title", "data"))
        data = part(tree, "data")
        if kind:  # what nobody has said stays unsaid
            put(data, "kind", kind, _before("kind"))
        for name in ("unit", "unit_name", "household", "weights"):
            set_or_remove(data, name, first(form, name), _before(name))
        if paths:
            if source := first(form, "source"):
                put(data, "source", source)
            if first(form, "population"):
                given = {"source": first(form, "population"), "count": first(form, "population_count")}
                _nest(data, "population", given)
            else:
                take_out(data, "population")
        _nest(data, "protection", {"sampling_fraction": share, "reason": first(form, "percent_reason")})

    return edit


def _before(name: str) -> tuple[str, ...]:
    return _ORDER[: _ORDER.index(name)]


def _nest(data: CommentedMap, name: str, given: dict[str, Any]) -> None:
    """Set or remove the fields of a block inside the data; without its first field, and others, the block goes."""
    first_field, inside = next(iter(given)), data.get(name)
    there = inside if isinstance(inside, CommentedMap) else CommentedMap()
    if given[first_field] in (None, "") and not {*there} - {*given}:
        take_out(data, name)
        return
    for field, value in given.items():
        set_or_remove(there, field, value)
    if there is not inside:  # filled before it is put, so that what is written below comes behind its last line
        put(data, name, there, _before(name))


def share_of(text: str, what: str, largest: Decimal = Decimal(99)) -> float | None:
    """A percentage that somebody wrote, as a share; None where nothing is written."""
    if not text:
        return None
    try:
        number = Decimal(text.removesuffix("%").strip().replace(",", "."))
    except InvalidOperation:
        number = Decimal(-1)
    if not (number.is_finite() and 0 <= number <= largest):
        raise InputError("D422", f"{what} is no percentage.", f"Write a number from 0 to {largest}, such as 12.5.")
    return float(number / 100)


def percent_of(share: object) -> str:
    """A share as a percentage, as it would be written; what is no number stays as it is."""
    try:
        number = Decimal(str(share)) * 100
    except InvalidOperation:
        return str(share)
    return f"{number.normalize():f}" if number.is_finite() else str(share)


def _block(inside: dict[str, Any], name: str) -> dict[str, Any]:
    found = inside.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
