"""Audits that were changed in tests, and made whole again: by somebody who has the key, or as an earlier version."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from incrowd.audit.manifest import MANIFEST, SIGNATURE, AuditManifest, FileEntry, entry_of
from incrowd.audit.seal import write_sealed
from incrowd.audit.signing import Signer, signer_here


def entries(folder: Path, leave: tuple[str, ...] = ()) -> tuple[FileEntry, ...]:
    """Every file of a folder, but those of these names."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return tuple(entry_of(name, path.read_bytes()) for name, path in sorted(found.items()) if name not in leave)


def reseal(run: Path, signer: Signer | None = None) -> None:
    """Seal a run as it lies there now, with the key of the tests or another one."""
    signer = signer or signer_here(None)
    assert signer is not None
    manifest = AuditManifest.of(json.loads((run / "audit" / MANIFEST).read_text()))
    manifest = replace(manifest, release=entries(run / "release"), public_key=signer.public.pem)
    manifest = replace(
        manifest,
        files=entries(run / "audit", (MANIFEST, SIGNATURE)),
        plan_sha256=entry_of("", (run / "audit" / "plan.yaml").read_bytes()).sha256,
    )
    write_sealed(run / "audit", manifest.json(), signer)


def as_before_seals(run: Path) -> None:
    """A run as versions without signatures left it."""
    path = run / "audit" / MANIFEST
    content = json.loads(path.read_text())
    for name in ("files", "public_key", "format"):
        del content[name]
    content["release"] = [entry for entry in content["release"] if entry["name"] != SIGNATURE]
    path.write_text(json.dumps(content))
    for folder in ("audit", "release"):
        (run / folder / SIGNATURE).unlink(missing_ok=True)
    os.sync()
