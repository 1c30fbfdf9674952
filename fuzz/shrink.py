"""Make a case that fails smaller, as long as it fails in the same way; and save it as a folder."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

from fuzz.outcome import Outcome
from fuzz.pool import Kind, call_apart, play_one, rng_of

#: What is spent on one fault.
SECONDS = 40.0


def signature(outcome: Outcome) -> set[str]:
    """In which ways a case fails: numbers and names apart."""
    return {re.sub(r"\d+|'[^']*'", "#", f"{fault.sort} {fault.text}")[:80] for fault in outcome.faults}


def shrink(kind: Kind, case: dict[str, Any], wanted: set[str], seconds: float = SECONDS) -> dict[str, Any]:
    """The smallest case that is found in the time; it is played here, so call it in a child."""
    end, again = time.monotonic() + seconds, True
    while again and time.monotonic() < end:
        again = False
        for candidate in kind.smaller(case):
            if time.monotonic() > end:
                break
            if signature(play_one(kind, candidate)) & wanted:
                case, again = candidate, True
                break
    return case


def keep(kind: Kind, seed: str, number: int, outcome: Outcome, place: Path, seconds: float = SECONDS) -> dict[str, Any]:
    """Save the case in a folder, made smaller where that goes; gives what the report says of it."""
    case = kind.make(rng_of(kind.NAME, seed, number))
    wanted = signature(outcome)
    if seconds and not any(fault.sort in ("slow", "memory", "harness") for fault in outcome.faults):
        case = call_apart(lambda: shrink(kind, case, wanted, seconds), seconds + 60) or case
    folder = place / f"{kind.NAME}-{seed}-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    content = {"kind": kind.NAME, "seed": seed, "number": number, "case": case, "faults": outcome.to_json()["faults"]}
    (folder / "case.json").write_text(json.dumps(content, ensure_ascii=False, indent=1))
    recipe = f"python -m fuzz --only {kind.NAME} --seed {seed} --case {number}"
    return {"recipe": recipe, "folder": str(folder), "code": outcome.code, "faults": content["faults"]}
