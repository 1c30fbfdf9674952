"""A plan's data: opened, checked against the plan, counted once; and what its steps may know of the plan."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.population import join_population
from incrowd.plan import Plan, check_columns
from incrowd.plan.requirements import where_text
from incrowd.protect import UNIT, Context, InEngineState, State, count
from incrowd.rows import open_source
from incrowd.rows.columns import refuse_empty_columns
from incrowd.rows.engine import connect
from incrowd.rows.figures import number_lines
from incrowd.rows.lookup import read_hierarchy
from incrowd.rows.memory import class_limit, engine_share, follow
from incrowd.rows.tabulate import tabulate, tabulate_population
from incrowd.secret import Secret


def begin(
    plan: Plan,
    folder: Path,
    secret: Secret,
    spill: Path,
    cap: int | None,
    stack: ExitStack,
    within: Callable[[float], None] | None = None,
    trace: bool = False,
) -> tuple[State | InEngineState, Context]:
    """Open the data, check it against the plan, count it once. What was opened is closed with the stack.

    With `trace` every record carries its line in the source, so that an attack on the release can be judged.
    """
    data = plan.data
    engine = connect(data.engine, spill=spill, memory=share_of(cap), master=data.master, limit=_limit(data.limit, cap))
    stack.callback(engine.close)
    stack.enter_context(follow(engine, within))
    rows = open_source(data.place(folder), delimiter=data.delimiter, encoding=data.encoding, engine=engine)
    stack.callback(rows.close)
    check_columns(plan, rows.columns, rows.place)
    as_text = {*plan.with_role("key"), *plan.with_role("sensitive")}
    as_text |= {name for requirement in plan.requirements for name in requirement.where or {}}
    rows = rows.as_text([name for name in plan.variables if name in as_text])
    if data.unit is not None:
        rows = rows.copy(data.unit, UNIT)
    context = context_of(plan, folder, secret)
    sensitive = sorted({r.sensitive_name for r in context.requirements if r.sensitive_name is not None})
    dropped = {name for _, step in plan.active for name in step.removes()}
    released = [name for name in plan.variables if name not in dropped]
    keys = plan.with_role("key")
    unit = UNIT if data.unit else None
    if data.population is None:
        counted = count(rows, tuple(keys), tuple(sensitive), unit)
        refuse_empty_columns(rows, released, None if isinstance(counted, InEngineState) else counted)
    else:
        table = tabulate(rows, keys, sensitive, unit)
        refuse_empty_columns(rows, released, table)
        # Only the keys that are released are asked of the population.
        table, _ = table.project([key for key in keys if key not in dropped])
        outside = open_source(folder / data.population.source, engine=engine)
        counted = join_population(table, tabulate_population(outside, table.names, data.population.count))
    if trace and (isinstance(counted, InEngineState) or not data.engine_kind.on_this_machine):
        message = "an attack must know whose record is whose, and only DuckDB on this machine can tell it."
        raise InputError("D190", message, "Attack a release of a sample with engine: duckdb, or leave attacks out.")
    if isinstance(counted, InEngineState):
        return counted, context
    rows = rows.bring_in()
    return State(number_lines(rows) if trace else rows, counted), context


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


def _limit(asked: int | None, cap: int | None) -> int | None:
    return asked if asked is not None or cap is None else class_limit(cap)
