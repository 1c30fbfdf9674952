"""What a review of the workbench has found: figures of an earlier file, the wrong step, forms that broke a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from examples import quick_only
from people import plan_with, write_case
from workbench import Visitor, workbench

from incrowd.app.document import Document

LOOKUP = {"step": "recode", "variable": "sex", "lookup": "look.csv"}
FIRST = plan_with()["steps"][:2]


def write(folder: Path, **changes: Any) -> Path:
    return write_case(folder, plan_with(**changes))


def opened(address: str, path: Path) -> Visitor:
    visitor = Visitor(address)
    visitor.get("/data")
    visitor.post("/data/open", file=str(path))
    return visitor


def classes(text: str) -> int:
    found = re.search(r"<dt>classes[^<]*</dt><dd>(\d+)</dd>", text)
    assert found
    return int(found[1])


def forms(text: str, action: str) -> list[dict[str, str]]:
    found = re.findall(rf'<form method="post" action="{action}"[^>]*>(.*?)</form>', text, re.S)
    return [dict(re.findall(r'name="(\w+)" value="([^"]*)"', one)) for one in found]


def test_a_changed_lookup_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "look.csv").write_text("old,new\nf,any\nm,any\n")
    with workbench(tmp_path) as address:
        visitor = opened(address, write(tmp_path, steps=[*FIRST, LOOKUP]))
        assert classes(visitor.get("/protect")) == 2
        (tmp_path / "look.csv").write_text("old,new\nf,female\nm,male\n")
        assert classes(visitor.get("/protect")) == 4


def test_what_says_why_a_value_is_missing_counts_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, steps=FIRST)
    with workbench(tmp_path) as address:
        visitor = opened(address, path)
        assert classes(visitor.get("/protect")) == 4
        plan = yaml.safe_load(path.read_text())
        plan["variables"]["age"]["missing_codes"] = ["25", "26"]
        path.write_text(yaml.safe_dump(plan, sort_keys=False))
        assert classes(visitor.get("/protect")) == 6


def test_a_file_that_was_missing_mends_the_plan_when_it_comes(tmp_path: Path) -> None:
    path = write(tmp_path, steps=[*FIRST, LOOKUP])
    document = Document(path)
    assert document.checked.faults
    (tmp_path / "look.csv").write_text("old,new\nf,any\nm,any\n")
    assert not document.checked.faults


def test_a_second_click_does_not_reach_the_next_step(tmp_path: Path) -> None:
    path = write(tmp_path)
    with workbench(tmp_path) as address:
        visitor = opened(address, path)
        text = visitor.get("/protect")
        form = forms(text, "/protect/steps/remove")[1]
        visitor.post("/protect/steps/remove", **form)
        assert "D456" in visitor.post("/protect/steps/remove", **form)
        assert [one["step"] for one in Document(path).tree["steps"]] == ["drop", "suppress_records"]


def test_attacks_among_the_steps_do_not_shift_them(tmp_path: Path) -> None:
    """Plans were written so before: what is said of a step, and done to it, is of that step."""
    steps = [{"step": "attack", "attacks": ["linkage"]}, *plan_with()["steps"]]
    path = write(tmp_path, steps=steps)
    with workbench(tmp_path) as address:
        visitor = opened(address, path)
        names = re.findall(r'<h3 class="name">([^<]*)', visitor.get("/protect"))
        assert [name[:9] for name in names] == ["1. drop n", "2. recode", "3. suppre"]
        visitor.post("/protect/steps/remove", number="2")
        tree = Document(path).tree
        assert [one["step"] for one in tree["steps"]] == ["drop", "suppress_records"]
        assert tree["attack"] == [{"attacks": ["linkage"]}]


def test_shared_steps_are_not_taken_for_those_of_a_tier(tmp_path: Path) -> None:
    plan = plan_with(tiers=[{"tier": "open", "requirements": [{"model": "k", "k": "10"}]}, {"tier": "controlled"}])
    del plan["tier"]
    with workbench(tmp_path) as address:
        visitor = opened(address, write_case(tmp_path, plan))
        assert "This plan makes 2 files (open, controlled)" in visitor.get("/protect")
        assert "that all its files share" in visitor.get("/risk")


def test_spaces_around_a_name_do_not_untick_it(tmp_path: Path) -> None:
    plan = plan_with()
    plan["variables"] = {f" {name} " if name == "sex" else name: one for name, one in plan["variables"].items()}
    path = write_case(tmp_path, plan)
    data = tmp_path / "people.csv"
    data.write_text(data.read_text().replace("age,sex,ill", "age, sex ,ill"))
    with workbench(tmp_path) as address:
        text = opened(address, path).post("/risk/keys", keys=["age", " sex "])
        assert 'value=" sex " checked' in text


#: What no reader of plans would write.
OTHERWISE: list[dict[str, Any]] = [
    {"steps": [None]}, {"steps": ["drop"]}, {"requirements": {"k": 3}}, {"requirements": ["k"]}, {"scenarios": None},
    {"attack": None}, {"propose": "x"}, {"use_cases": "x"}, {"variables": ["a"]},
]  # fmt: skip


@pytest.mark.parametrize("changes", quick_only(OTHERWISE[:2], OTHERWISE))
def test_a_plan_that_is_written_otherwise_breaks_no_page(tmp_path: Path, changes: dict[str, Any]) -> None:
    path = write(tmp_path, **changes)
    with workbench(tmp_path) as address:
        visitor = opened(address, path)
        pages = ("data", "variables", "risk", "protect", "propose", "utility", "utility/values", "attack", "release")
        for page in pages:
            visitor.get(f"/{page}")
        for way in ("up", "switch", "remove"):
            visitor.post(f"/protect/steps/{way}", number="1")
        visitor.post("/protect/step", kind="drop", **{"f-variables": "note"})
        visitor.post("/protect/step", kind="drop", number="1", **{"f-variables": "note"})
        visitor.post("/protect/requirement", kind="k", **{"f-k": "5"})
        visitor.post("/protect/unrequire", number="1")
        visitor.post("/risk/scenario", name="x")
        visitor.post("/attack/keep", limit="0.5", attacks="linkage", scenarios="x")
        visitor.post("/propose/limits", lost="5")
        visitor.post("/utility/k", k="4")
        for page in pages:
            visitor.get(f"/{page}")


@pytest.mark.parametrize("source", [".", "broken.csv", "broken.xlsx"])
def test_data_that_cannot_be_read_leave_a_way_out(tmp_path: Path, source: str) -> None:
    """Every page shows the plan beside it: its faults are told there, and undo mends them."""
    for name in ("broken.csv", "broken.xlsx"):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00name,age\x00\n\xff")
    path = write(tmp_path)
    with workbench(tmp_path) as address:
        visitor = opened(address, path)
        plan = yaml.safe_load(path.read_text())
        plan["data"]["source"] = source
        path.write_text(yaml.safe_dump(plan, sort_keys=False))
        for page in ("data", "variables", "risk", "protect", "propose", "utility", "attack", "release", "postcodes"):
            visitor.get(f"/{page}")
        visitor.post("/plan/undo", back="protect")
        assert classes(visitor.get("/protect")) == 4


def test_absurd_values_are_refused_in_words(tmp_path: Path) -> None:
    path = write(tmp_path)
    with workbench(tmp_path) as address:
        visitor, before = opened(address, path), path.read_text()
        assert "D452" in visitor.post("/protect/level", variable="age", level="9" * 5000)
        visitor.post("/protect/tree/together", variable="sex", level="9" * 3000)
        visitor.post("/utility/case", test="mean", number="²")
        assert "D461" in visitor.post("/propose/variable", name="age", hierarchy="&a [*a]")
        assert "D462" in visitor.post("/postcodes/file", file="~nobody-of-this-name/x.csv")
        assert path.read_text() == before
