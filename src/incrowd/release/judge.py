"""Does a requirement of the plan hold in a file that was read again?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from incrowd.errors import NotReleasable
from incrowd.plan import requirements as asked
from incrowd.release import formulas
from incrowd.release.formulas import TOLERANCE
from incrowd.release.recount import Combination, GateInputs, Recount


@dataclass(frozen=True)
class Judgement:
    """Whether it holds, what was asked, and what the file has (None where no class is concerned)."""

    passed: bool
    limit: float
    achieved: float | None
    lower: bool = False  # of two limits the lower one was nearest


def judge(count: Recount, all_keys: Sequence[str], requirement: asked.AnyRequirement, known: GateInputs) -> Judgement:
    """Measure one requirement on the classes it is about."""
    keys = requirement.keys or list(all_keys)
    counted = [*keys, *(requirement.where or {}), *([s] if (s := getattr(requirement, "sensitive", None)) else [])]
    if not count.all_text(counted):
        raise NotReleasable("R015", "a column that is counted is not text in the written file.")
    concerned = None if requirement.where is None else set(count.where(requirement.where).people(keys))

    def bound(classes: Iterable[Combination]) -> list[Combination]:
        return [c for c in classes if concerned is None or c in concerned]

    match requirement:
        case asked.K() | asked.WeakK():
            if concerned is None:
                return _least(requirement.k, [count.smallest(keys)])
            people = count.people(keys)
            return _least(requirement.k, [people[c] for c in bound(people)])
        case asked.KMap():
            outside = _population(known, all_keys, keys)
            return _least(requirement.k, [outside.get(c, 0) for c in bound(count.people(keys))])
        case asked.DeltaPresence():
            return _presence(requirement, count, keys, _population(known, all_keys, keys), bound)
        case _:
            return _spread(requirement, count, keys, known, bound)


def _spread(requirement, count: Recount, keys: Sequence[str], known: GateInputs, bound) -> Judgement:  # type: ignore[no-untyped-def]
    """One figure for each class, class by class: the classes are never all here."""
    p = known.spread.get(requirement.sensitive, {})

    def figures(figure: Callable[[int, formulas.Spread], float]) -> list[float]:
        return [figure(n, q) for c, n, q in count.spread(keys, requirement.sensitive) if bound([c])]

    match requirement:
        case asked.DistinctL():
            return _least(requirement.l, figures(lambda _, q: len(q)))
        case asked.EntropyL():
            return _least(requirement.l, figures(lambda _, q: formulas.entropy_l(q)))
        case asked.RecursiveL():
            return _most(requirement.c, figures(lambda _, q: formulas.recursive_c(q, requirement.l)), strict=True)
        case asked.OneSided():
            shares = figures(lambda n, q: q.get(requirement.value, 0) / n)
            return _most(requirement.alpha, shares, strict=requirement.alpha >= 1)
        case asked.AlphaK():
            smallest = _least(requirement.k, figures(lambda n, _: n))
            most = _most(requirement.alpha, figures(lambda n, q: max(q.values()) / n))
            return Judgement(most.passed and smallest.passed, most.limit, most.achieved)
        case asked.TCloseness():
            return _most(requirement.t, figures(lambda _, q: _distance(requirement, q, p, known)))
        case asked.Beta():
            capped = requirement.model == "enhanced_beta"
            gains = figures(lambda _, q: math.inf if capped and formulas.gain_beyond_cap(q, p) else formulas.gain(q, p))
            return _most(requirement.beta, gains)
        case _:
            disclosed = figures(lambda _, q: formulas.disclosure(q, p, requirement.skip_zeros))
            return _most(requirement.delta, disclosed, strict=True)


def _distance(requirement: asked.TCloseness, q: formulas.Spread, p: formulas.Spread, known: GateInputs) -> float:
    if requirement.distance == "equal":
        return formulas.equal_distance(q, p)
    if requirement.distance == "hierarchical":
        return formulas.hierarchical_distance(q, p, known.paths[requirement.sensitive])
    order = formulas.value_order(p, requirement.distance, requirement.order)
    return formulas.ordered_distance(q, p, order)


def _presence(requirement: asked.DeltaPresence, count: Recount, keys, outside, bound) -> Judgement:  # type: ignore[no-untyped-def]
    """The share that is nearest to a bound, or furthest beyond one. A lower bound of 0 cannot be broken."""
    people = count.people(keys)
    least, most = requirement.dmin, requirement.dmax
    found: list[tuple[float, bool, float]] = []  # how far beyond which bound, and the share
    for combination in bound({*people, *outside}):
        share = people.get(combination, 0) / outside[combination] if outside.get(combination) else math.inf
        found.append((share - most, False, share))
        if least > 0:
            found.append((least - share, True, share))
    if not found:
        return Judgement(True, most, None)
    beyond, lower, share = max(found, key=lambda each: each[0])
    return Judgement(beyond <= TOLERANCE, least if lower else most, share, lower)


def _population(known: GateInputs, all_keys: Sequence[str], keys: Sequence[str]) -> dict[Combination, int]:
    if known.population is None:
        raise NotReleasable("R007", "a requirement needs a population and the gate has none.")
    at = [list(all_keys).index(key) for key in keys]
    result: dict[Combination, int] = {}
    for combination, people in known.population.items():
        part = tuple(combination[i] for i in at)
        result[part] = result.get(part, 0) + people
    return result


def _least(limit: float, figures: Sequence[float | None]) -> Judgement:
    found = [figure for figure in figures if figure is not None]
    smallest = min(found) if found else None
    return Judgement(smallest is None or smallest >= limit * (1 - TOLERANCE), limit, smallest)


def _most(limit: float, figures: Sequence[float], strict: bool = False) -> Judgement:
    largest = max(figures) if figures else None
    if largest is None:
        return Judgement(True, limit, None)
    passed = largest < limit - TOLERANCE if strict else largest <= limit + TOLERANCE
    return Judgement(passed, limit, largest)
