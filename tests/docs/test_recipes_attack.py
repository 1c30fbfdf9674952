"""The recipe for an attack, followed on a toy: one file, and it is tried, judged, advised, helped with and told."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from board import Sections
from people import PLAN, plan_with, write_case
from recipes import ROOT, files_of, generator, recipe
from typer.testing import CliRunner

import incrowd as ic
from incrowd.attack import ATTACKS
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.cli import load
from incrowd.report.board.advice import advise
from incrowd.report.board.untried import untried
from incrowd.report.words import MORE_RESIDUALS, RESIDUALS

ACTS = "takes everybody for the first record"


@pytest.fixture
def toy() -> Iterator[None]:
    """What the file of an attack would hold."""

    @attack("first_record", ACTS, residual="Clever people", once=True)
    def first_record(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
        number = situation.released.num_rows
        told = "One of them is the first record, of course."
        where = situation.scenario.name
        return [Attacked("first_record", where, "nothing", ACTS, Rate(1, number), 1 / number, None, told)]

    yield
    ATTACKS.remove("first_record")


def test_the_recipe_names_files_that_are_there() -> None:
    named = files_of(recipe("An attack"))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_an_attack_that_registers_itself_is_in_the_report(toy: None, tmp_path: Path) -> None:
    done = ic.run(write_case(tmp_path, plan_with(steps=[*PLAN["steps"], {"step": "attack"}])))
    assert [one.attack for one in done.log.attacks][-1] == "first_record"
    page = Sections((done.audit / "report.html").read_text(encoding="utf-8"))
    assert "One of them is the first record" in page.texts["attacks"]
    assert "Attack first record" in page.texts["residual"]
    public = (done.release / "report.html").read_text(encoding="utf-8")
    assert "first record" in public
    assert "One of them" not in public


def test_an_attack_that_was_not_tried_counts_as_failed(toy: None, tmp_path: Path) -> None:
    log = ic.run(write_case(tmp_path)).log
    assert untried(log).never[-1] == "first record"  # once: in no scenario of its own
    assert advise(log).tier == "controlled"


def test_the_command_line_knows_it(toy: None, tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        with contextlib.chdir(tmp_path):
            done = CliRunner(env={"COLUMNS": "200"}).invoke(load(), ["attack", *arguments])
        assert done.exit_code == 0, done.stderr
        return " ".join(done.stdout.split())

    assert f"first_record: {ACTS}." in said("--help")
    write_case(tmp_path)
    assert "One of them is the first record" in said("plan.yaml", "--attacks", "first_record")


@pytest.mark.slow
def test_the_docs_check_misses_it_until_they_are_made_again(toy: None) -> None:
    made = generator()
    page = made.DOCS / "attacks.md"
    text = made.pages()[page]
    assert f"| `first_record` | {ACTS} |" in text
    assert text != page.read_text(encoding="utf-8")


def test_what_an_attack_measures_is_a_risk_that_the_reports_name() -> None:
    risks = {risk.name for risk in (*RESIDUALS, *MORE_RESIDUALS)}
    assert {one.residual for one in ATTACKS.values() if one.residual} <= risks
    assert "first_record" not in ATTACKS


def test_a_word_stands_for_one_attack() -> None:
    with pytest.raises(ValueError, match="two attacks linkage"):
        ATTACKS.add(ATTACKS["linkage"])
