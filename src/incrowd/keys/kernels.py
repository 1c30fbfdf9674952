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
def recode_word(
    word: NDArray[Any], counts: NDArray[Any], changed: NDArray[Any], node: NDArray[Any], shifts: NDArray[Any],
    masks: NDArray[Any], maps: NDArray[Any], k: int, allowed: int, slots: NDArray[Any], out: NDArray[Any],
    total: NDArray[Any],
) -> int:  # fmt: skip
    """Recode some keys of one-word classes and count again, into `out` and `total`, in order of first sight.

    Code x of key i becomes maps[i, node[i], x]. Rows must come in blocks that share all fields above the changed ones. Only rows of one block can fall together, so each block gets its own small hash table, which stays in the
    cache, and at its end its classes are complete. Gives the number of new classes, or -1 as soon as more than
    `allowed` records are in classes below k. `slots`, `out` and `total` are scratch, of at least 4 and 1 times the
    rows: fresh memory for each call would cost as much as the counting.
    """
    rows = len(word)
    lower = 0
    for i in changed:
        lower = max(lower, (masks[i] << shifts[i]) | ((1 << shifts[i]) - 1))
    higher = ~lower
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
            for i in changed:
                code = (key >> shifts[i]) & masks[i]
                key ^= (code ^ maps[i, node[i], code]) << shifts[i]
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
