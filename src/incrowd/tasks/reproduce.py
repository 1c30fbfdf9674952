"""Does an audit make its release again, byte by byte?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from incrowd.attack.value import TOGETHER, Attacked
from incrowd.audit.archive import Archive
from incrowd.audit.checked import Trust
from incrowd.audit.manifest import MANIFEST, SIGNATURE, AuditManifest, hash_file, versions
from incrowd.audit.past import PastRun
from incrowd.audit.signing import Signer
from incrowd.errors import InputError, NotReleasable
from incrowd.machine.paths import as_path
from incrowd.pipeline import Progress, run
from incrowd.pipeline.job import Circumstances
from incrowd.rows.result import Line, Result, plain_fields


@dataclass(frozen=True)
class ComparedInput:
    """A file that the run read: `state` is same, differs, missing, or unknown where the audit has no hash of it."""

    place: str
    name: str
    state: str
    where: str


@dataclass(frozen=True)
class ComparedFile:
    """A file of the release: as it lies there now, and as it was made again.

    Each is same, differs or missing, or None where there is nothing to compare: no release beside the audit, or
    nothing made again because an input is not what it was.
    """

    name: str
    stored: str | None
    again: str | None


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """What was compared, inputs first."""

    inputs: tuple[ComparedInput, ...]
    files: tuple[ComparedFile, ...]
    versions: Mapping[str, tuple[str | None, str | None]]  # those that differ: then and now
    changed_since: tuple[str, ...]  # files whose copy in the audit was used, and that are others where they lay
    data: str  # the name of the data file, or of the folder of its parts
    plan: str  # same or differs: the audit's plan, by its hash
    refused: str | None  # the code of a refusal, where the plan would not be released any more
    signed: bool = True  # whether somebody vouches for the audit that it was compared with

    @property
    def same(self) -> bool:
        """Whether every input is what it was, and every file came out, and still lies there, with the same bytes."""
        inputs = all(entry.state in ("same", "unknown") for entry in self.inputs)
        files = all(file.again == "same" and file.stored in ("same", None) for file in self.files)
        return inputs and files and bool(self.files) and self.plan == "same"

    @property
    def data_same(self) -> bool:
        """Whether at least the data came out with the same bytes: other versions may write other words beside it."""
        parts = [f.again for f in self.files if f.name == self.data or f.name.startswith(f"{self.data}/")]
        return bool(parts) and all(again == "same" for again in parts)

    def _told(self) -> str:
        if self.same:
            return f"the same again: {len(self.inputs)} inputs, {len(self.files)} files"
        return f"not the same; the data {'are' if self.data_same else 'are not, or were not made again'}"

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(one) for one in self.files]


def reproduce(
    path: str | Path,
    *,
    original: str | Path | None = None,
    folder: str | Path | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
    within: Callable[[float], None] | None = None,
    trust: Trust | None = None,
) -> Reproduction:
    """Carry the plan of an audit out again in a private folder and compare the bytes. Nothing is published.

    `path` is a run's folder, its release, its audit, or the pointer to the release. `original` is the data where it is
    now; `folder` where all other files of the plan are: left out, the audit's own copies are used, and large files are
    looked for where the run was. `trust` says whose signature counts.

    >>> ic.reproduce(done.folder).same
    True
    """
    archive = Archive.find(as_path(path), None if folder is None else Path(folder), trust or Trust())
    manifest = archive.manifest
    if manifest is None:
        raise InputError("D237", "this audit has no manifest to compare with.", "Audits of earlier versions have none.")
    if not manifest.release:
        raise InputError("D238", "this run was refused, so there is no release to make again.")
    source = None if original is None else as_path(original)
    found = archive.inputs(source, copies=folder is None)
    inputs = tuple(ComparedInput(each.place, each.name, each.state, each.where) for each in found)
    stored = _hashes(archive.release)
    plan = "same" if hash_file(archive.audit / "plan.yaml") == manifest.plan_sha256 else "differs"
    again: dict[str, str] | None = None
    refused, key = None, manifest.key
    if plan == "same" and all(each.state in ("same", "unknown") for each in inputs):
        with archive.staged(found, source) as (ready, where, private):
            try:
                done = run(
                    ready, folder=where, out=private / "out-again", secret=archive.secret, memory=memory,
                    progress=progress, within=within, signer=None if key is None else Signer(key),
                    circumstances=Circumstances(
                        together=_together(archive),
                        source_hidden=bool(archive.log.get("source_hidden")),
                        signed=key is not None,
                    ),
                )  # fmt: skip
                again = _signed(manifest, _hashes(done.release) or {})
            except NotReleasable as refusal:
                refused = refusal.code
    since = tuple(archive.changed_since()) if folder is None else ()
    files, name = _files(manifest, stored, again), archive.plan.release.file
    return Reproduction(inputs, files, changed_versions(manifest), since, name, plan, refused, archive.signed)


def changed_versions(manifest: AuditManifest) -> dict[str, tuple[str | None, str | None]]:
    """The packages whose version here is another one than in the audit: then and now."""
    now = versions()
    names = sorted({*manifest.versions, *now})
    return {name: (manifest.versions.get(name), now.get(name)) for name in names
            if manifest.versions.get(name) != now.get(name)}  # fmt: skip


def _together(archive: Archive) -> tuple[Attacked, ...]:
    """Attacks with another file of the same plan: this one alone cannot repeat them, and the report names them."""
    return tuple(one for one in PastRun.of(archive.log).attacks if one.scenario.startswith(TOGETHER))


def _signed(manifest: AuditManifest, again: dict[str, str]) -> dict[str, str]:
    """With the signature of its manifest: nobody signs here, but the same manifest and key have the same one."""
    then = {entry.name: entry.sha256 for entry in manifest.release}
    same = MANIFEST in again and again[MANIFEST] == then.get(MANIFEST)
    return {**again, SIGNATURE: then[SIGNATURE]} if same and SIGNATURE in then else again


def _hashes(release: Path | None) -> dict[str, str] | None:
    if release is None:
        return None
    return {
        path.relative_to(release).as_posix(): hash_file(path) for path in sorted(release.rglob("*")) if path.is_file()
    }


def _files(
    manifest: AuditManifest, stored: Mapping[str, str] | None, again: Mapping[str, str] | None
) -> tuple[ComparedFile, ...]:
    then = {entry.name: entry.sha256 for entry in manifest.release}

    def state(now: Mapping[str, str] | None, name: str) -> str | None:
        if now is None:
            return None
        if name not in now:
            return "missing"
        return "same" if now[name] == then.get(name) else "differs"

    names = sorted({*then, *(stored or {}), *(again or {})})
    return tuple(ComparedFile(name, state(stored, name), state(again, name)) for name in names)
