"""What can be counted again in a release by itself."""

from __future__ import annotations

from pathlib import Path

from people import plan_with, write_case

import incrowd as ic
from incrowd.tasks._recount import to_recount


def test_the_release_is_counted_again_as_its_plan_asks(tmp_path: Path) -> None:
    asked = [
        {"model": "k", "k": 3},
        {"model": "t", "sensitive": "ill", "t": 0.9},
        {"model": "weak_k", "k": 2, "where": {"sex": ["f"]}},
    ]
    run = ic.run(write_case(tmp_path, plan_with(requirements=asked))).folder
    found = to_recount(run)
    counted = ic.verify(*found.arguments)
    assert counted.passed
    assert counted.k >= 3
    assert counted.keys == ("age", "sex")
    assert [one.requirement for one in counted.findings] == ["every class has at least 3 people"]
    assert [why for _, why in found.left_out] == [
        "it compares with the file as it came, or with a population",
        "it speaks of some of the records only",
    ]


def test_where_people_have_several_records_it_says_why_not(tmp_path: Path) -> None:
    data = {"source": "people.csv", "kind": "survey", "unit": "name"}
    run = ic.run(write_case(tmp_path, plan_with(data=data))).folder
    assert to_recount(run).why.startswith("people have several records")
