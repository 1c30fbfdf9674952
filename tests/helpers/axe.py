"""The accessibility checker axe-core, from the npm registry: what it finds on a page that is open in Chromium."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path

from chrome import Chrome, wait
from servers import absent

VERSION = "4.14.0"
SHA512 = (
    "f564d9c448ec67b6f5dd31fc24f99b576cfc0876e5f34ff6866dd73c41b826035d40b2bcd480515e64b11df3003a44aa41e4714ffd1dc0d0f3d8"
    "63a6df3ce971"
)
#: Beside the packages of the environment, so that it is fetched once.
KEPT = Path(sys.prefix) / f"axe-core-{VERSION}.js"


@cache
def axe() -> str:
    """Its script. Without npm, or without a way to its registry, the test is skipped; under CI=true it fails."""
    if KEPT.is_file():
        return KEPT.read_text(encoding="utf-8")
    npm = shutil.which("npm")
    if npm is None:
        absent("npm, which fetches axe-core")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(npm), "pack", f"axe-core@{VERSION}", "--silent"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=180, check=False)
        if done.returncode:
            absent("a way to the npm registry, where axe-core comes from,")
        packed = next(Path(folder).glob("*.tgz"))
        assert hashlib.sha512(packed.read_bytes()).hexdigest() == SHA512, "axe-core is not what it was"
        with tarfile.open(packed) as archive:
            member = archive.extractfile("package/axe.min.js")
            assert member is not None
            script = member.read().decode()
    KEPT.write_text(script, encoding="utf-8")
    return script


def faults(chrome: Chrome, least: tuple[str, ...] = ("serious", "critical"), only: tuple[str, ...] = ()) -> list[str]:
    """What is wrong with the page that is open: the rule, how bad, and where. By all rules, or by some `only`."""
    # The protocol may run a script that the page's own policy would not let in.
    chrome.run("window.axe ? 1 : 0") or chrome.do("Runtime.evaluate", expression=axe())
    chrome.run(
        f"window.axeFound = null; axe.run(document, {json.dumps({'runOnly': only} if only else {})})"
        ".then(found => { window.axeFound = JSON.stringify(found.violations) }); 0"
    )
    wait(lambda: chrome.run("!!window.axeFound"), "axe does not end")
    found = json.loads(chrome.run("window.axeFound"))
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: {' | '.join(node['html'][:160] for node in one['nodes'][:3])}"
        for one in found
        if one["impact"] in least
    ]
