"""Cell suppression: blank as few cells as possible, drop no record.

Two readings of a blank. *Strict* (the default): a blank is a value like any other, and everybody shares
all that is shown, blanks included, with k records. *Wildcard* (sdcMicro's): a blank matches anything, so
a record that stays as it was may lean on blanked ones. The wildcard count flatters: two records blanked
everywhere make any file 3-anonymous by it. The result gives the k of both readings. Where people have several
records, k counts people in both (people.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.cells.patterns import Cells, patterns, wildcard_matches
from incrowd.keys.cells.people import Lines, Parts, blank_people, fewest_people
from incrowd.keys.cells.strict import blank_strict, least
from incrowd.keys.cells.wildcard import blank_wildcard
from incrowd.keys.packing import add_up, group, pack
from incrowd.keys.table import Domain, Int64, KeyTable, Mask, Pairs

Reading = Literal["strict", "wildcard"]


@dataclass(frozen=True, eq=False)
class CellSuppression:
    """Which cells are blanked, and what that achieves.

    The records of a class are alike, so the decision is given for parts of classes: of class
    `classes[i]`, `records[i]` records are blanked in the keys of `blanked[i]` (one column for each key).
    All records of the file are in it, also those with nothing blanked. Which of a class's records make up
    a part is free; but where people have several records, a part is all that `units[i]` has in the class.

    `lower_bound` is a cost (cells times weights) that no strict solution can go below; None for
    wildcards, where no useful bound is known.
    """

    reading: Reading
    k: int
    keys: tuple[str, ...]
    classes: Int64
    blanked: Mask
    records: Int64
    cells: Mapping[str, int]
    cost: float
    lower_bound: float | None
    strict_k: int
    wildcard_k: int
    units: Int64 | None = None

    @property
    def total(self) -> int:
        """Cells blanked."""
        return sum(self.cells.values())

    def apply(self, table: KeyTable) -> KeyTable:
        """The table after blanking, without histograms: which record of a class goes where is open."""
        domains, codes = [], table.codes[:, self.classes].copy()
        for j, domain in enumerate(table.domains):
            if None in domain.values:
                code = domain.values.index(None)
            else:
                code, domain = len(domain), Domain(domain.name, (*domain.values, None))
            codes[j, self.blanked[:, j]] = code
            domains.append(domain)
        pairs = None if self.units is None else Pairs(np.arange(len(self.units)), self.units, self.records)
        parts = KeyTable(tuple(domains), codes, self.records, pairs=pairs)
        return parts.project(parts.names)[0]


def suppress_cells(
    table: KeyTable,
    k: int,
    *,
    importance: Sequence[str] | None = None,
    weights: Mapping[str, float] | None = None,
    reading: Reading = "strict",
    linked: bool = False,
) -> CellSuppression:
    """Which cells must go so that everybody is one of k, with no record dropped?

    Minimises the sum over blanked cells of the key's weight (1, unless given: then simply the number of
    cells). `importance` names the keys, the most important first; between equally good choices the less
    important key is blanked. Without it, the more values a key has, the less important it is. A greedy
    search, not a proven optimum; the strict reading says how far from one it can be (`lower_bound`).

    Where people have several records, a value is blanked in all records of a person that have it, or in none;
    with `linked` (the release shows which records are one person's) a key in all records of a person.

    Misleads in the wildcard reading: a record that is unique in every key may stay as it is, when enough
    blanked records could be anybody. Trust `strict_k`.

    References: Meyerson and Williams 2004 (k-anonymity by cells is NP-hard); Templ, Kowarik and Meindl
    2015 (sdcMicro's local suppression); Gionis, Mazza and Tassa 2008 (what counting records that *could*
    match protects).

    >>> from incrowd.keys.table import from_records
    >>> table = from_records({"age": ["30", "31", "40", "40"], "sex": ["f", "f", "m", "m"]})
    >>> result = suppress_cells(table, 2)
    >>> dict(result.cells), result.strict_k
    ({'age': 2, 'sex': 0}, 2)
    """
    if k < 1:
        raise InputError("D071", f"k is {k}.", "k must be 1 or more.")
    order, price = _order(table, importance), _weights(table, weights)
    people, who = table.people, "records" if table.pairs is None else "people"
    if 0 < people < k:
        raise NotReleasable(
            "R014",
            f"the file has {people} {who}: blanking cells cannot make a crowd of {k}.",
            f"Lower k, or add {who}.",
        )
    for salt in range(3):
        result = _solve(table, k, order, price, reading, salt, linked)
        if people == 0 or (result.strict_k if reading == "strict" else result.wildcard_k) >= k:
            return result
        # More than 63 bits of keys are hashed, and here two combinations met: draw again.
    raise AssertionError("cells were blanked and k does not hold")


def wildcard_sizes(table: KeyTable) -> Int64:
    """How many records agree with each class wherever both have a value? (A missing value matches anything.)

    Records, also where people have several: `wildcard_k` of a result counts people.

    Misleads because it is not transitive: records that match one class need not match each other, so no
    crowd of this size need exist. Reference: sdcMicro's `freqCalc`.

    >>> from incrowd.keys.table import from_records
    >>> wildcard_sizes(from_records({"age": ["30", "31", None], "sex": ["f", "f", "f"]})).tolist()
    [3, 2, 2]
    """
    cells = Cells.of(table, salt=2**32)
    return wildcard_matches(cells, cells, 0)


def _solve(
    table: KeyTable, k: int, order: list[int], price: list[float], reading: Reading, salt: int, linked: bool
) -> CellSuppression:
    """Blank, and count again what came out."""
    cells, tried, weights = Cells.of(table, salt), patterns(order, price), np.array(price)
    bound = None

    def strictly(given: Cells) -> Parts:
        return blank_strict(given, tried, weights, k)

    def by_wildcards(given: Cells) -> Parts:
        some, chosen = blank_wildcard(given, tried, k)
        rest = given.records - np.bincount(some, minlength=len(given.records))
        everybody = np.arange(len(rest))
        masks = np.concatenate([np.zeros_like(rest), chosen])
        return np.concatenate([everybody, some]), masks, np.concatenate([rest, np.ones(len(some), np.int64)])

    decide = strictly if reading == "strict" else by_wildcards
    if reading == "strict":
        bound = least(replace(cells, records=table.sizes), tried, weights, k)
    if table.pairs is None:
        units = None
        classes, masks, records = _together(*decide(cells))
    else:
        lines = Lines.of(table, cells, linked)
        masks = blank_people(lines, k, reading == "wildcard", decide, strictly)
        classes, records, units = table.pairs.classes, table.pairs.records, table.pairs.units
    blanked = (masks[:, None] >> np.arange(len(price))) & 1 == 1
    counts = [int(records[blanked[:, j]].sum()) for j in range(len(price))]
    result = CellSuppression(
        reading,
        k,
        table.names,
        classes,
        blanked,
        records,
        dict(zip(table.names, counts, strict=True)),
        sum(count * weight for count, weight in zip(counts, price, strict=True)),
        bound,
        0,
        0,
        units,
    )
    after = result.apply(table)
    return replace(result, strict_k=after.smallest, wildcard_k=_wildcard_k(after))


def _together(classes: Int64, masks: Int64, records: Int64) -> Parts:
    """Parts of a class with the same blanks as one."""
    classes, masks, records = classes[records > 0], masks[records > 0], records[records > 0]
    rank = np.unique(masks, return_inverse=True)[1]
    first, to = group(pack([classes, rank], [int(classes.max(initial=0)) + 1, len(rank)]))
    return classes[first], masks[first], add_up(to, records, len(first))


def _wildcard_k(table: KeyTable) -> int:
    """The smallest class where a missing value matches anything."""
    if table.pairs is not None:
        return fewest_people(Cells.of(table, salt=2**32), table.pairs.classes, table.pairs.units)
    return int(wildcard_sizes(table).min(initial=2**62)) if table.classes else 0


def _order(table: KeyTable, importance: Sequence[str] | None) -> list[int]:
    """The keys by number, the most important first."""
    if importance is None:
        return sorted(range(len(table.names)), key=lambda j: (len(table.domains[j]), j))
    if sorted(importance) != sorted(table.names):
        raise InputError(
            "D072",
            "the importance order does not name each key once.",
            f"The keys are {', '.join(table.names)}.",
        )
    return [table.names.index(name) for name in importance]


def _weights(table: KeyTable, weights: Mapping[str, float] | None) -> list[float]:
    """What a blanked cell of each key costs."""
    given = dict(weights or {})
    unknown = sorted(set(given) - set(table.names))
    if unknown:
        raise InputError(
            "D073",
            f"'{unknown[0]}' has a weight and is not a key.",
            f"The keys are {', '.join(table.names)}.",
        )
    price = [float(given.get(name, 1.0)) for name in table.names]
    if not all(0 < weight < float("inf") for weight in price):
        raise InputError("D074", "a weight is not a positive number.", "Leave a key out to give it weight 1.")
    return price
