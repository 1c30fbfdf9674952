"""What is wrong with a part of a plan, in our words: pydantic's speak to programmers, and quote what was written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from incrowd.errors import Fault, PlanError

#: What a field takes, by the beginning of pydantic's word for what it is not.
_TAKES = {
    "string": "this takes a text",
    "int": "this takes a whole number",
    "float": "this takes a number",
    "decimal": "this takes a number",
    "finite_number": "this takes a number",
    "bool": "this takes true or false",
    "list": "this takes a list",
    "tuple": "this takes a list",
    "dict": "this takes names with their values, such as 'name: value'",
    "model": "this takes fields, such as 'name: value'",
    "date": "this takes a date, such as 2026-03-31",
}
#: Limits: the word, and where pydantic keeps the figure.
_LIMITS = {
    "greater_than": ("this must be above {}", "gt"),
    "greater_than_equal": ("this must be {} or more", "ge"),
    "less_than": ("this must be below {}", "lt"),
    "less_than_equal": ("this must be {} or less", "le"),
    "string_too_short": ("this needs {} character(s) or more", "min_length"),
    "string_too_long": ("this takes {} character(s) or fewer", "max_length"),
    "too_short": ("this needs {} entry or more", "min_length"),
    "too_long": ("this takes {} entries or fewer", "max_length"),
    "string_pattern_mismatch": ("this does not fit the pattern {}", "pattern"),
}


def in_words(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors as a clause of ours, without what was written.

    >>> in_words({"type": "greater_than_equal", "msg": "Input should be ...", "ctx": {"ge": 2}})
    'this must be 2 or more'
    """
    kind, known = str(error["type"]), error.get("ctx", {})
    if kind in ("value_error", "assertion_error"):
        return str(error["msg"]).partition(", ")[2]
    if kind in _LIMITS:
        words, where = _LIMITS[kind]
        figure = known[where]
        return words.format(f"{figure:g}" if isinstance(figure, float) else figure)
    if kind == "missing":
        return "this field is missing"
    if kind == "extra_forbidden":
        return "no such field"
    if kind == "literal_error":
        return f"this must be {known['expected']}"
    return next((words for begin, words in _TAKES.items() if kind.startswith(begin)), "this cannot be read here")


def plan_error(error: ValidationError) -> PlanError:
    """The same for a plan that was made in Python: it has no lines."""
    found = error.errors(include_url=False, include_input=False)
    faults = [Fault("P004", ".".join(map(str, one["loc"])) or "plan", f"{in_words(one)}.") for one in found]
    return PlanError(faults)
