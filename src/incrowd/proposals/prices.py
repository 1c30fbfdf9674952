"""What each promise of a plan costs: what would come back without it.

A price is the information that the best plan without the promise would keep beyond this one, as a share of all. For
what is asked of classes and values the recoding is looked for anew, on the KeyTable, by the estimates of the search.
For the limit of an attack it is measured: the best of the candidates that were carried out and that this attack alone
broke. Cells that are blanked and classes that are recoded by themselves come after the levels of the keys: there the
estimate is that of the levels.
Misleads where promises lean on each other: taking two away may bring back more, or less, than both prices together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from incrowd.errors import NotReleasable
from incrowd.keys.saying import percent
from incrowd.proposals.bench import Bench
from incrowd.proposals.candidate import Candidate
from incrowd.proposals.goal import FEWEST
from incrowd.proposals.information import weighted
from incrowd.proposals.recoding import Recoding, required_of
from incrowd.proposals.trying import Tried
from incrowd.report.board.advice import most

#: Less than this is nothing.
LEAST = 0.0005


@dataclass(frozen=True)
class Price:
    """One promise, what would be in its place, and what would come back then."""

    promise: str
    instead: str
    back: float
    how: str
    key: str = ""  # the key that is asked about, where it is one


@dataclass(frozen=True)
class Pricing:
    """Asks for prices of one proposal."""

    bench: Bench
    tried: Tried
    broken: Sequence[Tried] = ()  # what was carried out, and an attack broke

    def all(self) -> list[Price]:
        """Every promise, the dearest first."""
        return sorted(self._each(), key=lambda price: -price.back)

    def _each(self) -> Iterator[Price]:
        candidate, space = self.tried.candidate, self.bench.space
        yield from self._looked_for_anew(self._begun)
        for name, way in candidate.values:
            if way:  # the classes stay what they are
                back = space.weights[name] * (1 - space.treatments[name][way].kept) / self._weight
                told = f"{name}: {space.treatments[name][way].words}"
                yield Price(told, "as it is", back, f"{name} as it is")
        yield from self._limits()

    def _looked_for_anew(self, candidate: Candidate) -> Iterator[Price]:
        """What is asked of classes, and each key, by other levels of the keys."""
        space, k = self.bench.space, candidate.k
        for lower in dict.fromkeys((k - 1, FEWEST)):
            if 1 < lower < k:
                yield self._price(f"classes of at least {k}", f"of at least {lower}", replace(candidate, k=lower))
        limited = {getattr(one, "sensitive", None) for one in required_of(space.plan, candidate)}
        for name in sorted(name for name in limited if name):
            without = replace(candidate, without=frozenset({name}))
            yield self._price(f"a limit to what classes give away about {name}", "none", without)
        if candidate.ending == "recode" and "records" in space.endings:
            share = f"{100 * space.asked.records_lost:g}% of the records may be dropped"
            yield self._price("nobody is left out (gap, minimality)", share, replace(candidate, ending="records"))
        for name in space.ladders:
            yield self._key(name)

    def _limits(self) -> Iterator[Price]:
        """What the limit of an attack costs, where it alone stood against a candidate. Attacks after it were left."""
        best: dict[tuple[str, str], Tried] = {}
        for one in self.broken:
            against = {(attack.name, attack.about) for attack in one.above}
            if len(against) != 1 or any(attack.given_away or most(attack) is None for attack in one.above):
                continue  # no limit alone: what is certain, or was not tried, needs none
            (which,) = against
            known = best.get(which)
            if known is None or one.information > known.information:
                best[which] = one
        for (name, _), one in best.items():
            worst = max((figure for attack in one.above if (figure := most(attack)) is not None), default=1.0)
            how = "; ".join([*self._lighter(one.candidate), self._finer(one.recoding, than=self.tried.recoding)])
            rest = "" if one.complete else "; the attacks after it were not tried on that plan"
            yield Price(
                f"the limit of {name}", f"up to {percent(worst)} beyond a guess",
                max(one.information - self.tried.information, 0.0), f"{how}{rest}",
            )  # fmt: skip

    @cached_property
    def _begun(self) -> Candidate:
        """The candidate with levels that are looked for, where they were given: only then can they become finer."""
        return replace(self.tried.candidate, levels=())

    @cached_property
    def _now(self) -> Recoding:
        """Its levels with all promises: what others are set against."""
        return self._recoding(self._begun) or self.tried.recoding

    def _key(self, name: str) -> Price:
        """What a key costs the others: had it been left out, they could stay finer."""
        last = len(self.bench.space.ladders[name].rungs) - 1
        told, instead = f"the key {name} is in the file", "left out"
        if not last or self._now.rungs[name] == last:
            return Price(told, instead, 0.0, "it is left out already, or has one value" if last else "it has one value")
        changed = self._begun.with_floor(name, last)
        found = self._recoding(changed)
        if found is None:
            return Price(told, instead, 0.0, "there is no plan then")
        others = [key for key in found.kept if key != name]
        weights, now = self.bench.space.weights, self._now.kept
        back = sum(weights[key] * (found.kept[key] - now[key]) for key in others) / self._weight
        own = weights[name] * now[name] / self._weight
        return Price(
            told, instead, max(back, 0.0), f"{self._finer(found, name)}; its own {percent(own)} would be gone", name
        )

    def _price(self, promise: str, instead: str, changed: Candidate) -> Price:
        found = self._recoding(changed)
        if found is None:
            return Price(promise, instead, 0.0, "there is no plan then")
        back = self._information(changed, found) - self._information(self._begun, self._now)
        return Price(promise, instead, max(back, 0.0), self._finer(found))

    def _recoding(self, candidate: Candidate) -> Recoding | None:
        try:
            return self.bench.recoder.recode(candidate)
        except NotReleasable:
            return None

    def _information(self, candidate: Candidate, recoding: Recoding) -> float:
        kept = dict(recoding.kept)
        share = 1 - recoding.lost / max(self.bench.records, 1)
        for name, ways in self.bench.space.treatments.items():
            kept[name] = ways[candidate.treated(name)].kept * share
        return weighted(kept, self.bench.space.weights)

    @property
    def _weight(self) -> float:
        return sum(self.bench.space.weights.values()) or 1.0

    def _lighter(self, candidate: Candidate) -> list[str]:
        """Which other variables would be treated in another way, in words."""
        found, now = [], self.tried.candidate
        for name, ways in self.bench.space.treatments.items():
            way = candidate.treated(name)
            if way != now.treated(name):
                found.append(f"{name} {ways[way].words}" if way else f"{name} as it is")
        return found

    def _finer(self, found: Recoding, but: str = "", than: Recoding | None = None) -> str:
        """Which variables would be finer, in words."""
        space, now = self.bench.space, than or self._now
        finer = [f"{name} {space.reached(name, rung)}" for name, rung in found.rungs.items() if rung < now.rungs[name]]
        coarser = [name for name, rung in found.rungs.items() if rung > now.rungs[name] and name != but]
        told = "; ".join(finer) or "no key would be finer"
        if found.lost > now.lost:
            told += f"; {found.lost:,} records dropped"
        return told + (f" (coarser: {', '.join(coarser)})" if coarser and finer else "")
