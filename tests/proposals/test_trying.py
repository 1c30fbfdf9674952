"""In which order attacks are tried on a candidate, and what they share."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from propose_cases import ROLES, some_people, write_goal

from incrowd.attack.holding_out import on_trial
from incrowd.attack.registry import ATTACKS
from incrowd.attack.value import Attacked, Rate
from incrowd.proposals.bench import open_bench
from incrowd.proposals.candidate import Candidate
from incrowd.proposals.goal import Goal, read_goal_plan
from incrowd.proposals.trying import Tried, above_limit, glance, try_candidate
from incrowd.secret import secret_to_try

STRANGER = {"name": "a stranger", "keys": ["age", "sex", "area"], "knows_who_is_in": False}
NEIGHBOUR = {"name": "a neighbour", "keys": ["age", "sex"]}


@pytest.mark.slow
def test_what_broke_one_candidate_is_tried_first_on_the_next_and_a_release_on_trial_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Counter[str] = Counter()

    def counted(*arguments: Any) -> Any:
        made["trials"] += 1
        return on_trial(*arguments)

    monkeypatch.setattr("incrowd.proposals.trying.on_trial", counted)
    people = {name: column for name, column in some_people(400).items() if name != "pay"}
    roles = {name: role for name, role in ROLES.items() if name != "pay"}
    path = write_goal(tmp_path, people, roles, scenarios=[STRANGER, NEIGHBOUR])
    plan, _ = read_goal_plan(path, "controlled")
    goal = Goal.of("controlled", plan)
    with open_bench(plan, tmp_path, secret_to_try(tmp_path), tmp_path) as bench:

        def tried(k: int, goal: Goal) -> tuple[Tried, list[str]]:
            begun: list[str] = []
            return try_candidate(bench, glance(bench, Candidate(k), goal), goal, begins=begun.append), begun

        whole, begun = tried(3, goal)
        assert whole.complete
        assert made["trials"] == 1  # for membership, and for the attacks whose control are people held out
        assert any(one.attack == "membership" and one.success for one in whole.attacks)
        # However they were tried, they stand in the order of a run.
        names = [one.name for one in plan.scenarios]
        places = [(names.index(one.scenario), [*ATTACKS].index(one.attack)) for one in whole.attacks]
        assert places == sorted(places)
        costly = [word.split(" (")[0] in ("inference", "skewness", "homogeneity", "probabilistic") for word in begun]
        assert costly == sorted(costly)

        hard = replace(goal, attack=-1.0)  # a limit that every attack is above
        broken, _ = tried(4, hard)
        assert not broken.complete
        assert sum(bench.broken.values()) == 1  # the rest was left
        bench.broken["inference", "a neighbour"] = 7
        _, begun = tried(5, hard)
        assert begun[0] == "inference (a neighbour)"


def test_a_candidate_that_no_run_would_release_is_above_its_limit_although_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("sex,persons\nf,3\n")
    asked = [{"attacks": ["linkage"], "tables": ["t.csv"]}]
    plan, _ = read_goal_plan(write_goal(tmp_path, some_people(40), ROLES, attack=asked), "controlled")
    goal = Goal.of("controlled", plan)
    fine = Attacked("reconstruction", "s", "", "", Rate(0, 40), 0.1, None, "", about="ill")
    assert not above_limit(plan, goal, [fine])
    untried = replace(fine, success=None, why="no table can be used")
    for one in (
        replace(fine, incomplete="no counts"),
        replace(fine, given_away=1),
        replace(fine, undecided=2),
        untried,
    ):
        assert above_limit(plan, goal, [one]) == (one,)
    assert not above_limit(plan, goal, [replace(untried, does_not_apply="the release itself")])
