"""A commented starter plan from a profile: it can be read, and its steps run on the profiled data.

Where the profile could not tell a column's role, the plan says `decide`, a fault until somebody has. Other roles are
`suggested`: the report shows that nobody has confirmed them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from incrowd.keys.codebook import Codebook
from incrowd.profiling.choices import Choice, Choices, choose
from incrowd.profiling.ending import Ending, usual_k
from incrowd.profiling.measure import Profile
from incrowd.profiling.teaching import attestations, scenarios, use_cases
from incrowd.profiling.yamltext import comment, key, quoted, scalar

#: More codes than this stand better in a file of their own.
_CODES = 40

_HEAD = """\
A starter plan, made by incrowd from a profile of the data. Every role below is a suggestion: the decision, and
the reason that stands in the audit, are yours. Write 'reason: ...' in place of each 'suggested' and 'decide';
'decide' is a fault until you do. Then: incrowd check, incrowd run."""
_TITLE = """\
The title stands in public. A file's name can be a person's, or a case's, so it is not taken from there."""
_TIER = """\
Who will get the file: open, safeguarded or controlled. A starter plan never says open: that is a decision for
people, after they have seen the report."""
_VARIABLES = """\
identifier: names a person; key: an intruder may know it; sensitive: what an intruder wants to learn;
other: neither. Where it says 'decide', neither the name nor the values told what the column is."""
_REQUIREMENTS = "What must hold in the written file. All of it is counted again before anything is released."
_SCENARIOS = """\
What intruders know, as examples: take away the '#', and the risk of each is measured before and after. Who could
really know what is for you to say. See docs/methods/risk.md."""
_USE_CASES = """\
What the data is for, as examples: ask those who will use it. Each gets a verdict. See docs/methods/utility.md."""
_ATTEST = """\
What only people can say. The internal report shows what is missing. See docs/review-board.md."""


def starter_plan(
    profile: Profile,
    source_name: str,
    kind: Literal["survey", "administrative", "census"] | None = "survey",
    *,
    unit: str | None = None,
    book: Codebook | None = None,
    reading: Mapping[str, object] | None = None,
    ending: Ending | None = None,
) -> str:
    """Which plan could one start from? YAML text with comments, tier safeguarded.

    Identifiers and whole postcodes are dropped, dates become years, and at the end (`ending`) the keys are coarsened
    until k people share each combination. `unit` is the column that tells whose record it is, where somebody said so;
    `book` is what the data's own file says of its values, `reading` what else the plan must know to read it. Without a
    `kind` the plan does not say how the records were collected, a fault until somebody has said it. A file of
    identifiers alone has nothing to release: its plan says so, and `check` finds that no key is left.
    """
    choices, ending = choose(profile, unit), ending or Ending(usual_k(profile.records))
    blocks = [
        comment(_HEAD),
        f"{comment(_TITLE)}\ntitle: {quoted(f'A release of {kind} data' if kind else 'A release of data')}",
        "\n".join(_data(choices, source_name, kind, reading or {})),
        f"{comment(_TIER)}\ntier: safeguarded",
        "\n".join([comment(_VARIABLES), "variables:", *_variables(choices, book or Codebook())]),
        "\n".join(["steps:", *_steps(choices, ending)]),
        "\n".join([comment(_REQUIREMENTS), "requirements:", *_requirements(choices, ending.k)]),
        *([_example(_SCENARIOS, scenarios(choices)), _example(_USE_CASES, use_cases(choices))] if choices.keys else []),
        "release:\n  format: csv # or parquet\n  name: data",
        _example(_ATTEST, attestations()),
    ]
    return "\n\n".join(blocks) + "\n"


def _example(words: str, lines: Iterator[str]) -> str:
    """Lines that hold once the sign before them is taken away."""
    return "\n".join([comment(words), *(f"#{line}" for line in lines)])


