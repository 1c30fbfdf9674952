"""What only people can fill in, as commented examples that fit the columns: scenarios, use cases, attestations."""

from __future__ import annotations

from collections.abc import Iterator

from incrowd.plan.attest import ASKED, Attest
from incrowd.profiling.choices import Choices
from incrowd.profiling.measure import Column
from incrowd.profiling.yamltext import quoted, scalar

_BODY = "age, year of birth, date of birth, sex, ethnicity, height or weight"
_HOME = "area, postcode, marital status, family, housing, country, religion"
_WORK = "occupation, industry, education"

#: Who could know what: the name of the scenario, whether they know who is in the file, and the kinds they know.
_WHO = (
    ("neighbour", True, f"{_BODY}, {_HOME}"),
    ("colleague", True, f"age, year of birth, sex, ethnicity, marital status, country, {_WORK}"),
    ("journalist with a register", False, "age, year of birth, date of birth, sex, area, occupation, date of an event"),
)
#: With more keys than this a scenario takes long, and nobody knows so much.
_KNOWN = 6


def scenarios(choices: Choices) -> Iterator[str]:
    """Who could know which of the keys. Where no key is of a kind that is known, the first ones stand in."""
    yield "scenarios:"
    told: list[list[Column]] = []
    for name, knows, kinds in _WHO:
        known = kinds.split(", ")
        keys = sorted((key for key in choices.keys if key.kind in known), key=lambda key: known.index(key.kind or ""))
        keys = keys[:_KNOWN] or list(choices.keys[:4])
        if keys in told:
            continue
        told.append(keys)
        yield f"  - name: {name}"
        yield f"    keys: [{', '.join(scalar(key.name) for key in keys)}]"
        if not knows:
            yield "    knows_who_is_in: false # a register lists people, not who answered"


def use_cases(choices: Choices) -> Iterator[str]:
    """A share, a mean by group and a regression, of columns that are there."""
    recoded = {choice.column.name for choice in choices.each if choice.recode}
    names = [column for column in choices.released if column.scale == "nominal" and 1 < column.distinct <= 20]
    groups = [key for key in choices.keys if key.name not in recoded and 1 < key.distinct <= 20]
    numbers = [column for column in choices.released if column.scale == "numeric" and column.role != "key"]
    counted = next((column for column in names if column.role == "sensitive"), names[0] if names else None)
    by = next((group for group in groups if group is not counted), None)
    if counted is None and not numbers:
        yield "use_cases:"
        yield "  - name: Is enough of the detail still there?"
        yield "    test: entropy_ratio"
        yield "    at_least: 0.5"
        return
    yield "use_cases:"
    if counted is not None:
        yield f"  - name: {quoted(f'How many have which {counted.name}?')}"
        yield "    test: proportion"
        yield f'    share: {{{scalar(counted.name)}: ["the value"]}} # a value as it stands in the release'
        yield "    within: 0.02"
    if numbers:
        yield f"  - name: {quoted(f'What is the mean of {numbers[0].name}?')}"
        yield "    test: mean"
        yield f"    of: {scalar(numbers[0].name)}"
        if by is not None:
            yield f"    by: {scalar(by.name)}"
        yield "    within: 0.05"
    if numbers and groups:
        yield f"  - name: {quoted(f'What goes with {numbers[0].name}?')}"
        yield "    test: regression"
        yield f"    outcome: {scalar(numbers[0].name)}"
        yield f"    features: [{', '.join(scalar(group.name) for group in groups[:3])}]"


def attestations() -> Iterator[str]:
    """Every point that a board asks for, with what it asks."""
    yield "attest:"
    for name in ASKED:
        yield f"  {name}: {{role: ..., date: ..., text: ...}} # {Attest.model_fields[name].description}"
    yield "  review: {role: ..., next: ..., triggers: [...]}"
    yield "  sign_off: [{role: ..., date: ..., decision: ...}]"
