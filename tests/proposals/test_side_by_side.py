"""Two proposals beside each other, and the levels that whoever writes the block `propose` may name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from propose_cases import ROLES, some_people, write_goal

import incrowd as ic
from incrowd.errors import InputError
from incrowd.pipeline.live import open_live
from incrowd.plan import Plan
from incrowd.proposals.goal import read_goal_plan
from incrowd.proposals.levels import key_levels
from incrowd.proposals.side_by_side import plan_lines, side_by_side
from incrowd.proposals.space import kept_anyway
from incrowd.proposals.value import Proposal
from incrowd.report.charts.look import spec_of
from incrowd.report.charts.proposals import Point, frontier_chart

PLAN = {
    "title": "People", "data": {"source": "people.csv", "kind": "survey"}, "tier": "open",
    "variables": {"age": {"role": "key", "reason": "-"}}, "requirements": [{"model": "k", "k": 3}],
}  # fmt: skip


def proposal(*changes: str, **kept: float) -> Proposal:
    return Proposal(
        name="one", recommended=True, why="", records_in=9, records_kept=9, k=3, risk=0.1, strongest="", attacks=1,
        information=0.5, loss=0.5, kept=kept, use_cases=(), changes=changes, left_to_do=(), plan=Plan.of_content(PLAN),
    )  # fmt: skip


def test_each_variable_says_what_is_done_to_it_in_both() -> None:
    one = proposal("age: in 4 bands", "nobody is left out", age=0.4, sex=1.0)
    other = proposal("age: in 2 bands", "sex: left out", "nobody is left out", age=0.2, sex=0.0)
    found = {each.variable: each for each in side_by_side(one, other)}
    assert (found["age"].first, found["age"].second) == ("in 4 bands", "in 2 bands")
    assert (found["sex"].first, found["sex"].second) == ("as it is", "left out")
    assert (found["sex"].first_kept, found["sex"].second_kept) == (1.0, 0.0)
    assert all(each.differs for each in found.values())
    assert not any(each.differs for each in side_by_side(one, one))


def test_a_name_that_begins_with_another_is_not_taken_for_it() -> None:
    one = replace(proposal("a: b: left out"), kept={"a": 1.0, "a: b": 0.0})
    assert {each.variable: each.first for each in side_by_side(one, one)} == {"a": "as it is", "a: b": "left out"}


def test_lines_that_differ_are_those_of_the_plan_and_not_of_how_it_was_found() -> None:
    one = Plan.of_content(PLAN)
    told = {
        "goal": "open",
        "name": "one",
        "recommended": True,
        "why": "-",
        "optimised": "-",
        "search": ["-"],
        "risk": 0,
    }
    other = Plan.of_content({**PLAN, "requirements": [{"model": "k", "k": 5}], "proposed": {**told, "kept": 0.5}})
    lines = plan_lines(one, other)
    assert [line for line in lines if line[0] in "+-"] == ["-  k: 3", "+  k: 5"]
    assert plan_lines(one, one) == []


def test_the_levels_that_are_listed_are_those_that_a_search_takes(tmp_path: Path) -> None:
    path = write_goal(tmp_path, some_people(300), ROLES, tier="open", requirements=[{"model": "k", "k": 3}])
    plan, _ = read_goal_plan(path, "controlled")
    (tmp_path / "live").mkdir()
    with open_live(ic.check(path).plan, tmp_path, tmp_path / "live") as live:
        found = key_levels(live, plan)
        others = plan.model_copy(update={"data": plan.data.model_copy(update={"source": "elsewhere.csv"})})
        assert key_levels(live, others) == {}
    assert list(found) == ["age", "sex", "area"]
    assert found["age"][0].name == "as it is"
    assert found["age"][-1].name == "dropped"
    content = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**content, "propose": {"finest": {"age": "no such level"}}}))
    with pytest.raises(InputError) as error:
        ic.propose(path, "controlled", most=1)
    assert ", ".join(level.name for level in found["age"]) in str(error.value)


def test_what_users_and_the_plan_need_is_kept_anyway(tmp_path: Path) -> None:
    cases = [{"name": "pay", "test": "mean", "of": "pay", "by": "area"}]
    path = write_goal(tmp_path, some_people(20), ROLES, use_cases=cases)
    assert kept_anyway(read_goal_plan(path, "controlled")[0]) == {"pay", "area"}


def test_a_point_of_the_frontier_leads_somewhere_where_that_is_asked_for() -> None:
    point = Point("one", 0.1, 0.5, 1, 1, True, 12)
    assert "href_here" not in str(spec_of(frontier_chart([point])))
    linked = spec_of(frontier_chart([replace(point, href="/propose?left=one")]))
    assert "/propose?left=one" in str(linked)
    assert "pointer" in str(linked)
