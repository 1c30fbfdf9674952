"""Which unknowns can be more than nothing in any solution, and which cannot be nothing: by counting, then by a solver.

Bounds are passed on from count to count until nothing moves; what is still open falls into blocks that share no count,
and each block goes to HiGHS (scipy's `milp`). One solution shows for all unknowns in it that they can be; what is left
is asked for together, until the best that can be had is nothing. So a block costs a few solutions and not one for each
unknown. The search is limited in nodes first, so that the answer seldom depends on the machine, and then in time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array, eye_array, hstack, vstack
from scipy.sparse.csgraph import connected_components

from incrowd.attack.knowledge import Bools
from incrowd.attack.situation import Int64
from incrowd.attack.solving.budget import Budget
from incrowd.attack.solving.published import Floats
from incrowd.attack.solving.unknown import Unknown

#: How often bounds are passed on.
ROUNDS = 200
#: Nodes of the search for each solution, and solutions for each block.
NODES, SOLUTIONS = 2_000, 60
PATIENCE = 10.0  # seconds for one quick proof in a large block
HALF, TINY = 0.5, 1e-4  # whole numbers come back as floats


@dataclass(frozen=True)
class Certain:
    """What is certain of the unknowns."""

    can: Bools  # some solution has somebody there
    cannot: Bools  # no solution has; where neither is marked, nobody knows
    least: Floats  # at least so many are there, as far as bounds tell
    block: Int64  # the block of each unknown, -1 where bounds decide it
    blocks: tuple[Block, ...]
    unsolved: int  # blocks that were not solved, wholly or in part
    contradictory: int  # blocks without any solution: the release or a table does not tell the truth


@dataclass(frozen=True)
class Block:
    """Unknowns that hang together, with the solutions found so far."""

    at: Int64  # numbers of the unknowns
    binds: csr_array
    low: Floats
    high: Floats
    least: Floats
    most: Floats
    solutions: tuple[Floats, ...] = ()

    def in_parts(self, gain: Floats, budget: Budget) -> tuple[Floats | None, float]:
        """The largest gain if people could be cut in parts, which no solution passes; and that solution, if nobody is.

        Quick also for a large block.
        """
        found = milp(
            -gain,
            bounds=Bounds(self.least, self.most),
            constraints=LinearConstraint(self.binds, self.low, self.high),
            options={"time_limit": min(PATIENCE, budget.wait)},
        )
        if found.x is None or found.status != 0:
            return None, np.inf
        whole = np.round(found.x)
        return (whole if np.abs(found.x - whole).max(initial=0.0) < TINY else None), -float(found.fun)

    def solve(self, gain: Floats, budget: Budget, spread: bool = False) -> tuple[Floats | None, bool]:
        """The solution with the largest gain that was found (None without any), and whether there is no better.

        With `spread`, an unknown gains by being there, however many it is.
        """
        size, kinds = len(self.at), len(gain)
        binds, cost = self.binds, -gain
        low, high = [self.low], [self.high]
        least, most = self.least, self.most
        if spread:
            wanted = np.flatnonzero(gain > 0)
            kinds = len(wanted)
            ones = eye_array(size, format="csr")[wanted]
            link = hstack([ones, -eye_array(kinds)])  # the number is at least what is gained
            binds = vstack([hstack([binds, csr_array((binds.shape[0], kinds))]), link])
            low, high = [*low, np.zeros(kinds)], [*high, np.full(kinds, np.inf)]
            cost = np.concatenate([np.zeros(size), -np.ones(kinds)])
            least, most = np.concatenate([least, np.zeros(kinds)]), np.concatenate([most, np.ones(kinds)])
        found = milp(
            cost,
            integrality=np.concatenate([np.ones(size), np.zeros(len(cost) - size)]),
            bounds=Bounds(least, most),
            constraints=LinearConstraint(csr_array(binds), np.concatenate(low), np.concatenate(high)),
            options={"node_limit": NODES, "time_limit": budget.wait},
        )
        if found.x is None:
            return None, found.status == 2
        return np.round(found.x[:size]), found.status == 0


def work_out(unknown: Unknown, known: Bools, budget: Budget, true: Floats | None = None) -> Certain:
    """What is certain, as far as it could be worked out. `known` are unknowns that somebody can be (exchange.py), and
    `true` is a solution, where one is known.
    """
    least, most, broken = _pass_on(unknown)
    block, blocks = _blocks(unknown, least, most)
    can, cannot = (least > HALF) | known, most < HALF
    unsolved = contradictory = 0
    done = []
    bad = np.zeros(len(blocks) + 1, bool)
    bad[block[broken]] = True  # the last one is for unknowns that bounds decide
    for number, one in enumerate(blocks):
        first = () if true is None else (true[one.at],)
        rest = ~(can[one.at] | cannot[one.at])
        if not rest.any():
            done.append(replace(one, solutions=first))
            continue
        if len(one.at) > budget.largest or budget.left < 0:
            if budget.left > 0 and one.in_parts(rest.astype(float), budget)[1] < TINY:
                cannot[one.at[rest]] = True
            else:
                unsolved += 1
            done.append(replace(one, solutions=first))
            continue
        mine, never, solutions, whole = _possible(one, ~rest, budget)
        can[one.at] |= mine
        cannot[one.at] |= never
        bad[number] |= not solutions and whole
        contradictory += not solutions and whole
        unsolved += not whole
        done.append(replace(one, solutions=(*first, *solutions)))
    lost = broken | (bad[block] & (block >= 0))
    contradictory += bool((broken & (block < 0)).any())
    can[lost], cannot[lost] = False, False
    least = np.where(lost, 0.0, least)
    return Certain(can, cannot, least, block, tuple(done), unsolved, contradictory)


def _possible(one: Block, decided: Bools, budget: Budget) -> tuple[Bools, Bools, tuple[Floats, ...], bool]:
    """Of a block's unknowns which can be there, which cannot, some solutions, and whether nothing is left open."""
    can = np.zeros(len(one.at), bool)
    rest = ~decided
    solutions: list[Floats] = []
    for _ in range(SOLUTIONS):
        solution, best = one.solve(rest.astype(float), budget, spread=True)
        if solution is None:
            return can, np.zeros(len(can), bool), tuple(solutions), best
        solutions.append(solution)
        there = rest & (solution > HALF)
        can |= solution > HALF
        if not there.any():
            return can, rest if best else np.zeros(len(can), bool), tuple(solutions), best or not rest.any()
        rest &= ~there
        if not rest.any():
            return can, rest, tuple(solutions), True
        if budget.left < 0:
            break
    return can, np.zeros(len(can), bool), tuple(solutions), False


