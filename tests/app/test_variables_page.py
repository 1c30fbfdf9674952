"""The page Variables: roles with their reasons, who could know what, and intruders, all in the plan's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from chrome import Chrome, wait
from workbench import Person, Visitor, workbench

import incrowd as ic
from incrowd.plan import Plan

RECORDS = "".join(f"p{i},York,{20 + i % 9},{i % 4},{i * 7}\n" for i in range(60))
#: As a starter plan has it, and as people write it: block and flow, a name that YAML takes for a number, comments.
PLAN = """\
title: Few
data: {source: few.csv, kind: survey}
tier: safeguarded
# every column
variables:
  person: {role: identifier, reason: Names a person.}
  area:
    role: key
    suggested: "Its name says area: others may know it of a person."
  age: {role: key, reason: Visible.} # as everybody sees
  007:
    role: key
    decide: "Nothing says that others cannot know it: a key until you decide."
    scale: nominal
  paid:
    role: sensitive
    decide: "Its name is unknown and its numbers are fine."

# in this order
steps:
  - {step: drop, variables: [person]}
  - {step: recode, variable: age, bands: [20, 25], reason: Fewer.}
  - {step: suppress_records}
requirements:
  - {model: k, k: 3}
  - {model: distinct_l, sensitive: paid, l: 2}

# who might look
scenarios:
  - name: a friend
    keys: [area, age, 007]
    error: {age: 0.1}
    # what the friend saw
  - {name: a stranger, keys: [age], knows_who_is_in: false}

# the end
release: {name: few}
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with workbench(tmp_path_factory.mktemp("desk")) as found:
        yield found


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "few.csv").write_text(f"person,area,age,007,paid\n{RECORDS}")
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return path


@pytest.fixture
def visitor(address: str, plan: Path) -> Iterator[Visitor]:
    found = Visitor(address)
    found.get("/data")
    found.post("/data/open", file=str(plan))
    yield found
    found.client.post("/leave", data={"mark": found.mark}, follow_redirects=False)


def looked(visitor: Visitor) -> str:
    """The page once the file is known."""
    visitor.get("/variables")
    visitor.await_job("data")
    return visitor.get("/variables")


