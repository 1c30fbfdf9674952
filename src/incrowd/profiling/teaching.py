"""What only people can fill in, as commented examples that fit the columns: scenarios, use cases, attestations."""

from __future__ import annotations

from collections.abc import Iterator

from incrowd.plan.attest import ASKED, Attest
from incrowd.profiling.choices import Choices
from incrowd.profiling.intruders import INTRUDERS, known_keys
from incrowd.profiling.yamltext import quoted, scalar


def scenarios(choices: Choices) -> Iterator[str]:
    """Who could know which of the keys."""
    yield "scenarios:"
    told: list[list[str]] = []
    names, kinds = [key.name for key in choices.keys], {key.name: key.kind for key in choices.keys}
    for intruder in INTRUDERS:
        keys = known_keys(intruder, names, kinds, {})
        if keys in told:
            continue
        told.append(keys)
        yield f"  - name: {intruder.name}"
        yield f"    keys: [{', '.join(scalar(key) for key in keys)}]"
        if not intruder.knows_who_is_in:
            yield "    knows_who_is_in: false # who is in the file is not public"


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
