"""Target cards: "a person of whom you know ...", and the decoys among them, who are not in the release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from incrowd.attack.situation import Int64, Situation, codes_of
from incrowd.errors import InputError

#: Where a decoy comes from; empty for a person in the release.
INSIDE, OUTSIDE, REGISTER, MADE_UP = "", "not released", "register", "made up"
WORDS = {
    OUTSIDE: "from the original and not released",
    REGISTER: "from the register and not in the original",
    MADE_UP: "made up from released values, combined as nobody in the original has them",
}
TRIES = 1000

Value = str | None


@dataclass(frozen=True)
class Card:
    """What an intruder is told of a person, and, for judging only, who it is."""

    shown: tuple[tuple[str, Value], ...]
    decoy: str
    records: tuple[int, ...]  # the person's records in the release, from 1 on
    values: Mapping[str, Value]  # the person's true values, at the release's categories
    guess: float  # how often a guess among the released records that fit the card finds the person
    seen: tuple[tuple[str, Value], ...] = ()  # the keys on the card, at the release's categories
    fits: int = 0  # how many released records have these


@dataclass(frozen=True)
class Wanted:
    """How many cards, and of whom."""

    targets: int
    decoys: int
    names: tuple[str, ...] = ()  # columns to show besides the scenario's keys
    riskiest: bool = False  # those in the smallest classes, instead of any
    register: pa.Table | None = None  # other people, with the scenario's keys as they are in the original
    purpose: str = ""  # another purpose, other people


def deal(situation: Situation, wanted: Wanted) -> tuple[list[Card], str]:
    """The cards in an order that tells nothing, and in words where the decoys come from."""
    dealer = _Dealer(situation, wanted)
    cards = [dealer.card(line, INSIDE) for line in dealer.inside(wanted.targets)]
    if wanted.targets and not cards:
        raise InputError("D227", "nobody is in the release, so there is no target.")
    decoys, note = dealer.decoys(wanted.decoys)
    cards += decoys
    order = np.argsort(dealer.draw(len(cards)), kind="stable")
    return [cards[i] for i in order], note


class _Dealer:
    def __init__(self, situation: Situation, wanted: Wanted) -> None:
        self.situation, self.wanted = situation, wanted
        self.keys = situation.scenario.keys
        self.draw: Callable[[int], np.ndarray] = situation.draws("intruder-test", wanted.purpose)
        self.at_start = situation.at_start([*self.keys, *wanted.names]).to_pydict()
        self.known = {key: situation.known[key].to_pylist() for key in self.keys}
        self.columns = [situation.released[key].to_pylist() for key in self.keys]
        self.sizes: dict[tuple[Value, ...], int] = {}
        for combination in zip(*self.columns, strict=True):
            self.sizes[combination] = self.sizes.get(combination, 0) + 1
        # What a card may show: for each key the values of released people as they came, and how the release says them.
        self.released: dict[str, dict[Value, Value]] = {key: {} for key in self.keys}
        for key, column in zip(self.keys, self.columns, strict=True):
            said = set(column)
            for line in situation.lines.tolist():
                if self.known[key][line] in said:
                    self.released[key].setdefault(self.at_start[key][line], self.known[key][line])
        self.there = set(zip(*(self.at_start[key] for key in self.keys), strict=True))
        self.numbers: dict[int, list[int]] = {}  # person -> records in the release
        for number, line in enumerate(situation.lines.tolist(), start=1):
            self.numbers.setdefault(int(situation.people[line]), []).append(number)

    def inside(self, many: int) -> list[int]:
        """A line of each of so many people in the release."""
        lines = _one_each(self.situation.people, self.situation.lines)
        order = np.argsort(self.draw(len(lines)), kind="stable")
        lines = lines[order]
        if self.wanted.riskiest:
            codes = codes_of([self.situation.released], self.keys)[0]
            _, which, counts = np.unique(np.column_stack(codes), axis=0, return_inverse=True, return_counts=True)
            size = dict(zip(self.situation.lines.tolist(), counts[which.ravel()].tolist(), strict=True))
            lines = lines[np.argsort([size[line] for line in lines.tolist()], kind="stable")]
        return [int(line) for line in lines[:many]]

    def card(self, line: int, decoy: str) -> Card:
        """The card of a record of the original, with as much error as the scenario says."""
        told = [self._told(key, line) for key in self.keys]
        shown = [(name, self.at_start[name][line]) for name in self.wanted.names]
        shown += [(key, self.at_start[key][source]) for key, source in zip(self.keys, told, strict=True)]
        seen = tuple(self.known[key][source] for key, source in zip(self.keys, told, strict=True))
        person = int(self.situation.people[line])
        values = self.situation.known.slice(line, 1).to_pylist()[0]
        numbers = tuple(self.numbers.get(person, ()))
        own = sum(tuple(column[number - 1] for column in self.columns) == seen for number in numbers)
        return self._card(shown, decoy, seen, numbers, values, own)

    def _card(
        self, shown: Sequence[tuple[str, Value]], decoy: str, seen: tuple[Value, ...],
        numbers: tuple[int, ...] = (), values: Mapping[str, Value] | None = None, own: int = 0,
    ) -> Card:  # fmt: skip
        fits = self.sizes.get(seen, 0)
        known = tuple(zip(self.keys, seen, strict=True))
        return Card(tuple(shown), decoy, numbers, values or {}, own / fits if own else 0.0, known, fits)

    def _told(self, key: str, line: int) -> int:
        """The line whose value of a key is told: a released person's other value when the intruder is wrong."""
        error = self.situation.scenario.error.get(key, 0.0)
        if not error or self.draw(1)[0] / 2**64 >= error:
            return line
        released = self.situation.lines
        for place in (self.draw(TRIES) % np.uint64(len(released))).tolist():
            other = int(released[int(place)])
            if self.known[key][other] != self.known[key][line] and self.at_start[key][other] in self.released[key]:
                return other
        return line

    def decoys(self, many: int) -> tuple[list[Card], str]:
        """People who are not in the release, and made-up ones where there are too few whose card fits a record.

        A card that fits no released record can be seen through, so those come last. No card shows a value that no
        released person has: it would be told of somebody who is not in the release.
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
        chosen = (fitting[:many] + others)[:many]
        if not chosen:
            why = "; nobody can be made up with a name" if self.wanted.names else ""
            return [], f"no decoys: nobody who is not released has only values that are in the release{why}"
        return chosen, _note(chosen, many)

    def _not_released(self) -> Iterator[Card]:
        """The cards of people of the original who were not released, as many as could be wanted, in keyed order."""
        away = np.array([person not in self.numbers for person in self.situation.people.tolist()], bool)
        lines = _one_each(self.situation.people, np.flatnonzero(away))
        order = lines[np.argsort(self.draw(len(lines)), kind="stable")].tolist()
        usual = [int(line) for line in order if self._usual(tuple(self.at_start[key][int(line)] for key in self.keys))]
        usual.sort(key=lambda line: tuple(self.known[key][line] for key in self.keys) not in self.sizes)
        fitting = 0
        for line in usual[:TRIES]:
            if fitting == self.wanted.decoys:
                return
            card = self.card(line, OUTSIDE)
            fitting += card.fits > 0
            yield card

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
            values = people[i][len(self.wanted.names) :]
            if values not in self.there and self._usual(values):
                seen = tuple(self.released[key][value] for key, value in zip(self.keys, values, strict=True))
                yield self._card(tuple(zip(shown, people[i], strict=True)), REGISTER, seen)

    def _made_up(self, many: int) -> Iterator[Card]:
        """Combinations of released values that nobody in the original has."""
        tried: set[tuple[Value, ...]] = set()
        released, fitting = self.situation.lines, 0
        for _ in range(TRIES):
            if fitting == many:
                return
            lines = [int(released[int(n)]) for n in self.draw(len(self.keys)) % np.uint64(len(released))]
            values = tuple(self.at_start[key][line] for key, line in zip(self.keys, lines, strict=True))
            if values in tried or values in self.there or not self._usual(values):
                continue
            tried.add(values)
            seen = tuple(self.released[key][value] for key, value in zip(self.keys, values, strict=True))
            fitting += seen in self.sizes
            yield self._card(tuple(zip(self.keys, values, strict=True)), MADE_UP, seen)


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
