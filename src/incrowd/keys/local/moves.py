"""The larger changes a pool of classes tries: dissolve one, split one, swap two records."""

from __future__ import annotations

import numpy as np
from numba import njit

from incrowd.keys.local.labels import Columns, joined, joined_below, widen
from incrowd.keys.local.paths import Floats
from incrowd.keys.table import Int32, Int64

#: Below this a change is rounding, not gain.
LEAST_GAIN = 1e-9


@njit(cache=True)
def cheapest(
    codes: Int32,
    losses: Floats,
    member: Int64,
    count: Int64,
    size: Int64,
    loss: Floats,
    label: Columns,
    atom: int,
    weight: int,
    leave: int,
    most: float,
) -> tuple[int, float]:
    """The class, other than `leave`, that takes in a record at the lowest cost, if below `most`."""
    target, best = -1, most
    for t in range(len(count)):
        if t != leave and count[t] > 0 and weight * loss[t] < best:
            worth = (best + size[t] * loss[t]) / (size[t] + weight)
            value = joined_below(codes, losses, member[t, 0], label[t], atom, worth)
            cost = (size[t] + weight) * value - size[t] * loss[t]
            if cost < best:
                target, best = t, cost
    return target, best


@njit(cache=True)
def dissolve(
    codes: Int32,
    losses: Floats,
    at: Int64,
    k: int,
    atoms: Int64,
    weights: Int64,
    home: Int64,
    j: int,
    member: Int64,
    place: Int64,
    count: Int64,
    size: Int64,
    loss: Floats,
    label: Columns,
) -> bool:
    """Dissolve class j into the others, or around one of its records, if that seems to help; writes `home`.

    The estimate treats the records one by one; the caller counts again and takes it back where it was wrong.
    """
    whole = size[j] * loss[j]
    number, m = count[j], len(atoms)
    away, cost_away = np.empty(number, np.int64), np.empty(number)
    total = 0.0
    for q in range(number):
        w = weights[place[j, q]]
        away[q], cost_away[q] = cheapest(codes, losses, member, count, size, loss, label, member[j, q], w, j, whole)
        total += cost_away[q]
    best, seed = whole - LEAST_GAIN, -2
    if total < best:
        best, seed = total, -1
    chosen, stay = np.zeros(m, np.bool_), np.zeros(m, np.bool_)
    taken, own = np.zeros(len(count), np.int64), np.empty(label.shape[1], np.int32)
    for s in range(number):
        chosen[:], taken[:] = False, 0
        lead, first = member[j, s], place[j, s]
        chosen[first] = True
        for i in range(len(own)):
            own[i] = at[i]
        mass, here, refund = weights[first], 0.0, 0.0
        while mass < k:
            least, pick, pick_loss = np.inf, -1, 0.0
            for a in range(m):
                t = home[a]
                if chosen[a] or (t != j and size[t] - taken[t] - weights[a] < k):
                    continue
                worth = (least + mass * here + weights[a] * loss[t]) / (mass + weights[a])
                value = joined_below(codes, losses, lead, own, atoms[a], worth)
                rise = (mass + weights[a]) * value - mass * here - weights[a] * loss[t]
                if rise < least:
                    least, pick, pick_loss = rise, a, value
            if pick < 0:
                break
            widen(codes, losses, lead, own, atoms[pick])
            chosen[pick] = True
            mass, here = mass + weights[pick], pick_loss
            if home[pick] != j:
                taken[home[pick]] += weights[pick]
                refund += weights[pick] * loss[home[pick]]
            if mass * here - refund >= best:
                break
        if mass < k:
            continue
        total = mass * here - refund
        for q in range(number):
            a = place[j, q]
            if not chosen[a]:
                value = joined(codes, losses, lead, own, member[j, q])
                join = (mass + weights[a]) * value - mass * here
                if join <= cost_away[q] or away[q] < 0:
                    chosen[a] = True
                    mass, here = mass + weights[a], widen(codes, losses, lead, own, member[j, q])
                    total += join
                else:
                    total += cost_away[q]
        if total < best:
            best, seed = total, s
            stay[:] = chosen
    if seed == -2:
        return False
    for q in range(number):
        if not stay[place[j, q]]:
            home[place[j, q]] = away[q]
    for a in range(m):
        if stay[a]:
            home[a] = j
    return True


