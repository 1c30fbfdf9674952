"""The case that is scaled: demo people with eight keys, two recodings, a search, k and one-sided diversity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from incrowd.demo import region_of_district

KEYS = ["area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation", "home_ownership"]
SENSITIVE = "on_benefits"
DROPPED = ["name", "postcode", "dob"]


def plan(source: str, release: str = "parquet") -> dict[str, Any]:
    """Recode by hand what a custodian would, search for the rest, and ask for k = 9 and one-sided diversity."""
    roles = dict.fromkeys(DROPPED, "identifier") | dict.fromkeys(KEYS, "key")
    roles |= {SENSITIVE: "sensitive", "income": "other", "credit_score": "other"}
    return {
        "title": "Scaling",
        "data": {"source": source, "kind": "census"},
        "tier": "open",
        "variables": {name: {"role": role, "reason": "measured"} for name, role in roles.items()},
        "steps": [
            {"step": "drop", "variables": DROPPED},
            {
                "step": "recode",
                "variable": "qualifications",
                "mapping": {
                    "Level 1": "Lower education",
                    "Level 2": "Lower education",
                    "Level 3": "Lower education",
                    "Apprenticeship": "Higher education",
                    "BA": "Higher education",
                },
            },
            {
                "step": "recode",
                "variable": "marital_status",
                "mapping": {"divorced": "previously married", "widowed": "previously married"},
            },
            {
                "step": "search",
                "suppression": 0.05,
                "hierarchies": {
                    "area": "regions.csv",
                    "age": {"widths": [5, 10, 20]},
                    "num_children": {"cuts": [[0, 1, 2, 4], [0, 1]]},
                },
            },
        ],
        "requirements": [{"model": "k", "k": 9}, {"model": "one_sided", "sensitive": SENSITIVE, "value": "Yes"}],
        "release": {"name": "people", "format": release},
    }


def write_case(folder: Path, source: Path, release: str = "parquet") -> Path:
    """The plan and its hierarchy of areas; gives the plan's path. The data is linked, not copied."""
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "people.parquet"
    link.unlink(missing_ok=True)
    link.symlink_to(source.resolve())
    lines = [f"{district};{region};*\n" for district, region in region_of_district().items()]
    (folder / "regions.csv").write_text("".join(lines), encoding="utf-8")
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan(link.name, release), sort_keys=False), encoding="utf-8")
    return path
