"""What single steps promise of the column that they alone touch, seen in the release and in where it came from."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from fuzz.deriving import Unreadable, date
from fuzz.outcome import Outcome
from fuzz.reading import Cell, Row

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def check_promises(
    case: Mapping[str, Any], steps: Sequence[dict[str, Any]], rows: Sequence[Row], lines: Sequence[int], removed: int,
    outcome: Outcome,
) -> None:  # fmt: skip
    """Each column that one step touches, and no other."""
    from fuzz.recount import touched  # it calls this file

    for name, cells in case["columns"].items():
        variable = case["plan"]["variables"][name]
        by = touched(list(steps), name, variable["role"] == "key")
        if len(by) != 1 or not rows or name not in rows[0]:
            continue
        came, out = [cells[line] for line in lines], [row[name] for row in rows]
        unit = case["columns"][case["unit"]] if case["unit"] else None
        people = [str(line) if unit is None else str(unit[line]) for line in lines]
        step, word = by[0], by[0]["step"]
        if word == "recode" and "date_part" in step:
            right = all(_part_is(old, new, step["date_part"]) for old, new in zip(came, out, strict=True))
            outcome.check(right, "wrong", f"a date of {name!r} is not in its {step['date_part']}")
        elif word == "merge_small" and not removed:
            stay = {None, "", *variable.get("missing_codes", [])}
            few = _people_of([None if old in stay else new for old, new in zip(came, out, strict=True)], people)
            right = all(n >= int(step["fewer_than"]) for n in few.values())
            outcome.check(right, "wrong", f"a value of {name!r} is still small")
        elif word == "microaggregate" and not removed:
            few = _people_of(out, people)
            outcome.check(all(n >= int(step["k"]) for n in few.values()), "wrong", f"a mean of {name!r} is of too few")
        elif word == "suppress_cells":
            right = all(new in (old, None) for old, new in zip(came, out, strict=True))
            outcome.check(right, "wrong", f"a cell of {name!r} has another value, and is not blank")
        if unit is not None and word in ("pram", "round", "suppress_cells"):
            pairs = {(who, old or None, new or None) for who, old, new in zip(people, came, out, strict=True)}
            once = len({(who, old) for who, old, _ in pairs}) == len(pairs)
            outcome.check(once, "wrong", f"two records of a person with one value of {name!r} went different ways")


def _people_of(values: Sequence[Cell], people: Sequence[str]) -> dict[Cell, int]:
    found: dict[Cell, set[str]] = defaultdict(set)
    for value, who in zip(values, people, strict=True):
        if value:
            found[value].add(who)
    return {value: len(some) for value, some in found.items()}


def _part_is(old: Cell, new: Cell, part: str) -> bool:
    """Is this what the calendar says?"""
    try:
        day = date(old)
    except Unreadable:
        return False  # it should have been refused
    if day is None:
        return not new
    week = dt.date.fromisocalendar(int(new[:4]), int(new[6:]), 1) if part == "week" and new else day
    return (
        new
        == {
            "decade": f"{day.year // 10}0s",
            "year": f"{day.year:04}",
            "quarter": f"{day.year:04}-Q{1 + (day.month - 1) // 3}",
            "month": f"{day.year:04}-{day.month:02}",
            "week": new if week <= day < week + dt.timedelta(days=7) else None,
            "month_of_year": _MONTHS[day.month - 1],
            "weekday": day.strftime("%A"),
            "hour": (old or "")[11:13],
        }[part]
    )
