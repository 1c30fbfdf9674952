"""What an intruder knows of people, what they want to learn, and how both are put into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from incrowd.attack.matching.spans import are_numbers, middle
from incrowd.attack.situation import Int64, Situation, codes_of
from incrowd.attack.value import Attacked
from incrowd.attack.words import percent

Bools = NDArray[np.bool_]
#: A number with more values than this, or one that the release tells less exactly, counts as learnt when its band is.
FEW = 20
BANDS = 5
#: Who says that an attack does not apply, where nobody needs to.
RELEASE = "the release itself"
NO_VALUES = "no key of the scenario has a value both in the release and in what is known."
#: So many of the records most at risk are listed, for the audit.
WORST = 50


def believed(situation: Situation, people: Int64) -> pa.Table:
    """What the intruder takes for the scenario's keys of these people (numbers of records in `known`).

    Who is got wrong, and how, is the same in every attack that asks here.
    """
    keys = list(situation.scenario.keys)
    (codes,) = codes_of([situation.known.select(keys)], keys)
    found = {}
    for name, told, wrong in zip(keys, codes, misremember(situation, codes, codes, "believed"), strict=True):
        column = whole_of(situation.known[name])
        if told is not wrong:
            first = np.unique(told, return_index=True)[1]  # codes are 0, 1, 2, and so on: one record with each
            column = column.take(pa.array(first[wrong]))
        found[name] = column.take(pa.array(people))
    return pa.table(found)


def misremember(situation: Situation, told: list[Int64], known: list[Int64], purpose: str) -> list[Int64]:
    """What the intruder believes, in codes: with the scenario's chance another value, drawn as often as people have
    it.
    """
    result = []
    for name, values, among in zip(situation.scenario.keys, told, known, strict=True):
        chance = situation.scenario.error.get(name, 0.0)
        if chance:
            draws = situation.draws(purpose, "error", name)
            wrong = np.flatnonzero(draws(len(values)) / 2.0**64 < chance)
            counts = np.bincount(among, minlength=int(values.max(initial=0)) + 1)
            values = values.copy()
            values[wrong] = _others(counts, values[wrong], draws(len(wrong)))
        result.append(values)
    return result


def _others(counts: Int64, values: Int64, draws: NDArray[np.uint64]) -> Int64:
    """For each value another one, with its share among the others; the same where there is no other."""
    ends = np.cumsum(counts)
    others = ends[-1] - counts[values]
    drawn = (draws % np.maximum(others, 1).astype(np.uint64)).astype(np.int64)
    drawn += np.where(drawn >= ends[values] - counts[values], counts[values], 0)  # jump over the own value
    return np.where(others > 0, np.searchsorted(ends, drawn, side="right"), values)


@dataclass(frozen=True)
class Sensitive:
    """A sensitive variable as numbers from 0 on, in the release and in truth; -1 where it is missing."""

    name: str
    released: Int64  # for each released record
    true: Int64  # for each record of the original
    values: int
    banded: bool  # whether a value is a band of numbers

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The share of each value among the released records that have one."""
        counts = np.bincount(self.released[self.released >= 0], minlength=self.values)
        return np.asarray(counts / max(int(counts.sum()), 1))

    @property
    def most(self) -> int:
        """The most frequent value of the release."""
        return int(self.shares.argmax())

    @property
    def note(self) -> str:
        """What counts as right, where it is not the value itself."""
        if not self.banded:
            return ""
        return f"{self.name} is a number: it counts as learnt when the right one of {self.values} bands is named, cut \
where the release has equal shares."


def sensitive_of(situation: Situation, name: str) -> Sensitive:
    """A sensitive variable in numbers. Numbers go into bands of equal share where they are many, or where the release
    says them less exactly than the truth (rounded, top coded, with noise): else nobody could ever be right.
    """
    return situation.once(lambda: _sensitive_of(situation, name), "sensitive", name)