def said(page: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def read(path: Path) -> Plan:
    """The plan, also one with faults."""
    found = ic.check(path).plan
    assert found is not None
    return found


def comments(text: str) -> list[str]:
    return re.findall(r"# .*", text)


def set_role(visitor: Visitor, name: str, role: str, reason: str = "Because.", label: str = "") -> str:
    return said(visitor.post("/variables/set", name=name, role=role, reason=reason, label=label))


def test_without_a_plan_the_page_leads_to_one(address: str) -> None:
    visitor = Visitor(address)
    assert "No plan is open yet" in said(visitor.get("/variables"))
    assert "D414" in set_role(visitor, "age", "key")
    visitor.client.post("/leave", data={"mark": visitor.mark}, follow_redirects=False)


def test_what_nobody_has_decided_comes_first_and_suggestions_stand_beside_it(visitor: Visitor) -> None:
    page = looked(visitor)
    rows = re.findall(r'<span class="name">([^<]+)', page)
    assert rows == ["007", "paid", "person", "area", "age"]
    assert page.count('class="todo"') == 2
    text = said(page)
    assert "2 to decide" in text.replace("to decide: nothing told the role 2", "2 to decide")
    assert "Its name says age: others may know it of a person." in text
    for word in ("identifier", "key", "sensitive", "other"):
        assert f'<option value="{word}"' in page
    # each field has a label that tells which variable it is of
    assert 'aria-label="Role of 007"' in page
    assert "p17" not in page
    only = re.findall(r'<span class="name">([^<]+)', visitor.get("/variables?show=undecided&find=pa"))
    assert only == ["paid"]
    assert re.findall(r'<span class="name">([^<]+)', visitor.get("/variables")) == ["paid"]  # it stays so
    assert "No variable is like that" in visitor.get("/variables?show=other&find=<b>")


TEXTS = (
    "Yes",
    "007",
    "a: b # c",
    "null",
    "~",
    "- x",
    "'q' \"d\"",
    "{x: 1}",
    "<b>&amp;",
    "é 🙂",
    "|",
    "2024-01-01",
    "x" * 400,
)


def test_any_text_is_read_back_exactly_and_nothing_else_changes(visitor: Visitor, plan: Path) -> None:
    for name in ("007", "age", "paid"):
        for text in TEXTS:
            set_role(visitor, name, "key", text, text)
            found = read(plan).variables[name]
            assert (found.role, found.reason, found.label) == ("key", text, text), (name, text)
    assert comments(plan.read_text())[:1] == comments(PLAN)[:1]
    for line in comments(PLAN):
        assert line in plan.read_text()
    untouched = read(plan)
    assert untouched.variables["person"].reason == "Names a person."
    assert [step.step for step in untouched.steps] == ["drop", "recode", "suppress_records"]
    page = visitor.get("/variables")
    assert 'value="' + "x" * 400 + '"' in page
    set_role(visitor, "age", "key", "<script>alert(1)</script>", '" onfocus="alert(1)')
    page = visitor.get("/variables")
    assert "<script>alert" not in page
    assert '" onfocus=' not in page


def test_a_role_that_no_longer_fits_is_a_fault_and_nothing_is_dropped(visitor: Visitor, plan: Path) -> None:
    text = set_role(visitor, "age", "identifier", "Tells it all.")
    assert "P015" in text  # it would be released as it is
    assert "P029" in text  # scenarios still name it
    set_role(visitor, "paid", "other", "Nobody wants it.")
    assert "P019" in said(visitor.get("/variables"))  # so does a requirement
    found = read(plan)
    assert len(found.scenarios) == 2
    assert found.scenarios[0].keys == ["area", "age", "007"]
    assert len(found.requirements) == 2
    visitor.post("/plan/undo", back="variables")
    visitor.post("/plan/undo", back="variables")
    assert plan.read_text() == PLAN
    visitor.post("/plan/redo", back="variables")
    assert read(plan).variables["age"].role == "identifier"


def test_a_fault_leads_to_its_page_and_steps_follow_the_roles_when_somebody_says_so(
    visitor: Visitor, plan: Path
) -> None:
    """A guess that was wrong is what a starter plan meets first; the plan is right again without its text."""
    text = PLAN.replace("bands: [20, 25], reason: Fewer.}", "bands: [20, 25], off: true}").replace(
        "{step: suppress_records}",
        "{step: search, hierarchies: {area: auto, age: auto, 007: auto}, weights: {007: 2, age: 1}}",
    )
    plan.write_text(text)
    assert "/variables/follow" not in visitor.get("/variables")
    set_role(visitor, "007", "identifier", "Names a person.")
    set_role(visitor, "age", "other", "Nobody knows it.")
    page = visitor.get("/risk")
    assert '<a href="/protect#steps">Go there' in page
    assert '<a href="/variables#scenarios">Go there' in page
    for told in (
        "007 is left out: it names people.", "Step 3 no longer coarsens 007: it is no key.",
        "Step 3 no longer coarsens age: it is no key.", "a friend no longer knows 007: it is no key.",
    ):  # fmt: skip
        assert told in said(page)
    assert "a stranger no longer" not in said(page)  # nothing would be left to know: somebody has to decide
    visitor.post("/variables/follow", back="risk")
    assert str(visitor.client.get("/risk").url).endswith("/risk")
    found = read(plan)
    assert found.steps[0].variables == ["person", "007"]
    assert ([*found.steps[2].hierarchies], found.steps[2].weights) == (["area"], {})
    assert [one.keys for one in found.scenarios] == [["area"], ["age"]]
    assert found.scenarios[0].error == {}
    left = [(one.code, one.place) for one in ic.check(plan).faults]
    assert left == [("P097", "variables.paid.decide"), ("P029", "scenarios.1.keys.0")]
    assert "/variables/follow" not in visitor.get("/variables")
    visitor.post("/plan/undo", back="variables")
    assert "007: auto" in plan.read_text()


def test_what_makes_no_sense_is_told_and_changes_nothing(visitor: Visitor, plan: Path) -> None:
    assert "D422" in set_role(visitor, "age", "secret")
    assert "D422" in set_role(visitor, "age", "")
    assert "D422" in set_role(visitor, "age", "key", "")  # no suggestion stands in
    assert "D421" in set_role(visitor, "absent", "key")
    assert "D421" in set_role(visitor, "7", "key")
    assert "D422" in said(visitor.post("/variables/several", role="key"))
    visitor.mark, mark = "0" * 64, visitor.mark
    assert "out of date" in set_role(visitor, "age", "other")
    visitor.mark = mark
    assert plan.read_text() == PLAN


def test_a_reason_may_go_where_a_suggestion_stands_in(visitor: Visitor, plan: Path) -> None:
    set_role(visitor, "area", "key", "Known.")
    set_role(visitor, "area", "key", "")
    found = read(plan).variables["area"]
    assert (found.reason, found.suggested is not None) == (None, True)


def test_suggestions_are_taken_but_for_guesses_and_what_was_decided(visitor: Visitor, plan: Path) -> None:
    set_role(visitor, "person", "other", "My own decision.")
    looked(visitor)
    text = said(visitor.post("/variables/suggestions"))
    assert "1 roles are confirmed as suggested. 2 are guesses" in text
    found = read(plan).variables
    assert found["person"].role == "other"
    assert found["area"].reason == "Confirmed as suggested: Its name says area: others may know it of a person."
    assert found["age"].reason == "Visible."
    assert {name for name, one in found.items() if not one.confirmed} == {"007", "paid"}
    # a guess is confirmed one by one
    visitor.post("/variables/set", name="007", role="other", reason="", label="", take="yes")
    assert read(plan).variables["007"].confirmed
    assert read(plan).variables["007"].role == "key"
    # several at once, with one reason
    visitor.post("/variables/several", which=["paid", "007"], role="sensitive", reason="Not for others.")
    found = read(plan).variables
    assert {(found[name].role, found[name].reason) for name in ("paid", "007")} == {("sensitive", "Not for others.")}
    assert "P097" not in said(visitor.get("/variables"))


def test_a_column_that_the_plan_lacks_is_added_and_one_that_the_file_lacks_is_taken_out(
    visitor: Visitor, plan: Path
) -> None:
    plan.write_text(
        PLAN.replace("  age: {role: key, reason: Visible.} # as everybody sees\n", "  gone: {role: other, reason: x}\n")
    )
    page = looked(visitor)
    assert "not in the plan" in page
    assert "not in the file" in page
    assert re.findall(r'<span class="name">([^<]+)', page)[0] == "age"
    set_role(visitor, "age", "key", "Seen.")
    visitor.post("/variables/remove", name="gone")
    found = read(plan).variables
    assert list(found) == ["person", "area", "007", "paid", "age"]
    assert (found["age"].role, found["age"].reason) == ("key", "Seen.")
    assert "\n# in this order\nsteps:" in plan.read_text()


def test_who_could_know_it_is_kept_and_tells_which_intruder_does(visitor: Visitor, plan: Path) -> None:
    looked(visitor)
    page = visitor.get("/variables?of=007")
    assert "Who could know 007?" in page
    answers = {"passer_by": "no", "neighbours": "partly", "colleagues": "no", "public_sources": "no", "guess": "no"}
    assert "D422" in said(visitor.post("/variables/exposure", of="007", **answers, reason=""))
    assert "D422" in said(visitor.post("/variables/exposure", of="007", **{**answers, "guess": "maybe"}, reason="x"))
    visitor.post("/variables/exposure", of="007", **answers, reason="Yes")
    exposure = read(plan).variables["007"].exposure
    assert exposure is not None
    assert (exposure.neighbours, exposure.reason) == ("partly", "Yes")
    set_role(visitor, "007", "sensitive")
    assert "Others may know it: think of the role key." in said(visitor.get("/variables"))
    set_role(visitor, "007", "key")
    visitor.post("/variables/scenario/add", who="neighbour")
    found = read(plan).scenarios[-1]
    assert (found.name, found.keys, found.error) == ("neighbour", ["007", "age", "area"], {"age": 0.1})
    # all of it answered no is an answer, too, and has its reason
    assert "D422" in said(visitor.post("/variables/exposure", of="007", **dict.fromkeys(answers, "no"), reason=""))
    visitor.post("/variables/exposure", of="007", remove="yes", reason="")
    assert read(plan).variables["007"].exposure is None


def test_a_question_that_is_left_open_is_no_no(visitor: Visitor, plan: Path) -> None:
    looked(visitor)
    page = visitor.get("/variables?of=007")
    assert not re.search(r'id="who-\w+-no" checked', page)
    assert page.count("not answered</span>") == 5
    some = {"passer_by": "no", "neighbours": "partly", "colleagues": "no"}
    page = visitor.post("/variables/exposure", of="007", **some, reason="Seen.")
    assert "not answered yet: Is it in registers, news or social media? Can it be guessed" in said(page)
    assert read(plan).variables["007"].exposure is None
    assert page.count("not answered</span>") == 2  # what was answered stays to be completed
    assert 'id="who-neighbours-partly" checked' in page
    assert 'value="Seen."' in page
    # a plan that was written by hand may leave some open
    age = "age: {role: key, reason: Visible.}"
    assert age in plan.read_text()
    partly = "age: {role: key, reason: Visible., exposure: {passer_by: no, reason: Seen.}}"
    plan.write_text(plan.read_text().replace(age, partly))
    assert "Who could know it: 4 of 5 questions are not answered" in said(visitor.get("/variables"))


def test_intruders_are_added_changed_and_removed(visitor: Visitor, plan: Path) -> None:
    looked(visitor)
    for who in ("neighbour", "neighbour", "stranger with a register", "somebody unknown"):
        visitor.post("/variables/scenario/add", who=who)
    names = [one.name for one in read(plan).scenarios]
    assert names == ["a friend", "a stranger", "neighbour", "neighbour 2", "stranger with a register", "somebody"]
    assert not read(plan).scenarios[4].knows_who_is_in
    fields = {"number": "0", "was": "a friend", "name": "No: 007", "keys": ["age", "007"], "error:age": "12.5"}
    visitor.post("/variables/scenario/set", **fields)
    first = read(plan).scenarios[0]
    assert (first.name, first.keys, first.error, first.knows_who_is_in) == (
        "No: 007",
        ["age", "007"],
        {"age": 0.125},
        False,
    )
    assert 'value="12.5"' in visitor.get("/variables")
    visitor.post("/variables/scenario/set", **{**fields, "was": "No: 007", "knows": "yes", "error:age": ""})
    assert read(plan).scenarios[0].knows_who_is_in
    assert read(plan).scenarios[0].error == {}
    for wrong, code in (
        ({"name": ""}, "D449"), ({"keys": []}, "D449"), ({"name": "neighbour"}, "D450"), ({"error:age": "100"}, "D422"),
        ({"was": "a friend"}, "D421"), ({"number": "77"}, "D421"), ({"number": "-1"}, "D421"),
    ):  # fmt: skip
        before = plan.read_text()
        assert code in said(visitor.post("/variables/scenario/set", **{**fields, "was": "No: 007", **wrong})), wrong
        assert plan.read_text() == before
    visitor.post("/variables/scenario/set", number="1", was="a stranger", remove="yes")
    assert "# what the friend saw" in plan.read_text()
    for name in ("No: 007", "neighbour", "neighbour 2", "stranger with a register", "somebody"):
        visitor.post("/variables/scenario/set", number="0", was=name, remove="yes")
    assert read(plan).scenarios == []
    text = plan.read_text()
    assert "scenarios:" not in text
    assert "# who might look" in text
    assert "# the end\nrelease" in text
    visitor.post("/variables/scenario/add", who="journalist")
    assert [one.name for one in read(plan).scenarios] == ["journalist"]


def test_a_plan_that_somebody_edits_meanwhile_is_not_written_over(visitor: Visitor, plan: Path) -> None:
    looked(visitor)
    plan.write_text(
        PLAN.replace("k: 3", "k: 4").replace("  - name: a friend", "  - {name: first, keys: [age]}\n  - name: a friend")
    )
    fields: dict[str, Any] = {"number": "0", "was": "a friend", "name": "x", "keys": ["age"]}
    assert "D421" in said(visitor.post("/variables/scenario/set", **fields))
    set_role(visitor, "area", "key", "Known.")
    assert read(plan).requirements[0].k == 4  # type: ignore[union-attr]
    plan.write_text("variables: [a, b]\n")
    assert "D419" in set_role(visitor, "area", "key")
    assert plan.read_text() == "variables: [a, b]\n"
    plan.write_text("variables: {a: [1], b: key}\nscenarios: 7\n")
    assert "to mend" in said(visitor.get("/variables"))
    assert "D419" in set_role(visitor, "b", "key")
    plan.write_text("title: [\n")
    assert "can be read" in said(visitor.get("/variables"))
    assert "D411" in set_role(visitor, "area", "key")


@pytest.mark.slow
def test_by_keyboard_in_a_browser(address: str, plan: Path) -> None:
    with Chrome() as chrome:
        person = Person(chrome, address)
        person.go("/data", "A file on this machine")
        person.fill(path=str(plan))
        person.press("Open", "The first 20 records")
        person.go("/variables", "Who could know it?")
        person.picture("variables")
        person.fill(v0__role="other")
        person.see("Last change: 007: other")
        assert chrome.run("document.activeElement.id") in ("v0-role", "content", "")
        # one field after the other, faster than the answers come: nothing that was typed is lost
        chrome.run("document.getElementById('v0-reason').focus()")
        chrome.do("Input.insertText", text="Yes: 007 # so")
        person.key("Tab", 9)
        chrome.do("Input.insertText", text="A num")
        wait(lambda: read(plan).variables["007"].reason, "the reason is not saved")
        person.see()
        assert chrome.run("document.activeElement.id") == "v0-label"
        chrome.do("Input.insertText", text="ber")
        person.press("Add a neighbour", "neighbour: knows")
        wait(lambda: read(plan).variables["007"].label == "A number", "the label is not saved", plan.read_text)
        found = read(plan).variables["007"]
        assert (found.role, found.reason) == ("other", "Yes: 007 # so")
        person.see()
        person.press("Undo")
        chrome.do("Emulation.setDeviceMetricsOverride", width=400, height=900, deviceScaleFactor=1, mobile=True)
        assert chrome.run("document.documentElement.scrollWidth <= 400")
