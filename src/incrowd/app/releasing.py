"""The runs of the open plan as the page Release shows them: what the gate found, in words, and what can be taken."""

from __future__ import annotations

import secrets
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from incrowd.app.jobs import Job
from incrowd.app.sessions import Session
from incrowd.audit.archive import Archive
from incrowd.audit.checked import FINE, Trust
from incrowd.audit.manifest import FileEntry
from incrowd.audit.runs import Glance, KeptRun, glance, kept_runs, open_sealed, sealed_files
from incrowd.audit.signing import PublicKey, known_here
from incrowd.errors import IncrowdError, InputError
from incrowd.plan.files import stamps
from incrowd.plan.verdict import Verdict
from incrowd.report.board.paper import Paper
from incrowd.report.files import PAPER
from incrowd.report.words import ATTACK, figure, limit, listed, measured
from incrowd.tasks._recount import plan_of
from incrowd.tasks.audit_verify import audit_verify

#: What the files of a run are, by the end of their names.
KINDS = {
    "release/report.html": "the public report: goes with the file",
    "release/dictionary.csv": "what each column and each value means",
    "release/datapackage.json": "the file described for programs (Frictionless data package)",
    "-metadata.json": "the file described for programs (CSV on the Web)",
    "release/series.json": "which series of releases it belongs to",
    "release/manifest.json": "name, size and SHA-256 of every file of the release",
    "audit/manifest.json": "what the run was made with and from, and the SHA-256 of every file",
    "manifest.json.sig": "the signature of the manifest",
    "audit/report.html": "the internal report: every figure behind the decision",
    "audit/decision.html": "the decision paper: two pages to read and to sign",
    "audit/decision.json": "the decision paper, for programs",
    "audit/plan.yaml": "the plan as it was run",
    "audit/log.json": "what happened, step by step, for programs",
    ".pdf": "printed",
    ".docx": "as a Word document",
}
#: What a run has to read, in the order in which it is read: address, its name, and whether it may leave.
READ = (
    ("audit/decision.html", "Decision paper", False),
    ("audit/report.html", "Internal report", False),
    ("release/report.html", "Public report", True),
)


@dataclass(frozen=True)
class Row:
    """One requirement at the gate: what was asked, what the file had as it came, what was counted as it leaves."""

    words: str
    asked: str
    came: str
    found: str
    measures: str
    passed: bool


@dataclass(frozen=True)
class Item:
    """A file of a run to take."""

    address: str
    name: str
    what: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Shown:
    """One run, ready to be shown."""

    run: KeptRun
    glance: Glance
    paper: Paper | None
    required: tuple[Row, ...]
    limits: tuple[Row, ...]  # to attacks
    leaves: tuple[Item, ...]
    stays: tuple[Item, ...]
    reads: tuple[tuple[str, str, bool], ...]

    @property
    def data(self) -> Item | None:
        """The released file itself, where it is one file."""
        return next((one for one in self.leaves if one.what == RECORDS), None)


RECORDS = "the released records"
#: Where the session keeps which runs were there when the last one began.
BEFORE = "runs before"


def trust_of(session: Session) -> Trust:
    """Whose signatures count: the key of the runs, and those that this session was told to trust."""
    project = session.need_project()
    return Trust((*known_here(project.home), *trusted(session).values()))


def trusted(session: Session) -> dict[str, PublicKey]:
    """The keys that this session was told to trust, by their files."""
    found = session.kept.setdefault("trusted", {})
    assert isinstance(found, dict)
    return found


def runs_of(session: Session) -> tuple[KeptRun, ...]:
    """Every run of the open plan, the newest first; none where no plan is open."""
    return () if session.project is None else kept_runs(session.project.home)


def find_run(session: Session, name: str) -> KeptRun:
    """The run of this name among those of the open plan, and of nobody else's."""
    for one in runs_of(session):
        if one.name == name:
            return one
    raise InputError("D439", "the open plan has no such run.", "Choose one of its runs on the page Release.")


def split_address(session: Session, address: str) -> tuple[KeptRun, str]:
    """A run, and the rest of an address that begins with its name."""
    for one in runs_of(session):
        if address.startswith(f"{one.name}/"):
            return one, address[len(one.name) + 1 :]
    raise InputError("D439", "the open plan has no such run.", "Choose one of its runs on the page Release.")


def current(runs: tuple[KeptRun, ...]) -> KeptRun | None:
    """The run to show when none is named: what the pointer `release` names, or else the newest that released."""
    released = [one for one in runs if not one.refused]
    return next((one for one in released if one.current), released[0] if released else None)


def refused_by(session: Session, job: Job) -> KeptRun | None:
    """The audit that a refused run has left, of this very job: a refused one that was not there when it began."""
    before = session.kept.get(BEFORE)
    if not job.code.startswith("R") or not isinstance(before, frozenset):
        return None
    return next((one for one in runs_of(session) if one.refused and one.name not in before), None)


