"""The files of a run beside the data: what stays inside, and what may leave."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from incrowd.audit.inputs import Taken, keep_inputs
from incrowd.audit.log import RunLog
from incrowd.audit.manifest import SECRET_FILE, AuditManifest, FileEntry, entry_of, machine, release_manifest, versions
from incrowd.audit.seal import write_sealed
from incrowd.audit.series import SERIES_FACTS
from incrowd.audit.signing import Signer
from incrowd.keys.codebook import Codebook
from incrowd.keys.spreadsheet import formulas_in, is_formula
from incrowd.plan import Plan, dump_plan
from incrowd.report.decision import decision_page, paper_of
from incrowd.report.dictionary import DictionaryRow, describe, dictionary_cells, dictionary_csv
from incrowd.report.internal import internal_report
from incrowd.report.package import CSVW_ENDING, PACKAGE, csvw_metadata, data_package
from incrowd.report.public import public_report
from incrowd.report.series import series_facts
from incrowd.rows import Rows
from incrowd.secret import Secret

#: The decision paper as values: Word is made from it, when asked for.
PAPER = "decision.json"


def write_audit(folder: Path, plan: Plan, log: RunLog, secret: Secret) -> tuple[FileEntry, ...]:
    """What stays inside: the plan as run, the secret, the log. What was made of them comes last, with the report."""
    kept = secret.material.hex() + "\n"
    handle = os.open(folder / SECRET_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as out:
        out.write(kept)
    return (
        _write(folder, "plan.yaml", dump_plan(plan)),
        _write(folder, "log.json", json.dumps(asdict(log), indent=1)),
        entry_of(SECRET_FILE, kept.encode()),
    )


@dataclass(frozen=True)
class Origin:
    """Where a run comes from: the folder of the plan's files, the files that it read, and the folder of the runs."""

    source: Path
    inputs: Sequence[Taken]
    home: Path


def finish_audit(
    audit: Path, plan: Plan, log: RunLog, begun: Sequence[FileEntry], origin: Origin, released: Sequence[FileEntry],
    signer: Signer | None,
) -> tuple[FileEntry, ...]:  # fmt: skip
    """The manifest: what the run was made with and from, and what it released (nothing when it was refused); the
    internal report and the decision paper, which show it; and the seal on all that the audit has. Gives every file of
    it.
    """
    inputs, copies = keep_inputs(origin.inputs, origin.source, audit)
    manifest = AuditManifest(
        versions=versions(),
        platform=machine(),
        plan_sha256=next(entry.sha256 for entry in begun if entry.name == "plan.yaml"),
        inputs=tuple(inputs),
        database=log.start.records if plan.data.database else None,
        release=tuple(released),
        folder=Path(os.path.relpath(origin.source.resolve(), origin.home.resolve())).as_posix(),
        public_key=None if signer is None else signer.public.pem,
    )
    report = _write(audit, "report.html", internal_report(log, manifest))
    paper = paper_of(log, manifest)
    deciding = (_write(audit, PAPER, paper.json()), _write(audit, "decision.html", decision_page(paper)))
    files = (*begun, *copies, report, *deciding)
    sealed = replace(manifest, files=tuple(sorted(files, key=lambda entry: entry.name)))
    return (*files, *write_sealed(audit, sealed.json(), signer))


@dataclass(frozen=True)
class ReleaseFiles:
    """Every file of a release, and what the custodian should know of them."""

    entries: tuple[FileEntry, ...]
    notes: tuple[str, ...]


def write_release_files(
    folder: Path, plan: Plan, log: RunLog, released: Rows, data: Sequence[FileEntry], signer: Signer | None
) -> ReleaseFiles:
    """What may leave beside the data: dictionary, public report, data package, manifest with hashes, its signature.

    `data` are the bytes that the gate counted: every hash of them comes from there.
    """
    columns = describe(plan, released, log.book_after)
    dictionary = _write(
        folder, "dictionary.csv", dictionary_csv(columns, neutral=plan.release.formulas == "neutralise")
    )
    entries = [
        *data,
        dictionary,
        _write(folder, "report.html", public_report(log, None if signer is None else signer.public)),
        _write(folder, PACKAGE, data_package(plan, columns, data, dictionary)),
    ]
    if plan.release.format == "csv":
        entries.append(_write(folder, f"{plan.release.file}{CSVW_ENDING}", csvw_metadata(plan, columns)))
    if plan.release.series is not None:
        entries.append(_write(folder, SERIES_FACTS, series_facts(plan, log)))
    manifest = release_manifest(entries, None if signer is None else signer.public)
    sealed = sorted((*entries, *write_sealed(folder, manifest, signer)), key=lambda entry: entry.name)
    return ReleaseFiles(tuple(sealed), (*_notes(plan, columns, log.book), *_formulas(plan, columns, log)))


def _notes(plan: Plan, columns: list[DictionaryRow], book: Codebook) -> list[str]:
    notes = [
        f"{column.variable}: {column.uncoded:,} released values have no entry in its codes"
        for column in columns
        if column.uncoded
    ]
    if unwritten := [column.variable for column in columns if _from_the_data(plan, column.variable, book)]:
        told = ", ".join(unwritten[:3]) + (f" and {len(unwritten) - 3} more" if len(unwritten) > 3 else "")
        notes.append(f"dictionary.csv has labels of the data file itself ({told}): read them before they leave")
    if plan.tier == "open" and plan.release.licence is None:
        notes.append("the release names no licence: nobody knows what they may do with it (release: licence)")
    return notes


def _from_the_data(plan: Plan, name: str, book: Codebook) -> bool:
    """Whether words of a column may be some that nobody wrote into the plan or its files of codes."""
    variable = plan.variables.get(name)
    if variable is None:
        return False
    coded = name in book.codes and variable.codes is None and plan.data.codes is None
    return coded or (name in book.titles and variable.label is None)


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


def _write(folder: Path, name: str, text: str) -> FileEntry:
    """Write a file; its entry speaks of the bytes that were meant, whatever lies on the disk later."""
    content = text.encode()
    (folder / name).write_bytes(content)
    return entry_of(name, content)
