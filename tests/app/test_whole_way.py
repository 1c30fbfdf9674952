"""The workbench as people use it: a newcomer from the first click to the released file, the keyboard alone, every page
by an accessibility checker, in the dark and on a phone.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest
from axe import faults
from browser import browser
from chrome import Chrome, wait
from people import plan_with, write_case
from visits import await_charts
from workbench import Person, workbench

import incrowd as ic
from incrowd.app.document import Document
from incrowd.demo import write_example

PAGES = ("data", "variables", "risk", "protect", "propose", "utility", "attack", "release", "postcodes")
TAB, ENTER, SPACE = ("Tab", 9, ""), ("Enter", 13, "\r"), (" ", 32, " ")


def taken(person: Person, href: str) -> bytes:
    """What the browser would download, with its own session."""
    cookies = person.chrome.do("Network.getCookies", urls=[person.address])["cookies"]
    answer = httpx.get(person.address + href, cookies={one["name"]: one["value"] for one in cookies})
    assert answer.status_code == 200, answer.text[:500]
    return answer.content


@pytest.mark.slow
def test_a_newcomer_gets_from_the_demo_to_a_released_file(tmp_path: Path) -> None:
    """The tutorial for the browser, click by click, on the demo's 100,000 people; what was taken is counted again. Its
    pictures are made by this: INCROWD_PICTURES=docs/images.
    """
    browser()
    # Nothing is written where the workbench was started: examples live in the session's own folder.
    with workbench(Path("/home/me/work"), upload=2000 << 20) as address, Chrome(1280, 900) as chrome:
        person = Person(chrome, address)
        person.go("/", "Household finances")
        person.picture("workbench-1-open", whole=False)
        chrome.run("document.getElementById('example-demo').click()")
        person.await_job("data")
        person.see("100,000", "masked")
        person.picture("workbench-2-data", whole=False)
        person.press("2 Variables", "marital_status")
        person.picture("workbench-3-variables", whole=False)
        person.press("3 Risk", "Special uniques", "Which variable hurts most", "100,000")
        person.tick("postcode", "dob")
        person.see("97,905", "Which variable hurts most")
        person.picture("workbench-4-risk", whole=False)
        person.press("4 Protect", "3,150")
        person.picture("workbench-5-protect", whole=False)
        plan = Path(chrome.run("document.querySelector('.file').title"))
        assert _released(person, tmp_path / "study.csv", plan) == (9, 77_058)
        person.press("5 Propose", "Look for plans")
        person.fill(goal__most="1")
        chrome.click("button", "Look for plans")
        person.await_job("propose", 900, begins=True)
        person.see("Adopt", "recommended")
        await_charts(person)
        chrome.run("scrollTo(0, 250)")
        person.picture("workbench-6-propose", whole=False)
        chrome.click("button", "Adopt recommended")
        person.see("adopted", "No faults")
        smallest, records = _released(person, tmp_path / "open.csv", plan)
        person.picture("workbench-7-release", whole=False)
        assert smallest >= 12
        assert records >= 90_000
        for page in ("utility", "attack"):
            person.go(f"/{page}")
            person.picture(f"workbench-{page}", whole=False)


def _released(person: Person, to: Path, plan: Path) -> tuple[int, int]:
    """Run the plan on the page Release, take the file, and count it by what is required."""
    person.press("8 Release", "Run the plan")
    offered = "document.getElementById('take') ? document.getElementById('take').getAttribute('href') : null"
    before = person.chrome.run(offered)  # of the run before this one
    person.chrome.click("button", "Run the plan")
    person.await_job("release", begins=True)
    wait(lambda: person.chrome.run(offered) not in (None, before), "no new file to take", lambda: person.chrome.text)
    href = person.chrome.run(offered)
    to.write_bytes(taken(person, href))
    header = to.read_text().splitlines()[0].split(",")
    made = ic.load_plan(plan)
    requirements = [one.requirement() for one in made.requirements if one.model in ("k", "one_sided")]
    counted = ic.verify(to, [key for key in made.with_role("key") if key in header], requirements)
    assert counted.passed
    return counted.k, counted.records


def tab_to(person: Person, wanted: str, most: int = 250) -> None:
    """Press the tab key until the focus is on what a script says."""
    for _ in range(most):
        person.key(*TAB)
        if person.chrome.run(f"(e => {wanted})(document.activeElement)"):
            return
    raise AssertionError(
        f"the tab key never comes to {wanted}; last: " + person.chrome.run("document.activeElement.outerHTML")[:200]
    )


def words(text: str) -> str:
    return f"e.innerText && e.innerText.trim() === {json.dumps(text)}"


def test_everything_can_be_done_with_the_keyboard_alone(tmp_path: Path) -> None:
    browser()
    path = write_case(tmp_path)
    with workbench(tmp_path) as address, Chrome(1400, 1000) as chrome:
        person = Person(chrome, address)
        person.go("/data", "Data")
        person.key(*TAB)
        assert person.chrome.run("document.activeElement.innerText") == "Skip to the page"
        tab_to(person, "e.name === 'file'")
        person.chrome.do("Input.insertText", text=str(path))
        person.key(*ENTER)
        person.see("No faults", "60")
        tab_to(person, words("3 Risk"))
        person.key(*ENTER)
        person.see("Risk: whom could somebody find?")
        tab_to(person, "e.name === 'keys' && e.value === 'note'")
        before = chrome.run("document.querySelector('#tile-uniques dd').innerText")
        person.key(*SPACE)
        wait(
            lambda: chrome.run("document.querySelector('#tile-uniques dd').innerText") != before, "nothing was counted"
        )
        person.see("Special uniques")
        # The focus is where it was: the next key goes on from there.
        assert chrome.run("document.activeElement.name + document.activeElement.value") == "keysnote"
        tab_to(person, words("4 Protect"))
        person.key(*ENTER)
        person.see("Protect: make people")
        tab_to(person, "e.getAttribute('aria-label') === 'Off: step 2'")
        person.key(*ENTER)
        person.see("(off)")
        assert Document(path).tree["steps"][1]["off"] is True
        tab_to(person, words("Undo"))
        person.key(*ENTER)
        wait(lambda: "off" not in Document(path).tree["steps"][1], "it is not undone")
        person.see("No faults")
        tab_to(person, words("8 Release"))
        person.key(*ENTER)
        person.see("Run the plan")
        tab_to(person, words("Run the plan"))
        person.key(*ENTER)
        person.await_job("release", begins=True)
        wait(lambda: chrome.run("!!document.getElementById('take')"), "nothing was released", lambda: chrome.text)
    assert ic.verify(tmp_path / "release" / "people.csv", ["age", "sex"]).k >= 3


def seen(person: Person, what: str) -> list[str]:
    """What is wrong with the page that is open: in the light, in the dark, and where it runs out of a phone."""
    chrome = person.chrome
    found = [f"{what}: {one}" for one in faults(chrome)]
    chrome.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    found += [f"{what}, dark: {one}" for one in faults(chrome, only=("color-contrast",))]  # all that colours can do
    chrome.do("Emulation.setEmulatedMedia", features=[])
    chrome.do("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True)
    width = chrome.run("document.documentElement.scrollWidth")
    found += [f"{what}, phone: {width} pixels wide"] if width > 391 else []
    person.picture("phone-" + re.sub(r"\W+", "-", what))
    chrome.do("Emulation.clearDeviceMetricsOverride")
    return found


@pytest.mark.slow
def test_every_page_passes_the_accessibility_checker(tmp_path: Path) -> None:
    """Without a plan, with one, and where something is wrong; each in the light, in the dark and on a phone."""
    browser()
    ic.demo_data(tmp_path / "people.csv", rows=1500)
    (tmp_path / "faulty.csv").write_text("id,age,area\n1,34,York\n2,35\n3,36,Leeds\n")
    path = write_example(tmp_path)
    path.write_text(re.sub(r"k: 9", "k: 2", path.read_text()))
    found = []
    with workbench(tmp_path) as address, Chrome(1300, 1000) as chrome:
        person = Person(chrome, address)
        for page in PAGES:
            person.go(f"/{page}")
            found += seen(person, f"{page} empty")
        person.go("/data")
        person.fill(path="faulty.csv")
        person.key(*ENTER)
        person.see("D004: line 3")
        found += seen(person, "a faulty file")
        person.fill(path=str(path))
        person.key(*ENTER)
        person.see("No faults")
        more = (
            "protect?new=swap",
            "protect?need=t",
            "protect?edit=2",
            "protect/tree?variable=gender",
            "release/runs",
            "release/signing",
        )
        for page in (*PAGES, *more):
            person.go(f"/{page}")
            found += seen(person, page)
        path.write_text(path.read_text().replace("role: key", "role: identifier", 1))
        for page in ("variables", "risk", "protect", "propose", "release"):
            assert "to mend" in person.go(f"/{page}", "Let the steps follow the roles")
            found += seen(person, f"{page} with faults")
        path.write_text("title: [broken")
        for page, told in (("protect", "to mend"), ("release", "to mend"), ("nowhere", ""), ("plan.yaml/x", "")):
            person.go(f"/{page}", told)
            found += seen(person, f"{page} broken")
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_two_people_work_at_once(tmp_path: Path) -> None:
    """Two browsers, two files: neither sees the other's, and what one runs does not stop the other."""
    browser()
    plans = []
    for name in ("Herons", "Otters"):
        (tmp_path / name).mkdir()
        plans.append(write_case(tmp_path / name, plan_with(title=name)))
    with workbench(tmp_path) as address, Chrome(1200, 900) as one, Chrome(1200, 900) as two:
        people = [Person(one, address), Person(two, address)]
        for person, path in zip(people, plans, strict=True):
            person.go("/data", "Data")
            person.fill(path=str(path))
            person.key(*ENTER)
            person.see("No faults")
        for person in people:
            person.go("/release", "Run the plan")
            person.chrome.click("button", "Run the plan")
        for person in people:
            person.await_job("release")
            shown = person.chrome
            wait(
                lambda shown=shown: shown.run("!!document.getElementById('take')"),
                "nothing was released",
                lambda shown=shown: shown.text,
            )
        for person, mine, other in zip(people, ("Herons", "Otters"), ("Otters", "Herons"), strict=True):
            assert mine in person.go("/release", "released")
            for page in PAGES:
                assert other not in person.go(f"/{page}")
    for path in plans:
        assert ic.audit_verify(path.parent / "release").ok
