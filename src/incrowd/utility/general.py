"""The general measures of a release together: distances, associations, propensity, and whom suppression removed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from incrowd.rows import Rows
from incrowd.utility.distances import FEW, Association, Distance, associations, distance, is_number
from incrowd.utility.loss import Subgroup, lost_by_value
from incrowd.utility.needs import Fetched, Need, fetch
from incrowd.utility.propensity import Propensity, propensity

#: Pairs of so many numbers at most: their number grows with the square.
MOST_NUMBERS = 8
#: A key with more values than this is left out of the propensity model, which has a term for each.
NARROW = 50


@dataclass(frozen=True)
class General:
    """How far the release is from the original, brought to its categories, without asking what for."""

    distances: tuple[Distance, ...]
    associations: tuple[Association, ...]
    propensity: Propensity | None
    subgroups: tuple[Subgroup, ...]

    @property
    def mean_change(self) -> float:
        """The mean size of the change of an association."""
        return sum(abs(pair.change) for pair in self.associations) / max(len(self.associations), 1)


def column_needs(columns: Sequence[str], keys: Sequence[str]) -> list[Need]:
    """Each column by itself."""
    return [Need((name,), alone=name not in keys) for name in columns]


def measure_general(
    columns: Sequence[str], keys: Sequence[str], sides: tuple[Fetched, Fetched], rows: tuple[Rows, Rows]
) -> General:
    """Compare every column, every pair, and all categories together. `sides` hold the columns by themselves.

    One more query for each file: categories (keys, and columns with few values) counted together, with the moments of
    the numbers.
    """
    single = {need.by[0]: [side.get(need) for side in sides] for need in column_needs(columns, keys)}
    few = [name for name in columns if name in keys or max(len(tally.records) for tally in single[name]) <= FEW]
    numbers = [name for name in columns if name not in few and is_number(single[name][0], name)][:MOST_NUMBERS]
    need = Need(tuple(few), tuple(combinations_with_replacement(numbers, 2)))
    one, other = (fetch(each, [need]).get(need) for each in rows)
    narrow = tuple(name for name in few if len(single[name][0].records) <= NARROW)
    return General(
        tuple(distance(name, *single[name]) for name in columns),
        associations(one, other, tuple(few), tuple(numbers)),
        propensity(one, other, narrow),
        lost_by_value(one, other, tuple(few)),
    )
