"""Special uniques in geography: who stays alone when the area is said more coarsely?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from incrowd.keys.table import KeyTable, Recode


@dataclass(frozen=True)
class Surviving:
    """One level of geography: the uniques of the file there, and how many were unique at every finer level too."""

    level: str
    uniques: int
    surviving: int


def surviving_uniques(table: KeyTable, key: str, levels: Sequence[tuple[str, Recode]]) -> tuple[Surviving, ...]:
    """Which sample uniques stay unique when the geography is coarsened, level by level, and at last left out?

    Somebody who is unique in a village is nothing special; somebody whose other keys leave them alone in the whole
    country is: coarser geography will not protect them, another key must be coarsened. `levels` recode the key as it
    stands in the table, finest first; the last line, 'none', leaves it out.

    Misleads: unique in a sample is not unique in the population. Reference: Elliot, Manning, Ford (2002), special
    uniques; Tudor and Lowthian (ONS 2014).

    >>> from incrowd.keys.table import from_records, Recode
    >>> table = from_records({"area": ["a", "b", "b"], "age": ["99", "20", "20"]})
    >>> [(s.level, s.surviving) for s in surviving_uniques(table, "area", [])]
    [('area', 1), ('none', 1)]
    """
    alive = table.sizes == 1
    found = [Surviving(key, int(alive.sum()), int(alive.sum()))]
    for name, recode in levels:
        coarse, to = table.recode_with_map({key: recode})
        alive &= (coarse.sizes == 1)[to]
        found.append(Surviving(name, coarse.uniques, int(np.count_nonzero(alive))))
    rest, to = table.project([other for other in table.names if other != key])
    alive &= (rest.sizes == 1)[to]
    found.append(Surviving("none", rest.uniques, int(np.count_nonzero(alive))))
    return tuple(found)
