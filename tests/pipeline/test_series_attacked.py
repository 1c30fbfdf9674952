"""A series under attack: three releases at once, releases taken away or put elsewhere, runs killed in the middle."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from examples import quick_only
from people import SECRET, plan_with, write_case

import incrowd as ic
from incrowd.errors import NotReleasable

STEPS = [
    {"step": "drop", "variables": ["name"]},
    {"step": "recode", "variable": "age", "bands": ["0", "40"]},
]
GROUPS = {"stay": range(40), "left": range(40, 52), "came": range(60, 72), "visitor": range(80, 81)}


def lines(*groups: str) -> str:
    numbers = [i for group in groups for i in GROUPS[group]]
    return "".join(f"n{i},{20 + i % 20},f,{'yn'[i % 2]},{i:03}\n" for i in numbers)


FIRST, SECOND, THIRD = lines("stay", "left"), lines("stay", "left", "came", "visitor"), lines("stay", "came")


def case(folder: Path, people: str, series: Any = "wages", **more: Any) -> Path:
    release = {"format": "csv", "name": "people", "series": series}
    return write_case(folder, plan_with(release=release, steps=STEPS, **more), people)


@pytest.mark.slow
def test_who_was_there_for_one_quarter_only_is_found_by_three_releases(tmp_path: Path) -> None:
    """New among a crowd that came, gone among a crowd that left: no two releases tell, the three do."""
    ic.run(case(tmp_path, FIRST))
    second = ic.run(case(tmp_path, SECOND))
    assert second.log.series.together is None
    with pytest.raises(NotReleasable) as caught:
        ic.run(case(tmp_path, THIRD))
    assert caught.value.code == "R041"
    assert "finds 1 of the 25 people in some of these releases and not in the others" in caught.value.message
    (refused,) = (tmp_path / "runs").glob("*-refused")
    report = (refused / "audit" / "report.html").read_text()
    assert "in some of these releases" in report
    assert "n80" not in report
    held = SECOND.replace(lines("visitor"), "")
    (other := tmp_path / "other").mkdir()
    for people in (FIRST, held):
        ic.run(case(other, people))
    done = ic.run(case(other, THIRD))
    assert [one.found for one in done.log.series.together.exposed] == [0, 0]
    assert "All 3 releases at once" in (done.audit / "report.html").read_text()


@pytest.mark.slow
def test_three_at_once_that_cannot_be_tried_do_not_count_as_passed(tmp_path: Path) -> None:
    names = plan_with()["variables"]
    others = {**names, "number": {"role": "identifier", "reason": "names a person"}}
    for people in (FIRST, lines("stay", "left", "came"), THIRD):
        path = case(tmp_path, people, {"name": "wages", "limit": 1}, variables=others)
        source = (tmp_path / "people.csv").read_text().splitlines()
        (tmp_path / "people.csv").write_text("\n".join([source[0] + ",number", *(x + ",1" for x in source[1:])]) + "\n")
        path.write_text(path.read_text().replace("- name\n", "- name\n  - number\n", 1))
        done = ic.run(path)
    assert not done.log.series.together.exposed
    assert "three and more at once were not tried" in (done.audit / "report.html").read_text()


@pytest.mark.parametrize("pointer", quick_only([True], [True, False]))
def test_a_release_that_was_taken_away_counts_until_somebody_says_why_not(tmp_path: Path, pointer: bool) -> None:
    """Who withdraws a release removes it and its pointer, and those who have it keep it: the audit still tells."""
    first = ic.run(case(tmp_path, FIRST))
    shutil.rmtree(first.release)
    if pointer:
        (tmp_path / "release").unlink()
    one_more = FIRST + lines("visitor")
    with pytest.raises(NotReleasable) as caught:
        ic.run(case(tmp_path, one_more))
    assert caught.value.code == "R040"
    assert f"{first.folder.name}: it was released, and only its audit is here" in caught.value.message
    excused = {"name": "wages", "without": {first.folder.name: "Withdrawn within the hour, no downloads."}}
    assert ic.run(case(tmp_path, one_more, excused)).log.series.without


def test_another_folder_for_the_runs_does_not_hide_those_beside_the_plan(tmp_path: Path) -> None:
    first = ic.run(case(tmp_path, FIRST))
    with pytest.raises(NotReleasable, match=first.folder.name):
        ic.run(case(tmp_path, FIRST + lines("visitor")), out=tmp_path / "elsewhere")


KILLS = {
    "while it compares": "import incrowd.pipeline.series as at; name = 'compare_editions'",
    "before the pointer": "import incrowd.audit.workspace as w; at, name = w.os, 'symlink'",
    "before the page": "import incrowd.pipeline.publish as at; name = 'write_series_page'",
}


@pytest.mark.slow
@pytest.mark.parametrize("when", quick_only(["before the pointer"], list(KILLS)))
def test_a_run_that_is_killed_leaves_a_series_that_is_right(tmp_path: Path, when: str) -> None:
    first = ic.run(case(tmp_path, FIRST))
    path = case(tmp_path, lines("stay", "left", "came"))
    code = (
        f"import os, signal\n{KILLS[when]}\n"
        "setattr(at, name, lambda *a, **b: os.kill(os.getpid(), signal.SIGKILL))\n"
        f"import incrowd as ic; ic.run({str(path)!r})"
    )
    env = {**os.environ, "INCROWD_SECRET": SECRET}
    assert subprocess.run([sys.executable, "-c", code], env=env, capture_output=True).returncode == -signal.SIGKILL
    runs = sorted((tmp_path / "runs").glob("2*"))
    points_to = (tmp_path / "release").resolve().parent
    assert points_to == (first.folder if when != "before the page" else runs[-1])
    left = {one.name for one in runs}
    assert len(left) == (1 if when == "while it compares" else 2)
    with pytest.raises(NotReleasable, match="finds 1 of the 1"):
        ic.run(case(tmp_path, FIRST + lines("visitor")))  # still held against the first
    done = ic.run(case(tmp_path, lines("stay", "left", "came")))
    assert {pair.run for pair in done.log.series.pairs} == left
    assert (tmp_path / "release").resolve() == done.release
    assert not list((tmp_path / "runs").glob(".work-*"))
    page = (tmp_path / "series.html").read_text()
    assert all(name in page for name in (*left, done.folder.name))
