"""The page Release: a run as from the command line, a gate that refuses, files that were sealed and no others."""

from __future__ import annotations

import io
import os
import re
import shutil
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe import faults
from chrome import Chrome
from commands import incrowd_cli
from open_plan import open_by_hand, text_of, visiting
from people import SECRET, plan_with, write_case
from workbench import Person, Visitor, workbench

import incrowd as ic
from incrowd.app.attacking import named
from incrowd.app.sessions import Session
from incrowd.app.site import SHUT_IN, Site
from incrowd.audit.runs import kept_runs
from incrowd.demo import write_example

SCENARIOS = [{"name": "neighbour", "keys": ["age", "sex"]}]
TOO_MUCH = {"requirements": [{"model": "k", "k": 50}], "steps": [{"step": "drop", "variables": ["name"]}]}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with workbench(tmp_path_factory.mktemp("desk")) as found:
        yield found


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan with a release beside it."""
    plan = write_case(tmp_path_factory.mktemp("released"), plan_with(scenarios=SCENARIOS))
    ic.run(plan)
    return plan


@pytest.fixture
def plan(released: Path, tmp_path: Path) -> Path:
    """A copy of it, to spoil."""
    shutil.copytree(released.parent, tmp_path / "project", symlinks=True)
    return tmp_path / "project" / "plan.yaml"


def run_name(plan: Path) -> str:
    return kept_runs(plan.parent)[0].name


def test_what_the_page_runs_is_what_the_command_line_runs(address: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    ic.demo_data(here / "people.csv", rows=3000)
    plan = write_example(here)
    text = plan.read_text()
    for key in ("qualifications", "occupation", "marital_status", "num_children"):  # few people: few keys
        text = text.replace("variables: [name, ", f"variables: [name, {key}, ", 1)
    text = re.sub(
        r"  - step: recode\n    variable: (marital|num_|quali|occup).*?(?=  - step)", "", text, flags=re.DOTALL
    )
    text = re.sub(r"\nattack:.*?(?=\nrequirements)", "\n", text, flags=re.DOTALL)
    text = re.sub(r"\nscenarios:.*?(?=\nrelease)", "\n", text, flags=re.DOTALL)
    plan.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("INCROWD_SECRET", raising=False)
        with visiting(address, plan) as visitor:
            visitor.get("/release")
            visitor.post("/release/run")
            told = visitor.await_job("release")
            assert told["state"] == "done", text_of(visitor.get("/release"))
            page = visitor.get("/release")
            link = re.search(r'id="take" href="([^"]+)"', page)
            assert link is not None
            file = visitor.client.get(link[1])
            assert file.headers["content-disposition"] == 'attachment; filename="household-finances.csv"'
            (there / "plan.yaml").write_text(visitor.get("/plan.yaml"))
            seal = visitor.get(f"/release/seal?run={run_name(plan)}")
        shutil.copy(here / "people.csv", there)
        shutil.copy(here / "regions.csv", there)
        shutil.copy(here / "incrowd.secret", there)
        assert incrowd_cli("run", there / "plan.yaml").returncode == 0
    assert file.content == (there / "release" / "household-finances.csv").read_bytes()
    (tmp_path / "taken.csv").write_bytes(file.content)
    counted = ic.verify(tmp_path / "taken.csv", ["area", "age", "gender"], [ic.K(9)])
    assert counted.passed
    said = text_of(page)
    assert f"at least {counted.k:,} people who look the same" in said
    assert "every class has at least 9 people" in said
    assert "as they were sealed" in text_of(seal)
    assert f"{counted.records:,} records" in text_of(seal)


def test_a_refusal_says_which_requirement_and_what_would_help(address: str, plan: Path) -> None:
    before = os.readlink(plan.parent / "release")
    write_case(plan.parent, plan_with(**TOO_MUCH))
    with visiting(address, plan) as visitor:
        visitor.get("/release")
        visitor.post("/release/run")
        assert visitor.await_job("release")["state"] == "failed"
        page = visitor.get("/release")
        said = text_of(page)
        assert "Refused: nothing was released" in said
        assert "every class has at least 50 people; the file has 1" in said
        assert "every class has at least 50 people people in the smallest class at least 50 1 1 ✗ fails" in said
        assert "no crash" in said
        assert "search propose a plan" in said
        refused = kept_runs(plan.parent)[0]
        assert refused.refused
        assert f"/release/file/{refused.name}/audit/report.html" in page
        assert "<h1" in visitor.get(f"/release/file/{refused.name}/audit/decision.html")
        assert visitor.client.get(f"/release/pack/release/{refused.name}").status_code == 400
    assert os.readlink(plan.parent / "release") == before
    assert not (refused.folder / "release").exists()


def test_a_release_of_data_that_have_changed_is_marked(address: str, plan: Path) -> None:
    data = plan.parent / "people.csv"
    with visiting(address, plan) as visitor:
        assert "Out of date" not in text_of(visitor.get("/release"))
        data.touch()  # written anew with the same bytes: still what the run read
        assert "Out of date" not in text_of(visitor.get("/release"))
        before = data.read_text()
        data.write_text(before.replace("n1,21", "n1,22"))
        assert "Out of date: people.csv has changed since this run" in text_of(visitor.get("/release"))
        data.write_text(before)
        assert "Out of date" not in text_of(visitor.get("/release"))
        data.unlink()
        assert "Out of date: people.csv has changed since this run, or is gone" in text_of(visitor.get("/release"))


def test_a_plan_with_faults_is_not_run(address: str, plan: Path) -> None:
    with visiting(address, plan) as visitor:
        plan.write_text(plan.read_text().replace("people.csv", "nobody.csv"))
        page = visitor.get("/release")
        assert re.search(r'<button id="run-plan" disabled', page)
        assert "D440" in text_of(visitor.post("/release/run"))
        assert "release" not in visitor.client.get("/jobs/release").json()["state"]


def test_a_cancelled_run_leaves_no_half_of_a_release(address: str, tmp_path: Path) -> None:
    ic.demo_data(tmp_path / "people.csv", rows=3000)
    plan = write_example(tmp_path)
    with visiting(address, plan) as visitor:
        visitor.get("/release")
        visitor.post("/release/run")
        end = time.monotonic() + 120
        while visitor.client.get("/jobs/release").json()["number"] < 4:
            assert time.monotonic() < end
            time.sleep(0.05)
        assert list((tmp_path / "runs").glob(".work-*"))
        page = visitor.post("/jobs/release/cancel")
        assert visitor.await_job("release")["state"] == "cancelled"
        assert "No half of a release is left" in text_of(page)
    assert [path.name for path in (tmp_path / "runs").iterdir() if path.name != ".lock"] == []
    assert not os.path.lexists(tmp_path / "release")


def test_reports_are_shown_shut_in_and_files_are_taken(address: str, plan: Path) -> None:
    name = run_name(plan)
    with visiting(address, plan) as visitor:
        page = visitor.get("/release")
        for report in re.findall(r'href="(/release/file/[^"?]+)" target="_blank"', page):
            answer = visitor.client.get(report)
            assert answer.headers["content-security-policy"] == SHUT_IN
            assert answer.headers["x-frame-options"] == "DENY"
            assert answer.headers["content-type"].startswith("text/html")
            assert "content-disposition" not in answer.headers
        for place, held in (
            ("audit/plan.yaml", "requirements:"),
            ("audit/log.json", '"title"'),
            ("release/manifest.json", "sha256"),
        ):
            answer = visitor.client.get(f"/release/file/{name}/{place}?download=yes")
            assert answer.headers["content-disposition"].startswith("attachment")
            assert held in answer.text
        with zipfile.ZipFile(io.BytesIO(visitor.client.get(f"/release/pack/release/{name}").content)) as packed:
            whole = {path.name: path.read_bytes() for path in (plan.parent / "release").iterdir()}
            assert {Path(each).name: packed.read(each) for each in packed.namelist()} == whole
        with zipfile.ZipFile(io.BytesIO(visitor.client.get(f"/release/pack/audit/{name}").content)) as packed:
            assert "audit/secret" not in packed.namelist()
            packed.extractall(plan.parent / "copy")
        assert SECRET not in "".join(p.read_text("latin-1") for p in (plan.parent / "copy").rglob("*") if p.is_file())
    assert ic.audit_verify(plan.parent / "copy" / "audit").signature == "valid"
    assert {one.state for one in ic.audit_verify(plan.parent / "copy" / "audit").files} == {"unchanged", "removed"}


ADDRESSES = (
    "audit/secret", "audit/%2e%2e/%2e%2e/%2e%2e/people.csv", "%2e%2e/%2e%2e/people.csv", "..%2f..%2fincrowd.secret",
    "/etc/passwd", "%2fetc%2fpasswd", "release/../../../people.csv", "release/link.csv", "release/unlisted.csv",
    "audit", "", "release/people.csv%00", "audit/signatures/x.json",
)  # fmt: skip


def test_no_other_file_of_the_disk_has_an_address(address: str, plan: Path) -> None:
    name, home = run_name(plan), plan.parent
    os.symlink("/etc/passwd", home / "runs" / name / "release" / "link.csv")
    (home / "runs" / name / "release" / "unlisted.csv").write_text("canary")
    with visiting(address, plan) as visitor:
        visitor.get("/release")
        for each in ADDRESSES:
            answer = visitor.client.get(f"{address}/release/file/{name}/{each}")
            assert answer.status_code == 404, each
            assert "canary" not in answer.text
            assert "root:" not in answer.text
            assert SECRET not in answer.text
        for each in ("%2e%2e/plan.yaml", "/etc/passwd", "nothing/audit/report.html", f"{name}"):
            assert visitor.client.get(f"{address}/release/file/{each}").status_code == 404
            assert visitor.client.get(f"{address}/release/kept-review/{each}").status_code == 404
        assert visitor.client.get(f"{address}/release/pack/secret/{name}").status_code == 404
        assert visitor.client.get(f"{address}/release/pack/release/%2e%2e").status_code == 400


def test_nobody_sees_the_runs_of_another_plan(address: str, plan: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = write_case(tmp_path / "other")
    name = run_name(plan)
    with visiting(address, other) as stranger, visiting(address, plan) as owner:
        assert owner.client.get(f"/release/file/{name}/release/people.csv").status_code == 200
        for path in (f"/release/file/{name}/release/people.csv", f"/release/file/{name}/audit/report.html"):
            assert stranger.client.get(path).status_code == 404
        assert stranger.client.get(f"/release/seal?run={name}").status_code == 400
        assert "D439" in stranger.get(f"/release?run={name}")
        assert "D439" in text_of(
            stranger.post("/release/sign", run=name, name="x", role="x", decision="approve", key="k")
        )
    nobody = Visitor(address)
    assert nobody.client.get(f"/release/file/{name}/release/people.csv").status_code == 404


def test_a_forged_release_is_told_and_not_handed_out(address: str, plan: Path) -> None:
    name = run_name(plan)
    data = plan.parent / "runs" / name / "release" / "people.csv"
    with visiting(address, plan) as visitor:
        assert "as they were sealed" in text_of(visitor.get(f"/release/seal?run={name}"))
        data.write_text(data.read_text().replace("f", "m", 1))
        page = visitor.get("/release")
        assert "This is not what was sealed" in text_of(page)
        assert "release/people.csv is changed" in text_of(page)
        assert 'id="take"' not in page
        assert "Do not hand it out" in text_of(visitor.get(f"/release/seal?run={name}"))
        assert "D437" in visitor.get(f"/release/file/{name}/release/people.csv?download=yes", 404)
        assert "D437" in visitor.get(f"/release/pack/release/{name}", 400)
        assert "not as sealed" in text_of(visitor.get("/release/runs"))
        key = plan.parent / "a.key"
        ic.audit_keygen(key)
        told = text_of(visitor.post("/release/sign", run=name, name="A", role="b", decision="approve", key=str(key)))
        assert "D295" in told
        assert not (plan.parent / "runs" / name / "audit" / "signatures").exists()


def test_people_sign_with_keys_of_their_own(address: str, plan: Path) -> None:
    name, home = run_name(plan), plan.parent
    with visiting(address, plan) as visitor:
        assert "Nobody has signed this run yet" in text_of(visitor.get("/release/signing"))
        assert "A key was made" in text_of(visitor.post("/release/keygen", file="board.key"))
        assert (home / "board.key").stat().st_mode & 0o777 == 0o600
        assert "S009" in text_of(visitor.post("/release/keygen", file="board.key"))
        form = {"run": name, "name": "A. Member", "role": "board", "text": "As agreed."}
        assert "D302" in text_of(visitor.post("/release/sign", **form, decision="perhaps", key="board.key"))
        said = text_of(visitor.post("/release/sign", **form, decision="approve", key="board.key"))
        assert "A. Member board approve As agreed." in said
        assert "valid, key trusted" in said
        place = str(home / "board.key.pub")
        assert "nobody here knows the key" in text_of(visitor.post("/release/trust", forget=place))
        assert "valid, key trusted" in text_of(visitor.post("/release/trust", file="board.key.pub"))
        refused = ic.audit_keygen(home / "other.key")
        ic.audit_sign(home / "runs" / name, name="B", role="board", decision="refuse", key=refused.private)
        said = text_of(visitor.get("/release/signing"))
        assert "B board refuse" in said
        assert "nobody here knows the key" in said
        assert "approve: board; refuse: board" in text_of(visitor.get("/release/runs"))


def test_from_another_machine_no_file_here_is_named(tmp_path: Path) -> None:
    session = Session("mark", tmp_path)
    session.open_plan(write_case(tmp_path), own=False)
    with pytest.raises(ic.InputError, match="D441"):
        named(Site(paths=False), session, "/etc/passwd")
    assert named(Site(paths=True), session, "my.key") == tmp_path / "my.key"
    session.close_project()


@pytest.mark.slow
def test_earlier_runs_are_compared_and_looked_at_again(address: str, plan: Path) -> None:
    before = run_name(plan)
    write_case(plan.parent, plan_with(requirements=[{"model": "k", "k": 4}], scenarios=SCENARIOS))
    with visiting(address, plan) as visitor:
        visitor.get("/release")
        visitor.post("/release/run")
        assert visitor.await_job("release")["state"] == "done"
        now = run_name(plan)
        said = text_of(visitor.get("/release/runs"))
        assert said.count("as sealed") == 2
        assert "earlier release" in said
        said = text_of(visitor.get(f"/release/runs?one={before}&other={now}"))
        assert "requirements.0 (k).k 3 4" in said
        assert "The two audits tell the same" in text_of(visitor.get(f"/release/runs?one={now}&other={now}"))
        assert "D439" in text_of(visitor.get(f"/release/runs?one=../..&other={now}"))
        assert "D444" in text_of(visitor.post("/release/review/keep"))
        assert visitor.client.get("/release/review").status_code == 404
        visitor.post("/release/review", run=before, external="")
        assert visitor.await_job("review")["state"] == "done"
        said = text_of(visitor.get("/release/runs"))
        assert "Nothing became worse" in said
        assert "Out of date" not in said
        (plan.parent / "people.csv").touch()
        assert "Out of date: people.csv has changed since" in text_of(visitor.get("/release/runs"))
        assert visitor.client.get("/release/review").headers["content-security-policy"] == SHUT_IN
        page = visitor.post("/release/review/keep")
        link = re.search(r'href="(/release/kept-review/[^"]+)"', page)
        assert link is not None
        assert "Review of a release" in visitor.get(link[1])
        visitor.post("/release/review", run=before)
        assert visitor.post("/jobs/review/cancel")  # and the review before stays
        assert "Nothing became worse" in text_of(visitor.get("/release/runs"))


@pytest.mark.slow
def test_a_plan_with_tiers_shows_each_of_its_files(address: str, tmp_path: Path) -> None:
    plan = plan_with(tiers=[{"tier": "open"}, {"tier": "safeguarded"}], together={"limit": 1})
    del plan["tier"]
    path = write_case(tmp_path, plan)
    with visiting(address, path) as visitor:
        visitor.get("/release")
        visitor.post("/release/run")
        assert visitor.await_job("release")["state"] == "done", text_of(visitor.get("/release"))
        page = visitor.get("/release")
        assert "The plan makes several files" in text_of(page)
        assert "names no licence" in text_of(page)  # what the command line notes
        names = {one.name for one in kept_runs(tmp_path)}
        assert {name.partition("/")[0] for name in names} == {"open", "safeguarded"}
        for name in names:
            page = visitor.get(f"/release?run={name}")
            link = re.search(r'id="take" href="([^"]+)"', page)
            assert link is not None
            taken = visitor.client.get(link[1]).content
            assert taken == (tmp_path / name.partition("/")[0] / "release" / "people.csv").read_bytes()
            assert "as they were sealed" in text_of(visitor.get(f"/release/seal?run={name}"))
        assert 'value="plan@safeguarded"' in visitor.get("/attack")
        form = {"scenarios": ["all keys are known"], "attacks": ["linkage"]}
        scenario = re.search(r'name="scenarios" value="([^"]+)"', visitor.get("/attack"))
        assert scenario is not None
        visitor.post("/attack/try", **{**form, "scenarios": [scenario[1]], "source": "plan@safeguarded"})
        assert visitor.await_job("attack")["state"] == "done"
        assert "1 attack was tried" in text_of(visitor.get("/attack"))


def test_the_decision_paper_is_had_as_word(address: str, plan: Path) -> None:
    name = run_name(plan)
    with visiting(address, plan) as visitor:
        visitor.get("/release")
        visitor.post("/release/print", run=name, kind="word")
        told = visitor.await_job("print")
        page = visitor.get("/release")
        if told["state"] == "failed":
            assert "D392" in text_of(page)  # without the extra word it says how to get it
            return
        assert "decision.docx" in text_of(page)
        assert "as they were sealed" in text_of(visitor.get(f"/release/seal?run={name}"))
        answer = visitor.client.get(f"/release/file/{name}/audit/decision.docx?download=yes")
        assert answer.content[:2] == b"PK"


@pytest.mark.slow
def test_a_person_gets_from_the_plan_to_the_file_and_can_use_every_part(address: str, plan: Path) -> None:
    shutil.rmtree(plan.parent / "runs")
    (plan.parent / "release").unlink()
    with Chrome() as chrome:
        person = Person(chrome, address)
        person.go("/release", "Open a file")
        open_by_hand(person, plan)
        person.go("/release", "Run the plan")
        person.press("Run the plan", "Why nobody stands out in it", "Counted again, just now", "as they were sealed")
        person.picture("release")
        assert faults(chrome) == []
        text = chrome.run(
            "(() => { const r = new XMLHttpRequest(); r.open('GET', document.getElementById('take').href, false); "
            "r.send(); return r.responseText })()"
        )
        assert text == (plan.parent / "release" / "people.csv").read_text()
        person.press("Sign-offs", "Make a key")
        person.fill(keygen__path="my.key")
        person.press("Make the key", "A key was made")
        person.fill(sign__name="A. Member", sign__role="board")
        person.press("Sign", "valid, key trusted")
        assert faults(chrome) == []
        person.press("Earlier runs", "Compare A with B")
        assert faults(chrome) == []
        chrome.do("Emulation.setDeviceMetricsOverride", width=400, height=900, deviceScaleFactor=1, mobile=False)
        for path in ("/release", "/release/signing", "/release/runs"):
            person.go(path)
            assert chrome.run("document.documentElement.scrollWidth") <= 400, path
