"""The sweep: one plan with many values of a parameter, compared by risk, loss and use cases. It releases nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from incrowd.audit.workspace import Workspace, open_workspace
from incrowd.errors import NotReleasable
from incrowd.pipeline.check import check
from incrowd.pipeline.job import Job
from incrowd.pipeline.open import context_of
from incrowd.pipeline.progress import Progress, numbered
from incrowd.pipeline.trial import open_and_count
from incrowd.plan import Plan
from incrowd.plan.uses import not_by_class
from incrowd.protect import Change, Context, Original, State, protect, require_in_memory
from incrowd.rows.result import Line, Result, plain_fields
from incrowd.secret import Secret, project_secret
from incrowd.utility.loss import measure_loss
from incrowd.utility.needs import Fetched, fetch
from incrowd.utility.of_run import fetch_at_start, prices_of, question_of, sweep_k
from incrowd.utility.points import Sweep, SweepPoint, conclude, exposure, why_not
from incrowd.utility.price import Price
from incrowd.utility.settings import Setting, k_setting, parse_setting, suppression_setting, unknown, variants


@dataclass(frozen=True, repr=False)
class Swept(Result):
    """A sweep, and what the alternatives of the plan would cost."""

    sweep: Sweep
    prices: tuple[Price, ...] = ()

    def _told(self) -> str:
        return f"{len(self.sweep.points)} values of {self.sweep.parameter}. {self.sweep.advice}"

    def _lines(self) -> Iterable[Line]:
        """A line for each point. What use cases measured stays out: it names groups of the file as it came."""
        swept = self.sweep
        return [
            {
                **plain_fields(point), "chosen": point.label == swept.chosen,
                "recommended": point.label == swept.recommended, "breaks": ", ".join(point.broken),
            }
            for point in (*swept.points, *swept.candidates)
        ]  # fmt: skip

    def _charts(self) -> Iterable[str]:
        from incrowd.report.charts.frontier import frontier
        from incrowd.report.charts.look import to_svg

        drawn = any(point.risk_mean is not None for point in (*self.sweep.points, *self.sweep.candidates))
        return [to_svg(frontier(self.sweep))] if drawn else []


def sweep(
    plan: str | Path,
    settings: Sequence[Setting | str] = (),
    *,
    k: str | None = None,
    suppression: str | None = None,
    candidates: Sequence[str | Path] = (),
    out: Path | None = None,
    secret: Secret | None = None,
    progress: Progress | None = None,
) -> Swept:
    """Try a plan with every combination of values, and say which is the strictest that keeps the conclusions.

    Over k, where all that takes records away is suppress_records, everything comes from one count of the classes.
    Any other parameter runs the steps that it touches anew for each value. Nothing is written but the secret, where
    there is none. A setting is 'PATH=VALUES' ('steps.2.fraction=0.1,0.2'); `k` and `suppression` are short for the
    paths of those. Without any, k is tried as the plan's own sweep says, or from 2 to 11. `candidates` are other
    plans, each one more point.

    >>> ic.sweep("plan.yaml", k="3:5").to_pandas()[["label", "released", "risk_mean"]]
    """
    checked = check(plan)
    folder, whole = checked.folder, checked.plan
    asked = [parse_setting(each) if isinstance(each, str) else each for each in settings]
    for one in asked:
        if checked.notes and one.name.startswith("steps."):  # it may be meant as it is written, or as it is now
            raise unknown(one.name, f"Steps are counted without attacks, and {checked.notes[0]}")
    if suppression is not None:
        asked.append(suppression_setting(whole, suppression))
    if k is not None or not asked:
        asked.insert(0, k_setting(whole, k or (whole.sweep.k if whole.sweep else "2:11")))
    home = out or folder
    with open_workspace(home) as work, ExitStack() as stack:
        kept = secret or project_secret(folder, home)
        tries = variants(whole, asked, folder)
        begins = numbered(progress, len(tries) + len(candidates) + 1)
        begins("read and count")
        bench = fresh(whole, folder, kept, work, stack)
        if _by_class(whole, asked):
            ks = [int(value) for value in asked[0].values]
            found = bench.sweep_k(ks, lambda done, _: begins(f"k = {ks[done - 1]}"))
        else:
            points = []
            for setting, variant in tries:
                points.append(bench.point(variant, setting))
                begins(points[-1].label)
            found = conclude(", ".join(s.name for s in asked), points, _own(whole, asked))
        prices = prices_of(whole, bench.context, bench.original()) if whole.alternatives else ()
        others = []
        for path in candidates:
            others.append(_candidate(Path(path), kept, work, stack))
            begins(str(path))
    return Swept(replace(found, candidates=tuple(others)), prices)


def _by_class(plan: Plan, settings: Sequence[Setting]) -> bool:
    """Whether all values can be read from one count of classes."""
    ks = {f"requirements.{i}.k" for i, r in enumerate(plan.requirements) if r.model == "k"}
    return len(settings) == 1 and set(settings[0].paths) == ks and not_by_class(plan) is None


def _own(plan: Plan, settings: Sequence[Setting]) -> str | None:
    """The value that the plan has itself, where one parameter is swept."""
    if len(settings) > 1:
        return None
    node: object = plan.model_dump(mode="json", by_alias=True)
    for part in settings[0].paths[0].split("."):
        node = node[int(part)] if isinstance(node, list) else node.get(part) if isinstance(node, dict) else None
    return next((value for value in settings[0].values if node is not None and _same(value, str(node))), None)


def _same(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return one == other


@dataclass
class _Bench:
    """The plan's data, counted, with the states before each of its steps as far as they were needed."""

    plan: Plan
    folder: Path
    secret: Secret
    work: Workspace
    stack: ExitStack
    start: State
    context: Context
    states: list[State]
    changes: list[tuple[str, Change]] = field(default_factory=list)  # of the steps that led to them
    fetched: dict[int, tuple[object, Fetched]] = field(default_factory=dict)

    def sweep_k(self, ks: Sequence[int], progress: Callable[[int, int], None]) -> Sweep:
        """Every k from one count."""
        state = self._before(self.plan.recoding_steps)
        original = Original(state.rows, state.table)
        question = question_of(self.plan, self.context, state)
        before = fetch(original.rows, question.needs(), original.table)
        at_start = fetch_at_start(question, self.start, before)
        return sweep_k(question, self.context, original, ks, before, (self.start.table, at_start), state, progress)

    def original(self) -> Original:
        """What the plan's own release is compared with, before anything that is decided by the data."""
        state = self._before(self.plan.recoding_steps)
        return Original(state.rows, state.table)

    def point(self, plan: Plan, setting: Mapping[str, str]) -> SweepPoint:
        """What the release of a changed plan would be; the steps before the change are not done again."""
        label = ", ".join(setting.values())
        begun = self._shared(plan)
        context = context_of(plan, self.folder, self.secret, self.context.book, self.context.prepared)
        if begun is None:
            return fresh(plan, self.folder, self.secret, self.work, self.stack).point(plan, setting)
        state, changes = self._before(begun), [*self.changes[:begun]]
        try:
            for number, step in enumerate(plan.steps[begun:], start=begun + 1):
                state, change = protect(step, number, state, context)
                changes.append((step.step, change))
            return measure_point(plan, context, self.start, state, changes, label, setting, self._original)
        except NotReleasable as refusal:
            records = int(self.start.table.records.sum())
            return SweepPoint(label, setting, records, 0, {}, None, 0, None, None, (), refusal.code)

    def _shared(self, plan: Plan) -> int | None:
        """How many steps the changed plan shares with the plan itself; None when even the count would differ."""
        same = {"data", "variables", "title", "tier", "release"}
        if any(getattr(plan, name) != getattr(self.plan, name) for name in same):
            return None
        if [step for _, step in plan.active if step.prepares] != [s for _, s in self.plan.active if s.prepares]:
            return None
        if {getattr(r, "sensitive", None) for r in plan.requirements} - {
            getattr(r, "sensitive", None) for r in self.plan.requirements
        }:
            return None
        shared = 0
        for one, other in zip(plan.steps, self.plan.steps, strict=False):
            if one != other or (plan.requirements != self.plan.requirements and not one.only_coarsens):
                break
            shared += 1
        return shared

    def _before(self, number: int) -> State:
        while len(self.states) <= number:
            at = len(self.states)
            step = self.plan.steps[at - 1]
            state, change = protect(step, at, self.states[-1], self.context)
            self.states.append(state)
            self.changes.append((step.step, change))
        return self.states[number]

    def _original(self, original: Original, needs: Sequence[object]) -> Fetched:
        """The original's tallies, fetched once as long as it stays the same."""
        known = self.fetched.get(id(original.rows))
        if known is None:
            known = self.fetched[id(original.rows)] = (original.rows, fetch(original.rows, needs))  # type: ignore[arg-type]
        return known[1]


