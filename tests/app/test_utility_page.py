"""The page Utility: use cases as forms, original beside release, a sweep over k, and a k that is taken from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from axe import faults
from chrome import Chrome
from open_plan import text_of, visiting
from people import plan_with, write_case
from visits import await_charts, in_front_of
from workbench import Visitor, workbench

import incrowd as ic
from incrowd.app import cases
from incrowd.app.cases import case_fields, kinds, read_case
from incrowd.errors import InputError
from incrowd.plan.use_cases import KINDS

Open = Callable[[Path], Visitor]
CASE = {"name": "How many are ill?", "test": "proportion", "share": {"ill": ["y"]}, "by": "sex", "within": 0.3}
#: For each kind of use case a form as somebody would fill it in.
FORMS: dict[str, dict[str, list[str]]] = {
    "proportion": {"f-name": ["a"], "f-share": ["ill = y | n\nsex = f"], "f-by": ["sex"], "f-within": ["0.1"]},
    "top_overlap": {"f-name": ["a"], "f-share": ["ill = y"], "f-by": ["sex"], "f-top": ["1"], "f-at_least": ["1"],
                    "f-order": ["yes"]},
    "mean": {"f-name": ["a"], "f-of": ["age"]},
    "median": {"f-name": ["a"], "f-of": ["age"], "f-among": ["sex = f"]},
    "t_test": {"f-name": ["a"], "f-of": ["age"], "f-between": ["sex = f | m"], "f-variant": ["welch"]},
    "correlation": {"f-name": ["a"], "f-between": ["age", "note"]},
    "regression": {"f-name": ["a"], "f-features": ["age", "sex"], "f-numbers": ["age"], "f-outcome": ["ill"],
                   "f-value": ["y"], "f-base": ["sex = f"]},
    "entropy_ratio": {"f-name": ["a"], "f-at_least": ["0.4"], "f-columns": ["age", "ill"]},
    "classifier": {"f-name": ["a"], "f-features": ["age"], "f-target": ["ill"], "f-model": ["forest"]},
    "python": {"f-name": ["a"], "f-function": ["mine:passes"], "f-columns": ["age"]},
}  # fmt: skip
COLUMNS = ["age", "sex", "ill", "note"]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with workbench(tmp_path_factory.mktemp("desk")) as found:
        yield found


@pytest.fixture
def opened(address: str) -> Iterator[Open]:
    """Open a plan in its place; the sessions end with the test."""
    with ExitStack() as stack:
        yield lambda plan: stack.enter_context(visiting(address, plan))


def written(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(path.read_text()).get("use_cases", [])
    return found


def test_every_kind_of_use_case_has_a_form_that_gives_back_what_was_typed() -> None:
    assert {kind.test for kind in kinds()} == set(KINDS) == set(FORMS)
    for test, form in FORMS.items():
        content = read_case(test, form, COLUMNS)
        assert list(content)[:2] == ["name", "test"]
        case = KINDS[test].model_validate(content)
        shown = {one.name: one for one in case_fields(test, COLUMNS, content, None)}
        again = {f"f-{name}": list(one.values) or [one.value] for name, one in shown.items()}
        assert KINDS[test].model_validate(read_case(test, again, COLUMNS)) == case, test
    assert read_case("proportion", FORMS["proportion"], COLUMNS)["share"] == {"ill": ["y", "n"], "sex": ["f"]}
    assert read_case("proportion", FORMS["proportion"], COLUMNS)["within"] == 0.1


@pytest.mark.parametrize(
    ("test", "form", "words"),
    [
        ("proportion", {"f-name": ["a"]}, "share: this field is missing"),
        ("proportion", {**FORMS["proportion"], "f-within": ["canary-4711"]}, "within: this takes a number"),
        ("proportion", {**FORMS["proportion"], "f-within": ["7"]}, "within: this must be 1 or less"),
        ("proportion", {**FORMS["proportion"], "f-share": ["canary-4711"]}, "has no ' = '"),
        ("t_test", {**FORMS["t_test"], "f-between": ["sex = canary-4711"]}, "between: "),
        ("top_overlap", {**FORMS["top_overlap"], "f-at_least": ["9"]}, "at_least cannot be more than top"),
        ("python", {**FORMS["python"], "f-function": ["canary-4711"]}, "function: "),
    ],
)
def test_what_is_no_use_case_is_told_without_what_was_typed(test: str, form: dict[str, list[str]], words: str) -> None:
    with pytest.raises(InputError) as error:
        read_case(test, form, COLUMNS)
    assert words in str(error.value)
    assert "canary" not in str(error.value)


def test_use_cases_are_added_changed_removed_and_undone(opened: Open, tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with())
    path.write_text("# Mine.\n" + path.read_text())
    visitor, before = opened(path), path.read_text()
    page = visitor.get("/utility")
    assert "The plan names none yet" in text_of(page)
    page = visitor.get("/utility?add=proportion")
    assert "Does a share stay what it was?" in text_of(page)
    assert "0.05 when empty" in page
    assert "y" in text_of(visitor.get("/utility/values"))

    typed = {"test": "proportion", "number": "", "f-name": "How many?", "f-share": "ill", "f-by": "sex"}
    page = visitor.post("/utility/case", **typed)
    assert "has no ' = '" in text_of(page)
    assert path.read_text() == before
    assert re.search(r'id="case-name"[^>]*value="How many\?"', page), "what was typed stays"
    visitor.post("/utility/case", **{**typed, "f-share": "ill = y"})
    assert written(path) == [{"name": "How many?", "test": "proportion", "share": {"ill": ["y"]}, "by": "sex"}]
    page = text_of(visitor.get("/utility"))
    assert "Passes when the share of ill = y moves by at most 0.05 in every sex." in page

    page = visitor.get("/utility?edit=0")
    assert "ill = y" in page
    visitor.post("/utility/case", **{**typed, "number": "0", "f-share": "ill = y", "f-by": "", "f-within": "0.2"})
    assert written(path) == [{"name": "How many?", "test": "proportion", "share": {"ill": ["y"]}, "within": 0.2}]
    assert ic.check(path).ok
    visitor.post("/utility/remove", number="0")
    assert "use_cases" not in yaml.safe_load(path.read_text())
    for _ in range(3):
        visitor.post("/plan/undo", back="utility")
    assert path.read_text() == before
    for action, fields in (("/utility/remove", {"number": "7"}), ("/utility/case", {**typed, "test": "magic"})):
        page = text_of(visitor.post(action, **fields))
        assert "no such use case" in page or "must be chosen" in page
    assert path.read_text() == before


def test_original_beside_release_then_a_sweep_and_a_k_that_is_taken(address: str, opened: Open, tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with(use_cases=[CASE]))
    visitor, before = opened(path), path.read_text()
    visitor.get("/utility")
    visitor.post("/utility/try")
    assert visitor.await_job("utility")["state"] == "done"
    page = visitor.get("/utility")
    for words in ("The one use case keeps its conclusion", "records kept, of 60", "cells changed", "What was lost in"):
        assert words in text_of(page)
    assert "How many are ill?: f: original" in page, "the chart has its text"
    visitor.post("/utility/sweep", k="2:4, 40")
    assert visitor.await_job("utility")["state"] == "done"
    assert path.read_text() == before
    page = visitor.get("/utility")
    assert "The one use case keeps its conclusion" in text_of(page), "both results stay"
    assert "Records lost for each k" in page
    assert re.search(r"<noscript><p>[^<]*Records lost for each k[^<]*</p></noscript>", page), "also without a script"
    assert "Out of date" not in text_of(page)
    (tmp_path / "people.csv").touch()
    assert text_of(visitor.get("/utility")).count("Out of date: people.csv has changed since") == 2
    assert [one["label"] for one in ic.sweep(path, k="2:4,40").to_pandas().to_dict("records")] == ["2", "3", "4", "40"]

    with Chrome() as chrome:
        me = in_front_of(chrome, address, visitor)
        me.go("/utility", "Every k")
        await_charts(me)
        assert faults(chrome) == []
        assert chrome.run("document.querySelectorAll('h1').length") == 1
        me.press("Set k = 4", "The plan now asks for classes of at least 4", "The plan has changed since")
        assert yaml.safe_load(path.read_text())["requirements"] == [{"model": "k", "k": 4}]
        me.press("Undo", "No faults.")
        assert path.read_text() == before
        me.go("/utility?add=mean", "A new use case")
        assert faults(chrome) == []
        me.fill(case__name="How old are they?", case__of="age")
        me.press("Save the use case", "the mean of age moves by at most")
    assert [one["name"] for one in written(path)] == ["How many are ill?", "How old are they?"]


def test_a_k_is_set_wherever_a_sweep_tries_it(tmp_path: Path) -> None:
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "suppress_cells", "k": 3}]
    plan = ic.Plan.of_content(plan_with(steps=steps))
    tree = plan_with(steps=[dict(step) for step in steps])
    cases.set_k(tree, plan, 5)
    assert tree["requirements"][0]["k"] == 5
    assert tree["steps"][1]["k"] == 5
    with pytest.raises(InputError) as error:
        cases.set_k(plan_with(steps=[{"step": "attack"}, *steps]), plan, 5)
    assert "older form" in str(error.value)


@pytest.mark.slow
def test_a_cancelled_try_leaves_nothing_and_faults_are_sentences(opened: Open, tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with(use_cases=[CASE]))
    visitor, before = opened(path), path.read_bytes()
    visitor.get("/utility")
    visitor.post("/utility/try")
    assert "cancelled. Nothing was changed." in text_of(visitor.post("/jobs/utility/cancel"))
    assert path.read_bytes() == before
    assert not [one for one in tmp_path.glob("runs/*") if one.is_dir()]
    visitor.post("/utility/sweep", k="two")
    assert visitor.await_job("utility")["state"] == "failed"
    assert "this takes a whole number" in text_of(visitor.get("/utility"))
    path.write_text(path.read_text().replace("sensitive", "secret"))
    visitor.post("/utility/try")
    assert visitor.await_job("utility")["state"] == "failed"
    assert "this must be 'identifier', 'key', 'sensitive' or 'other'" in text_of(visitor.get("/utility"))
    path.write_text("title: [")
    for page in ("utility", "propose"):
        assert "Mend" in text_of(visitor.get(f"/{page}"))
    assert "cannot be read" in text_of(visitor.post("/utility/try"))


@pytest.mark.slow
def test_of_a_plan_that_makes_several_files_one_is_chosen(opened: Open, tmp_path: Path) -> None:
    plan = plan_with(use_cases=[CASE], tiers=[{"tier": "open"}, {"tier": "safeguarded"}], together={"limit": 1})
    del plan["tier"]
    visitor = opened(write_case(tmp_path, plan))
    assert "Which of the plan's files" in text_of(visitor.get("/utility"))
    assert "must be chosen" in text_of(visitor.post("/utility/try", file="controlled"))
    visitor.post("/utility/try", file="safeguarded")
    assert visitor.await_job("utility")["state"] == "done"
    assert "keeps its conclusion" in text_of(visitor.get("/utility"))
    page = text_of(visitor.get("/propose"))
    assert "adopting it makes the plan one of a single file" in page
    assert "every class has at least 12 people" in page
    assert "Variable by variable" in text_of(visitor.get("/propose/limits"))


def test_without_a_plan_the_way_to_one_is_shown(address: str) -> None:
    visitor = Visitor(address)
    assert "No plan is open yet" in text_of(visitor.get("/utility"))
    for action in ("/utility/try", "/utility/sweep", "/utility/remove", "/utility/k"):
        assert "no plan is open" in text_of(visitor.post(action, k="2", number="0"))
    visitor.post("/leave")
