"""From a goal to a plan: the same every time, nothing released, honest where there is none, no file too odd for it."""

from __future__ import annotations

import random
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from examples import quick_only
from people import SECRET
from propose_cases import ROLES, Columns, released, some_people, write_goal

import incrowd as ic
from incrowd.attack.registry import ATTACKS, NEEDS
from incrowd.errors import IncrowdError, InputError
from incrowd.machine import stopping
from incrowd.proposals import walk
from incrowd.proposals.prices import Price, Pricing

N = 300
#: Must not stand in any error, whatever is wrong.
CANARY = "canary-4711"


@pytest.mark.slow
def test_the_same_plan_and_secret_give_the_same_files_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCROWD_SECRET", SECRET)  # else each folder of proposals gets one of its own
    path = write_goal(tmp_path, some_people(N), ROLES)
    for name in ("one", "two"):
        ic.propose(path, "safeguarded", out=tmp_path / name, most=2)
    names = sorted(file.name for file in (tmp_path / "one").glob("*.yaml"))
    assert names
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_nothing_is_released_and_no_audit_is_kept(tmp_path: Path) -> None:
    path = write_goal(tmp_path, some_people(N), ROLES)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    found = ic.propose(path, "controlled", most=1)
    assert found.out is None
    assert [item.file for item in found] == [None]
    now = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and "runs" not in file.parts}
    assert now == before
    assert not [entry for entry in tmp_path.glob("runs/*") if entry.is_dir() or not entry.name.startswith(".")]


@pytest.mark.slow
def test_what_the_custodian_wrote_stays(tmp_path: Path) -> None:
    steps = [
        {"step": "drop", "variables": ["name"], "reason": "mine, first"},
        {"step": "recode", "variable": "age", "bands": [0, 30, 50, 70], "reason": "mine, second"},
        {"step": "suppress_records", "reason": "mine, last"},
    ]
    required = [{"model": "k", "k": 6}, {"model": "distinct_l", "sensitive": "ill", "l": 2}]
    path = write_goal(tmp_path, some_people(600), ROLES, steps=steps, requirements=required)
    found = ic.propose(path, "safeguarded", out=tmp_path / "out", most=2)
    assert found.items
    for one in found:
        assert one.file is not None
        plan = yaml.safe_load(one.file.read_text())
        own = [step["reason"] for step in plan["steps"] if step["reason"].startswith("mine")]
        assert own == ["mine, first", "mine, second", "mine, last"]
        assert max(r["k"] for r in plan["requirements"] if r["model"] == "k") >= 6
        assert {"model": "distinct_l", "sensitive": "ill", "l": 2} in plan["requirements"]
        assert one.k >= 6
        run = ic.run(one.file, out=tmp_path / one.name)
        assert run.log.end.smallest == one.k
        assert run.log.end.records == one.records_kept


def test_a_bare_plan_is_completed_and_says_what_was_optimised(tmp_path: Path) -> None:
    path = write_goal(tmp_path, some_people(N), ROLES)
    assert not {"tier", "steps", "requirements"} & set(yaml.safe_load(path.read_text()))
    found = ic.propose(path, "safeguarded", most=1)
    assert found.recommended is not None
    assert "names no use cases" in found.optimised
    assert any("identifiers" in line for line in found.added)


