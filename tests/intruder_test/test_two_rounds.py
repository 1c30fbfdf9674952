"""A whole test as a department holds it: invitations, three intruders, two custodians who judge, an observer, a killed
server, a proxy that ends TLS, a report with reasons, a changed plan, and a second round. In Chromium, on the ONS's
examples.

Who plays knows what the pages show, and nothing of the truth. INCROWD_PICTURES=docs/images makes the pictures of
docs/examples/intruder-test-*.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browser import browser
from chrome import Chrome
from nginx import PROXY, free_ports, proxied
from played import Clerk, Look, Player, Serving, figure, incrowd, links, served

import incrowd as ic
from incrowd.demo.ons import write_ons
from incrowd.secret import VARIABLE

TRUSTING = "--ignore-certificate-errors"  # the certificate was signed by the test itself
SECRET = bytes(range(32)).hex()  # so that the same homes are in the file, and on the cards, each time
REGISTER = ("floor_area", "certificate_year")  # what passers-by do not see: an agent names these
#: What users need, as the plan's attestation says it: where, what type and age and size, and how much is used.
NEEDED = """use_cases:
  - {name: Gas by the type of the home, test: mean, of: gas, by: property_type}
  - {name: Gas by the size of the home, test: mean, of: gas, by: floor_area}
  - {name: Electricity by region, test: mean, of: electricity, by: region}
"""


def pictures() -> Path | None:
    return Path(os.environ["INCROWD_PICTURES"]) if "INCROWD_PICTURES" in os.environ else None


@dataclass
class Agent:
    """Somebody who has the register of certificates: claims where one record fits, and, if bold, where two do."""

    player: Player
    bold: bool

    def claim(self, cards: Sequence[int], keys: Sequence[str]) -> int:
        """Gives how many claims were filed."""
        claimed = 0
        for card in cards:
            look = self.player.look(card)
            if look.many == 1:
                why = "Only this record can be it: the register knows one such home of this size and year."
                self.player.claim(
                    card,
                    look.records[0]["Record"],
                    90,
                    keys,
                    ["register", "homes"],
                    why,
                    sources="the register of energy certificates",
                    picture="intruder-test-claim",
                )
            elif look.many == 2 and self.bold:
                why = "One of two records that fit; I took the first."
                self.player.claim(card, look.records[0]["Record"], 45, keys, ["register", "own"], why)
            claimed += look.many == 1 or (look.many == 2 and self.bold)
        return claimed


def passer_by(player: Player, cards: Sequence[int]) -> int:
    """Somebody who walked past: guesses where few records fit. Gives how many claims were filed."""
    claimed = 0
    for card in cards:
        look = player.look(card)
        if 0 < look.many <= 4:
            why = f"It stands at the corner, and few are like it here: {look.many} could be it."
            player.claim(card, look.records[0]["Record"], 100 // (look.many + 1), ["region", "property_type", "built"],
                         ["maps"], why)  # fmt: skip
            claimed += 1
    return claimed


def judged(clerk: Clerk, links_of: dict[str, str], judges: tuple[str, str], disagree: bool) -> int:
    """Two judges read every claim; where they are to, the second disagrees once. Gives how many claims there are."""
    done = 0
    for number, name in enumerate(judges):
        clerk.enter(links_of[name])
        waiting = clerk.waiting()
        done = max(done, len(waiting))
        for claim in waiting:
            offered = clerk.offered(claim)
            assert judges[1 - number] not in clerk.chrome.text  # nobody sees the other's judgment before their own
            if offered[0] != "wrong" and number == 0:
                clerk.picture("intruder-test-judge", 980)
            apart = disagree and number == 1 and len(offered) > 1
            clerk.judge(claim, offered[-1] if apart else offered[0], NOTES[apart])
            disagree = disagree and not apart
        assert clerk.waiting() == []
        clerk.leave()
    return done


DIVERSE = "  - {model: distinct_l, l: 2, sensitive: outcome}"
NOTES = {False: "The year of the certificate left one.", True: "A home like it may stand outside the sample."}


def watched(clerk: Clerk, link: str, claims: int) -> None:
    """The observer sees how it goes, and can change nothing."""
    clerk.enter(link)
    text = clerk.go("/", "Progress")
    assert f"{claims} claim" in text
    assert "Ada" not in text
    assert clerk.chrome.run("[...document.querySelectorAll('nav a')].every(a => a.innerText != 'Judge')")
    assert "Store my judgment" not in clerk.go("/judge")
    clerk.go("/progress")
    clerk.leave()


def invited_again(clerk: Clerk, custodian: str, name: str) -> str:
    """A custodian gives an intruder who has lost theirs a new link, and sees whose it is."""
    clerk.enter(custodian)
    clerk.go("/progress", "Only custodians see these names", name)
    clerk.chrome.run(f"document.querySelector('[aria-label=\"A new link for {name}\"]').click()")
    clerk.see(f"A new link for {name}.")
    link: str = clerk.chrome.run("document.querySelector('.box.good .wrap').innerText.trim()")
    clerk.leave()
    return link[link.index("/enter/") :]


def concluded(clerk: Clerk, custodian: str, claims: int) -> None:
    """A custodian keeps the scores, and opens the results and the whole report, which holds no name."""
    clerk.enter(custodian)
    clerk.go("/results", "No scores are kept yet", "3 of 3 took part. 0 claims are not decided.")
    clerk.press("Count all judgments and keep the scores", "Scores are kept already")
    report = clerk.go("/results/report", "What the intruders found", f"By two people\n{claims} of {claims} claims")
    assert "Ada" not in report
    assert clerk.chrome.run("document.querySelectorAll('figure svg').length") > 0
    log = clerk.go("/log", "scores kept")
    assert "claim judged" in log
    clerk.leave()


@dataclass
class Table:
    """Where both rounds are held: nginx in front of the servers, three intruders' browsers, and one of the office."""

    folder: Path
    addresses: tuple[str, str]
    ports: tuple[int, int]
    players: tuple[Player, Player, Player]
    clerk: Clerk

    def hold(self, place: Path, new: Sequence[object], *, first: bool) -> int:
        """Make a test, play it, judge it: gives how many claims were filed. In the first round an intruder loses the
        link, the server is killed, and the custodians disagree.
        """
        pages = self.addresses[0]
        said = incrowd(self.folder, "intruder-test", "new", *new, "-o", place, "--intruders", "names.txt",
                       "--address", pages)  # fmt: skip
        behind = ("--behind-proxy", PROXY, "--name", "localhost")
        with served(self.folder, place, self.ports, *behind) as (server, _):
            invited = links(said)
            if first:
                invited["Cleo"] = invited_again(self.clerk, self._link(place, "Eve"), "Cleo")
            for player, name in zip(self.players, ("Ada", "Ben", "Cleo"), strict=True):
                player.begin(invited[name])
            filed = self._play(server if first else None)
            watched(self.clerk, self._link(place, "Fay", "observer"), filed)
            custodians = {name: self._link(place, name) for name in ("Dan", "Eve")}
            assert judged(self.clerk, custodians, ("Dan", "Eve"), first) == filed
            concluded(self.clerk, self._link(place, "Dan"), filed)
        return filed

    def _link(self, place: Path, name: str, role: str = "custodian") -> str:
        """A new link to the office, which works once."""
        account = ("account", place, name, "--role", role, "--address", self.addresses[1])
        return links(incrowd(self.folder, "intruder-test", *account))[name]

    def _play(self, kill: Serving | None) -> int:
        ada, ben, cleo = self.players
        cards = ada.cards()
        keys = [key for key in REGISTER if key in ada.chrome.text]
        half = len(cards) // 2
        ada.picture("intruder-test-cards", 600)
        filed = Agent(ada, False).claim(cards[:half], keys)
        if kill is not None:
            kill.kill()
            kill.start()
            kill.ready()
        filed += Agent(ada, False).claim(cards[half:], keys)  # the same session goes on
        filed += Agent(ben, True).claim(ben.cards()[half:], keys)  # he has time for half of them
        return filed + passer_by(cleo, cleo.cards())


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, SECRET)


