"""Nothing leaks on the way: canaries in the data must not be found in anything that leaves, or is printed."""

import os
import subprocess
import sys

import pytest
from people import PLAN, SECRET, plan_with, write_case

NAME, RARE, BROKEN = "Xanthippe-Canary", "97531", "Broken-Canary"
LINES = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(60))
WITH_CANARIES = LINES + f"{NAME},{RARE},f,y,note{RARE}\n"


def incrowd(*arguments, folder):
    code = "import sys; from incrowd.cli import main; sys.argv[0] = 'incrowd'; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        cwd=folder,
        env={**os.environ, "INCROWD_SECRET": SECRET, "COLUMNS": "200"},
    )


def everything(folder, done, inputs=("people.csv",)):
    yield "stdout", done.stdout
    yield "stderr", done.stderr
    for path in folder.rglob("*"):
        if path.is_file() and path.name not in inputs and path.name != "secret":
            yield str(path.relative_to(folder)), path.read_bytes()


def assert_no_canary(folder, done, secret_too=True):
    canaries = [NAME, RARE, BROKEN, *([SECRET] if secret_too else [])]
    for place, content in everything(folder, done):
        for canary in canaries:
            assert canary.encode() not in content, f"{canary} leaked into {place}"


def test_a_release_and_all_that_is_printed(tmp_path):
    # The one person of 97,531 years is recoded to 40+ and dropped nowhere: only the cell must not show.
    plan = plan_with(steps=[*PLAN["steps"][:2], {"step": "recode", "variable": "note", "prefix": 2}, PLAN["steps"][2]])
    done = incrowd("run", write_case(tmp_path, plan, WITH_CANARIES), "--verbose", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert_no_canary(tmp_path, done)


@pytest.mark.slow
def test_a_run_for_scripts_names_no_value_that_was_merged(tmp_path):
    """What a step notes names values that few have; that is for the audit, not for the log of whoever started it."""
    merge = {"step": "merge_small", "variable": "note", "fewer_than": 9, "into": "other"}
    plan = plan_with(steps=[*PLAN["steps"][:2], merge, PLAN["steps"][2]])
    done = incrowd("run", write_case(tmp_path, plan, WITH_CANARIES), "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert RARE.encode() not in done.stdout + done.stderr
    assert RARE in next(tmp_path.glob("runs/*/audit/log.json")).read_text()


@pytest.mark.slow
def test_a_refusal(tmp_path):
    plan = plan_with(steps=PLAN["steps"][:1], requirements=[{"model": "k", "k": "50"}])
    done = incrowd("run", write_case(tmp_path, plan, WITH_CANARIES), folder=tmp_path)
    assert done.returncode == 3
    assert b"R001" in done.stderr
    assert_no_canary(tmp_path, done)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        f"{NAME},{RARE},f,{BROKEN}\n",  # ragged
        f'{NAME},{RARE},f,y,"{BROKEN}\n',  # an open quotation mark
        f"{NAME},{BROKEN},f,y,1\n",  # not a number, where the plan wants bands
        f"{NAME},{RARE},f,y,{BROKEN}\0\n",
    ],
)
def test_a_cell_that_makes_the_engine_complain(tmp_path, line):
    done = incrowd("run", write_case(tmp_path, None, LINES + line), folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert_no_canary(tmp_path, done)
    assert not list((tmp_path / "runs").glob("*/release"))


@pytest.mark.slow
def test_an_unexpected_error_says_where_but_not_what(tmp_path):
    plan = write_case(tmp_path, None, WITH_CANARIES)
    code = (
        "import sys, incrowd.protect.methods as p, incrowd.plan.steps.columns as s\n"
        f"def boom(*a): raise RuntimeError('row: {NAME},{RARE}')\n"
        "p.METHODS[s.Drop] = boom\n"
        "from incrowd.cli import main; sys.argv = ['incrowd', 'run', 'plan.yaml']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=tmp_path, env={**os.environ})
    assert done.returncode == 1
    assert b"X001" in done.stderr
    assert b"boom" in done.stderr
    assert_no_canary(tmp_path, done)
    del plan


@pytest.mark.slow
def test_profile_check_and_verify_print_no_value(tmp_path):
    plan = write_case(tmp_path, None, WITH_CANARIES)
    for arguments in (
        ("profile", "people.csv"),
        ("profile", "people.csv", "--json"),
        ("check", plan),
        ("verify", "people.csv", "--keys", "age,sex", "--k", "3", "--sensitive", "ill"),
        ("init", "people.csv", "-o", "new.yaml"),
    ):
        done = incrowd(*arguments, folder=tmp_path)
        assert done.returncode in (0, 3), done.stderr
        assert_no_canary(tmp_path, done)
