"""Verify an audit: are its files the ones that were sealed, and who vouches for them?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.archive import places
from incrowd.audit.checked import ABSENT, FINE, Trust, check, look
from incrowd.audit.manifest import MANIFEST
from incrowd.audit.seal import SealedFile
from incrowd.audit.signatures import ADDITION, SIGN_OFF, Signed
from incrowd.errors import InputError
from incrowd.rows.result import Line, Result, plain_fields


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


@dataclass(frozen=True, repr=False)
class SealVerification(Result):
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

    def _told(self) -> str:
        return "; ".join(self.says) or f"{len(self.files)} files as they were sealed, by {self.fingerprint}"

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(file) for file in self.files]


def audit_verify(path: str | Path, *, trust: Trust | None = None) -> SealVerification:
    """Is a run, its audit, or a release alone, as it was sealed? Nothing is raised for what differs: it is told.

    `trust` names the public keys that count; without any, the key beside the secret does. A release that was handed
    out alone is checked by its own manifest.

    >>> ic.audit_verify(done.folder).signature
    'valid'
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


def refuse_forgery(path: Path, trust: Trust) -> None:
    """An error when a run, or a release alone, is not as it was sealed by somebody known."""
    if places(path)[0] is not None:
        sound_audit(path, trust)
    elif not trust.unsigned and (found := audit_verify(path, trust=trust)).says:
        raise InputError(
            "D295", f"this is not the release that was sealed: {found.says[0]}.", "Name an unchanged copy."
        )


def sound_audit(path: Path, trust: Trust) -> tuple[Path, bytes | None, Path | None]:
    """The audit behind a path, as it was sealed; its manifest, and the folder that has the runs."""
    audit, release, home = places(path)
    if audit is None:
        raise InputError("D192", f"{path} has no audit beside it.", "Name the folder of a run, runs/ID, or its audit.")
    return audit, check(audit, release, home, trust), home


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
