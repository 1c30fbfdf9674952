"""The sweep over k from one count: what every k drops, and what that does to the use cases, without the rows.

Where all that takes records away is suppress_records, k decides about whole classes. So the records are counted by
class once, with the sums that use cases need, and every k is a choice among classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.drop_failing import drop_failing_classes
from incrowd.keys.requirements import K, Requirement
from incrowd.keys.table import KeyTable, Mask
from incrowd.plan.steps import Step
from incrowd.utility.evaluate import Question
from incrowd.utility.loss import Leaves, measure_loss
from incrowd.utility.needs import Fetched
from incrowd.utility.points import SweepPoint, exposure, why_not

#: Called with how many values are done and how many there are.
Progress = Callable[[int, int], None]
#: Values of a parameter that are tried in one go; more would never end.
MOST_VALUES = 1_000


def sweep_classes(
    question: Question,
    table: KeyTable,
    bound: Sequence[Requirement],
    ks: Sequence[int],
    original: Fetched,
    at_start: tuple[KeyTable, Fetched],
    leaves: Leaves,
    progress: Progress | None = None,
) -> tuple[SweepPoint, ...]:
    """A point for every k. `table` and `original` are of the records before anything is suppressed, `original` counted
    by the classes of the table.
    """
    steps = [step for _, step in question.plan.active if step.drops_classes]
    points = []
    for number, k in enumerate(ks):
        wanted = [replace(requirement, k=k) if type(requirement) is K else requirement for requirement in bound]
        left, stay, dropped = suppress(table, steps, wanted)
        outcomes = question.evaluate(original, original.keep(stay), at_start[1])
        loss = measure_loss(at_start[0], table, left, leaves)
        smallest, most, mean = exposure(left)
        points.append(
            SweepPoint(str(k), {"k": str(k)}, loss.records, loss.released, dropped, loss.arithmetic, smallest, most,
                       mean, outcomes, why_not(left, wanted))
        )  # fmt: skip
        if progress is not None:
            progress(number + 1, len(ks))
    return tuple(points)


def suppress(
    table: KeyTable, steps: Sequence[Step], requirements: Sequence[Requirement]
) -> tuple[KeyTable, Mask, dict[str, int]]:
    """What the steps leave: the table, which of its classes stay, and how many records went for which model."""
    stay = np.arange(len(table.records))
    dropped = dict.fromkeys((requirement.model for requirement in requirements), 0)
    left = table
    for step in steps:
        wanted = [r for r in requirements if step.decides_by(r.model)]
        result = drop_failing_classes(left, wanted)
        left = result.table
        for _, failing in result.gone:
            stay = stay[~failing]
        for requirement in wanted:
            dropped[requirement.model] += result.removed_for.pop(requirement.describe(), 0)
    mask = np.zeros(len(table.records), dtype=bool)
    mask[stay] = True
    return left, mask, dropped


def parse_values(text: str) -> list[str]:
    """'2:11' as 2, 3, ..., 11; '0:1:0.25' in steps of 0.25; '3,5,10' as they are; and lists of both.

    >>> parse_values("2:4,9")
    ['2', '3', '4', '9']
    """
    found: list[str] = []
    for part in (part.strip() for part in text.split(",")):
        ends = part.split(":")
        if len(ends) == 1:
            found.append(part)
            continue
        low, high, *step = (float(end) for end in ends)
        width = step[0] if step else 1.0
        if not width > 0 or not low <= high or len(step) > 1 or math.isinf(high - low):
            raise ValueError(part)
        if not (high - low) / width < MOST_VALUES:
            raise _too_many(part)
        count = int((high - low) / width + 1e-9) + 1
        found += [f"{round(low + i * width, 10):g}" for i in range(count)]
    if len(found) > MOST_VALUES:
        raise _too_many(text)
    return list(dict.fromkeys(value for value in found if value))


def _too_many(text: str) -> InputError:
    told = text if len(text) < 40 else f"{text[:40]}..."
    hint = "Try fewer, in wider steps: 0:1000:50"
    return InputError("D283", f"{told} are more than the {MOST_VALUES:,} values that can be tried.", hint)
