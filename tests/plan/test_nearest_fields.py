"""A field that does not exist: the hint names one that may stand there, or none."""

import copy
from pathlib import Path

import pytest
import yaml
from people import PLAN
from pydantic import BaseModel

from incrowd.plan import model, requirements, scenarios, steps, use_cases
from incrowd.plan.fields import fields_at
from incrowd.plan.load import inspect_plan

NAMES = sorted(
    {
        name
        for module in (model, requirements, scenarios, steps, use_cases)
        for part in vars(module).values()
        if isinstance(part, type) and issubclass(part, BaseModel)
        for name in part.model_fields
    }
)


def hints(tmp_path: Path, plan: dict) -> dict[str, str | None]:
    found = inspect_plan(yaml.safe_dump(plan), tmp_path)
    return {fault.place: fault.hint for fault in found.faults if fault.code == "P002"}


@pytest.mark.parametrize("name", NAMES)
def test_a_hint_never_names_the_field_that_is_refused_and_always_one_that_is_taken(tmp_path, name):
    plan = copy.deepcopy(PLAN)
    plan["release"] = {**plan.get("release", {}), name: "x"}
    plan["steps"] = [{"step": "noise", name: "x"}] if name != "step" else []
    plan["variables"] = {"role": {"role": "key", "reason": "r", name: "x"}} if name not in ("role", "reason") else {}
    for place, hint in hints(tmp_path, plan).items():
        assert hint is None or f"{name!r}" not in hint, place
        taken = {
            "release": model.Release.model_fields, "variables": model.Variable.model_fields,
            "steps": fields_at(("steps", 0, "noise", "?")),
        }[place.split(".")[0]]  # fmt: skip
        assert hint is None or hint.split("'")[1] in taken


def test_the_hint_is_the_nearest_field_of_that_very_part(tmp_path):
    plan = copy.deepcopy(PLAN)
    plan["release"] = {"file": "x"}
    plan["steps"] = [{"step": "noise", "variable": "age"}]
    plan["data"] = {**plan["data"], "population": {"source": "p.csv", "cuont": "n"}}
    found = hints(tmp_path, plan)
    assert found["release.file"] is None
    assert found["steps.0.variable"] == "Did you mean 'variables'?"
    assert found["data.population.cuont"] == "Did you mean 'count'?"
