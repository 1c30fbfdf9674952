"""The greedy at the heart of strict cell suppression: which seat next, and who is asked to come along."""

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
    seat: Int64,
    home_left: Int64,
    seat_mask: Int64,
    seat_size: Int64,
    guests: Int64,
) -> tuple[float, int]:
    """The cheapest guests for a seat that lacks some: what they blank more, how many came (in `guests`).

    Only seats with more than k give somebody away. A guest that already sits on a seat of the same number
    of cells costs nothing.
    """
    units = len(seat)
    extra = np.empty(len(candidates), np.float64)
    who = np.empty(len(candidates), np.int64)
    found, free = 0, 0
    for person in candidates:
        now = seat[person] if person < units else person - units
        if now < 0 or seat_size[now] <= k or (person >= units and home_left[person - units] == 0):
            continue
        shows = ~missing[person]
        extra[found] = _cost(mask & shows, weights) - _cost(seat_mask[now] & shows, weights)
        who[found] = person
        found += 1
        free += extra[found - 1] <= 0.0
        if free >= 2 * need:
            break
    total, came = 0.0, 0
    for at in np.argsort(extra[:found], kind="mergesort"):
        person = who[at]
        home = person >= units
        now = person - units if home else seat[person]
        while came < need and seat_size[now] > k and (not home or home_left[now] > 0):
            guests[came] = person
            came += 1
            seat_size[now] -= 1
            total += extra[at]
            if not home:
                break
            home_left[now] -= 1
        if came == need:
            break
    # Nobody has moved yet: this was only a question.
    for at in range(came):
        person = guests[at]
        if person >= units:
            home_left[person - units] += 1
            seat_size[person - units] += 1
        else:
            seat_size[seat[person]] += 1
    return total, came


@njit(cache=True)
def settle(
    k: int,
    cap: float,
    weights: Float64,
    missing: Int64,
    mask: Int64,
    shown: Int64,
    known: Int64,
    start: Int64,
    member: Int64,
    seat: Int64,
    home_left: Int64,
    seat_shown: Int64,
    seat_mask: Int64,
    seat_size: Int64,
    seats: int,
    moved_from: Int64,
    moved_to: Int64,
    moved: int,
) -> tuple[int, int]:
    """Fill seats, the fewest cells per settled record first, until none is left at or below the cap.

    `mask`, `shown` and `known` describe the offers (`known`: the seat that exists already, or -1); offer
    s may be taken by member[start[s]:start[s + 1]], units by number and then classes of k. Changes the
    seating in place; gives the number of seats and of moves.
    """
    units = len(seat)
    offers = len(mask)
    guests = np.empty(k, np.int64)
    waiting = np.zeros(offers, np.int64)
    price = np.zeros(offers, np.float64)
    back_start = np.zeros(units + 1, np.int64)
    for s in range(offers):
        for at in range(start[s], start[s + 1]):
            i = member[at]
            if i < units and seat[i] < 0:
                back_start[i + 1] += 1
                waiting[s] += 1
                price[s] += _cost(mask[s] & ~missing[i], weights)
    back_start = np.cumsum(back_start)
    back, fill = np.empty(back_start[-1], np.int64), back_start[:-1].copy()
    for s in range(offers):
        for at in range(start[s], start[s + 1]):
            i = member[at]
            if i < units and seat[i] < 0:
                back[fill[i]] = s
                fill[i] += 1

    settled = True
    while settled:  # seats filled in one round have people to spare in the next
        settled = False
        heap = [(0.0, 0, 0) for _ in range(0)]  # numba wants to see the type
        for s in range(offers):
            if waiting[s] > 0 and price[s] <= cap * waiting[s]:
                # A price that forgets the guests is too low, and is looked at again when it comes up.
                heap.append((price[s] / waiting[s], -waiting[s], s))
        heapify(heap)
        while len(heap) > 0:
            old = heappop(heap)
            s = old[2]
            if waiting[s] == 0:
                continue
            total, came = price[s], 0
            if waiting[s] < k and known[s] < 0:
                need = k - waiting[s]
                candidates = member[start[s] : start[s + 1]]
                extra, came = _ask(
                    k,
                    need,
                    mask[s],
                    weights,
                    missing,
                    candidates,
                    seat,
                    home_left,
                    seat_mask,
                    seat_size,
                    guests,
                )
                if came < need:
                    continue
                total += extra
            ratio = total / waiting[s]
            now = (ratio, -waiting[s], s)
            if ratio > cap:
                continue
            if len(heap) > 0 and now > heap[0] and now > old:
                heappush(heap, now)
                continue
            settled = True
            if known[s] < 0:
                known[s] = seats
                seat_shown[seats] = shown[s]
                seat_mask[seats] = mask[s]
                seats += 1
            for at in range(came):
                person = guests[at]
                if person >= units:
                    home_left[person - units] -= 1
                    seat_size[person - units] -= 1
                    moved_from[moved] = person - units
                    moved_to[moved] = known[s]
                    moved += 1
                else:
                    seat_size[seat[person]] -= 1
                    seat[person] = known[s]
                seat_size[known[s]] += 1
            for at in range(start[s], start[s + 1]):
                i = member[at]
                if i < units and seat[i] < 0:
                    seat[i] = known[s]
                    seat_size[known[s]] += 1
                    for there in range(back_start[i], back_start[i + 1]):
                        waiting[back[there]] -= 1
                        price[back[there]] -= _cost(mask[back[there]] & ~missing[i], weights)
    return seats, moved
