"""The last result of a page's long work: it stays to be looked at while another is on its way, or was cancelled."""

from __future__ import annotations

from incrowd.app.jobs import Job
from incrowd.app.sessions import Session


def last_done(session: Session, page: str, function: str) -> Job | None:
    """The newest job of this page and function that has a result. Ask before another begins: it takes its place."""
    name, job = f"{page}: last {function}", session.jobs.get(page)
    if job is not None and job.function == function and job.state == "done":
        session.kept[name] = job
    found = session.kept.get(name)
    return found if isinstance(found, Job) else None