@pytest.mark.slow
def test_energy_two_rounds(tmp_path: Path) -> None:
    browser()
    plan = write_ons(tmp_path, "energy", rows=12_000)
    plan.write_text(plan.read_text().replace("administrative}", "administrative, unit_name: home}") + NEEDED)
    (tmp_path / "names.txt").write_text("Ada\tagents\nBen\tagents\nCleo\tpassers-by\n")
    run = ic.run(plan).folder
    wanted = ("--team", "agents=agent", "--team", "passers-by=passer-by", "--riskiest", "--decoys", "0.2")
    ports = free_ports(2)
    with ExitStack() as open_:
        addresses = open_.enter_context(proxied(*ports))
        chromes = [open_.enter_context(Chrome(1000, 1000, TRUSTING)) for _ in range(4)]
        players = [Player(chrome, addresses[0]) for chrome in chromes[:3]]
        players[0].pictures = pictures()
        clerk = Clerk(chromes[3], addresses[1], pictures())
        table = Table(tmp_path, (addresses[0], addresses[1]), (ports[0], ports[1]), tuple(players), clerk)  # type: ignore[arg-type]
        first = table.hold(tmp_path / "first.db", (run, *wanted), first=True)
        incrowd(tmp_path, "intruder-test", "score", "first.db", "--report", "first.html")
        advice = incrowd(tmp_path, "intruder-test", "advise", "first.db", plan.name, "-o", "patched.yaml")
        print(advice)
        again = ic.run(tmp_path / "patched.yaml").folder
        players[0].pictures = clerk.pictures = None
        second = table.hold(tmp_path / "second.db", (again, *wanted, "--after", "first.db"), first=False)
    report = tmp_path / "second.html"
    print(incrowd(tmp_path, "intruder-test", "score", "first.db"))
    print(incrowd(tmp_path, "intruder-test", "score", "second.db", "--before", "first.db", "--report", report))
    before, after = (
        json.loads(incrowd(tmp_path, "intruder-test", "score", name, "--json")) for name in ("first.db", "second.db")
    )
    assert (before["claims"], after["claims"]) == (first, second)
    assert (before["round"], after["round"]) == (1, 2)
    assert before["judging"]["by_two"] == first
    assert before["judging"]["disputed"] == 1
    # The swap reaches homes that are rare by four keys. The year of the certificate makes others unique.
    assert before["sure_finds"] > 0
    assert "1. certificate_year: left out." in advice
    assert after["targets_identified"] < before["targets_identified"]
    assert after["sure_finds"] == 0
    for page, words in (
        ("first.html", ("Only this record can be it", "the register of energy certificates", "disputed")),
        ("second.html", ("Beside the earlier test", "round 1", "round 2")),
    ):
        text = (tmp_path / page).read_text()
        assert [word for word in words if word not in text] == []
    if (to := pictures()) is not None:
        figure(tmp_path / "first.html", "figure", to / "intruder-test-calibration.png", 720)
        figure(report, '[aria-label="Tests side by side"]', to / "intruder-test-rounds.png")


