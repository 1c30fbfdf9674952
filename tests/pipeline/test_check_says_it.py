"""What is wrong with a plan whatever the data are, `check` says: a run that begins does not stop for it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from people import plan_with, write_case

import incrowd as ic
from incrowd.errors import InputError, NotReleasable, PlanError
from incrowd.plan import inspect_plan, read_text

DROP = {"step": "drop", "variables": ["name"]}
HIERARCHIES = {"age": {"widths": ["10", "20"]}, "sex": "auto"}
POPULATION = {"source": "people.csv", "kind": "survey", "population": {"source": "people.csv"}}


def _search(**more: Any) -> dict[str, Any]:
    return {"steps": [DROP, {"step": "search", "hierarchies": HIERARCHIES, "suppression": "1", **more}]}


def _rule(**rule: Any) -> dict[str, Any]:
    return _search(hierarchies={**HIERARCHIES, "age": rule})


def _faults(folder: Path, plan: dict[str, Any]) -> list[str]:
    path = write_case(folder, plan)
    return [fault.code for fault in inspect_plan(read_text(path), folder).faults]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        (_rule(widths=["10", "15"]), "P004"),
        (_rule(widths=["0"]), "P004"),
        (_rule(cuts=[["10", "20"], ["15"]]), "P004"),
        (_rule(quantiles=["2", "4"]), "P004"),
        (_rule(prefixes=["1", "2"]), "P004"),
        (_rule(date_parts=["year", "month"]), "P004"),
        (_rule(date_parts=["year"], date_format="%"), "P004"),
        (_rule(postcode=["area", "sector"]), "P004"),
        ({"steps": [DROP, {"step": "recode", "variable": "age", "date_part": "year", "date_format": "%d/%m"}]}, "P004"),
        (_search(weights={"age": "0", "sex": "0"}), "P084"),
        ({"steps": [DROP, {"step": "suppress_cells", "k": "3", "importance": ["age"]}]}, "P083"),
        ({"steps": [DROP, {"step": "suppress_cells", "k": "3", "importance": ["age", "age", "sex"]}]}, "P083"),
        ({"data": POPULATION, "requirements": [{"model": "delta_presence", "dmin": "0.5", "dmax": "0.2"}]}, "P004"),
        ({"requirements": [{"model": "recursive_l", "sensitive": "ill", "c": "2", "l": "9" * 30}]}, "P004"),
        ({"requirements": [{"model": "k", "k": "9" * 30}]}, "P004"),
    ],
)
def test_a_fault_of_the_plan_alone_is_found_before_the_run(tmp_path: Path, changes: dict[str, Any], code: str) -> None:
    plan = plan_with(**{"requirements": [{"model": "k", "k": "2"}], **changes})
    assert _faults(tmp_path, plan) == [code]
    with pytest.raises(PlanError):
        ic.run(tmp_path / "plan.yaml")


@pytest.mark.parametrize("keys", [["age"], ["age", "sex"]])
def test_local_recoding_keeps_weak_k_on_keys_of_its_own(tmp_path: Path, keys: list[str]) -> None:
    plan = plan_with(requirements=[{"model": "weak_k", "k": "3", "keys": keys}], **_search(local="true"))
    assert _faults(tmp_path, plan) == []
    done = ic.run(tmp_path / "plan.yaml")
    assert all(verdict.passed for verdict in done.log.verdicts)
    found = ic.search(
        tmp_path / "people.csv", ["age", "sex"], [ic.parse_model(f"weak_k:3:on={','.join(keys)}")],
        local=True, auto=True, suppression=1,
    )  # fmt: skip
    assert found.classes


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["auto", {"widths": ["10", "20"]}, {"quantiles": ["4", "2"]}, {"prefixes": ["1"]}])
@pytest.mark.parametrize("local", ["true", "false"])
def test_a_search_goes_on_from_what_suppression_left(tmp_path: Path, rule: Any, local: str) -> None:
    """Values that nobody has any more need no place in a hierarchy that the values make."""
    search = {"step": "search", "hierarchies": {"age": rule}, "suppression": "1", "local": local}
    steps = [DROP, {"step": "suppress_records", "fewer_than": "2", "of": ["age"]}, search]
    lines = "".join(f"n{i},{20 + i % 7 if i else 99},{'fm'[i % 2]},y,001\n" for i in range(60))
    done = ic.run(write_case(tmp_path, plan_with(steps=steps), lines))
    assert done.log.end.records >= 50
    assert "99" not in (done.release / "people.csv").read_text()


def test_a_pinned_level_that_the_hierarchy_does_not_have_is_told(tmp_path: Path) -> None:
    write_case(tmp_path, plan_with(**_search(levels={"age": "9"})))
    with pytest.raises(InputError, match="D313"):
        ic.run(tmp_path / "plan.yaml")


MODELS = [
    {"model": "k", "k": "2"}, {"model": "weak_k", "k": "2", "keys": ["sex"]},
    {"model": "weak_k", "k": "2", "where": {"note": ["001"]}}, {"model": "distinct_l", "sensitive": "ill", "l": "2"},
    {"model": "entropy_l", "sensitive": "ill", "l": "1.1"},
    {"model": "recursive_l", "sensitive": "ill", "c": "9", "l": "2"},
    {"model": "one_sided", "sensitive": "ill", "value": "y"},
    {"model": "alpha_k", "sensitive": "ill", "alpha": "0.9", "k": "2"}, {"model": "t", "sensitive": "ill", "t": "0.5"},
    {"model": "t", "sensitive": "ill", "t": "0.5", "distance": "ordered", "order": ["n", "y"]},
    {"model": "beta", "sensitive": "ill", "beta": "3"}, {"model": "enhanced_beta", "sensitive": "ill", "beta": "3"},
    {"model": "delta_disclosure", "sensitive": "ill", "delta": "2", "skip_zeros": "true"},
]  # fmt: skip
STEPS = [
    {"step": "recode", "variable": "age", "bands": ["0", "40"]}, {"step": "suppress_records"},
    {"step": "search", "hierarchies": HIERARCHIES, "suppression": "1"},
    {"step": "search", "hierarchies": HIERARCHIES, "suppression": "1", "local": "true"},
    {"step": "search", "hierarchies": {"sex": "auto"}, "suppression": "1", "local": "true"},
    {"step": "suppress_cells", "k": "3", "importance": ["sex", "age"]},
    {"step": "pram", "variable": "ill", "rate": "0.1"},
    {"step": "sample", "fraction": "0.9"}, {"step": "top_code", "variable": "age", "at": "45"},
]  # fmt: skip
#: What only the data can tell: nobody has the value, or meets the condition, after the steps before; no number is
#: left, or no value at all.
BY_DATA = {"D021", "D046", "D055", "D068", "D115", "D130"}


@pytest.mark.slow
@settings(
    max_examples=examples(15),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    deadline=None,
)
@given(data=st.data())
def test_a_plan_that_check_passes_is_not_refused_as_a_plan(tmp_path: Path, data: st.DataObject) -> None:
    steps = data.draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=3))
    models = data.draw(st.lists(st.sampled_from(MODELS), min_size=1, max_size=3))
    plan = plan_with(steps=[DROP, *steps], requirements=models)
    if _faults(tmp_path, plan):
        return
    try:
        ic.run(tmp_path / "plan.yaml")
    except NotReleasable:
        pass
    except InputError as error:
        assert error.code in BY_DATA


@pytest.mark.slow
def test_no_pair_of_step_and_model_that_check_passes_is_refused_as_a_plan(tmp_path: Path) -> None:
    tried = 0
    for number, (step, model) in enumerate(itertools.product(STEPS, MODELS)):
        folder = tmp_path / str(number)
        folder.mkdir()
        if _faults(folder, plan_with(steps=[DROP, step], requirements=[model])):
            continue
        tried += 1
        try:
            ic.run(folder / "plan.yaml")
        except NotReleasable:
            pass
        except InputError as error:
            assert error.code in BY_DATA, (step, model)
    assert tried > 80


def _coded(steps: list[dict[str, Any]]) -> dict[str, Any]:
    plan = plan_with(steps=[DROP, *steps], requirements=[{"model": "k", "k": "1"}])
    plan["variables"]["note"] = {**plan["variables"]["note"], "missing_codes": ["006"]}
    return plan


@pytest.mark.parametrize("way", [{"into": "006"}, {"with": "006"}])
def test_small_values_never_get_the_name_of_a_missing_code(tmp_path: Path, way: dict[str, str]) -> None:
    merge = {"step": "merge_small", "variable": "note", "fewer_than": "9"}
    assert _faults(tmp_path, _coded([{**merge, **way}])) == ["P113"]
    assert _faults(tmp_path, _coded([{**merge, "into": "006 or so"}])) == []


def test_a_step_that_reckons_with_missing_codes_is_told_before_the_run(tmp_path: Path) -> None:
    noise = {"step": "noise", "variables": ["note"], "share": "0.1"}
    path = write_case(tmp_path, _coded([noise]))
    (said,) = ic.check(path).notes
    assert "steps.1: noise reckons with note" in said
    assert "D378" in said
    with pytest.raises(InputError, match="D378"):
        ic.run(path)
    mapped = {"step": "recode", "variable": "note", "mapping": {"006": "0"}}
    assert ic.check(write_case(tmp_path, _coded([mapped, noise]))).notes == ()


def test_a_population_without_the_keys_is_told_before_the_run(tmp_path: Path) -> None:
    steps = [{"step": "derive", "into": "half", "expression": "age // 20"}, {"step": "drop", "variables": ["name"]}]
    plan = plan_with(
        data={**POPULATION, "population": {"source": "all.csv"}},
        steps=steps,
        requirements=[{"model": "k_map", "k": "1"}],
    )
    plan["variables"]["half"] = {"role": "key", "reason": "told"}
    path = write_case(tmp_path, plan)
    (tmp_path / "all.csv").write_text("age,sex\n" + "".join(f"{20 + i % 40},{'fm'[i % 2]}\n" for i in range(200)))
    (fault,) = ic.check(path).faults
    assert (fault.code, fault.place) == ("P010", "variables.half")
    with pytest.raises((InputError, PlanError)):
        ic.run(path)
    steps[1]["variables"] = ["name", "half"]
    assert ic.check(write_case(tmp_path, plan)).faults == ()
