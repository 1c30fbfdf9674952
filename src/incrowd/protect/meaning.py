"""What released values stand for: what the codebook says of them, or of the values that they were made from.

It may be published, so it rests on the plan's rules and on the codebook alone, never on the data: which values a step
has put together because few people have them, and which codes nobody has, is not told. A label that a rule makes is
explained by every code that the rule sends there, whether somebody has it or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from itertools import islice

from incrowd.errors import IncrowdError, InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies.apart import stand_apart
from incrowd.keys.hierarchies.naming import is_pot_name
from incrowd.keys.hierarchy import TOP
from incrowd.keys.natural import in_order
from incrowd.keys.table import from_records
from incrowd.plan import Plan
from incrowd.plan.hierarchies import HierarchyRule
from incrowd.plan.steps import Step
from incrowd.plan.steps.numbers import MergeSmall
from incrowd.plan.steps.recode import Recode
from incrowd.plan.steps.search import Search
from incrowd.protect.hierarchies import make_hierarchy
from incrowd.protect.recode import named_values, new_names
from incrowd.protect.state import Context

#: What a label stands for that is made of values, and does not say of which.
ANY, REST = "any value: it is not told", "other values, put together"
#: So many words of those that a label is made of; more are counted.
NAMED = 20
#: 16-29, 16 to 29, 45+, <16: the bands that recodings and hierarchies make.
_BAND = re.compile(r"(?P<low>-?\d+)(?:(?:-| to )(?P<high>-?\d+)|(?P<more>\+))|<(?P<under>-?\d+)", re.ASCII)

#: Hierarchies whose labels the data decide.
DATA_MADE = ("auto", "quantiles")

Members = dict[str, list[str]]


def released_book(plan: Plan, context: Context, book: Codebook, there: Mapping[str, Iterable[str | None]]) -> Codebook:
    """The codebook of the released file. `there` are values of which it should speak, column by column, beside the
    codes: only what can be said of them without the data is said.
    """
    codes: dict[str, Mapping[str, str]] = {}
    keys = plan.with_role("key")
    for name in {**book.codes, **there}:
        known = book.codes.get(name, {})
        made = _made_by_rule(plan, name, known, context)
        values = {*known, *made, *(value for value in there.get(name, ()) if value is not None)}
        altering = [step for _, step in plan.active if name in {*step.alters(), *step.coarsens(keys)}]
        told = {value: _word(altering, book, name, value, made) for value in in_order(values)}
        codes[name] = {value: word for value, word in told.items() if word is not None}
    return replace(book, codes={name: words for name, words in codes.items() if words})


def _word(altering: Sequence[Step], book: Codebook, name: str, value: str, made: Members) -> str | None:
    """What a released value stands for, or None where it stands for itself, or nobody can tell."""
    known = book.codes.get(name, {})
    members = made.get(value, [])
    own = _listed([known[one] for one in members]) if members and members != [value] else known.get(value)
    if any(isinstance(step, MergeSmall) and (step.into or step.host) == value for step in altering):
        return REST if own is None else f"{own}, and {REST}"
    if own is not None or not altering:
        return own
    if value == TOP:
        return ANY
    if "|" in value and all(part in known for part in value.split("|")):  # a group that is named by its codes
        return _listed([known[part] for part in value.split("|")])
    if is_pot_name(value):
        return REST
    apart = stand_apart(list(known), name, book, guess=False)
    inside = _in_band(value, [code for code in known if code not in apart])
    if inside:
        return _listed([known[code] for code in inside])
    # What is neither a code nor a band was made of codes, and by the data where no rule says of which.
    return REST if known and _BAND.fullmatch(value) is None and _data_made(altering, name) else None


def _data_made(altering: Sequence[Step], name: str) -> bool:
    """Whether a search may give a variable labels that the data decide."""
    rules = [step.hierarchies.get(name) for step in altering if isinstance(step, Search)]
    return any(rule is not None and rule.way in DATA_MADE for rule in rules)


def _listed(words: Sequence[str]) -> str:
    told = list(dict.fromkeys(words))
    more = f", and {len(told) - NAMED} more" if len(told) > NAMED else ""
    # Words with commas of their own are told apart by semicolons.
    return ("; " if any("," in word for word in told) else ", ").join(islice(told, NAMED)) + more


def _in_band(label: str, codes: Iterable[str]) -> list[str]:
    """The codes that a band of numbers holds.

    >>> _in_band("1-3", ["0", "1", "3", "x", "10"]), _in_band("3+", ["1", "10"]), _in_band("3", ["3"])
    (['1', '3'], ['10'], [])
    """
    found = _BAND.fullmatch(label)
    if found is None:
        return []
    low, high, under = (None if found[name] is None else Decimal(found[name]) for name in ("low", "high", "under"))
    numbers = {code: Decimal(code) for code in in_order(codes) if re.fullmatch(r"-?\d+", code, re.ASCII)}
    if under is not None:
        return [code for code, number in numbers.items() if number < under]
    return [code for code, n in numbers.items() if (low is None or low <= n) and (high is None or n <= high)]


def _made_by_rule(plan: Plan, name: str, known: Mapping[str, str], context: Context) -> Members:
    """Of each label that the plan's rules make of a variable's codes: the codes. Empty where the rules speak of values
    that have no code: then the codes are those of the release, and not of the values before.
    """
    labels = {code: code for code in known}
    for _, step in plan.active:
        if isinstance(step, Recode) and step.variable == name:
            named, values = named_values(step, context), {*labels.values()}
            if named - values:
                return {}
            new = _by_rule(step, named, values, context)
            labels = {code: new[old] for code, old in labels.items() if old in new}
        elif isinstance(step, Search) and (rule := step.hierarchies.get(name)) is not None:
            return _grouped(labels) | _of_levels(rule, name, labels, context)
        elif name in step.alters():
            break  # which values were put together, the data decide
    return _grouped(labels)


def _grouped(labels: Mapping[str, str]) -> Members:
    members: Members = {}
    for code in in_order(labels):
        members.setdefault(labels[code], []).append(code)
    return members


def _of_levels(rule: HierarchyRule, name: str, labels: Mapping[str, str], context: Context) -> Members:
    """The codes behind each label of a hierarchy, at whichever level it stands; of one that the data make, nothing."""
    if rule.way in DATA_MADE or not labels:
        return {}
    try:
        made = make_hierarchy(
            rule, name, from_records({name: sorted(set(labels.values()))}), context.folder, context.book
        )
    except IncrowdError:  # it is not for these codes
        return {}
    rows = dict(zip(made.leaves, made.rows, strict=True))
    found: Members = {}
    for level in range(1, made.height + 1):
        here = _grouped({code: rows[label][level] for code, label in labels.items() if label in rows})
        for label, members in here.items():
            # A name that stands for fewer at a finer level is not explained: nobody can tell which is meant.
            found[label] = members if found.get(label, members) == members else []
    return {label: members for label, members in found.items() if members and label != TOP}


def _by_rule(step: Recode, named: set[str], values: set[str], context: Context) -> dict[str, str]:
    """What a step makes of values, without those that it would refuse."""
    if step.way in ("lookup", "hierarchy"):  # its file is read once
        taken = values & named if step.others in (None, "fault") else values
        found = new_names(step, dict.fromkeys(taken, 1), context)[0]
    else:
        found = {}
        for value in values:
            with suppress(InputError):
                found |= new_names(step, {value: 1}, context)[0]
    return {old: new for old, new in found.items() if old is not None and new is not None}
