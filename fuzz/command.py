"""The command line, called in this process: its exit code and all that it printed."""

from __future__ import annotations

import os
import re
import sys
import traceback

from fuzz.outcome import UNEXPLAINED, Outcome
from fuzz.plans import SECRET, captured

CODE = re.compile(r"\b([PDSRX]\d{3})\b")


def call(*arguments: object) -> tuple[int, str]:
    """Run a command as the entry point does."""
    from incrowd.cli import main

    sys.argv = ["incrowd", *map(str, arguments)]
    os.environ["INCROWD_SECRET"] = SECRET
    os.environ.setdefault("COLUMNS", "200")
    code = 0
    with captured() as printed:
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
        except BaseException:
            traceback.print_exc()
            code = 70
    return code, printed()


def judge_call(words: str, code: int, said: str, canaries: list[str], outcome: Outcome) -> None:
    """What must hold for every command: a known exit code, a code in the message, no record in it."""
    found = CODE.search(said)
    if "Usage: " in said:
        outcome.fault("harness", f"{words}: called wrongly")
    elif code == 2 and not found:
        outcome.fault(UNEXPLAINED, f"{words}: exit code 2 without a code, {said[:80]!r}")
    if code:
        outcome.code = found.group(1) if found else f"exit {code}"
    if "Traceback (most recent call last)" in said or code not in (0, 1, 2, 3):
        outcome.fault(UNEXPLAINED, f"{words}: exit code {code}, {_where(said)}")
    elif "X001" in said:
        outcome.fault(UNEXPLAINED, f"{words}: X001, {_where(said)}")
    outcome.checks += 1
    if shown := [text for text in canaries if text in said]:
        at = said.index(shown[0])
        around = " ".join(said[max(0, at - 60) : at + 40].split())
        outcome.fault("leak", f"{words}: shows a value of the data: …{around}…")


def _where(said: str) -> str:
    """The innermost frames of an unexpected error, as incrowd shows them."""
    lines = [line.strip() for line in said.splitlines()]
    kind = next((line.split(".")[0] for line in lines if "X001" in line), "")
    frames = [line for line in lines if line.endswith(")") and ".py:" in line]
    return f"{kind} {' < '.join(reversed(frames[-3:]))}".strip()
