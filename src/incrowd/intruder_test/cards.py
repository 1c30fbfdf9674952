"""Target cards: "a person of whom you know ...", and the decoys among them, who are not in the release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from incrowd.attack.situation import Int64, Situation, codes_of
from incrowd.errors import InputError
from incrowd.intruder_test.likeness import Likeness, Look
from incrowd.keys.packing import group, pack

#: Where a decoy comes from; empty for a person in the release.
INSIDE, OUTSIDE, REGISTER, MADE_UP = "", "not released", "register", "made up"
WORDS = {
    OUTSIDE: "from the original and not released",
    REGISTER: "from the register and not in the original",
    MADE_UP: "made up from released values, combined as nobody in the original has them",
}
#: How rare somebody is in the original, by what the scenario knows: alone, one of two, one of more; and the decoys.
UNIQUE, PAIR, SAFE, CONTROL = "unique", "pair", "safe", "control"
STRATA = (UNIQUE, PAIR, SAFE, CONTROL)
TRIES = 1000

Value = str | None


@dataclass(frozen=True)
class Card:
    """What an intruder is told of a person, and, for judging only, who it is."""

    shown: tuple[tuple[str, Value], ...]
    decoy: str
    records: tuple[int, ...]  # the person's records in the release, from 1 on
    values: Mapping[str, Value]  # the person's true values, at the release's categories
    guess: float  # how often a guess among the released records that could be the card's person finds them
    seen: tuple[tuple[str, Value], ...] = ()  # the keys on the card, at the release's categories
    fits: int = 0  # how many released records could be the card's person
    looks: tuple[Look, ...] = ()  # what this person could look like in the release, by the card alone
    stratum: str = CONTROL


@dataclass(frozen=True)
class Wanted:
    """How many cards, and of whom."""

    targets: int
    decoys: int
    names: tuple[str, ...] = ()  # columns to show besides the scenario's keys
    riskiest: bool = False  # those in the smallest classes, instead of any
    register: pa.Table | None = None  # other people, with the scenario's keys as they are in the original
    purpose: str = ""  # another purpose, other people
    strata: Mapping[str, int] = field(default_factory=dict)  # how many targets of each; by chance where there is none
    area: tuple[str, str] | None = None  # of people with this value of this key alone, which is never told wrongly
    # Where the truth is not known of everybody: the lines of those who are certainly in the release, and not in it.
    certain: tuple[frozenset[int], frozenset[int]] | None = None


def deal(situation: Situation, wanted: Wanted, likeness: Likeness) -> tuple[list[Card], str]:
    """The cards in an order that tells nothing, and in words where the decoys come from and who is missing."""
    dealer = _Dealer(situation, wanted, likeness)
    lines, missing = dealer.inside()
    cards = [dealer.card(line, INSIDE) for line in lines]
    if wanted.targets and not cards:
        if wanted.area is not None:
            hint = f"Write a value of {wanted.area[0]!r} as it is in the original or in the release."
            raise InputError("D486", f"nobody of the area {wanted.area[1]!r} is in the release.", hint)
        raise InputError("D227", "nobody is in the release, so there is no target.")
    decoys, note = dealer.decoys(wanted.decoys, sum(not card.fits for card in cards) / max(len(cards), 1))
    cards += decoys
    order = np.argsort(dealer.draw(len(cards)), kind="stable")
    return [cards[i] for i in order], "; ".join([note, *missing])


class _Dealer:
    def __init__(self, situation: Situation, wanted: Wanted, likeness: Likeness) -> None:
        self.situation, self.wanted, self.likeness = situation, wanted, likeness
        self.keys = situation.scenario.keys
        self.draw: Callable[[int], np.ndarray] = situation.draws("intruder-test", wanted.purpose)
        self.came = situation.at_start([*self.keys, *wanted.names])
        self.at_start = self.came.to_pydict()
        self.known = {key: situation.known[key].to_pylist() for key in self.keys}
        # What a card may show: for each key the values of released people as they came, and the release's categories
        # of each. What a card could be in the release comes from here: from what it shows, not from whose it is.
        self.released: dict[str, dict[Value, set[Value]]] = {key: {} for key in self.keys}
        for key in self.keys:
            for line in situation.lines.tolist():
                self.released[key].setdefault(self.at_start[key][line], set()).add(self.known[key][line])
        self.there = set(zip(*(self.at_start[key] for key in self.keys), strict=True))
        self.numbers: dict[int, list[int]] = {}  # person -> records in the release
        for number, line in enumerate(situation.lines.tolist(), start=1):
            self.numbers.setdefault(int(situation.people[line]), []).append(number)

    @cached_property
    def strata(self) -> dict[int, str]:
        """How rare each person in the release is in the original, by line, as what the scenario knows came."""
        (codes,) = codes_of([self.came], self.keys)
        classes = group(pack(codes, [int(column.max(initial=0)) + 1 for column in codes]))[1]
        pairs = np.unique(np.column_stack([classes, self.situation.people]), axis=0)
        sizes = np.bincount(pairs[:, 0])[classes]
        names = {1: UNIQUE, 2: PAIR}
        return {line: names.get(int(sizes[line]), SAFE) for line in self.situation.lines.tolist()}

    def certain(self, line: int, inside: bool) -> bool:
        """Whether it is known of a line that it is in the release, or that it is not."""
        return self.wanted.certain is None or line in self.wanted.certain[0 if inside else 1]

    def of_area(self, line: int) -> bool:
        """Whether a line may be on these cards."""
        if self.wanted.area is None:
            return True
        key, area = self.wanted.area
        return area in (self.at_start[key][line], self.known[key][line])

    def inside(self) -> tuple[list[int], list[str]]:
        """A line of each of the people in the release who are wanted, and in words how many of whom are missing."""
        many = self.wanted.targets
        lines = _one_each(self.situation.people, self.situation.lines)
        lines = lines[np.argsort(self.draw(len(lines)), kind="stable")]
        if self.wanted.riskiest:
            (codes,) = codes_of([self.situation.released], self.keys)
            classes = group(pack(codes, [int(column.max(initial=0)) + 1 for column in codes]))[1]
            size = dict(zip(self.situation.lines.tolist(), np.bincount(classes)[classes].tolist(), strict=True))
            lines = lines[np.argsort([size[line] for line in lines.tolist()], kind="stable")]
        there = [int(line) for line in lines if self.of_area(int(line)) and self.certain(int(line), True)]
        if not self.wanted.strata:
            fewer = [f"{many - len(there)} targets fewer than asked for: nobody else is in the release"]
            return there[:many], fewer if len(there) < many else []
        chosen, missing = list[int](), []
        for name, wanted in self.wanted.strata.items():
            found = [line for line in there if self.strata[line] == name][:wanted]
            chosen += found
            if len(found) < wanted:
                missing.append(f"{len(found)} of {wanted} targets are {name}: nobody else in the release is")
        return chosen, missing

    def card(self, line: int, decoy: str) -> Card:
        """The card of a record of the original, with as much error as the scenario says."""
        told = {key: self.at_start[key][self._told(key, line)] for key in self.keys}
        shown = {name: self.at_start[name][line] for name in self.wanted.names} | told
        values = self.situation.known.slice(line, 1).to_pylist()[0]
        numbers = tuple(self.numbers.get(int(self.situation.people[line]), ()))
        return self._card(shown, decoy, numbers, values, CONTROL if decoy else self.strata[line])

    def _card(
        self, shown: Mapping[str, Value], decoy: str,
        numbers: tuple[int, ...] = (), values: Mapping[str, Value] | None = None, stratum: str = CONTROL,
    ) -> Card:  # fmt: skip
        could = {key: self.released[key][shown[key]] for key in self.keys}
        looks = tuple(self.likeness.look(key, could[key]) for key in self.keys if shown[key] is not None)
        fitting = self.likeness.fitting(looks)
        fits = int(self.likeness.sizes[fitting].sum())
        own = sum(bool(fitting[self.likeness.class_of[number - 1]]) for number in numbers)
        seen = tuple((key, min(could[key], key=str)) for key in self.keys)
        guess = own / fits if own else 0.0
        return Card(tuple(shown.items()), decoy, numbers, values or {}, guess, seen, fits, looks, stratum)

    def _told(self, key: str, line: int) -> int:
        """The line whose value of a key is told: a released person's other value when the intruder is wrong."""
        error = self.situation.scenario.error.get(key, 0.0)
        if self.wanted.area is not None and self.wanted.area[0] == key:
            return line  # who gets cards by area knows the area
        if not error or self.draw(1)[0] / 2**64 >= error:
            return line
        released = self.situation.lines
        for place in (self.draw(TRIES) % np.uint64(len(released))).tolist():
            other = int(released[int(place)])
            if self.known[key][other] != self.known[key][line]:
                return other
        return line

    def decoys(self, many: int, misfits: float) -> tuple[list[Card], str]:
        """People who are not in the release, and made-up ones where there are too few whose card fits a record.

        A card that fits no released record can be seen through, so there are as many of those as among the targets,
        whose cards can be wrong, and more only where no others are left. No card shows a value that no released person
        has: it would be told of somebody who is not in the release.
        """
        if not many:
            return [], "no decoys"
        if self.wanted.register is not None:
            fitting, others = _split(self._from_register(self.wanted.register))
        else:
            fitting, others = _split(self._not_released())
            if not self.wanted.names:  # nobody can be made up with a name
                made_up, easy = _split(self._made_up(many))
                fitting, others = [*fitting, *made_up], [*others, *easy]
        alike = round(misfits * many)
        odd = others[:alike]
        chosen = (odd + fitting + others[alike:])[:many]
        if not chosen:
            why = "; nobody can be made up with a name" if self.wanted.names else ""
            return [], f"no decoys: nobody who is not released has only values that are in the release{why}"
        return chosen, _note(chosen, many)

    def _not_released(self) -> Iterator[Card]:
        """The cards of people of the original who were not released, as many as could be wanted, in keyed order."""
        away = np.array([person not in self.numbers for person in self.situation.people.tolist()], bool)
        lines = _one_each(self.situation.people, np.flatnonzero(away))
        order = lines[np.argsort(self.draw(len(lines)), kind="stable")].tolist()
        there = [int(line) for line in order if self.of_area(int(line)) and self.certain(int(line), False)]
        usual = [line for line in there if self._usual(tuple(self.at_start[key][line] for key in self.keys))]
        usual.sort(key=lambda line: tuple(self.known[key][line] for key in self.keys) not in self._exact)
        fitting = 0
        for line in usual[:TRIES]:
            if fitting == self.wanted.decoys:
                return
            card = self.card(line, OUTSIDE)
            fitting += card.fits > 0
            yield card

    @cached_property
    def _exact(self) -> set[tuple[Value, ...]]:
        """The combinations of released labels: who has one of them fits, and need not be tried out."""
        return set(zip(*(self.situation.released[key].to_pylist() for key in self.keys), strict=True))

    def _usual(self, values: tuple[Value, ...]) -> bool:
        """Whether a released person has each of these values, as they came."""
        return all(value in self.released[key] for key, value in zip(self.keys, values, strict=True))

    def _from_register(self, register: pa.Table) -> Iterator[Card]:
        shown = (*self.wanted.names, *self.keys)
        if missing := [name for name in shown if name not in register.column_names]:
            hint = "It needs what the cards show as columns, written as in the original."
            raise InputError("D228", f"the register has no column {missing[0]!r}.", hint)
        people = list(dict.fromkeys(zip(*(register[name].to_pylist() for name in shown), strict=True)))
        for i in np.argsort(self.draw(len(people)), kind="stable"):
            values, told = people[i][len(self.wanted.names) :], dict(zip(shown, people[i], strict=True))
            if values not in self.there and self._usual(values) and self._told_of_area(told):
                yield self._card(told, REGISTER)

    def _told_of_area(self, told: Mapping[str, Value]) -> bool:
        """Whether somebody who is not in the original may be on these cards."""
        if self.wanted.area is None:
            return True
        key, area = self.wanted.area
        return area == told[key] or area in self.released[key].get(told[key], ())

    def _made_up(self, many: int) -> Iterator[Card]:
        """Combinations of released values that nobody in the original has."""
        tried: set[tuple[Value, ...]] = set()
        released, fitting = self.situation.lines, 0
        local = [int(line) for line in released if self.of_area(int(line))]
        for _ in range(TRIES):
            if fitting == many:
                return
            drawn = self.draw(len(self.keys))
            lines = [int(released[int(n)]) for n in drawn % np.uint64(len(released))]
            if self.wanted.area is not None:
                at = self.keys.index(self.wanted.area[0])
                lines[at] = local[int(drawn[at] % np.uint64(len(local)))]
            values = tuple(self.at_start[key][line] for key, line in zip(self.keys, lines, strict=True))
            if values in tried or values in self.there:
                continue
            tried.add(values)
            card = self._card(dict(zip(self.keys, values, strict=True)), MADE_UP)
            fitting += card.fits > 0
            yield card


def _one_each(people: Int64, lines: Int64) -> Int64:
    """The first of each person's lines."""
    lines = np.sort(lines)
    _, first = np.unique(people[lines], return_index=True)
    return lines[np.sort(first)]


def _split(cards: Iterable[Card]) -> tuple[list[Card], list[Card]]:
    """Those whose card fits a released record, and the others."""
    cards = list(cards)
    return [card for card in cards if card.fits], [card for card in cards if not card.fits]


def _note(cards: Sequence[Card], many: int) -> str:
    """Where the decoys come from, and whether they can be seen through."""
    counts = {kind: sum(card.decoy == kind for card in cards) for kind in WORDS}
    kinds = ", ".join(f"{number} {WORDS[kind]}" for kind, number in counts.items() if number)
    note = f"{len(cards)} decoys: {kinds}"
    if len(cards) < many:
        note += f"; {many - len(cards)} fewer than asked for: nobody else has only values that are in the release"
    if easy := sum(not card.fits for card in cards):
        note += (
            f"; {easy} of them fit no released record, which an intruder can see: records claimed for them are no "
            "false-positive rate"
        )
    return note
