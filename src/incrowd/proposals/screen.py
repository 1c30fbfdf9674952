"""Would the values that are no keys single people out? Foreseen from the codes of the records, before any is written.

All released columns together isolate whom any of them isolates. So the records are counted by the recoded keys and the
treated values: u is the share of them that nobody shares, b what predicates of the same weight would isolate by chance,
and (u - b) / (1 - b) what the attack singling_out_any will find, nearly. It chooses treatments; the attack decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incrowd.keys.packing import group, pack
from incrowd.proposals.bench import Bench
from incrowd.proposals.candidate import Candidate
from incrowd.proposals.information import Int64
from incrowd.proposals.recoding import Recoding

#: The attack has an interval, and sees a little more: so far below the limit a treatment must be.
MARGIN = 0.02


@dataclass(eq=False)
class Screen:
    """Counts records by codes."""

    bench: Bench

    def excess(self, candidate: Candidate, recoding: Recoding) -> float:
        """What somebody who knows all columns would single out, beyond chance. What chance changed is no help to
        them, and is left out.
        """
        columns, spans = [self._classes(recoding)], [recoding.table.classes + 1]
        spans[0] = int(columns[0].max(initial=0)) + 1
        for name, ways in self.bench.space.treatments.items():
            treatment = ways[candidate.treated(name)]
            if treatment.codes is not None and not treatment.drops:
                columns.append(treatment.codes[self.bench.given[name].codes])
                spans.append(int(treatment.codes.max(initial=0)) + 1)
        _, to = group(pack(columns, spans))
        crowd = np.bincount(to)[to]
        alone = float((crowd == 1).mean())
        chance = float((crowd * np.exp(-crowd.astype(float))).mean())
        return (alone - chance) / (1 - chance)

    def _classes(self, recoding: Recoding) -> Int64:
        columns, spans = [], []
        for name, rung in recoding.rungs.items():
            codes = self.bench.space.levels[name].recodes[rung].codes
            columns.append(codes[self._codes[name]].astype(np.int64))
            spans.append(int(codes.max(initial=0)) + 1)
        if not columns:
            return np.zeros(self.bench.records, np.int64)
        return group(pack(columns, spans))[1].astype(np.int64)

    @cached_property
    def _codes(self) -> Mapping[str, Int64]:
        """For each key the code of each record in the domain of its levels."""
        found = {}
        for name, levels in self.bench.space.levels.items():
            given = self.bench.given[name]
            place = {value: code for code, value in enumerate(levels.domain.values)}
            found[name] = np.array([place[value] for value in given.values], np.int64)[given.codes]
        return found

    def coarsened(self, candidate: Candidate, recoding: Recoding, limit: float) -> Candidate | None:
        """The same with values treated, by no chance, until they single out no more than the limit: one step at a time,
        where most is gained for what is lost. Where no single step gains anything, since several variables single out
        each by itself, that of the variable with most values is next; it is left out where nothing coarser is there.
        What turns out not to be needed is taken back. None where no treatment is enough.
        """
        most = limit - MARGIN
        found, excess = candidate, self.excess(candidate, recoding)
        while excess > most:
            best: tuple[float, float, Candidate] | None = None
            for name, ways in self.bench.space.treatments.items():
                way = self._next(found, name)
                if way is None or ways[way].drops:
                    continue
                tried = found.with_value(name, way)
                gain = excess - (less := self.excess(tried, recoding))
                price = self.bench.space.weights[name] * max(ways[found.treated(name)].kept - ways[way].kept, 0.0)
                if gain > 0 and (best is None or gain / (price + 1e-6) > best[0]):
                    best = (gain / (price + 1e-6), less, tried)
            if best is not None:
                _, excess, found = best
                continue
            most_values = self._most_values(found)
            if most_values is None:
                return None
            found = most_values
            excess = self.excess(found, recoding)
        return self._taken_back(candidate, found, recoding, most)

    def _next(self, candidate: Candidate, name: str) -> int | None:
        """The next coarser treatment of a variable, or leaving it out; none where chance has changed it."""
        ways, now = self.bench.space.treatments[name], candidate.treated(name)
        if ways[now].perturbs:
            return None
        return next((way for way in range(now + 1, len(ways)) if not ways[way].perturbs), None)

    def _most_values(self, candidate: Candidate) -> Candidate | None:
        """The next treatment of the variable that has most values now."""
        number: dict[str, int] = {}
        for name, ways in self.bench.space.treatments.items():
            codes = ways[candidate.treated(name)].codes
            if codes is not None and self._next(candidate, name) is not None:
                number[name] = len(np.unique(codes))
        if not number:
            return None
        name = max(number, key=lambda each: number[each])
        way = self._next(candidate, name)
        assert way is not None
        return candidate.with_value(name, way)

    def _taken_back(self, begun: Candidate, found: Candidate, recoding: Recoding, most: float) -> Candidate:
        """The treatments that are not needed once all others are there, undone as far as can be."""
        for name, ways in self.bench.space.treatments.items():
            for way in range(begun.treated(name), found.treated(name)):
                tried = found.with_value(name, way)
                if not ways[way].perturbs and self.excess(tried, recoding) <= most:
                    found = tried
                    break
        return found

    def blurred(self, candidate: Candidate, recoding: Recoding, limit: float) -> Candidate | None:
        """The same with every amount blurred by chance as little as is tried, and other values coarsened if need be."""
        found, any_ = candidate, False
        for name, ways in self.bench.space.treatments.items():
            first = next((i for i, way in enumerate(ways) if way.perturbs), None)
            if first is not None and ways[first].name.startswith("noise") and not ways[found.treated(name)].perturbs:
                found, any_ = found.with_value(name, first), True
        return self.coarsened(found, recoding, limit) if any_ else None
