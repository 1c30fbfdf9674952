"""The files of a run beside the data: what stays inside, and what may leave."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

from incrowd.evidence.dictionary import DictionaryRow, dictionary_csv
from incrowd.evidence.log import RunLog
from incrowd.evidence.made import made
from incrowd.evidence.manifest import hash_file, release_manifest
from incrowd.evidence.report import internal_report, public_report
from incrowd.plan import Plan, dump_plan
from incrowd.rows import Rows
from incrowd.rows.columns import ColumnSummary, summarise
from incrowd.secret import Secret


def write_audit(folder: Path, plan: Plan, log: RunLog, source: str | Path, secret: Secret) -> None:
    """What stays inside: the plan as run, the secret, the log, the internal report, the hash of the input."""
    inputs, text = _inputs(source, log), dump_plan(plan)
    facts = made(inputs, text, folder.parent / "release" / plan.release.file)
    facts = facts if all(verdict.passed for verdict in log.verdicts) and log.verdicts else replace(facts, release={})
    _write(folder / "plan.yaml", text)
    _write(folder / "log.json", json.dumps(asdict(log), indent=1))
    _write(folder / "report.html", internal_report(log, facts))
    _write(folder / "input.json", json.dumps(inputs, indent=1))
    handle = os.open(folder / "secret", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as out:
        out.write(secret.material.hex() + "\n")


def _inputs(source: str | Path, log: RunLog) -> dict[str, object]:
    """By what can one tell later which records were read? Files by their hash; a table in a database has none."""
    if isinstance(source, str):
        return {"source": source, "records": log.steps[0].after.records}
    if source.is_file():
        return {"source": source.name, "sha256": hash_file(source), "bytes": source.stat().st_size}
    files = sorted(path for path in source.rglob("*.parquet") if path.is_file())
    listed = {path.relative_to(source).as_posix(): hash_file(path) for path in files}
    return {"source": source.name, "files": listed, "bytes": sum(path.stat().st_size for path in files)}


def write_release_files(folder: Path, plan: Plan, log: RunLog, released: Rows) -> None:
    """What may leave beside the data: dictionary, public report, manifest with hashes."""
    lines = [_row(plan, name, found) for name, found in summarise(released).items()]
    _write(folder / "dictionary.csv", dictionary_csv(lines))
    _write(folder / "report.html", public_report(log))
    files: Mapping[str, Path] = {
        path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()
    }
    _write(folder / "manifest.json", release_manifest(files))


def _row(plan: Plan, name: str, found: ColumnSummary) -> DictionaryRow:
    kind: Literal["text", "number", "category"] = "text"
    if found.values is not None:
        kind = "category"
    elif found.numeric:
        kind = "number"
    label = plan.variables[name].label if name in plan.variables else None
    return DictionaryRow(name, label, kind, found.distinct, found.values or (), found.missing > 0)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
