"""The files of a run beside the data: what stays inside, and what may leave."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from incrowd.evidence.dictionary import DictionaryRow, describe, dictionary_cells, dictionary_csv
from incrowd.evidence.log import RunLog
from incrowd.evidence.manifest import (
    MANIFEST,
    AuditManifest,
    hash_file,
    keep_inputs,
    machine,
    release_entries,
    release_manifest,
    versions,
)
from incrowd.evidence.package import CSVW_ENDING, PACKAGE, csvw_metadata, data_package
from incrowd.evidence.report import internal_report, public_report
from incrowd.keys.spreadsheet import formulas_in, is_formula
from incrowd.plan import Plan, dump_plan
from incrowd.plan.files import named_files
from incrowd.rows import Rows
from incrowd.secret import Secret


def write_audit(folder: Path, plan: Plan, log: RunLog, secret: Secret) -> None:
    """What stays inside: the plan as run, the secret, the log. What was made of them comes last, with the report."""
    _write(folder / "plan.yaml", dump_plan(plan))
    _write(folder / "log.json", json.dumps(asdict(log), indent=1))
    handle = os.open(folder / "secret", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as out:
        out.write(secret.material.hex() + "\n")


def finish_audit(
    audit: Path, plan: Plan, log: RunLog, source: Path, release: Path | None, home: Path | None = None
) -> None:
    """The manifest: what the run was made with and from, and what it released (None when it was refused); and the
    internal report, which shows it.

    `source` is the folder in which the plan's files were looked for, `home` the one that has the runs.
    """
    manifest = AuditManifest(
        versions=versions(),
        platform=machine(),
        plan_sha256=hash_file(audit / "plan.yaml"),
        inputs=keep_inputs(named_files(plan), source, audit),
        database=log.start.records if plan.data.database else None,
        release=() if release is None else release_entries(release),
        folder=Path(os.path.relpath(source.resolve(), (home or source).resolve())).as_posix(),
    )
    _write(audit / MANIFEST, manifest.json())
    _write(audit / "report.html", internal_report(log, manifest))


def write_release_files(folder: Path, plan: Plan, log: RunLog, released: Rows) -> tuple[str, ...]:
    """What may leave beside the data: dictionary, public report, data package, manifest with hashes.

    Gives what the custodian should know of them.
    """
    columns = describe(plan, released)
    _write(folder / "dictionary.csv", dictionary_csv(columns, neutral=plan.release.formulas == "neutralise"))
    _write(folder / "report.html", public_report(log))
    _write(folder / PACKAGE, data_package(plan, columns, folder))
    if plan.release.format == "csv":
        _write(folder / f"{plan.release.file}{CSVW_ENDING}", csvw_metadata(plan, columns))
    _write(folder / MANIFEST, release_manifest(folder))
    return (*_notes(plan, columns), *_formulas(plan, columns, log))


def _notes(plan: Plan, columns: list[DictionaryRow]) -> list[str]:
    notes = [
        f"{column.variable}: {column.uncoded:,} released values have no entry in its codes"
        for column in columns
        if column.uncoded
    ]
    if plan.tier == "open" and plan.release.licence is None:
        notes.append("the release names no licence: nobody knows what they may do with it (release: licence)")
    return notes


def _formulas(plan: Plan, columns: list[DictionaryRow], log: RunLog) -> Iterator[str]:
    """What a spreadsheet would run: cells of the release, names of its columns, cells of the dictionary."""
    out = "(release: formulas: neutralise puts an apostrophe before them)"
    if log.formulas:
        told = ", ".join(f"{name}: {number:,}" for name, number in log.formulas.items())
        yield f"released cells begin like formulas, which a spreadsheet would run ({told}) {out}"
    if named := [column.variable for column in columns if is_formula(column.variable)]:
        yield f"a spreadsheet would run the names of {len(named):,} released columns: rename them in the source"
    if plan.release.formulas == "keep" and (many := formulas_in(dictionary_cells(columns))):
        yield f"{many:,} cells of dictionary.csv begin like formulas {out}"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
