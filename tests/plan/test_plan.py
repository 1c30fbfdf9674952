"""Plans: every fault at once, each with a code, a line and a way out."""

import json
from pathlib import Path

import pytest
import yaml
from people import PLAN, plan_with, write_case

import incrowd as ic
from incrowd.errors import PlanError
from incrowd.pipeline.check import load_plan
from incrowd.plan import Plan, check_columns, dump_plan
from incrowd.plan.load import parse_plan

ROOT = Path(__file__).resolve().parents[2]


def faults_of(folder, plan):
    path = write_case(folder, plan)
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    return caught.value.faults


def test_a_good_plan_survives_a_round_trip(tmp_path):
    plan = load_plan(write_case(tmp_path))
    assert parse_plan(dump_plan(plan), tmp_path) == plan


def test_scalars_stay_text_as_written(tmp_path):
    write_case(tmp_path)
    text = yaml.safe_dump(plan_with(steps=[], requirements=[]), sort_keys=False)
    text = text.replace(
        "steps: []",
        "steps:\n- {step: drop, variables: [name]}\n- {step: recode, variable: sex, mapping: {No: Yes, 007: 08}}",
    )
    text = text.replace("requirements: []", "requirements:\n- {model: one_sided, sensitive: ill, value: Yes}")
    plan = parse_plan(text, tmp_path)
    assert plan.steps[1].mapping == {"No": "Yes", "007": "08"}
    assert plan.requirements[0].value == "Yes"


def test_all_faults_are_shown_at_once_with_their_lines(tmp_path):
    write_case(tmp_path)
    text = """title: x
data: {source: people.csv, kind: surveyy}
tier: open
variabels: {}
variables:
  age: {role: key}
steps:
- step: recode
  variable: age
  bands: [1, two]
- step: recodee
requirements:
- model: k
  k: many
- model: k
"""
    with pytest.raises(PlanError) as caught:
        parse_plan(text, tmp_path)
    found = {(fault.code, fault.place, fault.line) for fault in caught.value.faults}
    assert {
        ("P004", "data.kind", 2),
        ("P002", "variabels", 4),
        ("P003", "variables.age.reason", 6),
        ("P004", "steps.0.bands.1", 10),
        ("P006", "steps.1", 11),
        ("P004", "requirements.0.k", 14),
        ("P003", "requirements.1.k", 15),
    } == found
    assert "Did you mean 'variables'" in str(caught.value)


def test_a_slip_in_one_field_does_not_hide_what_is_wrong_elsewhere(tmp_path):
    change = plan_with(
        tier="opne",
        steps=[
            *PLAN["steps"][:1],
            {"step": "recode", "variable": "age"},
            {"step": "recode", "variable": "agee", "prefix": 1},
        ],
        requirements=[{"model": "k"}, {"model": "distinct_l", "sensitive": "il", "l": 2}],
    )
    found = {(fault.code, fault.place) for fault in faults_of(tmp_path, change)}
    assert found == {
        ("P004", "tier"),
        ("P004", "steps.1"),
        ("P012", "steps.2.variable"),
        ("P003", "requirements.0.k"),
        ("P019", "requirements.1.sensitive"),
    }


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ({"steps": [{"step": "drop", "variables": ["nam"]}]}, "P012", "steps.0.variables.0"),
        ({"steps": [*PLAN["steps"][:1], *PLAN["steps"][:1]]}, "P013", "steps.1.variables.0"),
        ({"steps": []}, "P015", "variables.name"),
        ({"steps": [{"step": "drop", "variables": ["name", "age", "sex"]}]}, "P016", "variables"),
        ({"steps": [*PLAN["steps"], {"step": "recode", "variable": "age", "prefix": 1}]}, "P017", "steps.3"),
        ({"data": {**PLAN["data"], "unit": "age"}}, "P018", "data.unit"),
        ({"requirements": [{"model": "distinct_l", "sensitive": "il", "l": 2}]}, "P019", "requirements.0.sensitive"),
        ({"data": {"source": "peple.csv", "kind": "survey"}}, "P020", "data.source"),
        (
            {"steps": [*PLAN["steps"][:2], {"step": "suppress_records", "for": ["one_sided"]}]},
            "P021",
            "steps.2.for.0",
        ),
        ({"requirements": []}, "P004", "requirements"),
        (
            {"steps": [{"step": "pseudonymise", "variables": ["name"], "into": "age"}]},
            "P014",
            "steps.0.into",
        ),
        (
            {"steps": [*PLAN["steps"][:1], {"step": "recode", "variable": "age", "bands": [2, 1]}]},
            "P004",
            "steps.1",
        ),
        (
            {"steps": [*PLAN["steps"][:1], {"step": "recode", "variable": "age", "prefix": 1, "date_part": "year"}]},
            "P004",
            "steps.1",
        ),
    ],
)
def test_each_fault_has_its_code_and_place(tmp_path, change, code, place):
    faults = faults_of(tmp_path, plan_with(**change))
    assert (code, place) in {(fault.code, fault.place) for fault in faults}
    assert all(fault.line for fault in faults)


def test_columns_and_roles_must_match(tmp_path):
    plan = load_plan(write_case(tmp_path))
    with pytest.raises(PlanError) as caught:
        check_columns(plan, ["name", "agee", "sex", "ill", "note", "extra"], "people.csv")
    codes = [fault.code for fault in caught.value.faults]
    assert codes == ["P010", "P011", "P011"]
    assert "Did you mean 'agee'" in str(caught.value)


def test_a_field_given_twice_and_broken_yaml(tmp_path):
    with pytest.raises(PlanError) as caught:
        parse_plan("title: a\ntitle: b\n", tmp_path)
    assert ("P005", 2) in {(fault.code, fault.line) for fault in caught.value.faults}
    with pytest.raises(PlanError) as caught:
        parse_plan("title: [a\ntier: b\n", tmp_path)
    assert caught.value.faults[0].code == "P001"
    for text in ("", "- a\n", "just text"):
        with pytest.raises(PlanError):
            parse_plan(text, tmp_path)


def test_the_published_schema_is_the_current_one():
    published = json.loads((ROOT / "docs" / "plan.schema.json").read_text())
    assert published == Plan.model_json_schema(by_alias=True), "run: make docs"


def test_a_swap_by_a_key_that_is_not_released_is_told_where_a_population_is_counted(tmp_path: Path) -> None:
    """Only released keys are counted in a population, so the targets of a swap cannot go by another."""
    (tmp_path / "everybody.csv").write_text("age,sex\n30,f\n")
    steps = [
        {"step": "drop", "variables": ["name"]},
        {"step": "swap", "geography": ["sex"], "rate": "0.1", "targets": {"keys": ["age"], "fewer_than": "3"}},
        {"step": "drop", "variables": ["age"]},
        {"step": "suppress_records"},
    ]
    with_people = {"source": "people.csv", "kind": "survey", "population": {"source": "everybody.csv"}}
    found = ic.check(write_case(tmp_path, plan_with(data=with_people, steps=steps))).faults
    assert [(fault.code, fault.place) for fault in found] == [("P115", "steps.1.targets.keys.0")]
    assert ic.check(write_case(tmp_path, plan_with(steps=steps))).ok
