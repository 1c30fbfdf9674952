"""From a raw file to a release: the whole way on one screen."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.attack.on_run import attack_run, attack_steps
from incrowd.attack.value import Attacked
from incrowd.audit.about import about
from incrowd.audit.earlier import Earlier, find_earlier, other_releases, perturbed_before, said_of_others
from incrowd.audit.groups import MOST_CLASSES, Group, achieved_by, by_group
from incrowd.audit.inputs import Taken, take_inputs
from incrowd.audit.log import RunLog, Snapshot, StepLog
from incrowd.audit.manifest import FileEntry, hash_entries
from incrowd.audit.signing import Signer, find_signer, leave_public
from incrowd.audit.workspace import Workspace, open_workspace
from incrowd.errors import InputError, NotReleasable
from incrowd.intruder_test.value import read_tested
from incrowd.keys.loss import lost_bits
from incrowd.keys.requirements import Likeness
from incrowd.machine.stopping import check, held
from incrowd.pipeline.open import begin, share_of
from incrowd.plan import Plan, load_plan
from incrowd.plan.files import named_files
from incrowd.protect import (
    UNIT,
    Change,
    Context,
    InEngineState,
    State,
    neutralise_formulas,
    protect,
    refuse_absent_values,
    require_in_memory,
)
from incrowd.release import GateInputs, gate
from incrowd.report.files import Origin, finish_audit, write_audit, write_release_files
from incrowd.risk.before_after import measure_run
from incrowd.rows import Rows, open_source, reopen
from incrowd.rows.columns import one_value_columns
from incrowd.rows.frame import LINE
from incrowd.rows.memory import keep_below, parse_memory
from incrowd.rows.publish import published_table
from incrowd.rows.spreadsheet import count_formulas
from incrowd.secret import Secret, find_secret, has_secret, new_secret, order_records
from incrowd.utility.of_run import measure_utility

#: Called with the name of what begins, its number and how many there are.
Progress = Callable[[str, int, int], None]

#: Of a step that should perturb.
NOTHING = "changed no cell and removed no record: it protects nobody"


@dataclass(frozen=True)
class Run:
    """A run that ended well: where it is and what happened in it."""

    folder: Path
    release: Path
    audit: Path
    log: RunLog
    notes: tuple[str, ...] = ()  # what the custodian should know of the files beside the data


def run(
    plan: Plan | str | Path,
    *,
    folder: Path | None = None,
    out: Path | None = None,
    secret: Secret | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
    within: Callable[[float], None] | None = None,
    together: tuple[Attacked, ...] = (),
    source_hidden: bool = False,
    signer: Signer | None = None,
    signed: bool = True,
    tried: Tried | None = None,
    earlier: tuple[Earlier, ...] | None = None,
) -> Run:
    """Take a plan from the raw file to a release. Raises NotReleasable, and publishes nothing, when it must not be.

    `folder` is where the files that a plan names are looked for (the plan's own folder), `out` where `runs` and the
    pointer `release` are put (the same). `memory` caps what the process may use. `progress` hears what begins, `within`
    which share of it the engine has done. `together` are attacks with another file of the same plan, for the report;
    `source_hidden` says that the public report may not tell how many records came, as another file's does not.
    `signer` signs audit and release (the key beside the secret when left out; nobody when not `signed`, as in versions
    before). `tried` is what was tried with the others of the same plan: only the same bytes from the same are released.
    `earlier` are the releases that were here before those of this plan (looked for when left out).
    """
    if not isinstance(plan, Plan) and not Path(plan).exists() and "@" in Path(plan).name:
        message = "a file of one tier is released with those of the others, or not at all."
        raise InputError("D252", message, "Run the whole plan: the files are tried together first.")
    plan, folder = _read(plan, folder)
    home = out or folder
    cap = None if memory is None else parse_memory(memory)
    with keep_below(cap) as unwatch, open_workspace(home) as work, ExitStack() as stack:
        secret = secret or find_secret(home)
        signer = (signer or find_signer(home)) if signed else None
        attacked = bool(attack_steps(plan))
        tell = teller(progress, len(plan.steps) + 5 + attacked)
        tell("read and count")
        inputs = take_inputs(named_files(plan), folder) if tried is None else tried.inputs
        if earlier is None:
            earlier = find_earlier(plan, folder, home, inputs)
        start, context = begin(plan, folder, secret, work.spill, cap, stack, within, trace=attacked)
        if plan.scenarios or plan.use_cases or plan.sweep is not None or plan.alternatives:
            start = require_in_memory(start, "what the plan asks about risk and utility")
        done = carry_out(plan, start, context, work, tell, earlier=earlier)
        log = replace(done.log, attacks=(*done.log.attacks, *together), source_hidden=source_hidden)
        told = perturbed_before(plan, earlier, log.start.records, log.drawn_by)
        log = replace(log, perturbed_before=told)
        state = done.state
        tell("utility: what analysts keep")
        released = open_source(done.file, delimiter=",", encoding="utf-8", spill=work.spill, memory=share_of(cap))
        log = replace(log, one_value=one_value_columns(released))
        if done.refusal is None and isinstance(start, State) and isinstance(state, State):
            log = replace(log, utility=measure_utility(plan, context, start, state, released))
        tell("evidence")
        log = replace(log, formulas=count_formulas(released))
        if plan.intruder_test is not None:
            log = replace(log, intruder_test=read_tested(folder / plan.intruder_test, hash_entries(done.counted)))
        begun = write_audit(work.audit, plan, log, secret)
        origin = Origin(folder, inputs, home)
        if done.refusal is not None:
            work.keep_audit(finish_audit(work.audit, plan, log, begun, origin, (), signer))
            raise done.refusal
        if tried is not None and hash_entries(done.counted) != tried.sha256:
            message = "the file is not the one that was tried together with the others."
            raise NotReleasable("R034", message, "A search that is timed finds another recoding each time: pin it.")
        files = write_release_files(work.release, plan, log, released, done.counted, signer)
        audited = finish_audit(work.audit, plan, log, begun, origin, files.entries, signer)
        unwatch()
        with ExitStack() as whole, published_table(plan.release.table, released, log.released_columns):
            check()  # the last moment to stop
            whole.enter_context(held())  # the file, its pointer and its table, or none of them
            place = work.publish(files.entries, audited)
        if signer is not None:
            leave_public(home, signer.public)
    return Run(place, place / "release", place / "audit", log, (*_notes(log), *files.notes))


def _notes(log: RunLog) -> tuple[str, ...]:
    """What the custodian should know of the run itself."""
    others = (said_of_others(log.other_releases),) if log.other_releases else ()
    still = (f"step {step.number} ({step.title}) {NOTHING}" for step in log.steps if NOTHING in step.notes)
    return (*log.perturbed_before, *others, *still)


@dataclass(frozen=True)
class Tried:
    """A file that was made on trial: what it was made from, and which bytes it was."""

    inputs: tuple[Taken, ...]
    sha256: str


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
        secret = secret or (find_secret(folder) if has_secret(folder) else new_secret())
        earlier = find_earlier(plan, folder, folder)
        at_start, context = begin(plan, folder, secret, work.spill, None, stack, trace=bool(attack_steps(plan)))
        start = require_in_memory(at_start, "a comparison")
        done = carry_out(plan, start, context, work, teller(None, 0), earlier=earlier)
        return Trial(
            done.log, done.refusal, lost_bits(start.table, require_in_memory(done.state, "a comparison").table)
        )


def _read(plan: Plan | str | Path, folder: Path | None) -> tuple[Plan, Path]:
    if not isinstance(plan, Plan):
        return load_plan(plan), folder or Path(plan).resolve().parent
    return plan, folder or Path.cwd()


@dataclass(frozen=True)
class Done:
    """All steps done, the file written, the gate asked."""

    log: RunLog
    refusal: NotReleasable | None
    file: Path
    state: State | InEngineState
    traced: Rows | None  # the written records and their lines in the source, where the rows have them
    counted: tuple[FileEntry, ...]  # the bytes that the gate counted


def carry_out(
    plan: Plan,
    start: State | InEngineState,
    context: Context,
    work: Workspace,
    tell: Callable[[str], None],
    attacks: bool = True,
    earlier: tuple[Earlier, ...] = (),
) -> Done:
    """Step by step, write, ask the gate, and let intruders try what passed it, unless they will try it elsewhere."""
    state, drawn_by = start, ""
    steps = [_log(0, "start", Change("the file as it came"), None, state, 0.0)]
    for number, step in enumerate(plan.steps, start=1):
        tell(f"{step.step} {getattr(step, 'variable', '')}".strip())
        begun = time.perf_counter()
        state, change = protect(step, number, state, context)
        if step.perturbs and not step.off and not change.cells_changed and not change.records_removed:
            change = replace(change, notes=(*change.notes, NOTHING))
        done = _log(number, step.step, change, step.reason, state, time.perf_counter() - begun)
        steps.append(replace(done, off=step.off))
        if step.perturbs and not step.off:  # what comes after the last of them changes no draw
            drawn_by = context.ended(state.history).subkey("drawn by").hex()
    if plan.release.formulas == "neutralise":
        state, context, change = neutralise_formulas(state, context)
        steps.append(_log(len(plan.steps) + 1, "formulas", change, None, state, 0.0))
    tell("write")
    file, columns, units, traced = _write(plan, state.rows, context.ended(state.history), work)
    tell("gate: count the written file again")
    known = _known(state, context)
    verdicts, refusal, counted = gate(plan, file, columns, steps[-1].after.records, context.secret, units, known)
    others = other_releases(plan, earlier, steps[0].after.records, hash_entries(counted))
    log = RunLog(
        plan.title, plan.tier, plan.data.kind, plan.data.unit, tuple(steps), verdicts,
        {name: (variable.role, variable.reason) for name, variable in plan.variables.items()}, tuple(columns),
        measure_run(plan, start, state), groups=_groups(state), at_start=_achieved_at_start(start, context),
        about=about(plan), drawn_by=drawn_by, other_releases=others,
    )  # fmt: skip
    if attacks and attack_steps(plan) and refusal is None and traced is not None:
        tell("attacks on the written file")
        tried = attack_run(
            plan, context, require_in_memory(start, "an attack"), require_in_memory(state, "an attack"), traced, others
        )
        log, refusal = replace(log, verdicts=(*verdicts, *tried.verdicts), attacks=tried.attacks), tried.refusal
    return Done(log, refusal, file, state, traced, counted)


def _groups(state: State | InEngineState) -> tuple[Group, ...]:
    return by_group((state.original or state).table, state.table) if isinstance(state, State) else ()


def _achieved_at_start(start: State | InEngineState, context: Context) -> tuple[float | None, ...]:
    """What the file as it came reaches of each requirement; None where that would cost too much, or cannot be said."""
    if isinstance(start, InEngineState) or start.table.classes > MOST_CLASSES:
        return tuple(None for _ in context.requirements)
    return tuple(achieved_by(start.table, requirement) for requirement in context.requirements)


def _known(state: State | InEngineState, context: Context) -> GateInputs:
    """What the gate is told beside the file: the spread before suppression, the population, the hierarchies."""
    if isinstance(state, InEngineState):
        refuse_absent_values(state, context)
        # Distant classes are never suppressed when something compares with the whole file: it is as it came.
        names = {r.sensitive for r in context.requirements if isinstance(r, Likeness)}
        whole = {name: Counter[str | None]() for name in names}
        for name, counts in whole.items():
            for value, number in state.rows.value_counts(name).items():
                counts[value or None] += number
        return GateInputs(whole, None, context.paths)
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
    return GateInputs(spread, population, context.paths)


def _log(
    number: int, name: str, change: Change, reason: str | None, state: State | InEngineState, seconds: float
) -> StepLog:
    if isinstance(state, InEngineState):
        after = Snapshot.of_sizes(state.keys, state.classes.sizes())
    else:
        after = Snapshot.of(state.table)
    return StepLog(
        number, name, change.title, reason, change.records_removed, change.cells_changed,
        change.removed_for, change.notes, after, round(seconds, 3), found=change.found,
    )  # fmt: skip


def _write(
    plan: Plan, rows: Rows, context: Context, work: Workspace
) -> tuple[Path, list[str], Path | None, Rows | None]:
    """Write the rows in an order that a keyed hash decides: the order of the source says who is who."""
    columns = [name for name in rows.columns if name not in (UNIT, LINE)]
    ordered = rows.shuffled(columns, order_records(context.subkey("order")))
    file = work.release / plan.release.file
    ordered.select(columns).write(file, plan.release.kind)
    traced = None
    if LINE in rows.columns:
        # For attacks only, in the private folder: where each line came from.
        ordered.select([*columns, LINE]).write(work.private / "traced.parquet", "parquet")
        traced = reopen(work.private / "traced.parquet", rows.engine)
    if not context.has_unit:
        return file, columns, None, traced
    # For the gate only, in the private folder: whose record each line is. Equal lines may trade places between the
    # two files, which changes no count.
    units = work.private / "units.parquet"
    ordered.select([UNIT]).write(units, "parquet")
    return file, columns, units, traced


def teller(progress: Progress | None, total: int) -> Callable[[str], None]:
    """A function that tells what begins, and counts."""
    counter = iter(range(1, total + 1))

    def tell(what: str) -> None:
        if progress is not None:
            progress(what, next(counter), total)

    return tell
