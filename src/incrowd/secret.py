"""The secret: 256 bits that pseudonyms and every random choice are derived from.

It comes from the environment (INCROWD_SECRET, 64 hexadecimal digits) or from a file that is created with mode 600.
It never travels in a plan, a log, a report or a query: functions carry what is derived from it in their closure.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from incrowd.errors import SecretError
from incrowd.keys.siphash import KEY_BYTES, hash_records, hash_texts

VARIABLE = "INCROWD_SECRET"
FILE = "incrowd.secret"
BYTES = 32
#: The type of a number that orders records.
ORDER = pa.decimal128(38, 0)


@dataclass(frozen=True)
class Secret:
    """The secret bytes; `repr` does not show them."""

    material: bytes = field(repr=False)

    @property
    def weakness(self) -> str | None:
        """Why nobody should trust it, or None. A short secret can be guessed, and with it who was chosen."""
        if len(self.material) < BYTES:
            return f"it has {8 * len(self.material)} bits where {8 * BYTES} are needed"
        if len(set(self.material)) < 8:
            return "it is hardly random: most of its bytes are the same"
        return None

    def subkey(self, *purpose: str) -> bytes:
        """A key of its own for each release, tier and step (HKDF with SHA3-256, RFC 5869)."""
        extracted = hmac.digest(b"incrowd", self.material, "sha3_256")
        info = b"".join(f"{len(part)}:{part}".encode() for part in purpose)
        return hmac.digest(extracted, info + b"\x01", "sha3_256")


def find_secret(folder: Path) -> Secret:
    """The secret of the environment, or of the file in `folder`, which is made when there is none."""
    text = os.environ.get(VARIABLE)
    if text is not None:
        return Secret(_bytes(text, f"the environment variable {VARIABLE}"))
    path = folder / FILE
    if not _is_there(path):
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise SecretError("S001", f"no secret can be written to {path} ({error.strerror}).") from None
        _fill(handle, path)
    try:
        if not path.is_file():  # a pipe would be waited for
            raise SecretError("D281", f"the secret in {path} cannot be read: it is no file.", "Put the secret back.")
        if path.stat().st_mode & 0o077:
            raise SecretError("S002", f"others can read the secret in {path}.", f"Run: chmod 600 {path}")
        return Secret(_bytes(path.read_text(encoding="ascii", errors="replace"), str(path)))
    except OSError as error:
        hint = "Only its owner can: run as the owner, or put the secret back."
        raise SecretError("D281", f"the secret in {path} cannot be read ({error.strerror}).", hint) from None


def project_secret(folder: Path, out: Path | None = None) -> Secret:
    """The one secret of a project, so that whatever works on its plan draws the same: it lies beside the plan.

    Where an earlier run put one to its results (`out`), that one goes on, and so it does where nobody may write beside
    the plan.
    """
    if VARIABLE in os.environ or out is None:
        return find_secret(folder)
    elsewhere = _is_there(out / FILE) or not (_is_there(folder / FILE) or os.access(folder, os.W_OK))
    return find_secret(out if elsewhere else folder)


def new_secret() -> Secret:
    """One that is stored nowhere, for work whose result is thrown away."""
    return Secret(secrets.token_bytes(BYTES))


def secret_to_try(folder: Path) -> Secret:
    """The project's, for work whose result is thrown away; where it cannot be written, one that is stored nowhere."""
    try:
        return find_secret(folder)
    except SecretError as error:
        if error.code != "S001":
            raise
        return new_secret()


def _is_there(path: Path) -> bool:
    """Whether something has this name, also where nobody may look at it."""
    try:
        return os.path.lexists(path) or path.exists()
    except OSError:
        return True


def _fill(handle: int, path: Path) -> None:
    """A new secret in a new file, or no file: half of one would be found the next time."""
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(BYTES) + "\n")
    except OSError as error:
        path.unlink(missing_ok=True)
        raise SecretError("S001", f"no secret can be written to {path} ({error.strerror}).") from None


def _bytes(text: str, place: str) -> bytes:
    try:
        return bytes.fromhex(text.strip())
    except ValueError:
        raise SecretError(
            "S003", f"{place} does not hold hexadecimal digits.", "Make one: openssl rand -hex 32"
        ) from None


def order_numbers(subkey: bytes) -> Callable[[pa.Array], pa.Array]:
    """A function from encoded records to numbers that nobody without the key can foresee: an order for the rows.

    SipHash-2-4 under the first 128 bits of the subkey.
    """
    key = subkey[:KEY_BYTES]

    def numbers(records: pa.Array | pa.ChunkedArray) -> pa.Array:
        records = _text(records)
        if not len(records):
            return pa.array([], pa.int64())
        _, ends, data = records.buffers()
        places = np.frombuffer(ends, np.int32)[records.offset : records.offset + len(records) + 1]
        return pa.array(hash_texts(np.frombuffer(data, np.uint8), places, key))

    return numbers


def order_records(subkey: bytes) -> Callable[..., pa.Array]:
    """A function from columns of texts to numbers of 126 bits, one for each record: an order without ties.

    SipHash-2-4 with 128 bits, two of which a decimal of 38 digits has no room for. Among a billion different records
    two have the same number with a chance of 2^-67.
    """
    key = subkey[:KEY_BYTES]

    def numbers(*columns: pa.Array | pa.ChunkedArray) -> pa.Array:
        texts = [_text(column) for column in columns]
        size = len(texts[0])
        if not size:
            return pa.array([], ORDER)
        begins, lengths = np.empty((len(texts), size), np.int64), np.empty((len(texts), size), np.int64)
        parts, used = [], 0
        for begin, length, column in zip(begins, lengths, texts, strict=True):
            _, ends, data = column.buffers()
            places = np.frombuffer(ends, np.int32)[column.offset : column.offset + size + 1]
            part = np.frombuffer(data, np.uint8)[places[0] : places[-1]] if data else np.zeros(0, np.uint8)
            np.add(places[:-1], used - int(places[0]), out=begin)
            np.subtract(places[1:], places[:-1], out=length)
            if column.null_count:
                length[column.is_null().to_numpy(zero_copy_only=False)] = -1
            parts.append(part)
            used += len(part)
        found = hash_records(np.concatenate(parts), begins, lengths, key)
        found[:, 1] >>= np.uint64(2)
        return pa.Array.from_buffers(ORDER, size, [None, pa.py_buffer(found)])

    return numbers


def _text(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole if pa.types.is_string(whole.type) else whole.cast(pa.string())


def draw_numbers(subkey: bytes) -> Callable[[pa.Array], pa.Array]:
    """The same for a choice by chance: 53 bits of the number, so whole numbers from 0 up to below 2^53."""
    numbers = order_numbers(subkey)

    def draws(records: pa.Array) -> pa.Array:
        bits = numbers(records).to_numpy(zero_copy_only=False).view(np.uint64) >> np.uint64(11)
        return pa.array(bits.astype(np.int64))

    return draws


def pseudonyms(subkey: bytes, fields: int) -> Callable[[pa.Array], pa.Array]:
    """A function from encoded identifiers to pseudonyms: HMAC-SHA3-256 in hexadecimal.

    The fields are delimited by their lengths, so ('ab', 'c') and ('a', 'bc') differ. A record without any of the
    identifiers gets no pseudonym: two unknown people are not one.
    """
    nothing = "-" * fields

    def names(records: pa.Array) -> pa.Array:
        texts = records.to_pylist()
        made = ["" if text == nothing else hmac.digest(subkey, text.encode(), "sha3_256").hex() for text in texts]
        return pa.array(made, pa.string())

    return names
