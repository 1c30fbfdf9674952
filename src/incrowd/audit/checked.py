"""Is an audit, or a release, the one that was sealed, and who sealed it? Everything that reads one asks this first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.manifest import MANIFEST, SECRET_FILE, SIGNATURE, AuditManifest, FileEntry
from incrowd.audit.seal import MISSING, UNCHANGED, UNLISTED, SealedFile, differences, same_bytes
from incrowd.audit.signatures import ADDITION, SIGNATURES, Signed, read_signatures
from incrowd.audit.signing import PublicKey, known_here, read_public
from incrowd.errors import InputError, SecretError
from incrowd.plan import json_tree

#: Files that were put there after the seal with a signature of their own, and the secret, which may be deleted.
ADDED, REMOVED, ABSENT = "added", "removed", "not here"
FINE = {UNCHANGED, ADDED, REMOVED}


@dataclass(frozen=True)
class Trust:
    """Whose signatures count, and whether an audit without one is shown.

    `keys` are files of public keys; without any, the key beside the secret counts. `unsigned` is for audits of earlier
    versions: nobody vouches for them.
    """

    keys: tuple[str | Path | PublicKey, ...] = ()
    unsigned: bool = False

    def known(self, home: Path | None) -> tuple[PublicKey, ...]:
        """The keys that are trusted for the runs of a folder. Where some are named, only those: a key that lies beside
        a forgery came with it.
        """
        if self.keys:
            return tuple(key if isinstance(key, PublicKey) else read_public(Path(key)) for key in self.keys)
        return known_here(home)


@dataclass(frozen=True)
class Seal:
    """What was found: each file, the signature of each manifest, and who signed."""

    files: tuple[SealedFile, ...]  # audit/… and release/…
    manifest: bytes | None  # of the audit, or of a release alone
    signature: str  # valid, invalid or missing
    key: PublicKey | None
    known: bool  # whether the key is trusted here
    signed: tuple[Signed, ...] = ()  # what was signed afterwards

    @property
    def differs(self) -> tuple[SealedFile, ...]:
        """The files that are not as they were."""
        return tuple(file for file in self.files if file.state not in (*FINE, ABSENT))


def look(audit: Path | None, release: Path | None, home: Path | None, trust: Trust) -> Seal:
    """Compare what lies there with its manifest, and the manifest with its signature."""
    if audit is None:
        assert release is not None
        return _look_release(release, trust.known(home))
    content = _bytes(audit / MANIFEST)
    manifest, known = read_manifest(content), trust.known(home)
    key = None if manifest is None else _key(manifest.public_key)
    signature = _signature(audit, content, key)
    signed = read_signatures(audit, content or b"")
    found = [SealedFile(f"audit/{file.name}", file.state) for file in _sealed(audit, manifest, signed, known)]
    listed = () if manifest is None else manifest.release
    if release is not None:
        found += [SealedFile(f"release/{file.name}", file.state) for file in differences(release, listed)]
    else:
        found += [SealedFile(f"release/{entry.name}", ABSENT) for entry in listed]
    return Seal(tuple(found), content, signature, key, key in known, tuple(signed))


def check(audit: Path, release: Path | None, home: Path | None, trust: Trust) -> bytes | None:
    """The bytes of the audit's manifest, when everything is as it was sealed by somebody known. Otherwise an error.

    With `trust.unsigned`, an audit of a version that did not seal passes; whoever reads it says that nobody vouches.
    """
    seal = look(audit, release, home, trust)
    manifest = read_manifest(seal.manifest)
    if seal.signature == "missing":
        if not trust.unsigned:
            message = "this audit has no signature, so nobody vouches for it."
            hint = "If it is of a version that did not sign: --unsigned. If it had one, find out who took it."
            raise InputError("D296", message, hint)
        if manifest is not None and (manifest.files or manifest.public_key):
            message = "this audit was sealed, and its signature was taken away."
            raise InputError("D297", message, "Name an unchanged copy.")
        return seal.manifest
    if manifest is None or seal.signature != "valid":
        message = "the signature of this audit does not fit its manifest: one of them was changed."
        raise InputError("D297", message, "Name an unchanged copy.")
    refuse(seal.differs)
    if not seal.known:
        assert seal.key is not None
        message = f"this audit is signed with a key that is not known here ({seal.key.fingerprint})."
        hint = "Compare the fingerprint with the one that you were given; if it is right: --trust KEY.pub."
        raise InputError("D298", message, hint)
    if bad := next((one for one in seal.signed if one.problem), None):
        message = f"a statement beside this audit does not hold: {bad.file}: {bad.problem}."
        raise InputError("D299", message, "See what differs: incrowd audit verify.")
    return seal.manifest


def refuse(differs: Iterable[SealedFile]) -> None:
    """An error that names the files that are not as they were, when there are any."""
    if found := tuple(differs):
        told = "; ".join(file.told for file in found[:5])
        more = f"; and {len(found) - 5:,} more" if len(found) > 5 else ""
        raise InputError("D295", f"this is not the audit that was sealed: {told}{more}.", "Name an unchanged copy.")


def _look_release(release: Path, known: tuple[PublicKey, ...]) -> Seal:
    content = _bytes(release / MANIFEST)
    try:
        told = json_tree(content or b"")
        entries, key = [FileEntry(**entry) for entry in told["files"]], _key(told.get("public_key"))
    except (ValueError, KeyError, TypeError):
        raise InputError("D301", "there is no manifest that can be read.", "Name a run or a release folder.") from None
    outside = {MANIFEST, SIGNATURE}
    files = [SealedFile(f"release/{f.name}", f.state) for f in differences(release, entries, outside.__contains__)]
    return Seal(tuple(files), content, _signature(release, content, key), key, key in known)


def _sealed(
    audit: Path, manifest: AuditManifest | None, signed: list[Signed], known: tuple[PublicKey, ...]
) -> Iterable[SealedFile]:
    """Every file of the audit but the seal itself. Additions count when their key is trusted."""
    if manifest is None:
        return
    for file in differences(audit, manifest.files, _outside):
        if file.state == MISSING and file.name == SECRET_FILE:
            yield SealedFile(file.name, REMOVED)
        elif file.state == UNLISTED and any(
            one.statement.file.name == file.name and same_bytes(audit / file.name, one.statement.file)
            for one in signed
            if not one.problem and one.key in known and one.statement is not None
            and one.statement.kind == ADDITION and one.statement.file is not None
        ):  # fmt: skip
            yield SealedFile(file.name, ADDED)
        else:
            yield file


def _outside(name: str) -> bool:
    """The seal itself, and what is signed by itself."""
    return name in (MANIFEST, SIGNATURE) or name.startswith(f"{SIGNATURES}/")


def _signature(folder: Path, content: bytes | None, key: PublicKey | None) -> str:
    signature = _bytes(folder / SIGNATURE)
    if signature is None:
        return "missing"
    return "valid" if content is not None and key is not None and key.verifies(signature, content) else "invalid"


def read_manifest(content: bytes | None) -> AuditManifest | None:
    """The manifest in these bytes, or None."""
    try:
        return None if content is None else AuditManifest.of(json_tree(content))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _key(pem: object) -> PublicKey | None:
    try:
        return PublicKey.parse(pem, "the manifest") if isinstance(pem, str) else None
    except SecretError:
        return None


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None
    except OSError:
        return None
