"""Open a plan's data and check it against the plan; and what the plan's steps may know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchy import Hierarchy
from incrowd.pipeline.job import Job
from incrowd.pipeline.prepare import open_plan_source, prepare
from incrowd.plan import Plan, released_columns
from incrowd.plan.requirements import where_text
from incrowd.plan.steps.columns import Pseudonymise
from incrowd.protect import UNIT, Context
from incrowd.rows import Rows
from incrowd.rows.engine import connect
from incrowd.rows.lookup import read_hierarchy
from incrowd.rows.memory import class_limit, engine_share, follow
from incrowd.secret import Secret

#: What is to be told of derived columns, by their names.
Notes = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Opened(Job):
    """The records, still where they are, with a role for every column."""

    rows: Rows
    context: Context
    book: Codebook  # what the values of the file as it came stand for


def open_data(job: Job) -> Opened:
    """The data in the plan's engine, with the columns that it should have; what is counted is taken as text."""
    plan, data, cap = job.plan, job.plan.data, job.cap
    limit = data.limit if data.limit is not None or cap is None else class_limit(cap)
    engine = connect(data.engine, spill=job.work.spill, memory=share_of(cap), master=data.master, limit=limit)
    job.stack.callback(engine.close)
    job.stack.enter_context(follow(engine, job.within))
    source = open_plan_source(plan, job.folder, engine)
    job.stack.callback(source.close)
    prepared = prepare(plan, job.folder, source)
    rows = prepared.rows
    as_text = {*plan.with_role("key"), *plan.with_role("sensitive")}
    as_text |= {name for requirement in plan.requirements for name in requirement.where or {}}
    rows = rows.as_text([name for name in plan.variables if name in as_text])
    if data.unit is not None:
        rows = rows.copy(data.unit, UNIT)
    known = vars(job) | {"notes": (*job.notes, *source.notes)}
    context = context_of(plan, job.folder, job.secret, prepared.book, prepared.notes)
    return Opened(**known, rows=rows, context=context, book=prepared.book)


def context_of(plan: Plan, folder: Path, secret: Secret, book: Codebook, prepared: Notes) -> Context:
    """What the steps of a plan may know of it."""
    trees = _trees(plan, folder)
    return Context(
        folder,
        secret,
        (plan.title, plan.tier, plan.release.name),
        tuple(requirement.requirement(trees) for requirement in plan.requirements),
        {where_text(r.where): r.where for r in plan.requirements if r.where is not None},
        tuple(plan.with_role("identifier")),
        plan.data.unit is not None,
        {name: dict(zip(tree.leaves, tree.rows, strict=True)) for name, tree in trees.items()},
        plan.data.household,
        book=book,
        prepared=prepared,
        pseudonyms_by=_pseudonyms_by(plan),
        linked=_shows_whose(plan),
        homes=_shows_homes(plan),
    )


def _pseudonyms_by(plan: Plan) -> tuple[str, ...]:
    """What the pseudonyms of a series depend on: they stay in all of it, or change with every version."""
    series = plan.release.series
    if series is None:
        return ()
    changes = ("version", plan.release.version or "") if series.pseudonyms == "change" else ()
    return ("series", series.name, plan.tier, *changes, "pseudonymise")


def _shows_whose(plan: Plan) -> bool:
    """Whether the release shows which records are one person's: by a pseudonym, or by the household it stays in."""
    named = any(isinstance(step, Pseudonymise) for _, step in plan.active)
    return named or plan.data.household in released_columns(plan)


def _shows_homes(plan: Plan) -> tuple[str, ...]:
    """The household's column and its pseudonyms, where the release has one of them."""
    home = plan.data.household
    if home is None:
        return ()
    names = [step.into for _, step in plan.active if isinstance(step, Pseudonymise) and [*step.variables] == [home]]
    return (home, *names) if {home, *names} & {*released_columns(plan)} else ()


def _trees(plan: Plan, folder: Path) -> dict[str, Hierarchy]:
    """The hierarchies of sensitive variables, for the hierarchical distance."""
    named = [each for requirement in plan.requirements for each in requirement.trees().items()]
    return {name: read_hierarchy(folder / file, name) for name, file in named}


def share_of(cap: int | None) -> str | None:
    """How much of a cap on memory an engine may use; None without one."""
    return None if cap is None else engine_share(cap)
