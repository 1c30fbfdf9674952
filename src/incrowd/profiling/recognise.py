"""What is a column? Its type, its kind and the role it suggests, from its name, its counts and some of its
values.

Values decide before names where they have a mark of their own (an e-mail address is one whatever the column
is called); a name decides where values could be anything. Where neither tells, the suggestion is the careful
one, and says that it is a guess: `certain` is False.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from incrowd.plan.model import Role
from incrowd.profiling import patterns
from incrowd.profiling.kinds import (
    BY_NAME,
    EMAIL,
    FREE_TEXT,
    KINDS,
    NAME,
    NATIONAL_INSURANCE,
    RECORD_NUMBER,
    Kind,
)
from incrowd.profiling.words import Hint, hint_of
from incrowd.rows.summary import ColumnCounts

Type = Literal["whole number", "number", "date", "yes/no", "category", "text", "code", "empty"]

#: Fewer values than this are too few to see a soft pattern, or a sequence, in.
_FEW = 5
_CATEGORIES = 50
#: A title of more words is a question that somebody was asked: it mentions things that it is not about.
_TITLE = 6
#: A column that says nothing of itself is taken for names where so many of its values may be one.
_MOSTLY, _WRITTEN = 0.5, 0.8
#: More different words with a capital than this are rather names than categories.
_WORDS = 20
#: Letters and digits together, without a space.
_CODE = re.compile(r"(?=\S*\d)(?=\S*[^\W\d])[\w./+-]{2,20}")


@dataclass(frozen=True)
class Facts:
    """What is known of a column before anybody thinks: its name, the engine's counts, some of its values."""

    name: str
    records: int
    counts: ColumnCounts
    values: Sequence[str]
    title: str = ""  # what the file itself says that the column means

    @property
    def present(self) -> int:
        """Records that have a value."""
        return self.records - self.counts.missing - self.counts.empty

    @property
    def share_distinct(self) -> float:
        """Distinct values per record that has one."""
        return self.counts.distinct / self.present if self.present else 0.0

    @property
    def share_unique(self) -> float:
        """The share of the records with a value whose value nobody else has."""
        return self.counts.once / self.present if self.present else 0.0

    @property
    def has_few_values(self) -> bool:
        """So many records share so few values that the column cannot name people."""
        return self.present >= 100 and self.counts.distinct <= max(10, self.present // 200)


@dataclass(frozen=True)
class Form:
    """How the values are written: the type, how many distinct values do not fit it, and the format of dates."""

    type: Type
    misfits: int = 0
    date_format: str | None = None


@dataclass(frozen=True)
class Suggestion:
    """What the column seems to be, the role that follows, and why. Not certain: nothing told, somebody must decide."""

    kind: str | None
    role: Role
    reason: str
    certain: bool = True


def form_of(facts: Facts) -> Form:
    """How are the values written? One value in twenty (or a single one, such as NA) may not fit."""
    counts, distinct = facts.counts, facts.counts.distinct
    if not distinct:
        return Form("empty")
    if counts.yes_no == distinct and (distinct == 2 or (distinct == 1 and not counts.whole)):
        return Form("yes/no")
    at_least = distinct - (max(1, distinct // 20) if distinct > 2 else 0)
    dates = counts.dates or {}
    best = max(dates, key=lambda form: dates[form], default=None)
    if best is not None and dates[best] >= at_least:
        if best != "%Y%m%d":
            return Form("date", distinct - dates[best], best)
        if dates[best] == distinct and distinct >= _FEW:  # fewer could be any numbers
            return Form("date", 0, best)
    if counts.whole >= at_least:
        return Form("code") if counts.leading_zero else Form("whole number", distinct - counts.whole)
    if counts.number >= at_least:
        return Form("number", distinct - counts.number)
    codes = sum(_CODE.fullmatch(value.strip()) is not None for value in facts.values)
    if codes >= 0.8 * len(facts.values):
        return Form("code")
    repeats = distinct <= _CATEGORIES and facts.share_unique < 0.5
    return Form("category" if repeats or facts.share_distinct <= 0.3 else "text")


def suggest(facts: Facts, form: Form) -> Suggestion:
    """Which kind and role does a column suggest?"""
    hint = hint_of(facts.name)
    if hint is None and len(facts.title.split()) <= _TITLE:
        hint = hint_of(facts.title)
    # Decimal numbers, dates and short whole numbers look like nothing else: no need to try.
    short = form.type == "whole number" and (facts.counts.longest or 0) < 10
    values = () if short or form.type in ("number", "date", "yes/no") else facts.values
    shares = {kind.name: _share(kind, values) for kind in KINDS if kind.looks is not None}
    return (
        _by_values(facts, hint, shares)
        or _by_sequence(facts, hint)
        or _by_look_of_names(facts, form, hint, shares[NAME.name])
        or _by_name(facts, form, hint, shares)
        or _by_counts(facts, form)
    )


def _share(kind: Kind, values: Sequence[str]) -> float:
    assert kind.looks is not None
    return sum(kind.looks(value.strip()) for value in values) / len(values) if values else 0.0


def _by_values(facts: Facts, hint: Hint | None, shares: dict[str, float]) -> Suggestion | None:
    spoken_for = hint is not None and hint.kind.role != "identifier"
    for name, share in shares.items():
        kind = BY_NAME[name]
        if share < kind.enough:
            continue
        if kind.soft and (spoken_for or facts.has_few_values or len(facts.values) < _FEW):
            continue
        named = hint is not None and hint.kind is kind
        start = f"{_source(facts)} says {name}, and" if named else _different(facts)
        end = "look like one" if named else f"look like {kind.plural}"
        reason = f"{start} {_percent(share)} of its values {end}: {kind.why}."
        # Names that several people share tell less of what a column is: a brand or a place is often called after one.
        return Suggestion(name, kind.role, reason, named or kind is not NAME or facts.share_distinct >= 0.3)
    strict = ((EMAIL, patterns.is_email), (NATIONAL_INSURANCE, patterns.is_national_insurance_number))
    for kind, looks in strict:
        found = sum(looks(value.strip()) for value in facts.values)
        if found >= 3 and found >= 0.05 * len(facts.values):
            reason = f"Some of its values look like {kind.plural}, and one is enough to name a person."
            return Suggestion(kind.name, "identifier", reason)
    return None


def _by_sequence(facts: Facts, hint: Hint | None) -> Suggestion | None:
    """Whole numbers, all different, without gaps (or nearly, in a larger file) number the records."""
    counts = facts.counts
    if hint is not None and hint.kind.role != "identifier":
        return None
    if facts.present != facts.records or not counts.distinct == counts.whole == facts.records >= 2 * _FEW:
        return None
    gaps = (counts.span or 0) + 1 - counts.distinct
    if gaps > (0.5 * counts.distinct if counts.distinct >= 100 else 0):
        return None
    reason = "Whole numbers in sequence, each once: they number the records, and so the people."
    return Suggestion(RECORD_NUMBER.name, "identifier", reason)


def _by_look_of_names(facts: Facts, form: Form, hint: Hint | None, share: float) -> Suggestion | None:
    """Names that many people share, such as surnames, do not stand out by their counts: the careful role, as a guess,
    also where the column's name speaks of something else, or where so few values could be the names of things.
    """
    says = hint is not None and hint.kind is NAME
    known = hint is not None and hint.kind.role == "identifier" and not _few(facts, hint)
    if known or form.type not in ("text", "category"):
        return None
    if share >= _MOSTLY and len(facts.values) >= _FEW and not (says and hint and not hint.weak):
        reason = f"{_percent(share)} of its values look like names of people"
    elif says and hint and share < _MOSTLY and (not hint.weak or _written_as_names(facts) >= _WRITTEN):
        reason = f"{_source(facts)} says name, though so many records share so few values"
    else:
        return None
    return Suggestion(NAME.name, "identifier", f"{reason}: an identifier until you decide.", certain=False)


def _written_as_names(facts: Facts) -> float:
    values = facts.values
    return sum(patterns.is_written_as_a_name(value.strip()) for value in values) / len(values) if values else 0.0


def _few(facts: Facts, hint: Hint) -> bool:
    """Whether the values are too few for what the name says: an identifier of many people."""
    weakly = hint.weak and facts.present > 0 and facts.counts.distinct <= min(20, facts.present / 2)
    return facts.has_few_values or weakly


def _by_name(facts: Facts, form: Form, hint: Hint | None, shares: dict[str, float]) -> Suggestion | None:
    if hint is None:
        return None
    kind, share = hint.kind, shares.get(hint.kind.name)
    if kind.role == "identifier":
        if form.type == "yes/no" or (facts.has_few_values and (share or 0) < 0.5):
            return None
        if hint.weak and _few(facts, hint):
            return None
    reason = f"{_source(facts)} says {kind.name}"
    if share is not None and facts.values and kind.uniform:
        reason += f", though only {_percent(share)} of its values look like one"
    if kind.role == "key" and facts.share_unique >= 0.5 and facts.present >= 20:
        reason += f", and {_percent(facts.share_unique)} of the records have a value of their own"
    return Suggestion(kind.name, kind.role, f"{reason}: {kind.why}.")


def _by_counts(facts: Facts, form: Form) -> Suggestion:
    """What to suggest where neither name nor values tell: rather a key too many than one too few."""
    distinct = facts.counts.distinct
    if not facts.records:
        return _guess("key", "There are no records, and its name says nothing: treated as a key until you decide.")
    if not distinct:
        return _guess("other", "No record has a value.")
    if distinct == 1 and facts.records > 1 and facts.present == facts.records:
        return _guess("other", "Every record has the same value, so it tells nobody from another.")
    if form.type in ("text", "code") and facts.share_distinct >= 0.9 and facts.present >= 10:
        return _guess("identifier", "Almost every value is different, so it may name people, whatever it is.")
    if form.type in ("text", "code") and facts.share_distinct >= 0.3 and distinct > _CATEGORIES:
        return _guess("identifier", "So many different texts may name people: an identifier until you decide.")
    if form.type in ("text", "category") and distinct > _WORDS and _written_as_names(facts) >= _WRITTEN:
        reason = "So many different words with a capital may be names: an identifier until you decide."
        return _guess("identifier", reason)
    if form.type == "text" and (facts.counts.longest or 0) > 60:
        reason = "Long texts, mostly different: free text can name anybody."
        return Suggestion(FREE_TEXT.name, "identifier", reason, certain=False)
    if form.type in ("whole number", "number") and distinct > 20:
        reason = "Its name is unknown and its numbers are fine: sensitive until you decide (a key if others know it)."
        return _guess("sensitive", reason)
    if form.type == "date":
        return _guess("key", "A date, and whoever was there knows the day: a key until you decide.")
    return _guess("key", "Nothing says that others cannot know it: a key until you decide.")


def _guess(role: Role, reason: str) -> Suggestion:
    return Suggestion(None, role, reason, certain=False)


def _source(facts: Facts) -> str:
    return "Its name" if hint_of(facts.name) is not None else "Its title"


def _different(facts: Facts) -> str:
    if facts.share_distinct >= 0.9 and facts.present >= 10:
        return "Almost every value is different, and"
    return "Whatever its name says,"


def _percent(share: float) -> str:
    """A share in words; never '100%' of what is not all."""
    if share in (0, 1):
        return f"{share:.0%}"
    return f"{min(max(share, 0.01), 0.99):.0%}"
