"""Read what a form sends: short, printable, and about what there is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from fastapi import Request

from incrowd.intruder_test.desk import Claim, Intruder, told_by
from incrowd.intruder_test.store import Facts

Form = dict[str, list[str]]
Cards = Mapping[int, Sequence[tuple[str, str | None]]]
FIELDS = 500
#: The longest text of each field.
LONGEST = {"who": 200, "value": 200, "sources": 1000, "reasoning": 4000}
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Visit:
    """One request of somebody: from where, with which session."""

    address: str
    cookie: str
    intruder: Intruder | None


async def read_form(request: Request) -> Form:
    """The fields of a form; a broken one has none."""
    form: Form = {}
    try:
        text = (await request.body()).decode("utf-8", "replace")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=FIELDS)
    except ValueError:
        return form
    for name, value in pairs:
        form.setdefault(name, []).append(clean(value))
    return form


def clean(text: str) -> str:
    """A text without characters that no keyboard types."""
    return _UNPRINTABLE.sub("", text).replace("\r\n", "\n").strip()


def first(form: Mapping[str, Sequence[str]], name: str) -> str:
    """The first value of a field, or nothing."""
    return next(iter(form.get(name, ())), "")


def read_claim(form: Form, facts: Facts, cards: Cards) -> tuple[Claim, list[str]]:
    """The claim in a form, and all that is wrong with it, in words for the person who wrote it."""
    faults = []
    texts = {name: first(form, name) for name in LONGEST}
    for name, text in texts.items():
        if len(text) > LONGEST[name]:
            faults.append(f"The field “{LABELS[name]}” is too long: at most {LONGEST[name]:,} characters.")
            texts[name] = text[: LONGEST[name]]
    target = whole(first(form, "target"), 1, facts.cards)
    if first(form, "target") and target is None:
        faults.append("There is no such target card.")
    if target is None and not texts["who"]:
        faults.append(f"Say whom you found: choose a target card, or describe the {facts.called.one}.")
    record = whole(first(form, "record"), 1, facts.records)
    if first(form, "record") and record is None:
        faults.append(f"The record number must be a whole number from 1 to {facts.records:,}.")
    attribute: str | None = first(form, "attribute") or None
    if attribute is not None and facts.column(attribute) is None:
        faults.append("There is no such variable.")
        attribute = None
    place = facts.column(attribute)
    if place is not None and texts["value"]:
        meant = facts.columns[place].meant(texts["value"])
        if len(meant) > 1:
            faults.append("Several values of this variable are called so: write the value as the records have it.")
        else:
            texts["value"] = meant[0]
    if attribute is not None and attribute in told_by(cards.get(target or 0, ())):
        faults.append(f"The target card says {attribute} already: claim something that it does not tell, or a record.")
    if (attribute is None) != (not texts["value"]):
        faults.append("What you learned needs both: the variable and its value.")
    if record is None and attribute is None and not first(form, "record"):
        faults.append("Say what you claim: a record number, or a variable and its value, or both.")
    confidence = whole(first(form, "confidence"), 0, 100)
    if confidence is None:
        faults.append("Say how sure you are: a whole number from 0 to 100.")
    used = tuple(column.name for column in facts.columns if column.name in form.get("used", ()))
    if not texts["reasoning"]:
        faults.append("Say how you got there: a sentence is enough.")
    claim = Claim(
        target, texts["who"], record, attribute, texts["value"] or None, confidence or 0, texts["sources"], used,
        texts["reasoning"],
    )  # fmt: skip
    return claim, faults


LABELS = {
    "who": "Somebody else",
    "value": "Its value",
    "sources": "Sources",
    "reasoning": "How you got there",
}


def whole(text: str, least: int, most: int) -> int | None:
    """A whole number in a range, or None."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) and least <= int(text) <= most else None
