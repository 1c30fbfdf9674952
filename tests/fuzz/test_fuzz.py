"""A short part of `make fuzz`, and whether the harness itself can see a fault."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from fuzz.makeplan import make_case
from fuzz.oracle import Records, judge
from fuzz.outcome import Outcome
from fuzz.promises import check_promises
from fuzz.reading import parse_csv
from fuzz.tables import to_csv

from fuzz import canaries, damaged, deriving, plans, recount, verifying

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "seconds"), [("plans", 90), ("verify", 30), ("bytes", 60), ("signals", 60), ("canaries", 45)]
)
def test_chance_finds_nothing_wrong(tmp_path: Path, kind: str, seconds: int) -> None:
    told = tmp_path / "told.json"
    arguments = ["--only", kind, "--seconds", seconds, "--found", tmp_path / "found", "--json", told, "--shrink", 0]
    subprocess.run([sys.executable, "-m", "fuzz", *map(str, arguments)], cwd=ROOT, check=False, timeout=900)
    (tally,) = json.loads(told.read_text())
    assert tally["tried"] > 0
    assert (tally["wrong"], tally["unexplained"]) == (0, 0), json.dumps(tally["found"], indent=1)


def test_every_command_is_tried_with_canaries_or_left_out_with_a_reason() -> None:
    assert {*canaries.all_commands()} == {*canaries.COMMANDS, *canaries.LEFT_OUT}
    assert all(canaries.LEFT_OUT.values())


@pytest.mark.parametrize("kind", [plans, verifying, damaged, canaries])
def test_a_seed_makes_the_same_case(kind: object) -> None:
    first, again = (json.dumps(kind.make(Random("7"))) for _ in range(2))  # type: ignore[attr-defined]
    assert first == again


def test_a_table_is_read_as_it_was_written() -> None:
    columns = {"a": ['say "yes"', None, "", "line\nbreak"], "b,c": ["x", "", None, " y "]}
    assert parse_csv(to_csv(columns)) == [["a", "b,c"], *map(list, zip(*columns.values(), strict=True))]


def test_the_oracle_knows_the_figures_of_the_literature() -> None:
    salaries = [{"key": "abc"[i // 3], "salary": str(n)} for i, n in enumerate([3, 4, 5, 6, 8, 11, 7, 9, 10])]
    whole = {str(n): 1 for n in range(3, 12)}
    records = Records(salaries, range(9), ("key",), {"salary": whole})
    asked = {"model": "t", "sensitive": "salary", "t": "0.2", "distance": "ordered"}
    assert judge(records, asked).figure == 0.375
    ill = [{"key": "a", "ill": value} for value in ["flu", "flu", "flu", "asthma"]]
    entropy = judge(Records(ill, range(4), ("key",)), {"model": "entropy_l", "sensitive": "ill", "l": 2})
    assert entropy.figure == pytest.approx(1.7548, abs=1e-4)
    assert not entropy.passed


def _played(tmp_path: Path) -> tuple[dict, Path, Path]:
    """A case whose plan releases something, and its files."""
    for number in range(100):
        case = make_case(Random(number))
        folder = tmp_path / str(number)
        folder.mkdir()
        fits = case["trace"] and case["plan"]["release"] == {"format": "csv"} and not case["unit"]
        if fits and plans.play(case, folder).released:
            release = (folder / "release").resolve()
            return case, release, release.parent / "audit"
    raise AssertionError("no plan was released")


def test_a_release_that_was_tampered_with_is_seen(tmp_path: Path) -> None:
    case, release, audit = _played(tmp_path)
    good = Outcome()
    recount.check_release(case, release, audit, good)
    assert not good.faults
    content = (release / "data.csv").read_bytes()
    lines = content.splitlines(keepends=True)
    for damaged_content, sort in [(content + lines[-1], "wrong"), (content.replace(b"r", b"s"), "half"), (b"", "half")]:
        (release / "data.csv").write_bytes(damaged_content)
        seen = Outcome()
        try:
            recount.check_release(case, release, audit, seen)
        except (ValueError, IndexError):
            continue  # not even a table any more
        assert sort in {fault.sort for fault in seen.faults}


def test_a_class_that_is_too_small_is_seen() -> None:
    rows = [{"age": "30", "sex": "f"}, {"age": "30", "sex": "f"}, {"age": "30", "sex": "m"}]
    records = Records(rows, range(3), ("age", "sex"))
    assert judge(records, {"model": "k", "k": "1"}).passed
    assert not judge(records, {"model": "k", "k": "2"}).passed
    people = Records(rows, ["one", "one", "two"], ("age", "sex"))
    assert judge(people, {"model": "k", "k": "1"}).figure == 1


@pytest.mark.parametrize(
    ("step", "out", "words"),
    [
        ({"step": "merge_small", "fewer_than": "3", "into": "other"}, ["other", "other", "b", "b"], "still small"),
        ({"step": "recode", "date_part": "weekday"}, ["Monday"] * 4, "not in its weekday"),
        ({"step": "pram", "rate": "0.1"}, ["a", "b", "b", "b"], "different ways"),
        ({"step": "suppress_cells", "k": "2"}, ["x", None, None, None], "another value"),
    ],
)
def test_a_broken_promise_of_a_step_is_seen(step, out, words):
    came = ["2024-05-31"] * 4 if "date_part" in step else ["a", "a", "b", "b"]
    case = {
        "unit": "who",
        "columns": {"v": came, "who": ["p", "p", "q", "r"]},
        "plan": {"variables": {"v": {"role": "key"}, "who": {"role": "identifier"}}},
    }
    outcome = Outcome()
    check_promises(case, [{**step, "variable": "v"}], [{"v": cell} for cell in out], [0, 1, 2, 3], 0, outcome)
    assert any(words in fault.text for fault in outcome.faults)


def test_what_is_derived_is_worked_out_exactly():
    assert [deriving.said(work("22.5")) for _, work in deriving.NUMBERS[:5]] == ["2", "23.5", "-11.25", "1.5", "3.21"]
    assert [deriving.said(work("2024-05-31")) for _, work in deriving.DATES[:4]] == ["2024", "2", "531", "Friday"]
