"""Everybody can use the intruders' pages: checked by axe-core, on a phone too, and with every page's worst labels."""

from __future__ import annotations

import os
from pathlib import Path

import axe
import browser
import pytest
from chrome import Chrome, wait
from intruder_cases import Friend, make, release, serving
from office_cases import account
from sqlalchemy import update

from incrowd.intruder_test.custodian import opened
from incrowd.intruder_test.schema import acquaintance
from incrowd.report.tested import intruder_report

PHONE = {"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": True}
LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlungsstelle" * 3
ALL = ("minor", "moderate", "serious", "critical")


def _press(chrome: Chrome, words: str, *texts: str) -> None:
    wait(lambda: chrome.run("document.readyState") == "complete", "the page does not load")
    chrome.click("button, a", words)
    chrome.await_text(*texts)


def _reached(chrome: Chrome, name: str) -> list[str]:
    """What is wrong with the page that is open, on a large screen and on a phone."""
    pictures = os.environ.get("INCROWD_PICTURES")
    found = []
    for size in ("", "phone"):
        if size:
            chrome.do("Emulation.setDeviceMetricsOverride", **PHONE)
            wide = chrome.run("document.documentElement.scrollWidth")
            found += [f"{name}: {wide} wide on a phone"] if wide > PHONE["width"] else []
        found += [f"{name} {size}: {fault}" for fault in axe.faults(chrome, ALL)]
        if pictures is not None:
            chrome.picture(Path(pictures) / f"reach-{name}{size}.png")
    chrome.do("Emulation.clearDeviceMetricsOverride")
    return found


@pytest.mark.slow
def test_the_intruders_pages_are_within_reach(tmp_path: Path) -> None:
    browser.browser()
    axe.axe()
    labels = f"variable,code,label\nsex,f,{LONG}\nsex,m,male\nill,y,has a disease\nill,n,is well\n"
    (tmp_path / "codes.csv").write_text(labels)
    data = {"source": "people.csv", "kind": "survey", "codes": "codes.csv"}
    run = release(tmp_path, {"town": f"Where they live: {LONG}"}, data=data)
    (tmp_path / "names.txt").write_text("Ada\t\tAyton\n")
    place = tmp_path / "test.db"
    made = make(
        run, place, intruders=str(tmp_path / "names.txt"), by_area="town", acquaintances=True, title="A test of " + LONG
    )
    found: list[str] = []
    with serving(place) as address, Chrome(1280, 1000) as chrome:
        chrome.open(made.invitations[0].link(address))
        chrome.await_text("Can you find somebody in this file?")
        found += _reached(chrome, "welcome")
        _press(chrome, "Sign in", "Your time has not begun")
        found += _reached(chrome, "rules")
        for box in range(int(chrome.run("document.querySelectorAll('main input[type=checkbox]').length"))):
            chrome.run(f"document.querySelectorAll('main input[type=checkbox]')[{box}].checked = true")
        _press(chrome, "Accept and start the clock", "Time left")
        for path, name, text in (
            ("/records", "records", "120 of 120 records"),
            ("/records?f1=%3Df&wide=yes", "filtered", "or could be"),
            ("/records?like=1", "like", "could be this person"),
            ("/targets", "targets", "All of them are of your area, Ayton."),
            ("/people", "people", "You have added nobody yet."),
            ("/claims/new?target=1", "claim", "How did you find it?"),
            ("/claims", "no-claims", "You have not claimed anything yet."),
            ("/records?like=99", "message", "That did not work"),
        ):
            chrome.open(address + path)
            chrome.await_text(text)
            found += _reached(chrome, name)
        # By the pages themselves: somebody known, a claim with a fault, a claim about the person.
        chrome.open(address + "/people")
        chrome.await_text("You have added nobody yet.")
        chrome.run("document.getElementById('letter').value = 'A'")
        chrome.click("label.tick", "This person knows about the test and agreed that I look for them.")
        _press(chrome, "Add", "No answer yet.")
        found += _reached(chrome, "known")
        with opened(str(place)) as store, store.writing() as connection:
            connection.execute(update(acquaintance).values(answer="in"))
        _press(chrome, "Claim", "A (in the file)")
        chrome.run("document.getElementById('record').value = 7")
        chrome.run("document.querySelector('form[action=\"/claims\"]').noValidate = true")
        _press(chrome, "File the claim", "Nothing was stored yet.", "tick at least one kind of source")
        found += _reached(chrome, "faults")
        chrome.run("document.getElementById('reasoning').value = 'I know this person well'")
        chrome.click("label.tick", "what I know myself")
        _press(chrome, "File the claim", "Your claim is stored.", "A, whom I know")
        found += _reached(chrome, "claims")
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_the_office_is_within_reach(tmp_path: Path) -> None:
    """Every page of it, with a claim to judge, somebody whom an intruder knows, and words that are very long."""
    browser.browser()
    axe.axe()
    place = tmp_path / "test.db"
    made = make(release(tmp_path), place, intruders="1", acquaintances=True, title="A test of " + LONG)
    with serving(place) as address, Friend(address, made.invitations[0].token) as ann:
        ann.accept()
        ann.claim(target=1, record=3, reasoning=LONG, sources=LONG, link=LONG, used=["age"])
        ann.claim(who="my uncle", attribute="ill", value="y")
        ann.send("/people", "/people", letter="A", consent="yes")
    found: list[str] = []
    with serving(place, office=True, report=intruder_report) as office, Chrome(1280, 1000) as chrome:
        chrome.open(f"{office}/enter/{account(place, 'Cid', 'custodian')}")
        chrome.await_text("These are the pages of those who run the test")
        found += _reached(chrome, "office-welcome")
        _press(chrome, "Sign in", "1 of 1 have come")
        for path, name, text in (
            ("/progress", "progress", "1 of 1 have come"),
            ("/claims", "office-claims", "How they got there"),
            ("/judge", "judge", "2 of 2 wait for you"),
            ("/judge/1", "judge-one", "What do you say of it?"),
            ("/people", "office-people", "1 wait for an answer"),
            ("/results", "results", "Claims by stated confidence"),
            ("/log", "log", "rules accepted"),
            ("/erase", "erase", "I mean it"),
            ("/judge/99", "office-message", "That did not work"),
        ):
            chrome.open(office + path)
            chrome.await_text(text)
            found += _reached(chrome, name)
    assert not found, "\n".join(found)
