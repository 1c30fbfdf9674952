"""The numba loops over packed classes: recode and count, tally what fails, count a small marginal.

Classes are packed into 64-bit words: each key has a fixed field of bits, so recoding a key rewrites its field and
leaves the others alone. One word nearly always suffices; with many wide keys there are several (first axis).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.keys.table import Int64

# Fibonacci hashing: 2^64 divided by the golden ratio spreads nearby numbers over the whole range.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def _slot_bits(rows: int) -> int:
    bits = 4
    while (1 << bits) < 2 * rows:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def roll_up_word(
    word: NDArray[Any], counts: NDArray[Any], shifts: NDArray[Any], masks: NDArray[Any],
    starts: NDArray[Any], maps: NDArray[Any],
) -> tuple[Any, Any]:  # fmt: skip
    """Recode some fields of one-word classes and count again: the new classes, in order of first sight.

    Field c is `masks[c]` bits wide at `shifts[c]`; its old code x becomes maps[starts[c] + x].
    """
    rows = len(word)
    bits = _slot_bits(rows)
    down = np.uint64(64 - bits)
    last = (1 << bits) - 1
    slots = np.full(1 << bits, -1, np.int32)
    out = np.empty(rows, np.int64)
    total = np.empty(rows, np.int64)
    number = 0
    for j in range(rows):
        key = word[j]
        for c in range(len(shifts)):
            code = (key >> shifts[c]) & masks[c]
            key ^= (code ^ maps[starts[c] + code]) << shifts[c]
        at = np.int64((np.uint64(key) * _GOLDEN) >> down)
        while True:
            index = slots[at]
            if index < 0:
                slots[at] = number
                out[number] = key
                total[number] = counts[j]
                number += 1
                break
            if out[index] == key:
                total[index] += counts[j]
                break
            at = (at + 1) & last
    return out[:number].copy(), total[:number].copy()


@njit(cache=True, nogil=True)
def roll_up_words(
    words: NDArray[Any], counts: NDArray[Any], where: NDArray[Any], shifts: NDArray[Any], masks: NDArray[Any],
    starts: NDArray[Any], maps: NDArray[Any],
) -> tuple[Any, Any]:  # fmt: skip
    """The same for classes of several words; field c lies in word `where[c]`."""
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
        for c in range(len(shifts)):
            code = (key[where[c]] >> shifts[c]) & masks[c]
            key[where[c]] ^= (code ^ maps[starts[c] + code]) << shifts[c]
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
    words: NDArray[Any], counts: NDArray[Any], failing: NDArray[Any], where: NDArray[Any], shifts: NDArray[Any],
    masks: NDArray[Any], node: NDArray[Any], extra: NDArray[Any],
) -> tuple[int, int, int, float, float, Any]:  # fmt: skip
    """What do the failing classes cost? Suppressed records, failing and kept classes, sum of f^2 over all and over
    failing classes, and for each key the sum over failing records of extra[key, level, code]: what suppression costs
    beyond the recoded cell."""
    suppressed, bad, kept = 0, 0, 0
    squares, bad_squares = 0.0, 0.0
    sums = np.zeros(len(node))
    for j in range(len(counts)):
        count = counts[j]
        if count == 0:
            continue
        squares += float(count) * count
        if not failing[j]:
            kept += 1
            continue
        bad += 1
        suppressed += count
        bad_squares += float(count) * count
        for i in range(len(node)):
            sums[i] += count * extra[i, node[i], (words[where[i], j] >> shifts[i]) & masks[i]]
    return suppressed, bad, kept, squares, bad_squares, sums


def roll_up(
    words: Int64, counts: Int64, where: Int64, shifts: Int64, masks: Int64, starts: Int64, maps: Int64
) -> tuple[Int64, Int64]:
    """Recode fields and count again, with the loop that fits the number of words."""
    if len(words) == 1:
        word, total = roll_up_word(words[0], counts, shifts, masks, starts, maps)
        return word[None, :], total
    result: tuple[Int64, Int64] = roll_up_words(words, counts, where, shifts, masks, starts, maps)
    return result
