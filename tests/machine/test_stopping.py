"""Ctrl-C, SIGTERM and SIGHUP: real processes, real signals, at any moment. It is said, cleared, and never half done."""

from __future__ import annotations

import os
import pty
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from people import SECRET, plan_with, write_case

from incrowd.machine import stopping

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """incrowd as the leader of a session of its own, so that whatever it leaves behind can be found."""

    def hear() -> None:
        for number in SIGNALS:  # a test that runs in the background may ignore them, and its children would too
            signal.signal(number, signal.SIG_DFL)

    return subprocess.Popen(
        [sys.executable, "-m", "incrowd", *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=hear,
        env={**os.environ, "INCROWD_SECRET": SECRET},
    )  # fmt: skip


def await_listening(process: subprocess.Popen[str], number: int) -> None:
    """Until the process has a handler: before that it has done nothing, and Python itself ends it."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        caught = int(next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), 16)
        if caught >> (number - 1) & 1 and (number != signal.SIGINT or caught >> (signal.SIGHUP - 1) & 1):
            return
        time.sleep(0.005)
    raise AssertionError("it never listened")


def left_of(session: int) -> list[str]:
    """The processes of a session that are still there."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(text)
    return found


def judge(process: subprocess.Popen[str], number: int, home: Path, before: set[str]) -> str:
    """Everything that must hold after a signal; gives what came of it."""
    out, err = process.communicate(timeout=120)
    told = out + err
    runs = {path.name for path in (home / "runs").glob("*") if path.is_dir()} if (home / "runs").is_dir() else set()
    assert not [name for name in runs if name.startswith(".work-")], (runs, told)
    assert not list(home.glob(".release-*"))
    assert not left_of(process.pid), told
    assert not {"X001", "Traceback"} & set(told.replace(":", " ").split()), told
    new = {name for name in runs - before if not name.startswith(".")}
    for name in new:
        assert (home / "runs" / name / "release" / "manifest.json").is_file()
        assert os.readlink(home / "release") == f"runs/{name}/release"
    if process.returncode == 0:  # it was done before the signal came
        assert "X032" not in told
        return "done"
    assert process.returncode == 128 + number, (process.returncode, told)
    assert f"X032: stopped by {signal.Signals(number).name};" in err, told
    assert ("it was released before" in err) == bool(new), told
    assert ("nothing was released" in err) == (not new), told
    return "released" if new else "stopped"


def busy_plan(folder: Path, **more: object) -> Path:
    """A plan that passes through everything an interrupt can hit: callbacks, kernels, attacks, use cases."""
    lines = "".join(f"n{i},{20 + i % 60},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(3000))
    plan = plan_with(
        tier="safeguarded",
        steps=[
            {"step": "pseudonymise", "variables": ["name"], "into": "pseudonym"},
            {"step": "recode", "variable": "age", "bands": ["0", "40"]},
            {"step": "suppress_records"},
        ],
        attack=[{}],
        scenarios=[{"name": "neighbour", "keys": ["age", "sex"]}],
        use_cases=[{"name": "ill", "test": "proportion", "share": {"ill": ["y"]}, "by": "sex"}],
        **more,
    )
    return write_case(folder, plan, lines)


def stop_at_random(folder: Path, tries: int, seed: int, *arguments: str, longest: float) -> dict[str, int]:
    chance, found = random.Random(seed), {"stopped": 0, "released": 0, "done": 0}
    for attempt in range(tries):
        number = SIGNALS[attempt % 3]
        before = {path.name for path in (folder / "runs").glob("*")} if (folder / "runs").is_dir() else set()
        process = start(folder, *arguments)
        await_listening(process, number)
        time.sleep(chance.uniform(0, longest))
        process.send_signal(number)
        if chance.random() < 0.3:  # somebody impatient
            time.sleep(0.02)
            process.send_signal(number)
        found[judge(process, number, folder, before)] += 1
    return found


def seconds_of(folder: Path, *arguments: str) -> float:
    begun = time.monotonic()
    process = start(folder, *arguments)
    out, err = process.communicate(timeout=300)
    assert process.returncode in (0, 3), out + err
    return time.monotonic() - begun


@pytest.mark.slow
def test_a_run_stops_at_any_moment_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    plan = busy_plan(tmp_path)
    longest = seconds_of(tmp_path, "run", str(plan))
    found = stop_at_random(tmp_path, 9, 1, "run", str(plan), longest=longest)
    assert found["stopped"] >= 3, found


def test_a_stop_while_it_is_still_starting_is_said(tmp_path: Path) -> None:
    write_case(tmp_path)
    assert stop_at_random(tmp_path, 6, 3, "check", "plan.yaml", longest=0.2)["stopped"] >= 4


def test_no_import_is_cut_in_half(tmp_path: Path) -> None:
    """A compiled module that is stopped while it begins ends the process with a message of its own, or none."""
    (tmp_path / "long_one.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(0.5)\nprint('whole')\n")
    script = (
        "from incrowd.machine import stopping\nimport time\nstopping.listen()\n"
        "try:\n    import long_one\n    time.sleep(30)\nexcept stopping.Stopped:\n    print('stopped')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=20)[0] == "whole\nstopped\n"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_run_stops_at_many_more_moments(tmp_path: Path, seed: int) -> None:
    plan = busy_plan(tmp_path)
    longest = seconds_of(tmp_path, "run", str(plan))
    assert stop_at_random(tmp_path, 30, 100 + seed, "run", str(plan), longest=longest)["stopped"] > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["attack", "plan.yaml"],
        ["sweep", "plan.yaml", "--k", "2:6"],
        ["compare", "plan.yaml", "plan.yaml"],
        ["search", "people.csv", "--keys", "age,sex,note", "--auto", "--k", "3", "-o", "out.csv"],
        ["risk", "people.csv", "--keys", "age,sex,note", "--records", "records.csv"],
        ["risk", "plan.yaml"],
        ["verify", "people.csv", "--keys", "age,sex"],
        ["reproduce", "release"],
        ["review", "release"],
        ["init", "people.csv", "--force", "-o", "new.yaml"],
    ],
    ids=lambda command: command[0],
)
def test_every_command_that_works_long_stops_and_says_so(tmp_path: Path, command: list[str]) -> None:
    busy_plan(tmp_path)
    assert seconds_of(tmp_path, "run", "plan.yaml") > 0
    before = {path.name for path in tmp_path.iterdir()}
    longest = seconds_of(tmp_path, *command)
    found = stop_at_random(tmp_path, 9, 7, *command, longest=longest)
    assert found["released"] == 0
    assert found["stopped"] >= 2, found
    odd = {path.name for path in tmp_path.iterdir()} - before - {"out.csv", "records.csv", "new.yaml"}
    assert not odd, odd


@pytest.mark.slow
def test_tiers_are_all_released_or_none_when_a_stop_comes(tmp_path: Path) -> None:
    plan = plan_with(tiers=[{"tier": "open"}, {"tier": "safeguarded"}])
    del plan["tier"]
    path = write_case(tmp_path, plan)
    longest = seconds_of(tmp_path, "run", str(path))
    chance = random.Random(3)
    for attempt in range(12):
        for tier in ("open", "safeguarded"):
            shutil.rmtree(tmp_path / tier, ignore_errors=True)
        process = start(tmp_path, "run", str(path))
        number = SIGNALS[attempt % 3]
        await_listening(process, number)
        time.sleep(chance.uniform(longest / 4, longest))
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
        assert process.returncode in (0, 128 + number), out + err
        there = [(tmp_path / tier / "release" / "manifest.json").is_file() for tier in ("open", "safeguarded")]
        assert len(set(there)) == 1, (there, err)
        assert not list(tmp_path.rglob(".work-*"))
        if process.returncode:
            assert ("nothing was released" in err) == (not any(there)), err


def test_a_stop_that_an_engine_turns_into_its_own_fault_is_still_a_stop() -> None:
    import duckdb

    from incrowd.errors import InputError
    from incrowd.rows.engines.duckdb import safely

    def broken() -> None:
        raise duckdb.InvalidInputException("somebody's record")

    with pytest.raises(InputError):
        safely("people.csv", broken)
    stopping.listen()
    with pytest.raises(stopping.Stopped):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1)
    try:
        with pytest.raises(stopping.Stopped):
            safely("people.csv", broken)
        assert stopping.asked() == signal.SIGTERM
    finally:
        stopping._state = stopping._State()


