"""What is in the data of the plan that is open: its profile and a masked preview, kept as long as they fit; and which
variables are kept back, because they name people.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from incrowd.app.data_work import Look
from incrowd.app.jobs import Job
from incrowd.app.sessions import Project, Session
from incrowd.plan.attest import is_placeholder
from incrowd.plan.files import CODES, SOURCE, named_files, stamp_of_file
from incrowd.plan.prepare import renames, source_columns

#: Where a session keeps it, and the page that its job belongs to.
KEPT, PAGE = "look", "data"
Stamp = tuple[object, ...]


@dataclass(frozen=True)
class Kept:
    """The file and settings that a look is of, and what was found; nothing where its job is under way or has failed."""

    stamp: Stamp
    found: Look | None = None
    job: Job | None = None


def look(session: Session, *, again: bool = False) -> Look | None:
    """What is in the plan's data. None where it is not known yet: a job is begun then, where the file is there and the
    page has no other work; one that has failed is not begun again, unless somebody asks for it.
    """
    project = session.need_project()
    stamp, running = stamp_of(project), session.jobs.get(PAGE)
    kept = _kept(session, stamp)
    if kept is not None and (kept.found is not None or not again):
        return kept.found
    if stamp is None or (running is not None and running.state == "running"):
        return None
    plan = project.plan
    codes = None if plan.data.codes is None else str(project.home / plan.data.codes)
    begun = session.begin(
        PAGE, f"Looking at {Path(plan.data.source).name}", "look_at", str(plan.data.place(project.home)),
        list(plan.variables), unit=in_source(project, plan.data.unit), codes=codes, **plan.data.reading,
    )  # fmt: skip
    session.kept[KEPT] = Kept(stamp, job=begun)
    return None


def _kept(session: Session, stamp: Stamp | None) -> Kept | None:
    """What is kept of the file with this stamp; the result of a job that has ended is taken over."""
    kept = session.kept.get(KEPT)
    if not isinstance(kept, Kept) or kept.stamp != stamp:
        return None
    if kept.found is None and kept.job is not None and kept.job.state == "done":
        session.kept[KEPT] = kept = Kept(kept.stamp, kept.job.result)
        session.jobs.pop(PAGE, None)
    return kept


def kept_back(session: Session) -> frozenset[str]:
    """The variables of which no page shows a value: identifiers, and what looks like one as long as nobody has said
    why it is something else. What the file looks like counts once it is known: no page waits for that.
    """
    project = session.need_project()
    plan, kept = project.plan, _kept(session, stamp_of(project))
    found = set(plan.with_role("identifier"))
    if kept is not None and kept.found is not None:
        profile = kept.found.profile
        names = source_columns(plan, [column.name for column in profile.columns], profile.place)[0]
        for name, column in zip(names, profile.columns, strict=True):
            reason = plan.variables[name].reason if name in plan.variables else None
            if column.role == "identifier" and (reason is None or is_placeholder(reason)):
                found.add(name)
    return frozenset(found)


def keep(session: Session, found: Look) -> None:
    """A look that came with the opening of its file."""
    if (stamp := stamp_of(session.need_project())) is not None:
        session.kept[KEPT] = Kept(stamp, found)


def stamp_of(project: Project) -> Stamp | None:
    """Which file it is, as it is now, and how it is read; None where there is no such file, or no plan to say it."""
    plan = project.document.checked.plan
    if plan is None:
        return None
    data = plan.data
    files = [project.home / one.name for one in named_files(plan) if one.place in (SOURCE, CODES)]
    seen = [stamp_of_file(one) for one in files]
    if not all(seen):
        return None
    return (str(data.place(project.home)), *seen, *data.reading.items(), in_source(project, data.unit), data.codes)


def in_source(project: Project, name: str | None) -> str | None:
    """What the file calls a column that the plan renames."""
    old = {new: old for _, step in renames(project.plan) for old, new in step.variables.items()}
    return None if name is None else old.get(name, name)
