"""A released file counted again as it lies there, by the code of `verify`: neither what protected it nor the gate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.checked import Trust
from incrowd.audit.runs import glance, open_sealed
from incrowd.keys.requirements import Requirement
from incrowd.plan import Plan, inspect_plan


@dataclass(frozen=True)
class ToRecount:
    """What `verify` is asked of a release; and what the file alone cannot tell, with the reason."""

    file: Path
    keys: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    why: str = ""  # why nothing can be counted at all

    @property
    def arguments(self) -> tuple[str, Sequence[str], Sequence[Requirement]]:
        """For `verify`."""
        return str(self.file), self.keys, self.requirements


def to_recount(run: Path, trust: Trust | None = None) -> ToRecount:
    """What can be counted again in the release of a run, by the plan that its audit has.

    What compares with the file as it came, or with a population, cannot be told by the release alone.
    """
    plan, keys = plan_of(run, trust), glance(run, trust).keys
    file = run / "release" / plan.release.file
    if plan.data.unit is not None:
        return ToRecount(file, keys, (), why="people have several records here, and the release does not tell whose")
    asked, left = [], []
    for one in plan.requirements:
        meant = one.requirement()
        if meant.needs_population or meant.compares_with_file:
            left.append((meant.describe(), "it compares with the file as it came, or with a population"))
        elif meant.where is not None:
            left.append((meant.describe(), "it speaks of some of the records only"))
        else:
            asked.append(meant)
    return ToRecount(file, keys, tuple(asked), tuple(left))


def plan_of(run: Path, trust: Trust | None = None) -> Plan:
    """The plan that a run has carried out, as it was sealed. Files that it names may be elsewhere by now."""
    with open_sealed(run, "audit/plan.yaml", trust) as file:
        text = file.read().decode()
    plan = inspect_plan(text, run).plan
    assert plan is not None  # it was run
    return plan
