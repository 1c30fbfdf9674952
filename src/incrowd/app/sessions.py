"""Who works here: each browser has a session of its own, with a private folder, a plan, its data in memory, its jobs.

Nobody sees another one's: a session is found by a cookie of 256 random bits and by nothing else.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from incrowd.app.document import Document
from incrowd.app.jobs import Job, start
from incrowd.app.private import PrivateFolder
from incrowd.errors import InputError
from incrowd.intruder_test.tokens import form_mark, hashed, new_token
from incrowd.pipeline.live import Live, open_live
from incrowd.plan import Plan
from incrowd.plan.files import stamps

#: A session that nobody has used for so many seconds is over, and its folder is removed: a working day.
IDLE = 10 * 3600.0
#: So many people can work at once; each has a file in memory.
MOST = 20


@dataclass(frozen=True)
class Notice:
    """A sentence that the next page shows: good news, or a fault with its way out."""

    kind: str  # good, bad or plain
    text: str
    detail: tuple[str, ...] = ()


@dataclass(eq=False)
class Project:
    """A plan that is open, and its data as long as they fit it. `home` is where its files and runs are."""

    document: Document
    own: bool  # the folder is the session's: it goes with it
    stack: ExitStack = field(default_factory=ExitStack)
    live: Live | None = None
    seen: dict[str, tuple[int, ...]] = field(default_factory=dict)  # the plan's files as they were read

    @property
    def home(self) -> Path:
        """Where the plan's files and runs are."""
        return self.document.path.parent

    @property
    def plan(self) -> Plan:
        """The plan, also one with faults as far as it can be read: to look at, never to run."""
        plan = self.document.checked.plan
        if plan is None:
            raise InputError("D413", "the plan cannot be read.", "Mend what is listed under its faults, or undo.")
        return plan

    def close(self) -> None:
        """Give the data back."""
        self.stack.close()
        self.live = None


@dataclass(eq=False)
class Session:
    """One browser's work. `lock` is to be held while its plan or its data are used."""

    mark: str
    folder: Path
    lock: threading.RLock = field(default_factory=threading.RLock)
    #: Held while something is measured that takes long, one at a time, and never asked for under `lock`: pages go on.
    measuring: threading.Lock = field(default_factory=threading.Lock)
    used: float = field(default_factory=time.monotonic)
    project: Project | None = None
    jobs: dict[str, Job] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    #: What pages keep between two requests, each under its own name.
    kept: dict[str, object] = field(default_factory=dict)

    def need_project(self) -> Project:
        """The plan that is open; an error where there is none."""
        if self.project is None:
            raise InputError("D414", "no plan is open.", "Open a file on the page Data first.")
        return self.project

    def open_plan(self, path: Path, *, own: bool) -> None:
        """Work on a plan. What was open before is closed, with its jobs."""
        document = Document(path, confined=own)  # what others send may not lead to files of this machine
        self.close_project()
        self.project = Project(document, own)

    def close_project(self) -> None:
        """Leave the plan as it is saved."""
        for job in self.jobs.values():
            job.cancel()
        self.jobs.clear()
        self.kept.clear()
        if self.project is not None:
            self.project.close()
        self.project = None

    def live(self) -> Live:
        """The plan's data in memory: opened at the first question, and again when plan or file no longer fit."""
        project = self.need_project()
        plan, folder = project.plan, project.home
        now = stamps(plan, folder)  # a file that was not named before is read when its step is done
        changed = any(project.seen.get(name, stamp) != stamp for name, stamp in now.items())
        if project.live is None or not project.live.fits(plan) or changed:
            project.close()
            project.seen = {}
            project.live = project.stack.enter_context(open_live(plan, folder, self.folder / "live"))
        project.seen |= now
        return project.live

    def begin(self, page: str, title: str, function: str, *arguments: object, **settings: object) -> Job:
        """Start long work for a page. Each page has one at a time: the one before is cancelled."""
        if page in self.jobs:
            self.jobs[page].cancel()
        text, files = "", {}
        if self.project is not None:
            text, plan = self.project.document.text, self.project.document.checked.plan
            files = {} if plan is None else stamps(plan, self.project.home)
        self.jobs[page] = start(title, function, arguments, settings, self.folder, text, files)
        return self.jobs[page]

    def say(self, text: str, kind: str = "good", detail: Sequence[str] = ()) -> None:
        """A sentence for the next page."""
        self.notices.append(Notice(kind, text, tuple(detail)))

    def end(self) -> None:
        """Forget everything: work is cancelled, uploads and what was computed are removed."""
        with self.lock:
            self.close_project()
            shutil.rmtree(self.folder, ignore_errors=True)


class Sessions:
    """All sessions of a server, in a folder that only its owner may read and that goes with it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._folder = PrivateFolder()
        self._open: dict[str, Session] = {}
        self._lock = threading.Lock()

    def find(self, cookie: str) -> Session | None:
        """The session of a cookie."""
        with self._lock:
            self._clear()
            session = self._open.get(hashed(cookie)) if cookie else None
            if session is not None:
                session.used = self.clock()
            return session

    def new(self) -> tuple[str, Session]:
        """A new session and its cookie."""
        cookie = new_token()
        with self._lock:
            self._clear()
            if len(self._open) >= MOST and not self._make_room():
                raise InputError(
                    "D415", f"{MOST} sessions are open, which is the most.", "Close one: 'Close and forget'."
                )
            folder = Path(tempfile.mkdtemp(prefix="session-", dir=self._folder.path))
            session = self._open[hashed(cookie)] = Session(form_mark(cookie), folder, used=self.clock())
        (folder / "live").mkdir()
        return cookie, session

    def end(self, cookie: str) -> None:
        """End a session at its owner's wish."""
        with self._lock:
            session = self._open.pop(hashed(cookie), None)
        if session is not None:
            session.end()

    def close(self) -> None:
        """The server ends: so does all that is in it."""
        with self._lock:
            sessions, self._open = list(self._open.values()), {}
        for session in sessions:
            session.end()
        self._folder.close()

    def _clear(self) -> None:
        over = [key for key, one in self._open.items() if self.clock() - one.used > IDLE and not _at_work(one)]
        for key in over:
            self._end_beside(key)

    def _make_room(self) -> bool:
        """End the session that was not used for longest, of those in which nothing is open: nobody is shut out by
        sessions that nobody works in.
        """
        idle = [key for key, one in self._open.items() if one.project is None and not _at_work(one)]
        if idle:
            self._end_beside(min(idle, key=lambda key: self._open[key].used))
        return bool(idle)

    def _end_beside(self, key: str) -> None:
        """End a session without keeping anybody waiting for its lock."""
        threading.Thread(target=self._open.pop(key).end, daemon=True).start()


def _at_work(session: Session) -> bool:
    return any(job.state == "running" for job in list(session.jobs.values()))
