"""A commented starter plan from a profile: it loads without faults, and its steps run on the profiled data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from incrowd.profiling.cuts import cuts_for
from incrowd.profiling.kinds import AGE, DATE_OF_BIRTH, POSTCODE, RECORD_NUMBER
from incrowd.profiling.measure import FINE, Column, Profile
from incrowd.profiling.yamltext import comment, key, quoted, scalar

#: More categories than this in a key make small classes.
_MANY = 20

#: With more keys than this a search takes too long for a first look.
_SEARCHED = 9

_HEAD = """\
A starter plan, made by incrowd from a profile of the data. Every role below is a suggestion with its
reason: the decision, and the reason that stands in the audit, are yours. Then: incrowd check, incrowd run."""
_TITLE = """\
The title stands in public. A file's name can be a person's, or a case's, so it is not taken from there."""
_TIER = """\
Who will get the file: open, safeguarded or controlled. A starter plan never says open: that is a decision for
people, after they have seen the report."""
_VARIABLES = """\
identifier: names a person; key: an intruder may know it; sensitive: what an intruder wants to learn;
other: neither. Where a line says 'decide', neither the name nor the values told what the column is."""
_ATTEST = """\
What only people can say: who was consulted, the lawful basis, external data, the plan for incidents, sign-offs, the
next review. The internal report shows what is missing. See docs/review-board.md."""
_REQUIREMENTS = "What must hold in the written file. All of it is counted again before anything is released."


@dataclass(frozen=True)
class _Choice:
    """One column in the plan: dropped, recoded by these lines, or left; and what is said beside it."""

    column: Column
    drop: str | None = None
    recode: tuple[str, ...] = ()
    advice: str | None = None


def starter_plan(
    profile: Profile,
    source_name: str,
    kind: Literal["survey", "administrative", "census"] = "survey",
    k: int = 5,
) -> str:
    """Which plan could one start from? YAML text with comments, tier safeguarded.

    Identifiers and whole postcodes are dropped; birth dates, fine numbers and dates among the keys are recoded where
    every value of the profiled file can be read, and only advised where not; at the end a search coarsens the keys
    (or, where they are many, records in classes below k are suppressed). A file of identifiers alone has nothing to
    release: its plan says so, and `check` finds that no key is left.
    """
    choices = _with_a_key([_choose(column, profile) for column in profile.columns])
    blocks = [
        comment(_HEAD),
        f"{comment(_TITLE)}\ntitle: {quoted(f'A release of {kind} data')}",
        "\n".join(_data(profile, source_name, kind)),
        f"{comment(_TIER)}\ntier: safeguarded",
        "\n".join([comment(_VARIABLES), "variables:", *_variables(choices)]),
        "\n".join(["steps:", *_steps(choices)]),
        "\n".join([comment(_REQUIREMENTS), "requirements:", *_requirements(choices, k)]),
        "release:\n  format: csv # or parquet\n  name: data",
        f"{comment(_ATTEST)}\n#attest:\n#  consultation: {{role: ..., date: ..., text: ...}}",
    ]
    return "\n\n".join(blocks) + "\n"


def _choose(column: Column, profile: Profile) -> _Choice:
    """What to do with one column."""
    if column.role == "identifier":
        return _Choice(column, drop="identifiers are never released as they are")
    if not column.distinct and column.missing == profile.records > 0:
        return _Choice(column, drop="no record has a value")
    if column.role != "key":
        advice = "Numbers this fine can be matched: think of bands." if _is_fine(column) else None
        return _Choice(column, advice=advice)
    if column.kind == POSTCODE.name:
        advice = "A lookup from postcodes to areas keeps more than dropping (recode, lookup: areas.csv)."
        return _Choice(column, drop="a whole postcode is a handful of homes", advice=advice)
    if column.kind == DATE_OF_BIRTH.name and any(_tells_age(other) for other in profile.columns):
        return _Choice(column, drop="the age says it already, and both together say more than either")
    if column.type == "date" and _is_readable(column):
        part = "decade" if column.kind == DATE_OF_BIRTH.name else "year"
        lines = [f"date_part: {part} # or year, quarter, month" if part == "decade" else f"date_part: {part}"]
        if column.date_format != "%Y-%m-%d":
            lines.append(f"date_format: {quoted(column.date_format or '')}")
        return _Choice(column, recode=tuple(lines))
    if column.kind == DATE_OF_BIRTH.name:
        return _Choice(column, drop="a date of birth is too fine, and not all of these can be read as dates")
    if _is_fine(column):
        cuts = cuts_for(column.low, column.high, is_age=column.kind == AGE.name)
        if cuts and _is_readable(column):
            return _Choice(column, recode=(f"bands: [{', '.join(cuts)}]",))
        return _Choice(column, advice="So many different numbers make small classes: recode them to bands.")
    if column.distinct > _MANY:
        ways = "a prefix (codes), a mapping, a lookup file or a hierarchy"
        advice = f"{column.distinct:,} values make small classes, which the last step drops: recode by {ways}."
        return _Choice(column, advice=advice)
    return _Choice(column)


