"""What a run says of itself in a terminal: short, and all of it on request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from commands import incrowd_cli
from logs import small_log
from people import plan_with, write_case

from incrowd.attack.value import Attacked, Rate
from incrowd.audit.log import RunLog
from incrowd.cli import _consoles
from incrowd.cli._show import show_run, show_runs
from incrowd.keys.unit_name import UnitName
from incrowd.pipeline import FileRun
from incrowd.plan.verdict import Verdict

HINT = "is in the internal report, or with --verbose."
LIMIT = Verdict("the attack linkage (a) succeeds for at most 0.33 of those it goes for", "attack", True, 0.33, 0.1)


def attacked(hits: int, word: str = "linkage", acts: str = "looks for records: picks one") -> Attacked:
    return Attacked(word, "a neighbour", "k", acts, Rate(hits, 1000), 0.0, None, "s", worst=(4711,))


ATTACKS = (
    attacked(10), attacked(400, "gap"), attacked(20), attacked(300, "skewness"), attacked(200, "nearest"),
    Attacked("dictionary", "a neighbour", "k", "a", None, None, None, "s", why="no pseudonym", does_not_apply="plan"),
)  # fmt: skip


def shown(log: RunLog, capsys: pytest.CaptureFixture[str], verbose: bool = False, width: int = 120) -> str:
    done = FileRun(Path("r"), Path("r/release"), Path("r/audit"), log)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_consoles.console, "_width", width)
        show_runs((done, done), verbose)
    return capsys.readouterr().out


def test_all_steps_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(small_log(), capsys)
    assert "1 step: records 12 to 10, classes 3 to 2, uniques 0 to 0; smallest class 4\n" in out
    assert "suppress records" not in out
    assert "attack" not in out
    off = replace(small_log().steps[-1], off=True)
    assert "0 steps: " in shown(small_log(steps=(small_log().steps[0], off)), capsys)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_strongest_attacks_are_named_by_what_they_add(capsys: pytest.CaptureFixture[str], width: int) -> None:
    log = small_log(attacks=ATTACKS, verdicts=(*small_log().verdicts, LIMIT))
    out = " ".join(shown(log, capsys, width=width).split())
    assert "holds 1 limit to attacks, by the upper ends of their intervals" in out
    assert "tried 5 of 6 attacks, not all with a limit; the strongest add to a guess up to:" in out
    upper = [f"{Rate(hits, 1000).high:.0%}" for hits in (400, 300, 200)]
    told = [f"{value} {name} (a neighbour): looks for records" for value, name in zip(
        upper, ("gap", "skewness", "nearest"), strict=True)]  # fmt: skip
    assert " ".join(told) in out
    assert "linkage" not in out
    assert "dictionary" not in out
    assert "4711" not in out


@pytest.mark.parametrize(
    ("tries", "hits", "figure"), [(10**6, 10, "0.0018%"), (10**6, 999_900, "more than 99.9%"), (9, 9, "100%")]
)
def test_a_little_is_not_told_as_nothing_nor_almost_all_as_all(
    capsys: pytest.CaptureFixture[str], tries: int, hits: int, figure: str
) -> None:
    out = shown(small_log(attacks=(replace(attacked(1), success=Rate(hits, tries)),)), capsys)
    assert f"  {figure}  linkage (a neighbour): " in out


def test_attacks_take_few_lines_however_long_their_names_are(capsys: pytest.CaptureFixture[str]) -> None:
    long = replace(attacked(300, "skewness", "compares " * 60), scenario="somebody " * 40, about="income " * 30)
    out = shown(small_log(attacks=(long,) * 5), capsys, width=80)
    between = out.split("tried  ")[1].split("warning")[0]
    assert len(between.splitlines()) <= 10, between


def test_without_limits_or_anything_tried_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(small_log(attacks=ATTACKS[:1]), capsys)
    assert "limit to attacks" not in out
    assert "tried  1 attack, none with a limit; the strongest" in out
    assert "tried  0 of 1 attack\n" in shown(small_log(attacks=ATTACKS[-1:]), capsys)


def test_those_in_the_file_have_their_own_name(capsys: pytest.CaptureFixture[str]) -> None:
    log = small_log(attacks=(attacked(9, acts="looks for people"),), called=UnitName("dwelling", "dwellings"))
    assert "looks for dwellings" in shown(log, capsys)


def test_the_long_tables_are_shown_on_request_and_the_end_says_where_they_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = small_log(attacks=ATTACKS)
    brief, whole = shown(log, capsys), shown(log, capsys, verbose=True)
    assert brief.endswith(f"Every step and every attack {HINT}\n")
    assert brief.count(HINT) == 1  # of two files
    assert shown(small_log(), capsys).endswith(f"Every step {HINT}\n")
    for text in ("suppress records for k", "Attacks on the written file", "does not apply", "cells changed"):
        assert text not in brief
        assert text in whole
    assert HINT not in whole
    long = {line for line in brief.splitlines() if not line.startswith("Every")}
    assert long <= {*whole.splitlines()}  # nothing is lost
    assert "4711" not in whole


def test_a_finding_is_one_line(tmp_path: Path) -> None:
    case = {"name": "How many are ill?", "test": "proportion", "share": {"ill": ["y"]}, "within": 0.5}
    plan = write_case(tmp_path, plan_with(use_cases=[case]))
    brief, whole = (incrowd_cli("run", plan, *more, COLUMNS="40") for more in ((), ("-v",)))
    assert (brief.returncode, whole.returncode) == (0, 0), brief.stderr
    line = next(line for line in brief.stdout.splitlines() if "How many" in line)
    assert line.startswith("keeps  How many are ill? ")
    assert len(line) == 40
    assert line.endswith("...")
    assert brief.stdout.isascii()  # a terminal that has no other letters shows it too
    found = next(i for i, line in enumerate(whole.stdout.splitlines()) if "How many" in line)
    assert line[:30] == whole.stdout.splitlines()[found][:30]
    assert not whole.stdout.splitlines()[found].endswith("...")


def test_one_file_can_be_shown_alone(capsys: pytest.CaptureFixture[str]) -> None:
    show_run(FileRun(Path("r"), Path("r/release"), Path("r/audit"), small_log()))
    assert HINT not in capsys.readouterr().out
