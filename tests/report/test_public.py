"""The public report: the decision first, and nothing that must not leave."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import browser
import pytest
from board import ATTEST, WHOLE, Sections, run
from logs import small_log
from people import PLAN, SECRET, plan_with, write_case

import incrowd as ic
from incrowd.keys.codebook import Codebook
from incrowd.pipeline import FileRun
from incrowd.plan.attest import ASKED as ATTESTED
from incrowd.plan.verdict import Verdict
from incrowd.report.facts import FEW, HIDDEN_BELOW, PublicFacts
from incrowd.report.public import public_report


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileRun, str]:
    return run(tmp_path_factory.mktemp("whole"), **WHOLE, attest=ATTEST)


@pytest.mark.slow
def test_public_report_opens_with_the_decision(whole: tuple[FileRun, str]) -> None:
    text = (whole[0].release / "report.html").read_text()
    found = Sections(text)
    assert next(iter(found.texts)) == "decision"
    for words in ("requirement holds", "Open", "condition-one", "2027-01-31"):
        assert words in found.texts["decision"]


def test_public_report_lacks_what_it_must_lack(whole: tuple[FileRun, str]) -> None:
    page = (whole[0].release / "report.html").read_text()
    for name in ATTESTED:
        assert f"said-{name}" not in page
        assert f"role-{name}" not in page
    for words in ("trigger-", "role-board", "said-board", "reason-", "scenario-", "one in four", "k of twenty", SECRET):
        assert words not in page


def swapped(rate: str) -> dict[str, Any]:
    swap = {"step": "swap", "geography": ["area"], "similar": ["sex"], "rate": rate}
    return {
        "variables": {**PLAN["variables"], "area": {"role": "key", "reason": "known"}},
        "steps": [{"step": "drop", "variables": ["name", "note"]}, *PLAN["steps"][1:2], swap,
                  {"step": "suppress_records"}],
    }  # fmt: skip


def test_no_swap_rate_no_step_and_no_small_count_in_public(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    path = write_case(tmp_path, plan_with(**swapped("0.0731")))
    lines = [f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7},a{i % 4}" for i in range(400)]
    lines += ["last,77,x,y,9,a1"]  # alone with x: one record is lost, and one is a small count
    (tmp_path / "people.csv").write_text("name,age,sex,ill,note,area\n" + "\n".join(lines) + "\n")
    done = ic.run(path)
    inside, outside = (done.audit / "report.html").read_text(), (done.release / "report.html").read_text()
    assert "0.0731" in inside
    assert "0.0731" not in outside
    assert "swap" not in outside
    lost = done.log.start.records - done.log.end.records
    assert 0 < lost < HIDDEN_BELOW
    numbers = {int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", browser.Page(outside).text)}
    assert done.log.start.records not in numbers  # with it, what is lost could be told by subtraction
    assert FEW in outside


def test_public_facts_tell_no_small_count() -> None:
    log = small_log()
    facts = PublicFacts.of(log)
    assert (facts.records, facts.records_in, facts.lost, facts.classes) == ("10", f"{FEW} more", FEW, FEW)
    assert facts.sizes == ()
    assert facts.smallest == "4 or more"  # that much is required
    assert PublicFacts.of(replace(log, verdicts=())).smallest == FEW
    told = {value for value in vars(facts).values() if isinstance(value, str)}
    assert not {str(n) for n in range(1, HIDDEN_BELOW)} & told


@pytest.mark.parametrize(
    ("verdict", "told"),
    [
        (Verdict("r", "k", True, 3, 4), "3 or more"),
        (Verdict("r", "k", True, 3, 40), "40"),
        (Verdict("r", "entropy_l", True, 1.5, 1.73205), "1.73 or more"),
        (Verdict("r", "t", True, 0.2, 0.1234), "0.13 or less"),
        (Verdict("r", "t", True, 0.2, 0.1999), "at most 0.2"),
        (Verdict("r", "one_sided", True, 1, 18 / 19), "0.95 or less"),
        (Verdict("r", "one_sided", True, 1, 0.9999), "below 1"),
        (Verdict("r", "k", True, 3, None), "no class"),
    ],
)
def test_what_was_achieved_is_told_without_a_small_count(verdict: Verdict, told: str) -> None:
    assert PublicFacts.of(small_log(verdicts=(verdict,))).verdicts[0].achieved == told


def test_a_key_with_one_value_is_told_beside_the_loss() -> None:
    log = small_log(one_value=("sex",), book_after=Codebook(titles={"sex": "Sex at birth"}))
    end = replace(log.steps[-1], after=replace(log.steps[-1].after, keys=("age", "sex"), records=log.start.records))
    log = replace(log, steps=(*log.steps[:-1], end), released_columns=("age", "sex"))
    facts = PublicFacts.of(log)
    assert facts.emptied == ("Sex at birth",)
    assert facts.loss == "noticeable"
    told = Sections(public_report(log)).texts["decision"]
    assert "1 of 2 keys has one value only, and tells nothing: Sex at birth." in told
    assert PublicFacts.of(replace(log, one_value=())).loss == "small"
