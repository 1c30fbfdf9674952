"""People by place where a person has several records: each is counted once, where most of their records are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import ibis

from incrowd.errors import InputError
from incrowd.rows.frame import Rows
from incrowd.rows.header import refuse_unknown


@dataclass(frozen=True)
class Residents:
    """How many people live in each place, how many have no record with a place, and how many have several places."""

    people: Mapping[str, int]
    left_out: int
    several: int


def count_residents(
    rows: Rows,
    column: str,
    unit: str,
    fault: Callable[[ibis.Value], ibis.Value],
    code: Callable[[ibis.Value], ibis.Value],
    brief: Callable[[ibis.Value], ibis.Value],
) -> Residents:
    """How many people, not records, does each code have? `unit` is the column that tells people apart.

    A person counts in the code that most of their records have; the first of equals. So people add up at every level
    and in every merged group, and no place is ever said to have more people than it has. It misleads about somebody
    who is often away: a place that only others' second homes are in has nobody.
    """
    refuse_unknown(rows, [column, unit])
    picked = rows.table.select(incrowd_whose=rows.text(unit), incrowd_text=brief(rows.text(column)))
    _refuse_nobodys(rows, picked, unit)
    few = picked.group_by(["incrowd_whose", "incrowd_text"]).aggregate(n=picked.count())
    none = ibis.null("string")
    coded = few.mutate(incrowd_code=ibis.ifelse(fault(few["incrowd_text"]).isnull(), code(few["incrowd_text"]), none))
    homes = coded.group_by(["incrowd_whose", "incrowd_code"]).aggregate(n=coded["n"].sum())
    unplaced = homes["incrowd_code"].isnull().ifelse(1, 0)
    own = ibis.window(group_by="incrowd_whose")
    ranked = homes.mutate(
        incrowd_rank=ibis.row_number().over(
            ibis.window(group_by="incrowd_whose", order_by=[unplaced, homes["n"].desc(), homes["incrowd_code"]])
        ),
        incrowd_several=(homes["incrowd_code"].count().over(own) > 1).ifelse(1, 0),
    )
    home = ranked.filter(ranked["incrowd_rank"] == 0)
    counted = home.group_by("incrowd_code").aggregate(n=home.count(), several=home["incrowd_several"].sum())
    found = rows.collect(counted, f"the people by {column!r}")
    people = dict(zip(found["incrowd_code"].to_pylist(), map(int, found["n"].to_pylist()), strict=True))
    left_out = people.pop(None, 0)
    return Residents(people, left_out, int(sum(found["several"].to_pylist())))


def _refuse_nobodys(rows: Rows, picked: ibis.Table, unit: str) -> None:
    """Records of nobody cannot be counted as anybody's."""
    whose = picked["incrowd_whose"]
    nobodys = picked.filter(whose.isnull() | (whose == ""))
    if missing := int(rows.collect(nobodys.aggregate(n=nobodys.count()))["n"][0].as_py()):
        raise InputError(
            "D013", f"{missing} records have no {unit!r}, so nobody can tell whose they are.", "Fill the unit in."
        )
