"""Read what a form sends: short, printable, and about what there is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from fastapi import Request

from incrowd.intruder_test.acquaintances import OUT, Acquaintance
from incrowd.intruder_test.claims import Claim, told_by
from incrowd.intruder_test.desk import Intruder
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.sources import KINDS, OTHER

Form = dict[str, list[str]]
Cards = Mapping[int, Sequence[tuple[str, str | None]]]
FIELDS = 500
#: The longest text of each field.
LONGEST = {"who": 200, "value": 200, "sources": 1000, "link": 500, "reasoning": 4000}
LABELS = {
    "who": "Somebody else",
    "value": "Its value",
    "sources": "Which ones",
    "link": "Link or note",
    "reasoning": "How you got there",
}
#: A reasoning has so many words at least, or is as long as that in a script without spaces.
WORDS, LETTERS = 3, 12
#: How a form names somebody whom the intruder knows, where it names a card otherwise.
KNOWN = "known-"
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
    request.state.form = form  # for pages that refuse it: see unsent
    return form


def clean(text: str) -> str:
    """A text without characters that no keyboard types."""
    return _UNPRINTABLE.sub("", text).replace("\r\n", "\n").strip()


def first(form: Mapping[str, Sequence[str]], name: str) -> str:
    """The first value of a field, or nothing."""
    return next(iter(form.get(name, ())), "")


def read_claim(form: Form, facts: Facts, cards: Cards, known: Sequence[Acquaintance]) -> tuple[Claim, list[str]]:
    """The claim in a form, and all that is wrong with it, in words for the person who wrote it.

    `cards` and `known` are the intruder's own: others' are as if they were not there.
    """
    faults = []
    texts = {name: first(form, name) for name in LONGEST}
    for name, text in texts.items():
        if len(text) > LONGEST[name]:
            faults.append(f"The field “{LABELS[name]}” is too long: at most {LONGEST[name]:,} characters.")
            texts[name] = text[: LONGEST[name]]
    target, person, whom = _whom(form, facts, cards, known, texts["who"])
    faults += whom
    record = whole(first(form, "record"), 1, facts.records)
    if first(form, "record") and record is None:
        faults.append(f"The record number must be a whole number from 1 to {facts.records:,}.")
    attribute, value, learned = _learned(form, facts, texts["value"])
    faults += learned
    if attribute is not None and attribute in told_by(cards.get(target or 0, ())):
        faults.append(f"The target card says {attribute} already: claim something that it does not tell, or a record.")
    if record is None and attribute is None and not first(form, "record") and not learned:
        faults.append("Say what you claim: a record number, or something that you learned, or both.")
    confidence = whole(first(form, "confidence"), 0, 100)
    if confidence is None:
        faults.append("Say how sure you are: a whole number from 0 to 100.")
    used = tuple(column.name for column in facts.columns if column.name in form.get("used", ()))
    kinds, minutes, how = _how(form, texts)
    faults += how
    claim = Claim(
        target, texts["who"], record, attribute, value, confidence or 0, texts["sources"], used, texts["reasoning"],
        kinds, texts["link"], minutes, person,
    )  # fmt: skip
    return claim, faults


def _whom(
    form: Form, facts: Facts, cards: Cards, known: Sequence[Acquaintance], who: str
) -> tuple[int | None, int | None, list[str]]:
    """The card or the person that a claim is about, and what is wrong with it."""
    said = first(form, "target")
    if said.startswith(KNOWN):
        number = whole(said.removeprefix(KNOWN), 1, 10**9)
        person = next((one for one in known if one.id == number), None)
        if person is None:
            return None, None, ["There is no such person among those whom you know."]
        return None, person.id, [f"{person.mark} is not in the file."] if person.answer == OUT else []
    target = whole(said, 1, 10**9)
    if said and target not in cards:
        return None, None, ["There is no such target card."]
    if target is None and not who:
        return None, None, [f"Say whom you found: choose from the list, or describe the {facts.called.one}."]
    return target, None, []


def _learned(form: Form, facts: Facts, typed: str) -> tuple[str | None, str | None, list[str]]:
    """The variable and the value that a claim gives, chosen from the list or typed, and what is wrong with it."""
    chosen, attribute = first(form, "learned"), first(form, "attribute")
    if chosen:
        place, _, value = chosen.partition("=")
        at = whole(place, 0, len(facts.columns) - 1)
        if at is None or value not in dict(facts.columns[at].values):
            return None, None, ["There is no such value in the list."]
        column = facts.columns[at]
        if (attribute or typed) and (attribute != column.name or column.meant(typed) != (value,)):
            return column.name, value, ["Choose what you learned from the list, or type it: not both."]
        return column.name, value, []
    if not attribute and not typed:
        return None, None, []
    at = facts.column(attribute)
    if attribute and at is None:
        return None, typed or None, ["There is no such variable."]
    if at is None or not typed:
        return attribute or None, typed or None, ["What you learned needs both: the variable and its value."]
    meant = facts.columns[at].meant(typed)
    if len(meant) > 1:
        fault = "Several values of this variable are called so: write the value as the records have it."
        return attribute, typed, [fault]
    return attribute, meant[0], []


def _how(form: Form, texts: Mapping[str, str]) -> tuple[tuple[str, ...], int | None, list[str]]:
    """The kinds of sources and the minutes, and what is wrong with how a claim was found."""
    faults = []
    kinds = tuple(kind for kind in KINDS if kind in form.get("kinds", ()))
    if not kinds:
        faults.append("Say what you used: tick at least one kind of source.")
    if OTHER in kinds and not texts["sources"]:
        faults.append("Say which other source you used.")
    minutes = whole(first(form, "minutes"), 0, 6000)
    if first(form, "minutes") and minutes is None:
        faults.append("The minutes must be a whole number from 0 to 6,000.")
    reasoning = texts["reasoning"]
    if len(reasoning.split()) < WORDS and len(reasoning) < LETTERS:
        faults.append("Say how you got there: a sentence, so that others can follow it.")
    return kinds, minutes, faults


def whole(text: str, least: int, most: int) -> int | None:
    """A whole number in a range, or None."""
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) and least <= int(text) <= most else None
