"""The tier advice: never open by default, every piece of evidence counts, and what would have to change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from board import ATTEST, WHOLE, Sections, nothing_missing, run, scores
from logs import small_log, snapshot, step, study_log

from incrowd.attack.value import Attacked, Rate
from incrowd.audit.about import SignedOff
from incrowd.audit.log import RunLog
from incrowd.intruder_test.value import Tested
from incrowd.pipeline import FileRun
from incrowd.plan.attest import ASKED as ATTESTED
from incrowd.report import sections
from incrowd.report.board.advice import TIERS, advise, most
from incrowd.report.internal import internal_report


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileRun, str]:
    return run(tmp_path_factory.mktemp("whole"), **WHOLE, attest=ATTEST)


@pytest.fixture(scope="module")
def full(whole: tuple[FileRun, str]) -> RunLog:
    return nothing_missing(whole[0].log)


@pytest.mark.slow
def test_open_is_advised_only_when_nothing_is_missing(full: RunLog) -> None:
    assert advise(full).tier == "open", advise(full).reasons
    assert advise(full).next is None
    assert not advise(full).too_open("open")
    assert "every figure is within its limit" in Sections(internal_report(full)).texts["decision"]


def test_never_open_by_default() -> None:
    names = {section.name for section in sections.internal()}
    for log in (small_log(), study_log(), small_log(verdicts=())):
        found = advise(log)
        assert found.tier != "open"
        assert found.changes
        assert all(reason.text and reason.change and reason.section in names for reason in found.reasons)


def with_end(log: RunLog, small: dict[int, int]) -> RunLog:
    """The log of a file with these small classes beside forty of sixty people."""
    people = 2400 + sum(size * number for size, number in small.items())
    after = snapshot(small, {50: 40}, people=people, keys=("age", "sex"))
    return replace(log, steps=(*log.steps[:-1], step(3, "x", "x", after)))


def test_every_piece_of_evidence_counts(full: RunLog) -> None:
    about, attack = full.about, full.attacks[0]
    poor: dict[str, tuple[RunLog, str]] = {
        "no attack": (replace(full, attacks=()), "controlled"),
        "one attack only": (replace(full, attacks=full.attacks[-2:-1]), "controlled"),
        "one attack missing": (replace(full, attacks=full.attacks[:-1]), "controlled"),
        "sign-off with conditions": (
            replace(full, about=replace(about, sign_offs=(SignedOff("b", "2026-01-01", "release with conditions"),))),
            "safeguarded"),
        "overdue": (
            replace(full, about=replace(about, review=replace(about.review, next="2019-01-31"))), "safeguarded"),
        "one person": (replace(full, intruder_test=Tested(replace(scores(100, 0), took_part=1), True)), "safeguarded"),
        "no human": (replace(full, intruder_test=None), "controlled"),
        "human test of another file": (replace(full, intruder_test=Tested(scores(100, 0), False)), "controlled"),
        "few claims": (replace(full, intruder_test=Tested(scores(10, 0), True)), "safeguarded"),
        "no claim": (replace(full, intruder_test=Tested(scores(0, 0), True)), "controlled"),
        "found by people": (replace(full, intruder_test=Tested(scores(100, 40, 1e-9), True)), "controlled"),
        "one sure": (replace(full, intruder_test=Tested(replace(scores(400, 1), sure_finds=1), True)), "controlled"),
        "no sign-off": (replace(full, about=replace(about, sign_offs=())), "safeguarded"),
        "refused": (replace(full, about=replace(about, sign_offs=(SignedOff("b", "2026-01-01", "do not release"),))),
                    "none"),
        "no review": (replace(full, about=replace(about, review=None)), "safeguarded"),
        "untried": (
            replace(full, attacks=(replace(attack, success=None, why="no key"), *full.attacks[1:])), "controlled"),
        "attack": (replace(full, attacks=(replace(attack, success=Rate(200, 1000)), *full.attacks[1:])), "safeguarded"),
        "strong attack": (
            replace(full, attacks=(replace(attack, success=Rate(900, 1000)), *full.attacks)), "controlled"),
        "fails": (replace(full, verdicts=(replace(full.verdicts[-1], passed=False),)), "none"),
        "no diversity": (replace(full, verdicts=full.verdicts[:1]), "safeguarded"),
        "small class": (with_end(full, {4: 1}), "safeguarded"),
    }  # fmt: skip
    poor |= {
        name: (replace(full, about=replace(about, attested={**about.attested, name: None})), "safeguarded")
        for name in ATTESTED
    }
    several = {  # who is not measured cannot have attacked either
        "no scenario": (replace(full, risks=()), "controlled"),
        "no response knowledge": (replace(full, risks=full.risks[1:]), "controlled"),
        "one of two variables": (
            replace(full, variables={**full.variables, "note": ("sensitive", "x")}), "controlled"),
        "small classes": (with_end(full, {4: 400}), "controlled"),
    }  # fmt: skip
    for what, (log, tier) in (poor | several).items():
        found = advise(log)
        assert found.tier == tier, (what, found)
        assert len(found.reasons) == 1 or what in several, (what, found)
        assert found.next == TIERS[TIERS.index(tier) - 1]
        assert found.too_open("open")


def test_a_high_mean_in_a_scenario_is_for_controlled_access(full: RunLog) -> None:
    risk = full.risks[0]
    high = tuple(replace(x, value=0.5) if x.name == "prosecutor_mean" else x for x in risk.after.risks)  # type: ignore[union-attr]
    log = replace(full, risks=(replace(risk, after=replace(risk.after, risks=high)), *full.risks[1:]))  # type: ignore[type-var]
    assert advise(log).tier == "controlled"
    assert "scenario-one" in advise(log).reasons[0].text
    accepted = replace(log, about=replace(full.about, risk_safeguarded=0.5))
    assert advise(accepted).tier == "open"


def test_the_open_limit_is_that_of_the_worst_off_person(full: RunLog) -> None:
    def smallest(size: int) -> RunLog:
        return with_end(full, {size: 1})

    assert advise(smallest(11)).tier == "safeguarded"  # 1/11 is above 0.09
    assert advise(smallest(12)).tier == "open"
    assert "at least 12 people" in advise(smallest(11)).changes[0]
    assert advise(replace(smallest(9), about=replace(full.about, risk_open=0.12))).tier == "open"


def test_what_an_attack_may_add_is_the_upper_end_against_the_lower_end_of_the_control() -> None:
    attack = Attacked("linkage", "s", "k", "a", Rate(100, 1000), 0.0, Rate(0, 1000), "s")
    assert most(attack) == pytest.approx(Rate(100, 1000).high)
    assert most(replace(attack, success=None, why="no key")) is None
    assert most(replace(attack, control=None, baseline=1.0)) == 0.0
    assert most(replace(attack, control=None, baseline=None)) == pytest.approx(Rate(100, 1000).high)


def test_a_plan_bolder_than_the_evidence_is_told_loudly_and_not_refused(
    whole: tuple[FileRun, str], capsys: Any
) -> None:
    from incrowd.cli._show import show_run

    done, page = whole
    assert "The plan asks for open; the evidence supports tier 'controlled' at most" in Sections(page).texts["decision"]
    show_run(done)
    assert "the evidence supports tier 'controlled' at most" in " ".join(capsys.readouterr().out.split())
