"""Another file about people beside a release: brought to its categories, and counted against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from incrowd.attack.situation import Situation
from incrowd.keys.population import join_population
from incrowd.risk.value import COUNTED, Risk, Scenario, not_estimated
from incrowd.rows import Rows
from incrowd.rows.tabulate import tabulate

#: The figure that says that people of another file stand alone beside one released record.
ONE_TO_ONE = "external_one_to_one"
#: From a value of the original to the category that it has in the release.
Categories = Mapping[str, Mapping[str, str | None]]


def categories_of(situation: Situation) -> Categories:
    """For each released column that came in the original: which category did each of its values become?

    A value that became several (by chance, or class by class) has no one category and is left out.
    """
    found: dict[str, dict[str, str | None]] = {}
    for name in situation.known.column_names:
        at_start = situation.at_start([name])[name]
        pairs = pa.table({"a": at_start, "b": situation.known[name]}).group_by(["a", "b"]).aggregate([]).to_pylist()
        to: dict[str, set[str | None]] = {}
        for pair in pairs:
            if pair["a"] is not None:
                to.setdefault(pair["a"], set()).add(pair["b"])
        found[name] = {value: next(iter(labels)) for value, labels in to.items() if len(labels) == 1}
    return found


def brought_over(released: Rows, other: Rows, name: str, categories: Categories) -> tuple[Rows, list[str]]:
    """The other file at the release's categories as far as they are known, and what is not.

    A column all of whose values occur in the release is left as it is.
    """
    notes = []
    for column in (column for column in released.columns if column in other.columns):
        there = {value for value in released.value_counts(column) if value is not None}
        values = [value for value in other.value_counts(column) if value is not None]
        if set(values) <= there:
            continue
        known = categories.get(column, {})
        labels = {value: known.get(value, value) for value in values}
        other = other.as_text([column]).relabel(column, labels)
        if strange := sum(label is not None and label not in there for label in labels.values()):
            notes.append(
                f"{name}: {strange:,} of {len(values):,} values of {column} are no categories of the release, and the "
                "people who have them match nobody"
            )
    return other, notes


def _values(rows: Rows, column: str) -> set[str]:
    return {value for value in rows.value_counts(column) if value is not None}


def external_figures(released: Rows, other: Rows, name: str, scenarios: Sequence[Scenario]) -> Iterator[Risk]:
    """What does another file about people tell beside the release? Counted by each scenario's keys, and by all columns
    that the two share: also those that are no keys.

    `external_matched` is the share of the other file's records whose combination is in the release, `external_largest`
    the largest 1/f of those, and `external_one_to_one` how many records are alone in both files. A match is not proof:
    nobody says that the same person stands behind both, and values at other categories do not match at all. Where a
    column has no value that both files have, nothing was compared, and there is no figure.
    """
    shared = tuple(column for column in released.columns if column in other.columns)
    known = [one for one in scenarios if set(one.keys) <= set(other.columns)]
    if shared and all(set(one.keys) != set(shared) for one in known):
        known.append(Scenario("all columns shared", shared))
    if not known:
        why = "it shares no column with the release"
        yield not_estimated("external_matched", name, "all columns shared", why)
    apart = [column for column in shared if not _values(released, column) & _values(other, column)]
    for scenario in known:
        if strange := [key for key in scenario.keys if key in apart]:
            why = f"it has no value of {', '.join(strange)} in common with the release, so that nothing was compared"
            yield not_estimated("external_matched", f"{name} by {', '.join(scenario.keys)}", scenario.name, why)
            continue
        table = tabulate(released, scenario.keys)
        both = join_population(table, tabulate(other, scenario.keys))
        assert both.population is not None
        here, there = both.records, both.population
        people = int(there.sum())
        matched = int(there[here > 0].sum())
        largest = 1.0 / int(here[(here > 0) & (there > 0)].min()) if matched else 0.0
        alone = int(np.count_nonzero((here == 1) & (there == 1)))
        method = f"{name} by {', '.join(scenario.keys)}"
        for figure, value in (
            ("external_matched", matched / max(people, 1)), ("external_largest", largest), (ONE_TO_ONE, float(alone)),
        ):  # fmt: skip
            yield Risk(figure, value, None, None, method, scenario.name, COUNTED)
