"""Tables side by side: a population beside the file, a condition beside its classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.table import Domain, Int32, Int64, KeyTable, Recode


def join_population(table: KeyTable, population: KeyTable) -> KeyTable:
    """The table with the population's people in each class.

    Classes of the population with nobody of the file come in with no records, so that coarsening the table later adds
    them up too: a coarse class has the population of all its parts, also of those the file does not have.
    """
    domains, columns, first, here, there = _side_by_side(table, population)
    number = len(first)
    # Both tables are in lexicographic order and so is their union: histograms stay sorted by class.
    histograms = {
        name: replace(histogram, classes=here[histogram.classes]) for name, histogram in table.histograms.items()
    }
    pairs = None if table.pairs is None else replace(table.pairs, classes=here[table.pairs.classes])
    codes = np.array([column[first] for column in columns], dtype=np.int32).reshape(len(columns), number)
    records, people = add_up(here, table.records, number), add_up(there, population.records, number)
    return KeyTable(tuple(domains), codes, records, histograms, pairs, people)


def attach_histogram(table: KeyTable, other: KeyTable, name: str) -> KeyTable:
    """The table with a histogram that was counted later, on the same rows and keys."""
    _, _, first, here, there = _side_by_side(table, other)
    back = np.full(len(first), -1, np.int64)
    back[here] = np.arange(len(here))
    histogram = other.histograms[name]
    moved = replace(histogram, classes=back[there[histogram.classes]])
    return replace(table, histograms={**table.histograms, name: moved})


def _side_by_side(table: KeyTable, other: KeyTable) -> tuple[list[Domain], Sequence[Int32], Int64, Int64, Int64]:
    """Both tables in one numbering of classes: domains, codes, the first row of each, and both tables' classes."""
    domains, columns = [], []
    for i, domain in enumerate(table.domains):
        j = other.names.index(domain.name)
        both = Recode.from_values(domain.name, [*domain.values, *other.domains[j].values])
        domains.append(both.domain)
        mine, theirs = both.codes[: len(domain)], both.codes[len(domain) :]
        columns.append(np.concatenate([mine[table.codes[i]], theirs[other.codes[j]]]))
    first, to = group(pack(columns, [len(domain) for domain in domains]))
    return domains, columns, first, to[: len(table.records)], to[len(table.records) :]
