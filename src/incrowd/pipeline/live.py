"""A plan's data, opened and counted once, to be asked again and again while its author works on the plan.

What a changed plan would do is seen at once: nothing is read again but what a changed step needs, and the steps before
the change are not done again. Nothing is written but in a private folder, and nothing is released.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from incrowd.audit.rarest import Rarest, rarest
from incrowd.audit.workspace import open_workspace
from incrowd.errors import InputError
from incrowd.keys.population import join_population
from incrowd.keys.table import KeyTable
from incrowd.pipeline.before import MeasuredBefore
from incrowd.pipeline.count import count_data
from incrowd.pipeline.job import Job
from incrowd.pipeline.open import Opened, context_of, open_data
from incrowd.pipeline.protect import Begun, begin_steps, do_steps
from incrowd.plan import Plan
from incrowd.plan.steps.base import Step
from incrowd.protect import UNIT, Context, State, require_in_memory
from incrowd.risk.background import plan_background
from incrowd.risk.measure import MEASURES, Measured, measure_scenario
from incrowd.risk.value import Scenario
from incrowd.rows import open_source, reopen
from incrowd.rows.tabulate import tabulate, tabulate_population
from incrowd.secret import Secret, secret_to_try


@dataclass(frozen=True)
class Held:
    """Whether a requirement holds: what it reaches, and how many classes and people do not meet it."""

    words: str
    model: str
    passed: bool
    achieved: float | None
    failing_classes: int
    failing_people: int


@dataclass(eq=False)
class Live:
    """The data of a plan in memory: the classes by its keys, and those by all columns that were ever asked for."""

    plan: Plan
    folder: Path
    secret: Secret
    opened: Opened
    start: State
    wide: KeyTable
    population: KeyTable | None = None
    done: list[tuple[Step | None, Begun]] = field(default_factory=list)  # the states of the last plan that was tried

    def fits(self, plan: Plan) -> bool:
        """Whether a plan has the same data, counted by the same columns; otherwise it is opened anew."""
        mine, other = _counted_by(self.plan), _counted_by(plan)
        return mine == other

    def after(self, plan: Plan) -> Begun:
        """The classes after each step of a plan that `fits`. The steps that it has in common with the last one are not
        done again.
        """
        shared = self._shared(plan)
        begun = self.done[shared][1]
        del self.done[shared + 1 :]
        known = {**vars(self.opened), "plan": plan, "context": self._context(plan), "start": self.start}
        measured = MeasuredBefore(**known, risk_before=(), at_start=())
        self.plan = plan
        for number, step in enumerate(plan.steps[shared:], start=shared + 1):
            begun = do_steps(measured, begun, number)
            self.done.append((step, begun))
        return begun

    def verdicts(self, begun: Begun) -> tuple[Held, ...]:
        """Which requirements of the plan hold after these steps, by the classes: the gate counts the written file."""
        context = self._context(self.plan)
        state = require_in_memory(begun.state, "what is shown while you wait")
        if not state.table.classes:
            return ()
        state = context.bind(state)
        found = []
        for requirement in state.bound:
            failing = requirement.failing(state.table)
            people, classes = int(state.table.sizes[failing].sum()), int(failing.sum())
            achieved = requirement.achieved(state.table)
            found.append(Held(requirement.describe(), requirement.model, not classes, achieved, classes, people))
        return tuple(found)

    def _context(self, plan: Plan) -> Context:
        return context_of(plan, self.folder, self.secret, self.opened.book, self.opened.context.prepared)

    def _shared(self, plan: Plan) -> int:
        """How many of the steps that are done are also the first steps of this plan."""
        mine, shared = self.plan, 0
        drawn_alike = (mine.title, mine.tier, mine.release.name) == (plan.title, plan.tier, plan.release.name)
        if not drawn_alike or mine.data != plan.data:
            return 0
        for (one, _), other in zip(self.done[1:], plan.steps, strict=False):
            if one != other or (mine.requirements != plan.requirements and not other.only_coarsens):
                break
            shared += 1
        return shared

    def by(self, keys: Sequence[str]) -> KeyTable:
        """The classes of the file as it came by these columns; one that was never asked for is read once."""
        columns = self.opened.rows.columns
        if unknown := [key for key in keys if key not in columns]:
            raise InputError("D410", f"the file has no column {unknown[0]!r}.", "Choose among its columns.")
        if new := [key for key in keys if key not in self.wide.names]:
            unit = UNIT if self.plan.data.unit else None
            rows = self.opened.rows.as_text(new)
            self.wide = tabulate(rows, [*self.wide.names, *new], unit=unit)
        return self.wide.project(keys)[0]

    def measure(self, keys: Sequence[str], measures: Collection[str] = MEASURES) -> Measured:
        """How exposed people are to somebody who knows these columns, in the file as it came."""
        return self.measuring(keys, measures)()

    def measuring(self, keys: Sequence[str], measures: Collection[str] = MEASURES) -> Callable[[], Measured]:
        """The same in two parts: what is read here is read now; the rest, which may take long, needs nothing of this
        any more, so that nobody else has to wait for it.
        """
        table, known = self.by(keys), plan_background(self.plan, self.folder)
        if (people := self._people(keys)) is not None:
            table = join_population(table, people)
        scenario = Scenario("chosen", tuple(keys))

        def measure() -> Measured:
            found = measure_scenario(table, scenario, fraction=known.fraction, imputed=known.imputed, measures=measures)
            return found[0]

        return measure

    def _people(self, keys: Sequence[str]) -> KeyTable | None:
        """The population by the same columns, where the plan names one that has them all; read once."""
        population = self.plan.data.population
        if population is None:
            return None
        if self.population is None or not {*keys} <= {*self.population.names}:
            engine, reading = self.opened.rows.engine, population.reading
            rows = open_source(self.folder / population.source, engine=engine, **reading)
            names = [name for name in self.wide.names if name in rows.columns]
            self.population = tabulate_population(rows, names, population.count)
        return self.population.project(keys)[0] if {*keys} <= {*self.population.names} else None

    def rarest(self, keys: Sequence[str]) -> Callable[[], Rarest]:
        """The rarest combinations of two and three of these columns, by their categories: it stays inside. What is
        given looks for them, and needs nothing of this any more.
        """
        table = self.by(keys)
        return lambda: rarest(table, table)


@contextmanager
def open_live(plan: Plan, folder: Path, private: Path, secret: Secret | None = None) -> Iterator[Live]:
    """Open and count the data of a plan; `private` is a folder for what is computed on the way."""
    with open_workspace(private) as work, ExitStack() as stack:
        secret = secret or secret_to_try(folder)
        opened = open_data(Job(plan=plan, folder=folder, secret=secret, work=work, stack=stack))
        start = require_in_memory(count_data(opened).start, "what is shown while you wait")
        if start.rows.told != ():  # the file may be text, and columns derived: some steps read it again and again
            path = work.private / "start.parquet"
            start.rows.write(path, "parquet")
            start = replace(start, rows=replace(reopen(path, start.rows.engine), book=start.rows.book))
        wide = KeyTable(start.table.domains, start.table.codes, start.table.records, pairs=start.table.pairs)
        found = Live(plan, folder, secret, replace(opened, rows=start.rows), start, wide)
        found.done.append((None, begin_steps(start)))
        yield found


def _counted_by(plan: Plan) -> tuple[object, ...]:
    """All that the first count depends on."""
    sensitive = sorted({str(getattr(requirement, "sensitive", None)) for requirement in plan.requirements})
    # Only the keys that are released are asked of a population.
    dropped = {name for _, step in plan.active for name in step.removes() if plan.data.population is not None}
    prepares = [step for _, step in plan.active if step.prepares]
    roles = {
        name: (variable.role, variable.codes, variable.scale, variable.missing_codes)
        for name, variable in plan.variables.items()
    }
    where = [requirement.where for requirement in plan.requirements]
    return (plan.data, roles, sensitive, where, prepares, sorted(dropped))