def test_ctrl_c_in_the_middle_gives_the_best_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = walk.try_candidate, []

    def stopped(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return real(*arguments, **named)

    monkeypatch.setattr(walk, "try_candidate", stopped)
    path = write_goal(tmp_path, some_people(N), ROLES)
    found = ic.propose(path, "controlled", out=tmp_path / "out", most=3)
    assert found.stopped
    assert len(found.items) == 1
    assert any("stopped" in line for line in found.search)
    assert ic.check(tmp_path / "out" / "recommended.yaml").plan.tier == "controlled"


@pytest.mark.slow
def test_a_stop_while_prices_are_asked_for_gives_the_proposals_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(_: object) -> Any:
        stopping._state.asked = number
        raise stopping.Stopped

    monkeypatch.setattr(Pricing, "all", stopped)
    path = write_goal(tmp_path, some_people(N), ROLES)
    number = signal.SIGINT
    found = ic.propose(path, "controlled", most=1)
    assert found.recommended is not None
    assert found.prices == ()
    number = signal.SIGTERM  # there is no time to hand anything over
    with pytest.raises(stopping.Stopped):
        ic.propose(path, "controlled", most=1)


def test_the_price_of_an_attacks_limit_is_that_of_the_best_plan_which_it_alone_broke(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plans that two attacks broke, and worse ones, say nothing of what one limit costs."""
    told: list[Price] = []

    def with_broken(pricing: Pricing) -> list[Price]:
        tried = pricing.tried
        first, second = (replace(tried.attacks[0], attack=word, about="ill") for word in ("inference", "skewness"))
        rougher = replace(tried.candidate, values=(("ill", 1),))
        broken = [
            replace(tried, information=tried.information + back, above=tuple(above), complete=complete)
            for back, complete, *above in (
                (0.1, True, first),
                (0.2, False, first, first),
                (0.3, True, first, second),
                (-0.1, True, second),
            )
        ]
        found = real(Pricing(pricing.bench, replace(tried, candidate=rougher), broken))
        told.extend(price for price in found if price.promise.startswith("the limit of "))
        return real(pricing)

    real = Pricing.all
    monkeypatch.setattr(Pricing, "all", with_broken)
    ic.propose(write_goal(tmp_path, some_people(N), ROLES), "safeguarded", most=1)
    assert [(price.promise, round(price.back, 9)) for price in told] == [
        ("the limit of inference of ill", 0.2), ("the limit of skewness of ill", 0.0)
    ]  # fmt: skip
    assert "ill as it is" in told[0].how
    assert "the attacks after it were not tried" in told[0].how
    assert "not tried" not in told[1].how


def test_the_time_ends_it(tmp_path: Path) -> None:
    path = write_goal(tmp_path, some_people(N), ROLES)
    found = ic.propose(path, "safeguarded", seconds=0.001, most=7)
    assert len(found.items) <= 1
    assert any("The time was over" in line for line in found.search)
    assert not any("exact" in line for line in found.search)
    assert found.items or "the time was over" in found.obstacles[0].what


def test_a_goal_out_of_reach_names_the_attack_the_variable_and_the_cost(tmp_path: Path) -> None:
    cases = [{"name": "pay", "test": "median", "of": "pay", "within": 0.001}]
    asked = {"perturbation": False, "keep": ["age", "sex", "area", "pay", "ill"]}
    path = write_goal(tmp_path, some_people(40), ROLES, propose=asked, use_cases=cases)
    found = ic.propose(path, "open", out=tmp_path / "out")
    assert found.items == ()
    assert found.recommended is None
    assert found.obstacles
    assert found.prices == ()
    assert not list((tmp_path / "out").rglob("*.yaml"))
    told = [one for one in found.obstacles if one.variable]
    for one in told:
        assert one.variable in ROLES
        assert f"to give {one.variable} up costs" in one.cost


@pytest.mark.parametrize("code", ["-9", "refused"])
def test_codes_for_no_value_among_amounts_end_no_search(tmp_path: Path, code: str) -> None:
    people = some_people(N)
    columns = {**people, "pay": [code if n % 9 == 0 else pay for n, pay in enumerate(people["pay"])]}
    path = write_goal(tmp_path, columns, ROLES)
    plan = yaml.safe_load(path.read_text())
    plan["variables"]["pay"]["missing_codes"] = [code]
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    found = ic.propose(path, "safeguarded", most=1)
    assert found.recommended is not None
    assert not any("D378" in line for line in found.search)


def test_an_attack_that_nothing_stops_is_named_with_what_it_costs(tmp_path: Path) -> None:
    columns = {**some_people(N), "text": [f"text {i}" for i in range(N)]}
    path = write_goal(tmp_path, columns, {**ROLES, "text": "other"}, propose={"keep": ["text"]})
    found = ic.propose(path, "open")
    assert found.items == ()
    assert found.obstacles
    assert any(one.variable == "text" and "text up costs" in one.cost for one in found.obstacles)


@pytest.mark.parametrize("tier", ["nobody", "", "Open"])
def test_a_tier_that_is_none_is_refused(tmp_path: Path, tier: str) -> None:
    with pytest.raises(InputError, match="D397"):
        ic.propose(tmp_path / "plan.yaml", tier)


def test_an_attack_that_cannot_be_tried_is_told_before_a_search_that_must_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("incrowd.tasks.propose.find_spec", lambda name: None)
    path = write_goal(tmp_path, some_people(N), ROLES)
    with pytest.raises(IncrowdError, match="X020") as caught:
        ic.propose(path, "open")
    assert "incrowd[link]" in str(caught.value)


def test_the_environment_of_the_demo_has_what_every_attack_needs() -> None:
    locked = (Path(__file__).resolve().parents[2] / "requirements-core.lock").read_text()
    packages = {need for one in ATTACKS.values() for need in one.needs if need == NEEDS[need]}
    assert packages == {"splink"}
    assert all(f"\n{name}==" in locked for name in packages)


@pytest.mark.parametrize("most", [0, 8, -1])
def test_too_many_proposals_are_refused(tmp_path: Path, most: int) -> None:
    with pytest.raises(InputError, match="D398"):
        ic.propose(tmp_path / "plan.yaml", most=most)


def _with_missing(column: list[str], seed: int) -> list[str]:
    chance = random.Random(seed)
    return [value if chance.random() > 0.1 else "" for value in column]


def _dates(number: int) -> list[str]:
    chance = random.Random(4)
    return [
        f"{chance.randint(1940, 2004)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}" for _ in range(number)
    ]


PEOPLE = some_people(N)
SHORT = {name: PEOPLE[name] for name in ("age", "sex", "area")}
KEYS = dict.fromkeys(SHORT, "key")
ODD: dict[str, tuple[Columns, dict[str, str], dict[str, Any]]] = {
    "several records of a person": (
        {**PEOPLE, "who": [str(i // 2) for i in range(N)]}, {**ROLES, "who": "identifier"}, {"data": {"unit": "who"}}),
    "missing keys": (
        {**PEOPLE, "age": _with_missing(PEOPLE["age"], 1), "sex": _with_missing(PEOPLE["sex"], 2)}, ROLES, {}),
    "missing values": (
        {**PEOPLE, "pay": _with_missing(PEOPLE["pay"], 1), "ill": _with_missing(PEOPLE["ill"], 2)}, ROLES, {}),
    "constant key": ({**PEOPLE, "c": ["x"] * N}, {**ROLES, "c": "key"}, {}),
    "constant sensitive": ({**PEOPLE, "c": ["x"] * N}, {**ROLES, "c": "sensitive"}, {}),
    "constant other": ({**PEOPLE, "c": ["x"] * N}, {**ROLES, "c": "other"}, {}),
    "two values": ({**SHORT, "s": ["yn"[i % 7 < 3] for i in range(N)]}, {**KEYS, "s": "sensitive"}, {}),
    "dates as a key": ({**SHORT, "born": _dates(N)}, {**KEYS, "born": "key"}, {}),
    "dates beside": ({**SHORT, "born": _dates(N)}, {**KEYS, "born": "other"}, {}),
    "free text": ({**PEOPLE, "text": [f"{CANARY} {i}" for i in range(N)]}, {**ROLES, "text": "other"}, {}),
    "300 names": ({**SHORT, "called": [f"{CANARY}{i * 7 % 300}" for i in range(N)]}, {**KEYS, "called": "key"}, {}),
    "keys alone": (SHORT, KEYS, {}),
    "one key": ({"age": PEOPLE["age"]}, {"age": "key"}, {}),
    "negative amounts": ({**PEOPLE, "pay": [str(int(pay) - 20_000) for pay in PEOPLE["pay"]]}, ROLES, {}),
    "small amounts": ({**PEOPLE, "pay": [f"{int(pay) / 1e9:.9f}" for pay in PEOPLE["pay"]]}, ROLES, {}),
    "households": ({**PEOPLE, "home": [str(i // 3) for i in range(N)]}, {**ROLES, "home": "other"},
                   {"data": {"household": "home"}}),
    "weights of records": ({**PEOPLE, "w": [str(1 + i % 9) for i in range(N)]}, {**ROLES, "w": "other"},
                           {"data": {"weights": "w"}}),
    "nothing counts": (PEOPLE, ROLES, {"propose": {"weights": {name: 0 for name in ROLES if name != "name"}}}),
}  # fmt: skip


@pytest.mark.parametrize("name", quick_only(["missing keys", "free text"], ODD))
def test_any_file_has_proposals_for_controlled_that_run(tmp_path: Path, name: str) -> None:
    columns, roles, parts = ODD[name]
    path = write_goal(tmp_path, columns, roles, **parts)
    found = ic.propose(path, "controlled", out=tmp_path / "out", most=1)
    assert found.recommended is not None, found
    run = ic.run(tmp_path / "out" / "recommended.yaml", out=tmp_path / "released")
    assert run.log.end.smallest == found.recommended.k
    assert run.log.end.records == found.recommended.records_kept


@pytest.mark.slow
@pytest.mark.parametrize("tier", ["open"])
@pytest.mark.parametrize("name", list(ODD)[::2])
def test_any_file_has_proposals_or_obstacles(tmp_path: Path, name: str, tier: str) -> None:
    columns, roles, parts = ODD[name]
    path = write_goal(tmp_path, columns, roles, **parts)
    found = ic.propose(path, tier, out=tmp_path / "out", most=1)
    assert bool(found.items) != bool(found.obstacles)
    assert not any(CANARY in one.what + one.cost for one in found.obstacles)
    for one in found:
        assert one.file is not None
        run = ic.run(one.file, out=tmp_path / "released")
        rows = released(run)
        assert len(rows) == one.records_kept
        assert run.log.end.smallest == one.k
        assert "text" not in rows[0]


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("tier", ["open", "controlled"])
def test_a_file_of_nobody_or_nearly_nobody_is_refused_or_out_of_reach(tmp_path: Path, number: int, tier: str) -> None:
    columns = {name: [CANARY] * number for name in ROLES}
    path = write_goal(tmp_path, columns, ROLES)
    try:
        found = ic.propose(path, tier)
    except IncrowdError as error:
        assert error.code
        assert CANARY not in str(error)
    else:
        assert found.items == ()
        assert found.obstacles
        assert not any(CANARY in one.what + one.cost for one in found.obstacles)


@pytest.mark.parametrize(
    "asked", [{"finest": {"area": CANARY}}, {"keep": [CANARY]}, {"hierarchies": {"area": {"mappings": [{"a": "x"}]}}}]
)
def test_no_value_of_the_data_stands_in_an_error(tmp_path: Path, asked: dict[str, Any]) -> None:
    columns = some_people(60)
    columns["area"] = ["secretvalue" if i % 5 else "other secretvalue" for i in range(60)]
    path = write_goal(tmp_path, columns, ROLES, propose=asked)
    try:
        ic.propose(path, "controlled", most=1)
    except IncrowdError as error:
        assert "secretvalue" not in str(error)


def test_with_a_population_nothing_that_it_counts_is_changed_by_chance(tmp_path: Path) -> None:
    path = write_goal(tmp_path, some_people(N), ROLES, data={"population": {"source": "all.csv"}})
    everybody = some_people(3 * N, seed=2)
    keys = ("age", "sex", "area")
    there = {name: [*some_people(N)[name], *everybody[name]] for name in keys}
    lines = [",".join(keys), *(",".join(row) for row in zip(*there.values(), strict=True))]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n")
    found = ic.propose(path, "safeguarded", out=tmp_path / "out", most=1)
    assert found.items, found
    steps = [step.step for one in found for step in one.plan.steps]
    assert not {"noise", "pram", "shuffle", "swap", "suppress_cells"} & set(steps)
    assert ic.run(tmp_path / "out" / "recommended.yaml", out=tmp_path / "released").log.end.smallest == found[0].k


def test_what_no_rounding_helps_against_is_left_out_and_the_rest_is_treated_as_the_plan_says(tmp_path: Path) -> None:
    """What is left out comes first by its name: the figures are those of the plan all the same."""
    people, chance = some_people(1_200), random.Random(3)
    columns = {
        "sex": people["sex"], "area": people["area"], "a_text": [f"{CANARY} {i}" for i in range(1_200)],
        "pay": people["pay"], "saved": [str(chance.randint(1, 9_999)) for _ in range(1_200)],
    }  # fmt: skip
    roles = {"sex": "key", "area": "key", "a_text": "other", "pay": "other", "saved": "other"}
    path = write_goal(tmp_path, columns, roles, propose={"perturbation": False})
    found = ic.propose(path, "open", out=tmp_path / "out", most=1)
    assert found.recommended is not None, found
    assert "a_text: left out" in found.recommended.changes
    run = ic.run(tmp_path / "out" / "recommended.yaml", out=tmp_path / "released")
    rows = released(run)
    assert "a_text" not in rows[0]
    assert found.recommended.kept["a_text"] == 0
    for name in ("pay", "saved"):
        if name in rows[0]:
            assert len({row[name] for row in rows}) < len(set(columns[name])) / 2
    tried = [max(one.excess, 0.0) for one in run.log.attacks if one.excess is not None]
    assert max([*tried, 1 / found.recommended.k]) == pytest.approx(found.recommended.risk, abs=1e-9)


def test_where_the_tier_has_no_limit_values_stay_as_they_are(tmp_path: Path) -> None:
    found = ic.propose(write_goal(tmp_path, some_people(N), ROLES), "controlled", most=1)
    assert found.recommended is not None
    assert not [line for line in found.recommended.changes if line.startswith(("pay:", "ill:"))]


def test_whether_there_is_a_plan_does_not_depend_on_how_many_are_asked_for(tmp_path: Path) -> None:
    columns = {name: some_people(900)[name] for name in ("age", "sex", "area", "pay")}
    path = write_goal(tmp_path, columns, {"age": "key", "sex": "key", "area": "key", "pay": "other"})
    assert [bool(ic.propose(path, "open", most=most).items) for most in (1, 3)] == [True, True]


def test_an_obstacle_names_what_singles_people_out_even_where_nothing_may_be_done_to_it(tmp_path: Path) -> None:
    columns = {**some_people(N), "home": [str(i // 3) for i in range(N)]}
    path = write_goal(tmp_path, columns, {**ROLES, "home": "other"}, data={"household": "home"})
    found = ic.propose(path, "open", most=1)
    assert found.items == ()
    assert {one.variable for one in found.obstacles} == {"home"}
