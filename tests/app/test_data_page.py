"""The page Data: a file is opened, looked at and described, and nobody gets at what is not theirs."""

from __future__ import annotations

import re
import stat
import tempfile
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from chrome import Chrome
from examples import quick_only
from hypothesis import example, given
from hypothesis import strategies as st
from workbench import Person, Visitor, workbench

import incrowd as ic
from incrowd.app.uploads import safe_name

PEOPLE = 400
LIMIT = 1 << 20


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("desk")
    ic.demo_data(folder / "people.csv", rows=PEOPLE)
    return folder


@pytest.fixture(scope="module")
def address(desk: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("private")))
        with workbench(desk, upload=LIMIT) as found:
            yield found


@pytest.fixture
def visitor(address: str) -> Iterator[Visitor]:
    found = Visitor(address)
    found.get("/data")
    yield found
    leave(found)


def leave(visitor: Visitor) -> None:
    """End the session, and begin no new one."""
    assert visitor.client.post("/leave", data={"mark": visitor.mark}, follow_redirects=False).status_code == 303


def text_of(page: str) -> str:
    """What a page says, without its marks."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def opened(visitor: Visitor, path: Path | str, **fields: Any) -> str:
    """Open a file by its path, and wait for it; gives what the page says."""
    page = visitor.post("/data/open", file=str(path), **fields)
    if "data-job" in page:
        visitor.await_job("data")
        page = visitor.get("/data")
    return text_of(page)


def send(visitor: Visitor, name: str, content: bytes, **more: Any) -> httpx.Response:
    headers = {"Content-Type": "application/octet-stream", "X-Mark": visitor.mark, **more.pop("headers", {})}
    return visitor.client.post("/data/upload", params={"name": name, **more}, content=content, headers=headers)


def private_files() -> list[Path]:
    """All files in the private folders of the server's sessions."""
    return [path for path in Path(tempfile.gettempdir()).glob("incrowd-*/session-*/files/**/*") if path.is_file()]


def test_the_first_page_says_what_can_be_opened_and_how_much(visitor: Visitor) -> None:
    page = text_of(visitor.get("/data"))
    for words in ("Up to 1 MB", "Household finances", "Census teaching file", "Energy of homes", "Further education"):
        assert words in page
    assert 'value="people.csv"' in visitor.get("/data")  # offered


def test_a_file_is_opened_with_a_plan_of_its_own(visitor: Visitor, desk: Path) -> None:
    page = opened(visitor, "people.csv", kind="administrative")
    plan = desk / "incrowd-people" / "plan.yaml"
    assert f"saved as {plan}" in page
    assert stat.S_IMODE(plan.stat().st_mode) == 0o600
    assert stat.S_IMODE(plan.parent.stat().st_mode) == 0o700
    assert ic.load_plan(plan).data.kind == "administrative"
    assert f"records {PEOPLE} columns 14" in page
    assert "on_benefits yes/no" in page
    # the first records are masked: names, postcodes and rare values by their form, common ones as they are
    lines = (desk / "people.csv").read_text().splitlines()[1:21]
    for line in lines:
        name, area, postcode, born, *_ = line.split(",")
        for rare in (name, postcode, born):
            assert rare not in page
        assert area not in page.split("Its columns")[0].split("The first 20 records")[1]
    assert "XX9 9XX" in page
    assert "masked 9999-99-99" in page
    assert "never married" in page
    # again: the plan that is there is opened, and not written over
    plan.write_text(plan.read_text().replace("A release of administrative data", "Kept as it was"))
    again = Visitor(str(visitor.client.base_url))
    again.get("/data")
    page = opened(again, desk / "people.csv", kind="census")
    assert "There was a plan for this file already" in page
    assert "Kept as it was" in plan.read_text()


