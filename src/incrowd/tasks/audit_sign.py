"""Sign an audit: a decision about a run, or files that come after its seal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from incrowd.audit.checked import Trust, read_manifest
from incrowd.audit.manifest import entry_of
from incrowd.audit.signatures import ADDITION, DECISIONS, SIGN_OFF, read_signatures, sign
from incrowd.audit.signing import Signer, read_key, signer_here
from incrowd.errors import InputError, SecretError
from incrowd.tasks.audit_verify import sound_audit

#: The longest name, role or text of a sign-off.
LONGEST = 2000


def audit_sign(
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

    >>> key = ic.audit_keygen("board.key")
    >>> ic.audit_sign(done.folder, name="A. Board", role="board", key=key.private).suffix
    '.json'
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
    audit, manifest, _ = sound_audit(Path(path), trust or Trust())
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
    audit, manifest, home = sound_audit(path, trust)
    sealed = read_manifest(manifest)
    for name, content in contents.items():
        if manifest is not None and sealed is not None and sealed.files:
            entry = entry_of(name, content)
            before = [one.statement.file for one in read_signatures(audit, manifest) if one.statement is not None]
            if entry not in before:
                sign(audit, manifest, {"kind": ADDITION, "file": entry}, signer or _at_hand(home))
        (audit / name).write_bytes(content)
    return audit


def _at_hand(home: Path | None) -> Signer:
    signer = signer_here(home)
    if signer is None:
        message = "there is no signing key here."
        raise SecretError("S008", message, "Name one with --key, or set INCROWD_SIGNING_KEY.")
    return signer
