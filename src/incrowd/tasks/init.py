"""A starter plan for a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from incrowd.errors import InputError
from incrowd.machine.writing import write_private
from incrowd.profiling import starter_plan
from incrowd.rows import Source
from incrowd.tasks.profile import profile


def init(
    data: Source,
    out: str | Path | None = None,
    *,
    source: str | None = None,
    kind: Literal["survey", "administrative", "census"] = "survey",
    header: bool = False,
    force: bool = False,
) -> str:
    """A commented plan to start from, with a suggested role for every column: YAML text, also written to `out`.

    The plan names its data from its own folder, so that the two can move together; `source` is another name for them,
    needed where `data` is a table in memory: what a plan releases is read from a file. A plan that is there is only
    written over with `force`.

    >>> print(ic.init("people.csv").splitlines()[-1])
    #  consultation: {role: ..., date: ..., text: ...}
    """
    place = None if out is None else Path(out)
    if place is not None and place.exists() and not force:
        raise InputError("D018", f"{place} exists already.", "Choose another name with -o, or use --force.")
    if source is None and isinstance(data, str | Path):
        source = os.path.relpath(Path(data).resolve(), Path.cwd() if place is None else place.resolve().parent)
    if source is None:
        raise InputError("D318", "a plan names the file that its data are in.", "Say which: source='people.csv'.")
    text = starter_plan(profile(data, header=header), source, kind=kind)
    if place is not None:
        write_private(place, text)
    return text
