"""The numba loops over packed classes: recode and count, tally what fails, count a small marginal.

Classes are packed into 64-bit words: each key has a fixed field of bits, so recoding a key rewrites its field and
leaves the others alone. One word nearly always suffices; with many wide keys there are several (first axis).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

# Fibonacci hashing: 2^64 divided by the golden ratio spreads nearby numbers over the whole range.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _slot_bits(rows: int) -> int:
    bits = 2
    while (1 << bits) < 2 * rows:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def _changes(
    changed: NDArray[Any], node: NDArray[Any], shifts: NDArray[Any], masks: NDArray[Any], maps: NDArray[Any],
    rows: int,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """What to flip in a word: neighbouring fields of up to ten bits together have one table, [bits] -> bits to flip.

    `changed` must be in order of their shifts. Small inputs get small tables: filling one must not cost more than
    going over the rows.
    """
    room = 10
    while room > 1 and (1 << room) > rows:
        room -= 1
    lows, widths = np.empty(len(changed), np.int64), np.empty(len(changed), np.int64)
    owner = np.empty(len(changed), np.int64)
    number = 0
    for c, i in enumerate(changed):
        end = shifts[i]
        while (masks[i] << shifts[i]) >> end:
            end += 1
        if number == 0 or end - lows[number - 1] > room:
            lows[number] = shifts[i]
            number += 1
        widths[number - 1] = end - lows[number - 1]
        owner[c] = number - 1
    starts = np.zeros(number + 1, np.int64)
    for g in range(number):
        starts[g + 1] = starts[g] + (1 << widths[g])
    flips = np.zeros(starts[number], np.int64)
    for c, i in enumerate(changed):
        low = shifts[i] - lows[owner[c]]
        for value in range(1 << widths[owner[c]]):
            code = (value >> low) & masks[i]
            if code < maps.shape[2]:
                flips[starts[owner[c]] + value] ^= (code ^ maps[i, node[i], code]) << shifts[i]
    return lows[:number], (1 << widths[:number]) - 1, starts[:number], flips


@njit(cache=True, nogil=True)
def recode_word(
    word: NDArray[Any], counts: NDArray[Any], changed: NDArray[Any], node: NDArray[Any], shifts: NDArray[Any],
    masks: NDArray[Any], maps: NDArray[Any], k: int, allowed: int, slots: NDArray[Any], out: NDArray[Any],
    total: NDArray[Any],
) -> int:  # fmt: skip
    """Recode some keys of one-word classes and count again, into `out` and `total`, in order of first sight.

    Code x of key i becomes maps[i, node[i], x]. Rows must come in blocks that share all fields above the changed
    ones. Only rows of one block can fall together, so each block gets its own small hash table, which stays in the
    cache, and at its end its classes are complete. Gives the number of new classes, or -1 as soon as more than
    `allowed` records are in classes below k. `slots`, `out` and `total` are scratch, of at least 4 and 1 times the
    rows: fresh memory for each call would cost as much as the counting.
    """
    rows = len(word)
    lower = 0
    for i in changed:
        lower = max(lower, (masks[i] << shifts[i]) | ((1 << shifts[i]) - 1))
    higher = ~lower
    lows, spans, starts, flips = _changes(changed, node, shifts, masks, maps, rows)
    number, below, end, clean = 0, 0, 0, 0
    while end < rows:
        start, first = end, number
        block = word[start] & higher
        while end < rows and word[end] & higher == block:
            end += 1
        bits = _slot_bits(end - start)
        last = (1 << bits) - 1
        if last >= clean:
            slots[clean : last + 1] = -1
            clean = last + 1
        down = np.uint64(64 - bits)
        index = -1
        before = np.int64(-1)
        for j in range(start, end):
            key = word[j]
            for g in range(len(lows)):
                key ^= flips[starts[g] + ((key >> lows[g]) & spans[g])]
            if key == before:  # where the changed field is the lowest, most rows end here
                total[index] += counts[j]
                continue
            before = key
            at = np.int64((np.uint64(key) * _GOLDEN) >> down)
            while True:
                index = slots[at]
                if index < first:  # empty, or left from an earlier block
                    slots[at] = number
                    out[number] = key
                    total[number] = counts[j]
                    index = number
                    number += 1
                    break
                if out[index] == key:
                    total[index] += counts[j]
                    break
                at = (at + 1) & last
        if k > 0:
            for index in range(first, number):
                below += total[index] if total[index] < k else 0
            if below > allowed:
                return -1
    return number


@njit(cache=True, nogil=True)
def recode_words(
    words: NDArray[Any], counts: NDArray[Any], changed: NDArray[Any], node: NDArray[Any], where: NDArray[Any],
    shifts: NDArray[Any], masks: NDArray[Any], maps: NDArray[Any],
) -> tuple[Any, Any]:  # fmt: skip
    """The same for classes of several words; the field of key i lies in word where[i]."""
    width, rows = words.shape
    bits = _slot_bits(rows)
    down = np.uint64(64 - bits)
    last = (1 << bits) - 1
    slots = np.full(1 << bits, -1, np.int32)
    out = words.copy()
    total = np.empty(rows, np.int64)
    key = np.empty(width, np.int64)
    number = 0
    for j in range(rows):
        for w in range(width):
            key[w] = words[w, j]
        for i in changed:
            code = (key[where[i]] >> shifts[i]) & masks[i]
            key[where[i]] ^= (code ^ maps[i, node[i], code]) << shifts[i]
        mixed = np.uint64(0)
        for w in range(width):
            mixed = (mixed ^ np.uint64(key[w])) * _GOLDEN
            mixed ^= mixed >> np.uint64(29)
        at = np.int64((mixed * _GOLDEN) >> down)
        while True:
            index = slots[at]
            if index < 0:
                slots[at] = number
                for w in range(width):
                    out[w, number] = key[w]
                total[number] = counts[j]
                number += 1
                break
            same = True
            for w in range(width):
                if out[w, index] != key[w]:
                    same = False
            if same:
                total[index] += counts[j]
                break
            at = (at + 1) & last
    return out[:, :number].copy(), total[:number].copy()


@njit(cache=True, nogil=True)
def tally(
    words: NDArray[Any], counts: NDArray[Any], failing: NDArray[Any], allowed: int, where: NDArray[Any],
    shifts: NDArray[Any], masks: NDArray[Any], node: NDArray[Any], extra: NDArray[Any],
) -> tuple[int, int, int, float, float, Any]:  # fmt: skip
    """What do the failing classes cost? Suppressed records, failing and kept classes, sum of f^2 over all and over
    failing classes, and for each key the sum over failing records of extra[key, level, code]: what suppression costs
    beyond the recoded cell. These sums are left at 0 where more than `allowed` records fail."""
    suppressed, bad, kept = 0, 0, 0
    squares, bad_squares = 0.0, 0.0
    for j in range(len(counts)):
        count = counts[j]
        squared = float(count) * count
        squares += squared
        if failing[j]:
            suppressed += count
            bad_squares += squared
            bad += count > 0
        else:
            kept += count > 0
    sums = np.zeros(len(node))
    if suppressed <= allowed:
        for j in range(len(counts)):
            if failing[j]:
                for i in range(len(node)):
                    sums[i] += counts[j] * extra[i, node[i], (words[where[i], j] >> shifts[i]) & masks[i]]
    return suppressed, bad, kept, squares, bad_squares, sums
