"""Small files and goals for tests of incrowd propose."""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from people import SECRET

import incrowd as ic

Columns = Mapping[str, Sequence[object]]


def write_goal(folder: Path, columns: Columns, roles: Mapping[str, str], **parts: Any) -> Path:
    """people.csv and a plan for it that says no more than it must; gives the plan."""
    os.environ["INCROWD_SECRET"] = SECRET
    with (folder / "people.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    plan: dict[str, Any] = {
        "title": "People",
        "data": {"source": "people.csv", "kind": "survey", **parts.pop("data", {})},
        "variables": {name: {"role": role, "reason": "-"} for name, role in roles.items()},
        **parts,
    }
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    return path


def some_people(number: int, seed: int = 1) -> dict[str, list[str]]:
    """People with an age, a sex, an area, a pay that goes by the area, and an illness."""
    chance = random.Random(seed)
    areas = [chance.choice("abcdef") for _ in range(number)]
    return {
        "name": [f"n{i}" for i in range(number)],
        "age": [str(chance.randint(18, 77)) for _ in range(number)],
        "sex": [chance.choice("fm") for _ in range(number)],
        "area": areas,
        "pay": [str(round(chance.gauss(20_000 + 2_000 * (area in "abc"), 4_000))) for area in areas],
        "ill": [chance.choices(["no", "flu", "asthma"], [6, 3, 1])[0] for _ in range(number)],
    }


ROLES = {"name": "identifier", "age": "key", "sex": "key", "area": "key", "pay": "sensitive", "ill": "sensitive"}


def released(run: ic.Run) -> list[dict[str, str]]:
    """The records of a released file, as texts."""
    with next(run.release.glob("*.csv")).open(newline="") as file:
        header, *lines = csv.reader(file)
    return [
        dict(zip(header, line or [""], strict=True)) for line in lines
    ]  # an empty line is a blank of the one column
