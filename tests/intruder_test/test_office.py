"""The office: roles are kept on every address, two judges do not see each other, and nobody comes in from next door."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from intruder_cases import Clock, Friend, crawl, make, release, serving
from office_cases import Clerk, account

from incrowd.errors import InputError
from incrowd.intruder_test import office as offices
from incrowd.intruder_test.accounts import put_account
from incrowd.intruder_test.custodian import opened
from incrowd.intruder_test.web.guard import HEADERS

NAMES = ("Ann Example", "Bob Example")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


@dataclass
class Scene:
    """A test that two intruders have claimed in, and its office."""

    place: Path
    clock: Clock
    intruders: str
    office: str
    tokens: list[str]

    def clerk(self, name: str, role: str) -> Clerk:
        return Clerk(self.office, account(self.place, name, role, self.clock))

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with sqlite3.connect(self.place) as connection:
            return connection.execute(query).fetchall()

    def number(self, who: str) -> int:
        (found,) = self.rows(f"SELECT id FROM claim WHERE who = '{who}'")[0]
        return int(str(found))

    def true_record(self) -> tuple[int, int]:
        found = self.rows("SELECT target, record FROM truth_record ORDER BY target")[0]
        return int(str(found[0])), int(str(found[1]))


@pytest.fixture
def scene(run: Path, tmp_path: Path) -> Iterator[Scene]:
    place, clock = tmp_path / "test.db", Clock()
    (tmp_path / "names.txt").write_text("\n".join(NAMES) + "\n")
    made = make(run, place, intruders=str(tmp_path / "names.txt"), clock=clock)
    tokens = [each.token for each in made.invitations]
    with serving(place, clock) as intruders, serving(place, clock, office=True) as office:
        found = Scene(place, clock, intruders, office, tokens)
        with Friend(intruders, tokens[0]) as ann:
            ann.accept()
            assert ann.claim(who="my uncle", record=3, reasoning="canary-reasoning of mine").status_code == 303
            target, record = found.true_record()
            assert ann.claim(target=target, record=record, confidence=90).status_code == 303
        yield found


PAGES = ("/progress", "/claims", "/judge", "/judge/1", "/people", "/results", "/results/report", "/log", "/erase")
FORMS = ("/judge/1", "/people/1", "/invite", "/results/keep", "/erase", "/leave")


def test_without_a_session_there_is_nothing(scene: Scene) -> None:
    with Friend(scene.intruders, scene.tokens[1]) as bob:
        stranger = bob.client.cookies["incrowd"]
    for cookies in ({}, {"incrowd-office": "x" * 43}, {"incrowd-office": stranger}, {"incrowd": stranger}):
        with httpx.Client(base_url=scene.office, cookies=cookies) as client:
            for path in PAGES:
                answer = client.get(path)
                assert answer.status_code == 401, path
                assert "canary" not in answer.text
            for path in FORMS:
                assert client.post(path, data={"sure": "yes"}).status_code == 401, path
    assert scene.rows("SELECT count(*) FROM claim") == [(2,)]


def test_sessions_and_links_of_one_door_do_not_open_the_other(scene: Scene) -> None:
    token = account(scene.place, "Cid", "custodian")
    for address, wrong in ((scene.intruders, token), (scene.office, scene.tokens[1])):
        refused = httpx.post(f"{address}/enter", data={"token": wrong})
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers
    with Clerk(scene.office, token) as cid:
        cookie = cid.client.cookies["incrowd-office"]
        for name in ("incrowd", "incrowd-office"):
            assert httpx.get(f"{scene.intruders}/records", cookies={name: cookie}).status_code == 401
        # The link worked once.
        assert httpx.post(f"{scene.office}/enter", data={"token": token}).status_code == 403


def test_a_new_link_ends_the_old_session(scene: Scene) -> None:
    with scene.clerk("Cid", "custodian") as cid:
        assert cid.get("/claims").status_code == 200
        account(scene.place, "cid ", "custodian")
        assert cid.get("/claims").status_code == 401


def test_a_session_lasts_a_week(scene: Scene) -> None:
    with scene.clerk("Cid", "custodian") as cid:
        scene.clock.ahead += offices.SESSION_SECONDS - 60
        assert cid.get("/claims").status_code == 200
        scene.clock.ahead += 120
        assert cid.get("/claims").status_code == 401


def test_an_observer_changes_nothing_and_learns_no_name(scene: Scene) -> None:
    before = scene.rows("SELECT count(*) FROM claim") + scene.rows("SELECT name, link FROM intruder")
    with scene.clerk("Olga", "observer") as olga:
        assert crawl(olga) >= 5
        mark = re.search(r'name="mark" value="([^"]*)"', olga.get("/progress").text)
        assert mark
        fields = {"mark": mark[1], "sure": "yes", "judgment": "wrong", "answer": "in", "name": NAMES[0]}
        for path in FORMS[:-1]:
            assert olga.post(path, **fields).status_code == 403, path
        for path in ("/judge", "/judge/1", "/erase"):
            assert olga.get(path).status_code == 403, path
        everything = "\n".join(olga.seen)
    assert "canary-reasoning" in everything
    assert not [name for name in (*NAMES, "Xanthippe", "Zebedee", "127.0.0.1") if name in everything]
    assert before == scene.rows("SELECT count(*) FROM claim") + scene.rows("SELECT name, link FROM intruder")
    assert scene.rows("SELECT count(*) FROM truth_judgment") == [(0,)]
    assert scene.rows("SELECT count(*) FROM truth_score") == [(0,)]


def test_an_observer_sees_no_truth_while_an_intruder_could_be_told(scene: Scene) -> None:
    _, record = scene.true_record()
    with scene.clerk("Olga", "observer") as olga:
        page = olga.get("/claims").text
        assert "when no intruder can use it any more" in page
        assert "By the truth alone" not in page
        assert "In the file" not in page
        assert "when no intruder can use them" in olga.get("/results").text
        assert olga.get("/results/report").status_code == 404
        scene.clock.ahead += 3 * 3600  # Ann's time is up; Bob has not begun, and could
        assert "By the truth alone" not in olga.get("/claims").text
    scene.clock.ahead += 20 * 86400
    with scene.clerk("Olga", "observer") as olga:
        assert f"record {record}." in olga.get("/claims").text
        assert "Claims by stated confidence" in olga.get("/results").text


def test_a_judge_judges_and_learns_no_name(scene: Scene) -> None:
    number = scene.number("my uncle")
    with scene.clerk("Jo", "judge") as jo:
        assert crawl(jo) >= 5
        assert jo.judge(number, "right", "what <b>it</b> teaches").status_code == 303
        assert "<b>it</b>" not in jo.get("/claims").text
        for path in ("/log", "/erase"):
            assert jo.get(path).status_code == 403
        for path in ("/people/1", "/invite", "/results/keep", "/erase"):
            assert jo.send("/progress", path, sure="yes", name=NAMES[0], answer="in").status_code == 403
        assert not [name for name in NAMES if name in "\n".join(jo.seen)]
    assert scene.rows("SELECT judge, judgment FROM truth_judgment") == [("Jo", "right")]


def test_a_custodian_sees_names_and_invites(scene: Scene) -> None:
    with scene.clerk("Cid", "custodian") as cid:
        assert NAMES[0] in cid.get("/progress").text
        assert f"{NAMES[0]} (intruder 1)" in cid.get("/claims").text
        page = cid.send("/progress", "/invite", name=NAMES[1]).text
        link = re.search(r"/enter/([\w-]{43})", page)
        assert link
        assert cid.send("/progress", "/invite", name="nobody").status_code == 409
        log = cid.get("/log").text
        assert "invited again" in log
        assert "sign-in" in log
    with Friend(scene.intruders, link[1]) as bob:
        assert bob.get("/rules").status_code == 200
    assert httpx.post(f"{scene.intruders}/enter", data={"token": scene.tokens[1]}).status_code == 403


def test_two_judges_do_not_see_each_other_before_both_have_judged(scene: Scene) -> None:
    number = scene.number("my uncle")
    with scene.clerk("Jo", "judge") as jo, scene.clerk("Kim", "judge") as kim, scene.clerk("Cid", "custodian") as cid:
        assert jo.judge(number, "wrong reason", "a note that is hidden").status_code == 303
        assert jo.judge(number, "right", "a note that is hidden").status_code == 303  # nobody else has judged yet
        for other in (kim, cid):
            for path in (
                "/claims",
                "/judge",
                f"/judge/{number}",
                "/results",
                "/results/report",
                "/progress",
                "/people",
            ):
                page = other.get(path).text
                assert "a note that is hidden" not in page, path
                assert "<strong>Jo</strong>" not in page, path
            assert "1 judgment is left out here" in other.get("/results").text
            assert "1 claim is not decided" in other.get("/results").text  # as if Jo had not judged
        assert "right, and the reasoning" not in cid.get("/log").text
        assert kim.judge(number, "wrong").status_code == 303
        for one in (jo, kim, cid):
            page = one.get("/claims").text
            assert "The judges do not agree" in page
            assert "a note that is hidden" in page
        # Now that each has seen the other's, what they said stands; and it is too late for the custodian.
        for late, word in ((jo, "wrong"), (kim, "right"), (cid, "right")):
            form = {"changed": scene.rows(f"SELECT changed FROM claim WHERE id = {number}")[0][0], "judgment": word}
            assert late.send("/judge", f"/judge/{number}", **form).status_code == 409
    found = scene.rows("SELECT judge, judgment FROM truth_judgment ORDER BY judge")
    assert found == [("Jo", "right"), ("Kim", "wrong")]


def test_a_third_judge_is_blind_to_the_first_two(scene: Scene) -> None:
    number = scene.number("my uncle")
    for name, word in (("Jo", "right"), ("Kim", "right")):
        with scene.clerk(name, "judge") as judge:
            assert judge.judge(number, word).status_code == 303
    with scene.clerk("Lee", "judge") as lee:
        assert "<strong>Jo</strong>" not in lee.get("/claims").text
        assert lee.judge(number, "wrong").status_code == 303
        assert "<strong>Jo</strong>" in lee.get("/claims").text


def test_nobody_judges_against_the_truth(scene: Scene) -> None:
    target, _ = scene.true_record()
    (number,) = scene.rows(f"SELECT id FROM claim WHERE target = {target}")[0]
    with scene.clerk("Jo", "judge") as jo:
        assert 'value="wrong"' not in jo.get(f"/judge/{number}").text
        for word in ("wrong", "learned", "", "anything"):
            assert jo.judge(int(str(number)), word).status_code == 409, word
        assert jo.judge(int(str(number)), "right", "x" * 1001).status_code == 409
        assert jo.judge(999, "right").status_code == 404
        assert jo.judge(int(str(number)), "wrong reason").status_code == 303
    assert scene.rows("SELECT judgment FROM truth_judgment") == [("wrong reason",)]


def test_a_claim_that_is_changed_is_judged_anew(scene: Scene) -> None:
    number = scene.number("my uncle")
    with scene.clerk("Jo", "judge") as jo:
        old = scene.rows(f"SELECT changed FROM claim WHERE id = {number}")[0][0]
        assert jo.judge(number, "right").status_code == 303
        link = scene.clerk("Cid", "custodian").send("/progress", "/invite", name=NAMES[0]).text
        token = re.search(r"/enter/([\w-]{43})", link)
        assert token
        with Friend(scene.intruders, token[1]) as ann:
            fields = {
                "who": "my uncle",
                "record": 4,
                "confidence": 10,
                "reasoning": "it fits even better",
                "kinds": "own",
            }
            assert ann.send(f"/claims/{number}", f"/claims/{number}", **fields).status_code == 303
        # What was judged in the same second is another state of the claim.
        assert "judged anew" in jo.get("/judge").text
        refused = jo.send("/judge", f"/judge/{number}", changed=old, judgment="right", note="what I <b>typed</b>")
        assert refused.status_code == 409
        assert "Note: what I &lt;b&gt;typed&lt;/b&gt;" in refused.text  # it was not stored, and is not lost
        assert jo.judge(number, "wrong").status_code == 303
    assert scene.rows("SELECT judgment FROM truth_judgment") == [("wrong",)]


def test_people_they_know_are_answered_only_with_consent(scene: Scene) -> None:
    with sqlite3.connect(scene.place) as connection:
        for mark, consent in (("A", True), ("B", False)):
            connection.execute(
                "INSERT INTO acquaintance (intruder, mark, consent, asked) VALUES (1, ?, ?, 1)", (mark, consent)
            )
    with scene.clerk("Cid", "custodian") as cid:
        assert "no answer without consent" in cid.get("/people").text
        assert cid.send("/people", "/people/1", answer="in").status_code == 303
        assert cid.send("/people", "/people/2", answer="in").status_code == 409
        assert cid.send("/people", "/people/1", answer="his address").status_code == 409
        assert cid.send("/people", "/people/77", answer="in").status_code == 409
    assert scene.rows("SELECT mark, answer FROM acquaintance ORDER BY id") == [("A", "in"), ("B", None)]


def test_a_form_needs_its_mark_and_its_origin(scene: Scene) -> None:
    number = scene.number("my uncle")
    with scene.clerk("Cid", "custodian") as cid, scene.clerk("Jo", "judge") as jo:
        stolen = re.search(r'name="mark" value="([^"]*)"', jo.get("/progress").text)
        assert stolen
        changed = scene.rows(f"SELECT changed FROM claim WHERE id = {number}")[0][0]
        for mark in ("", "x", stolen[1]):
            fields = {"mark": mark, "judgment": "right", "changed": changed, "sure": "yes", "name": NAMES[0]}
            for path in (f"/judge/{number}", "/erase", "/invite", "/results/keep", "/leave"):
                assert cid.post(path, **fields).status_code == 403, path
        cid.client.headers["Origin"] = scene.intruders  # the other door: another port is another origin
        assert cid.send("/erase", "/erase", sure="yes").status_code == 403
    assert scene.rows("SELECT count(*) FROM claim") == [(2,)]


def test_every_answer_has_its_headers_and_no_script(scene: Scene) -> None:
    with scene.clerk("Cid", "custodian") as cid:
        for path in (*PAGES[:-3], "/log", "/erase", "/style.css", "/nowhere", "/"):
            answer = cid.get(path)
            assert {name: answer.headers[name] for name in HEADERS} == HEADERS, path
            assert "<script" not in answer.text
            assert not re.search(r'\son\w+="|javascript:|style="', answer.text)


def test_a_custodian_erases_with_a_certificate(scene: Scene) -> None:
    with scene.clerk("Cid", "custodian") as cid:
        assert "No scores are kept" in cid.get("/erase").text
        assert cid.send("/results", "/results/keep").status_code == 303
        assert "No scores are kept" not in cid.get("/erase").text
        assert cid.send("/erase", "/erase").status_code == 400
        done = cid.send("/erase", "/erase", sure="yes")
        assert done.status_code == 200
        assert "By: Cid" in done.text
        assert cid.get("/claims").status_code == 410
        assert httpx.get(f"{scene.intruders}/records").status_code == 410
    raw = b"".join(path.read_bytes() for path in scene.place.parent.glob("test.db*"))
    assert b"canary-reasoning" not in raw
    assert b"Example" not in raw
    assert scene.rows("SELECT count(*) FROM truth_score") == [(1,)]


def test_wrong_links_are_limited_and_a_right_one_still_works(scene: Scene) -> None:
    token = account(scene.place, "Cid", "custodian")
    with httpx.Client(base_url=scene.office) as stranger:
        tries = [stranger.post("/enter", data={"token": "x" * 43}).status_code for _ in range(11)]
    assert tries == [403] * 10 + [429]
    with Clerk(scene.office, token) as cid:
        assert cid.get("/claims").status_code == 200


def test_who_may_have_an_account(scene: Scene) -> None:
    with opened(str(scene.place)) as store:
        put_account(store, "Jo Smith", "judge")
        put_account(store, " jo  SMITH", "judge")  # the same person, with a new link
        for name, role, code in (
            ("Jo Smith", "custodian", "D491"), ("ann example", "judge", "D491"),
            ("Ann\u00a0Example", "observer", "D491"), ("", "judge", "D491"),
            ("x" * 81, "judge", "D491"), ("a\x00b", "judge", "D491"), ("the custodian, by file", "judge", "D491"),
            ("Max", "juge", "D490"), ("Max", "", "D490"),
        ):  # fmt: skip
            with pytest.raises(InputError, match=code):
                put_account(store, name, role)
    assert scene.rows("SELECT name, role FROM truth_account") == [("Jo Smith", "judge")]


def test_the_log_tells_what_was_done_and_not_how_it_was_judged(scene: Scene) -> None:
    number = scene.number("my uncle")
    with scene.clerk("Jo", "judge") as jo:
        jo.judge(number, "right", "secret note")
    what = scene.rows("SELECT what, detail FROM truth_action WHERE account = 'Jo'")
    assert ("claim judged", f"claim {number}") in what
    assert not [row for row in what if "secret note" in str(row) or "right" in str(row)]
