"""How a file or a plan is opened: where its plan is put, what came in the way, and what is cleared up again.

A file on this machine stays where it is, and its plan goes into a folder beside the others. An upload, or an example,
lives in the session's private folder and goes with it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incrowd.app.data_work import Look
from incrowd.app.looking import PAGE, keep
from incrowd.app.sessions import Session
from incrowd.errors import InputError
from incrowd.machine.paths import must_be_file
from incrowd.plan import inspect_plan, is_plan, read_text
from incrowd.rows.source import DATABASE

KEPT, ALREADY, PLAN = "opening", "already", "plan.yaml"
#: The examples: what they are called, and what they show.
EXAMPLES = {
    "demo": ("Household finances", "100,000 people in a survey: seven columns single out nearly everybody."),
    "census": ("Census teaching file", "40,000 people with ethnic group, religion and health; a sample is opened."),
    "energy": ("Energy of homes", "40,000 homes with their consumption: what a passer-by knows of a house."),
    "further-education": ("Further education", "40,000 enrolments: rare courses give people away."),
}


@dataclass(frozen=True)
class Opening:
    """A file that is being opened; `fault` is what came in the way, with its code."""

    source: str  # where it is: a path, or a database
    home: Path  # where its plan goes
    own: bool  # the folder is the session's
    made: bool = False  # the folder was made for it
    asked: str = ""  # where its plan was asked to go: what is not said follows the name of the next file
    example: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    fault: str = ""
    code: str = ""
    detail: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called, for people."""
        if self.example:
            return EXAMPLES[self.example][0]
        return "the database" if self.source.startswith(DATABASE) else Path(self.source).name


def failed(session: Session) -> Opening | None:
    """What could not be opened last."""
    found = session.kept.get(KEPT)
    return found if isinstance(found, Opening) and found.fault else None


def open_path(session: Session, given: str, home: str, base: Path, settings: Mapping[str, Any],
              reading: Mapping[str, Any]) -> None:  # fmt: skip
    """Open what somebody named: a plan as it is; records with a plan of their own, which is made unless it is there."""
    if given.startswith(DATABASE):
        path, source = base / "database", given
    else:
        path = _path(given, base)
        source = str(path)
        must_be_file(path, folder=True, hint="Look at the path: is a folder or the ending wrong?")
        if path.is_dir() and (path / PLAN).is_file():
            path = path / PLAN
        if is_plan(path):
            discard(session)
            session.open_plan(path, own=False)
            return
    place = _path(home, base) if home else base / f"incrowd-{_stem(path)}"
    if (place / PLAN).exists():
        _open_there(session, place / PLAN, source)
        return
    try:
        made = not place.exists()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder {place} cannot be made ({error.strerror})."
        raise InputError("D418", message, "Name another one under 'Where its plan goes'.") from None
    begin(session, Opening(source, place, False, made, home, settings=settings, reading=reading))


def _open_there(session: Session, plan: Path, source: str) -> None:
    """A plan that is there already is opened, and never written over; one for another file is not taken for it."""
    found = inspect_plan(read_text(plan), plan.parent).plan
    place = None if found is None else str(found.data.place(plan.parent))
    if place is not None and place != source and os.path.realpath(place) != os.path.realpath(source):
        message = f"{plan.parent} holds a plan for another file already."
        raise InputError("D420", message, "Name another folder under 'Where its plan goes', or open that plan.")
    discard(session)
    session.open_plan(plan, own=False)
    session.kept[ALREADY] = True  # said as long as it is open


def new_home(session: Session) -> Path:
    """A folder for an upload or an example, in the session's private one."""
    folder = session.folder / "files"
    folder.mkdir(mode=0o700, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix="file-", dir=folder))


def open_example(session: Session, name: str) -> None:
    """One of the examples, made anew."""
    if name not in EXAMPLES:
        raise InputError("D416", "there is no such example.", "Choose one of those that are shown.")
    home = new_home(session)
    begin(session, Opening(str(home), home, True, True, example=name))