def test_what_is_held_is_done_to_its_end_and_then_stops() -> None:
    done = []
    stopping.listen()
    try:
        with pytest.raises(stopping.Stopped), stopping.held():
            os.kill(os.getpid(), signal.SIGHUP)
            for i in range(1000):
                done.append(i)
        assert len(done) == 1000
    finally:
        stopping._state = stopping._State()


def test_a_stop_that_a_callback_swallows_comes_again_and_prints_nothing(tmp_path: Path) -> None:
    script = """
import ctypes, os, signal, time
from incrowd.machine import stopping
stopping.listen()
def called():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.01)
    print("never here")
    return 0
ctypes.CFUNCTYPE(ctypes.c_int)(called)()
try:
    time.sleep(20)
except stopping.Stopped:
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("stopped\n", "")


@pytest.mark.slow
def test_a_signal_that_is_ignored_when_incrowd_starts_stays_ignored(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "incrowd", "verify", "people.csv", "--keys", "age,sex"], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN), env={**os.environ, "INCROWD_SECRET": SECRET},
    )  # fmt: skip
    write_case(tmp_path)
    time.sleep(0.7)
    process.send_signal(signal.SIGHUP)  # as when the terminal of a nohup is closed
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3, out + err


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
def test_the_pages_of_an_intruder_test_end_and_say_so(tmp_path: Path, number: int) -> None:
    pytest.importorskip("fastapi")
    plan = write_case(tmp_path)
    seconds_of(tmp_path, "run", str(plan))
    seconds_of(tmp_path, "intruder-test", "new", "release", "-o", "test.db", "--targets", "2")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = start(tmp_path, "intruder-test", "serve", "test.db", "--port", str(port))
    end = time.monotonic() + 60
    with socket.socket() as visitor:
        while visitor.connect_ex(("127.0.0.1", port)) and time.monotonic() < end:
            time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number, out + err
    assert f"X032: stopped by {signal.Signals(number).name}; nothing was released." in err
    assert "Traceback" not in err
    assert not left_of(process.pid)


@pytest.mark.slow
def test_a_terminal_that_is_closed_stops_a_run_and_leaves_nothing(tmp_path: Path) -> None:
    plan = busy_plan(tmp_path)
    child, terminal = pty.fork()
    if not child:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.chdir(tmp_path)
        os.execve(sys.executable, [sys.executable, "-m", "incrowd", "run", str(plan)],
                  {**os.environ, "INCROWD_SECRET": SECRET, "TERM": "xterm"})  # fmt: skip
    seen = b""
    while b"read and count" not in seen:
        seen += os.read(terminal, 4096)
    assert list((tmp_path / "runs").glob(".work-*"))
    os.close(terminal)  # the window is closed: the system sends SIGHUP, and nothing can be written any more
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP
    assert not list((tmp_path / "runs").glob(".work-*"))
    assert not (tmp_path / "release").exists()
