"""A small file of people and a plan for it, to change in tests."""

import copy
import os
from pathlib import Path
from typing import Any

import yaml

SECRET = "5a" + "0123456789abcdef" * 3 + "f00dfeedc0ffee"

PLAN: dict[str, Any] = {
    "title": "People",
    "data": {"source": "people.csv", "kind": "survey"},
    "tier": "open",
    "variables": {
        "name": {"role": "identifier", "reason": "names a person"},
        "age": {"role": "key", "reason": "visible"},
        "sex": {"role": "key", "reason": "visible"},
        "ill": {"role": "sensitive", "reason": "private"},
        "note": {"role": "other", "reason": "harmless"},
    },
    "steps": [
        {"step": "drop", "variables": ["name"]},
        {"step": "recode", "variable": "age", "bands": ["0", "40"]},
        {"step": "suppress_records"},
    ],
    "requirements": [{"model": "k", "k": "3"}],
    "release": {"format": "csv", "name": "people"},
}


def plan_with(**changes: Any) -> dict[str, Any]:
    """The plan with some top-level fields replaced."""
    return {**copy.deepcopy(PLAN), **changes}


def write_case(folder: Path, plan: dict[str, Any] | None = None, lines: str | None = None) -> Path:
    """people.csv and plan.yaml in a folder; gives the plan."""
    if lines is None:
        lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(60))
    (folder / "people.csv").write_text("name,age,sex,ill,note\n" + lines)
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan or PLAN, sort_keys=False))
    os.environ["INCROWD_SECRET"] = SECRET
    return path
