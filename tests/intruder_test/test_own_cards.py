"""An intruder sees and claims their own cards alone, and no page tells who is a decoy; labels are only texts."""

from __future__ import annotations

import csv
import html
import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from intruder_cases import CANARIES, Friend, crawl, make, release, serving
from sqlalchemy import update

import incrowd as ic
from incrowd.intruder_test.acquaintances import MOST
from incrowd.intruder_test.claims import Claim
from incrowd.intruder_test.custodian import material, opened
from incrowd.intruder_test.desk import Desk, NotTheirs
from incrowd.intruder_test.schema import acquaintance
from incrowd.intruder_test.sources import KINDS
from incrowd.intruder_test.store import Store

CLAIM = {"confidence": "60", "kinds": "own", "reasoning": "it fits what I know"}
NASTY = '<script>alert("ß")</script> & {{ 7 * 7 }} \N{RIGHT-TO-LEFT OVERRIDE}\N{SNOWMAN}'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    long = "a very long word for it " * 40
    codes = [("sex", "f", NASTY), ("sex", "m", "männlich \N{HORSE FACE}"), ("ill", "y", long), ("ill", "n", "well")]
    with (folder / "codes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("variable", "code", "label"), *codes])
    data = {"source": "people.csv", "kind": "survey", "codes": "codes.csv"}
    return release(folder, {"town": "Where <b>they</b> live"}, data=data)


@pytest.fixture(scope="module")
def two(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Friend, Friend, Path]]:
    """Two intruders with three cards each, of six, and people whom they know."""
    place = tmp_path_factory.mktemp("two") / "test.db"
    made = make(run, place, intruders="2", targets=6, cards_each=3, acquaintances=True)
    with serving(place) as address:
        friends = [Friend(address, one.token).accept() for one in made.invitations]
        yield friends[0], friends[1], place
        for friend in friends:
            friend.client.close()


def _own(place: Path, intruder: int) -> list[int]:
    with sqlite3.connect(place) as connection:
        return [row[0] for row in connection.execute("SELECT target FROM dealt WHERE intruder = ?", (intruder,))]


def _main(page: str) -> str:
    """A page without its head, where the clock runs."""
    return page[page.index("<main") :]


