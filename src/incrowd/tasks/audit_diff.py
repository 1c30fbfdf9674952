"""Two audits side by side: what changed in the plan, in what went in, and in what came out. It stays inside."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from incrowd.audit.archive import Archive
from incrowd.audit.checked import Trust
from incrowd.audit.manifest import AuditManifest
from incrowd.audit.past import PastRun
from incrowd.audit.plan_changes import Difference, plan_differences
from incrowd.rows.result import Line, Listing, plain_fields

#: What an audit is compared by, in this order.
PARTS = (
    "plan", "inputs", "versions", "steps", "classes", "requirements", "risks", "attacks", "utility", "release",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Differences(Listing[Difference]):
    """All that differs between two audits, in the order of the way of the data."""

    items: tuple[Difference, ...]

    def _told(self) -> str:
        parts = ", ".join(dict.fromkeys(one.part for one in self.items))
        return f"{len(self.items)} differences in {parts}" if self.items else "the two audits tell the same"

    def _names(self) -> Sequence[str]:
        return [one.name for one in fields(Difference)]

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(one) for one in self.items]


def audit_diff(first: str | Path, second: str | Path, *, trust: Trust | None = None) -> Differences:
    """Compare two audits; each is named by a run's folder, its release or its audit. `trust` says whose signatures
    count.

    >>> ic.audit_diff(done.folder, done.folder)
    Differences: the two audits tell the same
    """
    one, other = (Archive.find(Path(each), None, trust or Trust()) for each in (first, second))
    found = plan_differences(one.plan, other.plan)
    pairs: dict[str, tuple[Mapping[str, str], Mapping[str, str]]] = {}
    manifests = one.manifest, other.manifest
    pairs["inputs"] = _inputs(one), _inputs(other)
    for part, side in (("versions", _versions), ("release", _release)):
        pairs[part] = side(manifests[0]), side(manifests[1])
    runs = PastRun.of(one.log), PastRun.of(other.log)
    for part, told in (
        ("steps", _steps), ("classes", _classes), ("requirements", _requirements), ("risks", _risks),
        ("attacks", _attacks), ("utility", _utility),
    ):  # fmt: skip
        pairs[part] = told(runs[0]), told(runs[1])
    found = [*found, *(each for part in PARTS if part in pairs for each in _compared(part, *pairs[part]))]
    return Differences(tuple(found))


def _compared(part: str, first: Mapping[str, str], second: Mapping[str, str]) -> Iterator[Difference]:
    for what in dict.fromkeys([*first, *second]):
        if first.get(what) != second.get(what):
            yield Difference(part, what, first.get(what), second.get(what))


def _inputs(archive: Archive) -> dict[str, str]:
    manifest, now = archive.manifest, archive.places_now()
    found: dict[str, str] = {}
    for entry in () if manifest is None else manifest.inputs:
        told = entry.sha256 or json.dumps(dict(entry.parts), sort_keys=True)
        found[now.get(entry.place, entry.place)] = f"{entry.name}, {entry.bytes:,} bytes, {told}"
    if manifest is not None and manifest.database is not None:
        found["records in the database"] = f"{manifest.database:,}"
    return found


def _versions(manifest: AuditManifest | None) -> dict[str, str]:
    return (
        {} if manifest is None else {**manifest.versions, **{f"machine: {n}": v for n, v in manifest.platform.items()}}
    )


def _release(manifest: AuditManifest | None) -> dict[str, str]:
    return {} if manifest is None else {entry.name: entry.sha256 for entry in manifest.release}


def _steps(run: PastRun) -> dict[str, str]:
    named = _numbered([step.title for step in run.steps])
    return {
        name: f"{step.records_removed:,} records removed, {step.cells_changed:,} cells changed"
        for name, step in zip(named, run.steps, strict=True)
    }


def _classes(run: PastRun) -> dict[str, str]:
    named = _numbered([step.title for step in run.steps])
    return {
        f"after {name}": f"{step.records:,} records, {step.classes:,} classes, {step.uniques:,} uniques, "
        f"smallest {step.smallest:,}"
        for name, step in zip(named, run.steps, strict=True)
    }


def _requirements(run: PastRun) -> dict[str, str]:
    named = _numbered([one.requirement for one in run.verdicts])
    told = ("holds" if one.passed else "fails" for one in run.verdicts)
    return {
        name: f"{words}, the file has {'no class' if one.achieved is None else f'{one.achieved:g}'}"
        for name, words, one in zip(named, told, run.verdicts, strict=True)
    }


def _risks(run: PastRun) -> dict[str, str]:
    named = _numbered([f"{one.scenario}: {one.name} ({one.method})" for one in run.risks])
    return {
        name: "no value" if one.value is None else f"{one.value:.6g}"
        for name, one in zip(named, run.risks, strict=True)
    }


def _attacks(run: PastRun) -> dict[str, str]:
    named = _numbered([f"{one.scenario}: {one.attack}" for one in run.attacks])
    return {
        name: one.incomplete or one.why or "not tried"
        if one.success is None or one.incomplete
        else f"{one.success.hits:,} right of {one.success.tries:,}"
        for name, one in zip(named, run.attacks, strict=True)
    }


def _utility(run: PastRun) -> dict[str, str]:
    verdicts = {name: "keeps" if passed else "breaks" for name, passed in run.use_cases.items()}
    return {**verdicts, **{f"loss: {name}": f"{value:.6g}" for name, value in run.loss.items()}}


def _numbered(names: Sequence[str]) -> list[str]:
    """Names, each once: those that come again get a number."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} [{seen[name]}]")
    return found