@njit(cache=True)
def found(
    codes: Int32,
    losses: Floats,
    at: Int64,
    k: int,
    atoms: Int64,
    weights: Int64,
    home: Int64,
    j: int,
    empty: int,
    place: Int64,
    count: Int64,
    size: Int64,
    loss: Floats,
    rest_loss: Floats,
) -> bool:
    """Let one record leave class j and gather a class of its own from donors, if that helps; writes `home`."""
    chosen, own = np.zeros(len(atoms), np.bool_), np.empty(len(at) - 1, np.int32)
    taken = np.zeros(len(count), np.int64)
    for q in range(count[j]):
        first = place[j, q]
        lead, mass, here = atoms[first], weights[first], 0.0
        if size[j] - mass < k:
            continue
        budget = size[j] * loss[j] - (size[j] - mass) * rest_loss[j, q] - LEAST_GAIN
        chosen[:], taken[:] = False, 0
        chosen[first] = True
        own[:] = at[:-1]
        refund = 0.0
        while mass < k and mass * here - refund < budget:
            least, pick = np.inf, -1
            for a in range(len(atoms)):
                t = home[a]
                if chosen[a] or t == j or size[t] - taken[t] - weights[a] < k:
                    continue
                worth = (least + mass * here + weights[a] * loss[t]) / (mass + weights[a])
                value = joined_below(codes, losses, lead, own, atoms[a], worth)
                rise = (mass + weights[a]) * value - mass * here - weights[a] * loss[t]
                if rise < least:
                    least, pick = rise, a
            if pick < 0:
                break
            here = widen(codes, losses, lead, own, atoms[pick])
            mass += weights[pick]
            refund += weights[pick] * loss[home[pick]]
            taken[home[pick]] += weights[pick]
            chosen[pick] = True
        if mass >= k and mass * here - refund < budget:
            home[chosen] = empty
            return True
    return False


@njit(cache=True)
def split(
    codes: Int32,
    losses: Floats,
    at: Int64,
    k: int,
    weights: Int64,
    home: Int64,
    j: int,
    empty: int,
    member: Int64,
    place: Int64,
    count: Int64,
    size: Int64,
    loss: Floats,
) -> bool:
    """Split class j in two if that helps; the second half goes to the class `empty`. Writes `home`.

    Members are put in order by whether they are nearer to one or the other of two far apart members, and cut
    where it costs least.
    """
    number, keys = count[j], len(at) - 1
    leaf = np.empty(keys, np.int32)
    one, two = 0, 0
    for turn in range(2):
        farthest, found = -1.0, 0
        for q in range(number):
            leaf[:] = at[:-1]
            far = joined(codes, losses, member[j, one], leaf, member[j, q])
            if far > farthest:
                farthest, found = far, q
        if turn == 0:
            one = found
        else:
            two = found
    if one == two:
        return False
    side = np.empty(number)
    for q in range(number):
        leaf[:] = at[:-1]
        side[q] = joined(codes, losses, member[j, one], leaf, member[j, q])
        leaf[:] = at[:-1]
        side[q] -= joined(codes, losses, member[j, two], leaf, member[j, q])
    order = np.argsort(side, kind="mergesort")
    left = np.empty(number)
    leaf[:] = at[:-1]
    for q in range(number):
        left[q] = widen(codes, losses, member[j, order[0]], leaf, member[j, order[q]])
    best, cut, right, mass = size[j] * loss[j] - LEAST_GAIN, -1, 0.0, 0
    leaf[:] = at[:-1]
    for q in range(number - 1, 0, -1):
        right = widen(codes, losses, member[j, order[number - 1]], leaf, member[j, order[q]])
        mass += weights[place[j, order[q]]]
        cost = (size[j] - mass) * left[q - 1] + mass * right
        if mass >= k and size[j] - mass >= k and cost < best:
            best, cut = cost, q
    if cut < 0:
        return False
    for q in range(cut, number):
        home[place[j, order[q]]] = empty
    return True


@njit(cache=True)
def swap(
    codes: Int32,
    losses: Floats,
    k: int,
    weights: Int64,
    home: Int64,
    j: int,
    t: int,
    member: Int64,
    place: Int64,
    count: Int64,
    size: Int64,
    loss: Floats,
    rest_loss: Floats,
    rest_label: Columns,
) -> bool:
    """Swap the two records of classes j and t whose swap saves most, if any does; writes `home`."""
    if count[j] < 2 or count[t] < 2:
        return False
    best, mine, yours = LEAST_GAIN, -1, -1
    now = size[j] * loss[j] + size[t] * loss[t]
    for q in range(count[j]):
        for s in range(count[t]):
            a, b = weights[place[j, q]], weights[place[t, s]]
            size_j, size_t = size[j] - a + b, size[t] - b + a
            if size_j < k or size_t < k or now - size_j * rest_loss[j, q] - size_t * rest_loss[t, s] <= best:
                continue
            lead = member[j, 1] if q == 0 else member[j, 0]
            gain = now - size_j * joined(codes, losses, lead, rest_label[j, q], member[t, s])
            if gain - size_t * rest_loss[t, s] <= best:
                continue
            lead = member[t, 1] if s == 0 else member[t, 0]
            gain -= size_t * joined(codes, losses, lead, rest_label[t, s], member[j, q])
            if gain > best:
                best, mine, yours = gain, place[j, q], place[t, s]
    if mine < 0:
        return False
    home[mine], home[yours] = t, j
    return True
