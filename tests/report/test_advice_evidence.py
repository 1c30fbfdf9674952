"""Less testing never gives a better tier: whatever is taken out of a log, the advice does not become more open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from board import ATTEST, WHOLE, Sections, nothing_missing, run, scores
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from people import plan_with, write_case

import incrowd as ic
from incrowd.attack import ATTACKS
from incrowd.attack.value import Rate
from incrowd.audit.log import RunLog
from incrowd.intruder_test.value import Tested
from incrowd.report.board.advice import TIERS, advise
from incrowd.report.board.untried import untried
from incrowd.report.internal import internal_report

LOUD = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ROLE = {"role": "Data officer", "date": "2026-01-31"}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> RunLog:
    return nothing_missing(run(tmp_path_factory.mktemp("whole"), **WHOLE, attest=ATTEST)[0].log)


def openness(log: RunLog) -> int:
    """How protected the advised tier is: 0 is open."""
    return TIERS.index(advise(log).tier)


@st.composite
def logs(draw: st.DrawFn, base: RunLog) -> RunLog:
    """A log in which every test was made, each with any outcome. A scenario's mean is never above that by all keys:
    fewer keys make larger classes.
    """
    mean = base.end.classes / base.end.people
    attacks = tuple(
        replace(one, success=Rate(draw(st.sampled_from([0, 0, 0, 0, 200, 900])), 1000))
        if draw(st.integers(0, 5)) else replace(one, success=None, why="no key") if draw(st.booleans())
        else replace(one, success=None, why="no gap", does_not_apply="the release itself")
        for one in base.attacks
    )  # fmt: skip
    tests = [scores(100, 0), scores(100, 0), scores(100, 40, 1e-9), scores(10, 0), scores(0, 0)]
    risks = tuple(
        replace(r, after=replace(r.after, risks=tuple(  # type: ignore[type-var]
            replace(x, value=draw(st.sampled_from([mean, mean / 2, None])), why="made up") if "mean" in x.name else x
            for x in r.after.risks if x.value is not None)))  # type: ignore[union-attr]
        for r in base.risks
    )  # fmt: skip
    limit = draw(st.sampled_from([0.09, mean / 2, mean * 2]))
    about = replace(base.about, risk_safeguarded=limit)
    return replace(
        base, attacks=attacks, risks=risks, intruder_test=Tested(draw(st.sampled_from(tests)), True), about=about
    )


def _poorer(log: RunLog, data: st.DataObject) -> RunLog:
    """The same log without some of its evidence."""
    keep = data.draw(st.lists(st.booleans(), min_size=len(log.attacks), max_size=len(log.attacks)))
    keep_risk = data.draw(st.lists(st.sampled_from(["all", "before", "none"]), min_size=2, max_size=2))
    risks = tuple(
        r if how == "all" else replace(r, after=None)
        for r, how in zip(log.risks, keep_risk, strict=True) if how != "none"
    )  # fmt: skip
    about = log.about
    if data.draw(st.booleans()):
        gone = data.draw(st.sampled_from(sorted(about.attested)))
        about = replace(about, attested={**about.attested, gone: None})
    return replace(
        log, attacks=tuple(one for one, kept in zip(log.attacks, keep, strict=True) if kept), risks=risks, about=about,
        intruder_test=log.intruder_test if data.draw(st.booleans()) else None,
        utility=log.utility if data.draw(st.booleans()) else None, groups=(), at_start=(),
    )  # fmt: skip


@pytest.mark.slow
@LOUD
@given(st.data())
def test_taking_evidence_out_never_improves_the_advice(full: RunLog, data: st.DataObject) -> None:
    log = data.draw(logs(full))
    assert openness(_poorer(log, data)) >= openness(log)


@LOUD
@given(st.data())
def test_a_passed_test_never_makes_it_worse_than_its_absence(full: RunLog, data: st.DataObject) -> None:
    log = _poorer(data.draw(logs(full)), data)
    absent = [
        one for one in full.attacks if all((o.attack, o.scenario) != (one.attack, one.scenario) for o in log.attacks)
    ]
    for one in absent[:5]:
        assert openness(replace(log, attacks=(*log.attacks, one))) <= openness(log)
    if log.intruder_test is None:
        assert openness(replace(log, intruder_test=full.intruder_test)) <= openness(log)


@pytest.mark.slow
def test_an_attack_that_failed_and_one_that_was_left_out_carry_the_same_tier(full: RunLog) -> None:
    for at, one in enumerate(full.attacks):
        rest = full.attacks[:at] + full.attacks[at + 1 :]
        failed = replace(full, attacks=(*rest, replace(one, success=Rate(990, 1000), control=None)))
        without = replace(full, attacks=rest)
        assert advise(failed).tier == advise(without).tier == "controlled", one.attack
        assert one.attack.replace("_", " ") in advise(without).reasons[0].text


def test_a_scenario_that_is_left_out_of_the_plan_does_not_make_the_file_look_better(full: RunLog) -> None:
    """Without the intruder who knows most: from the plan, its risk and its attacks alike."""
    about = replace(full.about, scenarios=("stranger",))
    weaker = replace(
        full, about=about, risks=full.risks[1:],
        attacks=tuple(replace(one, scenario="stranger") for one in full.attacks if one.scenario == "stranger"),
    )  # fmt: skip
    assert advise(weaker).tier == "controlled"
    assert any("knows all released keys" in reason.text for reason in advise(weaker).reasons)


@pytest.mark.slow
def test_what_does_not_apply_is_no_reason_and_names_who_says_so(full: RunLog) -> None:
    apart = replace(full, attacks=tuple(
        replace(one, success=None, why="no gap.", does_not_apply="the release itself") if one.attack == "gap" else one
        for one in full.attacks if one.attack not in ("composition", "differencing")
    ))  # fmt: skip
    assert advise(apart).tier == "controlled"  # nobody has said that there is nothing beside it
    said = dict.fromkeys(("no_other_release", "no_tables"), full.about.attested["impact"])
    apart = replace(apart, about=replace(apart.about, nothing_beside=said))  # type: ignore[arg-type]
    assert advise(apart).tier == "open", advise(apart).reasons
    page = Sections(internal_report(apart)).texts["decision"]
    assert "gap of ill: no gap (says the release itself)" in page
    assert "composition: there is nothing beside the release (says role-impact, 2026-01-31: said-impact)" in page
    one_word = replace(apart, about=replace(apart.about, nothing_beside={"no_other_release": said["no_other_release"]}))  # type: ignore[dict-item]
    assert "differencing" in untried(one_word).never


@pytest.mark.slow
def test_the_default_attacks_leave_nothing_open_that_a_plan_can_answer(tmp_path: Path) -> None:
    """With all attacks and somebody's word that nothing else is published, no attack is said to be missing."""
    lines = "".join(f"n{i},{20 + i % 4},{'fm'[i % 2]},{'yn'[i % 5 < 2]},00{i % 7}\n" for i in range(400))
    attest = {name: {**ROLE, "text": "Nothing else."} for name in ("no_other_release", "no_tables")}
    attack = [{}, {"attacks": [word for word, one in ATTACKS.items() if one.on_request]}]
    done = ic.run(write_case(tmp_path, plan_with(attack=attack, attest=attest), lines))
    missing = untried(done.log)
    assert missing.never == ()
    assert not any("composition" in one or "differencing" in one or "dictionary" in one for one in missing.could_not)
    assert any(one.startswith("dictionary") for one in missing.does_not_apply)
    assert {one.attack for one in done.log.attacks} == set(ATTACKS)


@pytest.mark.slow
def test_the_demo_is_not_better_off_without_its_attacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCROWD_SECRET", "5a" + "0123456789abcdef" * 3 + "f00dfeedc0ffee")
    from incrowd.demo import write_example

    ic.demo_data(tmp_path / "people.csv", rows=6_000, seed=1)
    path = write_example(tmp_path)
    plan: dict[str, Any] = yaml.load(path.read_text(), yaml.BaseLoader)
    for more in ("sweep", "alternatives", "use_cases"):
        plan.pop(more)
    tiers = []
    for attack in (plan["attack"], []):
        path.write_text(yaml.safe_dump({**plan, "attack": attack}, sort_keys=False))
        tiers.append(TIERS.index(advise(ic.run(path).log).tier))
    assert tiers[1] >= tiers[0]
