"""The whole way on one screen: read, tabulate, protect, write, gate, publish."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from incrowd.evidence.dictionary import DictionaryRow, dictionary_csv
from incrowd.evidence.log import RunLog, Snapshot, StepLog
from incrowd.evidence.manifest import hash_file, release_manifest
from incrowd.evidence.report import internal_report, public_report
from incrowd.plan import Plan, check_columns, dump_plan, load_plan
from incrowd.protect import UNIT, Change, Context, State, protect
from incrowd.release import Workspace, gate, open_workspace
from incrowd.release.gate import refuse
from incrowd.rows import Rows, open_source
from incrowd.rows.columns import ColumnSummary, refuse_empty_columns, summarise
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret, find_secret, order_numbers

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
) -> Run:
    """Take a plan from the raw file to a release. Raises NotReleasable, and publishes nothing, when it must not be.

    `folder` is where the files that a plan names are looked for (the plan's own folder), `out` where `runs` and the
    pointer `release` are put (the same).
    """
    if not isinstance(plan, Plan):
        folder = folder or Path(plan).resolve().parent
        plan = load_plan(plan)
    folder = folder or Path.cwd()
    home = out or folder
    with open_workspace(home) as work:
        secret = secret or find_secret(home)
        tell = _teller(progress, len(plan.steps) + 4)
        tell("read and count")
        state, context = _start(plan, folder, secret, work, memory)
        steps = [_log(0, "start", Change("the file as it came"), None, state, 0.0)]
        for number, step in enumerate(plan.steps, start=1):
            tell(f"{step.step} {getattr(step, 'variable', '')}".strip())
            begun = time.perf_counter()
            state, change = protect(step, number, state, context)
            steps.append(_log(number, step.step, change, step.reason, state, time.perf_counter() - begun))
        tell("write")
        file, columns, units = _write(plan, state.rows, context, work)
        tell("gate: count the written file again")
        verdicts = gate(plan, file, columns, steps[-1].after.records, secret, units)
        log = RunLog(
            plan.title, plan.tier, plan.data.kind, plan.data.unit, tuple(steps), verdicts,
            {name: (variable.role, variable.reason) for name, variable in plan.variables.items()}, tuple(columns),
        )  # fmt: skip
        tell("evidence")
        _audit(plan, log, folder, secret, work)
        if (refusal := refuse(verdicts)) is not None:
            work.keep_audit()
            raise refusal
        _release(plan, log, file, work)
        place = work.publish()
    return Run(place, place / "release", place / "audit", log)


def _start(plan: Plan, folder: Path, secret: Secret, work: Workspace, memory: str | None) -> tuple[State, Context]:
    """Open the data, check it against the plan, count it once."""
    rows = open_source(
        folder / plan.data.source,
        delimiter=plan.data.delimiter,
        encoding=plan.data.encoding,
        spill=work.spill,
        memory=memory,
    )
    check_columns(plan, rows.columns, rows.place)
    unit = plan.data.unit
    if unit is not None:
        rows = rows.copy(unit, UNIT)
    requirements = tuple(requirement.requirement() for requirement in plan.requirements)
    sensitive = sorted({r.sensitive_name for r in requirements if r.sensitive_name is not None})
    refuse_empty_columns(rows, _released(plan))
    table = tabulate(rows, plan.with_role("key"), sensitive, UNIT if unit else None)
    context = Context(
        folder,
        secret,
        (plan.title, plan.tier, plan.release.name),
        requirements,
        tuple(plan.with_role("identifier")),
        unit is not None,
    )
    return State(rows, table), context


def _released(plan: Plan) -> list[str]:
    dropped = {name for step in plan.steps if step.step == "drop" for name in step.variables}
    return [name for name in plan.variables if name not in dropped]


def _log(number: int, name: str, change: Change, reason: str | None, state: State, seconds: float) -> StepLog:
    return StepLog(
        number, name, change.title, reason, change.records_removed, change.cells_changed,
        change.removed_for, change.notes, Snapshot.of(state.table), round(seconds, 3),
    )  # fmt: skip


def _write(plan: Plan, rows: Rows, context: Context, work: Workspace) -> tuple[Path, list[str], Path | None]:
    """Write the rows in an order that a keyed hash decides: the order of the source says who is who."""
    columns = [name for name in rows.columns if name != UNIT]
    ordered = rows.shuffled(columns, order_numbers(context.subkey("order")))
    file = work.release / f"{plan.release.name}.{plan.release.format}"
    ordered.select(columns).write(file, plan.release.format)
    if not context.has_unit:
        return file, columns, None
    # For the gate only, in the private folder: whose record each line is. Equal lines may trade places between the
    # two files, which changes no count.
    units = work.private / "units.parquet"
    ordered.select([UNIT]).write(units, "parquet")
    return file, columns, units


def _audit(plan: Plan, log: RunLog, folder: Path, secret: Secret, work: Workspace) -> None:
    """What stays inside: the plan as run, the secret, the log, the internal report, the hash of the input."""
    (work.audit / "plan.yaml").write_text(dump_plan(plan), encoding="utf-8")
    (work.audit / "log.json").write_text(json.dumps(asdict(log), indent=1), encoding="utf-8")
    (work.audit / "report.html").write_text(internal_report(log), encoding="utf-8")
    source = folder / plan.data.source
    inputs = {"source": source.name, "sha256": hash_file(source), "bytes": source.stat().st_size}
    (work.audit / "input.json").write_text(json.dumps(inputs, indent=1), encoding="utf-8")
    handle = os.open(work.audit / "secret", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as out:
        out.write(secret.material.hex() + "\n")


def _release(plan: Plan, log: RunLog, file: Path, work: Workspace) -> None:
    """What may leave beside the data: dictionary, public report, manifest."""
    rows = [_dictionary_row(plan, name, found) for name, found in summarise(open_source(file)).items()]
    (work.release / "dictionary.csv").write_text(dictionary_csv(rows), encoding="utf-8")
    (work.release / "report.html").write_text(public_report(log), encoding="utf-8")
    files = {path.name: path for path in sorted(work.release.iterdir())}
    (work.release / "manifest.json").write_text(release_manifest(files), encoding="utf-8")


def _dictionary_row(plan: Plan, name: str, found: ColumnSummary) -> DictionaryRow:
    kind: Literal["text", "number", "category"] = "text"
    if found.values is not None:
        kind = "category"
    elif found.numeric:
        kind = "number"
    label = plan.variables[name].label if name in plan.variables else None
    return DictionaryRow(name, label, kind, found.distinct, found.values or (), found.missing > 0)


def _teller(progress: Progress | None, total: int) -> Callable[[str], None]:
    counter = iter(range(1, total + 1))

    def tell(what: str) -> None:
        if progress is not None:
            progress(what, next(counter), total)

    return tell