def _with_a_key(choices: list[_Choice]) -> list[_Choice]:
    """A release needs a key: where none would be left, coarsen a postcode instead of dropping it, or promote."""
    if any(choice.column.role == "key" and not choice.drop for choice in choices):
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
            choices[i] = _Choice(column, recode=("prefix: 2",), advice=choices[i].advice)
        else:
            reason = f"{column.reason} A plan needs a key, and no other column offers itself."
            choices[i] = replace(choices[i], column=replace(column, role="key", reason=reason, certain=False))
    return choices


def _data(profile: Profile, source_name: str, kind: str) -> Iterator[str]:
    yield "data:"
    yield f"  source: {quoted(source_name)}"
    yield f"  kind: {kind} # survey, administrative or census: what an intruder can know about who is in it"
    for column in profile.columns:
        present = profile.records - column.missing - column.empty
        if column.kind == RECORD_NUMBER.name and column.role == "identifier" and column.distinct < 0.98 * present:
            yield "  # If this stands for a person with several records (k then counts people; do not drop it below):"
            yield f"  # unit: {scalar(column.name)}"
            return


def _variables(choices: list[_Choice]) -> Iterator[str]:
    for choice in choices:
        column = choice.column
        yield f"  {key(column.name)}"
        yield f"    role: {column.role}{'' if column.certain else ' # decide'}"
        yield f"    reason: {quoted(column.reason)}"


def _steps(choices: list[_Choice]) -> Iterator[str]:
    identifiers = [choice for choice in choices if choice.column.role == "identifier"]
    if identifiers:
        yield comment(
            "Identifiers go. Where users must see which records belong together, pseudonymise one instead:", 2
        )
        example = scalar(identifiers[0].column.name)
        yield comment(f"- step: pseudonymise\n  variables: [{example}]\n  into: pseudonym", 2)
        yield from _drop(identifiers, identifiers[0].drop or "")
    else:
        yield comment("No column was taken for an identifier. Look again: is there really none?", 2)
    for choice in choices:
        column = choice.column
        if column.role == "identifier":
            continue
        if choice.advice:
            yield comment(f"{scalar(column.name)}: {choice.advice}", 2)
        if choice.drop:
            yield from _drop([choice], choice.drop)
        if choice.recode:
            yield "  - step: recode"
            yield f"    variable: {scalar(column.name)}"
            for line in choice.recode:
                yield f"    {line}"
    if not any(choice.column.role == "key" and not choice.drop for choice in choices):
        yield comment("No key is left, so there is nothing to release. `incrowd check` says so too (P016).", 2)
    yield from _last(choices)


def _last(choices: list[_Choice]) -> Iterator[str]:
    """The step that makes the requirements hold: a search over the keys, or dropping what fails."""
    keys = [choice.column for choice in choices if choice.column.role == "key" and not choice.drop]
    if not 0 < len(keys) <= _SEARCHED:
        yield comment(
            "Last, because it looks at the classes that the steps before have made. Where it drops many records,", 2
        )
        yield comment("recode more above, give fewer columns the role key, or use a search step.", 2)
        yield "  - step: suppress_records"
        return
    yield comment(
        "Last: find the levels that cost least so that the requirements hold. 'auto' builds a hierarchy from", 2
    )
    yield comment(
        "the data; better ones come from people who know it: name a file (ARX's format) or a rule instead.", 2
    )
    yield "  - step: search"
    yield "    hierarchies:"
    for column in keys:
        yield f"      {key(column.name)} auto"
    yield "    suppression: 0.05 # at most this share of the records may be suppressed"


def _drop(choices: list[_Choice], reason: str) -> Iterator[str]:
    yield "  - step: drop"
    yield "    variables:"
    for choice in choices:
        yield f"      - {scalar(choice.column.name)}"
    yield f"    reason: {quoted(reason[:1].upper() + reason[1:] + '.')}"


def _requirements(choices: list[_Choice], k: int) -> Iterator[str]:
    yield "  - model: k"
    yield f"    k: {k} # every combination of the keys is shared by at least {k} people"
    sensitive = [choice.column for choice in choices if choice.column.role == "sensitive"]
    if not sensitive:
        yield comment("No sensitive variable was found. With one, classes must not give its value away either.", 2)
        return
    two_sided = next((column for column in sensitive if column.type == "yes/no"), sensitive[0])
    yield comment("So that a class does not give away what all its people share (l different values in each):", 2)
    yield comment(f"- model: distinct_l\n  sensitive: {scalar(sensitive[0].name)}\n  l: 2", 2)
    yield comment("Or, where only one value does harm (nobody may learn that somebody has it):", 2)
    yield comment(f'- model: one_sided\n  sensitive: {scalar(two_sided.name)}\n  value: "the value"', 2)


def _is_fine(column: Column) -> bool:
    return column.type in ("whole number", "number") and column.distinct > FINE


def _is_readable(column: Column) -> bool:
    """Can every value be read as what its type says? Blank texts cannot."""
    return column.misfits == 0 and column.empty == 0 and column.distinct > 0


def _tells_age(column: Column) -> bool:
    return column.role == "key" and column.kind in (AGE.name, "year of birth") and column.distinct > 0
