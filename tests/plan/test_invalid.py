"""What is wrong with a plan is said in our words: nobody who writes YAML knows pydantic."""

import pytest
import yaml
from people import plan_with

import incrowd as ic
from incrowd.plan.load import inspect_plan

PYDANTIC = ("Input should", "pydantic", "validation", "Field required", "valid string", "[type=")
SPOILT = [
    {"title": ""},
    {"title": {"a": "b"}},
    {"title": ["a"]},
    {"data": "people.csv"},
    {"tier": "secret"},
    {"variables": {}},
    {"variables": ["a"]},
    {"requirements": []},
    {"requirements": "k"},
    {"requirements": [{"model": "k", "k": "many"}]},
    {"requirements": [{"model": "k", "k": "0"}]},
    {"requirements": [{"model": "k", "k": "2.5"}]},
    {"steps": "drop"},
    {"steps": [{"step": "drop", "variables": "name"}]},
    {"steps": [{"step": "sample", "fraction": "7"}]},
    {"steps": [{"step": "sample", "fraction": "half"}]},
    {"steps": [{"step": "drop", "variables": ["name"], "off": "perhaps"}]},
    {"release": {"name": "a b"}},
    {"release": {"parts": "3"}},
    {"data": {"source": "x", "kind": "survey", "delimiter": "ab"}},
    {"data": {"source": "x", "kind": "survey", "limit": "0"}},
    {"unheard_of": "1"},
    {"attest": {"review": {"role": "r", "next": "soon"}}},
    {"use_cases": [{"test": "shares"}]},
    {"scenarios": [{"name": "n", "keys": "age"}]},
    {"sweep": {"k": []}},
    {"sweep": "9"},
]


@pytest.mark.parametrize("spoilt", SPOILT, ids=str)
def test_faults_do_not_speak_pydantic(tmp_path, spoilt):
    content = {**plan_with(), **spoilt}
    faults = inspect_plan(yaml.safe_dump(content), tmp_path).faults
    assert faults
    assert not [fault for fault in faults for word in PYDANTIC if word in str(fault)]
    for make in (lambda: ic.Plan(**content), lambda: ic.Plan.model_validate(content)):
        with pytest.raises(ic.PlanError) as raised:
            make()
        assert not [word for word in PYDANTIC if word in str(raised.value)]


def test_a_sound_plan_can_be_made_in_python():
    assert ic.Plan(**plan_with()).title == ic.Plan.model_validate(plan_with()).title
