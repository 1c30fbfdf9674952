"""incrowd propose as a command: what it prints, its exit codes, its files, and Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from commands import incrowd_cli
from people import SECRET
from propose_cases import ROLES, some_people, write_goal

import incrowd as ic


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan, and proposals for it in the folder `out`."""
    folder = tmp_path_factory.mktemp("home")
    path = write_goal(folder, some_people(400), ROLES)
    done = incrowd_cli("propose", path, "--tier", "controlled", "-o", folder / "out", "--most", 2, "-v")
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "printed.txt").write_text(done.stdout)
    return folder


def test_it_says_what_it_recommends_and_that_nothing_was_released(home: Path) -> None:
    told = (home / "printed.txt").read_text()
    assert "recommended" in told
    assert "Nothing was released." in told
    assert "names no use cases" in told
    assert "added to the plan: name: left out, as identifiers" in told
    assert sorted(path.name for path in (home / "runs").iterdir() if path.is_dir()) == []


def test_the_files_are_for_their_owner_only(home: Path) -> None:
    files = [path for path in (home / "out").rglob("*") if path.is_file()]
    assert {"recommended.yaml", "proposals.html", "chart.html", "proposals.json"} <= {path.name for path in files}
    for path in files:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE((home / "out").stat().st_mode) == 0o700


def test_a_folder_with_the_secret_of_another_project_is_refused(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("INCROWD_SECRET", raising=False)
    (tmp_path / "incrowd.secret").write_text("ab" + "0123456789abcdef" * 3 + "f00dfeedc0ffee\n")
    (tmp_path / "incrowd.secret").chmod(0o600)
    done = incrowd_cli("propose", home / "plan.yaml", "--tier", "controlled", "-o", tmp_path, "--force")
    assert done.returncode == 2
    assert "D399" in done.stdout + done.stderr
    assert "secret of another project" in done.stdout + done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["incrowd.secret"]


@pytest.mark.slow
def test_earlier_proposals_stay_unless_force_is_given(home: Path) -> None:
    before = {path.name: path.read_bytes() for path in (home / "out").iterdir()}
    done = incrowd_cli("propose", home / "plan.yaml", "--tier", "controlled", "-o", home / "out")
    assert done.returncode == 2
    assert "D399" in done.stdout + done.stderr
    assert "--force" in done.stdout + done.stderr
    assert {path.name: path.read_bytes() for path in (home / "out").iterdir()} == before
    again = incrowd_cli(
        "propose", home / "plan.yaml", "--tier", "controlled", "-o", home / "out", "--most", 1, "--force"
    )
    assert again.returncode == 0, again.stderr
    assert not list((home / "out").glob("other-*.yaml"))
    incrowd_cli("propose", home / "plan.yaml", "--tier", "controlled", "-o", home / "out", "--most", 2, "--force")
    assert {path.name: path.read_bytes() for path in (home / "out").iterdir()} == before


def test_json_is_json_and_nothing_else(home: Path) -> None:
    done = incrowd_cli("propose", home / "plan.yaml", "--tier", "controlled", "--most", 1, "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["tier"] == "controlled"
    assert found["proposals"][0]["recommended"]
    assert found["out"] is None


def test_a_goal_that_cannot_be_reached_ends_with_3_and_leaves_no_plan(tmp_path: Path) -> None:
    names = [name for name in ROLES if name != "name"]
    path = write_goal(tmp_path, some_people(40), ROLES, propose={"keep": names, "perturbation": False})
    done = incrowd_cli("propose", path, "-o", tmp_path / "out")
    assert done.returncode == 3, done.stdout
    assert "no plan was found that is fit for open" in done.stdout
    assert not list((tmp_path / "out").rglob("*.yaml"))
    assert (tmp_path / "out" / "proposals.html").exists()
    found = json.loads((tmp_path / "out" / "proposals.json").read_text())
    assert found["proposals"] == []
    assert found["obstacles"]
    as_json = incrowd_cli("propose", path, "--json")
    assert as_json.returncode == 3
    assert json.loads(as_json.stdout)["obstacles"] == found["obstacles"]


@pytest.mark.parametrize(
    ("asked", "code", "hint"),
    [
        ({"keep": ["aeg"]}, "P114", "age"),
        ({"weights": {"name": 2}}, "P114", "name"),
        ({"finest": {"pay": "100"}}, "P114", "pay"),
        ({"finest": {"age": "dropped"}, "coarsest": {"age": "as it is"}}, "D394", "Exchange"),
        ({"finest": {"age": "dropped"}, "keep": ["age"]}, "D394", "finer"),
        ({"coarsest": {"age": "parsec"}}, "D396", "as it is"),
    ],
)
def test_wrong_words_have_a_code_and_a_hint(tmp_path: Path, asked: dict[str, object], code: str, hint: str) -> None:
    done = incrowd_cli("propose", write_goal(tmp_path, some_people(60), ROLES, propose=asked))
    assert done.returncode == 2
    assert code in done.stdout + done.stderr
    assert hint in done.stdout + done.stderr


def test_a_value_of_a_use_case_that_no_level_has_is_d395(tmp_path: Path) -> None:
    cases = [{"name": "c", "test": "t_test", "of": "pay", "between": {"age": ["30", "40"]}}]
    asked = {"finest": {"age": "20"}, "hierarchies": {"age": {"widths": [20]}}}
    done = incrowd_cli("propose", write_goal(tmp_path, some_people(300), ROLES, propose=asked, use_cases=cases))
    assert done.returncode == 2
    assert "D395" in done.stdout + done.stderr


@pytest.mark.slow
def test_ctrl_c_gives_the_best_so_far_and_ends_well(tmp_path: Path) -> None:
    path = write_goal(tmp_path, some_people(3_000), ROLES)

    def hear() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    command = [
        sys.executable,
        "-m",
        "incrowd",
        "propose",
        str(path),
        "--tier",
        "safeguarded",
        "--most",
        "7",
        "-o",
        "out",
    ]
    began = time.monotonic()
    process = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=hear, env={**os.environ, "INCROWD_SECRET": SECRET, "COLUMNS": "160"},
    )  # fmt: skip
    while time.monotonic() < began + 60 and not list(tmp_path.glob("runs/.work-*/**/candidate-2*")):
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in out + err
    assert "Stopped: these are the best so far." in out
    assert process.returncode == (0 if (tmp_path / "out" / "recommended.yaml").exists() else 3), out + err
    assert json.loads((tmp_path / "out" / "proposals.json").read_text())["stopped"] is True
    assert not [entry for entry in (tmp_path / "runs").iterdir() if entry.is_dir()]
    if process.returncode == 0:
        plan = tmp_path / "out" / "recommended.yaml"
        assert "stopped" in " ".join(yaml.safe_load(plan.read_text())["proposed"]["search"])
        assert ic.check(plan).plan.tier == "safeguarded"
