"""The keyed hash against the vectors its authors publish, and against a plain Python version of the paper."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.keys.siphash import hash_texts
from incrowd.secret import order_numbers, order_records

# vectors_sip64 of the reference implementation (github.com/veorq/SipHash): key 00..0f, message 00, 01, ... of length i.
PUBLISHED = """
310e0edd47db6f72 fd67dc93c539f874 5a4fa9d909806c0d 2d7efbd796666785 b7877127e09427cf 8da699cd64557618
cee3fe586e46c9cb 37d1018bf50002ab 6224939a79f5f593 b0e4a90bdf82009e f3b9dd94c5bb5d7a a7ad6b22462fb3f4
fbe50e86bc8f1e75 903d84c02756ea14 eef27a8e90ca23f7 e545be4961ca29a1 db9bc2577fcc2a3f
"""
VECTORS = PUBLISHED.split()
MASK = 2**64 - 1


@pytest.mark.parametrize(("length", "digest"), list(enumerate(VECTORS)))
def test_the_published_vectors(length, digest):
    message = np.arange(length, dtype=np.uint8)
    found = hash_texts(message, np.array([0, length], np.int32), bytes(range(16)))
    assert found.tobytes().hex() == digest


def slow_siphash(message: bytes, key: bytes, wide: bool = False) -> int:
    """Figure 2.1 and section 2 of the paper, word by word; `wide` as the authors' version with 128 bits."""
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    if wide:
        v[1] ^= 0xEE

    def turn(x, bits):
        return (x << bits | x >> (64 - bits)) & MASK

    def sip_round():
        for low, high, first, second in ((0, 2, 13, 16), (2, 0, 17, 21)):
            v[low], v[high] = (v[low] + v[1]) & MASK, (v[high] + v[3]) & MASK
            v[1], v[3] = turn(v[1], first) ^ v[low], turn(v[3], second) ^ v[high]
            v[low] = turn(v[low], 32)

    padded = message + bytes(-(len(message) + 1) % 8) + bytes([len(message) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        sip_round()
        sip_round()
        v[0] ^= word
    v[2] ^= 0xEE if wide else 0xFF
    for _ in range(4):
        sip_round()
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    if not wide:
        return first
    v[1] ^= 0xDD
    for _ in range(4):
        sip_round()
    return first | (v[0] ^ v[1] ^ v[2] ^ v[3]) << 64


def test_the_plain_version_with_128_bits_gives_the_published_vectors():
    # vectors_sip128 of the reference implementation, for messages of no byte and of one.
    found = [slow_siphash(bytes(range(n)), bytes(range(16)), wide=True).to_bytes(16, "little").hex() for n in (0, 1)]
    assert found == ["a3817f04ba25a8e66df67214c7550293", "da87c1d86b99af44347659119b22fc45"]


texts = st.lists(st.one_of(st.none(), st.text(max_size=20)), min_size=3, max_size=3)


@given(st.lists(texts, min_size=1, max_size=12), st.binary(min_size=32, max_size=32), st.data())
def test_records_are_hashed_as_their_texts_behind_their_lengths(records, subkey, data):
    first = data.draw(st.integers(0, len(records) - 1))
    columns = [pa.array([record[i] for record in records], pa.string()).slice(first) for i in range(3)]
    found = order_records(subkey)(*columns).to_pylist()
    for number, record in zip(found, records[first:], strict=True):
        parts = [
            b"\xff" * 4 if text is None else len(text.encode()).to_bytes(4, "little") + text.encode() for text in record
        ]
        wanted = slow_siphash(b"".join(parts), subkey[:16], wide=True)
        assert int(number) == wanted & MASK | wanted >> 66 << 64


@given(st.lists(st.text(max_size=300), min_size=1, max_size=20), st.binary(min_size=32, max_size=32), st.data())
def test_texts_of_an_arrow_array_and_of_a_part_of_it(texts, subkey, data):
    first = data.draw(st.integers(0, len(texts) - 1))
    array = pa.array(texts, pa.string()).slice(first)
    numbers = order_numbers(subkey)(array).to_numpy().view(np.uint64).tolist()
    assert numbers == [slow_siphash(text.encode(), subkey[:16]) for text in texts[first:]]


def test_no_records_have_no_numbers():
    assert len(order_numbers(bytes(32))(pa.array([], pa.string()))) == 0
    assert len(order_numbers(bytes(32))(pa.chunked_array([], pa.string()))) == 0
