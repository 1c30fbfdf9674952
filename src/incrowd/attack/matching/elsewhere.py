"""Targets looked up in another release, by what an intruder knows of them: also by keys that this one does not tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from incrowd.attack.knowledge import believed
from incrowd.attack.matching.compatible import MOST_LABELS, compatible
from incrowd.attack.matching.fitting import agreeing
from incrowd.attack.matching.meeting import labels_of
from incrowd.attack.matching.pinning import Side
from incrowd.attack.situation import Int64, Situation, codes_of
from incrowd.keys.packing import group, pack


def besides_of(situation: Situation, others: Iterable[pa.Table]) -> tuple[str, ...]:
    """The keys that the intruder knows, this release does not tell, and one of the others does."""
    told = {name for other in others for name in other.column_names}
    return tuple(key for key in situation.besides if key in told)


def views_of(situation: Situation) -> list[Situation]:
    """As what people are looked up in other releases: by the keys as this release says them, and as they are in truth.

    Whoever knows an age knows it to the year, however coarsely this release tells it, and another may tell it finely;
    and whoever knows a key that is not in this release finds it there. Labels of both may have come from one recoding,
    though: then what this release says is the better of the two.
    """
    known, keys = situation.known, [key for key in situation.scenario.keys if key in situation.columns]
    came = situation.at_start([*keys, *situation.besides])
    for name in situation.besides:
        known = known.append_column(name, came[name]) if name not in known.column_names else known
    said = replace(situation, known=known, scenario=situation.whole_scenario)
    for name in keys:
        known = known.set_column(known.column_names.index(name), name, came[name])
    return [said, replace(said, known=known)]


def differing(views: Sequence[Situation], other: pa.Table) -> Sequence[Situation]:
    """The views that another release can tell apart: one, where its keys are here as they came."""
    first, second = views
    keys = [key for key in first.scenario.keys if key in other.column_names]
    return views if any(not first.known[key].equals(second.known[key]) for key in keys) else views[:1]


def elsewhere(situation: Situation, other: pa.Table, targets: Int64) -> Side:
    """Targets against another release, by the keys that it has, in whatever categories."""
    keys = [key for key in situation.scenario.keys if key in other.column_names]
    if not keys:
        everything = csr_array(np.ones((1, 1)))
        return Side(other, np.zeros(len(targets), np.int64), np.zeros(other.num_rows, np.int64), everything)
    tables = [believed(situation, targets).select(keys), other.select(keys)]
    mine, theirs = (np.array(codes) for codes in codes_of(tables, keys))
    labels = [labels_of(tables, key) for key in keys]
    fits = []
    for column, own, names in zip(theirs, mine, labels, strict=True):
        there, here = np.unique(column), np.unique(own)
        if len(here) * len(there) > MOST_LABELS:
            fits.append({code: here[here == code] for code in there.tolist()})
            continue
        fit = compatible([names[code] for code in here.tolist()], [names[code] for code in there.tolist()])
        fits.append({code: here[whom] for code, whom in zip(there.tolist(), fit.T, strict=True)})
    spans = [len(names) for names in labels]
    first, combination = group(pack(list(mine), spans))
    begin, class_of = group(pack(list(theirs), spans))
    row, column = agreeing(mine[:, first], theirs[:, begin], fits)
    meets = csr_array((np.ones(len(row)), (row, column)), shape=(len(first), len(begin)))
    return Side(other, combination, class_of, meets)