def learner(player: Player, cards: Sequence[int]) -> tuple[int, int]:
    """A friend: where all who fit have the same outcome, that is learned; a record is claimed where two fit."""
    values = records = 0
    for card in cards:
        look: Look = player.look(card)
        outcomes = {record["outcome"] for record in look.records}
        if look.many and len(outcomes) == 1 and look.many == len(look.records):
            why = f"All {look.many} who could be this person have the same outcome, so I need not know which one it is."
            player.picture("intruder-test-same", 930)
            player.claim(
                card,
                None,
                95,
                ["provider", "aim"],
                ["own"],
                why,
                learned=("outcome", outcomes.pop()),
                picture="intruder-test-learned",
            )
            values += 1
        elif look.many == 2:
            why = "Two records fit; I took one of them."
            player.claim(card, look.records[0]["Record"], 50, ["provider", "aim"], ["own"], why)
            records += 1
    return values, records


def friends(folder: Path, place: Path, new: Sequence[object], to: Path | None) -> dict[str, Any]:
    """Two friends, each with half of the cards, one after the other at one computer: gives the scores."""
    ports = free_ports(2)
    address = f"http://127.0.0.1:{ports[0]}"
    wanted = ("--intruders", "2", "--targets", "16", "--cards-each", "8", "--decoys", "0.25", "--riskiest")
    invited = links(incrowd(folder, "intruder-test", "new", *new, "-o", place, *wanted, "--address", address))
    values = records = 0
    with served(folder, place, (ports[0], ports[1])), Chrome(1000, 1000) as chrome:
        player = Player(chrome, address, to)
        for link in invited.values():
            player.begin(link)
            more = learner(player, player.cards())
            values, records = values + more[0], records + more[1]
            player.press("Sign out", "To take part, open the link")
            player.pictures = None
    print(incrowd(folder, "intruder-test", "score", place))
    scores: dict[str, Any] = json.loads(incrowd(folder, "intruder-test", "score", place, "--json"))
    assert scores["claims"] == values + records
    return scores


@pytest.mark.slow
def test_further_education(tmp_path: Path) -> None:
    """k = 2 hides who it is, and not how they did: an outcome that all who fit share is learned of each of them."""
    browser()
    plan = write_ons(tmp_path, "further-education", rows=12_000)
    run = ic.run(plan)
    before = friends(tmp_path, tmp_path / "first.db", (run.folder,), pictures())
    # All who fit share the outcome, so each is a sure find, and none is of a record.
    assert before["sure_finds"] == before["values_learned"] > 0
    assert not any(each["sure"] and each["of_record"] for each in before["findings"])
    # What the finding asks for: no class in which everybody has the same outcome.
    diverse = plan.read_text().replace("  - {model: k, k: 2}", "  - {model: k, k: 2}\n" + DIVERSE)
    (tmp_path / "diverse.yaml").write_text(diverse)
    again = ic.run(tmp_path / "diverse.yaml")
    print(run.log.end.records, again.log.end.records)
    after = friends(tmp_path, tmp_path / "second.db", (again.folder, "--after", "first.db"), None)
    assert after["values_learned"] == 0
    assert again.log.end.records < run.log.end.records
