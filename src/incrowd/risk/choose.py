"""Choosing keys: how much does a variable tell, who could know it, and which of its values stand out?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.table import KeyTable, Recode
from incrowd.risk.value import Floats

#: The channels by which a value can be known, in the order they are asked.
CHANNELS = ("passer_by", "neighbours", "colleagues", "public_sources", "guess")
_ANSWERS = {"no": 0.0, "partly": 0.5, "yes": 1.0}


@dataclass(frozen=True)
class Telling:
    """How much a set of keys tells: distinction (classes over records) and separation (pairs told apart)."""

    keys: tuple[str, ...]
    distinction: float
    separation: float


def telling(table: KeyTable, keys: Sequence[str]) -> Telling:
    """How well does a set of keys tell records apart?

    Distinction is K/n. Separation is the share of the n(n-1)/2 pairs of records that differ in some key:
    1 - sum f(f-1) / (n(n-1)).

    Misleads: both look at the file alone; a key nobody can know has high separation and no risk. Reference: Motwani and
    Xu (2007), as in ARX.

    >>> from incrowd.keys.table import from_records
    >>> telling(from_records({"sex": ["f", "m", "m"]}), ["sex"])
    Telling(keys=('sex',), distinction=0.6666666666666666, separation=0.6666666666666667)
    """
    smaller, _ = table.project(list(keys))
    sizes = [int(size) for size in smaller.records if size]
    n = sum(sizes)
    pairs = sum(size * (size - 1) for size in sizes)  # Python's integers: a square of millions passes 32 bits
    return Telling(tuple(keys), len(sizes) / n if n else 0.0, 1.0 - pairs / (n * (n - 1)) if n > 1 else 0.0)


def all_telling(table: KeyTable, ways: int = 2) -> tuple[Telling, ...]:
    """The same for each key and each set of up to `ways` keys, the most telling first within each size."""
    found = [telling(table, at) for size in range(1, ways + 1) for at in combinations(table.names, size)]
    return tuple(sorted(found, key=lambda t: (len(t.keys), -t.separation, t.keys)))


@dataclass(frozen=True)
class Availability:
    """Who could know a variable: the mean of the answers (no 0, partly 1/2, yes 1), and that times its separation."""

    variable: str
    availability: float
    priority: float
    reason: str


def availability(variable: str, answers: Mapping[str, str], separation: float, reason: str) -> Availability:
    """Should this variable be a key? Five questions, each no, partly or yes.

    Visible to a passer-by, known to neighbours, known to colleagues, in public sources, well guessed without any of
    them. Availability is the mean answer, priority is availability times separation: a variable that many can know and
    that tells people apart comes first.

    Misleads: it orders variables for a discussion; it is no probability. The answers are a person's judgement, which is
    why the plan keeps them with a reason. Reference: Elliot, Mackey, O'Hara (2020), The Anonymisation Decision-Making
    Framework, key variables.

    >>> availability("sex", {"passer_by": "yes", "guess": "yes"}, 0.5, "seen by anybody").availability
    0.4
    """
    mean = sum(_ANSWERS[answers.get(channel, "no")] for channel in CHANNELS) / len(CHANNELS)
    return Availability(variable, mean, mean * separation, reason)


@dataclass(frozen=True)
class Tail:
    """One end of a numeric variable: where fewer than k people lie beyond, and who of the outer share stands alone."""

    variable: str
    end: str
    people_beyond: int
    code_at: float | None
    people_in_tail: int
    alone_with_visible: int


def tails(
    table: KeyTable, variable: str, visible: Sequence[str] = (), k: int = 10, share: float = 0.005
) -> tuple[Tail, Tail]:
    """Do the largest or smallest values stand out, alone or with keys that anybody can see?

    At each end: the outermost value at or beyond which at least k people lie (`code_at`: where to top-code) and how
    many lie beyond it; and among the outer `share` of the people, taken as one category ("very old"), how many are
    alone with their visible keys. Values that are not numbers are left out.

    Misleads: a value in the middle can stand out as well (a gap); uniques tables show those.

    >>> from incrowd.keys.table import from_records
    >>> table = from_records({"age": ["20", "20", "21", "21", "99"]})
    >>> tails(table, "age", k=2)[1].code_at
    21.0
    """
    at = table.names.index(variable)
    numbers = np.array([_number(value) for value in table.domains[at].values])
    if np.isnan(numbers).all():
        raise InputError("D100", f"{variable!r} has no numbers, so it has no largest ones.", "Choose another.")
    shown = [key for key in visible if key != variable]
    small, _ = table.project([variable, *shown])
    return _tail(small, numbers, k, share, "bottom"), _tail(small, numbers, k, share, "top")


def _tail(table: KeyTable, numbers: Floats, k: int, share: float, end: str) -> Tail:
    """One end of the first key of a table; the others are the visible ones."""
    people = np.bincount(table.codes[0], weights=table.records.astype(float), minlength=len(numbers))
    valid = np.flatnonzero(~np.isnan(numbers))
    order = valid[np.argsort(numbers[valid], kind="stable")][:: -1 if end == "top" else 1]
    reached = np.cumsum(people[order])
    enough = int(np.searchsorted(reached, k))
    beyond = int(reached[enough - 1]) if enough else 0
    code_at = float(numbers[order[enough]]) if enough < len(order) else None
    inside = order[: max(int(np.searchsorted(reached, share * people.sum(), side="right")), 1)]
    outer = np.isin(np.arange(len(numbers)), inside)
    recode = Recode.from_values(table.names[0], ["tail" if each else "rest" for each in outer])
    coarse = table.recode({table.names[0]: recode})
    tail = coarse.domains[0].values.index("tail")
    alone = int(np.count_nonzero((coarse.codes[0] == tail) & (coarse.records == 1)))
    return Tail(table.names[0], end, beyond, code_at, int(people[inside].sum()), alone)


def _number(value: str | None) -> float:
    try:
        return float(value) if value is not None else float("nan")
    except ValueError:
        return float("nan")
