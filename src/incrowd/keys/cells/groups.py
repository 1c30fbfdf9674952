"""The greedy at the heart of strict cell suppression: which group next, and who is asked to come along."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np
from numba import njit

from incrowd.keys.cells.patterns import Float64
from incrowd.keys.table import Int64


@njit(cache=True)
def _cost(mask: int, weights: Float64) -> float:
    """What blanking these keys costs."""
    cost = 0.0
    for j in range(len(weights)):
        if (mask >> j) & 1:
            cost += weights[j]
    return cost


@njit(cache=True)
def _ask(
    k: int,
    need: int,
    mask: int,
    weights: Float64,
    missing: Int64,
    candidates: Int64,
    group: Int64,
    home_left: Int64,
    group_mask: Int64,
    group_size: Int64,
    members: Int64,
) -> tuple[float, int]:
    """The cheapest members for a group that lacks some: what they blank more, how many came (in `members`).

    Only groups with more than k give somebody away. A member that already is in a group of the same number
    of cells costs nothing.
    """
    units = len(group)
    extra = np.empty(len(candidates), np.float64)
    who = np.empty(len(candidates), np.int64)
    found, free = 0, 0
    for person in candidates:
        now = group[person] if person < units else person - units
        if now < 0 or group_size[now] <= k or (person >= units and home_left[person - units] == 0):
            continue
        shows = ~missing[person]
        extra[found] = _cost(mask & shows, weights) - _cost(group_mask[now] & shows, weights)
        who[found] = person
        found += 1
        free += extra[found - 1] <= 0.0
        if free >= 2 * need:
            break
    total, joined = 0.0, 0
    for at in np.argsort(extra[:found], kind="mergesort"):
        person = who[at]
        home = person >= units
        now = person - units if home else group[person]
        while joined < need and group_size[now] > k and (not home or home_left[now] > 0):
            members[joined] = person
            joined += 1
            group_size[now] -= 1
            total += extra[at]
            if not home:
                break
            home_left[now] -= 1
        if joined == need:
            break
    # Nobody has moved yet: this was only a question.
    for at in range(joined):
        person = members[at]
        if person >= units:
            home_left[person - units] += 1
            group_size[person - units] += 1
        else:
            group_size[group[person]] += 1
    return total, joined


@njit(cache=True)
def fill_groups(
    k: int,
    cap: float,
    weights: Float64,
    missing: Int64,
    mask: Int64,
    shown: Int64,
    known: Int64,
    start: Int64,
    member: Int64,
    group: Int64,
    home_left: Int64,
    group_shown: Int64,
    group_mask: Int64,
    group_size: Int64,
    groups: int,
    moved_from: Int64,
    moved_to: Int64,
    moved: int,
) -> tuple[int, int]:
    """Fill groups, the fewest cells per placed record first, until none is left at or below the cap.

    `mask`, `shown` and `known` describe the offers (`known`: the group that exists already, or -1); offer
    s may be taken by member[start[s]:start[s + 1]], units by number and then classes of k. Changes the
    grouping in place; gives the number of groups and of moves.
    """
    units = len(group)
    offers = len(mask)
    members = np.empty(k, np.int64)
    waiting = np.zeros(offers, np.int64)
    price = np.zeros(offers, np.float64)
    back_start = np.zeros(units + 1, np.int64)
    for s in range(offers):
        for at in range(start[s], start[s + 1]):
            i = member[at]
            if i < units and group[i] < 0:
                back_start[i + 1] += 1
                waiting[s] += 1
                price[s] += _cost(mask[s] & ~missing[i], weights)
    back_start = np.cumsum(back_start)
    back, fill = np.empty(back_start[-1], np.int64), back_start[:-1].copy()
    for s in range(offers):
        for at in range(start[s], start[s + 1]):
            i = member[at]
            if i < units and group[i] < 0:
                back[fill[i]] = s
                fill[i] += 1

    changed = True
    while changed:  # groups filled in one round have people to spare in the next
        changed = False
        heap = [(0.0, 0, 0) for _ in range(0)]  # numba wants to see the type
        for s in range(offers):
            if waiting[s] > 0 and price[s] <= cap * waiting[s]:
                # A price that forgets the members is too low, and is looked at again when it comes up.
                heap.append((price[s] / waiting[s], -waiting[s], s))
        heapify(heap)
        while len(heap) > 0:
            old = heappop(heap)
            s = old[2]
            if waiting[s] == 0:
                continue
            total, joined = price[s], 0
            if waiting[s] < k and known[s] < 0:
                need = k - waiting[s]
                candidates = member[start[s] : start[s + 1]]
                extra, joined = _ask(
                    k,
                    need,
                    mask[s],
                    weights,
                    missing,
                    candidates,
                    group,
                    home_left,
                    group_mask,
                    group_size,
                    members,
                )
                if joined < need:
                    continue
                total += extra
            ratio = total / waiting[s]
            now = (ratio, -waiting[s], s)
            if ratio > cap:
                continue
            if len(heap) > 0 and now > heap[0] and now > old:
                heappush(heap, now)
                continue
            changed = True
            if known[s] < 0:
                known[s] = groups
                group_shown[groups] = shown[s]
                group_mask[groups] = mask[s]
                groups += 1
            for at in range(joined):
                person = members[at]
                if person >= units:
                    home_left[person - units] -= 1
                    group_size[person - units] -= 1
                    moved_from[moved] = person - units
                    moved_to[moved] = known[s]
                    moved += 1
                else:
                    group_size[group[person]] -= 1
                    group[person] = known[s]
                group_size[known[s]] += 1
            for at in range(start[s], start[s + 1]):
                i = member[at]
                if i < units and group[i] < 0:
                    group[i] = known[s]
                    group_size[known[s]] += 1
                    for there in range(back_start[i], back_start[i + 1]):
                        waiting[back[there]] -= 1
                        price[back[there]] -= _cost(mask[back[there]] & ~missing[i], weights)
    return groups, moved
