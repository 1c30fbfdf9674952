"""The page Attack: what simulated intruders achieve, what was not tried, and a whole test with people."""

from __future__ import annotations

import os
import re
import shutil
import socket
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe import faults
from chrome import Chrome
from intruder_cases import CANARIES, Friend, release
from open_plan import open_by_hand, text_of, visiting
from workbench import Person, Visitor, workbench

import incrowd as ic
from incrowd.app.attacking import gain, strongest, told
from incrowd.app.site import SHUT_IN
from incrowd.app.testing import free_port
from incrowd.attack.value import Attacked, Rate
from incrowd.audit.runs import kept_runs
from incrowd.intruder_test.value import load_scores
from incrowd.tasks.attack import Intrusion


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with workbench(tmp_path_factory.mktemp("desk")) as found:
        yield found


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan with a release beside it."""
    folder = tmp_path_factory.mktemp("released")
    release(folder, attack=[{"attacks": ["linkage"], "scenarios": ["neighbour"], "limit": 0.5}])
    return folder / "plan.yaml"


@pytest.fixture
def plan(released: Path, tmp_path: Path) -> Path:
    """A copy of it, to change."""
    shutil.copytree(released.parent, tmp_path / "project", symlinks=True)
    return tmp_path / "project" / "plan.yaml"


def tried(visitor: Visitor, source: str = "plan", **fields: Any) -> str:
    visitor.get("/attack")
    page = visitor.post("/attack/try", **{"source": source, "scenarios": ["neighbour"], **fields})
    assert visitor.await_job("attack")["state"] == "done", text_of(page)
    return text_of(visitor.get("/attack"))


def test_each_attack_has_its_figures_its_limit_and_its_words(address: str, plan: Path) -> None:
    direct = ic.attack(plan, attacks=["linkage", "composition"], scenarios=["neighbour"])
    linkage = direct.attacks[0]
    assert linkage.success is not None
    with visiting(address, plan) as visitor:
        page = visitor.get("/attack")
        assert 'value="linkage" id="attack-linkage" checked' in page
        assert 'value="probabilistic" id="attack-probabilistic">' in page  # takes long: only on request
        assert "looks for the records that agree in all these keys" in text_of(page)
        assert "D442" in text_of(visitor.post("/attack/try", source="plan", scenarios=["neighbour"]))
        said = tried(visitor, attacks=["linkage", "composition"])
        assert f"{linkage.success.hits} of {linkage.success.tries}" in said
        assert "✓ at most 0.5" in said
        assert "The one limit of the plan is kept" in said
        assert linkage.sentence in said
        assert "composition: no other release about the same people is given" in said
        assert "1 attack was tried" in said
        assert "Not asked for, and so not tried: nearest" in said
        page = visitor.get("/attack")
        assert "Success of each attack with its baseline and control: linkage" in page  # the chart in words
        assert not (plan.parent / "runs").joinpath(".work").exists()
        kept = {"attacks": ["linkage"], "scenarios": ["neighbour"], "reason": "a guess"}
        assert "D442" in text_of(visitor.post("/attack/keep", **kept, limit="often"))
        assert "Every run tries these attacks" in text_of(visitor.post("/attack/keep", **kept, limit="0.6"))
        assert "All 2 limits of the plan are kept" in text_of(visitor.get("/attack"))
        assert ic.load_plan(plan).attack[1].limit == 0.6
        plan.write_text(plan.read_text().replace("limit: 0.5", "limit: 0.0"))
        page = visitor.get("/attack")
        assert "The plan has changed since" in text_of(page)
        assert "Out of date" not in text_of(page)
        (plan.parent / "people.csv").touch()
        assert "Out of date: people.csv has changed since" in text_of(visitor.get("/attack"))
        assert "1 of 2 limits of the plan are broken" in text_of(page)


@pytest.mark.slow
def test_a_run_is_attacked_by_its_own_plan_and_a_cancelled_try_takes_nothing_away(address: str, plan: Path) -> None:
    run = kept_runs(plan.parent)[0]
    with visiting(address, plan) as visitor:
        said = tried(visitor, source=run.name, attacks=["linkage"])
        assert f"The release of {run.when}" in said
        assert "120 of 122 records" in said
        visitor.post("/attack/try", source="plan", scenarios=["neighbour"], attacks=["linkage", "gap"])
        visitor.post("/jobs/attack/cancel")
        assert visitor.await_job("attack")["state"] == "cancelled"
        assert f"The release of {run.when}" in text_of(visitor.get("/attack"))
        assert "D439" in text_of(visitor.post("/attack/try", source="../x", scenarios=["a"], attacks=["linkage"]))
        visitor.post("/attack/try", source="plan", scenarios=["nobody"], attacks=["linkage"])
        assert visitor.await_job("attack")["state"] == "failed"
        assert "D197" in text_of(visitor.get("/attack"))


def test_what_was_not_tried_gains_nothing_and_passes_nothing(released: Path) -> None:
    def one(attack: str, hits: int | None, **more: Any) -> Attacked:
        success = None if hits is None else Rate(hits, 100)
        return Attacked(
            attack, "neighbour", "", "acts", success, 0.2, None, f"{attack}.", why=more.pop("why", ""), **more
        )

    attacks = (
        one("linkage", None, why="no tries"),
        one("nearest", 60),
        one("gap", None, why="none", does_not_apply="DPO"),
    )
    found = told(Intrusion("x", 1, 2, attacks), ic.load_plan(released))
    assert (found.tried, found.broken) == (1, 1)  # the limit for linkage: nobody could try it
    assert [each.one.attack for each in found.gained] == ["nearest"]
    assert found.untried == (("linkage", "no tries", "neighbour"),)
    assert [each.state for *_, some in found.scenarios for each in some] == ["not tried", "tried", "does not apply"]
    assert [each.adds for *_, some in found.scenarios for each in some][1] == "0.500"  # 60 where 20 is a guess
    assert gain(attacks[0]) == 0
    assert "right for 60.0%" in strongest(attacks)
    assert "20.0% is possible without the file" in strongest(attacks)
    assert strongest(attacks[:1]) == ""


FORM = {"scenario": "neighbour", "targets": "4", "decoys": "25", "hours": "2", "prize": "A book."}


def test_two_people_try_a_release_from_invitation_to_erasure(address: str, plan: Path) -> None:
    home, run = plan.parent, kept_runs(plan.parent)[0]
    with visiting(address, plan) as visitor:
        visitor.get("/attack/people")
        page = visitor.post("/attack/people/new", run=run.name, file="../out", intruders="2", **FORM)
        assert "D443" in text_of(page)
        visitor.post("/attack/people/new", run=run.name, file="first", intruders="Ada\nBob", **FORM)
        assert visitor.await_job("test")["state"] == "done"
        page = visitor.get("/attack/people")
        said = text_of(page)
        assert "4 target cards by the scenario neighbour , 120 released records" in said
        assert "Ada has not come yet" in said
        assert stat.S_IMODE((home / "first.db").stat().st_mode) == 0o600
        assert "decoys" in visitor.get("/attack/people/protocol/first.db")
        page = visitor.post("/attack/people/serve", test="first.db")
        assert "The pages are open to this machine" in text_of(page)
        links = re.findall(r"<code>(http://127\.0\.0\.1:\d+)/enter/([\w-]+)", page)
        assert len(links) == 2
        pages, seen = links[0][0], []
        for number, (_, token) in enumerate(links, start=1):
            with Friend(pages, token) as friend:
                friend.accept()
                assert friend.claim(target=1, record=number, confidence=70).status_code == 303
                assert friend.claim(who="my neighbour", record=3, confidence=30).status_code == 303
                seen += friend.seen
        assert not any(canary in text for canary in CANARIES for text in seen)
        said = text_of(visitor.get("/attack/people"))
        assert "2 signed in, of 2" not in said  # the figure stands below its words for a screen reader
        assert "signed in, of 2 2" in said
        assert "claims 4" in said
        assert "Ada at work" in said
        assert said.count(" used") >= 2  # links that no longer work are not shown
        page = visitor.post("/attack/people/score", test="first.db")
        assert "not decided yet 2" in text_of(page)
        wanted = dict.fromkeys(re.findall(r'name="(verdict-\d+)" value="wrong"', page), "wrong")
        assert len(wanted) == 2
        assert "D442" in text_of(visitor.post("/attack/people/decide", test="first.db"))
        page = visitor.post("/attack/people/decide", test="first.db", **wanted)
        assert "2 verdicts were taken over" in text_of(page)
        assert "not decided yet 0" in text_of(page)
        report = visitor.client.get("/attack/people/report/first.db")
        assert report.headers["content-security-policy"] == SHUT_IN
        assert "Human intruder test" in report.text
        scores = load_scores(visitor.get("/attack/people/scores/first.db"), "scores")
        assert (scores.took_part, scores.claims, scores.undecided) == (2, 4, 0)
        told_again = text_of(visitor.post("/attack/people/invite", test="first.db", name="Ada"))
        assert re.search(rf"A new link for Ada.*{re.escape(pages)}/enter/", told_again)
        assert "is named in the plan" in text_of(visitor.post("/attack/people/plan", test="first.db"))
        assert "intruder_test: first.scores.json" in plan.read_text()
        assert "D442" in text_of(visitor.post("/attack/people/erase", test="first.db"))
        said = text_of(visitor.post("/attack/people/erase", test="first.db", sure="yes"))
        assert "Erased: 4 claims, 4 cards, 2 names" in said
        assert "What the intruders found" in said  # the counts stay
        assert not answers(pages)
    left = {path.name for path in home.iterdir() if path.name.startswith("first")}
    assert left == {"first.db", "first.erased.md", "first.protocol.md", "first.scores.json"}
    assert ic.run(plan).log.human_test is not None  # the reports of the next run tell of it


def make_test(plan: Path, place: Path) -> None:
    run, address = kept_runs(plan.parent)[0], f"http://127.0.0.1:{free_port()}"
    ic.intruder_test_new(run.folder, str(place), ic.IntruderTestOptions(intruders="2", targets=2), address=address)


@pytest.mark.slow
def test_a_release_is_tried_by_the_scenarios_that_it_was_made_with(address: str, plan: Path) -> None:
    """One that was added since is none of its own; its first can be chosen, also where it has none of a name."""
    run = kept_runs(plan.parent)[0]
    plan.write_text(plan.read_text().replace("name: neighbour", "name: a friend"))
    with visiting(address, plan) as visitor:
        page = visitor.get("/attack/people")
        assert '<option value="a friend">' in page
        assert '<option value="">the first that the release was made with' in page
        form = {**FORM, "run": run.name, "file": "own", "intruders": "2"}
        visitor.post("/attack/people/new", **{**form, "scenario": "a friend"})
        assert visitor.await_job("test")["state"] == "failed"
        assert "D219: the plan has no scenario 'a friend'. It has: neighbour" in text_of(visitor.get("/attack/people"))
        visitor.post("/attack/people/new", **{**form, "scenario": ""})
        assert visitor.await_job("test")["state"] == "done"
        assert "target cards by the scenario neighbour" in text_of(visitor.get("/attack/people"))


def answers(pages: str) -> bool:
    """Whether somebody still answers there."""
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", int(pages.rpartition(":")[2]))) == 0


@pytest.mark.slow
def test_the_pages_of_a_test_end_with_the_session(address: str, plan: Path) -> None:
    make_test(plan, plan.parent / "short.db")
    with visiting(address, plan) as visitor:
        page = visitor.post("/attack/people/serve", test="short.db")
        pages = re.search(r"<strong>(http://127\.0\.0\.1:\d+)</strong>", page)
        assert pages is not None
        assert answers(pages[1])
        assert "Open the pages" in text_of(visitor.post("/attack/people/close", test="short.db"))
        assert not answers(pages[1])
        visitor.post("/attack/people/serve", test="short.db")
        assert answers(pages[1])
    end = time.monotonic() + 20
    while answers(pages[1]):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_busy_port_is_no_obstacle() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port(port) not in (0, port)


def test_only_tests_beside_the_plan_are_reached(address: str, plan: Path, tmp_path: Path) -> None:
    make_test(plan, tmp_path / "elsewhere.db")
    os.symlink(tmp_path / "elsewhere.db", plan.parent / "link.db")
    (plan.parent / "notes.db").write_text("no test")
    (plan.parent / "notes.db").chmod(0o600)
    with visiting(address, plan) as visitor:
        page = visitor.get("/attack/people")
        assert "link.db" not in page
        assert "notes.db" not in page
        for name in ("link.db", "../elsewhere.db", str(tmp_path / "elsewhere.db"), "notes.db", ""):
            assert "D443" in text_of(visitor.post("/attack/people/erase", test=name, sure="yes"))
            assert "D443" in text_of(visitor.post("/attack/people/serve", test=name))
        for kind in ("report", "scores", "protocol"):
            assert visitor.client.get(f"{address}/attack/people/{kind}/..%2felsewhere.db").status_code == 404
            assert visitor.client.get(f"{address}/attack/people/{kind}/link.db").status_code == 404


@pytest.mark.slow
def test_the_page_can_be_used_by_everybody(address: str, plan: Path) -> None:
    make_test(plan, plan.parent / "a.db")
    with Chrome() as chrome:
        person = Person(chrome, address)
        person.go("/attack", "Open a file")
        open_by_hand(person, plan)
        person.go("/attack", "Let them try")
        chrome.run("document.querySelectorAll('[name=attacks]').forEach(e => { e.checked = e.value === 'linkage' })")
        person.press("Let them try", "What the intruders achieved", "linkage")
        assert faults(chrome) == []
        person.picture("attack")
        person.press("People as intruders", "Open its pages")
        assert faults(chrome) == []
        person.picture("attack-people")
        chrome.do("Emulation.setDeviceMetricsOverride", width=400, height=900, deviceScaleFactor=1, mobile=False)
        for path in ("/attack", "/attack/people"):
            person.go(path)
            assert chrome.run("document.documentElement.scrollWidth") <= 400, path
