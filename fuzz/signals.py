"""Real runs that are interrupted at any moment: the old release or the new one, and nothing in between."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

from fuzz.damaged import K, plan_for, write_case
from fuzz.oracle import Records, judge
from fuzz.outcome import UNEXPLAINED, Outcome
from fuzz.plans import SECRET
from fuzz.recount import check_files

NAME = "signals"
POLITE = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
#: How long a signalled run may take to clear up.
PATIENCE = 30.0
MARK = "FUZZ_CASE"  # not one of ours: those are kept from children


def make(rng: Random) -> dict[str, Any]:
    """Which signal, and when: anywhere, or after so many seconds of work."""
    name = rng.choice([*POLITE, "SIGKILL"])
    early = rng.random() < 0.3
    return {
        "signal": name,
        "early": early,
        "after": rng.uniform(0, 2.0),
        "attack": rng.random() < 0.4,
        "pdf": rng.random() < 0.1,
    }


def play(case: dict[str, Any], folder: Path) -> Outcome:
    """Release once, run again and strike, look; then start once more and look again."""
    from incrowd import run

    outcome = Outcome()
    os.environ["INCROWD_SECRET"] = SECRET
    write_case("people.csv", folder, Random(1))
    plan = plan_for("people.csv")
    if case["attack"]:  # it writes whose record is whose into the private folder
        plan["scenarios"] = [{"name": "nosy", "keys": ["age", "sex"]}]
        plan["attack"] = [{"attacks": ["linkage"]}]
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    run(folder / "plan.yaml")
    old = (folder / "release").resolve()
    code, said, mark = _strike(case, folder)
    words = f"{case['signal']} {'early' if case['early'] else 'at work'}"
    _judge_end(case, code, said, words, outcome)
    if case["signal"] in POLITE:
        left = [path.name for path in folder.glob("runs/.work-*")]
        outcome.check(not left, "half", f"{words} (exit code {code}) leaves {len(left)} private folder")
        alive = _alive(mark)
        outcome.check(not alive, "half", f"{words} leaves a process: {alive}")
    for pid in _alive(mark):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    new = (folder / "release").resolve()
    outcome.released = new != old
    _judge_release(new, words, outcome)
    run(folder / "plan.yaml")
    outcome.check(
        not list(folder.glob("runs/.work-*")), "half", f"after {words} the next start leaves a private folder"
    )
    strays = [path.name for path in folder.glob(".release-*")]
    outcome.check(not strays, "half", f"after {words} a half pointer is left")
    _judge_release((folder / "release").resolve(), words, outcome)
    return outcome


def _strike(case: dict[str, Any], folder: Path) -> tuple[int, str, str]:
    """Start a run and send it the signal; gives its end, what it said, and its mark in the environment."""
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    pdf = ["--pdf"] if case["pdf"] and any(map(shutil.which, BROWSERS)) else []
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", "from incrowd.cli import main; main()", "run", str(folder / "plan.yaml"), *pdf],
            stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True,
            env={**os.environ, MARK: mark},
        )  # fmt: skip
        number = getattr(signal, case["signal"])
        begun = time.monotonic()
        while not case["early"] and process.poll() is None and not list(folder.glob("runs/.work-*/lock")):
            time.sleep(0.005)
            if time.monotonic() - begun > PATIENCE:
                break
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(case["after"])
        with contextlib.suppress(ProcessLookupError):
            if number == signal.SIGINT:
                os.killpg(process.pid, number)  # as a terminal does
            else:
                process.send_signal(number)
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = 70
    time.sleep(0.05)
    text = (folder / "said.txt").read_text(errors="replace")
    (folder / "said.txt").unlink()
    return code, text, mark


def _judge_end(case: dict[str, Any], code: int, said: str, words: str, outcome: Outcome) -> None:
    if code == 0:
        return  # it was over before
    outcome.code = case["signal"]
    number = getattr(signal, case["signal"])
    outcome.check(code != 70, "slow", f"{words}: not ended after {PATIENCE:.0f} s")
    # Before Python listens a signal ends it in the system's own way; at work it is heard.
    wanted = {POLITE.get(case["signal"], -number), *([-number] if case["early"] else [])}
    if code not in wanted and code != 70:
        first = next((line for line in said.splitlines() if line.strip()), "")
        outcome.fault("exit" if "X001" not in said else UNEXPLAINED, f"{words}: exit code {code}, {first[:100]}")
    if not case["early"]:
        outcome.check("Traceback (most recent" not in said, UNEXPLAINED, f"{words}: a traceback")


def _judge_release(release: Path, words: str, outcome: Outcome) -> None:
    """Complete, and what its plan asks for."""
    files = check_files(release, release.parent / "audit", outcome)
    if files is None:
        return
    _, rows = files
    judged = judge(Records(rows, range(len(rows)), ("age", "sex", "region")), {"model": "k", "k": K})
    outcome.check(judged.passed, "wrong", f"after {words} k is {judged.figure}")


def _alive(mark: str) -> list[int]:
    """Processes that were started by a run, wherever they have gone."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z" and f"{MARK}={mark}".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A moment cannot be made smaller."""
    return iter(())
