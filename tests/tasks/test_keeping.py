"""A plan tried out for what analysts keep: the figures of a run, in the words of the plan, nothing left behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from people import plan_with, write_case

import incrowd as ic
from incrowd.errors import PlanError
from incrowd.keys.codebook import RARE
from incrowd.pipeline.categories import MANY, categories
from incrowd.pipeline.live import open_live
from incrowd.plan.use_cases import KINDS
from incrowd.report.charts.look import spec_of, to_svg
from incrowd.report.charts.use_cases import both_sides, cost_of_k
from incrowd.tasks._keeping import Keeping, try_keeping
from incrowd.utility.evaluate import rule_of
from incrowd.utility.outcome import NOTHING, Estimate, Figure, Outcome
from incrowd.utility.registry import USE_CASES

CASES = [
    {"name": "How many are ill?", "test": "proportion", "share": {"ill": ["y"]}, "by": "sex", "within": 0.2},
    {"name": "Who is ill?", "test": "proportion", "share": {"ill": ["y"]}, "by": "sex", "within": 0.0},
]
ATTACK = [{"attacks": ["linkage"], "limit": 0.0001, "reason": "nothing would pass"}]


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Keeping:
    plan = plan_with(use_cases=CASES, variables=labelled())
    return try_keeping(write_case(tmp_path_factory.mktemp("tried"), plan))


def labelled() -> dict[str, object]:
    found = dict(plan_with()["variables"])
    found["sex"] = {**found["sex"], "codes": {"f": "women", "m": "men"}}
    return found


def test_it_gives_what_a_run_would_measure_without_its_attacks(tmp_path: Path) -> None:
    """The attacks of the plan would refuse the release; what analysts keep does not depend on them."""
    quiet, loud = tmp_path / "quiet", tmp_path / "loud"
    for folder in (quiet, loud):
        folder.mkdir()
    run = ic.run(write_case(quiet, plan_with(use_cases=CASES)))
    found = try_keeping(write_case(loud, plan_with(use_cases=CASES, attack=ATTACK)))
    assert run.log.utility is not None
    assert found.outcomes == run.log.utility.outcomes
    assert found.loss == run.log.utility.loss
    assert found.records_kept == run.log.end.records
    assert found.refusal is None
    assert not [one for one in loud.glob("runs/*") if one.is_dir() or not one.name.startswith(".")]


def test_codes_are_said_in_words(tried: Keeping) -> None:
    assert {figure.name for figure in tried.outcomes[0].figures} <= {"women", "men", "f (women)", "m (men)"}


def test_a_file_that_the_gate_refuses_is_judged_all_the_same(tmp_path: Path) -> None:
    steps = [{"step": "drop", "variables": ["name"]}]
    found = try_keeping(write_case(tmp_path, plan_with(steps=steps, use_cases=CASES)))
    assert found.refusal is not None
    assert found.held == len(found.outcomes) == 2


def test_a_plan_with_faults_tells_them_all(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as error:
        try_keeping(write_case(tmp_path, plan_with(use_cases=[{**CASES[0], "by": "nobody"}], tier="everybody")))
    assert len(error.value.faults) >= 1


def test_every_kind_of_use_case_says_its_rule_before_anything_is_treated() -> None:
    plan = ic.Plan.of_content(plan_with(use_cases=CASES))
    assert rule_of(plan.use_cases[0]) == "the share of ill = y moves by at most 0.2 in every sex"
    for kind in KINDS.values():
        assert USE_CASES[kind].rule is not USE_CASES[kind].compare
        assert USE_CASES[kind].rule.__name__ != "<lambda>", kind


def test_the_chart_has_both_sides_with_intervals_and_tells_them(tried: Keeping) -> None:
    drawn = both_sides(tried.outcomes[0])
    assert drawn is not None
    told = spec_of(drawn)["description"]
    assert "How many are ill?" in told
    assert "original" in told
    assert "release" in told
    assert "<svg" in to_svg(drawn)


def test_a_chart_of_nothing_is_none_and_one_side_may_be_missing() -> None:
    nothing = Outcome("it", "mean", "-", False, "-", "effect", (Figure("a", NOTHING, NOTHING, None, None, None),))
    assert both_sides(nothing) is None
    gone = Figure("a", Estimate(1.0, 0.5, 1.5), NOTHING, None, None, False)
    drawn = both_sides(Outcome("it", "mean", "-", False, "-", "effect", (gone,)))
    assert drawn is not None
    assert "release none" in spec_of(drawn)["description"]


def test_the_chart_of_a_sweep_says_what_each_k_costs_and_whether_it_holds(tmp_path: Path) -> None:
    swept = ic.sweep(write_case(tmp_path, plan_with(use_cases=CASES)), k="2:4,1000").sweep
    told = spec_of(cost_of_k(swept))["description"]
    assert "2: " in told
    assert "1000: 100%, no release" in told
    assert "a conclusion changes" in told or "conclusions hold" in told


def test_values_that_a_use_case_may_name_are_those_of_the_release_and_nobodys_own(tmp_path: Path) -> None:
    lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},{i}\n" for i in range(60))
    lines += "only,30,x,y,canary-4711\n"
    path = write_case(tmp_path, plan_with(steps=[
        {"step": "drop", "variables": ["name"]}, {"step": "recode", "variable": "age", "bands": ["0", "40"]},
    ]), lines)  # fmt: skip
    plan = ic.check(path).plan
    (tmp_path / "live").mkdir()
    with open_live(plan, tmp_path, tmp_path / "live") as live:
        found = categories(live, plan, ["age", "sex", "ill", "note"])
    assert set(found["age"]) == {"0-39", "40+"}
    assert set(found["sex"]) == {"f", "m"}, f"x has fewer than {RARE} people"
    assert set(found["ill"]) == {"y", "n"}
    assert "note" not in found, f"it has more than {MANY} values"
