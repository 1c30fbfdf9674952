"""incrowd as a command: in a process of its own, several in one, or in the process of the test."""

from __future__ import annotations

import contextlib
import io
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from incrowd.cli import _consoles, main

#: Runs several commands in one process, as `incrowd` would, and says where each ends.
MANY = """
import json, sys
from incrowd.cli import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["incrowd", *arguments]
    try:
        main()
        code = 0
    except SystemExit as ended:
        code = ended.code
    print(f"ENDED {arguments[0]!a} {code}", flush=True)
"""


def incrowd_cli(*arguments: object, folder: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run an incrowd command in this process, as if in a wide terminal: starting another takes seconds."""
    asked = ["incrowd", *map(str, arguments)]
    with contextlib.chdir(folder or Path.cwd()), pytest.MonkeyPatch.context() as patch:
        for name, value in {"COLUMNS": "160", **environment}.items():
            patch.setenv(name, value)
        # Rich asks for the width once, and some other test may have been first.
        patch.setattr(_consoles.console, "_width", int(environment.get("COLUMNS", "160")))
        return subprocess.CompletedProcess(asked, *call(shlex.join(asked)))


def call(command: str) -> tuple[int, str, str]:
    """Run an incrowd command in this process: exit code, output, faults."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", shlex.split(command))
        try:
            main()
            code: object = 0
        except SystemExit as ended:
            code = ended.code
    return int(str(code or 0)), out.getvalue(), err.getvalue()
