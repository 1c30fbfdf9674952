"""What steps on one variable share: its values and how many have them, and the same change in rows and KeyTable."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from incrowd.keys.packing import add_up
from incrowd.keys.table import KeyTable, Pairs, Recode
from incrowd.protect.state import UNIT, Context, Original, State
from incrowd.rows import Rows
from incrowd.rows.tabulate import tabulate

Named = Mapping[str | None, str | None]


def value_records(state: State, name: str) -> dict[str | None, int]:
    """The variable's values and their records; for a key the KeyTable knows, without a pass over the rows.

    A value that only the population has is there with none.
    """
    if name not in state.table.names:
        return dict(state.rows.value_counts(name))
    at = state.table.names.index(name)
    values, codes = state.table.domains[at].values, state.table.codes[at]
    counts = add_up(codes.astype(np.int64), state.table.records, len(values))
    there = np.bincount(codes, minlength=len(values)) > 0
    return {value: count for value, count, found in zip(values, counts.tolist(), there, strict=True) if found}


@dataclass(frozen=True)
class ValuePeople:
    """The people who have each value of a variable. Where they have several records, those of two do not add up."""

    counts: dict[str | None, int]
    pairs: Pairs | None
    codes: dict[str | None, int]  # a value's class among the pairs

    def together(self, values: Collection[str]) -> int:
        """How many people have one of these?"""
        if self.pairs is None:
            return sum(self.counts[value] for value in values)
        classes = [self.codes[value] for value in values]
        return len(np.unique(self.pairs.units[np.isin(self.pairs.classes, classes)]))


def value_people(state: State, name: str, context: Context) -> ValuePeople:
    """The variable's values and the people who have them."""
    if name in state.table.names:
        one, _ = state.table.project([name])
    else:
        one = tabulate(state.rows, [name], unit=UNIT if context.has_unit else None)
    values = [one.domains[0].values[code] for code in one.codes[0]]
    counts = dict(zip(values, one.sizes.tolist(), strict=True))
    return ValuePeople(counts, one.pairs, {value: number for number, value in enumerate(values)})


def relabel(state: State, name: str, named: Named, *, compared: bool = False) -> State:
    """Every value by its new name, in the rows and in the KeyTable. Missing stays missing.

    What the release will be compared with gets the new names of a key, too, and with `compared` of any variable: a
    category is compared with the same category. A number that is no key is compared with the number as it was.
    """
    if state.original is not None and (compared or name in state.table.names):
        state = replace(state, original=relabel_original(state.original, name, named))
    leaves = state.leaves_after(name, named) if name in state.table.names else state.leaves
    table = recode_table(state.table, name, named)
    return replace(state, rows=relabel_rows(state.rows, name, named), table=table, leaves=leaves)


def relabel_original(original: Original, name: str, named: Named) -> Original:
    """The same for what the release is compared with. It may have values that the release lost: they stay."""
    at = original.table.names.index(name) if name in original.table.names else None
    values = original.rows.value_counts(name) if at is None else original.table.domains[at].values
    whole = {value: named.get(value, value) for value in values}
    labels = {old: label for old, label in whole.items() if old is not None}
    return Original(original.rows.relabel(name, labels, named.get(None)), recode_table(original.table, name, whole))


def relabel_rows(rows: Rows, name: str, named: Named) -> Rows:
    """The same for the rows alone."""
    return rows.relabel(name, {old: label for old, label in named.items() if old is not None})


def recode_table(table: KeyTable, name: str, named: Named) -> KeyTable:
    """The same for the table alone."""
    if name in table.names:
        i = table.names.index(name)
        return table.recode({name: _recode_of(table.domains[i].values, name, named)})
    if name in table.histograms:
        domain = table.histograms[name].domain
        # In the histogram an empty text is missing, so an empty new label is, too.
        blank = {value: label or None for value, label in named.items()}
        return table.recode_sensitive(name, _recode_of(domain.values, name, blank))
    return table


def changed_cells(counts: Mapping[str | None, int], named: Named) -> int:
    """How many cells get another text?"""
    return sum(number for value, number in counts.items() if named[value] != value)


def is_counted(state: State, name: str) -> bool:
    """Does the KeyTable know the variable, so that it must be counted again when records change one by one?"""
    return name in state.table.names or name in state.table.histograms


def _recode_of(values: tuple[str | None, ...], name: str, named: Named) -> Recode:
    # A class that was dropped may leave a value in the domain that no record has any more: it keeps its name.
    return Recode.from_values(name, [named.get(value, value) for value in values])
