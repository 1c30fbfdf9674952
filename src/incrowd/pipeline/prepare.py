"""The records that a plan speaks of: opened, with the columns that it should have, renamed and derived.

Whoever opens a plan's data opens it here: what is counted, measured, attacked and compared has the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.expressions import Evaluator
from incrowd.plan import Plan, check_columns
from incrowd.plan.codebook import codebook_of
from incrowd.plan.prepare import derivations, renames
from incrowd.rows import Rows, open_source
from incrowd.rows.derive import Derived, derive
from incrowd.rows.engine import Engine


@dataclass(frozen=True)
class Prepared:
    """The records with the plan's columns, what their values stand for, and what is to be told of derived columns."""

    rows: Rows
    book: Codebook
    notes: Mapping[str, tuple[str, ...]]


def open_plan_source(plan: Plan, folder: Path, engine: Engine | None = None) -> Rows:
    """The data of a plan as they came, with the names that the file has."""
    return open_source(plan.data.place(folder), engine=engine, **plan.data.reading)


def prepare(plan: Plan, folder: Path, rows: Rows) -> Prepared:
    """The same records with the columns that the plan speaks of. Raises PlanError where the file has others."""
    check_columns(plan, rows.columns, rows.place)
    for _, rename in renames(plan):
        rows = rows.rename(rename.variables)
    book = codebook_of(plan, folder, rows.book)
    rows = replace(rows, book=book)
    steps = {step.into: step for _, step in derivations(plan)}
    if not steps:
        return Prepared(rows, book, {})
    made = {name: Evaluator(step.parsed, book.missing) for name, step in steps.items()}
    rows, found = derive(rows, made)
    for name, step in steps.items():
        if (bad := found[name].unreadable) and step.unreadable == "fault":
            message = f"{bad:,} records have something that is no number or date where {name!r} needs one."
            hint = "Mend the file, let the expression look at them first, or say: unreadable: missing."
            raise InputError("D368", message, hint)
    return Prepared(rows, book, {name: tuple(_notes(counts)) for name, counts in found.items()})


def _notes(found: Derived) -> Iterator[str]:
    yield f"made as the data were opened; {found.values:,} records have a value"
    if found.missing:
        yield f"{found.missing:,} have none: what it is made from is missing"
    if found.zero:
        yield f"{found.zero:,} have none: it would be divided by 0"
    if found.unreadable:
        yield f"{found.unreadable:,} have none: there was a text where a number or date is needed"
