"""A run as it was kept: found from any of its folders, and its plan made ready to be carried out again."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from incrowd.audit.checked import Trust, check, read_manifest, refuse
from incrowd.audit.inputs import input_entry
from incrowd.audit.manifest import SECRET_FILE, SIGNATURE, AuditManifest, InputEntry, entry_of, hash_file
from incrowd.audit.seal import CHANGED, SealedFile
from incrowd.audit.workspace import open_workspace
from incrowd.errors import InputError
from incrowd.plan import Inspection, Plan, inspect_plan, json_tree
from incrowd.plan.files import SOURCE, NamedFile, named_files, with_files
from incrowd.secret import Secret


@dataclass(frozen=True)
class FoundInput:
    """A file that a plan names, compared with the one that the run read."""

    place: str
    name: str
    state: str  # same, differs, missing, or unknown where the audit has no hash
    where: str  # what was compared: "the audit's copy", or "the file"
    path: Path | None = None

    @property
    def ready(self) -> bool:
        """Whether it is the file that the run read."""
        return self.state == "same"


def places(path: Path) -> tuple[Path | None, Path | None, Path | None]:
    """The audit and the release behind one of a run's folders, and the folder that has the runs; None for each that is
    not there.

    Nothing is followed but the pointer to a release, and that only to a run beside it: a link to a run elsewhere would
    bring the keys from there. An audit that is there counts as one, whatever is left in it.
    """
    given = _followed(Path(os.path.abspath(path)))
    if not os.path.lexists(path):
        raise InputError("D000", f"there is no file or folder {path}.")
    run = given.parent if given.name in ("release", "audit") else given
    audit = run / "audit" if os.path.lexists(run / "audit") else given
    release = run / "release" if os.path.lexists(run / "release") else None
    for folder in (run, audit, *([] if release is None else [release])):
        if folder.is_symlink() or not folder.is_dir():
            _no_folder(folder)
    # A folder with a plan alone is where somebody works, and no audit.
    there = audit.name == "audit" or ((audit / "plan.yaml").is_file() and (audit / "log.json").is_file())
    home = run.parent.parent if run.parent.name == "runs" else None
    return audit if there else None, release, home


def _followed(path: Path) -> Path:
    """The folder behind the pointer to a release; every other path as it is."""
    if path.name == "release" and path.is_symlink():
        target = Path(os.readlink(path))
        if len(target.parts) == 3 and (target.parts[0], target.parts[2]) == ("runs", "release"):
            return path.parent / target
    return path


def _no_folder(path: Path) -> None:
    if path.is_symlink():
        raise InputError("D295", f"{path} is a link, so what lies there is no run of this folder.", "Name the folder.")
    if path.exists():
        raise InputError(
            "D192", f"{path} is no folder of a run.", "Name the folder of a run, its release or its audit."
        )


@dataclass(frozen=True)
class Archive:
    """Where a run is kept. `release` is None where only its audit is here, or where nothing was released."""

    audit: Path
    release: Path | None
    home: Path  # where the plan's files are looked for
    manifest: AuditManifest | None  # what the run was made with and from; None in an audit of an early version
    signed: bool  # whether somebody vouches for it

    @staticmethod
    def find(path: Path, folder: Path | None = None, trust: Trust = Trust()) -> Archive:  # noqa: B008
        """The run behind its folder, its release, its audit, or the pointer to its release: as it was sealed, by a key
        that is known, or an error.

        `folder` says where the files of the plan are; left out, they are looked for where the run was.
        """
        audit, release, home = places(path)
        if audit is None:
            message = f"{path} has no audit beside it, so nobody can tell how it was made."
            raise InputError("D192", message, "Name the folder of a run, runs/ID, its release or its audit.")
        manifest = read_manifest(check(audit, release, home, trust))
        if folder is None and manifest is not None and home is not None:
            folder = home / manifest.folder
        run = audit.parent if audit.name == "audit" else audit
        signed = (audit / SIGNATURE).is_file()  # and then it holds, or there would be an error
        return Archive(audit, release, (folder or home or run).resolve(), manifest, signed)

    def _read(self, name: str) -> str:
        """A file of the audit, as it was sealed: it may change after the first look."""
        content = (self.audit / name).read_bytes()
        listed = {} if self.manifest is None else {entry.name: entry for entry in self.manifest.files}
        if name in listed and entry_of(name, content) != listed[name]:
            refuse([SealedFile(f"audit/{name}", CHANGED)])
        return content.decode()

    @property
    def plan(self) -> Plan:
        """The plan as it was run. Files that it names may be elsewhere now."""
        return self._inspection().sound()

    def _inspection(self) -> Inspection:
        """The plan, and where its parts stood in the form that it was written in: a manifest names them by that."""
        found = inspect_plan(self._read("plan.yaml"), self.home)
        return replace(found, faults=[fault for fault in found.faults if fault.code not in {"P020", "P047", "P092"}])

    def places_now(self) -> dict[str, str]:
        """Where each file is named in the plan as it is written now, by the place that the manifest has."""
        found = self._inspection()
        return {found.written(file.place): file.place for file in named_files(found.sound())}

    @property
    def secret(self) -> Secret:
        """The secret behind it; custodians may delete it when nobody needs to repeat the release."""
        if not (self.audit / SECRET_FILE).is_file():
            message = "the audit has no secret, so nobody can tell how its release was made."
            raise InputError("D192", message, "Put the secret back if you keep it elsewhere.")
        try:
            return Secret(bytes.fromhex(self._read(SECRET_FILE).strip()))
        except (OSError, ValueError):
            raise InputError("D235", "the secret of this audit cannot be read.") from None

    @property
    def log(self) -> dict[str, Any]:
        """What happened in the run, as it was written down."""
        try:
            content: dict[str, Any] = json_tree(self._read("log.json"))
            if not isinstance(content, dict):
                raise ValueError
        except (OSError, ValueError):
            raise InputError("D236", "the log of this audit cannot be read.", "Name an audit that is whole.") from None
        return content

    def inputs(self, original: Path | None = None, copies: bool = True) -> list[FoundInput]:
        """Every file that the plan names: is it the one that the run read?

        With `copies`, the small ones that the audit kept are taken from there.
        """
        manifest = self.manifest
        known = {} if manifest is None else {entry.place: entry for entry in manifest.inputs}
        inspection = self._inspection()
        plan, then = inspection.sound(), inspection.written
        found = [self._input(file, known.get(then(file.place)), original, copies) for file in named_files(plan)]
        if plan.data.database:
            found.insert(0, FoundInput(SOURCE, "a table", "unknown", "a table has no hash"))
        return found

    def _input(self, file: NamedFile, entry: InputEntry | None, original: Path | None, copies: bool) -> FoundInput:
        name = file.name if entry is None else entry.name
        if entry is not None and entry.copy is not None and copies:
            path, where = self.audit / entry.copy, "the audit's copy"
        else:
            path, where = self.home / file.name, "the file"
            if file.place == SOURCE and original is not None:
                path = original.resolve()
        if not path.exists():
            return FoundInput(file.place, Path(name).name, "missing", where)
        if entry is None:
            return FoundInput(file.place, path.name, "unknown", where, path)
        now = input_entry(NamedFile(file.place, str(path), file.about_people), path.parent)
        same = now is not None and (now.sha256, dict(now.parts)) == (entry.sha256, dict(entry.parts))
        return FoundInput(file.place, Path(name).name, "same" if same else "differs", where, path)

    def changed_since(self) -> list[str]:
        """The names of files that the audit has a copy of, and that are others where they lay."""
        manifest, inspection = self.manifest, self._inspection()
        files = {inspection.written(file.place): self.home / file.name for file in named_files(inspection.sound())}
        return [
            entry.name
            for entry in (() if manifest is None else manifest.inputs)
            if entry.copy is not None
            and entry.place in files
            and files[entry.place].is_file()
            and hash_file(files[entry.place]) != entry.sha256
        ]

    @contextmanager
    def staged(self, found: list[FoundInput], original: Path | None = None) -> Iterator[tuple[Plan, Path, Path]]:
        """The plan with its files where they were found, the folder that it is run in, and a private one to work in.

        `original` stands in for a database: records that were read from one may be in a file by now.
        The private folder lies among the runs where there are any, so that the next start clears what a kill leaves.
        """
        with ExitStack() as stack:
            if (self.home / "runs").is_dir():
                private = stack.enter_context(open_workspace(self.home)).private
            else:
                private = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="incrowd-")))
            folder = private / "again"
            folder.mkdir(mode=0o700)
            plan, moved = self.plan, {}
            fixed = {file.place: file.name for file in named_files(plan) if file.fixed}
            for file in found:
                if file.path is not None and file.place in fixed:
                    place = folder / fixed[file.place]
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file.path, place)
                elif file.path is not None:
                    moved[file.place] = str(file.path)
            plan = with_files(plan, moved)
            if plan.data.database and original is not None:
                data = plan.data.model_copy(update={"source": str(original.resolve())})
                plan = plan.model_copy(update={"data": data})
            # Nothing is published on the way, not even to the table that the plan names.
            plan = plan.model_copy(update={"release": plan.release.model_copy(update={"table": None})})
            yield plan, folder, private