def _ask(place: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(place) as connection:
        return connection.execute(query).fetchall()


def test_others_cards_are_as_if_they_were_not_there(two: tuple[Friend, Friend, Path]) -> None:
    first, _, place = two
    mine, others = _own(place, 1), _own(place, 2)
    assert len(mine) == len(others) == 3
    assert not set(mine) & set(others)
    assert {int(n) for n in re.findall(r"<h2>Target (\d+)</h2>", first.get("/targets").text)} == set(mine)
    nobody = first.get("/records", like=99)
    for card in others:
        answer = first.get("/records", like=card)
        assert answer.status_code == nobody.status_code == 404
        assert _main(answer.text) == _main(nobody.text)  # not told from a card that there is not
        form = first.get("/claims/new", target=card).text
        assert f'value="{card}"' not in re.findall(r'<select id="target".*?</select>', form, re.DOTALL)[0]
        assert first.claim(target=card, record=1).status_code == 422
        assert "There is no such target card." in first.claim(target=card, record=1).text
    assert first.claim(target=mine[0], record=1).status_code == 303
    number = _ask(place, "SELECT max(id) FROM claim")[0][0]
    changed = first.send(f"/claims/{number}", f"/claims/{number}", target=others[0], record=1, **CLAIM)
    assert changed.status_code == 422
    assert {row[0] for row in _ask(place, "SELECT target FROM claim WHERE intruder = 1")} == {mine[0]}


def test_the_desk_itself_refuses_others_cards(two: tuple[Friend, Friend, Path]) -> None:
    """Whatever a page would let through."""
    _, _, place = two
    store = Store(str(place), desk=True)
    try:
        desk = Desk(store)
        who = next(one for one in map(desk.who, [two[0].client.cookies["incrowd"]]) if one is not None)
        other = _own(place, 2)[0]
        plain = Claim(None, "", 1, None, None, 1, "", (), "r")
        for claim in (replace(plain, target=other), replace(plain, acquaintance=99)):
            with pytest.raises(NotTheirs):
                desk.file(who, "0" * 32, claim, "here")
            with pytest.raises(NotTheirs):
                desk.change(who, 1, claim, 0, "here")
        assert desk.looks(who, other) is None
    finally:
        store.close()


@pytest.mark.slow
def test_no_page_tells_decoys_or_strata_or_names(two: tuple[Friend, Friend, Path]) -> None:
    first, second, place = two
    assert crawl(first) > 20
    crawl(second)
    seen = "".join([*first.seen, *second.seen])
    assert not [canary for canary in CANARIES if canary in seen]
    for word in ("decoy", "stratum", "unique", "control", "made up", "not released"):
        assert word not in seen.lower().replace("cache-control", "")
    # Whoever reads one card's page knows of the same things as on another: only what the cards show differs.
    with opened(str(place)) as store:
        truths = material(store).truths
    shapes: dict[bool, set[str]] = {True: set(), False: set()}
    for friend, number in ((first, 1), (second, 2)):
        for card in _own(place, number):
            page = friend.get("/records", like=card).text
            form = page[page.index("<main") : page.index("<table")] if "<table" in page else page
            form = re.sub(r"<option.*?</option>\n", "", form)
            shapes[bool(truths[card].decoy)].add(re.sub(r">[^<]*<|\d+", "><", form))
    assert shapes[True]
    assert shapes[True] == shapes[False]


def test_labels_are_texts_whatever_they_hold(two: tuple[Friend, Friend, Path]) -> None:
    first, _, _ = two
    for path in ("/targets", "/records", "/claims/new"):
        page = first.get(path).text
        assert "<script" not in page
        assert "<b>they" not in page
        if path != "/targets":  # where both words are
            assert "männlich \N{HORSE FACE}" in page
            assert "{{ 7 * 7 }}" in page
            assert "&lt;script&gt;" in page


def test_a_value_is_chosen_from_the_list_and_never_what_the_card_tells(two: tuple[Friend, Friend, Path]) -> None:
    first, _, place = two
    card = _own(place, 1)[1]
    form = first.get("/claims/new", target=card).text
    learned = re.findall(r'<select id="learned".*?</select>', form, re.DOTALL)[0]
    assert re.findall(r'<optgroup label="([^":]*)', learned) == ["ill"]  # age, sex and town are on the card
    assert 'value="3=y"' in learned
    anybody = re.findall(r'<select id="learned".*?</select>', first.get("/claims/new").text, re.DOTALL)[0]
    assert re.findall(r'<optgroup label="([^":]*)', anybody) == ["age", "sex", "town", "ill"]
    assert first.claim(target=card, learned="3=y").status_code == 303
    assert _ask(place, "SELECT attribute, value FROM claim ORDER BY id DESC LIMIT 1") == [("ill", "y")]
    number = _ask(place, "SELECT max(id) FROM claim")[0][0]
    assert 'value="3=y" selected' in first.get(f"/claims/{number}").text
    assert first.claim(target=card, attribute="pay", value="1007").status_code == 303
    for fields in (
        {"learned": "1=f"},  # the card tells it
        {"learned": "3=x"}, {"learned": "99=y"}, {"learned": "y"}, {"learned": "-1=y"},
        {"learned": "3=y", "attribute": "pay", "value": "1"},
        {"attribute": "pay"}, {"value": "1007"}, {"attribute": "secret", "value": "x"},
    ):  # fmt: skip
        assert first.claim(target=card, **fields).status_code == 422, fields


def test_a_claim_says_where_it_comes_from_and_can_be_changed(two: tuple[Friend, Friend, Path]) -> None:
    first, _, place = two
    card = _own(place, 1)[2]
    for fields, fault in (
        ({"kinds": ""}, "tick at least one kind of source"),
        ({"kinds": "hearsay"}, "tick at least one kind of source"),
        ({"kinds": "other"}, "Say which other source"),
        ({"reasoning": "because"}, "Say how you got there"),
        ({"minutes": "-5"}, "The minutes must be"),
        ({"minutes": "many"}, "The minutes must be"),
    ):
        answer = first.claim(target=card, record=2, **fields)
        assert (answer.status_code, fault in answer.text) == (422, True), fields
    told = {"kinds": ["social", "maps"], "sources": "her own page", "link": "https://example.org/?a=1&b=<2>",
            "minutes": "25", "reasoning": "誰もが知っている人なのですぐに分かった"}  # fmt: skip
    assert first.claim(target=card, record=2, **told).status_code == 303
    page = html.unescape(first.get("/claims").text)
    for text in (KINDS["social"], KINDS["maps"], "her own page", told["link"], "<dd>25</dd>", told["reasoning"]):
        assert str(text) in page
    assert 'href="https://example.org' not in page  # nobody is led away from here
    number = _ask(place, "SELECT max(id) FROM claim")[0][0]
    form = first.get(f"/claims/{number}").text
    assert re.findall(r'name="kinds" value="(\w+)" checked', form) == ["social", "maps"]
    changed = {**CLAIM, "kinds": ["news"], "minutes": "0"}
    assert first.send(f"/claims/{number}", f"/claims/{number}", target=card, record=2, **changed).status_code == 303
    row = _ask(place, f"SELECT kinds, minutes, link FROM claim WHERE id = {number}")[0]
    assert (json.loads(str(row[0])), row[1], row[2]) == (["news"], 0, "")


def test_people_whom_they_know(two: tuple[Friend, Friend, Path]) -> None:
    first, second, place = two
    assert "never write a name on these pages" in first.get("/people").text
    for fields in ({"letter": "A"}, {"letter": "Kim Lee", "consent": "yes"}, {"letter": "", "consent": "yes"},
                   {"letter": "Xanthip", "consent": "yes"}, {"letter": "<b>", "consent": "yes"}):  # fmt: skip
        answer = first.send("/people", "/people", **fields)
        assert answer.status_code == 422, fields
        assert "Kim" not in answer.text  # what may be a name is not shown again
    assert not _ask(place, "SELECT * FROM acquaintance")
    for letter in ("A", "B"):
        assert first.send("/people", "/people", letter=letter, consent="yes").status_code == 303
    assert first.send("/people", "/people", letter="A", consent="yes").status_code == 422  # there already
    assert second.send("/people", "/people", letter="A", consent="yes").status_code == 303  # somebody else's A
    marks = {(row[1], row[2]): row[0] for row in _ask(place, "SELECT id, intruder, mark FROM acquaintance")}
    mine, gone, theirs = marks[1, "A"], marks[1, "B"], marks[2, "A"]
    assert "No answer yet" in first.get("/people").text
    with opened(str(place)) as store, store.writing() as connection:
        for number, answer in ((mine, "in"), (gone, "out")):
            connection.execute(update(acquaintance).where(acquaintance.c.id == number).values(answer=answer))
    page = first.get("/people").text
    assert "In the file." in page
    assert "Not in the file." in page
    assert f'value="known-{mine}" selected' in first.get("/claims/new", person=mine).text
    assert first.claim(target=f"known-{mine}", record=3).status_code == 303
    for number in (gone, theirs, 99, "x"):
        assert first.claim(target=f"known-{number}", record=3).status_code == 422
    assert f"known-{theirs}" not in first.get("/claims/new", person=theirs).text
    assert "A, whom I know" in html.unescape(first.get("/claims").text)
    # What was answered or claimed stays; what was not can be taken back, by its owner.
    for number in (mine, gone, theirs):
        assert first.send("/people", f"/people/{number}/remove").status_code == 404
    assert second.send("/people", f"/people/{theirs}/remove").status_code == 303
    assert len(_ask(place, "SELECT * FROM acquaintance")) == 2
    with opened(str(place)) as store:
        judged = [one for one in material(store).judged if one.claim.acquaintance == mine]
    assert [one.verdict for one in judged] == [None]  # only a judge can tell
    for i in range(MOST):
        first.send("/people", "/people", letter=f"Z{i}", consent="yes")
    assert len(_ask(place, "SELECT * FROM acquaintance WHERE intruder = 1")) == MOST


def test_without_acquaintances_there_is_no_such_page(run: Path, tmp_path: Path) -> None:
    made = make(run, tmp_path / "test.db", intruders="1")
    with serving(tmp_path / "test.db") as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
        assert friend.get("/people").status_code == 404
        assert "People I know" not in friend.get("/targets").text
        assert friend.claim(target="known-1", record=1).status_code == 422


def test_no_cards_at_all(run: Path, tmp_path: Path) -> None:
    made = make(run, tmp_path / "test.db", intruders="1", targets=0)
    assert (made.facts.cards, made.facts.teams[0].cards) == (0, 0)
    with serving(tmp_path / "test.db") as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
        assert "There are no cards for you" in friend.get("/targets").text
        assert friend.claim(who="my neighbour", record=1).status_code == 303
        assert friend.claim(target=1, record=1).status_code == 422


def test_what_a_card_gets_wrong_is_said_and_a_card_that_fits_nobody_is_no_fault(tmp_path: Path) -> None:
    scenarios = [{"name": "stranger", "keys": ["age", "sex", "town"], "error": {"town": 0.5, "age": 0.05}}]
    release(tmp_path, {"town": "Home town"})
    plan = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump({**plan, "scenarios": scenarios}, sort_keys=False))
    folder = ic.run(tmp_path / "plan.yaml").folder
    made = make(folder, tmp_path / "test.db", intruders="1", targets=60)
    with opened(str(tmp_path / "test.db")) as store:
        truths = material(store).truths
    wrong = [number for number, truth in truths.items() if not truth.decoy and not truth.guess]
    assert wrong  # somebody whose own record the card does not fit
    with serving(tmp_path / "test.db") as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
        page = html.unescape(friend.get("/targets").text)
        assert "You are <em>a stranger</em>" in page
        assert "What you know of Home town is wrong for about 1 in 2 of the people." in page
        assert "What you know of age is wrong for about 1 in 20 of the people." in page
        assert "What the cards say is right." not in page
        for number in wrong[:5]:
            answer = friend.get("/records", like=number)
            assert answer.status_code == 200
            assert f"{truths[number].fits} of" in answer.text
