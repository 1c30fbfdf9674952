"""What is signed after an audit was sealed: decisions of people, and files that were added later.

Each is a file of its own in `audit/signatures`: a statement that names the manifest by its hash, the key, and the
signature over both. A statement also names the ones that were there before it, so none of those can be taken away
unseen. That the last one was taken away cannot be seen: whoever signs keeps a copy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from incrowd.audit.manifest import FileEntry
from incrowd.audit.seal import sha256
from incrowd.audit.signing import PublicKey, Signer
from incrowd.errors import SecretError
from incrowd.plan import json_tree

SIGNATURES = "signatures"
SIGN_OFF, ADDITION = "sign-off", "addition"
DECISIONS = ("approve", "refuse")
#: No statement is as long as this.
MOST_BYTES = 100_000
_PREFIX = b"incrowd statement\n"  # so that no manifest can be taken for a statement


@dataclass(frozen=True)
class Statement:
    """What somebody signed: about which manifest, when, and after which other statements."""

    kind: str  # sign-off or addition
    manifest: str  # SHA-256 of the audit's manifest
    time: str
    after: tuple[str, ...]  # SHA-256 of the statements that were there
    name: str = ""  # of a sign-off: who, as what, and what was decided
    role: str = ""
    decision: str = ""
    text: str = ""
    file: FileEntry | None = None  # of an addition

    @staticmethod
    def of(content: Mapping[str, Any]) -> Statement:
        """Read it again."""
        file = content.get("file")
        found = Statement(
            **{**content, "after": tuple(content["after"]), "file": None if file is None else FileEntry(**file)}
        )
        texts = (found.kind, found.manifest, found.time, found.name, found.role, found.decision, found.text)
        if not all(isinstance(text, str) and text.replace("\n", " ").isprintable() for text in (*texts, *found.after)):
            raise TypeError  # what is shown on a terminal must not steer it
        return found

    @property
    def message(self) -> bytes:
        """The bytes that are signed."""
        return _PREFIX + json.dumps(asdict(self), sort_keys=True, separators=(",", ":")).encode()


@dataclass(frozen=True)
class Signed:
    """A file of `audit/signatures`: `problem` is empty when it holds, and says why not otherwise."""

    file: str
    problem: str
    statement: Statement | None = None
    key: PublicKey | None = None


def sign(audit: Path, manifest: bytes, statement: Mapping[str, Any], signer: Signer) -> Path:
    """Put a signed statement about a manifest into its audit; gives the file."""
    folder = audit / SIGNATURES
    folder.mkdir(mode=0o700, exist_ok=True)
    before = tuple(sorted(sha256(path.read_bytes()) for path in folder.iterdir() if path.is_file()))
    now = datetime.now(UTC)
    made = Statement(**{
        **statement, "manifest": sha256(manifest), "time": now.isoformat(timespec="seconds"), "after": before,
    })  # fmt: skip
    signature = signer.sign(made.message)
    if signature is None:
        raise SecretError("S008", "there is no private key to sign with.", "Name one with --key.")
    content = {"statement": asdict(made), "public_key": signer.public.pem, "signature": signature.hex()}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    path = folder / f"{len(before) + 1:03}-{sha256(text.encode())[:8]}.json"
    with path.open("x", encoding="utf-8") as out:
        out.write(text)
    return path


def read_signatures(audit: Path, manifest: bytes) -> list[Signed]:
    """Every statement beside a manifest, each checked: is it whole, about this manifest, and signed by its key?"""
    folder = audit / SIGNATURES
    if folder.is_symlink() or not folder.is_dir():
        return []
    files = sorted(folder.rglob("*"))
    there = {sha256(path.read_bytes()) for path in files if path.is_file()}
    return [_check(path, folder, sha256(manifest), there) for path in files]


def _check(path: Path, folder: Path, manifest: str, there: set[str]) -> Signed:
    name = f"{SIGNATURES}/{path.relative_to(folder).as_posix()}"
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return Signed(name, "it is no statement")
        content = json_tree(path.read_bytes())
        statement, signature = Statement.of(content["statement"]), bytes.fromhex(content["signature"])
        key = PublicKey.parse(content["public_key"], name)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SecretError):
        return Signed(name, "it is no statement")
    if set(content) != {"statement", "public_key", "signature"} or not key.verifies(signature, statement.message):
        return Signed(name, "its signature does not fit")
    if statement.manifest != manifest:
        return Signed(name, "it is about another audit", statement, key)
    if not set(statement.after) <= there:
        return Signed(name, "a statement that was there before it is gone or changed", statement, key)
    return Signed(name, "", statement, key)
