"""The last result of a page's long work: it stays to be looked at while another is on its way, or was cancelled; and
whether it is still one of the plan and of the files as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from incrowd.app.jobs import Job
from incrowd.app.sessions import Project, Session
from incrowd.plan.files import changed_files, stamp_of_file


def last_done(session: Session, page: str, function: str) -> Job | None:
    """The newest job of this page and function that has a result. Ask before another begins: it takes its place."""
    name, job = f"{page}: last {function}", session.jobs.get(page)
    if job is not None and job.function == function and job.state == "done":
        session.kept[name] = job
    found = session.kept.get(name)
    return found if isinstance(found, Job) else None


def reads_too(session: Session, job: Job, files: Iterable[str]) -> None:
    """Files that a job reads and the plan does not name: a change of one makes its result out of date as well."""
    job.files |= {name: stamp_of_file(session.need_project().home / name) for name in files}


@dataclass(frozen=True)
class Outdated:
    """What has changed since a result was begun: the plan, and which files that it read."""

    plan: bool = False
    files: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.plan or bool(self.files)


def outdated(job: Job | None, project: Project | None) -> Outdated:
    """Is the result of a job still one of what is there now?"""
    if job is None or project is None or not job.plan:
        return Outdated()
    return Outdated(job.plan != project.document.text, tuple(changed_files(job.files, project.home)))