def fresh(plan: Plan, folder: Path, secret: Secret, work: Workspace, stack: ExitStack) -> _Bench:
    """Open and count the data of a plan."""
    counted = open_and_count(Job(plan=plan, folder=folder, secret=secret, work=work, stack=stack))
    start = require_in_memory(counted.start, "a sweep")
    return _Bench(plan, folder, secret, work, stack, start, counted.context, [start])


def measure_point(
    plan: Plan,
    context: Context,
    start: State,
    state: State,
    changes: Sequence[tuple[str, Change]],
    label: str,
    setting: Mapping[str, str],
    original_of: Callable[[Original, Sequence[object]], Fetched],
) -> SweepPoint:
    """The point of a plan whose steps are done, from the rows as they would be written."""
    original = state.original or Original(state.rows, state.table)
    bound = context.bind(state)
    question = question_of(plan, context, state)
    needs = question.needs()
    before, after = original_of(original, needs), fetch(state.rows, needs)
    outcomes = question.evaluate(before, after, fetch_at_start(question, start, before))
    loss = measure_loss(start.table, original.table, state.table, state.leaves, state.blanks)
    models = {requirement.describe(): requirement.model for requirement in context.requirements}
    dropped: dict[str, int] = {}
    for name, change in changes:
        named = 0
        for words, records in change.removed_for.items():
            dropped[models.get(words, name)] = dropped.get(models.get(words, name), 0) + records
            named += records
        if change.records_removed > named:
            dropped[name] = dropped.get(name, 0) + change.records_removed - named
    why = why_not(bound.table, bound.bound)
    smallest, most, mean = exposure(state.table)
    return SweepPoint(
        label, setting, loss.records, loss.released, dropped, loss.arithmetic, smallest, most, mean, outcomes, why
    )


def _candidate(path: Path, secret: Secret, work: Workspace, stack: ExitStack) -> SweepPoint:
    """Another plan as it stands, as one more point."""
    other = check(path)
    return fresh(other.plan, other.folder, secret, work, stack).point(other.plan, {"plan": path.stem})
