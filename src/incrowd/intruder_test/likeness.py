"""What could somebody look like in the release? The released labels that what a card tells can have become."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from incrowd.attack.knowledge import Bools
from incrowd.attack.matching.fitting import ANY
from incrowd.attack.matching.spans import span
from incrowd.attack.situation import Int64, Situation, coded
from incrowd.keys.natural import natural
from incrowd.keys.packing import group, pack

Value = str | None
#: For a key: a coarser label, and the values that it stands for.
Behind = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Look:
    """Of one key, the released labels that a value can have become. A key of which nothing is known has none."""

    key: str
    labels: tuple[Value, ...]
    exact: int  # so many of them, the first ones, say just this; the others are blank or coarser


def dump_looks(looks: Sequence[Look]) -> str:
    """As JSON."""
    return json.dumps([[look.key, look.labels, look.exact] for look in looks])


def parse_looks(text: str) -> tuple[Look, ...]:
    """From JSON."""
    return tuple(Look(key, tuple(labels), exact) for key, labels, exact in json.loads(text))


class Likeness:
    """The labels of a release's keys, and which values can stand behind each.

    A label that people's values have at the release's categories stands for itself. Where the plan blanks cells or
    recodes class by class, a blank can be anybody, a range those in it, and a coarser name those whom the plan's
    hierarchy puts under it; a name that no hierarchy explains can be anybody, too. Who was in truth released under a
    label is never asked: pages that are made from this tell nothing that a reader of the plan could not know.
    """

    def __init__(self, situation: Situation, behind: Mapping[str, Behind]) -> None:
        self.situation = situation
        self.codes: dict[str, dict[Value, int]] = {}  # for each key the code of each label
        self.coarse: dict[str, list[Value]] = {}  # labels that can be said of several values, or of any
        self._behind, self._found = behind, dict[tuple[str, frozenset[Value]], Look]()
        columns: list[Int64] = []
        for key in situation.keys:
            (codes,), labels = coded([situation.released], key)
            columns.append(codes)
            self.codes[key] = {label: code for code, label in enumerate(labels.to_pylist())}
            own = frozenset(pc.unique(situation.known[key]).to_pylist()) - {None}
            named = {*behind.get(key, {}), ANY}
            self.coarse[key] = [
                label for label in sorted(self.codes[key], key=natural)
                if key in situation.loose and (label not in own or label in named)
            ]  # fmt: skip
        first, self.class_of = group(pack(columns, [len(self.codes[key]) for key in situation.keys]))
        self._classes = {key: column[first] for key, column in zip(situation.keys, columns, strict=True)}
        self.sizes = np.bincount(self.class_of, minlength=len(first))

    def look(self, key: str, categories: Collection[Value]) -> Look:
        """The labels that a value with these categories can have become."""
        what = key, frozenset(categories)
        if what not in self._found:
            same = sorted((label for label in what[1] if label in self.codes[key]), key=natural)
            others = [x for x in self.coarse[key] if x not in what[1] and self._can_be(key, x, what[1])]
            self._found[what] = Look(key, (*same, *others), len(same))
        return self._found[what]

    def _can_be(self, key: str, label: Value, values: Collection[Value]) -> bool:
        """Whether a coarser label can be one of these values."""
        if label is None or label == ANY:
            return True
        if (under := self._behind.get(key, {}).get(label)) is not None:
            return any(value in under for value in values)
        if (told := span(label)) is None:
            listed = label.split("|")  # the name of a group that the data made: what is in it, where it is short
            return len(listed) == 1 or any(value in listed for value in values)
        ends = [span(value) for value in values]
        return any(end is not None and end[0] <= told[1] and told[0] <= end[1] for end in ends)

    def coarser(self, key: str) -> dict[str, tuple[str, ...]]:
        """Every released label of a key that is coarser than others, and which of these it can be."""
        fine = [label for label in self.codes[key] if label is not None and label not in self.coarse[key]]
        return {
            label: tuple(value for value in sorted(fine, key=natural) if self._can_be(key, label, [value]))
            for label in self.coarse[key] if label is not None
        }  # fmt: skip

    def fitting(self, looks: Sequence[Look]) -> Bools:
        """For each class of the release, whether it fits."""
        found = np.ones(len(self.sizes), bool)
        for look in looks:
            mask = np.zeros(len(self.codes[look.key]), bool)
            mask[[self.codes[look.key][label] for label in look.labels]] = True
            found &= mask[self._classes[look.key]]
        return found