def _sensitive_of(situation: Situation, name: str) -> Sensitive:
    released, true = whole_of(situation.released[name]), whole_of(situation.known[name])
    mine, theirs = released.unique().to_pylist(), true.unique().to_pylist()
    if are_numbers([*mine, *theirs]) and (max(len(mine), len(theirs)) > FEW or not set(theirs) <= {*mine, None}):
        cuts = _cuts(middles(released))
        return Sensitive(name, _banded(released, cuts), _banded(true, cuts), len(cuts) + 1, True)
    values = pa.array(list(dict.fromkeys([v for v in [*mine, *theirs] if v is not None])), pa.string())
    codes = [_numbers(pc.index_in(column, values), -1) for column in (released, true)]
    return Sensitive(name, codes[0], codes[1], max(len(values), 1), False)


def knows(situation: Situation, more: str = "", besides: Sequence[str] = ()) -> str:
    """What the intruder knows, in words; with keys that this release does not tell, where something else does."""
    scenario = situation.scenario
    wrong = {key: scenario.error.get(key, 0.0) for key in scenario.keys}
    keys = [f"{key} (wrong for {percent(error)})" if error else key for key, error in wrong.items()]
    keys += [f"{key} (not in this release)" for key in besides]
    who = "who is in the file" if scenario.knows_who_is_in else "not who is in the file"
    return f"{', '.join(keys)}; {who}{more}"


def untried(
    situation: Situation, attack: str, acts: str, why: str, name: str | None = None, says: str = ""
) -> Attacked:
    """An attack that could not be tried, with the reason; or, where somebody `says` so, that does not apply."""
    about = "" if name is None else f" on {name}"
    sentence = f"The attack{about} {'does not apply' if says else 'could not be tried'}: {why}"
    return Attacked(
        attack, situation.scenario.name, knows(situation), acts, None, None, None, sentence, why=why, about=name or "",
        does_not_apply=says,
    )  # fmt: skip


def impossible(situation: Situation, attack: str, acts: str) -> list[Attacked]:
    """Why an attack on sensitive variables by keys cannot be tried at all; nothing when it can."""
    if not situation.released.num_rows:
        return [untried(situation, attack, acts, "the release holds no record.")]
    if not situation.sensitive:
        return [untried(situation, attack, acts, "no sensitive variable is released.", says=RELEASE)]
    if not situation.scenario.keys:
        why = "the release has none of the keys that the scenario knows."
        return [untried(situation, attack, acts, why, says=RELEASE)]
    if not any(has_values(situation, key) for key in situation.scenario.keys):
        return [untried(situation, attack, acts, NO_VALUES)]
    return []


def has_values(situation: Situation, column: str) -> bool:
    """Whether anybody has a value of a column in the release, and anybody in what is known: else nothing compares."""
    return all(
        table[column].null_count < table.num_rows
        for table in (situation.released, situation.known)
    )  # fmt: skip


def worst_of(lines: Int64, order: NDArray[np.float64]) -> tuple[int, ...]:
    """The lines of those most at risk, the largest first, from 1 on."""
    chosen = np.lexsort((lines, -order))[:WORST]
    return tuple(int(line) + 1 for line in lines[chosen])


def joined(*parts: str) -> str:
    """Sentences one after the other, empty ones left out."""
    return " ".join(part for part in parts if part)


def texts(column: pa.ChunkedArray | pa.Array) -> list[str | None]:
    """The values of a column."""
    found: list[str | None] = column.to_pylist()
    return found


def whole_of(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece."""
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _numbers(indices: pa.Array, missing: int) -> Int64:
    found: Int64 = indices.fill_null(missing).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def middles(column: pa.Array) -> NDArray[np.float64]:
    """The number behind each label (see `middle`): each label is read once."""
    coded = column.dictionary_encode()
    points = np.array([middle(label) for label in coded.dictionary.to_pylist()] + [np.nan])
    return np.asarray(points[_numbers(coded.indices, len(points) - 1)])


def _cuts(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cuts between bands with as equal shares as ties allow, each halfway between two values that occur."""
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    if len(values) < 2:
        return np.zeros(0)
    after = np.cumsum(counts) / counts.sum()
    ends: Sequence[int] = np.unique(np.searchsorted(after, np.arange(1, BANDS) / BANDS - 1e-12)).tolist()
    return np.array([(values[end] + values[end + 1]) / 2 for end in ends if end + 1 < len(values)])


def _banded(column: pa.Array, cuts: NDArray[np.float64]) -> Int64:
    numbers = middles(column)
    return np.where(np.isnan(numbers), -1, np.searchsorted(cuts, numbers, side="right")).astype(np.int64)
