"""Counts where a missing value matches anything, as sdcMicro counts: an option beside our own rule."""

from __future__ import annotations

import numpy as np

from incrowd.keys.packing import group, pack
from incrowd.keys.table import KeyTable
from incrowd.risk.value import Floats


def wildcard_sizes(table: KeyTable, amounts: Floats, alpha: float = 1.0) -> Floats:
    """How many people could each class be, if a missing value may stand for any value?

    For class i the sum over classes j that agree with it in every key which neither has missing. A class j with missing
    values counts `alpha` times (1: fully, 0: not at all), unless it lacks exactly what i lacks or i lacks everything;
    one without counts fully, whatever i lacks. `amounts` are the class sizes, or the sums of their weights.

    Misleads: it makes classes look larger, so no promise rests on it (see keys/table.py for our rule). It costs a pass
    for each pair of missing patterns, not for each pair of classes. Reference: Templ, Kowarik, Meindl (2015), freqCalc.
    Unlike sdcMicro, a record with every key missing matches everybody: sdcMicro 5.8.1 leaves it out of the count of
    records without missing values when there are several keys, and counts it when there is one.

    >>> from incrowd.keys.table import from_records
    >>> table = from_records({"age": ["30", "40", None]})
    >>> wildcard_sizes(table, table.records.astype(float)).tolist()
    [3.0, 2.0, 2.0]
    """
    missing = np.array([codes == _missing(d.values) for d, codes in zip(table.domains, table.codes, strict=True)])
    spans = [len(domain) for domain in table.domains]
    patterns, to = np.unique(missing, axis=1, return_inverse=True)
    to = to.ravel()
    total = np.zeros(table.codes.shape[1])
    for mine in range(patterns.shape[1]):
        here = np.flatnonzero(to == mine)
        for theirs in range(patterns.shape[1]):
            there = np.flatnonzero(to == theirs)
            both = np.flatnonzero(~patterns[:, mine] & ~patterns[:, theirs])
            lacks, same = patterns[:, theirs].any(), mine == theirs
            weight = alpha if lacks and not same and not patterns[:, mine].all() else 1.0
            if weight == 0.0:
                continue
            if not len(both):
                total[here] += weight * amounts[there].sum()
                continue
            columns = [np.concatenate([table.codes[i][here], table.codes[i][there]]) for i in both]
            _, number = group(pack(columns, [spans[i] for i in both]))
            summed = np.bincount(number[len(here) :], weights=amounts[there], minlength=int(number.max()) + 1)
            total[here] += weight * summed[number[: len(here)]]
    return total


def _missing(values: tuple[str | None, ...]) -> int:
    return values.index(None) if None in values else -1
