"""incrowd attack: what it shows, what it writes, what it never shows."""

import contextlib
import json
from pathlib import Path

from click.testing import Result
from people import plan_with, write_case
from typer.testing import CliRunner

import incrowd as ic
from incrowd.cli import load
from incrowd.errors import IncrowdError

SCENARIOS = [{"name": "a neighbour", "keys": ["age", "sex"]}, {"name": "seen", "keys": ["sex"]}]


def attack(folder: Path, *arguments: str) -> Result:
    with contextlib.chdir(folder):
        return CliRunner(env={"COLUMNS": "200"}).invoke(load(), ["attack", *arguments])


def weak(folder: Path) -> Path:
    plan = plan_with(
        steps=[{"step": "drop", "variables": ["name"]}],
        requirements=[{"model": "k", "k": "1"}],
        scenarios=SCENARIOS,
    )
    return write_case(folder, plan)


def test_a_plan_is_attacked_in_its_scenarios(tmp_path: Path) -> None:
    weak(tmp_path)
    done = attack(tmp_path, "plan.yaml", "--attacks", "linkage,singling_out", "--records", "worst.csv")
    assert done.exit_code == 0, done.stderr
    assert "Attacks in the scenario: a neighbour" in done.stdout
    assert "Attacks in the scenario: seen" in done.stdout
    assert "baseline" in done.stdout
    assert "residual" in done.stdout
    assert "An intruder who knows age and sex" in done.stdout
    worst = tmp_path / "worst.csv"
    assert worst.stat().st_mode & 0o777 == 0o600
    lines = worst.read_text().splitlines()
    assert lines[0] == "attack,scenario,line"
    assert any(line.startswith('linkage,"a neighbour",') for line in lines)
    assert not (tmp_path / "release").exists()


def test_a_release_is_attacked_with_the_data_where_they_are_now(tmp_path: Path) -> None:
    run = ic.run(weak(tmp_path))
    moved = tmp_path / "elsewhere.csv"
    (tmp_path / "people.csv").rename(moved)
    options = ("--scenario", "a neighbour", "--attacks", "linkage", "--json")
    done = attack(tmp_path, str(run.release), "--original", "elsewhere.csv", *options)
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    (one,) = found["attacks"]
    assert found["records"] == found["of"] == 60
    assert one["attack"] == "linkage"
    assert one["success"]["tries"] == 60
    assert one["worst"] == 20  # how many, and not which
    assert one["success"]["low"] < one["success"]["value"] < one["success"]["high"]
    assert one["tried"] == "60"
    assert "known of everybody" in one["assumed"]
    same = {a.attack: a for a in ic.attack(run.folder, original=moved, scenarios=["a neighbour"]).attacks}
    assert same["linkage"].success is not None
    assert same["linkage"].success.hits == one["success"]["hits"]


def test_what_cannot_be_is_refused_with_the_way_out(tmp_path: Path) -> None:
    weak(tmp_path)
    (tmp_path / "empty").mkdir()
    for arguments, code in (
        (("plan.yaml", "--attacks", "telepathy"), "D196"),
        (("plan.yaml", "--scenario", "nobody"), "D197"),
        (("plan.yaml", "--engine", "abacus"), "D199"),
        (("none.yaml",), "D200"),
        (("plan.yaml", "--other", "empty"), "D195"),
        (("plan.yaml", "--salts", "empty"), "D496"),
        (("plan.yaml", "--original", "none.csv"), "D000"),
    ):
        done = attack(tmp_path, *arguments)
        assert isinstance(done.exception, IncrowdError)
        assert done.exception.code == code
        assert done.exception.exit_code == 2


def test_a_file_that_the_gate_would_refuse_is_attacked_and_it_is_said(tmp_path: Path) -> None:
    steps = [{"step": "drop", "variables": ["name"]}]
    write_case(tmp_path, plan_with(steps=steps))  # k = 3, and nothing done for it
    done = attack(tmp_path, "plan.yaml", "--attacks", "linkage")
    assert done.exit_code == 0, done.stderr
    assert "would not be released. R001" in done.stdout


def test_another_release_is_read_from_its_folder(tmp_path: Path) -> None:
    run = ic.run(weak(tmp_path))
    done = attack(tmp_path, "plan.yaml", "--attacks", "linkage", "--other", str(run.folder), "--json")
    assert done.exit_code == 0, done.stderr
