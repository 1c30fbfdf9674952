"""Make a key to sign with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.signing import make_key, public_file


@dataclass(frozen=True)
class SigningKey:
    """A new key: the file that only its owner may read, the one to give to others, and what to read out to them."""

    private: Path
    public: Path
    fingerprint: str


def audit_keygen(path: str | Path) -> SigningKey:
    """Make a key to sign with: a private file, and its public half in a file ending in .pub beside it.

    Tell people its fingerprint in a way that does not depend on the files: read it to them, or print it.

    >>> ic.audit_keygen("my.key").public.name
    'my.key.pub'
    """
    made = make_key(Path(path))
    return SigningKey(Path(path), public_file(Path(path)), made.public.fingerprint)
