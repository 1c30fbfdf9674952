"""Sign an audit, and verify one: are its files the ones that were sealed, and who vouches for them?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.archive import places
from incrowd.audit.checked import ABSENT, FINE, Trust, check, look, read_manifest
from incrowd.audit.manifest import MANIFEST, entry_of
from incrowd.audit.seal import SealedFile
from incrowd.audit.signatures import ADDITION, DECISIONS, SIGN_OFF, Signed, read_signatures, sign
from incrowd.audit.signing import Signer, read_key, signer_here
from incrowd.errors import InputError, SecretError

#: The longest name, role or text of a sign-off.
LONGEST = 2000


@dataclass(frozen=True)
class SignedOff:
    """A decision of somebody about an audit: `valid` when the signature holds, `known` when its key is trusted and is
    not the one that sealed the run: whoever runs plans has that.
    """

    name: str
    role: str
    decision: str
    time: str
    text: str
    fingerprint: str
    valid: bool
    known: bool
    problem: str = ""


@dataclass(frozen=True)
class SealVerification:
    """What is as it was sealed, what is not, and who says so."""

    files: tuple[SealedFile, ...]
    signature: str  # valid, invalid or missing
    fingerprint: str | None  # of the key that signed
    known: bool  # whether that key is trusted here
    sign_offs: tuple[SignedOff, ...]
    problems: tuple[str, ...]  # statements that do not hold

    @property
    def ok(self) -> bool:
        """Whether every file is as it was sealed, by keys that are all trusted here."""
        return not self.says

    @property
    def says(self) -> tuple[str, ...]:
        """Everything that keeps it from being fine, in words."""
        found = [file.told for file in self.files if file.state not in FINE]
        if self.signature != "valid":
            found.append(f"the signature of the manifest is {self.signature}")
        elif not self.known:
            found.append(f"the manifest is signed with a key that is not known here ({self.fingerprint})")
        found += self.problems
        found += [
            f"{one.name} ({one.role}) signed with the key of the runs, which says nothing of who they are"
            if one.fingerprint == self.fingerprint
            else f"{one.name} ({one.role}) signed with a key that is not known here ({one.fingerprint}): anybody can "
            "sign under any name"
            for one in self.sign_offs
            if one.valid and not one.known
        ]
        return tuple(found)


def verify_audit(path: str | Path, *, trust: Trust | None = None) -> SealVerification:
    """Is a run, its audit, or a release alone, as it was sealed? Nothing is raised for what differs: it is told.

    `trust` names the public keys that count; without any, the key beside the secret does. A release that was handed
    out alone is checked by its own manifest.
    """
    trust = trust or Trust()
    audit, release, home = places(Path(path))
    if audit is None:
        release = release or (Path(path) if (Path(path) / MANIFEST).is_file() else None)
    if audit is None and release is None:
        message = f"{path} is neither a run, nor an audit, nor a release with its manifest."
        raise InputError("D300", message, "Name the folder of a run, runs/ID, its audit, or a release folder.")
    seal, known = look(audit, release, home, trust), trust.known(home)
    files = seal.files
    if audit is not None and release is None and Path(path).absolute() == audit:
        # Who names an audit asks about the audit.
        files = tuple(file for file in files if file.state != ABSENT)
    own = set(known) - {seal.key}
    signed = [_signed_off(one, one.key in own) for one in seal.signed if _is(one, SIGN_OFF)]
    problems = [f"{one.file}: {one.problem}" for one in seal.signed if one.problem]
    if audit is None and home is not None:
        problems.insert(0, "the audit of this run is not here")
    problems += [
        f"{one.file}: it adds a file and is signed with a key that is not known here"
        for one in seal.signed
        if _is(one, ADDITION) and not one.problem and one.key not in known
    ]
    key = None if seal.key is None else seal.key.fingerprint
    return SealVerification(files, seal.signature, key, seal.known, tuple(signed), tuple(problems))


def sign_audit(
    path: str | Path,
    *,
    name: str,
    role: str,
    decision: str = "approve",
    text: str = "",
    key: str | Path,
    trust: Trust | None = None,
) -> Path:
    """Sign a decision about an audit: approve or refuse. Gives the file that holds it.

    What is signed is the hash of the audit's manifest, and so every file of audit and release. An audit that is not
    as it was sealed is not signed. `key` is a private key of one's own (incrowd audit keygen): the one of the runs is
    refused, since whoever runs plans has it.
    """
    if decision not in DECISIONS:
        raise InputError("D302", f"{decision!r} is no decision.", f"There are: {', '.join(DECISIONS)}.")
    for given, what in ((name, "name"), (role, "role")):
        if not given.strip() or len(given) > LONGEST or not given.isprintable():
            raise InputError("D302", f"a sign-off needs a {what}, in one line.")
    if len(text) > LONGEST or not text.replace("\n", " ").isprintable():
        raise InputError(
            "D302", f"the text of a sign-off may have {LONGEST:,} characters, and only such as can be printed."
        )
    signer = read_key(Path(key))
    audit, manifest, _ = _sound(Path(path), trust or Trust())
    sealed = read_manifest(manifest)
    if manifest is None or sealed is None:
        raise InputError("D304", "an audit without a manifest cannot be signed.", "Run the plan again.")
    if sealed.public_key == signer.public.pem:
        message = "this is the key that sealed the run, and not that of the person who signs."
        raise InputError("D302", message, "Make one: incrowd audit keygen.")
    told = {"kind": SIGN_OFF, "name": name, "role": role, "decision": decision, "text": text}
    return sign(audit, manifest, told, signer)


def add_files(path: Path, contents: Mapping[str, bytes], trust: Trust, signer: Signer | None = None) -> Path:
    """Put files into an audit that was sealed before, each vouched for by the key of the runs; gives the audit.

    The statement comes first: a file that nobody vouches for would make the audit another one than was sealed.
    """
    audit, manifest, home = _sound(path, trust)
    sealed = read_manifest(manifest)
    for name, content in contents.items():
        if manifest is not None and sealed is not None and sealed.files:
            entry = entry_of(name, content)
            before = [one.statement.file for one in read_signatures(audit, manifest) if one.statement is not None]
            if entry not in before:
                sign(audit, manifest, {"kind": ADDITION, "file": entry}, signer or _at_hand(home))
        (audit / name).write_bytes(content)
    return audit


def refuse_forgery(path: Path, trust: Trust) -> None:
    """An error when a run, or a release alone, is not as it was sealed by somebody known."""
    if places(path)[0] is not None:
        _sound(path, trust)
    elif not trust.unsigned and (found := verify_audit(path, trust=trust)).says:
        raise InputError(
            "D295", f"this is not the release that was sealed: {found.says[0]}.", "Name an unchanged copy."
        )


def _sound(path: Path, trust: Trust) -> tuple[Path, bytes | None, Path | None]:
    """The audit behind a path, as it was sealed; its manifest, and the folder that has the runs."""
    audit, release, home = places(path)
    if audit is None:
        raise InputError("D192", f"{path} has no audit beside it.", "Name the folder of a run, runs/ID, or its audit.")
    return audit, check(audit, release, home, trust), home


def _at_hand(home: Path | None) -> Signer:
    signer = signer_here(home)
    if signer is None:
        message = "there is no signing key here."
        raise SecretError("S008", message, "Name one with --key, or set INCROWD_SIGNING_KEY.")
    return signer


def _is(one: Signed, kind: str) -> bool:
    return one.statement is not None and one.statement.kind == kind


def _signed_off(one: Signed, known: bool) -> SignedOff:
    assert one.statement is not None
    assert one.key is not None
    said = one.statement
    return SignedOff(
        said.name, said.role, said.decision, said.time, said.text, one.key.fingerprint, not one.problem, known,
        one.problem,
    )  # fmt: skip
