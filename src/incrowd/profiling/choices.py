"""What a starter plan does with each column before its last step: drop it, recode it, or let the search coarsen it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from incrowd.profiling.kinds import AGE, DATE_OF_BIRTH, POSTCODE, RECORD_NUMBER, WEIGHT, YEAR_OF_BIRTH
from incrowd.profiling.measure import FINE, Column, Profile
from incrowd.profiling.phrases import split
from incrowd.profiling.words import words_of
from incrowd.profiling.yamltext import quoted

_HOUSEHOLD = frozenset(split("household, hh, hhid, hid, family, dwelling, address"))


@dataclass(frozen=True)
class Choice:
    """One column in the plan: dropped (why), recoded by these lines, or left; how a search may coarsen it, and what is
    said beside it.
    """

    column: Column
    drop: str | None = None
    recode: tuple[str, ...] = ()
    hierarchy: str = "auto"
    advice: str | None = None

    @property
    def is_key(self) -> bool:
        """Whether it is a key of the release."""
        return self.column.role == "key" and self.drop is None


@dataclass(frozen=True)
class Choices:
    """All columns of a file, and those that say whose records they are."""

    each: tuple[Choice, ...]
    unit: Column | None = None
    household: Column | None = None
    weights: Column | None = None

    @property
    def keys(self) -> tuple[Column, ...]:
        """The keys of the release."""
        return tuple(choice.column for choice in self.each if choice.is_key)

    @property
    def released(self) -> tuple[Column, ...]:
        """The columns that are released."""
        return tuple(choice.column for choice in self.each if choice.drop is None)


def choose(profile: Profile, unit: str | None = None) -> Choices:
    """What a plan could do with each column of a file, so that a key is left where any can be.

    `unit` is the column that tells whose record it is, where somebody has said so.
    """
    each = _with_a_key([_choose(column, profile) for column in profile.columns])
    numbers = [
        column for column in profile.columns if column.kind == RECORD_NUMBER.name and column.role == "identifier"
    ]
    repeated = [column for column in numbers if _repeats(column, profile)]
    homes = [column for column in repeated if not _HOUSEHOLD.isdisjoint(words_of(column.name))]
    # Where homes have numbers, a number that repeats tells the people of a home apart.
    people = [column for column in repeated if not homes and not column.missing and not column.empty]
    if unit is not None:
        people = [column for column in profile.columns if column.name == unit]
    weights = [column for column in profile.columns if column.kind == WEIGHT.name and _is_amount(column)]
    return Choices(
        tuple(each),
        max(people, key=lambda column: column.distinct, default=None),
        max(homes, key=lambda column: column.distinct, default=None),
        weights[0] if weights else None,
    )


def _choose(column: Column, profile: Profile) -> Choice:
    if column.role == "identifier":
        return Choice(column, drop="identifiers are never released as they are")
    if not column.distinct and column.missing == profile.records > 0:
        return Choice(column, drop="no record has a value")
    if column.role != "key":
        advice = "Numbers this fine can be matched: think of bands (recode), or rounding." if _is_fine(column) else None
        return Choice(column, advice=advice)
    if column.kind == POSTCODE.name:
        advice = "A lookup from postcodes to areas keeps more than dropping (recode, lookup: areas.csv)."
        return Choice(column, drop="a whole postcode is a handful of homes", advice=advice)
    if column.kind == DATE_OF_BIRTH.name and any(_tells_age(other) for other in profile.columns):
        return Choice(column, drop="the age says it already, and both together say more than either")
    if column.type == "date" and _is_readable(column):
        lines = ["date_part: year # or decade, quarter, month"]
        if column.date_format != "%Y-%m-%d":
            lines.append(f"date_format: {quoted(column.date_format or '')}")
        return Choice(column, recode=tuple(lines))
    if column.kind == DATE_OF_BIRTH.name:
        return Choice(column, drop="a date of birth is too fine, and not all of these can be read as dates")
    if column.kind == AGE.name and _is_fine(column) and _is_amount(column) and not column.missing_codes:
        return Choice(column, hierarchy="{widths: [5, 10, 20, 40]}")
    return Choice(column)


def _with_a_key(choices: list[Choice]) -> Sequence[Choice]:
    """A release needs a key: where none would be left, coarsen a postcode instead of dropping it, or promote."""
    if any(choice.is_key for choice in choices):
        return choices
    full = [(i, choice.column) for i, choice in enumerate(choices) if choice.column.distinct or not choice.drop]
    order = [
        *(i for i, column in full if column.kind == POSTCODE.name and column.role == "key"),
        *(i for i, column in full if column.role == "other"),
        *(i for i, column in full if column.role == "sensitive"),
    ]
    for i in order[:1]:
        column = choices[i].column
        if column.role == "key":
            choices[i] = Choice(column, recode=("prefix: 2",), advice=choices[i].advice)
        else:
            reason = f"{column.reason} A plan needs a key, and no other column offers itself."
            choices[i] = replace(choices[i], column=replace(column, role="key", reason=reason, certain=False))
    return choices


def _repeats(column: Column, profile: Profile) -> bool:
    """Whether several records share a number, as those of one person do."""
    return column.distinct < 0.98 * (profile.records - column.missing - column.empty)


def _is_fine(column: Column) -> bool:
    return column.type in ("whole number", "number") and column.distinct > FINE


def _is_readable(column: Column) -> bool:
    """Can every value be read as what its type says? Blank texts cannot."""
    return column.misfits == 0 and column.empty == 0 and column.distinct > 0


def _is_amount(column: Column) -> bool:
    return column.type in ("whole number", "number") and _is_readable(column)


def _tells_age(column: Column) -> bool:
    return column.role == "key" and column.kind in (AGE.name, YEAR_OF_BIRTH.name) and column.distinct > 0