def test_how_the_records_were_collected_is_asked_and_not_taken_for_granted(visitor: Visitor) -> None:
    content = b"id,age,area\n" + b"".join(b"%d,%d,York\n" % (i, 20 + i % 9) for i in range(60))
    assert send(visitor, "few.csv", content).status_code == 200
    visitor.await_job("data")
    page = visitor.get("/data")
    plan = next(path for path in private_files() if path.name == "plan.yaml" and "few.csv" in path.read_text())
    assert "survey" not in [one.strip() for one in re.findall(r"^  kind:(.*)$", plan.read_text(), re.MULTILINE)]
    assert "Nobody has said how the records were collected" in text_of(page)
    assert not re.search(r'name="kind" value="\w+" checked', page)
    assert "data.kind" in text_of(page)
    assert "unique: alone in their class" in text_of(visitor.get("/risk"))  # it is looked at meanwhile
    # What else is said of the data is saved, and says nothing of that.
    page = visitor.post("/data/settings", title="A few", tier="safeguarded", unit="id")
    assert "Nobody has said how the records were collected" in text_of(page)
    assert "unit: id" in plan.read_text()
    assert ic.check(plan).plan.data.unit == "id"  # type: ignore[union-attr]
    page = visitor.post("/data/settings", title="A few", tier="safeguarded", unit="id", kind="administrative")
    assert "Nobody has said how" not in text_of(page)
    assert ic.check(plan).plan.data.kind == "administrative"  # type: ignore[union-attr]


