"""Local recoding: the way from a base table to classes that satisfy the requirements, on one screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.hierarchy import Levels
from incrowd.keys.local.checked import place_checked
from incrowd.keys.local.improve import Grouping, Steps, improve
from incrowd.keys.local.labels import cheapest_homes, label_all
from incrowd.keys.local.paths import Paths, paths_of
from incrowd.keys.local.result import LocalRecoding, regroup, result_of
from incrowd.keys.local.sweep import sweep
from incrowd.keys.requirements import K, Requirement, failing_any
from incrowd.keys.table import Int64, KeyTable, Mask

#: Fixed, because nothing secret depends on it: it orders the search, it does not choose among people.
_SEED = 20260101


def recode_locally(
    table: KeyTable,
    levels: Sequence[Levels],
    requirements: Sequence[Requirement],
    *,
    suppression: float = 0.0,
    rounds: int = 3,
    nodes: int = 50_000,
    seconds: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> LocalRecoding:
    """Which recoding per class satisfies the requirements at a low loss?

    Every output class gets, in each key, one value of that key's hierarchy: the finest that all its members share.
    A sweep over the lattice forms the cheapest classes first; then neighbouring classes change members for some
    `rounds` (more rounds, less loss). The loss is the mean over keys and records of (leaves under the value - 1) /
    (leaves - 1). A heuristic: `lower_bound` says how far from the optimum it can be. Lattices of more than `nodes`
    nodes are sampled; `seconds` stops the search early with what there is, complete and valid.

    At most the share `suppression` of the records is suppressed, and only what fits into no class. Raises
    NotReleasable (R012) where more would have to go, InputError (D048) where a person has several records.

    Misleads an analyst who counts one value: 30-34, 30-39 and * may stand side by side in one column.
    Reference: Xu et al. 2006; Gionis, Mazza and Tassa 2008.
    """
    _refuse(table, requirements)
    real = np.flatnonzero(table.records > 0)
    base = replace(table, population=None).suppress(table.records <= 0) if len(real) < len(table.records) else table
    paths, rng, clock = paths_of(base, levels), np.random.default_rng(_SEED), _Clock(seconds, progress)
    bound = [requirement.bind(base).on_all_keys() for requirement in requirements]
    k = _least_size(bound)
    if all(type(requirement) is K and requirement.where is None for requirement in bound):
        grouping, left = _by_size(paths, base.records, k, nodes, rng, clock)
        grouping = improve(grouping, paths, base.records, k, rounds=rounds, rng=rng, go_on=clock.second_half)
    else:

        def failing(to: Int64) -> Mask:
            return failing_any(regroup(base, to), bound)

        to = place_checked(paths, base.records, k, failing, nodes=nodes, rng=rng, go_on=clock.first_half)
        stay = np.flatnonzero(to >= 0)
        left = (np.flatnonzero(to < 0), base.records[to < 0])
        grouping = improve(
            Grouping.by(to[stay], stay, base.records[stay]), paths, base.records, k, rounds=rounds, rng=rng,
            failing=lambda proposed: failing(_classes_of(proposed, len(base.records))), go_on=clock.second_half,
        )  # fmt: skip
    result = result_of(grouping, left, paths, levels, real, clock.stopped)
    _verify(result, table, levels, requirements, suppression)
    return result


def _by_size(
    paths: Paths, records: Int64, k: int, nodes: int, rng: np.random.Generator, clock: _Clock
) -> tuple[Grouping, tuple[Int64, Int64]]:
    """Classes of at least k records: the sweep, and a home for the few it leaves over. Base classes may be divided."""
    pieces = sweep(paths, records, k, donors=True, nodes=nodes, rng=rng, go_on=clock.first_half)
    atom, to, amount = (part[pieces.amount > 0] for part in (pieces.atom, pieces.to, pieces.amount))
    if int(amount[to < 0].sum()) >= k:  # the time ran out, or a key has no top
        to[to < 0] = _cut(paths, records, atom[to < 0], amount[to < 0], k, int(to.max()) + 1, rng)
    stray = to < 0
    # At most k movable records of a large base class: the others stay together as one piece.
    movable = np.where(amount < k, amount, np.minimum(amount, 2 * k) - k + 1)[~stray]
    weights = np.ones(int(movable.sum()), np.int64)
    weights[np.cumsum(movable) - movable] += amount[~stray] - movable
    grouping = Grouping.by(np.repeat(to[~stray], movable), np.repeat(atom[~stray], movable), weights)
    return _with_strays(grouping, paths, atom[stray], amount[stray])


def _cut(
    paths: Paths, records: Int64, atoms: Int64, amounts: Int64, k: int, number: int, rng: np.random.Generator
) -> Int64:
    """Strays that are alike at the top side by side, cut where k records are together; -1 where there are fewer."""
    order = Steps(paths, records).order(Grouping.by(np.arange(len(atoms)), atoms, amounts), rng)
    tops = paths.tops()[atoms]
    to, together, last, top = np.full(len(atoms), -1, np.int64), 0, -1, -1
    waiting: list[int] = []
    for at in order[np.argsort(tops[order], kind="stable")].tolist():
        if tops[at] != top:
            to[waiting] = last
            waiting, together, last, top = [], 0, -1, tops[at]
        waiting.append(at)
        together += int(amounts[at])
        if together >= k:
            to[waiting] = last = number
            waiting, together, number = [], 0, number + 1
    to[waiting] = last
    return to


def _with_strays(
    grouping: Grouping, paths: Paths, strays: Int64, amounts: Int64
) -> tuple[Grouping, tuple[Int64, Int64]]:
    """Put each stray where it costs least; gives what has no home."""
    if not len(strays) or not grouping.classes:
        return grouping, (strays, amounts)
    label = np.zeros((grouping.classes, paths.keys), np.int32)
    loss = label_all(paths.codes, paths.losses, paths.at, grouping.start, grouping.atoms, label)
    lead = grouping.atoms[grouping.start[:-1]]
    home = cheapest_homes(paths.codes, paths.losses, lead, label, loss, grouping.sizes.copy(), strays, amounts)
    fits = home >= 0
    to = np.append(np.repeat(np.arange(grouping.classes), np.diff(grouping.start)), home[fits])
    atoms, weights = np.append(grouping.atoms, strays[fits]), np.append(grouping.weights, amounts[fits])
    return Grouping.by(to, atoms, weights), (strays[~fits], amounts[~fits])


def _classes_of(grouping: Grouping, number: int) -> Int64:
    """The class of each base class, where none is divided; -1 where it is in none."""
    to = np.full(number, -1, np.int64)
    to[grouping.atoms] = np.repeat(np.arange(grouping.classes), np.diff(grouping.start))
    return to


def _least_size(requirements: Sequence[Requirement]) -> int:
    """No class below this can pass."""
    return max((requirement.fewest_people for requirement in requirements), default=1)


def _refuse(table: KeyTable, requirements: Sequence[Requirement]) -> None:
    if table.pairs is not None:
        raise InputError(
            "D048",
            "local recoding needs one record per person, and this plan names a unit with several.",
            "Recode whole variables (search without local), or aggregate to one record per person first.",
        )
    for requirement in requirements:
        if requirement.needs_population:
            raise InputError(
                "D049",
                f"local recoding cannot promise {requirement.model}: its labels overlap, so the population has no "
                "one class for each of them.",
                "Recode whole variables (search without local).",
            )


def _verify(
    result: LocalRecoding,
    table: KeyTable,
    levels: Sequence[Levels],
    requirements: Sequence[Requirement],
    suppression: float,
) -> None:
    """Count the released classes by plain equality and ask every requirement; too many suppressed is a refusal."""
    total = int(table.records.sum())
    bound = [requirement.bind(table) for requirement in requirements]
    if result.suppressed > suppression * total:
        one = regroup(table, np.zeros(len(table.records), np.int64))
        told = []
        for requirement in bound:
            achieved = requirement.on_all_keys().achieved(one)
            told.append(f"{requirement.describe()} (the whole file as one class: {achieved:.4g})")
        raise NotReleasable(
            "R012",
            f"{result.suppressed} of {total} records fit into no class that satisfies: {'; '.join(told)}.",
            "Allow more suppression, ask for less, or give every hierarchy one top.",
        )
    if result.classes == 0:
        return
    released = result.table(table, levels)
    for requirement in bound:
        failing = int(requirement.failing(released).sum())
        if failing:
            raise NotReleasable(
                "R013",
                f"{failing} classes of the local recoding fail: {requirement.describe()}.",
                "Recode whole variables (search without local).",
            )


class _Clock:
    """Tells how far the work is, and says when the time is up: half of it for the sweep, half for the rounds."""

    def __init__(self, seconds: float | None, progress: Callable[[float], None] | None) -> None:
        self.start, self.seconds, self.progress = time.monotonic(), seconds, progress
        self.stopped = False

    def first_half(self, done: float) -> bool:
        return self._go_on(done / 2, 0.5)

    def second_half(self, done: float) -> bool:
        return self._go_on(0.5 + done / 2, 1.0)

    def _go_on(self, done: float, share: float) -> bool:
        if self.progress is not None:
            self.progress(done)
        late = self.seconds is not None and time.monotonic() - self.start > share * self.seconds
        # Work that is done in time is not cut short, whatever the clock says then.
        self.stopped = self.stopped or (late and done < share)
        return not late
