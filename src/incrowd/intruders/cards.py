"""Target cards: "a person of whom you know ...", and the decoys among them, who are not in the release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from incrowd.attack.situation import Int64, Situation, codes_of
from incrowd.errors import InputError

#: Where a decoy comes from; empty for a person in the release.
INSIDE, OUTSIDE, REGISTER, MADE_UP = "", "not released", "register", "made up"
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
        self.came = situation.came([*self.keys, *wanted.names]).to_pydict()
        self.known = {key: situation.known[key].to_pylist() for key in self.keys}
        self.columns = [situation.released[key].to_pylist() for key in self.keys]
        self.sizes: dict[tuple[Value, ...], int] = {}
        for combination in zip(*self.columns, strict=True):
            self.sizes[combination] = self.sizes.get(combination, 0) + 1
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
        shown = [(name, self.came[name][line]) for name in self.wanted.names]
        shown += [(key, self.came[key][source]) for key, source in zip(self.keys, told, strict=True)]
        seen = tuple(self.known[key][source] for key, source in zip(self.keys, told, strict=True))
        person = int(self.situation.people[line])
        values = self.situation.known.slice(line, 1).to_pylist()[0]
        numbers = tuple(self.numbers.get(person, ()))
        own = sum(tuple(column[number - 1] for column in self.columns) == seen for number in numbers)
        return Card(tuple(shown), decoy, numbers, values, own / self.sizes[seen] if own else 0.0)

    def _told(self, key: str, line: int) -> int:
        """The line whose value of a key is told: somebody else's when the intruder is wrong."""
        error = self.situation.scenario.error.get(key, 0.0)
        if not error or self.draw(1)[0] / 2**64 >= error:
            return line
        for other in (self.draw(TRIES) % np.uint64(len(self.came[key]))).tolist():
            if self.known[key][int(other)] != self.known[key][line]:
                return int(other)
        return line

    def decoys(self, many: int) -> tuple[list[Card], str]:
        """People who are not in the release: from the original, from a register, made up where there is nobody."""
        if not many:
            return [], "no decoys"
        if self.wanted.register is not None:
            found = self._from_register(self.wanted.register, many)
            return found, _note(found, many, "people of the register whom the original does not have")
        away = np.array([person not in self.numbers for person in self.situation.people.tolist()], bool)
        lines = _one_each(self.situation.people, np.flatnonzero(away))
        if len(lines):
            chosen = lines[np.argsort(self.draw(len(lines)), kind="stable")[:many]]
            cards = [self.card(int(line), OUTSIDE) for line in chosen]
            return cards, _note(cards, many, "people of the original who were not released")
        if self.wanted.names:
            return [], "no decoys: everybody was released, and nobody can be made up with a name"
        found = list(self._made_up(many))
        what = "made-up combinations that no released person fits, because everybody was released: easy to see through"
        return found, _note(found, many, what)

    def _from_register(self, register: pa.Table, many: int) -> list[Card]:
        shown = (*self.wanted.names, *self.keys)
        if missing := [name for name in shown if name not in register.column_names]:
            hint = "It needs what the cards show as columns, written as in the original."
            raise InputError("D228", f"the register has no column {missing[0]!r}.", hint)
        there = set(zip(*(self.came[key] for key in self.keys), strict=True))
        people = list(zip(*(register[name].to_pylist() for name in shown), strict=True))
        new = [person for person in dict.fromkeys(people) if person[len(self.wanted.names) :] not in there]
        chosen = [new[i] for i in np.argsort(self.draw(len(new)), kind="stable")[:many]]
        return [Card(tuple(zip(shown, person, strict=True)), REGISTER, (), {}, 0.0) for person in chosen]

    def _made_up(self, many: int) -> Iterator[Card]:
        seen: set[tuple[Value, ...]] = set()
        for _ in range(TRIES):
            if len(seen) == many:
                return
            lines = [int(n) for n in self.draw(len(self.keys)) % np.uint64(self.situation.known.num_rows)]
            fits = tuple(self.known[key][line] for key, line in zip(self.keys, lines, strict=True))
            if fits in seen or fits in self.sizes:
                continue
            seen.add(fits)
            shown = [(key, self.came[key][line]) for key, line in zip(self.keys, lines, strict=True)]
            yield Card(tuple(shown), MADE_UP, (), {}, 0.0)


def _one_each(people: Int64, lines: Int64) -> Int64:
    """The first of each person's lines."""
    lines = np.sort(lines)
    _, first = np.unique(people[lines], return_index=True)
    return lines[np.sort(first)]


def _note(cards: Sequence[Card], many: int, what: str) -> str:
    short = f"; {many - len(cards)} fewer than asked for, as there are no more" if len(cards) < many else ""
    return f"{len(cards)} decoys: {what}{short}"
