"""An id that both files have: does it say whose record is whose?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incrowd.attack.auxiliary import plain
from incrowd.attack.foreign.labels import Column
from incrowd.attack.foreign.truth import Draws, disagreeing
from incrowd.attack.situation import Int64
from incrowd.errors import InputError


def same_people(
    columns: Sequence[Column], ids: Sequence[str], draws: Draws, asked: str | None = None
) -> tuple[Int64 | None, str]:
    """For each released record the record of the other file with the same id, and by which; or None, and why not.

    An id counts when every released one is there once in both files, and the other columns agree: a record number that
    was given anew is an id of nobody, and so is a pseudonym. An id that somebody `asked` for must count.
    """
    why = []
    for name in dict.fromkeys(ids):
        column = next((one for one in columns if one.name == name), None)
        if column is None:
            if name == asked:
                raise InputError("D478", f"the id {name!r} is not in both files.", "Name a column that is.")
            continue
        lines, fault = _by(column)
        if lines is not None:
            fault = disagreeing([one for one in columns if one.name != name], lines, draws)
        if lines is not None and not fault:
            return lines, f"the release has {name!r} as the other file has it, which says whose record is whose"
        if name == asked:
            raise InputError("D478", f"the id {name!r} does not say whose record is whose: {fault}.",
                             "Leave it out: then it is found by what fits, as far as that goes.")  # fmt: skip
        if lines is not None:
            why.append(f"{name!r} is in both files and says nothing of whose record is whose: {fault}")
    return None, "; ".join(why) or "no id that both files have says whose record is whose (a pseudonym does not)"


def _by(column: Column) -> tuple[Int64 | None, str]:
    """The line of each released id, or None and why not."""
    place = {plain(value): code for code, value in enumerate(column.values) if value is not None}
    codes = np.array([place.get(plain(label), -1) for label in column.labels], np.int64)[column.released]
    if lost := int((codes < 0).sum()):
        return None, f"{lost:,} of {len(codes):,} released ones are not there, as where it is a pseudonym"
    often = np.bincount(column.original, minlength=len(column.values))
    if (often[codes] > 1).any() or len(np.unique(codes)) < len(codes):
        return None, "some are there more than once"
    at = np.zeros(len(column.values), np.int64)
    at[column.original] = np.arange(len(column.original))
    return at[codes], ""