def _pass_on(unknown: Unknown) -> tuple[Floats, Floats, Bools]:
    """The smallest and largest number of each unknown that follow from count to count; and those that contradict."""
    binds = unknown.binds.tocoo()
    rows, columns = binds.row, binds.col
    least, most = np.zeros(len(unknown.most)), unknown.most.copy()
    for _ in range(ROUNDS):
        least_sum = np.bincount(rows, weights=least[columns], minlength=len(unknown.low))
        most_sum = np.bincount(rows, weights=most[columns], minlength=len(unknown.low))
        high = unknown.high[rows] - least_sum[rows] + least[columns]
        low = unknown.low[rows] - most_sum[rows] + most[columns]
        new_most, new_least = most.copy(), least.copy()
        np.minimum.at(new_most, columns, high)
        np.maximum.at(new_least, columns, low)
        if np.array_equal(new_most, most) and np.array_equal(new_least, least):
            break
        crossed = new_least > new_most
        least, most = np.where(crossed, least, new_least), np.where(crossed, most, new_most)
        if crossed.any():
            break
    least_sum = np.bincount(rows, weights=least[columns], minlength=len(unknown.low))
    most_sum = np.bincount(rows, weights=most[columns], minlength=len(unknown.low))
    bad = (least_sum > unknown.high) | (most_sum < unknown.low)
    broken = np.zeros(len(most), bool)
    broken[columns[bad[rows]]] = True
    return least, most, broken


def _blocks(unknown: Unknown, least: Floats, most: Floats) -> tuple[Int64, list[Block]]:
    """Unknowns that bounds leave open, in blocks that no count joins."""
    free = np.flatnonzero(most > least)
    block = np.full(len(most), -1, np.int64)
    if not len(free):
        return block, []
    binds = csr_array(unknown.binds[:, free])
    rest = unknown.binds @ least - binds @ least[free]
    coo = binds.tocoo()
    number = binds.shape[0] + len(free)
    links = coo_array((np.ones(len(coo.row)), (coo.row, binds.shape[0] + coo.col)), shape=(number, number))
    place = connected_components(links, directed=False)[1][binds.shape[0] :]
    _, place = np.unique(place, return_inverse=True)
    block[free] = place
    order = np.argsort(place, kind="stable")
    blocks = []
    by_column = binds.tocsc()
    for at in np.split(order, np.flatnonzero(np.diff(place[order])) + 1):
        part = csr_array(by_column[:, at])
        rows = np.flatnonzero(np.diff(part.indptr))
        mine = free[at]
        blocks.append(
            Block(mine, csr_array(part[rows]), (unknown.low - rest)[rows], (unknown.high - rest)[rows], least[mine],
                  most[mine])
        )  # fmt: skip
    return block, blocks
