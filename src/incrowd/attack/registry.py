"""What an attack says of itself: its word, what it needs, what it measures. Nothing else in the house lists attacks.

@attack("linkage", "looks for the records that agree in all keys", residual="What k counts")
def exact_linkage(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]: ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked

Try = Callable[[Situation, Auxiliary], list[Attacked]]
Need = Literal["sensitive", "others", "tables", "splink"]
#: What can be done to a plan against an attack; `proposals/remedies.py` carries them out.
Remedy = Literal[
    "larger_classes", "coarser_values", "perturbed_values", "diversity", "closeness", "nobody_left_out",
    "coarser_shared",
]  # fmt: skip

#: What an attack may need, in words.
NEEDS: Mapping[Need, str] = {
    "sensitive": "a sensitive variable in the release",
    "others": "another release about some of the same people",
    "tables": "a published table of counts",
    "splink": "splink",
}
#: What an attack takes for granted that says nothing else.
ASSUMES = "What the scenario says the intruder knows is known of everybody, and is wrong as often as it says."
#: The place of an attack that says none: after all others.
LAST = 1_000


@dataclass(frozen=True)
class Attack:
    """An attack with what plans, reports, advice and the command line must know of it. Called, it is tried."""

    word: str  # in plans, on the command line, in results
    acts: str  # what the intruder does, in words, to stand after 'the intruder'
    attempt: Try
    residual: str = ""  # the residual risk that it measures, by its name in the reports; empty where it is none of them
    needs: tuple[Need, ...] = ()  # of other releases and tables, one is enough
    on_request: bool = False  # takes long, or says little of an intruder who knows only keys: tried when asked for
    once: bool = False  # the same for every intruder: one scenario is enough
    outside: bool = False  # its control are people outside the release
    place: int = LAST  # where it stands among the others: results are in this order
    remedies: tuple[Remedy, ...] = ()  # what would stop it, what costs least first
    assumes: str = ASSUMES  # what its figure takes for granted, in words

    def __call__(self, situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
        """Try it. An attack that cannot be tried here says why; what it takes for granted stands in each result."""
        found = self.attempt(situation, auxiliary)
        return [one if one.assumed else replace(one, assumed=self.assumes) for one in found]

    @property
    def on_values(self) -> bool:
        """Is it after each sensitive variable of the release? Without one it has nothing to attack."""
        return "sensitive" in self.needs

    @property
    def needed(self) -> str:
        """What it needs, in words; empty when any release will do."""
        return " or ".join(NEEDS[need] for need in self.needs)

    @property
    def auxiliary(self) -> tuple[Need, ...]:
        """What it needs beside the release, of which one is enough: other releases, tables."""
        return tuple(need for need in self.needs if need in ("others", "tables"))


class Registry(Mapping[str, Attack]):
    """Every attack by its word, in the order of their places."""

    def __init__(self) -> None:
        self._attacks: dict[str, Attack] = {}

    def add(self, one: Attack) -> None:
        """One more; a word stands for one attack."""
        if one.word in self._attacks:
            raise ValueError(f"there are two attacks {one.word}")
        self._attacks[one.word] = one

    def remove(self, word: str) -> None:
        """Forget one."""
        del self._attacks[word]

    def __getitem__(self, word: str) -> Attack:
        return self._attacks[word]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._attacks, key=lambda word: (self._attacks[word].place, word)))

    def __len__(self) -> int:
        return len(self._attacks)


#: Filled by the files of this room.
ATTACKS = Registry()


def attack(
    word: str,
    acts: str,
    *,
    residual: str = "",
    needs: tuple[Need, ...] = (),
    on_request: bool = False,
    once: bool = False,
    outside: bool = False,
    place: int = LAST,
    remedies: tuple[Remedy, ...] = (),
    assumes: str = ASSUMES,
) -> Callable[[Try], Try]:
    """Make a function from a situation, and what an intruder has beside it, to results an attack."""

    def register(attempt: Try) -> Try:
        ATTACKS.add(Attack(word, acts, attempt, residual, needs, on_request, once, outside, place, remedies, assumes))
        return attempt

    return register
