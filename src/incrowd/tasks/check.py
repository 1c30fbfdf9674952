"""All faults of a plan at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from incrowd.errors import Fault, PlanError
from incrowd.machine.paths import as_path
from incrowd.pipeline.check import inspect
from incrowd.plan import Plan, check_columns, read_text, released_columns
from incrowd.rows import columns_of
from incrowd.rows.result import Line, Result, plain_fields


@dataclass(frozen=True, repr=False)
class PlanCheck(Result):
    """A plan, and everything that is wrong with it; `plan` is None where it cannot even be read."""

    plan: Plan | None
    faults: tuple[Fault, ...]
    notes: tuple[str, ...] = ()  # what its author should know: a form that is written otherwise now

    @property
    def ok(self) -> bool:
        """Whether the plan can be run."""
        return self.plan is not None and not self.faults

    @property
    def not_attested(self) -> list[str]:
        """What only people can say, and nobody has said yet; the internal report shows it as missing."""
        return [] if self.plan is None else self.plan.attest.missing()

    def _told(self) -> str:
        if self.plan is None or self.faults:
            return "; ".join(str(fault) for fault in self.faults)
        many = f"variables: {len(self.plan.variables)}, steps: {len(self.plan.steps)}"
        return f"no faults; {many}, requirements: {len(self.plan.requirements)}"

    def _names(self) -> Sequence[str]:
        return [one.name for one in fields(Fault)]

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(fault) for fault in self.faults]


def check(plan: str | Path) -> PlanCheck:
    """What is wrong with a plan? Every fault, with its code, line and way out. The data are asked for their columns.

    >>> ic.check("plan.yaml").ok
    True
    """
    path = as_path(plan)
    folder = path.resolve().parent
    found = inspect(read_text(path), folder)
    if found.plan is not None and found.plan.data.is_there(folder):
        found = found.adding(data_faults(found.plan, folder))
    return PlanCheck(found.plan, tuple(found.faults), tuple(found.notes))


def data_faults(plan: Plan, folder: Path) -> list[Fault]:
    """What is wrong between a plan and its data: the columns are asked for, and nothing is counted."""
    data = plan.data
    try:
        check_columns(plan, *columns_of(data.place(folder), **data.reading))
    except PlanError as error:
        return error.faults
    return [*_population_faults(plan, folder)]


def _population_faults(plan: Plan, folder: Path) -> Iterator[Fault]:
    """The keys that are released are counted in the population, by the names and as fine as the plan has them."""
    population = plan.data.population
    if population is None or not (folder / population.source).exists():
        return
    columns, place = columns_of(folder / population.source, **population.reading)
    plans = [plan.of_tier(tier.tier) for tier in plan.tiers] or [plan]
    left = {name for each in plans for name in released_columns(each)}
    wanted = {f"variables.{name}": name for name in plan.with_role("key") if name in left}
    if population.count is not None:
        wanted["data.population.count"] = population.count
    for where, name in wanted.items():
        if name not in columns:
            hint = "The population is neither renamed nor derived: give it a column of this name, with the same values."
            yield Fault("P010", where, f"{name!r} is not a column of {place}, the population.", hint)
