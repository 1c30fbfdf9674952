"""Canaries in every output: releases in all formats, runs that fail half way, and what looks at a run later.

The person behind the canaries has a name, a rare value in each column, and a combination that nobody else has.
"""

from __future__ import annotations

import gzip
import io
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from people import SECRET, plan_with, write_case

from incrowd.cli import main

NAME, AGE, SEX, ILL, NOTE = "Xanthippe-Canary", "97531", "Sex-Canary", "Ill-Canary", "Note-Canary"
CANARIES = (NAME, AGE, SEX, ILL, NOTE)
LINES = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(60))
PEOPLE = LINES + f"{NAME},{AGE},{SEX},{ILL},{NOTE}\n"
STEPS: list[dict[str, Any]] = [
    {"step": "drop", "variables": ["name"]},
    {"step": "recode", "variable": "age", "bands": ["0", "40"]},
    {"step": "suppress_records"},
]
USE_CASE = {"name": "ill", "test": "proportion", "share": {"ill": ["y"]}, "by": "sex"}
SCENARIO = {"name": "nosy", "keys": ["age", "sex"]}

Called = Callable[..., tuple[int, bytes]]


@pytest.fixture
def called(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Called:
    """The command line in this process: its exit code, and all that it printed."""

    def call(*arguments: object) -> tuple[int, bytes]:
        monkeypatch.setattr(sys, "argv", ["incrowd", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setenv("INCROWD_SECRET", SECRET)
        capfd.readouterr()
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        printed = capfd.readouterr()
        return code, (printed.out + printed.err).encode()

    return call


def _decoded(path: Path) -> Iterator[bytes]:
    """A file's bytes, and what they hold where they are packed."""
    content = path.read_bytes()
    yield content
    if content[:2] == b"\x1f\x8b":
        yield gzip.decompress(content)
    if content[:4] == b"PAR1":
        table = pq.read_table(path, partitioning=None)
        texts = [str(value) for column in table.columns for value in column.to_pylist()]
        yield "\n".join([*table.column_names, *texts]).encode()


def _leaks(folder: Path, inside: bool = False) -> list[str]:
    """Where a canary or the secret is found: in what may leave, and with `inside` in the audit too."""
    found = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name == "secret" or (not inside and "release" not in path.parts):
            continue
        for content in _decoded(path):
            found += [f"{name} in {path}" for name in (*CANARIES, SECRET) if name.encode() in content]
    return found


def _silent(printed: bytes) -> bool:
    return not any(name.encode() in printed for name in (*CANARIES, SECRET))


def _nothing_left(folder: Path) -> None:
    """A run that failed leaves no release, and nothing else that holds anybody."""
    assert not (folder / "release").exists()
    assert not list((folder / "runs").glob("*/release"))
    assert not list((folder / "runs").glob(".work-*"))
    assert _leaks(folder / "runs", inside=True) == []


def test_the_search_finds_what_is_packed(tmp_path: Path) -> None:
    place = tmp_path / "release"
    place.mkdir()
    (place / "a.csv.gz").write_bytes(gzip.compress(f"x\n{NAME}\n".encode()))
    pq.write_table(pa.table({"x": [NAME] * 3}), place / "b.parquet", compression="zstd")
    assert len(_leaks(tmp_path)) >= 2
    assert not _silent(NAME.encode())


@pytest.mark.slow
@pytest.mark.parametrize("release", [{"format": "csv"}, {"format": "parquet"}, {"format": "parquet", "parts": True}])
def test_a_release_in_every_format(tmp_path: Path, called: Called, release: dict[str, Any]) -> None:
    plan = plan_with(
        steps=STEPS, scenarios=[SCENARIO], release={**release, "name": "people"},
        use_cases=[USE_CASE],
    )  # fmt: skip
    path = write_case(tmp_path, plan, PEOPLE)
    source = tmp_path / "people.csv"
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(source.read_bytes()))
    source.unlink()
    path.write_text(path.read_text().replace("source: people.csv", "source: people.csv.gz"))
    code, printed = called("run", path, "--json" if release["format"] == "csv" else "--verbose")
    assert code == 0, printed
    assert _silent(printed)
    assert _leaks(tmp_path) == []
    names = {file.name for file in (tmp_path / "release").rglob("*")}
    assert {"report.html", "datapackage.json", "dictionary.csv", "manifest.json"} <= names


@pytest.mark.slow
def test_what_looks_at_a_run_later(tmp_path: Path, called: Called) -> None:
    """reproduce, audit diff, review: also with other files, and with a source that is broken by then."""
    path = write_case(tmp_path, plan_with(steps=STEPS, scenarios=[SCENARIO]), PEOPLE)
    assert called("run", path)[0] == 0
    run = next((tmp_path / "runs").glob("2*"))
    other = tmp_path / "gossip.csv"
    other.write_text(f"age,sex,note,who\n25,f,001,somebody\n{AGE},{SEX},{NOTE},{NAME}\n")
    source = tmp_path / "people.csv"
    broken = tmp_path / "broken.csv"
    broken.write_text(source.read_text() + f'{NAME},{AGE},"{NOTE}\n')
    for number, (arguments, codes) in enumerate((
        (("reproduce", run), {0}),
        (("reproduce", run, "--json"), {0}),
        (("reproduce", run, "--original", broken), {1}),
        (("audit", "diff", run, run), {0}),
        (("review", run, "--external", other, "--json"), {0, 1}),
        (("review", run, "--external", other), {0, 1}),
        (("review", run, "--original", broken), {2}),
        (("review", run, "--external", broken), {2}),
    )):  # fmt: skip
        more = ("--out", tmp_path / f"review{number}") if arguments[0] == "review" else ()
        code, printed = called(*arguments, *more)
        assert code in codes, printed
        assert _silent(printed), arguments
    assert len(list(tmp_path.glob("review*/review.html"))) == 2
    for place in tmp_path.glob("review*"):
        assert _leaks(place, inside=True) == []
    assert _leaks(tmp_path) == []
    second = path.read_text().replace("k: '3'", "k: '4'")
    path.write_text(second)
    source.write_text(source.read_text().replace(NAME, NAME[::-1]))
    assert called("run", path)[0] == 0
    code, printed = called("audit", "diff", run, tmp_path / "release", "--json")
    assert code == 0
    assert b"people.csv" in printed
    assert _silent(printed)


@pytest.mark.slow
def test_commands_that_look_at_the_file(tmp_path: Path, called: Called) -> None:
    path = write_case(tmp_path, plan_with(steps=STEPS, scenarios=[SCENARIO], use_cases=[USE_CASE]), PEOPLE)
    data = tmp_path / "people.csv"
    for arguments in (
        ("profile", data), ("profile", data, "--json"), ("check", path), ("check", path, "--json"),
        ("risk", path), ("risk", path, "--json"), ("risk", data, "--keys", "age,sex,ill,note"),
        ("verify", data, "--keys", "age,sex", "--k", "3", "--sensitive", "ill", "--json"),
        ("verify", data, "--keys", "age,sex,note"), ("compare", path, path), ("sweep", path, "--k", "2:3"),
        ("sweep", path, "--k", "2:3", "--json"), ("compare", path, path, "--json"),
        ("init", data, "-o", tmp_path / "new.yaml"), ("verify", data, "--keys", "agee"),
    ):  # fmt: skip
        code, printed = called(*arguments)
        assert code in (0, 2, 3), printed
        assert _silent(printed), arguments
    assert not any(canary in (tmp_path / "new.yaml").read_text() for canary in CANARIES)


def test_a_file_whose_first_line_is_a_record(tmp_path: Path, called: Called) -> None:
    path = write_case(tmp_path, plan_with(steps=STEPS), "")
    data = tmp_path / "people.csv"
    data.write_text(f"{NAME},{AGE},{SEX},{ILL},{NOTE}\n" + LINES)
    for arguments in (("run", path), ("check", path), ("check", path, "--json"), ("profile", data),
                      ("init", data, "-o", tmp_path / "new.yaml"), ("risk", path)):  # fmt: skip
        code, printed = called(*arguments)
        assert code == 2, printed
        assert _silent(printed), arguments
    data.write_text(f"{NAME},{NAME},{SEX},{ILL},{NOTE}\n" + LINES)
    code, printed = called("run", path)
    assert b"D011" in printed
    assert _silent(printed)


LATE: dict[str, tuple[dict[str, Any], str]] = {
    "a ragged lookup": ({"step": "recode", "variable": "note", "lookup": "late.csv"}, f'a,b\n{NOTE},{NAME},"{AGE}\n'),
    "a lookup that lacks values": (
        {"step": "recode", "variable": "note", "lookup": "late.csv", "others": "fault"}, "value,name\n001,one\n",
    ),
    "a hierarchy that lacks values": (
        {"step": "merge_small", "variable": "note", "fewer_than": "5", "hierarchy": "late.csv"}, "001;*\n002;*\n",
    ),
    "a mapping that lacks values": (
        {"step": "recode", "variable": "sex", "mapping": {"f": "x", "m": "y"}, "others": "fault"}, "",
    ),
    "numbers that are none": ({"step": "top_code", "variable": "note", "at": "3"}, ""),
    "dates that are none": ({"step": "recode", "variable": "note", "date_part": "year"}, ""),
    "a lookup in another encoding": ({"step": "recode", "variable": "note", "lookup": "late.csv"}, "\ud83d"),
}  # fmt: skip


@pytest.mark.parametrize("name", LATE)
def test_a_late_step_that_fails(tmp_path: Path, called: Called, name: str) -> None:
    step, text = LATE[name]
    (tmp_path / "late.csv").write_bytes(text.encode("utf-16", "surrogatepass") if "\ud83d" in text else text.encode())
    plan = plan_with(steps=[STEPS[0], STEPS[1], step, STEPS[2]])
    code, printed = called("run", write_case(tmp_path, plan, PEOPLE))
    assert code == 2, printed
    assert _silent(printed)
    _nothing_left(tmp_path)


def test_a_refusal_keeps_its_audit_and_tells_nothing(tmp_path: Path, called: Called) -> None:
    asked = [{"model": "k", "k": "50"}, {"model": "distinct_l", "sensitive": "ill", "l": "3"}]
    plan = plan_with(steps=STEPS[:2], requirements=asked, scenarios=[SCENARIO])
    for more in ((), ("--json",)):
        code, printed = called("run", write_case(tmp_path, plan, PEOPLE), *more)
        assert code == 3
        assert _silent(printed)
    _nothing_left(tmp_path)
    refused = next((tmp_path / "runs").glob("*-refused"))
    code, printed = called("reproduce", refused)
    assert code == 2
    assert _silent(printed)


@pytest.mark.parametrize(
    "place", ["report.write_audit", "report.write_release_files", "report.finish_audit", "publish.published_table"]
)
def test_a_disk_that_is_full(tmp_path: Path, called: Called, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, f"No space left for {NAME},{AGE}")

    monkeypatch.setattr(f"incrowd.pipeline.{place}", full)
    code, printed = called("run", write_case(tmp_path, plan_with(steps=STEPS), PEOPLE))
    assert code == 1
    assert b"X002" in printed
    assert _silent(printed)
    _nothing_left(tmp_path)


def test_wrong_plans(tmp_path: Path, called: Called) -> None:
    path = write_case(tmp_path, plan_with(steps=STEPS), PEOPLE)
    good = path.read_text()
    for bad in (
        good.replace("name: people", "name: manifest"),
        good.replace("role: sensitive", "role: sensible"),
        good.replace("  age:", "  agee:"),
        good.replace("source: people.csv", "source: nobody.csv"),
        good.replace("bands:", "bandss:"),
        good + "\n  : [",
    ):
        assert bad != good
        path.write_text(bad)
        for command in ("run", "check"):
            code, printed = called(command, path)
            assert code == 2, printed
            assert _silent(printed)


@pytest.mark.slow
def test_a_run_that_is_killed_leaves_nothing_outside_its_private_folder(tmp_path: Path, called: Called) -> None:
    path = write_case(tmp_path, plan_with(steps=STEPS), PEOPLE)
    code = (
        "import os, signal, sys, incrowd.pipeline.report as p\n"
        "p.write_release_files = lambda *a: os.kill(os.getpid(), signal.SIGKILL)\n"
        "from incrowd.cli import main; sys.argv = ['incrowd', 'run', 'plan.yaml']; main()"
    )
    env = {**os.environ, "INCROWD_SECRET": SECRET}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path, env=env)
    assert done.returncode == -signal.SIGKILL
    assert _silent(done.stdout + done.stderr)
    left = list((tmp_path / "runs").glob(".work-*"))
    assert len(left) == 1
    assert stat.S_IMODE(left[0].stat().st_mode) == 0o700
    assert not (tmp_path / "release").exists()
    outside = [p for p in tmp_path.rglob("*") if p.is_file() and left[0] not in p.parents and p.name != "people.csv"]
    assert not any(name.encode() in p.read_bytes() for p in outside for name in CANARIES)
    assert called("run", path)[0] == 0
    assert not list((tmp_path / "runs").glob(".work-*"))
    assert _leaks(tmp_path) == []


def test_nobody_is_quoted_by_python_itself(tmp_path: Path) -> None:
    """A caller who prints the chain of causes of an error sees no record either."""
    import traceback

    import incrowd as ic

    path = write_case(tmp_path, plan_with(steps=STEPS), LINES + f"{NAME},{ILL},{SEX},{ILL},{NOTE}\n")
    text = io.StringIO()
    with pytest.raises(ic.InputError) as raised:
        ic.run(path)
    traceback.print_exception(raised.value, file=text)
    assert _silent(text.getvalue().encode())