def begin(session: Session, opening: Opening) -> None:
    """Start the work; what could not be opened before is cleared up."""
    discard(session, but=opening.home)
    session.kept[KEPT] = replace(opening, fault="", code="", detail=())
    if opening.example == "demo":
        session.begin(PAGE, "Making the demo:", "make_demo", str(opening.home))
    elif opening.example:
        session.begin(PAGE, f"Making {opening.name}:", "make_ons", str(opening.home), opening.example)
    else:
        session.begin(
            PAGE, f"Opening {opening.name}:", "begin_plan", opening.source, str(opening.home / PLAN),
            dict(opening.settings), dict(opening.reading),
        )  # fmt: skip


def settle(session: Session) -> None:
    """Take what an opening has come to: the plan is opened, or the fault is kept to be shown."""
    opening, job = session.kept.get(KEPT), session.jobs.get(PAGE)
    if not isinstance(opening, Opening) or opening.fault or job is None or job.state == "running":
        return
    del session.jobs[PAGE]
    if job.state == "done":
        session.open_plan(opening.home / PLAN, own=opening.own)
        if isinstance(job.result, Look):
            keep(session, job.result)
        where = "" if opening.own else f", and its plan is saved as {opening.home / PLAN}"
        session.say(f"{opening.name} is open{where}.")
    elif job.state == "failed":
        session.kept[KEPT] = replace(opening, fault=job.fault, code=job.code, detail=job.detail)
        _unmake(opening, keep_upload=True)
    else:
        del session.kept[KEPT]
        _unmake(opening)
        session.say(f"{opening.name}: cancelled. Nothing was changed.", "plain")


def discard(session: Session, but: Path | None = None) -> None:
    """Forget what could not be opened, with its upload."""
    opening = session.kept.pop(KEPT, None)
    if isinstance(opening, Opening) and opening.home != but:
        if PAGE in session.jobs:
            session.jobs[PAGE].cancel()
            session.jobs[PAGE].wait(12)
        _unmake(opening)


def _unmake(opening: Opening, keep_upload: bool = False) -> None:
    """Leave nothing half done: no folder that was made for it, and no upload that nobody can reach."""
    if opening.own and not (keep_upload and not opening.example):
        shutil.rmtree(opening.home, ignore_errors=True)
    elif opening.made and not opening.own:
        with suppress(OSError):  # somebody has put something there
            opening.home.rmdir()


@dataclass(frozen=True)
class Earlier:
    """A file that was opened before in this session, and is still in its private folder."""

    mark: str
    name: str


def earlier(session: Session) -> list[Earlier]:
    """What is in the session's private folder besides what is open."""
    now = None if session.project is None else session.project.home
    found = []
    for plan in sorted((session.folder / "files").glob(f"*/{PLAN}")):
        if plan.parent != now:
            title = inspect_plan(read_text(plan), plan.parent).plan
            named = "a plan with faults" if title is None else f"{title.title} ({title.data.source})"
            found.append(Earlier(plan.parent.name, named))
    return found


def open_earlier(session: Session, mark: str, *, remove: bool = False) -> None:
    """Go back to one of them, or remove it with all that it holds."""
    known = {one.mark: session.folder / "files" / one.mark for one in earlier(session)}
    if mark not in known:
        raise InputError("D421", "that file is not there any more.", "Open it anew.")
    if remove:
        shutil.rmtree(known[mark], ignore_errors=True)
        session.say("It is removed, with its plan and all that was made from it.")
    else:
        discard(session)
        session.open_plan(known[mark] / PLAN, own=True)


def _path(given: str, base: Path) -> Path:
    """A path as somebody writes it: from home (~), from the folder of the workbench, or from the root."""
    try:
        return Path(os.path.abspath(base / Path(given).expanduser()))
    except (RuntimeError, ValueError):
        raise InputError("D422", "this is no path of a file.", "Write it as your file manager shows it.") from None


def _stem(path: Path) -> str:
    stem = path.name.split(".")[0].strip() or "data"
    return "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in stem)[:60]
