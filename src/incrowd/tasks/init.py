"""A starter plan for a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, Unpack

from incrowd.errors import InputError
from incrowd.machine.writing import write_private
from incrowd.profiling import Ending, starter_plan
from incrowd.profiling.ending import usual_k
from incrowd.rows import Reading, Source, open_source
from incrowd.rows.header import refuse_records_as_names
from incrowd.rows.source import DATABASE
from incrowd.tasks._try_ending import try_endings
from incrowd.tasks.profile import profile_rows, with_codes

Kind = Literal["survey", "administrative", "census"]


def init(
    data: Source,
    out: str | Path | None = None,
    *,
    source: str | None = None,
    kind: Kind | None = "survey",
    header: bool = False,
    codes: str | Path | None = None,
    force: bool = False,
    unit: str | None = None,
    **reading: Unpack[Reading],
) -> str:
    """A commented plan to start from, with a suggested role for every column: YAML text, also written to `out`.

    Its steps were tried on the data: a comment says what they lose. What the profile could not tell is marked `decide`,
    a fault until somebody has decided it. The plan names its data from its own folder, so that the two can move
    together; `source` is another name for them, needed where `data` is a table in memory: what a plan releases is read
    from a file. `codes` is a CSV file with the columns variable, code and label. `unit` is the column that tells whose
    record it is. With `kind=None` the plan does not say how the records were collected, and the check asks for it.
    `delimiter`, `encoding`, `sheet` and `drop_index` say how the file is read, and stand in the plan,
    too. A plan that is there is only written over with `force`.

    >>> print(ic.init("people.csv").splitlines()[0])
    # A starter plan, made by incrowd from a profile of the data. Every role below is a suggestion: the decision, and
    """
    place = None if out is None else Path(out)
    if place is not None and place.exists() and not force:
        raise InputError("D018", f"{place} exists already.", "Choose another name with -o, or use --force.")
    if source is None and isinstance(data, str | Path):
        source = str(data) if str(data).startswith(DATABASE) else _seen_from(place, Path(data))
    if source is None:
        raise InputError("D318", "a plan names the file that its data are in.", "Say which: source='people.csv'.")
    own = open_source(data, **reading)
    if not header:
        refuse_records_as_names(own)
    rows = with_codes(own, codes)
    found = profile_rows(rows, unit)
    said: dict[str, object] = dict(reading)
    if codes is not None:
        said["codes"] = _seen_from(place, Path(codes))

    def write(ending: Ending, kind: Kind | None = kind) -> str:
        # What the file of codes says stands there already; what the data's own file says, the plan shows.
        return starter_plan(found, source, kind, unit=unit, book=own.book, reading=said, ending=ending)

    def trial(ending: Ending) -> str:
        return write(ending, kind or "survey")  # what a step costs does not depend on it, and a plan needs one

    text = write(try_endings(rows, found.records, Ending(usual_k(found.records)), trial))
    if place is not None:
        write_private(place, text)
    return text


def _seen_from(place: Path | None, file: Path) -> str:
    """Where a file is, seen from the plan's folder."""
    return os.path.relpath(file.resolve(), Path.cwd() if place is None else place.resolve().parent)
