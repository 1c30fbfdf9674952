"""The work of the page Data that takes longer: a look at a file, a plan to start from, the examples.

Each is done in a process of its own (`app/work.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import incrowd as ic
from incrowd.demo import write_example, write_ons
from incrowd.errors import InputError
from incrowd.profiling import Profile
from incrowd.profiling.masking import Preview, preview
from incrowd.rows import Rows, open_source
from incrowd.rows.header import refuse_records_as_names
from incrowd.tasks.profile import profile_rows, with_codes

Progress = Callable[[str, int, int], None]
_HEADER = (
    "If it names the columns, tick 'The first line names the columns'; else put a line with their names before it."
)
_ENCODING = "Choose the encoding (what Excel on Windows writes as CSV is cp1252), or save the file as UTF-8."
#: The way out on the page, where an error names one of the command line or of the plan.
WAYS = {
    "D004": "Mend the line, or choose what stands between two fields.",
    "D005": _ENCODING,
    "D244": _HEADER,
    "D265": _HEADER,
    "D332": _ENCODING,
    "D333": "If it only numbers the records, tick 'Leave out a first column without a name'. Else give it a name.",
}
_SHEET = re.compile(r"(--sheet \S+ )?\(data: sheet[^)]*\)")


@dataclass(frozen=True)
class Look:
    """What is in a file of records."""

    profile: Profile
    preview: Preview


def look_at(
    source: str,
    names: Sequence[str] | None = None,
    *,
    header: bool = False,
    unit: str | None = None,
    codes: str | None = None,
    **reading: Any,
) -> Look:
    """The profile and the first records of a file. `names` are the variables of a plan for it."""
    rows = open_source(source, **reading)
    if names is not None:
        refuse_foreign(rows, names)
    elif not header:
        refuse_records_as_names(rows)
    rows = with_codes(rows, codes)
    whose = unit if unit in rows.columns else None
    return Look(profile_rows(rows, whose), preview(rows, whose))


def refuse_foreign(rows: Rows, names: Sequence[str]) -> None:
    """Its first line may be somebody's record: it is shown where the plan has most of its names."""
    if 2 * len({*names} & {*rows.columns}) <= len({*names}):
        message = f"{rows.place} has not most of the plan's variables as columns, so nothing of it is shown."
        raise InputError(
            "D417", message, "Name the file that the plan is for, or open this one with a plan of its own."
        )


def begin_plan(
    source: str, out: str, settings: Mapping[str, Any], reading: Mapping[str, Any], progress: Progress | None = None
) -> Look:
    """A starter plan for a file, and what is in it. The file is looked at first: no plan is left for a faulty one."""
    tell = progress or (lambda *_: None)
    known: dict[str, Any] = {name: settings.get(name) for name in ("header", "unit", "codes")}
    try:
        tell("its columns and values", 1, 2)
        found = look_at(source, **known, **reading)
        tell("a plan to start from, tried on the file", 2, 2)
        ic.init(source, out, **settings, **reading)
    except InputError as error:
        hint = WAYS.get(error.code) or _SHEET.sub("in the field 'Sheet'", error.hint or "")
        raise InputError(error.code, error.message, hint) from None
    return found


def make_demo(folder: str, rows: int = 100_000, progress: Progress | None = None) -> Look:
    """The demo in a folder: people who do not exist, the plan of a study, and what is in the file."""
    tell = progress or (lambda *_: None)
    tell(f"making {rows:,} people", 1, 2)
    ic.demo_data(Path(folder) / "people.csv", rows=rows)
    tell("its columns and values", 2, 2)
    found = look_at(str(Path(folder) / "people.csv"), header=True)
    write_example(Path(folder))
    return found


def make_ons(folder: str, name: str, progress: Progress | None = None) -> Look:
    """One of the examples after the ONS paper in a folder, and what is in the file."""
    tell = progress or (lambda *_: None)
    tell("making the records", 1, 2)
    plan = ic.load_plan(write_ons(Path(folder), name))
    tell("its columns and values", 2, 2)
    return look_at(str(Path(folder) / plan.data.source), header=True)


WORK: dict[str, Callable[..., Any]] = {one.__name__: one for one in (look_at, begin_plan, make_demo, make_ons)}
