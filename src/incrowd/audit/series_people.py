"""The people of a release, kept so that the next one of its series knows them again: keyed digests, never a name."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from incrowd.audit.manifest import FileEntry, entry_of
from incrowd.secret import Secret

#: Keyed digests of the people of a release, one for each of its records, in their order. Stays in the audit.
PEOPLE = "people.parquet"


def digest_people(texts: Sequence[Sequence[str | None]], secret: Secret) -> pa.Array:
    """Keyed digests of the people behind records, from the columns that name them; null where a column is missing.

    Who has no secret can neither test guesses nor tell whether two audits are about the same people.
    """
    key = secret.subkey("series", "people")
    known: dict[tuple[str | None, ...], bytes | None] = {}
    for names in zip(*texts, strict=True):
        if names not in known:
            whole = "".join(f"{len(name)}:{name}" for name in names if name)
            known[names] = hmac.digest(key, whole.encode(), "sha3_256")[:16] if all(names) else None
    return pa.array([known[names] for names in zip(*texts, strict=True)], pa.binary())


def which_secret(secret: Secret) -> str:
    """By what one can tell that two runs had the same secret, and nothing else of it."""
    return secret.subkey("series", "which secret").hex()[:16]


def write_people(audit: Path, digests: pa.Array) -> FileEntry:
    """Keep the digests of the released people in the audit."""
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"person": digests}), sink, compression="none")
    content = sink.getvalue().to_pybytes()
    (audit / PEOPLE).write_bytes(content)
    return entry_of(PEOPLE, content)


def read_people(audit: Path) -> pa.Array | None:
    """The digests of an earlier release's people, or None where its audit keeps none."""
    path = audit / PEOPLE
    if not path.is_file():
        return None
    found = pq.read_table(path)["person"].combine_chunks()
    return found if isinstance(found, pa.Array) else pa.concat_arrays(found.chunks)
