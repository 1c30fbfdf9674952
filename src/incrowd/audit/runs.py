"""The runs of a folder, each at a glance; and single files of a run, each as it was sealed or not at all.

Whoever hands out one file need not read a release of many gigabytes again: the manifest is signed, and names its bytes.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO, get_args

from incrowd.audit.archive import places
from incrowd.audit.checked import Trust, read_manifest
from incrowd.audit.manifest import MANIFEST, SECRET_FILE, SIGNATURE, AuditManifest, FileEntry, entry_of
from incrowd.audit.past import PastRun
from incrowd.audit.signatures import ADDITION, read_signatures
from incrowd.errors import InputError, SecretError
from incrowd.keys.unit_name import UnitName
from incrowd.plan import json_tree
from incrowd.plan.tiers import TierName
from incrowd.plan.verdict import Verdict

#: How the name of a run ends that released nothing.
REFUSED = "-refused"


@dataclass(frozen=True)
class KeptRun:
    """Where a run is: its name, after its tier where it lies in the folder of one."""

    name: str
    folder: Path
    current: bool  # the pointer `release` names it

    @property
    def refused(self) -> bool:
        """Whether the gate kept the file back."""
        return self.folder.name.endswith(REFUSED)

    @property
    def began(self) -> float:
        """The second its name tells, whenever its files were copied here; 0 where it tells none."""
        try:
            return time.mktime(time.strptime(self.folder.name[:15], "%Y%m%d-%H%M%S"))
        except ValueError:
            return 0.0

    @property
    def when(self) -> str:
        """Day and time, as its name tells them.

        >>> KeptRun("x", Path("runs/20260331-120159-a1b2c3"), False).when
        '2026-03-31 12:01'
        """
        day, _, rest = self.folder.name.partition("-")
        if not (len(day) == 8 and day.isdigit() and rest[:4].isdigit()):
            return "unknown"
        return f"{day[:4]}-{day[4:6]}-{day[6:]} {rest[:2]}:{rest[2:4]}"


def kept_runs(home: Path) -> tuple[KeptRun, ...]:
    """Every run of a folder and of its tiers, also those that were refused; the newest first. Links are no runs."""
    return tuple(sorted(_runs(home), key=_age, reverse=True))


def _age(run: KeptRun) -> tuple[str, int, str]:
    """By its name, which has a second; two of one second by when they were sealed."""
    sealed = run.folder / "audit" / MANIFEST
    return run.folder.name[:15], sealed.stat().st_mtime_ns if sealed.is_file() else 0, run.folder.name


def _runs(home: Path) -> Iterator[KeptRun]:
    for tier in ("", *get_args(TierName)):
        place = home / tier / "runs"
        if place.is_symlink() or place.parent.is_symlink() or not place.is_dir():
            continue
        pointer = home / tier / "release"
        pointed = Path(os.readlink(pointer)).parent.name if pointer.is_symlink() else ""
        for folder in place.iterdir():
            if not folder.name.startswith(".") and not folder.is_symlink() and (folder / "audit").is_dir():
                yield KeptRun(f"{tier}/{folder.name}" if tier else folder.name, folder, folder.name == pointed)


@dataclass(frozen=True)
class Glance:
    """A run in a few figures, from its sealed log."""

    title: str
    tier: str
    past: PastRun
    verdicts: tuple[Verdict, ...]
    at_start: tuple[float | None, ...]  # for each verdict, the figure of the file as it came
    keys: tuple[str, ...]  # of the file as it leaves
    people: int
    called: UnitName
    notes: tuple[str, ...]  # what the steps say of themselves

    @property
    def came(self) -> int:
        """How many records came."""
        return self.past.steps[0].records

    @property
    def records(self) -> int:
        """How many records leave."""
        return self.past.steps[-1].records

    @property
    def smallest(self) -> int:
        """How many are in the smallest class of the file as it leaves."""
        return self.past.steps[-1].smallest


def glance(run: Path, trust: Trust | None = None) -> Glance:
    """What happened in a run, from its log as it was sealed."""
    with open_sealed(run, "audit/log.json", trust) as file:
        content = file.read()
    try:
        log: dict[str, Any] = json_tree(content)
        known = {field.name for field in fields(Verdict)}
        verdicts = tuple(Verdict(**{n: v for n, v in one.items() if n in known}) for one in log["verdicts"])
        end = log["steps"][-1]["after"]
        return Glance(
            str(log["title"]), str(log["tier"]), PastRun.of(log), verdicts, tuple(log.get("at_start", ())),
            tuple(end["keys"]), int(end["people"]), UnitName(**log.get("called", {})),
            tuple(note for step in log["steps"] for note in step.get("notes", ())),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        message = "the log of this run is not as this version of incrowd writes it."
        raise InputError("D438", message, "Open its reports, or run the plan again.") from None


def sealed_files(run: Path, trust: Trust | None = None) -> dict[str, FileEntry]:
    """Every file that somebody known vouches for, by its name in the run: audit/report.html, release/people.csv.

    The bytes on the disk are not looked at. The secret is none of them: whoever has it can make the release again.
    """
    audit, _, home = places(run)
    if audit is None:
        raise InputError("D436", "this is no run: it has no audit.", "Choose one of the runs of the plan.")
    known = (trust or Trust()).known(home)
    content, signature, manifest = _vouched(audit, known)
    found = {f"release/{entry.name}": entry for entry in manifest.release}
    found |= {f"audit/{name}": entry_of(name, held) for name, held in ((MANIFEST, content), (SIGNATURE, signature))}
    found |= {f"audit/{entry.name}": entry for entry in manifest.files if entry.name != SECRET_FILE}
    for one in read_signatures(audit, content):
        said = one.statement
        if (
            said is not None
            and said.kind == ADDITION
            and said.file is not None
            and not one.problem
            and one.key in known
        ):
            found[f"audit/{said.file.name}"] = said.file
    return found


def open_sealed(run: Path, name: str, trust: Trust | None = None) -> BinaryIO:
    """A file of a run, open to be read: with the bytes that were sealed by somebody known, or an error.

    Only what the manifest lists is found, whatever lies there besides, and no link is followed.
    """
    entry = sealed_files(run, trust).get(name)
    path = run / name
    if entry is None or ".." in path.parts or not path.resolve().is_relative_to(run.resolve()):
        raise InputError("D436", "this run has no such file.", "Choose one of the files that are listed.")
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb")
    except OSError:
        raise InputError("D437", f"{entry.name} is not there any more, or is a link.", _CHANGED) from None
    if (
        os.fstat(file.fileno()).st_size != entry.bytes
        or hashlib.file_digest(file, "sha256").hexdigest() != entry.sha256
    ):
        file.close()
        raise InputError("D437", f"{entry.name} is not as it was sealed: its bytes were changed.", _CHANGED)
    file.seek(0)
    return file


_CHANGED = "It is not handed out. Take an unchanged copy, or run the plan again."


def _vouched(audit: Path, known: tuple[object, ...]) -> tuple[bytes, bytes, AuditManifest]:
    """The audit's manifest and its signature, when somebody known has signed it."""
    try:
        content, signature = ((audit / name).read_bytes() for name in (MANIFEST, SIGNATURE))
        manifest = read_manifest(content)
        key = None if manifest is None else manifest.key
    except (OSError, SecretError):
        manifest = key = None
    if manifest is None or key is None:
        raise InputError("D438", "nobody vouches for this run: it has no signature.", "Run the plan again.")
    if not key.verifies(signature, content):
        raise InputError("D437", "the signature of this run does not fit its manifest: one was changed.", _CHANGED)
    if key not in known:
        message = f"this run was signed with a key that is not known here ({key.fingerprint})."
        raise InputError("D438", message, "If the fingerprint is the one you were given, trust the key: its .pub file.")
    return content, signature, manifest
