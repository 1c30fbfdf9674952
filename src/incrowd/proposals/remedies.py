"""What can be done against an attack that finds too much. Each attack declares its remedies (attack/registry.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from incrowd.attack.registry import ATTACKS, Remedy
from incrowd.attack.value import Attacked
from incrowd.errors import NotReleasable
from incrowd.proposals.bench import Bench
from incrowd.proposals.candidate import CROWDS, Candidate, next_crowd
from incrowd.proposals.goal import Goal
from incrowd.proposals.promises import promises_of, stricter
from incrowd.proposals.screen import Screen
from incrowd.proposals.trying import Tried
from incrowd.report.board.advice import most
from incrowd.rows import columns_of

#: With more classes a recoding for each of them, or a choice of cells to blank, takes long.
MOST_CLASSES = 5_000


@dataclass(frozen=True)
class Clinic:
    """What remedies go by."""

    bench: Bench
    screen: Screen
    goal: Goal

    def against(self, one: Attacked, tried: Tried) -> Iterator[tuple[Remedy, Candidate]]:
        """The candidates that the remedies of an attack lead to."""
        for remedy in ATTACKS[one.attack].remedies:
            for candidate in _REMEDIES[remedy](self, one, tried):
                about = f" of {one.about}" if one.about else ""
                words = f"{remedy.replace('_', ' ')} against {one.attack.replace('_', ' ')}{about}"
                if candidate != tried.candidate:
                    yield remedy, candidate.because(words)

    @property
    def limit(self) -> float:
        """The most that an attack may add."""
        return self.goal.attack if self.goal.attack is not None else 1.0


Apply = Callable[[Clinic, Attacked, Tried], Iterator[Candidate]]


def _larger_classes(clinic: Clinic, one: Attacked, tried: Tried) -> Iterator[Candidate]:
    """A larger crowd: by about as much as the attack is above its limit."""
    too_much = (most(one) or 0.0) / max(clinic.limit, 1e-9)
    wanted = tried.smallest * min(max(too_much, 1.0), 4.0)
    crowd = next((k for k in CROWDS if k >= wanted and k > tried.smallest), next_crowd(tried.smallest))
    yield replace(tried.candidate, k=max(crowd, next_crowd(tried.candidate.k)))


def _coarser_values(clinic: Clinic, one: Attacked, tried: Tried) -> Iterator[Candidate]:
    """Values said more coarsely: as far as the screen says, and a little further each time."""
    candidate = tried.candidate
    found = clinic.screen.coarsened(candidate, tried.recoding, clinic.limit)
    if found == candidate:  # the screen was content, and the attack is not
        seen = clinic.screen.excess(candidate, tried.recoding)
        found = clinic.screen.coarsened(candidate, tried.recoding, min(clinic.limit, seen) / 2)
    if found is not None:
        yield found


def _perturbed_values(clinic: Clinic, one: Attacked, tried: Tried) -> Iterator[Candidate]:
    """Values blurred by chance, or blurred more: that of the variable the attack is after, or all amounts."""
    candidate, treatments = tried.candidate, clinic.bench.space.treatments
    if not one.about:
        found = clinic.screen.blurred(candidate, tried.recoding, clinic.limit)
        if found is not None and found != candidate:
            yield found
            return
    names = [one.about] if one.about in treatments else [] if one.about else list(treatments)
    changed = candidate
    for name in names:
        ways, now = treatments[name], candidate.treated(name)
        if one.about or ways[now].perturbs:
            begun = now if ways[now].perturbs else 0
            further = [i for i, way in enumerate(ways) if way.perturbs and i > begun]
            changed = changed.with_value(name, further[0]) if further else changed
    if changed != candidate:
        yield changed


def _stricter(models: tuple[str, ...]) -> Apply:
    def apply(clinic: Clinic, one: Attacked, tried: Tried) -> Iterator[Candidate]:
        given = clinic.bench.given.get(one.about)
        if given is None or one.about not in clinic.bench.space.treatments:
            return
        promises = [text for text in promises_of(given) if any(f'"{model}"' in text for model in models)]
        if promises:
            text = stricter(clinic.bench.recoder, tried.candidate, one.about, promises)
            if text is not None:
                yield tried.candidate.with_required(one.about, text)

    return apply


def _nobody_left_out(clinic: Clinic, one: Attacked, tried: Tried) -> Iterator[Candidate]:
    """Recode, divide or blank, instead of dropping: a class that is not there tells why."""
    if tried.candidate.ending == "records" or tried.recoding.lost:
        for ending in clinic.bench.space.endings:
            found = replace(tried.candidate, ending=ending)
            if ending != "records" and (ending == "recode" or few_classes(clinic.bench, found)):
                yield found
    elif tried.candidate.ending in ("cells", "local"):
        yield replace(tried.candidate, ending="recode")


def few_classes(bench: Bench, candidate: Candidate) -> bool:
    """Whether cells can be chosen, or classes recoded one by one, in a short time."""
    try:
        return bench.recoder.recode(candidate).table.classes <= MOST_CLASSES
    except NotReleasable:
        return False


def _coarser_shared(clinic: Clinic, one: Attacked, tried: Tried) -> Iterator[Candidate]:
    """What another file has too, said more coarsely here: the finest of it first."""
    bench, candidate = clinic.bench, tried.candidate
    shared: set[str] = set()
    for _, asked in bench.plan.attacks:
        for file in (*asked.others, *asked.tables):
            shared |= set(columns_of(bench.folder / file)[0])
    open_ = []
    for name, rungs in bench.space.rungs.items():
        now = tried.recoding.rungs[name]
        if name in shared and (further := [rung for rung in rungs if rung > now]):
            open_.append((tried.recoding.kept[name], name, further[0]))
    for _, name, rung in sorted(open_, reverse=True)[:1]:
        yield candidate.with_floor(name, rung)
    for name, ways in bench.space.treatments.items():
        now = candidate.treated(name)
        if name in shared and not ways[now].perturbs:
            coarser = [i for i in range(now + 1, len(ways)) if not ways[i].perturbs and not ways[i].drops]
            if coarser:
                yield candidate.with_value(name, coarser[0])


_REMEDIES: Mapping[Remedy, Apply] = {
    "larger_classes": _larger_classes,
    "coarser_values": _coarser_values,
    "perturbed_values": _perturbed_values,
    "diversity": _stricter(("distinct_l", "t")),
    "closeness": _stricter(("t",)),
    "nobody_left_out": _nobody_left_out,
    "coarser_shared": _coarser_shared,
}
