"""A use case that speaks of nobody: a slip of the pen in a value would make it pass, whatever the release is."""

from __future__ import annotations

from collections.abc import Sequence

from incrowd.errors import InputError
from incrowd.keys.tally import Tally
from incrowd.plan.use_cases import UseCase
from incrowd.utility.needs import Fetched, Need


def refuse_absent_values(case: UseCase, original: Fetched, needs: Sequence[Need]) -> None:
    """Every value that the use case names must occur in the original, at the release's categories, and so must numbers
    where it needs them.
    """
    for name, value in case.values():
        tally = next(original.tallies[need] for need in needs if name in need.by)
        if not _occurs(tally, name, value):
            message = f"the use case {case.name!r} names a value of {name!r} that no record has."
            raise InputError("D162", message, "Write values as they stand in the release, after recoding.")
    for need in needs:
        for pair in need.pairs:
            if not original.tallies[need].moments[pair].n.any():
                message = f"the use case {case.name!r} needs numbers, and no record has any in {' and '.join(pair)!r}."
                raise InputError("D163", message, "Is the column banded? Then compare shares.")


def _occurs(tally: Tally, name: str, value: str) -> bool:
    return bool(tally.records[tally.has(name, [value])].any())