def show_run(session: Session, run: KeptRun) -> Shown:
    """All that the page tells of a run."""
    trust = trust_of(session)
    told, files = glance(run.folder, trust), sealed_files(run.folder, trust)
    paper = None
    if f"audit/{PAPER}" in files:
        with open_sealed(run.folder, f"audit/{PAPER}", trust) as file:
            paper = Paper.read(file.read().decode())
    rows = [(verdict.model == ATTACK, _row(told, i, verdict)) for i, verdict in enumerate(told.verdicts)]
    items = [_item(run, name, entry) for name, entry in sorted(files.items())]
    leaves = sorted((one for one in items if one.name.startswith("release/")), key=lambda one: one.what != RECORDS)
    return Shown(
        run,
        told,
        paper,
        tuple(row for attack, row in rows if not attack),
        tuple(row for attack, row in rows if attack),
        tuple(leaves),
        tuple(one for one in items if one.name.startswith("audit/")),
        tuple((f"{run.name}/{name}", words, leaves) for name, words, leaves in READ if name in files),
    )


def _row(told: Glance, number: int, verdict: Verdict) -> Row:
    came = figure(told.at_start[number]) if number < len(told.at_start) else "not measured"
    return Row(
        told.called.say(verdict.requirement), limit(verdict), came, figure(verdict.achieved),
        told.called.say(measured(verdict)), verdict.passed,
    )  # fmt: skip


def _item(run: KeptRun, name: str, entry: FileEntry) -> Item:
    what = next((words for end, words in KINDS.items() if name.endswith(end)), "")
    if not what:
        what = RECORDS if name.startswith("release/") else "a copy of a file that the plan names"
    return Item(f"{run.name}/{name}", name, what, entry.bytes, entry.sha256)


def why_safe(told: Glance) -> Iterator[str]:
    """Why the file may leave, for somebody who has never heard of any of it."""
    if told.smallest > 1 and told.keys:
        yield told.called.say(
            f"Whoever knows {listed(told.keys, 8)} of a person in the file finds at least {told.smallest:,} people who "
            f"look the same, and cannot tell which of them it is (k-anonymity with k = {told.smallest:,})."
        )
    yield (
        "Nobody took that on trust: after the file was written it was read again from the disk, and counted by other "
        "code than the code that had protected it (the gate). Had one requirement failed, there would be no file."
    )


def forged(session: Session, run: KeptRun) -> tuple[str, ...]:
    """What of a run is not as it was sealed, in words. Who has signed it off is another question."""
    seal = audit_verify(run.folder, trust=trust_of(session))
    changed = tuple(file.told for file in seal.files if file.state not in FINE)
    return changed if seal.signature == "valid" else (*changed, f"the signature is {seal.signature}")


def changed_inputs(session: Session, run: KeptRun, home: Path, trust: Trust) -> tuple[str, ...]:
    """The files that the plan of a run names and that are others by now. Only where one was touched after the run are
    their bytes compared, and once: they may be large, so nobody may wait for it (`session.measuring`).
    """
    now = stamps(plan_of(run.folder, trust), home)
    if all(_untouched(home / name, run.began) for name in now):
        return ()
    known = session.kept.get(f"inputs of {run.name}")
    if isinstance(known, tuple) and known[0] == now:
        found: tuple[str, ...] = known[1]
        return found
    try:
        inputs = Archive.find(run.folder, trust=trust).inputs(copies=False)
    except IncrowdError:  # a run that is not as it was sealed: `forged` says so
        inputs = []
    found = tuple(dict.fromkeys(one.name for one in inputs if one.state in ("differs", "missing")))
    session.kept[f"inputs of {run.name}"] = (now, found)
    return found


def _untouched(path: Path, since: float) -> bool:
    try:
        seen = path.stat()
    except OSError:
        return False
    return not path.is_dir() and max(seen.st_mtime, seen.st_ctime) <= since


def packed(folder: Path, run: KeptRun, part: str, trust: Trust) -> Path:
    """All sealed files of `release` or of `audit` in a ZIP of its own in `folder`. The secret is never in it."""
    place = folder / f"{part}-{run.folder.name}-{secrets.token_hex(4)}.zip"
    names = [name for name in sorted(sealed_files(run.folder, trust)) if name.startswith(f"{part}/")]
    if not names:
        raise InputError("D436", "this run has released nothing.", "Choose a run that has.")
    try:
        with zipfile.ZipFile(place, "w") as out:
            for name in names:
                with (
                    open_sealed(run.folder, name, trust) as file,
                    out.open(_entry(name), "w", force_zip64=True) as copy,
                ):
                    shutil.copyfileobj(file, copy, 1 << 20)
            signed = run.folder / "audit" / "signatures"
            for each in sorted(signed.glob("*.json")) if part == "audit" and not signed.is_symlink() else ():
                if each.is_file() and not each.is_symlink():
                    out.writestr(_entry(f"audit/signatures/{each.name}"), each.read_bytes())
    except BaseException:
        place.unlink(missing_ok=True)  # half of one is none
        raise
    return place


def _entry(name: str) -> zipfile.ZipInfo:
    """A file of a ZIP, without a date: the same files give the same ZIP."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
