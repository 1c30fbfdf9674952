"""Signing keys (Ed25519): who vouches for an audit and a release, and by which key can others check it?

The key of a folder of runs lies beside the secret, in `incrowd.signing` (mode 600, made on first use), or comes from
INCROWD_SIGNING_KEY. It is no part of the secret, so that it can be given to somebody who must not make releases. Keys
are PEM, so that OpenSSL reads them too; 64 hexadecimal digits, the seed of a key, are read as well.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from incrowd.errors import SecretError

VARIABLE = "INCROWD_SIGNING_KEY"
FILE = "incrowd.signing"
ENDING = ".pub"


@dataclass(frozen=True)
class PublicKey:
    """The half of a key that anybody may have: with it a signature is checked."""

    raw: bytes

    @property
    def pem(self) -> str:
        """As OpenSSL reads it."""
        key = Ed25519PublicKey.from_public_bytes(self.raw)
        return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()

    @property
    def fingerprint(self) -> str:
        """What people compare: the SHA-256 of the key as DER (openssl pkey -pubin -outform DER | sha256sum)."""
        key = Ed25519PublicKey.from_public_bytes(self.raw)
        return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Did the owner of this key sign these bytes?"""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True

    @staticmethod
    def parse(text: str, place: str) -> PublicKey:
        """Read the PEM text of a public key."""
        try:
            key = load_pem_public_key(text.encode())
        except (ValueError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PublicKey):
            hint = "Name the .pub file that was made with the key: incrowd audit keygen."
            raise SecretError("S007", f"{place} holds no public key for signatures (Ed25519, PEM).", hint)
        return PublicKey(key.public_bytes(Encoding.Raw, PublicFormat.Raw))


@dataclass(frozen=True)
class Signer:
    """Who signs. Without the private half nothing is signed, and only the name of the key is known: a release that is
    made again is compared, not vouched for.
    """

    public: PublicKey
    private: Ed25519PrivateKey | None = field(default=None, repr=False)

    def sign(self, message: bytes) -> bytes | None:
        """The signature of these bytes: 64 bytes, always the same ones for the same key and message (RFC 8032)."""
        return None if self.private is None else self.private.sign(message)


def new_signer() -> Signer:
    """A new key, from the random source of the operating system."""
    return _signer(Ed25519PrivateKey.generate())


def find_signer(folder: Path) -> Signer:
    """The key of the environment, or of the file in `folder`, which is made when there is none."""
    found = given_signer(folder)
    if found is not None:
        return found
    try:
        return make_key(folder / FILE)
    except SecretError as error:
        if error.code != "S009":
            raise
        return read_key(folder / FILE)  # another run was quicker


def given_signer(folder: Path) -> Signer | None:
    """The key of the environment, or of the file in `folder`; None where there is none."""
    text = os.environ.get(VARIABLE)
    if text is not None:
        return _signer(_private(text, f"the environment variable {VARIABLE}"))
    return read_key(folder / FILE) if (folder / FILE).exists() else None


def signer_here(home: Path | None) -> Signer | None:
    """The key at hand for the runs of a folder: of the environment, of the folder, or of the one above."""
    if home is None:
        text = os.environ.get(VARIABLE)
        return None if text is None else _signer(_private(text, f"the environment variable {VARIABLE}"))
    return given_signer(home) or given_signer(home.parent)


def make_key(path: Path) -> Signer:
    """A new key in a file that only its owner may read, and its public half beside it, in a file ending in .pub."""
    signer = new_signer()
    assert signer.private is not None
    text = signer.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    whole = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    try:
        handle = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.link(whole, path)  # it appears whole, or not at all where another one is
        public_file(path).write_text(signer.public.pem)
    except FileExistsError:
        message = f"there is something at {path} already."
        raise SecretError("S009", message, "Nothing is overwritten: move it.") from None
    except OSError as error:
        raise SecretError("S004", f"no signing key can be written to {path} ({error.strerror}).") from None
    finally:
        whole.unlink(missing_ok=True)
    return signer


def read_key(path: Path) -> Signer:
    """The private key of a file, which others must not be able to read."""
    try:
        if path.stat().st_mode & 0o077:
            raise SecretError("S005", f"others can read the signing key in {path}.", f"Run: chmod 600 {path}")
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        hint = "Make one: incrowd audit keygen."
        raise SecretError("S008", f"there is no signing key to read at {path} ({error.strerror}).", hint) from None
    return _signer(_private(text, str(path)))


def read_public(path: Path) -> PublicKey:
    """The public key of a file."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise SecretError("S007", f"there is no public key to read at {path} ({error.strerror}).") from None
    return PublicKey.parse(text, str(path))


def public_file(path: Path) -> Path:
    """Where the public half of a key lies: beside it."""
    return path.with_name(path.name + ENDING)


def leave_public(folder: Path, key: PublicKey) -> None:
    """Put the public half beside the runs that were signed with it, for those who check them there."""
    path = public_file(folder / FILE)
    if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != key.pem:
        path.write_text(key.pem)


def known_here(home: Path | None) -> tuple[PublicKey, ...]:
    """Whose signatures are known in a folder of runs: the keys at hand, and no others.

    A public half that lies beside the runs can be put there by anybody who can write there, or come with a copy: who
    has no private key names the public one that they were given. Files of tiers lie one folder below the key.
    """
    given = [signer.public] if (signer := signer_here(None)) is not None else []
    if home is not None:
        given += [read_key(place / FILE).public for place in (home, home.parent) if (place / FILE).exists()]
    return tuple(dict.fromkeys(given))


def _signer(private: Ed25519PrivateKey) -> Signer:
    return Signer(PublicKey(private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)), private)


def _private(text: str, place: str) -> Ed25519PrivateKey:
    found: object = None
    try:
        if text.lstrip().startswith("-----BEGIN"):
            found = load_pem_private_key(text.encode(), None)
        else:
            found = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(text.strip()))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if not isinstance(found, Ed25519PrivateKey):
        message = f"{place} does not hold a signing key (Ed25519, PEM without a password, or 64 hexadecimal digits)."
        raise SecretError("S006", message, "Make one: incrowd audit keygen.")
    return found
