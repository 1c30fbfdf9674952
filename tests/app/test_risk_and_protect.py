"""Risk and Protect: the figures are those of the functions behind them, and every edit is in the plan."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from people import plan_with, write_case
from workbench import Visitor, workbench

import incrowd as ic
from incrowd.app.document import Document
from incrowd.pipeline import live
from incrowd.risk.measure import measure_scenario


@pytest.fixture
def visitor(tmp_path: Path) -> Iterator[Visitor]:
    scenarios = [{"name": "a neighbour", "keys": ["sex"]}]
    path = write_case(tmp_path, plan_with(scenarios=scenarios))
    with workbench(tmp_path) as address:
        found = Visitor(address)
        found.get("/data")
        found.post("/data/open", file=str(path))
        yield found


def steps(folder: Path) -> list[str]:
    return [str(one["step"]) for one in Document(folder / "plan.yaml").tree["steps"]]


def tile(text: str, words: str) -> str:
    found = re.search(rf"<dt>{words}[^<]*</dt><dd[^>]*>([^<]*)</dd>", text)
    assert found, words
    return found[1]


def test_ticked_keys_are_counted(visitor: Visitor, tmp_path: Path) -> None:
    for keys in (["age", "sex"], ["age", "sex", "note"], ["ill"]):
        text = visitor.post("/risk/keys", keys=keys)
        counted = ic.verify(tmp_path / "people.csv", keys)
        assert tile(text, "unique") == f"{counted.uniques:,}"
        assert tile(text, "smallest class") == f"{counted.k:,}"
    assert "Nothing is ticked" in visitor.post("/risk/keys")
    text = visitor.post("/risk/keys", scenario="a neighbour")
    assert tile(text, "smallest class") == "30"
    assert "n1" not in re.sub(r"<[^>]*>", "", text)  # no name of anybody


def test_the_parts_of_the_page_answer(visitor: Visitor, tmp_path: Path) -> None:
    visitor.post("/risk/keys", keys=["age", "sex", "ill"])
    text = visitor.get("/risk/tables")
    assert "Which variable hurts most" in text
    counts = ic.risk(tmp_path / "people.csv", ["age", "sex", "ill"]).measured[0].tables
    assert counts is not None
    for keys, counted in counts.counts.items():
        if len(keys) > 1:
            assert f": {counted.uniques:,} unique" in text
    for part, words in (("rarest", "combinations"), ("population", "prosecutor"), ("special", "special unique")):
        assert words in visitor.get(f"/risk/{part}")


def test_a_measure_that_takes_long_keeps_no_other_page_waiting(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.get("/risk")
    begun, go_on = threading.Event(), threading.Event()

    def slow(*given: Any, **settings: Any) -> Any:
        begun.set()
        assert go_on.wait(60)
        return measure_scenario(*given, **settings)

    monkeypatch.setattr(live, "measure_scenario", slow)
    found: list[str] = []
    waiting = threading.Thread(target=lambda: found.append(visitor.get("/risk/special")))
    waiting.start()
    try:
        assert begun.wait(60)
        cookies = dict(visitor.client.cookies)
        with httpx.Client(base_url=visitor.client.base_url, cookies=cookies, timeout=30) as same:
            for page in ("/risk", "/protect", "/data"):
                assert same.get(page).status_code == 200
    finally:
        go_on.set()
        waiting.join(60)
    assert "special unique" in found[0]


def test_the_chart_says_its_figures_and_of_which_file_they_are(visitor: Visitor) -> None:
    page = visitor.post("/risk/keys", keys=["sex"])
    (told,) = re.findall(r'<svg class="chart" role="img" aria-label="([^"]*)"', page)
    assert told.startswith("Classes of the file as it came by size: ")
    assert "2 of 20 to 49 people" in told


def test_a_scenario_is_kept(visitor: Visitor, tmp_path: Path) -> None:
    visitor.post("/risk/keys", keys=["age", "ill"])
    assert "D460" in visitor.post("/risk/scenario", name="a doctor")
    visitor.post("/risk/keys", keys=["age", "sex"])
    assert "is in the plan" in visitor.post("/risk/scenario", name="a doctor")
    found = ic.load_plan(tmp_path / "plan.yaml").scenarios[-1]
    assert (found.name, list(found.keys)) == ("a doctor", ["age", "sex"])
    assert "D450" in visitor.post("/risk/scenario", name="a doctor")
    assert "D449" in visitor.post("/risk/scenario", name="")


def test_steps_move_switch_and_go(visitor: Visitor, tmp_path: Path) -> None:
    text = visitor.get("/protect")
    assert tile(text, "smallest class") == f"{ic.run(tmp_path / 'plan.yaml', out=tmp_path / 'out').log.end.smallest}"
    visitor.post("/protect/steps/down", number="2")
    assert steps(tmp_path) == ["drop", "suppress_records", "recode"]
    visitor.post("/plan/undo", back="protect")
    assert steps(tmp_path) == ["drop", "recode", "suppress_records"]
    assert "(off)" in visitor.post("/protect/steps/switch", number="3")
    assert "does not hold" not in visitor.get("/protect")  # two bands and two sexes: k is 3 without it
    assert "(off)" not in visitor.post("/protect/steps/switch", number="3")
    visitor.post("/protect/steps/remove", number="3")
    assert steps(tmp_path) == ["drop", "recode"]
    assert "no longer in the plan" in visitor.post("/protect/steps/remove", number="9")
    visitor.post("/plan/undo", back="protect")
    visitor.post("/plan/redo", back="protect")
    assert steps(tmp_path) == ["drop", "recode"]


def test_a_step_is_added_where_it_belongs_and_changed(visitor: Visitor, tmp_path: Path) -> None:
    assert "New step: recode" in visitor.get("/protect?new=recode")
    fields = {"kind": "recode", "number": "", "f-variable": "sex", "f-mapping": "f = any\nm = any", "f-reason": "few"}
    visitor.post("/protect/step", **fields)
    plan = ic.load_plan(tmp_path / "plan.yaml")
    assert [step.step for step in plan.steps] == ["drop", "recode", "recode", "suppress_records"]
    assert plan.steps[2].mapping == {"f": "any", "m": "any"}  # type: ignore[attr-defined]
    assert "f = any" in visitor.get("/protect?edit=3")
    visitor.post("/protect/step", **{"kind": "recode", "number": "2", "f-variable": "age", "f-bands": "0, 30, 50"})
    plan = ic.load_plan(tmp_path / "plan.yaml")
    assert [str(one) for one in plan.steps[1].bands] == ["0", "30", "50"]  # type: ignore[attr-defined]
    assert "D447" in visitor.post("/protect/step", **{**fields, "f-mapping": "f any"})
    # What the plan's own check says is said, and the step is there to be mended.
    assert "to mend" in visitor.post("/protect/step", **{**fields, "f-mapping": "", "f-prefix": "x"})


def test_requirements_come_and_go(visitor: Visitor, tmp_path: Path) -> None:
    text = visitor.post("/protect/requirement", **{"kind": "distinct_l", "f-sensitive": "ill", "f-l": "2"})
    assert text.count("holds</span>") == 2
    assert len(ic.load_plan(tmp_path / "plan.yaml").requirements) == 2
    visitor.post("/protect/unrequire", number="1")
    (left,) = ic.load_plan(tmp_path / "plan.yaml").requirements
    assert left.model == "distinct_l"


def test_levels_and_trees_are_in_the_plan_and_undone(visitor: Visitor, tmp_path: Path) -> None:
    visitor.post("/protect/steps/remove", number="2")
    text = visitor.post("/protect/level", variable="age", level="1")
    plan = ic.load_plan(tmp_path / "plan.yaml")
    made = plan.steps[1]
    assert (made.step, made.variable, made.level) == ("recode", "age", 1)  # type: ignore[attr-defined]
    assert "recode age" in text
    first = made.hierarchy  # type: ignore[attr-defined]
    groups = re.findall(r'name="groups" value="([^"]*)"', visitor.get("/protect/tree?variable=age&level=1"))
    assert len(groups) > 2
    fields = {"variable": "age", "level": "1", "name": "the young"}
    visitor.post("/protect/tree/together", groups=[one.replace("&lt;", "<") for one in groups[:2]], **fields)
    made = ic.load_plan(tmp_path / "plan.yaml").steps[1]
    assert made.hierarchy != first  # type: ignore[attr-defined]
    assert "the young" in (tmp_path / made.hierarchy).read_text()  # type: ignore[attr-defined]
    assert "the young" not in (tmp_path / first).read_text()
    visitor.post("/plan/undo", back="protect")
    assert ic.load_plan(tmp_path / "plan.yaml").steps[1].hierarchy == first  # type: ignore[attr-defined]
    assert "D459" in visitor.post("/protect/tree/rename", **fields)
    visitor.post("/protect/level", variable="age", level="0")
    assert steps(tmp_path) == ["drop", "suppress_records"]
    visitor.post("/protect/level", variable="age", level="3")
    done = ic.run(tmp_path / "plan.yaml")
    assert done.log.end.smallest >= 3


def test_a_step_that_fails_is_told_and_those_before_it_are_shown(visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "ages.csv").write_text("20;young;*\n21;young;*\n")  # the file has 40 ages
    steps_ = [
        {"step": "drop", "variables": ["name"]},
        {"step": "recode", "variable": "age", "hierarchy": "ages.csv", "level": "1"},
        {"step": "suppress_records"},
    ]
    write_case(tmp_path, plan_with(steps=steps_))
    text = visitor.get("/protect")
    assert "Step 2 cannot be carried out: D023" in text
    assert "smallest class" in text
    assert "D023" not in visitor.post("/protect/steps/switch", number="2")


def test_a_requirement_that_cannot_be_judged_leaves_the_page_to_mend_it(visitor: Visitor, tmp_path: Path) -> None:
    nobody = [{"model": "weak_k", "k": "3", "where": {"sex": ["x"]}}]
    steps_ = [{"step": "drop", "variables": ["name"]}]
    write_case(tmp_path, plan_with(steps=steps_, requirements=nobody))
    text = visitor.get("/protect")
    assert "D068" in text
    assert "drop name" in text
    number = re.search(r'name="number" value="1"><input type="hidden" name="was" value="([^"]*)"', text)
    fields = {"number": "1"} | ({"was": number[1]} if number else {})
    assert "D068" not in visitor.post("/protect/unrequire", **fields)


def test_the_file_is_read_again_when_it_changes(visitor: Visitor, tmp_path: Path) -> None:
    assert tile(visitor.post("/risk/keys", keys=["sex"]), "smallest class") == "30"
    (tmp_path / "people.csv").write_text("name,age,sex,ill,note\n" + "a,1,f,y,0\n" * 7 + "b,1,m,n,0\n" * 5)
    assert tile(visitor.get("/risk"), "smallest class") == "5"
    (tmp_path / "people.csv").unlink()
    assert "people.csv" in visitor.get("/risk")


@pytest.fixture
def of_names(tmp_path: Path) -> Iterator[Visitor]:
    """A file in which many share the few surnames that there are, and a plan that took them for a key."""
    names = ["Smith", "Jones", "Patel", "Khan", "Evans", "Wilson", "Roberts", "Murphy"]
    lines = "".join(f"{names[i % 8]},{20 + i % 5},{'fm'[i % 2]},{'yn'[i % 3 == 0]},x\n" for i in range(400))
    plan = plan_with(steps=[{"step": "suppress_records"}])
    plan["variables"]["name"] = {"role": "key", "suggested": "nothing says that others cannot know it"}
    write_case(tmp_path, plan, lines)
    with workbench(tmp_path) as address:
        found = Visitor(address)
        found.get("/data")
        found.post("/data/open", file=str(tmp_path / "plan.yaml"))
        found.await_job("data")
        yield found


def test_no_page_shows_a_value_of_what_looks_like_names(of_names: Visitor) -> None:
    pages = ("/data", "/variables", "/risk", "/risk/rarest", "/risk/tables", "/protect", "/protect/tree?variable=name",
             "/utility/values", "/propose/limits")  # fmt: skip
    for keys in (["name", "age"], ["name", "age", "sex"]):
        of_names.post("/risk/keys", keys=keys)
        for page in pages:
            assert not {"Smith", "Patel", "Evans"} & set(re.findall(r"\w+", of_names.get(page))), page
    assert "looks as if it names people" in of_names.get("/risk")
    assert "D463" in of_names.get("/protect/tree?variable=name")
    assert "D463" in of_names.post("/protect/level", variable="name", level="1")


def test_what_somebody_has_decided_is_shown_and_an_identifier_never_is(of_names: Visitor) -> None:
    of_names.post("/variables/set", name="name", role="key", reason="It is the name of a firm.")
    assert "Smith" in of_names.get("/protect/tree?variable=name")
    of_names.post("/variables/set", name="name", role="identifier", reason="Names a person.")
    assert "D463" in of_names.get("/protect/tree?variable=name")
    assert "Smith" not in of_names.get("/protect/tree?variable=name")


def test_a_key_without_a_tree_says_why_and_what_can_be_done(visitor: Visitor, tmp_path: Path) -> None:
    def row(name: str) -> str:
        found = re.search(rf'<tr><th scope="row">{name}</th>.*?</tr>', visitor.get("/protect"), re.DOTALL)
        assert found, name
        return found[0]

    assert "no tree" in row("age")
    assert "Step 2 recodes it without a hierarchy" in row("age")
    assert 'href="/protect?edit=2#form"' in row("age")
    assert "/protect/tree?variable=sex" in row("sex")
    steps_ = [{"step": "drop", "variables": ["name", "sex"]}, {"step": "recode", "variable": "age", "bands": ["0"]}]
    write_case(tmp_path, plan_with(steps=steps_))
    assert "Step 1 takes it out of the release" in row("sex")
    (tmp_path / "ages.csv").write_text("20;young;*\n21;young\n")
    broken = {"step": "recode", "variable": "age", "hierarchy": "ages.csv", "level": "1"}
    write_case(tmp_path, plan_with(steps=[{"step": "drop", "variables": ["name"]}, broken]))
    assert "no tree" in row("age")
    assert "Name another file" in row("age")
    assert "/protect/tree?variable=sex" in row("sex")  # the others keep theirs
    write_case(tmp_path, plan_with(steps=[{"step": "drop", "variables": ["name"]}]), "n,30,f,y,1\n" * 20)
    assert "All have the same value" in row("sex")
