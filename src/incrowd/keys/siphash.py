"""SipHash-2-4 with 64 bits or 128: a keyed hash that nobody can foresee without its 128-bit key, quick on short texts.

A pseudorandom function for many millions of records. BLAKE2b would do, but Python calls it once for each record, which
takes as long as everything else together. Jean-Philippe Aumasson and Daniel J. Bernstein (2012), "SipHash: a fast
short-input PRF", INDOCRYPT. Checked against the vectors its authors publish (tests/keys/test_siphash.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

KEY_BYTES = 16


def hash_texts(data: NDArray[np.uint8], ends: NDArray[np.int32], key: bytes) -> NDArray[np.int64]:
    """A number for each text. Text i is the bytes from ends[i] up to ends[i + 1], as Arrow stores texts.

    >>> data = np.arange(15, dtype=np.uint8)  # the example of the paper, appendix A
    >>> [hex(n) for n in hash_texts(data, np.array([0, 15], np.int32), bytes(range(16))).view(np.uint64).tolist()]
    ['0xa129ca6149be45e5']
    """
    if len(key) != KEY_BYTES:
        raise ValueError(f"SipHash takes a key of {KEY_BYTES} bytes")
    first, second = np.frombuffer(key, "<u8")
    numbers: NDArray[np.uint64] = _hash(data, ends, np.uint64(first), np.uint64(second))
    return numbers.view(np.int64)


def hash_records(
    data: NDArray[np.uint8], begins: NDArray[np.int64], lengths: NDArray[np.int64], key: bytes
) -> NDArray[np.uint64]:
    """Two numbers, 128 bits together, for each record of several texts, without putting its texts together first.

    Text j of record i is the lengths[j, i] bytes from begins[j, i] on; a length below 0 is a missing text. Hashed
    is each text behind its length in four bytes, so no two different records are the same message.
    """
    if len(key) != KEY_BYTES:
        raise ValueError(f"SipHash takes a key of {KEY_BYTES} bytes")
    first, second = np.frombuffer(key, "<u8")
    numbers: NDArray[np.uint64] = _hash_records(data, begins, lengths, np.uint64(first), np.uint64(second))
    return numbers


@njit(cache=True, nogil=True, inline="always")
def _turn(number: Any, bits: int) -> Any:
    return (number << np.uint64(bits)) | (number >> np.uint64(64 - bits))


@njit(cache=True, nogil=True, inline="always")
def _round(a: Any, b: Any, c: Any, d: Any) -> Any:
    a += b
    b = _turn(b, 13) ^ a
    a = _turn(a, 32)
    c += d
    d = _turn(d, 16) ^ c
    a += d
    d = _turn(d, 21) ^ a
    c += b
    b = _turn(b, 17) ^ c
    c = _turn(c, 32)
    return a, b, c, d


@njit(cache=True, nogil=True)
def _hash(data: NDArray[Any], ends: NDArray[Any], first: Any, second: Any) -> Any:
    numbers = np.empty(max(len(ends) - 1, 0), np.uint64)
    for i in range(len(numbers)):
        begin, end = np.int64(ends[i]), np.int64(ends[i + 1])
        a, b = first ^ np.uint64(0x736F6D6570736575), second ^ np.uint64(0x646F72616E646F6D)
        c, d = first ^ np.uint64(0x6C7967656E657261), second ^ np.uint64(0x7465646279746573)
        whole = begin + (end - begin) // 8 * 8
        for at in range(begin, whole, 8):
            # Eight bytes, the lowest first. Written out, the compiler makes one load of them.
            word = np.uint64(data[at]) | np.uint64(data[at + 1]) << np.uint64(8)
            word |= np.uint64(data[at + 2]) << np.uint64(16) | np.uint64(data[at + 3]) << np.uint64(24)
            word |= np.uint64(data[at + 4]) << np.uint64(32) | np.uint64(data[at + 5]) << np.uint64(40)
            word |= np.uint64(data[at + 6]) << np.uint64(48) | np.uint64(data[at + 7]) << np.uint64(56)
            d ^= word
            a, b, c, d = _round(a, b, c, d)
            a, b, c, d = _round(a, b, c, d)
            a ^= word
        # The last word has what is left, and the length in its highest byte.
        word = np.uint64((end - begin) & 0xFF) << np.uint64(56)
        for at in range(whole, end):
            word |= np.uint64(data[at]) << np.uint64(8 * (at - whole))
        d ^= word
        a, b, c, d = _round(a, b, c, d)
        a, b, c, d = _round(a, b, c, d)
        a ^= word
        c ^= np.uint64(0xFF)
        for _ in range(4):
            a, b, c, d = _round(a, b, c, d)
        numbers[i] = a ^ b ^ c ^ d
    return numbers


@njit(cache=True, nogil=True)
def _hash_records(data: NDArray[Any], begins: NDArray[Any], lengths: NDArray[Any], first: Any, second: Any) -> Any:
    texts, records = begins.shape
    numbers = np.empty((records, 2), np.uint64)
    for i in range(records):
        a, b = first ^ np.uint64(0x736F6D6570736575), second ^ np.uint64(0x646F72616E646F6D) ^ np.uint64(0xEE)
        c, d = first ^ np.uint64(0x6C7967656E657261), second ^ np.uint64(0x7465646279746573)
        word, filled, total = np.uint64(0), 0, 0
        for j in range(texts):
            length = lengths[j, i]
            head = np.uint64(length & 0xFFFFFFFF)
            begin = begins[j, i]
            for at in range(-4, max(length, 0)):
                byte = (head >> np.uint64(8 * (at + 4))) & np.uint64(0xFF) if at < 0 else np.uint64(data[begin + at])
                word |= byte << np.uint64(8 * filled)
                filled += 1
                if filled == 8:
                    d ^= word
                    a, b, c, d = _round(a, b, c, d)
                    a, b, c, d = _round(a, b, c, d)
                    a ^= word
                    word, filled = np.uint64(0), 0
            total += 4 + max(length, 0)
        word |= np.uint64(total & 0xFF) << np.uint64(56)
        d ^= word
        a, b, c, d = _round(a, b, c, d)
        a, b, c, d = _round(a, b, c, d)
        a ^= word
        c ^= np.uint64(0xEE)
        for _ in range(4):
            a, b, c, d = _round(a, b, c, d)
        numbers[i, 0] = a ^ b ^ c ^ d
        b ^= np.uint64(0xDD)
        for _ in range(4):
            a, b, c, d = _round(a, b, c, d)
        numbers[i, 1] = a ^ b ^ c ^ d
    return numbers
