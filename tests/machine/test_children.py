"""What incrowd starts ends with it: the workbench's server and the browser that prints, after any signal."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from browser import browser
from people import SECRET, write_case
from servers import absent
from workbench import Visitor

from incrowd.app.private import clear_dead
from incrowd.machine.children import started

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a child that its parent died")
ENDINGS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, pytest.param(signal.SIGKILL, marks=LINUX)]


def start(*arguments: str, home: Path, **environment: str) -> subprocess.Popen[str]:
    """incrowd without a terminal, in a session of its own, for somebody who has never started anything."""

    def hear() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)

    clean = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.Popen(
        [sys.executable, "-m", "incrowd", *arguments], cwd=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=hear,
        env={**clean, "HOME": str(home), "TMPDIR": str(home), "INCROWD_SECRET": SECRET, **environment},
    )  # fmt: skip


def naming(text: str) -> list[int]:
    """The processes on whose command line a text stands."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def soon(holds: Callable[[], bool], otherwise: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, otherwise
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def up(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDINGS)
def test_the_workbench_starts_without_a_terminal_and_ends_with_its_command(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec("fastapi") is None:
        absent("fastapi")
    port = free_port()
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    process = start("app", "--port", str(port), home=tmp_path, TMPDIR=str(private))
    try:
        soon(lambda: up(port) or process.poll() is not None, "the workbench does not answer")
        assert process.poll() is None, process.communicate()
        with socket.socket() as other:  # loopback only
            other.settimeout(2)
            address = socket.gethostbyname(socket.gethostname())
            assert address.startswith("127.") or other.connect_ex((address, port)) != 0
        assert process.stdout is not None
        assert f"http://127.0.0.1:{port}" in process.stdout.readline()  # told once the server answers
        someone = Visitor(f"http://127.0.0.1:{port}")  # whose data are in memory: what is open is closed first
        someone.get("/data")
        someone.post("/data/open", file=str(write_case(tmp_path)))
        assert "unique" in someone.get("/risk")
        assert list(private.glob("*/session-*/live/*"))
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        if number != signal.SIGKILL:
            assert process.returncode == 128 + number, err
            assert f"X032: stopped by {signal.Signals(number).name}" in err
        assert "Traceback" not in err
        soon(lambda: not up(port), "its server is still there", 20)
        if number == signal.SIGKILL:  # nobody can clear up: the next one does
            assert list(private.iterdir())
            clear_dead()
        assert not list(private.iterdir())
    finally:
        process.kill()


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        process = start("app", "--port", str(taken.getsockname()[1]), home=tmp_path)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.startswith("X034"), out + err


@pytest.mark.slow
@pytest.mark.parametrize("number", ENDINGS)
def test_a_browser_that_prints_ends_with_its_command(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser()
    write_case(tmp_path)
    done = start("run", "plan.yaml", home=tmp_path)
    assert done.wait(120) == 0, done.communicate()
    # Chromium with the same profile, waiting for a debugger that never comes instead of printing.
    slow = tmp_path / "slow-browser"
    slow.write_text(
        '#!/bin/sh\nfor one; do case "$one" in --user-data-dir=*) profile="$one";; esac; done\n'
        f'exec {browser()} --headless --no-sandbox --disable-gpu --remote-debugging-port=0 "$profile" about:blank\n'
    )
    slow.chmod(0o755)
    with tempfile.TemporaryDirectory(dir="/tmp") as short:  # whose browser it is: the profile lies in there
        _is_stopped(
            start("report", "release", "--pdf", home=tmp_path, INCROWD_BROWSER=str(slow), TMPDIR=short),
            f"--user-data-dir={short}/",
            number,
        )


def _is_stopped(process: subprocess.Popen[str], mark: str, number: int) -> None:
    try:
        soon(lambda: len(naming(mark)) > 2 or process.poll() is not None, "no browser was started")
        assert process.poll() is None, process.communicate()
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        if number != signal.SIGKILL:
            assert process.returncode == 128 + number, err
        soon(lambda: not naming(mark), "the browser is still there", 20)
    finally:
        for one in naming(mark):
            os.kill(one, signal.SIGKILL)


def test_nothing_of_a_group_is_left() -> None:
    mark = f"987654{os.getpid()}"
    with started(["sh", "-c", f"sleep {mark} & sleep {mark} & wait"]) as process:
        soon(lambda: len(naming(f"sleep\0{mark}")) == 2, "it did not start")
    assert process.returncode is not None
    soon(lambda: not naming(f"sleep\0{mark}"), "a child of the child is left", 10)
