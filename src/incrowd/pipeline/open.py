"""Open a plan's data and check it against the plan; and what the plan's steps may know of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from incrowd.keys.hierarchy import Hierarchy
from incrowd.pipeline.job import Job
from incrowd.plan import Plan, check_columns
from incrowd.plan.requirements import where_text
from incrowd.protect import UNIT, Context
from incrowd.rows import Rows, open_source
from incrowd.rows.engine import connect
from incrowd.rows.lookup import read_hierarchy
from incrowd.rows.memory import class_limit, engine_share, follow
from incrowd.secret import Secret


@dataclass(frozen=True, kw_only=True)
class Opened(Job):
    """The records, still where they are, with a role for every column."""

    rows: Rows
    context: Context


def open_data(job: Job) -> Opened:
    """The data in the plan's engine, with the columns that it should have; what is counted is taken as text."""
    plan, data, cap = job.plan, job.plan.data, job.cap
    limit = data.limit if data.limit is not None or cap is None else class_limit(cap)
    engine = connect(data.engine, spill=job.work.spill, memory=share_of(cap), master=data.master, limit=limit)
    job.stack.callback(engine.close)
    job.stack.enter_context(follow(engine, job.within))
    rows = open_source(data.place(job.folder), delimiter=data.delimiter, encoding=data.encoding, engine=engine)
    job.stack.callback(rows.close)
    check_columns(plan, rows.columns, rows.place)
    as_text = {*plan.with_role("key"), *plan.with_role("sensitive")}
    as_text |= {name for requirement in plan.requirements for name in requirement.where or {}}
    rows = rows.as_text([name for name in plan.variables if name in as_text])
    if data.unit is not None:
        rows = rows.copy(data.unit, UNIT)
    return Opened(**vars(job), rows=rows, context=context_of(plan, job.folder, job.secret))


def context_of(plan: Plan, folder: Path, secret: Secret) -> Context:
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
    )


def _trees(plan: Plan, folder: Path) -> dict[str, Hierarchy]:
    """The hierarchies of sensitive variables, for the hierarchical distance."""
    named = [each for requirement in plan.requirements for each in requirement.trees().items()]
    return {name: read_hierarchy(folder / file, name) for name, file in named}


def share_of(cap: int | None) -> str | None:
    """How much of a cap on memory an engine may use; None without one."""
    return None if cap is None else engine_share(cap)
