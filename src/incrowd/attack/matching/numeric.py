"""Numbers that were moved: after noise, microaggregation or random rounding the nearest number gives somebody away.

A released 24,709 agrees with nobody's income, and still only one income is near. The keys that the release left as they
are sort the records into classes; within the target's class the nearest record by the moved numbers is picked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from incrowd.attack.matching.spans import are_numbers, middle
from incrowd.attack.matching.targets import Field
from incrowd.attack.situation import Auxiliary, Situation, codes_of
from incrowd.keys.packing import group, pack

Int64 = NDArray[np.int64]
Numbers = NDArray[np.float64]

TIES = 16  # so many equally near classes are told apart
FAR = 1e6  # classes lie so many standard deviations apart


@dataclass(frozen=True)
class Near:
    """For each target the nearest records, of how many people, and how many are the target's own."""

    records: Int64
    people: Int64
    own: Int64


def moved_numbers(situation: Situation) -> list[int]:
    """The keys whose labels are numbers, of which some are not what the record had. Loose labels fit by themselves."""
    found = []
    for at, name in enumerate(situation.scenario.keys):
        if name in situation.loose:
            continue
        told, was = situation.released[name], situation.known[name].take(pa.array(situation.lines))
        same = pc.equal(told, was).fill_null(False)
        if pc.all(pc.or_(same, pc.and_(told.is_null(), was.is_null()))).as_py():
            continue
        labels = [*pc.unique(told).to_pylist(), *pc.unique(situation.known[name]).to_pylist()]
        if are_numbers(labels):
            found.append(at)
    return found


def nearest_numbers(situation: Situation, auxiliary: Auxiliary, field: Field, moved: Sequence[int]) -> Near:
    """The nearest records by the moved keys among those that agree in all others; among all, where none agrees."""
    from scipy.spatial import cKDTree

    file, known = field.file, field.targets.known
    values = [_values(situation, auxiliary, key, file.spans[key]) for key in moved]
    mine = np.stack([value[file.labels[key]] for key, value in zip(moved, values, strict=True)], axis=1)
    asked = np.stack([value[known[key]] for key, value in zip(moved, values, strict=True)], axis=1)
    classes, wanted = _classes(field, [key for key in range(len(known)) if key not in moved])
    there = np.isin(wanted, classes)
    own = pack([field.pairs[0], field.class_of[field.pairs[1]]], [len(wanted), len(file.records)])
    records, people, right = (np.zeros(len(wanted), np.int64) for _ in range(3))
    for which, apart in ((there, FAR), (~there, 0.0)):
        at = np.flatnonzero(which)
        if not len(at):
            continue
        tree = cKDTree(np.column_stack([mine, classes * apart]))
        distance, place = tree.query(np.column_stack([asked[at], wanted[at] * apart]), min(TIES, len(mine)))
        distance, place = distance.reshape(len(at), -1), place.reshape(len(at), -1)
        row, column = np.nonzero(distance <= distance[:, :1] * (1 + 1e-9) + 1e-12)
        target, near = at[row], place[row, column].astype(np.int64)
        records += np.bincount(target, file.records[near], len(wanted)).astype(np.int64)
        people += np.bincount(target, file.people[near], len(wanted)).astype(np.int64)
        pairs = pack([target, near], [len(wanted), len(file.records)])
        right += np.bincount(field.pairs[0][np.isin(own, pairs)], minlength=len(wanted))
    return Near(records, people, right)


def _values(situation: Situation, auxiliary: Auxiliary, key: int, span: int) -> Numbers:
    """The number behind each code of a key, in standard deviations; a missing one stands in the middle."""
    name = situation.scenario.keys[key]
    tables = [table for table in (situation.released, situation.known, auxiliary.register) if table is not None]
    found = np.full(span, np.nan)
    codes = codes_of([table.select([name]) for table in tables], [name])
    for table, (column,) in zip(tables, codes, strict=True):
        distinct, first = np.unique(column, return_index=True)
        found[distinct] = [middle(label) for label in table[name].take(pa.array(first)).to_pylist()]
    everybody = found[codes[1][0]]
    everybody = everybody[np.isfinite(everybody)]
    spread = float(everybody.std()) if len(everybody) else 0.0
    centre = float(np.median(everybody)) if len(everybody) else 0.0
    return (np.where(np.isfinite(found), found, centre) - centre) / (spread or 1.0)


def _classes(field: Field, keys: Sequence[int]) -> tuple[Int64, Int64]:
    """The same number for the classes of the file and the targets that agree in these keys."""
    file, known = field.file, field.targets.known
    number = len(file.records)
    if not keys:
        return np.zeros(number, np.int64), np.zeros(len(known[0]), np.int64)
    both = [np.concatenate([file.labels[key], known[key]]) for key in keys]
    place = group(pack(both, [file.spans[key] + 1 for key in keys]))[1]
    return place[:number], place[number:]