def test_a_plan_for_another_file_is_not_taken_for_this_one(visitor: Visitor, desk: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    plan = home / "plan.yaml"
    plan.write_text(ic.init(desk / "people.csv", source="other.csv"))
    assert "D420" in opened(visitor, desk / "people.csv", home=str(home))
    assert "other.csv" in plan.read_text()


#: Whatever the reader refuses; which faults it finds is tried in tests/rows.
FAULTY = {
    "a line with too few fields": (b"id,age,area\n1,34,York\n2,35\n3,36,Leeds\n", "D004: line 3 of"),
    "nothing": (b"", "D002"),
    "no header": (b"34,York\n35,Leeds\n", "D244"),
}


@pytest.mark.parametrize("fault", quick_only(["a line with too few fields"], FAULTY))
def test_a_faulty_file_is_told_with_its_line_and_leaves_nothing(visitor: Visitor, tmp_path: Path, fault: str) -> None:
    content, told = FAULTY[fault]
    file, home = tmp_path / "faulty.csv", tmp_path / "home"
    file.write_bytes(content)
    page = opened(visitor, file, home=str(home))
    assert "faulty.csv cannot be opened" in page
    assert told in page
    assert "York" not in page
    assert "Nothing was written." in page
    assert not home.exists()
    assert "None is open" in page
    # the next file's plan does not go into a folder that is called after this one
    found = re.search(r'id="home" name="home" value="([^"]*)"', visitor.get("/data"))
    assert found is not None
    assert found[1] == str(home)  # it was asked for
    opened(visitor, file)
    assert 'id="home" name="home" value=""' in visitor.get("/data")


def test_what_is_no_file_is_told(visitor: Visitor, tmp_path: Path) -> None:
    for path, told in (
        (tmp_path / "absent.csv", "D000: there is no file"),
        (tmp_path / "absent.yaml", "D000"),
        ("~nobody-at-all/x.csv", "D422"),
        ("", "no path is given"),
        ("x" * 3000, "cannot be opened"),
        ("/dev/zero", "D270"),
        (tmp_path, "D"),
    ):
        assert told in opened(visitor, path, home=str(tmp_path / "home")), path
    assert not (tmp_path / "home").exists()


@pytest.mark.slow
def test_a_first_line_that_nothing_proves_is_taken_for_names_when_somebody_says_so(
    visitor: Visitor, tmp_path: Path
) -> None:
    file = tmp_path / "words.csv"
    file.write_text("area,job\n" + "York,nurse\nLeeds,baker\n" * 30)
    page = opened(visitor, file, home=str(tmp_path / "home"))
    assert "D265" in page
    assert "tick 'The first line names the columns'" in page
    page = opened(visitor, file, home=str(tmp_path / "home"), header="yes")
    assert "records 60 columns 2" in page
    assert (tmp_path / "home" / "plan.yaml").exists()


NAMES = {
    "../../../people.csv": "people.csv", "/etc/people.csv": "people.csv", "C:\\data\\people.csv": "people.csv",
    "a\0b.csv": "ab.csv", "🙂 people.csv": "_ people.csv", "p" * 900 + ".csv": "p" * 56 + ".csv",
    "plan.yaml.csv": "plan.yaml.csv", "..%2F..%2Fx.csv": "_2F._2Fx.csv",
}  # fmt: skip


def test_an_upload_stays_in_the_private_folder_whatever_it_is_called(address: str) -> None:
    visitor = Visitor(address)
    visitor.get("/data")
    before = {*private_files()}
    for name, stored in NAMES.items():
        assert send(visitor, name, b"id,age\n1,3\n").status_code == 200
        # the one before has made room: nobody could reach it any more
        assert {path.name for path in {*private_files()} - before} == {stored}
    assert "cancelled" in visitor.post("/jobs/data/cancel")
    assert {*private_files()} == before
    leave(visitor)


@given(st.text(max_size=300))
@example("." * 300)
@example("/" * 300)
@example("a." * 150)
def test_a_safe_name_is_one(name: str) -> None:
    found = safe_name(name)
    assert found
    assert Path(found).name == found
    assert not found.startswith(".")
    assert found.isprintable()
    assert len(found) <= 60
    assert len(found.encode()) < 256
    assert safe_name(found) == found


def test_an_upload_is_opened_and_nobody_else_sees_it(visitor: Visitor, desk: Path, address: str) -> None:
    assert send(visitor, "people.csv", (desk / "people.csv").read_bytes()).status_code == 200
    visitor.await_job("data")
    page = text_of(visitor.get("/data"))
    assert f"records {PEOPLE} columns 14" in page
    assert "in a folder that goes with this session" in page
    mine = next(path for path in private_files() if path.name == "people.csv").with_name("plan.yaml")
    assert stat.S_IMODE(mine.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((mine.parent / "people.csv").stat().st_mode) == 0o600
    other = Visitor(address)
    other.get("/data")
    assert "None is open" in text_of(other.get("/data"))
    assert "people.csv (" not in other.get("/data")
    assert "not there any more" in text_of(other.post("/data/earlier", which=mine.parent.name))
    # by a path of its own a plan of the private folder leads nowhere else
    text = mine.read_text().replace('source: "people.csv"', f'source: "{desk}/people.csv"')
    assert send(visitor, "plan.yaml", text.encode()).status_code == 400
    assert "D425" in text_of(visitor.get("/data"))
    assert mine.read_text() != text
    # what changes in an editor comes back as a plan
    visitor.post("/data/settings", title="A release", tier="safeguarded", kind="survey")
    text = mine.read_text().replace("A release", "As edited")
    assert send(visitor, "my plan.yml", text.encode()).status_code == 200
    assert "The uploaded plan is open" in text_of(visitor.get("/data"))
    assert ic.load_plan(mine).title == "As edited"
    # a file beside it
    assert send(visitor, "regions.csv", b"district,region\nA,B\n", beside="yes").status_code == 200
    assert (mine.parent / "regions.csv").exists()
    # another file; the first one can be opened again, and be removed
    assert send(visitor, "few.csv", b"id,age,area\n" + b"1,34,York\n" * 12).status_code == 200
    visitor.await_job("data")
    page = visitor.get("/data")
    assert "Open again: As edited (people.csv)" in page
    visitor.post("/data/earlier", which=mine.parent.name)
    assert f"records {PEOPLE} " in _looked(visitor)
    folder = mine.parents[2]
    leave(visitor)
    assert not folder.exists()
    visitor.get("/data")


def _looked(visitor: Visitor) -> str:
    visitor.get("/data")
    visitor.await_job("data")
    return text_of(visitor.get("/data"))


def test_what_may_not_come_in_does_not(visitor: Visitor, address: str) -> None:
    before = {*private_files()}
    assert send(visitor, "big.csv", b"x" * (LIMIT + 1)).status_code == 413
    assert send(visitor, "people.csv", b"a,b\n1,2\n", headers={"X-Mark": "0" * 64}).status_code == 403
    assert send(visitor, "people.csv", b"a,b\n1,2\n", headers={"X-Mark": ""}).status_code == 403
    other = Visitor(address)
    other.get("/data")
    assert send(visitor, "people.csv", b"a,b\n", headers={"X-Mark": other.mark}).status_code == 403
    for name in ("mine.py", "people", "x.csv.exe", "a.html", ".secret"):
        assert send(visitor, name, b"a,b\n1,2\n").status_code == 400
        assert "D334" in visitor.get("/data")
    assert send(visitor, "plan.yaml", b"title: x\n").status_code == 400
    assert "D414" in visitor.get("/data")  # a plan alone
    stranger = httpx.Client(base_url=address)  # without a session
    kind = {"Content-Type": "application/octet-stream", "X-Mark": visitor.mark}
    assert stranger.post("/data/upload?name=a.csv", content=b"a\n", headers=kind).status_code == 303
    assert {*private_files()} == before


def test_an_upload_that_breaks_off_or_grows_leaves_nothing(address: str) -> None:
    """More bytes than the header of the request says, or fewer."""
    import socket

    visitor = Visitor(address)
    visitor.get("/data")
    before = {*private_files()}
    cookie = "; ".join(f"{name}={value}" for name, value in visitor.client.cookies.items())
    host, port = address.removeprefix("http://").split(":")
    for length, body in ((1000, b"a,b\n1,2\n"), (4, b"a,b\n" * 1000)):
        head = (
            f"POST /data/upload?name=broken.csv HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\n"
            f"X-Mark: {visitor.mark}\r\nContent-Type: application/octet-stream\r\nContent-Length: {length}\r\n\r\n"
        )
        with socket.create_connection((host, int(port))) as line:
            line.sendall(head.encode() + body)
            time.sleep(0.3)
    time.sleep(0.5)
    visitor.post("/jobs/data/cancel")
    left = [path for path in {*private_files()} - before if path.name.endswith(".part") or path.stat().st_size > 4]
    assert left == []


@pytest.mark.slow
def test_an_upload_that_is_read_otherwise_need_not_be_sent_again(visitor: Visitor) -> None:
    assert send(visitor, "areas.csv", b"area;job\n" + b"York;nurse, and more\nLeeds;baker\n" * 30).status_code == 200
    visitor.await_job("data")
    page = visitor.get("/data")
    assert "areas.csv cannot be opened" in text_of(page)
    assert 'action="/data/retry"' in page
    visitor.post("/data/retry", header="yes", delimiter="semicolon", kind="survey")
    visitor.await_job("data")
    page = text_of(visitor.get("/data"))
    assert "records 60 columns 2" in page
    plan = next(
        path for path in private_files() if path.parent.joinpath("areas.csv").exists() and path.name == "plan.yaml"
    )
    assert ic.load_plan(plan).data.delimiter == ";"


@pytest.fixture
def project(desk: Path, tmp_path: Path, visitor: Visitor) -> Path:
    """A plan for a small file of its own, open; gives the plan's path."""
    data = tmp_path / "few.csv"
    data.write_text("person,area,age,paid\n" + "".join(f"p{i},York,{20 + i % 9},{i * 7}\n" for i in range(40)))
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "# what it is\ntitle: Few\ndata: # of forty\n  source: few.csv\n  kind: survey # so far\n\n# who gets it\n"
        "tier: open\nvariables:\n  person: {role: identifier, reason: Names.}\n  area: {role: key, reason: Known.}\n"
        "  age: {role: key, reason: Seen.}\n  paid: {role: sensitive, reason: Private.}\n"
        "steps:\n  - {step: drop, variables: [person]}\n  - {step: suppress_records}\n"
        "requirements:\n  - {model: k, k: 3}\n"
    )
    opened(visitor, plan)
    visitor.await_job("data")
    return plan


SETTINGS = {"title": "Few", "kind": "survey", "tier": "open", "source": "few.csv"}


def test_settings_are_written_into_the_plan_and_read_back_exactly(visitor: Visitor, project: Path) -> None:
    for title in ("Yes", "007", "a: b # c", '"twice" & <b>', "- no list", "🙂"):
        visitor.post("/data/settings", **{**SETTINGS, "title": title})
        assert ic.load_plan(project).title == title
    filled = {
        **SETTINGS, "kind": "census", "tier": "controlled", "unit": "person", "unit_name": "company/companies",
        "weights": "paid", "household": "area", "percent": "12,5", "percent_reason": "One in eight: the letter says so",
        "population": "all.csv", "population_count": "n",
    }  # fmt: skip
    visitor.post("/data/settings", **filled)
    plan = ic.check(project).plan
    assert plan is not None
    data = plan.data
    assert (plan.tier, data.kind, data.unit, data.called.many) == ("controlled", "census", "person", "companies")
    assert (data.weights, data.household) == ("paid", "area")
    assert data.protection is not None
    assert data.protection.sampling_fraction == 0.125
    assert data.population is not None
    assert (data.population.source, data.population.count) == ("all.csv", "n")
    page = visitor.get("/data")
    assert 'value="12.5"' in page
    assert "One in eight: the letter says so" in page
    # emptied again, nothing is left behind, and every comment is where it was
    visitor.post("/data/settings", **SETTINGS)
    head = "# what it is\ntitle: Few\ndata: # of forty\n  source: few.csv\n  kind: survey # so far\n\n"
    assert project.read_text().startswith(f"{head}# who gets it\ntier: open\n")
    visitor.post("/plan/undo", back="data")
    assert ic.check(project).plan == plan


def test_settings_that_make_no_sense_are_told_and_change_nothing(visitor: Visitor, project: Path) -> None:
    before = project.read_text()
    for field, value, code in (
        ("title", "", "D422"), ("percent", "many", "D422"), ("percent", "101", "D422"), ("percent", "-1", "D422"),
        ("percent", "NaN", "D422"), ("kind", "guess", "D448"), ("tier", "secret", "D448"),
    ):  # fmt: skip
        assert code in text_of(visitor.post("/data/settings", **{**SETTINGS, field: value})), (field, value)
    assert project.read_text() == before
    # what the plan's check finds is shown beside it
    page = text_of(visitor.post("/data/settings", **{**SETTINGS, "unit": "age"}))
    assert "P018" in page


def test_a_plan_that_somebody_edits_meanwhile_is_read_again(visitor: Visitor, project: Path) -> None:
    project.write_text(project.read_text().replace("title: Few", "title: By hand"))
    assert "changed outside" in text_of(visitor.get("/data"))
    project.write_text(project.read_text().replace("k: 3", "k: 4"))
    visitor.post("/data/settings", **{**SETTINGS, "title": "By form"})
    plan = ic.load_plan(project)
    assert (plan.title, plan.requirements[0].k) == ("By form", 4)  # type: ignore[union-attr]
    # broken meanwhile: nothing is written over it
    project.write_text("title: [\n")
    assert "D411" in text_of(visitor.post("/data/settings", **SETTINGS))
    assert project.read_text() == "title: [\n"
    assert "1 thing to mend" in text_of(visitor.get("/data"))
    visitor.post("/plan/undo", back="data")
    assert ic.load_plan(project).title == "By form"
    project.unlink()
    assert "D000" in text_of(visitor.get("/data"))


def test_a_plan_with_faults_is_opened_and_shows_them(visitor: Visitor, tmp_path: Path, desk: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"title: Faulty\ndata: {{source: '{desk}/people.csv', kind: survey}}\ntier: open\nvariables: {{}}\nstep: []\n"
    )
    page = opened(visitor, plan)
    assert "to mend" in page
    assert "P002" in page
    assert "D417" in _looked(visitor) or "P003" in page
    plan.write_text("a: &a [*a]\n")
    assert "P071" in text_of(visitor.get("/data"))
    plan.write_text("data: 7\n")
    assert "to mend" in text_of(visitor.get("/data"))


def test_a_file_that_goes_away_while_it_is_open_is_told(visitor: Visitor, project: Path) -> None:
    assert "records 40 columns 4" in text_of(visitor.get("/data"))
    data = project.parent / "few.csv"
    content = data.read_text()
    data.unlink()
    page = text_of(visitor.get("/data"))
    assert "few.csv , or a file of codes that belongs to it, is not there" in page
    assert "records 40 " not in page
    data.write_text("34,York\n35,Leeds\n")  # another file under its name: nothing of it is shown
    page = _looked(visitor)
    assert "D417" in page
    assert "York" not in page
    data.write_text(content + "p41,York,20,1\n")
    assert "records 41 columns 4" in _looked(visitor)


def test_long_work_can_be_cancelled(visitor: Visitor) -> None:
    visitor.post("/data/example", name="demo")
    page = text_of(visitor.post("/jobs/data/cancel"))
    assert "Household finances: cancelled" in page
    assert "D416" in text_of(visitor.post("/data/example", name="../demo"))
    assert not [path for path in private_files() if path.name == "people.csv" and path.stat().st_size > LIMIT]


def test_an_example_of_the_ons_is_one_click_away(visitor: Visitor) -> None:
    visitor.post("/data/example", name="further-education")
    visitor.await_job("data")
    page = text_of(visitor.get("/data"))
    assert "records 40,000 columns 8" in page
    assert "No faults." in page


@pytest.mark.slow
def test_the_demo_is_one_click_away(visitor: Visitor) -> None:
    visitor.post("/data/example", name="demo")
    visitor.await_job("data")
    page = text_of(visitor.get("/data"))
    assert "records 100,000 columns 14" in page
    assert "No faults." in page


def test_from_another_machine_no_path_is_opened(tmp_path: Path, desk: Path) -> None:
    token = "t" * 24
    with workbench(desk, host="0.0.0.0", token=token) as address:
        visitor = Visitor(address)
        visitor.get("/data", status=401)
        page = visitor.get(f"/data?token={token}")
        assert "can be opened there only" in text_of(page)
        assert str(desk) not in page
        assert "people.csv" not in page
        assert "cannot be opened from another one" in text_of(visitor.post("/data/open", file=str(desk / "people.csv")))
        assert send(visitor, "few.csv", b"id,age,area\n" + b"1,34,York\n" * 12).status_code == 200
        visitor.await_job("data")
        page = visitor.get("/data")
        assert 'name="source"' not in page
        fields = {**SETTINGS, "source": "/etc/passwd", "population": str(desk / "people.csv")}
        visitor.post("/data/settings", **fields)
        assert "/etc/passwd" not in visitor.get("/plan.yaml")
        assert "people.csv" not in visitor.get("/plan.yaml")


@pytest.mark.slow
def test_in_a_browser(address: str, desk: Path, tmp_path: Path) -> None:
    data = tmp_path / "little.csv"
    data.write_text("name,area,age\n" + "".join(f"Somebody {i},York,{30 + i % 3}\n" for i in range(36)))
    with Chrome() as chrome:
        person = Person(chrome, address)
        person.go("/data", "A file on this machine")
        person.picture("data-start")
        chrome.upload(data)
        person.see("little.csv cannot be opened", "D265")  # one column of numbers proves no header
        person.tick("The first line names the columns")
        text = person.press("Try again", "little.csv is open", "36", "The first 20 records")
        assert "Somebody" not in text
        assert "Xxxxxxxx 9" in text
        person.picture("data-open")
        person.fill(title="Little: 007", percent="5")
        person.press("Save in the plan", "Last change: what the data are", "Little: 007")
        assert chrome.run("document.activeElement.textContent") == "Save in the plan"
        person.press("Undo", "A release of data")
        # by the keyboard alone
        person.press("Open another file", "Path of the data")
        chrome.run("document.getElementById('path').focus()")
        chrome.do("Input.insertText", text=str(desk / "absent.csv"))
        person.key("Enter", 13, "\r")
        person.see("D000: there is no file")
