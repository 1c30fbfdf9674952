"""Which recoding of the keys keeps most, under what a candidate asks for? On the KeyTable alone: no record is touched.

The levels are the proven optimum of the lattice search, with the bits of each key over its own entropy as the price:
what is made large is what `information.py` measures. A recoding that was looked for once is remembered.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.drop_failing import drop_failing_classes
from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.loss import margin
from incrowd.keys.requirements import Requirement
from incrowd.keys.search.lattice import EXPLICIT, LatticeSearch, measure_levels, search
from incrowd.keys.table import KeyTable, Recode
from incrowd.plan import Plan
from incrowd.plan.requirements import AnyRequirement
from incrowd.proposals.candidate import FAVOURS, Candidate, Ending, Favour
from incrowd.proposals.goal import for_everybody
from incrowd.proposals.information import entropy
from incrowd.proposals.space import Space
from incrowd.protect import State

#: What the recoding may leave to the ending, as a share of the records: cells are blanked there, classes divided.
LEFT: Mapping[Ending, float] = {"recode": 0.0, "cells": 0.05, "local": 0.3}
#: A lattice that is too large to be searched to its end is left after so long.
SECONDS = 60.0

_READ: TypeAdapter[Any] = TypeAdapter(AnyRequirement)


@dataclass(frozen=True, eq=False)
class Recoding:
    """Levels for all keys, what they keep, and what the classes are then."""

    rungs: Mapping[str, int]
    kept: Mapping[str, float]  # of each key, by estimate where cells or classes are treated afterwards
    table: KeyTable  # after the recoding, and after what is dropped
    lost: int  # records
    proven: bool
    nodes: int
    counted: int

    @property
    def smallest(self) -> int:
        """The smallest class."""
        return self.table.smallest

    @property
    def mean(self) -> float:
        """The mean chance to find somebody who is in the file."""
        return self.table.classes / max(self.table.people, 1)


@dataclass(eq=False)
class Recoder:
    """Looks for recodings of one file, and remembers them."""

    space: Space
    state_of: Callable[[Candidate], State]  # the records with their other variables treated
    trees: Mapping[str, Hierarchy]  # of sensitive variables
    found: dict[object, Recoding | NotReleasable] = field(default_factory=dict)
    looked_at: int = 0  # nodes counted

    def recode(self, candidate: Candidate) -> Recoding:
        """The recoding of a candidate; NotReleasable where no level will do."""
        key = replace(candidate, remedies=(), values=self._that_matter(candidate))
        if key not in self.found:
            try:
                self.found[key] = self._search(candidate)
            except NotReleasable as refusal:
                self.found[key] = refusal
            except InputError as error:  # a treatment that these values do not allow is no reason to end the search
                self.found[key] = NotReleasable(error.code, error.message)
        known = self.found[key]
        if isinstance(known, NotReleasable):
            raise known
        return known

    def requirements(self, candidate: Candidate) -> tuple[Requirement, ...]:
        """All that the plan would require."""
        return tuple(r.requirement(self.trees) for r in required_of(self.space.plan, candidate))

    def holds(self, candidate: Candidate, rungs: Mapping[str, int], name: str) -> bool:
        """Whether the last requirement of a sensitive variable holds with these levels."""
        whole = self.table(candidate)
        bound = [one.bind(whole) for one in self.requirements(candidate)]
        recodes = {key: self.space.levels[key].recodes[rung] for key, rung in rungs.items() if rung}
        coarse = whole.recode(recodes) if recodes else whole
        wanted = [one for one in bound if one.sensitive_name == name][-1]
        if candidate.ending == "records":
            coarse = drop_failing_classes(coarse, [one for one in bound if one is not wanted]).table
        return not wanted.failing(coarse).any()

    def _that_matter(self, candidate: Candidate) -> tuple[tuple[str, int], ...]:
        """The treatments that a requirement looks at: others change no class."""
        looked_at = {r.sensitive_name for r in self.requirements(candidate)}
        return tuple((name, way) for name, way in candidate.values if name in looked_at)

    def _search(self, candidate: Candidate) -> Recoding:
        space, table = self.space, self.table(candidate)
        names = table.names
        floors, pinned = dict(candidate.floors), dict(candidate.levels)
        rungs = {
            name: (pinned[name],) if name in pinned else
            tuple(r for r in space.rungs[name] if r >= floors.get(name, 0)) or (floors[name],)
            for name in names
        }  # fmt: skip
        prices = _prices(table, space, candidate.favour)
        # A search begins with the finest level of each key: where that is not the value itself, it is made first.
        base = table.recode({name: space.levels[name].recodes[rungs[name][0]] for name in names if rungs[name][0]})
        levels = [_from(space.levels[name], rungs[name]) for name in names]
        bound = [one.bind(base) for one in self.requirements(candidate)]
        left = LEFT.get(candidate.ending, space.asked.records_lost)
        if pinned and candidate.ending in ("cells", "local"):
            left = 1.0  # the levels are given: what the ending makes of them is seen when it is carried out
        options: dict[str, Any] = {"suppression": left, "objective": "entropy", "weights": prices}
        if all(len(each) == 1 for each in rungs.values()):
            result = measure_levels(base, levels, bound, dict.fromkeys(names, 0), **options)
        else:
            # One too large to be listed is left when nothing better turns up, not when the time is over: it takes
            # less, and is the same on every machine.
            listed = prod(len(each) for each in rungs.values()) <= EXPLICIT
            result = search(base, levels, bound, time_limit=SECONDS if listed else None, **options)
        self.looked_at += result.counted
        return _recoding(space, table, rungs, bound, result, candidate.ending)

    def table(self, candidate: Candidate) -> KeyTable:
        """The classes before any key is coarsened, as far as keys are released."""
        table = self.state_of(candidate).table
        there = [name for name in table.names if name in self.space.ladders]
        return table if tuple(there) == table.names else table.project(there)[0]


def _recoding(
    space: Space,
    table: KeyTable,
    rungs: Mapping[str, Sequence[int]],
    bound: Sequence[Requirement],
    found: LatticeSearch,
    ending: Ending,
) -> Recoding:
    chosen = {name: rungs[name][found.levels[name]] for name in table.names}
    recodes = {name: space.levels[name].recodes[rung] for name, rung in chosen.items() if rung}
    coarse = table.recode(recodes) if recodes else table
    before, lost = int(table.records.sum()), 0
    if ending == "records":
        dropped = drop_failing_classes(coarse, bound)
        coarse, lost = dropped.table, dropped.removed
    kept = {}
    for i, name in enumerate(table.names):
        bits = entropy(margin(table, i))
        kept[name] = (1 - lost / max(before, 1)) * (entropy(margin(coarse, i)) / bits if bits else 1.0)
    return Recoding(chosen, kept, coarse, lost, found.proven, found.nodes, found.counted)


def required_of(plan: Plan, candidate: Candidate) -> list[Any]:
    """The requirements of a candidate's plan: the plan's own with its crowd, and those of sensitive variables."""
    found: list[Any] = []
    for one in plan.requirements:
        if getattr(one, "sensitive", None) in candidate.without and one.model != "k":
            continue
        found.append(one.model_copy(update={"k": candidate.k}) if for_everybody(one) else one)
    if not any(map(for_everybody, found)):
        found.insert(0, _READ.validate_python({"model": "k", "k": candidate.k}))
    asked = (json.loads(text) for name, text in candidate.required if name not in candidate.without)
    return [*found, *(_READ.validate_python(content) for content in asked)]


def _from(levels: Levels, rungs: Sequence[int]) -> Levels:
    """Some of the levels, as ways to coarsen the first of them."""
    first = levels.recodes[rungs[0]]
    _, some = np.unique(first.codes, return_index=True)  # a value behind each of its labels
    return Levels(
        first.domain,
        tuple(Recode(levels.recodes[i].domain, levels.recodes[i].codes[some]) for i in rungs),
        tuple(levels.losses[i] for i in rungs),
    )


def _prices(table: KeyTable, space: Space, favour: Favour) -> dict[str, float]:
    """What a bit of each key counts: its weight, more where users need it, over all the bits that it has (or not, where
    bits are to count alike).
    """
    found = {}
    for i, name in enumerate(table.names):
        bits = entropy(margin(table, i))
        weight = space.weights[name] * (FAVOURS[favour] if name in space.named else 1.0)
        found[name] = (weight if favour == "detail" else weight / bits) if bits else 0.0
    return found if any(found.values()) else dict.fromkeys(found, 1.0)
