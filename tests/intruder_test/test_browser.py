"""A whole human test in a real browser: the custodian makes it, three intruders claim at once, the custodian scores."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import browser
import pytest
import yaml
from chrome import Chrome, wait
from intruder_cases import CANARIES, release, serving

import incrowd as ic
from incrowd.cli import main
from incrowd.intruder_test.custodian import material, opened


def call(*words: object) -> str:
    """An incrowd command in this process; gives what it printed."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setattr(sys, "argv", ["incrowd", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, out.getvalue()
    return out.getvalue()


class Person:
    """Somebody in front of a browser."""

    def __init__(self, chrome: Chrome, address: str, pictures: Path | None) -> None:
        self.chrome, self.address, self.pictures = chrome, address, pictures
        self.texts: list[str] = []

    def go(self, path: str, *texts: str) -> None:
        self.chrome.open(self.address + path)
        self.see(*texts)

    def see(self, *texts: str) -> None:
        self.texts.append(self.chrome.await_text(*texts))
        self.texts.append(str(self.chrome.run("document.documentElement.outerHTML")))

    def fill(self, **fields: Any) -> None:
        for name, text in fields.items():
            if name in ("target", "learned", "attribute", "sort") or name.startswith("f"):
                value = json.dumps(str(text))
                self.chrome.run(f"document.getElementById('{name}').value = {value}")
                assert self.chrome.run(f"document.getElementById('{name}').value") == str(text)
                continue
            self.chrome.run(f"document.getElementById('{name}').focus(); document.getElementById('{name}').select()")
            self.chrome.do("Input.insertText", text=str(text))

    def tick(self, *labels: str) -> None:
        wait(lambda: self.chrome.run("document.readyState") == "complete", "the page does not load")
        for label in labels:
            self.chrome.click("label.tick", label)

    def press(self, words: str, *texts: str) -> None:
        wait(lambda: self.chrome.run("document.readyState") == "complete", "the page does not load")
        self.chrome.click("button, a", words)
        self.see(*texts)

    def picture(self, name: str) -> None:
        if self.pictures is not None:
            self.chrome.picture(self.pictures / f"{name}.png")

    def sign_in(self, link: str) -> None:
        self.go(link.removeprefix(self.address), "Can you find somebody in this file?")
        self.press("Sign in", "The rules", "Your time has not begun")
        self.picture("rules")
        self.tick("I have read all of this, and I agree to the rules, the code of conduct and the consent.")
        self.press("Accept and start the clock", "120 of 120 records", "Time left")

    def claim(self, tick: tuple[str, ...] = (), **fields: Any) -> None:
        self.go("/claims/new", "File a claim")
        self.fill(**fields)
        self.tick(*tick, "what I know myself")
        self.picture("claim")
        self.press("File the claim", "Your claim is stored.")


