"""The whole way on one screen: read, tabulate, protect, write, gate, publish."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.assessment import plan_scenarios
from incrowd.comparison import compare
from incrowd.evidence.files import write_audit, write_release_files
from incrowd.evidence.log import RiskLog, RunLog, Snapshot, StepLog
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.population import join_population
from incrowd.keys.requirements import Likeness
from incrowd.plan import Plan, check_columns, load_plan
from incrowd.plan.requirements import TCloseness, where_text
from incrowd.protect import UNIT, Change, Context, DistantState, State, count, near, protect
from incrowd.release import Known, Workspace, gate, open_workspace
from incrowd.risk.measure import Measured, measure_scenario
from incrowd.risk.value import Scenario
from incrowd.rows import Rows, open_source
from incrowd.rows.columns import refuse_empty_columns
from incrowd.rows.engine import connect
from incrowd.rows.lookup import read_hierarchy
from incrowd.rows.memory import class_limit, engine_share, follow, keep_below, parse_memory
from incrowd.rows.publish import published_table
from incrowd.rows.tabulate import tabulate, tabulate_population
from incrowd.secret import Secret, find_secret, order_records

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
    if not isinstance(plan, Plan):
        folder = folder or Path(plan).resolve().parent
        plan = load_plan(plan)
    folder = folder or Path.cwd()
    home = out or folder
    cap = None if memory is None else parse_memory(memory)
    with keep_below(cap), open_workspace(home) as work, ExitStack() as stack:
        secret = secret or find_secret(home)
        tell = _teller(progress, len(plan.steps) + 5)
        tell("read and count")
        start, context = begin(plan, folder, secret, work.spill, cap, stack, within)
        if plan.use_cases or plan.sweep is not None or plan.alternatives:
            start = near(start, "what the plan asks about utility")
        state = start
        steps = [_log(0, "start", Change("the file as it came"), None, state, 0.0)]
        for number, step in enumerate(plan.steps, start=1):
            tell(f"{step.step} {getattr(step, 'variable', '')}".strip())
            begun = time.perf_counter()
            state, change = protect(step, number, state, context)
            steps.append(_log(number, step.step, change, step.reason, state, time.perf_counter() - begun))
        tell("write")
        file, columns, units = _write(plan, state.rows, context, work)
        tell("gate: count the written file again")
        known = _known(state, context)
        verdicts, refusal = gate(plan, file, columns, steps[-1].after.records, secret, units, known)
        log = RunLog(
            plan.title, plan.tier, plan.data.kind, plan.data.unit, tuple(steps), verdicts,
            {name: (variable.role, variable.reason) for name, variable in plan.variables.items()}, tuple(columns),
            _risks(plan, start, state),
        )  # fmt: skip
        tell("utility: what analysts keep")
        if refusal is None:
            released = open_source(file, delimiter=",", encoding="utf-8", spill=work.spill, memory=_share(cap))
            if not isinstance(start, DistantState) and not isinstance(state, DistantState):
                log = replace(log, utility=compare(plan, context, start, state, released))
        tell("evidence")
        write_audit(work.audit, plan, log, plan.data.place(folder), secret)
        if refusal is not None:
            work.keep_audit()
            raise refusal
        write_release_files(work.release, plan, log, released)
        with published_table(plan.release.table, released, columns):
            place = work.publish()
    return Run(place, place / "release", place / "audit", log)


def begin(
    plan: Plan,
    folder: Path,
    secret: Secret,
    spill: Path,
    cap: int | None,
    stack: ExitStack,
    within: Callable[[float], None] | None = None,
) -> tuple[State | DistantState, Context]:
    """Open the data, check it against the plan, count it once. What was opened is closed with the stack."""
    data = plan.data
    engine = connect(data.engine, spill=spill, memory=_share(cap), master=data.master, limit=_limit(data.limit, cap))
    stack.callback(engine.close)
    stack.enter_context(follow(engine, within))
    rows = open_source(data.place(folder), delimiter=data.delimiter, encoding=data.encoding, engine=engine)
    stack.callback(rows.close)
    check_columns(plan, rows.columns, rows.place)
    as_text = {*plan.with_role("key"), *plan.with_role("sensitive")}
    as_text |= {name for requirement in plan.requirements for name in requirement.where or {}}
    rows = rows.as_text([name for name in plan.variables if name in as_text])
    if data.unit is not None:
        rows = rows.copy(data.unit, UNIT)
    context = context_of(plan, folder, secret)
    sensitive = sorted({r.sensitive_name for r in context.requirements if r.sensitive_name is not None})
    dropped = {name for step in plan.steps if step.step == "drop" for name in step.variables}
    refuse_empty_columns(rows, [name for name in plan.variables if name not in dropped])
    keys = plan.with_role("key")
    unit = UNIT if data.unit else None
    if data.population is None:
        counted = count(rows, tuple(keys), tuple(sensitive), unit)
    else:
        # Only the keys that are released are asked of the population.
        table, _ = tabulate(rows, keys, sensitive, unit).project([key for key in keys if key not in dropped])
        outside = open_source(folder / data.population.source, engine=engine)
        counted = join_population(table, tabulate_population(outside, table.names, data.population.count))
    return counted if isinstance(counted, DistantState) else State(rows.bring_in(), counted), context


def context_of(plan: Plan, folder: Path, secret: Secret) -> Context:
    """What the steps of a plan may know of it."""
    trees = _trees(plan, folder)
    return Context(
        folder,
        secret,
        (plan.title, plan.tier, plan.release.name),
        tuple(requirement.requirement(trees) for requirement in plan.requirements),
        {where_text(r.where): r.where for r in plan.requirements if r.where is not None},
        tuple(plan.with_role("identifier")),
        plan.data.unit is not None,
        {name: dict(zip(tree.leaves, tree.rows, strict=True)) for name, tree in trees.items()},
    )


def _share(cap: int | None) -> str | None:
    return None if cap is None else engine_share(cap)


def _limit(asked: int | None, cap: int | None) -> int | None:
    return asked if asked is not None or cap is None else class_limit(cap)


def _risks(plan: Plan, came: State | DistantState, leaves: State | DistantState) -> tuple[RiskLog, ...]:
    """The scenarios of the plan, measured before the first step and after the last."""
    protection = plan.data.protection
    fraction = None if protection is None else protection.sampling_fraction
    imputed = 0.0 if protection is None else protection.imputed_share
    if not plan.scenarios:
        return ()
    kept = _people(leaves) / max(_people(came), 1)

    def measured(state: State | DistantState, scenario: Scenario, share: float) -> Measured | None:
        there = state.keys if isinstance(state, DistantState) else state.table.names
        keys = [key for key in scenario.keys if key in there]
        if not keys or not _people(state):
            return None
        smaller = tabulate(state.rows, keys) if isinstance(state, DistantState) else state.table.project(keys)[0]
        part = None if fraction is None else fraction * share
        return measure_scenario(smaller, scenario, fraction=part, imputed=imputed)[0]

    found = []
    for scenario in plan_scenarios(plan):
        if (before := measured(came, scenario, 1.0)) is not None:
            found.append(RiskLog(before, measured(leaves, scenario, kept)))
    return tuple(found)


def _people(state: State | DistantState) -> int:
    return state.records if isinstance(state, DistantState) else state.table.people


def _trees(plan: Plan, folder: Path) -> dict[str, Hierarchy]:
    """The hierarchies of sensitive variables, for the hierarchical distance."""
    asked = [r for r in plan.requirements if isinstance(r, TCloseness) and r.hierarchy is not None]
    return {r.sensitive: read_hierarchy(folder / str(r.hierarchy), r.sensitive) for r in asked}


def _known(state: State | DistantState, context: Context) -> Known:
    """What the gate is told beside the file: the spread before suppression, the population, the hierarchies."""
    if isinstance(state, DistantState):
        # Distant classes are never suppressed when something compares with the whole file: it is as it came.
        names = {r.sensitive for r in context.requirements if isinstance(r, Likeness)}
        whole = {name: Counter[str | None]() for name in names}
        for name, counts in whole.items():
            for value, number in state.rows.value_counts(name).items():
                counts[value or None] += number
        return Known(whole, None, context.paths)
    state = context.bind(state)
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


def _log(
    number: int, name: str, change: Change, reason: str | None, state: State | DistantState, seconds: float
) -> StepLog:
    if isinstance(state, DistantState):
        after = Snapshot.of_sizes(state.keys, state.classes.sizes())
    else:
        after = Snapshot.of(state.table)
    return StepLog(
        number, name, change.title, reason, change.records_removed, change.cells_changed,
        change.removed_for, change.notes, after, round(seconds, 3), found=change.found,
    )  # fmt: skip


def _write(plan: Plan, rows: Rows, context: Context, work: Workspace) -> tuple[Path, list[str], Path | None]:
    """Write the rows in an order that a keyed hash decides: the order of the source says who is who."""
    columns = [name for name in rows.columns if name != UNIT]
    ordered = rows.shuffled(columns, order_records(context.subkey("order")))
    file = work.release / plan.release.file
    ordered.select(columns).write(file, plan.release.kind)
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
