"""What the block propose forbids is never done: not in a proposed plan, and not in the file that a run of it makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from examples import quick_only
from propose_cases import ROLES, released, some_people, write_goal

import incrowd as ic

Case = tuple[str, ic.Proposals, dict[str, ic.Run]]
BY_CHANCE = {"noise", "pram", "shuffle", "swap"}
CASES = [{"name": "ill by area", "test": "top_overlap", "by": "area", "share": {"ill": ["asthma"]}, "top": 2}]
PLANS: dict[str, tuple[str, dict[str, Any]]] = {
    "finest": ("controlled", {"propose": {"finest": {"age": "10", "area": "3"}, "hierarchies": {
        "age": {"widths": [5, 10, 20]}, "area": {"mappings": [{c: c + c for c in "abcdef"}, {"aa": "x", "bb": "x"},
                                                             {"x": "z", "cc": "z"}]}}}}),
    "coarsest": ("controlled", {"propose": {
        "coarsest": {"age": "20", "sex": "as it is"}, "hierarchies": {"age": {"widths": [5, 10, 20]}}}}),
    "keep": ("safeguarded", {"propose": {"keep": ["area", "age", "sex", "pay"], "records_lost": 0.02}}),
    "nobody lost": ("safeguarded", {"propose": {"records_lost": 0}, "use_cases": CASES}),
    "no chance": ("safeguarded", {"propose": {"perturbation": False, "records_lost": 0.05, "keep": ["pay"]}}),
    "weight 0": ("safeguarded", {"propose": {"weights": {"age": 0, "pay": 0}}}),
}  # fmt: skip


@pytest.fixture(scope="module", params=quick_only(["finest", "no chance"], PLANS))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("limits")
    tier, parts = PLANS[request.param]
    path = write_goal(folder, some_people(600), ROLES, **parts)
    found = ic.propose(path, tier, out=folder / "out", most=2)
    assert found.items, found
    runs = {one.name: ic.run(str(one.file), out=folder / one.name) for one in found}
    return request.param, found, runs


def test_no_proposal_and_no_release_of_it_goes_beyond_the_limits(case: Case) -> None:
    name, found, runs = case
    given = some_people(600)
    asked = PLANS[name][1]["propose"]
    for one in found:
        assert one.file is not None
        plan = yaml.safe_load(one.file.read_text())
        words = [step["step"] for step in plan["steps"]]
        if asked.get("perturbation") is False:
            assert not BY_CHANCE & set(words)
        rows = released(runs[one.name])
        there = set(rows[0])
        least = (1 - asked.get("records_lost", 0.1)) * len(given["age"])
        assert len(rows) >= least
        assert len(rows) == one.records_kept
        named = {"area", "ill"} if "use_cases" in PLANS[name][1] else set()
        for kept in named | set(asked.get("keep", [])) | set(asked.get("coarsest", {})):
            assert len({row[kept] for row in rows}) > 1
        ages = {row["age"] for row in rows} - {""} if "age" in there else set()
        if name == "finest":  # ten years at least, and areas in three groups at most
            assert not {age for age in ages if age.isdigit()}
            for age in ages:
                low, _, high = age.partition("-")
                assert int(high) - int(low) + 1 >= 10
            areas = {row["area"] for row in rows} if "area" in there else set()
            assert len(areas - {"*", ""}) <= 4  # a class of its own may be said more coarsely, or blanked
        if name == "coarsest":  # not in fewer bands than those of twenty years
            assert len(ages) >= len({int(age) // 20 for age in given["age"]})
            assert {row["sex"] for row in rows} >= {"f", "m"}


def test_every_proposed_plan_is_faultless_and_its_run_gives_what_was_said(case: Case) -> None:
    _, found, runs = case
    for one in found:
        assert one.file is not None
        assert ic.check(one.file).plan.tier == found.tier
        run = runs[one.name]
        assert all(verdict.passed for verdict in run.log.verdicts)
        assert run.log.end.records == one.records_kept
        assert run.log.end.smallest == one.k
        assert run.log.utility is not None
        assert {o.use_case: o.passed for o in run.log.utility.outcomes} == {c.use_case: c.passed for c in one.use_cases}
        tried = [each for each in run.log.attacks if each.excess is not None]
        assert max([1 / one.k, *(max(each.excess or 0.0, 0.0) for each in tried)]) == pytest.approx(one.risk, abs=1e-9)
        assert all(step.reason for step in ic.load_plan(one.file).steps)


def test_more_records_than_may_be_lost_are_no_proposal_whichever_step_drops_them(tmp_path: Path) -> None:
    steps = [{"step": "drop", "variables": ["name"], "reason": "-"},
             {"step": "suppress_records", "of": ["ill"], "fewer_than": 150, "reason": "the rare ones"}]  # fmt: skip
    for share, there in ((0.1, False), (0.9, True)):
        path = write_goal(tmp_path, some_people(300), ROLES, steps=steps, propose={"records_lost": share})
        found = ic.propose(path, "controlled", most=1)
        assert bool(found.items) is there
        if not there:
            assert "300 records are dropped, and 10% is the limit" in found.obstacles[0].what


def test_a_crowd_that_some_people_need_is_not_asked_for_everybody(tmp_path: Path) -> None:
    required = [{"model": "k", "k": 3}, {"model": "k", "k": 40, "keys": ["sex"]}]
    found = ic.propose(write_goal(tmp_path, some_people(300), ROLES, requirements=required), "controlled", most=1)
    assert found.recommended is not None
    assert found.recommended.k < 40
    assert required[1] in [
        one.model_dump(mode="json", exclude_none=True) for one in found.recommended.plan.requirements
    ]


def test_a_release_whose_formulas_are_neutralised_has_proposals_too(tmp_path: Path) -> None:
    people = {**some_people(200), "note": ["=1+1"] * 100 + ["none"] * 100}
    path = write_goal(tmp_path, people, {**ROLES, "note": "other"}, release={"formulas": "neutralise"})
    assert ic.propose(path, "controlled", most=1).recommended is not None
