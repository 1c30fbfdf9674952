"""What a ladder is made of: the values of one key, its rungs, and how labels become steps of a plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from incrowd.errors import InputError
from incrowd.keys.codebook import RARE, Codebook
from incrowd.keys.hierarchies import require_valid
from incrowd.keys.hierarchies.naming import free_label
from incrowd.keys.hierarchy import TOP, Hierarchy
from incrowd.keys.labels import Labels, Values
from incrowd.keys.natural import in_order
from incrowd.keys.table import KeyTable

#: A mapping of more values than this is none that a custodian reads.
LONGEST_MAPPING = 200
#: So many values that stand apart are named in words.
APART = 4

Content = Mapping[str, Any]


@dataclass(frozen=True)
class Rung:
    """One way to say a key: as it is, more coarsely, or not at all.

    `name` is what a plan calls it, unique in its ladder. `steps` are steps of a plan, without their reason, that make
    it from the values as they are. `words` say it to people.
    """

    name: str
    steps: tuple[Content, ...]
    words: str


@dataclass(frozen=True)
class Ladder:
    """The ways to say a key, the finest first: level i of the hierarchy is rungs[i]. `how` tells how it was made.
    Where values were `merged`, nothing but how many people have them says which go together.
    """

    name: str
    hierarchy: Hierarchy
    rungs: tuple[Rung, ...]
    how: str
    merged: bool = False


#: The label of each value, and the rung that makes it.
Level = tuple[Mapping[str, str], Rung]

AS_IT_IS = Rung("as it is", (), "as it is")


def dropped(name: str) -> Rung:
    """The top of every ladder: the column goes."""
    return Rung("dropped", ({"step": "drop", "variables": [name]},), "left out")


@dataclass(frozen=True)
class Key:
    """The values of one key: those that may go together (`told`) and those that keep their label (`apart`)."""

    name: str
    table: KeyTable
    people: Mapping[str | None, int]
    book: Codebook
    told: tuple[str, ...]
    apart: tuple[str, ...]
    named: frozenset[str] = frozenset()

    @property
    def leaves(self) -> tuple[str, ...]:
        """All values but missing."""
        return (*self.told, *self.apart)

    @property
    def loose(self) -> tuple[str, ...]:
        """Those apart that no codebook declares: a step by rule does not leave them alone by itself."""
        declared = self.book.missing.get(self.name, ())
        return tuple(value for value in self.apart if value not in declared)

    def joining(self, values: Collection[str]) -> Key:
        """The same, with some values that stood apart among the others."""
        joined = [value for value in self.apart if value in values]
        apart = tuple(value for value in self.apart if value not in values)
        return replace(self, told=(*self.told, *joined), apart=apart)

    def is_rare(self, value: str) -> bool:
        """Whether so few have it that it is theirs, and no codebook lists it: people are not told its name."""
        listed = self.book.codes.get(self.name, {})
        return 0 < self.people.get(value, 0) < RARE and value not in listed

    def rung(self, name: str, steps: tuple[Content, ...], words: str) -> Rung:
        """A rung whose words also tell what stands apart."""
        if not self.apart:
            return Rung(name, steps, words)
        few = len(self.apart) <= APART and not any(map(self.is_rare, self.apart))
        said = ", ".join(self.book.both(self.name, value) for value in self.apart)
        return Rung(name, steps, f"{words}; apart: {said if few else f'{len(self.apart)} values'}")

    def whole(self, labels: Mapping[str, str]) -> dict[str, str]:
        """Labels of every value; one that has none keeps its own."""
        return {value: labels.get(value, value) for value in self.leaves}


def recode(name: str, **way: Any) -> Content:
    """The step recode, in one way."""
    return {"step": "recode", "variable": name, **way}


def mapping_step(name: str, labels: Mapping[str, str]) -> tuple[Content, ...]:
    """The step that gives values these labels: none where every value keeps its own."""
    changed = {value: labels[value] for value in in_order(labels) if labels[value] != value}
    return (recode(name, mapping=changed),) if changed else ()


def by_rule(key: Key, label: Callable[[Values], Labels], way: Content | None, name: str, words: str) -> Level | None:
    """A level that a rule makes (`way`, in a step recode). Where the rule would change a value that stands apart, or
    there is no step for it, the level is a mapping; and there is none where that would be too long.
    """
    asked = [*key.told, *key.loose]
    got = _tried(label, asked) if way is not None else None
    labels = {} if got is None else {value: str(text) for value, text in zip(asked, got, strict=True)}
    if way is not None and labels and all(labels[value] == value for value in key.loose):
        return key.whole(labels), key.rung(name, (recode(key.name, **way),), words)
    made = label(key.told)
    labels = key.whole({value: str(text) for value, text in zip(key.told, made, strict=True)})
    if sum(value != text for value, text in labels.items()) > LONGEST_MAPPING:
        return None
    return labels, key.rung(name, mapping_step(key.name, labels), words)


def finish(key: Key, levels: Sequence[Level], how: str, merged: bool = False) -> Ladder:
    """The ladder of some levels, the finest first; one that puts nothing together, or everything, is left out."""
    kept: list[Level] = [({value: value for value in key.leaves}, AS_IT_IS)]
    for labels, rung in levels:
        if 1 < len(set(labels.values())) < len(set(kept[-1][0].values())):
            kept.append((labels, rung))
    leaves = in_order(key.leaves)
    used = {label: frozenset({label}) for labels, _ in kept for label in labels.values()}
    top = free_label(TOP, frozenset(leaves), used)
    rows = tuple((*(labels[leaf] for labels, _ in kept), top) for leaf in leaves)
    hierarchy = require_valid(Hierarchy(key.name, rows), list(key.people))
    return Ladder(key.name, hierarchy, (*(rung for _, rung in kept), dropped(key.name)), how, merged)


def _tried(label: Callable[[Values], Labels], values: Sequence[str]) -> Labels | None:
    try:
        return label(values)
    except InputError:
        return None
