"""A search begins with the values themselves: levels that begin coarser are refused, not counted wrongly."""

from __future__ import annotations

import pytest

from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.requirements import K
from incrowd.keys.search.lattice import measure_levels, search
from incrowd.keys.table import from_records

TABLE = from_records({"age": ["20", "21", "30", "31"]})
LEVELS = Hierarchy("age", tuple((age, f"{age[0]}x", "*") for age in ("20", "21", "30", "31"))).bind(TABLE.domains[0])


def test_levels_whose_first_puts_values_together_are_refused() -> None:
    coarser = Levels(LEVELS.domain, LEVELS.recodes[1:], LEVELS.losses[1:])
    with pytest.raises(ValueError, match="level 0 of a key must be its values themselves"):
        search(TABLE, [coarser], [K(2)])
    with pytest.raises(ValueError, match="recode the table first"):
        measure_levels(TABLE, [coarser], [K(2)], {"age": 0})


def test_the_same_levels_of_a_table_that_was_recoded_first_are_searched() -> None:
    made = TABLE.recode({"age": LEVELS.recodes[1]})
    first = Hierarchy("age", (("2x", "*"), ("3x", "*"))).bind(made.domains[0])
    assert search(made, [first], [K(2)]).levels == {"age": 0}
    assert search(TABLE, [LEVELS], [K(2)]).levels == {"age": 1}
