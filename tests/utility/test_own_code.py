"""The function of a use case runs in a process of its own, which knows no path and no secret and always ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from people import SECRET
from utility_cases import outcome

from incrowd.errors import InputError
from incrowd.utility.use_cases import python as running

ROWS = {"pay": ["100", "200", "300", "400"], "job": ["a", "b", "a", "b"]}


def ask(folder: Path, body: str) -> object:
    """What a function with this body says of two small tables."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (folder / "mine.py").write_text(f"import os, sys\ndef f(original, released):\n{lines}")
    return outcome({"test": "python", "columns": ["pay"], "function": "mine:f"}, ROWS, ROWS, folder)


def code(folder: Path, body: str) -> str:
    """The code of the error that it ends with; no value is quoted."""
    with pytest.raises(InputError) as caught:
        ask(folder, body)
    assert not any(pay in str(caught.value) for pay in ROWS["pay"])
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value.code


def test_it_is_told_neither_the_secret_nor_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    monkeypatch.setenv("ELSE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    told = "dict(os.environ), os.getcwd(), sys.argv, sys.path, __file__"
    tell = f"import json\nreturn {{'passed': True, 'found': json.dumps([{told}])}}"
    told = ask(tmp_path, tell).found  # type: ignore[attr-defined]
    environment, folder, *_ = json.loads(told)
    assert SECRET not in told
    assert os.environ["INCROWD_SIGNING_KEY"] not in told
    assert str(tmp_path) not in told
    assert set(environment) <= {"PATH", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "LC_ALL", "PYTHONHASHSEED", "LC_CTYPE"}
    assert not Path(folder).exists(), "what it leaves in its folder is gone"


def test_what_it_prints_goes_nowhere_and_is_no_verdict(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    said = "print(original['pay'][0]); os.write(1, b'{\"said\": true}\\n'); os.write(2, b'300'); return False"
    assert not ask(tmp_path, said).passed  # type: ignore[attr-defined]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("sys.exit(0)", "D150"),
        ("raise KeyboardInterrupt", "D150"),
        ("raise type(original['pay'][0].as_py(), (Exception,), {})()", "D150"),
        ("os._exit(0)", "D294"),
        ("os.kill(os.getpid(), 11)", "D294"),
        ("return {'passed': True, 'found': 'x' * 100_000}", "D294"),
        ("return {'passed': 'yes'}", "D151"),
        ("return None", "D151"),
        ("import ctypes; ctypes.string_at(0)", "D294"),
    ],
)
def test_however_it_ends_the_error_has_a_code_and_no_value(tmp_path: Path, body: str, expected: str) -> None:
    assert code(tmp_path, body) == expected


def test_the_name_of_an_error_is_one_of_pythons_own(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="raised LookupError"):
        ask(tmp_path, "raise type('Pay' + original['pay'][0].as_py(), (LookupError,), {})()")


def test_too_much_memory_ends_the_function_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_memory", lambda: 2 << 30)
    assert code(tmp_path, "return len(bytearray(3 << 30)) > 0") == "D150"


@pytest.mark.slow
def test_too_much_time_ends_it_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SECONDS", 4.0)
    mark = tmp_path / "alive"
    body = f"import subprocess, time\nsubprocess.Popen(['sh', '-c', 'sleep 6; touch {mark}'])\ntime.sleep(60)"
    began = time.monotonic()
    assert code(tmp_path, body) == "D293"
    assert time.monotonic() - began < 30
    time.sleep(4)
    assert not mark.exists()


@pytest.mark.slow
def test_what_it_leaves_running_ends_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    body = f"import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 2; touch {mark}'])\nreturn True"
    began = time.monotonic()
    assert ask(tmp_path, body).passed  # type: ignore[attr-defined]
    assert time.monotonic() - began < 60, "nobody waits for what holds the pipe"
    time.sleep(3)
    assert not mark.exists()


def test_the_tables_are_copies_of_any_size_and_shape(tmp_path: Path) -> None:
    many = {"pay": [str(i) for i in range(200_000)], "job": ["a"] * 200_000}
    (tmp_path / "mine.py").write_text(
        "def f(a, b):\n    return a.num_rows == b.num_rows == len(set(a['pay'].to_pylist()))\n"
    )
    assert outcome({"test": "python", "columns": ["pay"], "function": "mine:f"}, many, many, tmp_path).passed
    empty: dict[str, list[str]] = {"pay": [], "job": []}
    (tmp_path / "mine.py").write_text("def f(a, b):\n    return b.num_rows == 0 and b.column_names == ['pay']\n")
    found = outcome({"test": "python", "columns": ["pay"], "function": "mine:f"}, ROWS, empty, tmp_path)
    assert found.found == "passes"  # the function saw it; a use case about nobody holds for no release


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_it_ends_when_the_run_is_killed(tmp_path: Path) -> None:
    mark, place = tmp_path / "alive", Path(__file__).parents[1] / "helpers"
    (tmp_path / "mine.py").write_text(
        f"import time\ndef f(a, b):\n    open({str(mark)!r}, 'w').close()\n    time.sleep(8)\n"
        f"    open({str(mark) + '2'!r}, 'w').close()\n"
    )
    ask_there = (
        f"import sys; sys.path.insert(0, {str(place)!r})\nfrom pathlib import Path\nfrom utility_cases import outcome\n"
        f"case = {{'test': 'python', 'columns': ['pay'], 'function': 'mine:f'}}\n"
        f"outcome(case, {ROWS!r}, {ROWS!r}, Path({str(tmp_path)!r}))"
    )
    run = subprocess.Popen([sys.executable, "-c", ask_there])
    while not mark.exists():
        assert run.poll() is None
        time.sleep(0.1)
    run.kill()
    run.wait()
    time.sleep(9)
    assert not Path(f"{mark}2").exists()
