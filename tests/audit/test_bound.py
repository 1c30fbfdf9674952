"""A verdict speaks of bytes: of those that were read and those that were counted. Others are not released."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from examples import quick_only
from people import plan_with, write_case

import incrowd as ic
from incrowd.pipeline import publish

ADD = """import glob
def f(original, released):
    open(glob.glob({place!r})[0], "a").write("66,x,y,1\\n")
    return True
"""


def _nothing_released(home: Path) -> bool:
    kept = [path.name for path in (home / "runs").iterdir() if path.name != ".lock"]
    return not kept and not (home / "release").exists()


def test_code_that_rewrites_the_counted_file_keeps_it_from_being_released(tmp_path: Path) -> None:
    case = {"name": "mine", "test": "python", "function": "mine:f", "columns": ["sex"]}
    path = write_case(tmp_path, plan_with(use_cases=[case]))
    place = str(tmp_path / "runs" / ".work-*" / "out" / "release" / "people.csv")
    (tmp_path / "mine.py").write_text(ADD.format(place=place))
    with pytest.raises(ic.NotReleasable, match=r"R031.*people\.csv is changed"):
        ic.run(path)
    assert _nothing_released(tmp_path)


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


FILES = [
    "release/people.csv", "release/people.csv-metadata.json", "release/datapackage.json", "release/dictionary.csv",
    "release/report.html", "release/manifest.json", "release/manifest.json.sig", "audit/log.json", "audit/plan.yaml",
    "audit/report.html", "audit/manifest.json", "audit/manifest.json.sig", "audit/secret",
]  # fmt: skip
DONE: dict[str, Callable[[Path], Any]] = {
    "flipped": _flip,
    "cut": lambda path: os.truncate(path, path.stat().st_size - 1),
    "gone": lambda path: path.unlink(),
    "a link": lambda path: (path.rename(path.parents[2] / "elsewhere"), path.symlink_to(path.parents[2] / "elsewhere")),
    "more": lambda path: (path.parent / "more.csv").write_text("x\n"),
}


@pytest.fixture(scope="module")
def tampered() -> Callable[[Path, Callable[[Path], None]], None]:
    """Run a plan, and do something to its private folder at the last moment before it is published."""

    def run(path: Path, tamper: Callable[[Path], None]) -> None:
        @contextmanager
        def last(*given: Any) -> Iterator[None]:
            tamper(next((path.parent / "runs").glob(".work-*")) / "out")
            yield

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(publish, "published_table", last)
            ic.run(path)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("done", quick_only(["flipped"], DONE))
def test_no_file_of_release_or_audit_changes_between_its_writing_and_its_publishing(
    tmp_path: Path, done: str, tampered: Callable[..., None]
) -> None:
    path = write_case(tmp_path)
    # One run for each kind of change, not for each file: all of them are looked at in the same place.
    for name in FILES if done == "flipped" else FILES[::6]:
        with pytest.raises(ic.NotReleasable, match=r"R031|R033"):
            tampered(path, lambda out, name=name: DONE[done](out / name))
        assert _nothing_released(tmp_path), name


def test_a_part_of_a_folder_of_parts_is_bound_as_well(tmp_path: Path, tampered: Callable[..., None]) -> None:
    path = write_case(tmp_path, plan_with(release={"format": "parquet", "name": "people", "parts": True}))
    with pytest.raises(ic.NotReleasable, match="R031"):
        tampered(path, lambda out: _flip(next((out / "release").rglob("part-*.parquet"))))
    with pytest.raises(ic.NotReleasable, match="R031"):
        tampered(path, lambda out: (out / "release" / "people" / "_more.parquet").write_text("x"))
    assert _nothing_released(tmp_path)


def test_a_file_that_changes_while_the_gate_counts_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gating = import_module("incrowd.release.gate")  # the package has a function of this name
    real = gating.judge

    def meanwhile(count: Any, *given: Any) -> Any:
        found = real(count, *given)
        with count.path.open("a") as out:
            out.write("66,x,y,1\n")
        return found

    monkeypatch.setattr(gating, "judge", meanwhile)
    with pytest.raises(ic.NotReleasable, match="R030"):
        ic.run(write_case(tmp_path))
    assert not (tmp_path / "release").exists()


def _inputs(folder: Path) -> Path:
    """A plan that reads a folder of parts, a population, a lookup, a hierarchy, a function and a register."""
    lines = "".join(f"{20 + i % 40},{'fm'[i % 2]}\n" for i in range(400))
    for name in ("population.csv", "register.csv"):
        (folder / name).write_text("age,sex\n" + lines)
    (folder / "look.csv").write_text("value,name\n" + "".join(f"00{i},n{i // 2}\n" for i in range(7)))
    (folder / "ill.csv").write_text("y;any\nn;any\n")
    (folder / "mine.py").write_text("def f(original, released):\n    return True\n")
    plan = plan_with(
        data={"source": "people.csv", "kind": "survey", "population": {"source": "population.csv"}},
        requirements=[
            {"model": "k", "k": "3"},
            {"model": "t", "t": "0.9", "sensitive": "ill", "distance": "hierarchical", "hierarchy": "ill.csv"},
        ],
        use_cases=[{"name": "mine", "test": "python", "function": "mine:f", "columns": ["sex"]}],
    )
    plan["steps"].insert(2, {"step": "recode", "variable": "note", "lookup": "look.csv"})
    plan["attack"] = [{"attacks": ["linkage"], "register": "register.csv"}]
    return write_case(folder, plan)


CHANGES: dict[str, Callable[[Path], Any]] = {
    "other bytes": lambda path: path.write_bytes(path.read_bytes() + b"\n"),
    "there and back": lambda path: (
        path.write_bytes(path.read_bytes() + b"\n"),
        os.truncate(path, path.stat().st_size - 1),
    ),
    "back to its time": lambda path: (
        times := (path.stat().st_atime_ns, path.stat().st_mtime_ns),
        path.write_bytes(path.read_bytes()[::-1]),
        path.write_bytes(path.read_bytes()[::-1]),
        os.utime(path, ns=times),
    ),
    "another file": lambda path: (
        path.rename(path.with_suffix(".old")),
        path.write_bytes(path.with_suffix(".old").read_bytes()),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    quick_only(["people.csv"], ["people.csv", "population.csv", "look.csv", "ill.csv", "mine.py", "register.csv"]),
)
def test_an_input_that_is_written_to_during_the_run_is_refused(tmp_path: Path, name: str) -> None:
    path = _inputs(tmp_path)
    changes = CHANGES if name == "people.csv" else {"other bytes": CHANGES["other bytes"]}
    for change in changes.values():

        def meanwhile(what: str, number: int, total: int, change: Callable[[Path], Any] = change) -> None:
            if what == "evidence":
                time.sleep(0.02)  # clocks of file systems tick
                change(tmp_path / name)

        with pytest.raises(ic.NotReleasable, match=f"R032.*{name}"):
            ic.run(path, progress=meanwhile)
        assert _nothing_released(tmp_path)


@pytest.mark.parametrize("change", ["changed", "added", "removed"])
def test_a_folder_of_parts_that_changes_during_the_run_is_refused(tmp_path: Path, change: str) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    path = write_case(tmp_path, plan_with(data={"source": "parts", "kind": "survey"}))
    table = pyarrow.csv.read_csv(tmp_path / "people.csv")
    (tmp_path / "parts").mkdir()
    for number in range(2):
        pyarrow.parquet.write_table(table, tmp_path / "parts" / f"{number}.parquet")

    def meanwhile(what: str, number: int, total: int) -> None:
        if what == "evidence":
            one = tmp_path / "parts" / "1.parquet"
            if change == "removed":
                one.unlink()
            else:
                target = one if change == "changed" else one.with_name("2.parquet")
                pyarrow.parquet.write_table(table.slice(1), target)

    with pytest.raises(ic.NotReleasable, match=r"R032.*parts"):
        ic.run(path, progress=meanwhile)
    assert _nothing_released(tmp_path)


def test_a_refused_run_keeps_no_audit_of_a_file_that_it_did_not_read(tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with(steps=[{"step": "drop", "variables": ["name"]}]))

    def meanwhile(what: str, number: int, total: int) -> None:
        if what == "evidence":
            (tmp_path / "people.csv").write_text("name,age,sex,ill,note\n")

    with pytest.raises(ic.NotReleasable, match="R032"):
        ic.run(path, progress=meanwhile)
    assert _nothing_released(tmp_path)


def test_a_pipe_is_no_input_that_can_be_vouched_for(tmp_path: Path) -> None:
    plan = ic.load_plan(write_case(tmp_path))
    (tmp_path / "people.csv").unlink()
    os.mkfifo(tmp_path / "people.csv")
    with pytest.raises(ic.InputError, match="D303"):
        ic.run(plan, folder=tmp_path)


def test_files_of_tiers_are_the_ones_that_were_tried_together(tmp_path: Path) -> None:
    drop, bands, suppress = plan_with()["steps"]
    plan = plan_with(steps=[drop])
    del plan["tier"]
    plan["tiers"] = [{"tier": name, "steps": [bands, suppress]} for name in ("open", "safeguarded")]
    path = write_case(tmp_path, plan)

    def meanwhile(what: str, number: int, total: int) -> None:
        if what == "read and count":  # the trial is over, the first file is made
            with (tmp_path / "people.csv").open("a") as out:
                out.write("n99,25,f,y,001\n")

    with pytest.raises(ic.NotReleasable, match=r"R03[24]"):
        ic.run(path, progress=meanwhile)
    assert not list(tmp_path.glob("*/release"))
