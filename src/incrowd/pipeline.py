"""The whole way on one screen: read, tabulate, protect, write, gate, publish."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.assessment import plan_scenarios
from incrowd.errors import NotReleasable
from incrowd.evidence.files import write_audit, write_release_files
from incrowd.evidence.log import RiskLog, RunLog, Snapshot, StepLog
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.loss import lost_bits
from incrowd.keys.population import join_population
from incrowd.keys.requirements import Likeness
from incrowd.keys.table import KeyTable
from incrowd.plan import Plan, check_columns, load_plan
from incrowd.plan.requirements import TCloseness, where_text
from incrowd.protect import UNIT, Change, Context, State, protect
from incrowd.release import Known, Workspace, gate, open_workspace
from incrowd.risk.measure import Measured, measure_scenario
from incrowd.risk.value import Scenario
from incrowd.rows import Rows, open_source
from incrowd.rows.columns import refuse_empty_columns
from incrowd.rows.engine import connect
from incrowd.rows.lookup import read_hierarchy
from incrowd.rows.memory import engine_share, follow, keep_below, parse_memory
from incrowd.rows.tabulate import tabulate, tabulate_population
from incrowd.secret import Secret, find_secret, has_secret, new_secret

#: Called with the name of what begins, its number and how many there are.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Run:
    """A run that ended well: where it is and what happened in it."""

    folder: Path
    release: Path
    audit: Path
    log: RunLog


def run(
    plan: Plan | str | Path,
    *,
    folder: Path | None = None,
    out: Path | None = None,
    secret: Secret | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
    within: Callable[[float], None] | None = None,
) -> Run:
    """Take a plan from the raw file to a release. Raises NotReleasable, and publishes nothing, when it must not be.

    `folder` is where the files that a plan names are looked for (the plan's own folder), `out` where `runs` and the
    pointer `release` are put (the same). `memory` caps what the process may use. `progress` hears what begins, `within`
    which share of it the engine has done.
    """
    plan, folder = _read(plan, folder)
    home = out or folder
    cap = None if memory is None else parse_memory(memory)
    with keep_below(cap), open_workspace(home) as work, ExitStack() as stack:
        secret = secret or find_secret(home)
        tell = _teller(progress, len(plan.steps) + 4)
        state, context = _start(plan, folder, secret, work, cap, stack, within, tell)
        log, refusal, file, _ = _carry_out(plan, state, context, work, tell)
        tell("evidence")
        write_audit(work.audit, plan, log, plan.data.place(folder), secret)
        if refusal is not None:
            work.keep_audit()
            raise refusal
        released = open_source(file, delimiter=",", encoding="utf-8", spill=work.spill, memory=_share(cap))
        write_release_files(work.release, plan, log, released)
        place = work.publish()
    return Run(place, place / "release", place / "audit", log)


@dataclass(frozen=True)
class Trial:
    """What a run would have been: its log, why it would be refused (None when it would not be), and its loss."""

    log: RunLog
    refusal: NotReleasable | None
    loss: float


def try_out(plan: Plan | str | Path, *, folder: Path | None = None, secret: Secret | None = None) -> Trial:
    """Carry a plan out up to the gate, and throw the result away: nothing is released and no audit is kept.

    It works in a private folder under `runs`, as a run does, and clears it at the end. Where there is no secret yet, it
    takes one that nobody will know.
    """
    plan, folder = _read(plan, folder)
    with open_workspace(folder) as work, ExitStack() as stack:
        tell = _teller(None, 0)
        secret = secret or (find_secret(folder) if has_secret(folder) else new_secret())
        state, context = _start(plan, folder, secret, work, None, stack, None, tell)
        log, refusal, _, leaves = _carry_out(plan, state, context, work, tell)
        return Trial(log, refusal, lost_bits(state.table, leaves))


def _read(plan: Plan | str | Path, folder: Path | None) -> tuple[Plan, Path]:
    if not isinstance(plan, Plan):
        return load_plan(plan), folder or Path(plan).resolve().parent
    return plan, folder or Path.cwd()


def _carry_out(
    plan: Plan, state: State, context: Context, work: Workspace, tell: Callable[[str], None]
) -> tuple[RunLog, NotReleasable | None, Path, KeyTable]:
    """Step by step, write, and ask the gate: the log, the refusal if there is one, the file, and its KeyTable."""
    came = state.table
    steps = [_log(0, "start", Change("the file as it came"), None, state, 0.0)]
    for number, step in enumerate(plan.steps, start=1):
        tell(f"{step.step} {getattr(step, 'variable', '')}".strip())
        begun = time.perf_counter()
        if step.off:
            change = Change(f"{step.step.replace('_', ' ')}: switched off")
        else:
            state, change = protect(step, number, state, context)
        done = _log(number, step.step, change, step.reason, state, time.perf_counter() - begun)
        steps.append(replace(done, off=step.off))
    tell("write")
    file, columns, units = _write(plan, state.rows, context, work)
    tell("gate: count the written file again")
    known = _known(context.bind(state), context)
    verdicts, refusal = gate(plan, file, columns, steps[-1].after.records, context.secret, units, known)
    log = RunLog(
        plan.title, plan.tier, plan.data.kind, plan.data.unit, tuple(steps), verdicts,
        {name: (variable.role, variable.reason) for name, variable in plan.variables.items()}, tuple(columns),
        _risks(plan, came, state),
    )  # fmt: skip
    return log, refusal, file, state.table


def _start(
    plan: Plan,
    folder: Path,
    secret: Secret,
    work: Workspace,
    cap: int | None,
    stack: ExitStack,
    within: Callable[[float], None] | None,
    tell: Callable[[str], None],
) -> tuple[State, Context]:
    """Open the data, check it against the plan, count it once. What was opened is closed with the stack."""
    tell("read and count")
    data = plan.data
    engine = connect(data.engine, spill=work.spill, memory=_share(cap), master=data.master, limit=data.limit)
    stack.callback(engine.close)
    stack.enter_context(follow(engine, within))
    rows = open_source(data.place(folder), delimiter=data.delimiter, encoding=data.encoding, engine=engine)
    stack.callback(rows.close)
    check_columns(plan, rows.columns, rows.place)
    counted = {*plan.with_role("key"), *plan.with_role("sensitive")}
    counted |= {name for requirement in plan.requirements for name in requirement.where or {}}
    rows = rows.as_text([name for name in plan.variables if name in counted])
    if data.unit is not None:
        rows = rows.copy(data.unit, UNIT)
    trees = _trees(plan, folder)
    requirements = tuple(requirement.requirement(trees) for requirement in plan.requirements)
    sensitive = sorted({r.sensitive_name for r in requirements if r.sensitive_name is not None})
    dropped = {name for _, step in plan.active if step.step == "drop" for name in step.variables}
    refuse_empty_columns(rows, [name for name in plan.variables if name not in dropped])
    keys = plan.with_role("key")
    table = tabulate(rows, keys, sensitive, UNIT if data.unit else None)
    if data.population is not None:
        # Only the keys that are released are asked of the population.
        table, _ = table.project([key for key in keys if key not in dropped])
        outside = open_source(folder / data.population.source, engine=engine)
        table = join_population(table, tabulate_population(outside, table.names, data.population.count))
    context = Context(
        folder,
        secret,
        (plan.title, plan.tier, plan.release.name),
        requirements,
        {where_text(r.where): r.where for r in plan.requirements if r.where is not None},
        tuple(plan.with_role("identifier")),
        data.unit is not None,
        {name: dict(zip(tree.leaves, tree.rows, strict=True)) for name, tree in trees.items()},
        data.household,
    )
    return State(rows.bring_in(), table), context


def _share(cap: int | None) -> str | None:
    return None if cap is None else engine_share(cap)


def _risks(plan: Plan, came: KeyTable, state: State) -> tuple[RiskLog, ...]:
    """The scenarios of the plan, measured before the first step and after the last.

    Where the plan does not say which share of the population the file is, a sample from it says: no more than it was
    drawn from. That takes the file for its population, and can only make the risk look larger.
    """
    protection, leaves = plan.data.protection, state.table
    fraction = None if protection is None else protection.sampling_fraction
    imputed = 0.0 if protection is None else protection.imputed_share
    kept = leaves.people / max(came.people, 1)
    after = None if fraction is None else fraction * kept
    if after is None and state.sampled < 1 and plan.data.population is None:
        after = state.sampled

    def measured(table: KeyTable, scenario: Scenario, part: float | None) -> Measured | None:
        keys = [key for key in scenario.keys if key in table.names]
        if not keys or not table.classes:
            return None
        smaller = table.project(keys)[0]
        return measure_scenario(smaller, scenario, fraction=part, imputed=imputed)[0]

    found = []
    for scenario in plan_scenarios(plan) if plan.scenarios else ():
        if (before := measured(came, scenario, fraction)) is not None:
            found.append(RiskLog(before, measured(leaves, scenario, after)))
    return tuple(found)


def _trees(plan: Plan, folder: Path) -> dict[str, Hierarchy]:
    """The hierarchies of sensitive variables, for the hierarchical distance."""
    asked = [r for r in plan.requirements if isinstance(r, TCloseness) and r.hierarchy is not None]
    return {r.sensitive: read_hierarchy(folder / str(r.hierarchy), r.sensitive) for r in asked}


def _known(state: State, context: Context) -> Known:
    """What the gate is told beside the file: the spread before suppression, the population, the hierarchies."""
    spread = {
        r.sensitive: dict(zip(r.reference.values, r.reference.counts.tolist(), strict=True))
        for r in state.bound
        if isinstance(r, Likeness) and r.reference is not None
    }
    before, population = state.before, None
    if before is not None and before.population is not None:
        labels = [[d.values[c] for c in codes] for d, codes in zip(before.domains, before.codes.tolist(), strict=True)]
        counted = zip(zip(*labels, strict=True), before.population.tolist(), strict=True)
        population = {combination: people for combination, people in counted if people}
    return Known(spread, population, context.paths)


def _log(number: int, name: str, change: Change, reason: str | None, state: State, seconds: float) -> StepLog:
    return StepLog(
        number, name, change.title, reason, change.records_removed, change.cells_changed,
        change.removed_for, change.notes, Snapshot.of(state.table), round(seconds, 3), found=change.found,
    )  # fmt: skip


def _write(plan: Plan, rows: Rows, context: Context, work: Workspace) -> tuple[Path, list[str], Path | None]:
    """Write the rows in an order that a keyed hash decides: the order of the source says who is who."""
    columns = [name for name in rows.columns if name != UNIT]
    ordered = rows.shuffled(columns, context.order("order"), context.order("order", "tie"))
    file = work.release / f"{plan.release.name}.{plan.release.format}"
    ordered.select(columns).write(file, plan.release.format)
    if not context.has_unit:
        return file, columns, None
    # For the gate only, in the private folder: whose record each line is. Equal lines may trade places between the
    # two files, which changes no count.
    units = work.private / "units.parquet"
    ordered.select([UNIT]).write(units, "parquet")
    return file, columns, units


def _teller(progress: Progress | None, total: int) -> Callable[[str], None]:
    counter = iter(range(1, total + 1))

    def tell(what: str) -> None:
        if progress is not None:
            progress(what, next(counter), total)

    return tell
