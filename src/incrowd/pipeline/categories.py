"""Which values may a use case name? Those of the release's categories, as far as they are nobody's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from incrowd.keys.codebook import RARE
from incrowd.keys.loss import margin
from incrowd.pipeline.live import Live
from incrowd.plan import Plan
from incrowd.protect import require_in_memory
from incrowd.rows.tabulate import tabulate

#: A variable with more values than this is a number, or a text, and nobody names them one by one.
MANY = 40


def categories(live: Live, plan: Plan, names: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The values of some columns after the steps of a plan that `fits`; of columns that are no keys, as they came.

    Values that fewer than RARE records have are left out: they would say who is in the file. A column with more than
    MANY values has none here.
    """
    after = require_in_memory(live.after(plan).state, "what is shown while you wait").table
    found = {}
    for name in names:
        table = after if name in after.names else tabulate(live.opened.rows.as_text([name]), [name])
        at = table.names.index(name)
        there = [
            (value, count) for value, count in zip(table.domains[at].values, margin(table, at), strict=True) if count
        ]
        if len(there) <= MANY:
            found[name] = tuple(value for value, count in there if value is not None and count >= RARE)
    return found