def test_a_whole_human_test(tmp_path: Path) -> None:
    browser.browser()
    pictures = Path(os.environ["INCROWD_PICTURES"]) if "INCROWD_PICTURES" in os.environ else None
    run, place = release(tmp_path), tmp_path / "test.db"
    (tmp_path / "names.txt").write_text("Ada\nBen\nCleo\n")
    said = call(
        "intruder-test", "new", run, "--original", tmp_path / "people.csv", "-o", place, "--intruders",
        tmp_path / "names.txt", "--targets", 6, "--decoys", 0.34, "--scenario", "neighbour", "--prize", "a cake",
        "--address", "http://127.0.0.1:1",
    )  # fmt: skip
    links = [line.split("\t")[1] for line in said.splitlines() if "\t" in line]
    assert (tmp_path / "test.invitations.txt").read_text().partition("\n\n")[0].split("\n") == [
        f"{name}\t{link}" for name, link in zip(("Ada", "Ben", "Cleo"), links, strict=True)
    ]
    with opened(str(place)) as store:
        truths = material(store).truths
    inside = {number: truth.records[0] for number, truth in truths.items() if not truth.decoy}
    (found, right), (other, _) = list(inside.items())[:2]
    decoy = next(number for number, truth in truths.items() if truth.decoy)
    seen: list[str] = []
    together = threading.Barrier(3)

    def ada(person: Person) -> None:
        person.go("/targets", "Target cards", f"Target {found}")
        person.picture("targets")
        person.go(f"/records?like={found}", f"What could target {found} look like in here?", "could be this person")
        person.picture("like")
        person.go("/records?f2=%3DBeeford&sort=0", "records fit")
        person.picture("records")
        together.wait(120)
        fields = {"target": found, "record": right, "confidence": 90, "sources": "the street, and what neighbours say"}
        person.claim(("age", "town", "note"), reasoning="I know who this is: the note gave it away.", **fields)

    def ben(person: Person) -> None:
        together.wait(120)
        wrong = next(number for number in range(1, 121) if number not in inside.values())
        person.claim(("age",), target=decoy, record=wrong, confidence=70, reasoning="It fits what the card says.")
        person.claim(("age",), target=other, record=wrong, confidence=20, reasoning="It fits, too, I think.")
        person.go("/claims/new", "File a claim")
        person.fill(record=5000)
        person.chrome.run("document.querySelector('form[action=\"/claims\"]').noValidate = true")
        person.press("File the claim", "Nothing was stored yet", "The record number must be", "Say whom you found")
        person.picture("faults")

    def cleo(person: Person) -> None:
        together.wait(120)
        about = {"who": "my old teacher", "learned": "3=y", "confidence": 55}
        person.claim(("ill",), reasoning="Everybody with this pay is.", **about)
        person.claim((), who="somebody", record=1, confidence=1, reasoning="A slip of the pen.")
        person.press("Withdraw", "The claim is withdrawn.")
        person.picture("claims")

    def work(number: int, does: Any, address: str) -> None:
        with Chrome(1280, 1100) as chrome:
            person = Person(chrome, address, pictures if number == 0 or does is not ada else None)
            person.sign_in(links[number].replace("http://127.0.0.1:1", address))
            does(person)
            seen.extend(person.texts)

    failures: list[BaseException] = []

    def careful(*arguments: Any) -> None:
        try:
            work(*arguments)
        except BaseException as error:
            failures.append(error)
            together.abort()

    with serving(place) as address:
        threads = [threading.Thread(target=careful, args=(i, d, address)) for i, d in enumerate((ada, ben, cleo))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
    assert not failures, failures
    assert not [canary for canary in CANARIES if canary in "".join(seen)]

    # The custodian decides about the teacher, of whom no card tells, and scores.
    todo = tmp_path / "todo.csv"
    first = json.loads(call("intruder-test", "score", place, "--json", "--decide", todo))
    assert (first["claims"], first["undecided"]) == (4, 1)
    with todo.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["who"] for row in rows] == ["my old teacher"]
    rows[0]["verdict"] = "wrong"
    with todo.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    page = tmp_path / "scores.html"
    told = call("intruder-test", "score", place, "--json", "--decide", todo, "--report", page, "--by", "town")
    scores = json.loads(told)
    assert (scores["claims"], scores["undecided"], scores["total"]["correct"]) == (4, 0, 1)
    assert scores["decoy_pairs"] == [1, 6]
    assert scores["targets_identified"] == 1
    assert [line["claims"] for line in scores["bands"]] == [1, 0, 1, 1, 1]
    assert scores["took_part"] == 3
    assert "note was used in 1 of 1 right claims" in " ".join(scores["advice"])
    assert "Ada" not in told
    again = call("intruder-test", "score", place, "--before", place)
    assert "Luck alone explains" in again
    if pictures is not None:
        browser.screenshot(page, pictures / "report.png", height=3600)

    # A plan that names the scores: the reports show them, and only for the release that was tested.
    (tmp_path / "scores.json").write_text(told)
    plan = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump({**plan, "intruder_test": "scores.json"}, sort_keys=False))
    done = ic.run(tmp_path / "plan.yaml")
    assert done.log.intruder_test is not None
    assert done.log.intruder_test.same_release
    inside_report = (done.audit / "report.html").read_text()
    assert "1 right claim on a record, made with a confidence above 60" in inside_report
    assert "by such guessing" in inside_report
    public = (done.release / "report.html").read_text()
    assert "3 people tried to find somebody in this file: 1 of 4 claims was right" in public
    for text in ("decoy", "False positives", "Brier"):
        assert text in inside_report
        assert text not in public
