"""The page Propose: from a goal to an adopted plan that runs; a search cancelled, or stopped with what it has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml
from axe import faults
from chrome import Chrome, wait
from open_plan import text_of, visiting
from propose_cases import ROLES, some_people, write_goal
from visits import await_charts, await_told, in_front_of
from workbench import Visitor, workbench

import incrowd as ic

CASES = [{"name": "Does pay go by area?", "test": "mean", "of": "pay", "by": "area", "within": 0.1}]
GOAL = {"tier": "controlled", "requirements": [{"model": "k", "k": 3}], "use_cases": CASES}
Open = Callable[[Path], Visitor]
WISH = {"tier": "controlled", "most": "2", "seconds": "", "do": "start"}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with workbench(tmp_path_factory.mktemp("desk")) as found:
        yield found


@pytest.fixture
def opened(address: str) -> Iterator[Open]:
    """Open a plan in its place; the sessions end with the test."""
    with ExitStack() as stack:
        yield lambda plan: stack.enter_context(visiting(address, plan))


def goal(folder: Path, people: int = 300, **parts: object) -> Path:
    return write_goal(folder, some_people(people), ROLES, **{**GOAL, **parts})


def left_behind(folder: Path) -> list[str]:
    """Whatever is in the folder of a plan but its own files."""
    there = [one for one in folder.rglob("*") if one.is_file()]
    return sorted(one.name for one in there if one.name not in ("plan.yaml", "people.csv") and one.name[0] != ".")


def test_from_a_goal_to_an_adopted_proposal_that_is_released(opened: Open, tmp_path: Path) -> None:
    path = goal(tmp_path)
    visitor = opened(path)
    page = text_of(visitor.get("/propose"))
    assert "every class has at least 3 people" in page
    visitor.get("/propose/limits")
    visitor.post("/propose/variable", name="age", keep="yes", weight="3", finest="", coarsest="", hierarchy="")
    before = path.read_text()
    assert yaml.safe_load(before)["propose"] == {"keep": ["age"], "weights": {"age": 3}}
    visitor.post("/propose/goal", **WISH)
    assert visitor.await_job("propose")["state"] == "done"
    assert path.read_text() == before, "a search changes nothing"
    page = visitor.get("/propose")
    names = re.findall(r'name="name" value="((?:recommended|other-\d))"', page)
    assert "recommended" in names
    for word in ("Risk against information", "Strongest attack", "What each promise costs", "Left to do, by people"):
        assert word in text_of(page)

    page = text_of(visitor.post("/propose/adopt", name="recommended"))
    assert "The plan is now the proposal recommended" in page
    adopted = path.read_text()
    assert yaml.safe_load(adopted)["proposed"]["name"] == "recommended"
    checked = ic.check(path)
    assert checked.ok, checked.faults
    assert left_behind(tmp_path) == []
    found = ic.run(path)
    assert found.log.end.smallest >= 3
    assert list(found.release.glob("*.csv"))

    visitor.post("/propose/adopt", name="recommended")  # a second time is nothing new to undo
    visitor.post("/plan/undo", back="propose")
    assert path.read_text() == before
    visitor.post("/plan/redo", back="propose")
    assert path.read_text() == adopted
    page = text_of(visitor.get("/propose"))
    assert "This plan comes from a search itself" in page
    visitor.post("/plan/undo", back="propose")
    assert path.read_text() == before
    text = visitor.get("/propose/plans/recommended.yaml")
    assert text == adopted


@pytest.mark.slow
def test_the_result_of_an_earlier_plan_is_marked_and_two_proposals_stand_side_by_side(
    address: str, opened: Open, tmp_path: Path
) -> None:
    path = goal(tmp_path, 600, tier="safeguarded")
    visitor = opened(path)
    visitor.get("/propose/limits")
    visitor.post("/propose/goal", **{**WISH, "tier": "safeguarded"})
    visitor.await_job("propose")
    page = visitor.get("/propose?left=other-1&right=recommended")
    assert "The plan has changed since" not in text_of(page)
    for words in ("Two side by side", "What each does to each variable", "differs", "line by line"):
        assert words in text_of(page)
    visitor.post("/propose/limits", lost="0", chance="yes")
    assert "The plan has changed since" in text_of(visitor.get("/propose"))
    assert "Out of date" not in text_of(visitor.get("/propose"))
    (tmp_path / "people.csv").touch()
    assert "Out of date: people.csv has changed since" in text_of(visitor.get("/propose"))
    visitor.post("/propose/adopt", name="other-1")
    first = path.read_text()
    visitor.post("/propose/adopt", name="recommended")
    assert path.read_text() != first
    visitor.post("/plan/undo", back="propose")
    assert path.read_text() == first

    with Chrome() as chrome:
        me = in_front_of(chrome, address, visitor)
        me.go("/propose", "Risk against information")
        await_charts(me)
        assert chrome.run("document.querySelector('#compare-left') === null")  # two proposals need no choice
        spot = chrome.run(
            "(() => { const all = [...document.querySelectorAll('figure.chart .vega-embed svg path')]"
            ".filter(one => one.__data__ && one.__data__.datum && one.__data__.datum.href_here);"
            "const one = all.find(e => e.__data__.datum.href_here.includes('right=other-1'));"
            "one.scrollIntoView({block: 'center'}); const b = one.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2] })()"
        )
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            chrome.do("Input.dispatchMouseEvent", type=kind, x=spot[0], y=spot[1], button="left", clickCount=1)
        wait(lambda: "right=other-1" in chrome.run("location.search"), "the chart leads nowhere")
        me.see("Two side by side")
        assert faults(chrome) == []
        assert chrome.run("document.querySelectorAll('h1').length") == 1
        me.press("Adopt recommended", "The plan is now the proposal recommended")
        assert yaml.safe_load(path.read_text())["proposed"]["name"] == "recommended"
        me.press("Undo", "adopted proposal other-1")
        assert path.read_text() == first
        me.go("/propose", "Variable by variable")
        me.fill(limit__form__1__weight="3")
        me.key("Tab", 9)
        wait(lambda: "weights" in path.read_text(), "what was typed is not saved")
        me.see("Variable by variable")
        assert chrome.run("document.activeElement.id") == "limit-form-1-finest", "the keyboard goes on where it was"


@pytest.mark.slow
def test_a_cancelled_search_leaves_nothing_and_an_earlier_result_stays(opened: Open, tmp_path: Path) -> None:
    path = goal(tmp_path)
    visitor, before = opened(path), path.read_bytes()
    visitor.get("/propose")
    visitor.post("/propose/goal", **{**WISH, "most": "7", "tier": "open"})
    await_told(visitor, "propose", "candidate 2")
    page = text_of(visitor.post("/jobs/propose/cancel"))
    assert "cancelled. Nothing was changed." in page
    assert path.read_bytes() == before
    assert left_behind(tmp_path) == []
    assert not [one for one in tmp_path.glob("runs/*") if one.is_dir()]
    assert "What was found" not in page

    visitor.post("/propose/goal", **{**WISH, "most": "1"})
    assert visitor.await_job("propose")["state"] == "done"
    visitor.post("/propose/goal", **{**WISH, "most": "7"})
    await_told(visitor, "propose", "candidate 1")
    page = text_of(visitor.post("/jobs/propose/cancel"))
    assert "cancelled. Nothing was changed." in page
    assert "What was found for tier controlled" in page


@pytest.mark.slow
def test_a_search_that_is_stopped_hands_over_the_best_so_far(opened: Open, tmp_path: Path) -> None:
    path = goal(tmp_path, 600)
    visitor, before = opened(path), path.read_bytes()
    visitor.get("/propose")
    visitor.post("/propose/goal", **{**WISH, "most": "7"})
    await_told(visitor, "propose", " (", "candidate")  # an attack, and after it the next candidate
    visitor.post("/jobs/propose/cancel", keep="yes")
    assert visitor.await_job("propose")["state"] == "done"
    page = text_of(visitor.get("/propose"))
    assert "The search was stopped: these are the best so far" in page
    assert path.read_bytes() == before
    visitor.post("/propose/adopt", name="recommended")
    assert ic.check(path).ok


def test_a_stop_before_anything_was_found_changes_nothing(opened: Open, tmp_path: Path) -> None:
    path = goal(tmp_path)
    visitor, before = opened(path), path.read_bytes()
    visitor.get("/propose")
    visitor.post("/propose/goal", **WISH)
    page = text_of(visitor.post("/jobs/propose/cancel", keep="yes"))
    assert "cancelled. Nothing was changed." in page
    assert path.read_bytes() == before


@pytest.mark.slow
def test_where_no_plan_reaches_the_goal_it_is_said_what_stands_in_the_way(opened: Open, tmp_path: Path) -> None:
    case = {"name": "pay", "test": "median", "of": "pay", "within": 0.001}
    asked = {"perturbation": False, "keep": ["age", "sex", "area", "pay", "ill"]}
    path = goal(tmp_path, 40, tier="open", propose=asked, use_cases=[case])
    visitor = opened(path)
    visitor.get("/propose")
    visitor.post("/propose/goal", **{**WISH, "tier": "open", "most": "1"})
    assert visitor.await_job("propose")["state"] == "done"
    page = text_of(visitor.get("/propose"))
    assert "No plan reaches the goal." in page, page
    assert "What can be done" in page
    assert "there is no such proposal" in text_of(visitor.post("/propose/adopt", name="recommended"))


def test_a_plan_with_faults_gives_sentences_before_and_after_a_search_is_asked_for(
    opened: Open, tmp_path: Path
) -> None:
    path = goal(tmp_path, requirements=[{"model": "k", "k": 3}, {"model": "distinct_l", "sensitive": "nobody", "l": 2}])
    visitor = opened(path)
    page = visitor.get("/propose")
    assert "No plan can be looked for yet" in text_of(page)
    assert "'nobody'" in text_of(page)
    assert re.search(r'value="start" disabled', page)
    visitor.post("/propose/goal", **WISH)
    assert visitor.await_job("propose")["state"] == "failed"
    assert "'nobody'" in text_of(visitor.get("/propose"))


def test_what_may_be_done_is_written_into_the_plan_and_wrong_wishes_are_told(opened: Open, tmp_path: Path) -> None:
    path = goal(tmp_path)
    path.write_text("# Mine.\n" + path.read_text())
    visitor = opened(path)
    page = visitor.get("/propose/limits")
    assert "in 4 bands" in page, "the levels of age are there to choose from"
    assert "yes, it is needed" in page, "what a use case names stays anyway"

    def block() -> object:
        return yaml.safe_load(path.read_text()).get("propose")

    visitor.post("/propose/limits", lost="2.5", chance="")
    assert block() == {"records_lost": 0.025, "perturbation": False}
    given = {"name": "age", "keep": "yes", "weight": "2", "finest": "8", "coarsest": "4"}
    visitor.post("/propose/variable", **given, hierarchy="")
    assert block() == {"records_lost": 0.025, "perturbation": False, "keep": ["age"], "weights": {"age": 2},
                       "finest": {"age": "8"}, "coarsest": {"age": "4"}}  # fmt: skip
    visitor.post("/propose/variable", name="age", weight="", finest="", hierarchy="{widths: [10, 20]}")
    assert block() == {"records_lost": 0.025, "perturbation": False, "hierarchies": {"age": {"widths": [10, 20]}}}
    assert ic.check(path).plan.propose.hierarchies["age"].way == "widths"
    assert "{widths: [10, 20]}" in visitor.get("/propose/limits").replace("&#39;", "")
    saved = path.read_text()
    wrong = [
        ("/propose/limits", {"lost": "200", "chance": "yes"}, "from 0 to 100%"),
        ("/propose/limits", {"lost": "nan", "chance": "yes"}, "from 0 to 100%"),
        ("/propose/variable", {"name": "age", "weight": "-1"}, "0 or more"),
        ("/propose/variable", {"name": "age", "hierarchy": "{widths: ["}, "cannot be read"),
        ("/propose/variable", {"name": "nobody"}, "must be chosen"),
        ("/propose/goal", {**WISH, "most": "8"}, "whole numbers"),
        ("/propose/goal", {**WISH, "seconds": "0"}, "whole numbers"),
        ("/propose/goal", {**WISH, "tier": "everybody"}, "must be chosen"),
    ]
    for action, fields, words in wrong:
        assert words in text_of(visitor.post(action, **fields)), fields
        assert path.read_text() == saved, fields
    visitor.post("/propose/variable", name="age", weight="1")
    visitor.post("/propose/limits", lost="10", chance="yes")
    assert block() is None, "what nobody asked for is not written"
    assert path.read_text().startswith("# Mine.")
    assert visitor.client.get("/jobs/propose").json()["state"] == "none"


def test_without_a_plan_the_way_to_one_is_shown(address: str) -> None:
    visitor = Visitor(address)
    assert "No plan is open yet" in text_of(visitor.get("/propose"))
    for action in ("/propose/goal", "/propose/limits", "/propose/variable"):
        assert "no plan is open" in text_of(visitor.post(action, **WISH))
    assert "there is no such proposal" in text_of(visitor.post("/propose/adopt", name="recommended"))
    assert visitor.client.get("/propose/plans/recommended.yaml").status_code == 400
