"""Six releases of the demo's people for two tools to attack, each with a part of the people held out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from incrowd.attack.situation import Situation
from incrowd.demo import write_demo, write_example
from incrowd.pipeline.trace import trace
from incrowd.plan import parse_plan
from incrowd.secret import Secret

#: The share of the people who stay: the others are in no variant, and are the control.
KEPT = 0.9
IDENTIFIERS = ["name", "postcode", "dob"]
AMOUNTS = ["income", "credit_score"]
KEYS = ["area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation"]
SENSITIVE = [*AMOUNTS, "on_benefits", "home_ownership"]
CROWD = {"model": "k", "k": 9}
STUDY = [
    CROWD,
    {"model": "one_sided", "sensitive": "on_benefits", "value": "Yes"},
    {"model": "one_sided", "sensitive": "home_ownership", "value": "No"},
]

Step = dict[str, Any]


def variants(study: list[Step]) -> dict[str, tuple[list[Step], list[dict[str, Any]]]]:
    """By name, the steps and the requirements of each. `study` are the steps of the demo's plan."""
    drop = {"step": "drop", "variables": IDENTIFIERS}
    recodings = [step for step in study if step["step"] == "recode"]
    region = recodings[0]
    return {
        "as it came": ([drop], []),
        "the study, k = 9": (study, STUDY),
        "local recoding, k = 9": (
            [drop, region, {"step": "search", "local": True, "hierarchies": dict.fromkeys(KEYS, "auto")}],
            [CROWD],
        ),
        "noise and averages": (
            [
                drop, *recodings,
                {"step": "noise", "variables": ["income"], "share": 0.05, "decimals": 0},
                {"step": "microaggregate", "variables": ["credit_score"], "k": 5, "decimals": 0},
            ],
            [],
        ),
        "PRAM and swaps": (
            [
                drop, region,
                {"step": "swap", "geography": ["area"], "rate": 0.2, "similar": ["gender"]},
                *({"step": "pram", "variable": name, "rate": 0.1} for name in ("marital_status", "occupation")),
                *({"step": "rank_swap", "variable": name, "within": 0.02} for name in AMOUNTS),
            ],
            [],
        ),
        "dealt out anew": (
            [
                drop, *recodings,
                {"step": "shuffle", "variables": SENSITIVE, "strata": ["gender", "qualifications"]},
            ],
            [],
        ),
    }  # fmt: skip


def situations(folder: Path, people: int, only: str | None = None) -> Iterator[tuple[str, Situation]]:
    """Each variant by its name, carried out on so many people, with the truth behind it."""
    write_demo(folder / "people.csv", rows=people, seed=1)
    study = yaml.safe_load(write_example(folder).read_text(encoding="utf-8"))["steps"]
    roles = (
        dict.fromkeys(IDENTIFIERS, "identifier") | dict.fromkeys(KEYS, "key") | dict.fromkeys(SENSITIVE, "sensitive")
    )
    for name, (steps, requirements) in variants(study).items():
        if only not in (None, name):
            continue
        content = {
            "title": "People",
            "tier": "open",
            "data": {"source": "people.csv", "kind": "survey"},
            "variables": {one: {"role": role, "reason": "Compared here."} for one, role in roles.items()},
            "steps": [{"reason": "Compared here.", **step} for step in [{"step": "sample", "fraction": KEPT}, *steps]],
            "requirements": requirements or [{"model": "k", "k": 1}],
        }
        plan = parse_plan(yaml.safe_dump(content, sort_keys=False), folder)
        with trace(plan, folder, Secret(bytes(range(32)))) as traced:
            yield name, traced.situation()
