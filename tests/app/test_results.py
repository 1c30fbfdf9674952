"""A result is marked once the plan, or a file that the plan names, is no longer what the work had read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from people import plan_with, write_case

from incrowd.app.document import Document
from incrowd.app.jobs import Job
from incrowd.app.results import Outdated, outdated
from incrowd.app.sessions import Project
from incrowd.plan.files import stamps

CODED = {"role": "other", "reason": "harmless", "codes": "notes.csv"}
CASE = {"name": "mine", "test": "python", "function": "mine:passes", "columns": ["sex"]}
#: What a plan says, and the file that it names there.
NAMED: list[tuple[dict[str, Any], str]] = [
    ({}, "people.csv"),
    ({"data": {"source": "people.csv", "kind": "survey", "codes": "codes.csv"}}, "codes.csv"),
    ({"data": {"source": "people.csv", "kind": "survey", "population": {"source": "all.csv"}}}, "all.csv"),
    ({"variables": {**plan_with()["variables"], "note": CODED}}, "notes.csv"),
    ({"steps": [{"step": "recode", "variable": "age", "hierarchy": "ages.csv", "level": "1"}]}, "ages.csv"),
    ({"steps": [{"step": "recode", "variable": "sex", "lookup": "sexes.csv"}]}, "sexes.csv"),
    ({"attack": [{"attacks": ["reconstruction"], "tables": ["table.csv"]}]}, "table.csv"),
    ({"attack": [{"attacks": ["composition"], "others": ["other.csv"]}]}, "other.csv"),
    ({"use_cases": [CASE]}, "mine.py"),
    ({"propose": {"hierarchies": {"age": "ages.csv"}}}, "ages.csv"),
]


@pytest.mark.parametrize(("changes", "name"), NAMED, ids=[name for _, name in NAMED])
def test_a_change_of_any_file_that_the_plan_names_makes_a_result_out_of_date(
    tmp_path: Path, changes: dict[str, Any], name: str
) -> None:
    path, file = write_case(tmp_path, plan_with(**changes)), tmp_path / name
    if not file.exists():
        file.write_text("one")
    project = Project(Document(path), own=False)
    job = Job("Work", "attack", project.document.text, stamps(project.plan, tmp_path))
    assert name in job.files
    assert not outdated(job, project)
    file.write_text(file.read_text() + "x")
    assert outdated(job, project) == Outdated(files=(name,))
    file.unlink()
    assert outdated(job, project) == Outdated(files=(name,))


def test_the_files_of_a_tier_count_and_so_does_the_plan(tmp_path: Path) -> None:
    step = {"step": "recode", "variable": "sex", "lookup": "sexes.csv"}
    plan = plan_with(tiers=[{"tier": "open", "steps": [step]}, {"tier": "safeguarded"}])
    del plan["tier"]
    path = write_case(tmp_path, plan)
    (tmp_path / "sexes.csv").write_text("one")
    project = Project(Document(path), own=False)
    job = Job("Work", "attack", project.document.text, stamps(project.plan, tmp_path))
    (tmp_path / "sexes.csv").write_text("two, longer")
    project.document.change(lambda tree: tree.update(title="Another"), "title")
    assert outdated(job, project) == Outdated(True, ("sexes.csv",))
    assert not outdated(None, project)
    assert not outdated(job, None)