def _data(choices: Choices, source_name: str, kind: str | None, reading: Mapping[str, object]) -> Iterator[str]:
    yield "data:"
    yield f"  source: {quoted(source_name)}"
    for name, value in reading.items():
        if value not in (None, False):
            yield f"  {name}: {quoted(value) if isinstance(value, str) else str(value).lower()}"
    words = "survey, administrative or census: what an intruder can know about who is in it"
    yield comment(f"kind: ... # {words}", 2) if kind is None else f"  kind: {kind} # {words}"
    if choices.unit is not None:
        yield f"  unit: {scalar(choices.unit.name)} # it repeats: a person's records are counted as one person"
    if choices.household is not None:
        yield f"  household: {scalar(choices.household.name)}"
    if choices.weights is not None:
        yield f"  weights: {scalar(choices.weights.name)}"
    yield comment("unit_name: dwelling # what the records are about, where they are not about people", 2)
    yield comment("protection: {sampling_fraction: 0.05, reason: ...} # the share of the population in the file", 2)


def _variables(choices: Choices, book: Codebook) -> Iterator[str]:
    for choice in choices.each:
        column = choice.column
        yield f"  {key(column.name)}"
        yield f"    role: {column.role}"
        yield f"    {'suggested' if column.certain else 'decide'}: {quoted(column.reason)}"
        if column.title is not None:
            yield f"    label: {quoted(column.title)}"
        if column.role == "identifier":
            continue
        if column.scale is not None:
            yield f"    scale: {column.scale}"
        if column.missing_codes:
            yield f"    missing_codes: [{', '.join(quoted(code) for code in column.missing_codes)}]"
        codes = book.codes.get(column.name, {})
        if 0 < len(codes) <= _CODES:
            yield "    codes:"
            yield from (f"      {quoted(code)}: {quoted(label)}" for code, label in codes.items() if label)


def _steps(choices: Choices, ending: Ending) -> Iterator[str]:
    identifiers = [choice for choice in choices.each if choice.column.role == "identifier"]
    if identifiers:
        yield comment(
            "Identifiers go. Where users must see which records belong together, pseudonymise one instead:", 2
        )
        example = scalar((choices.unit or identifiers[0].column).name)
        yield comment(f"- step: pseudonymise\n  variables: [{example}]\n  into: pseudonym", 2)
        yield from _drop(identifiers)
    else:
        yield comment("No column was taken for an identifier. Look again: is there really none?", 2)
    for choice in choices.each:
        column = choice.column
        if column.role == "identifier":
            continue
        if choice.advice:
            yield comment(f"{scalar(column.name)}: {choice.advice}", 2)
        if choice.drop:
            yield comment(f"{choice.drop[:1].upper()}{choice.drop[1:]}.", 2)
            yield from _drop([choice])
        if choice.recode:
            yield "  - step: recode"
            yield f"    variable: {scalar(column.name)}"
            for line in choice.recode:
                yield f"    {line}"
    if choices.keys:
        yield from ending.lines(choices)
    else:
        yield comment("No key is left, so there is nothing to release. `incrowd check` says so too (P016).", 2)
        yield "  - step: suppress_records"


def _drop(choices: list[Choice]) -> Iterator[str]:
    yield "  - step: drop"
    yield "    variables:"
    for choice in choices:
        yield f"      - {scalar(choice.column.name)}"


def _requirements(choices: Choices, k: int) -> Iterator[str]:
    yield "  - model: k"
    yield f"    k: {k} # every combination of the keys is shared by at least {k} people"
    sensitive = [choice.column for choice in choices.each if choice.column.role == "sensitive"]
    if not sensitive:
        yield comment("No sensitive variable was found. With one, classes must not give its value away either.", 2)
        return
    two_sided = next((column for column in sensitive if column.type == "yes/no"), sensitive[0])
    yield comment("So that a class does not give away what all its people share (l different values in each):", 2)
    yield comment(f"- model: distinct_l\n  sensitive: {scalar(sensitive[0].name)}\n  l: 2", 2)
    yield comment("Or, where only one value does harm (nobody may learn that somebody has it):", 2)
    yield comment(f'- model: one_sided\n  sensitive: {scalar(two_sided.name)}\n  value: "the value"', 2)
