"""What a judge reads of a claim: all of it, in words, and nobody's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from intruder_cases import Clock, make, release

from incrowd.intruder_test.claims import Claim
from incrowd.intruder_test.custodian import opened, put_judgment
from incrowd.intruder_test.desk import Desk, Intruder
from incrowd.intruder_test.reading import ToldClaim, read_claims
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.verdicts import LEARNED, RIGHT, WRONG, WRONG_REASON, Judgment


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"), labels={"town": "where the person lives"})


def _started(place: Path, token: str, clock: Clock) -> tuple[Desk, Intruder]:
    desk = Desk(Store(str(place), desk=True, clock=clock))
    cookie = desk.sign_in(token, "here")
    assert cookie is not None
    who = desk.who(cookie)
    assert who is not None
    desk.accept(who, "here")
    again = desk.who(cookie)
    assert again is not None
    return desk, again


def _told(place: Path) -> dict[int, ToldClaim]:
    with opened(str(place)) as store:
        return {one.number: one for one in read_claims(store)}


def test_a_claim_is_told_with_its_card_its_record_and_the_truth(run: Path, tmp_path: Path) -> None:
    place, clock = tmp_path / "test.db", Clock()
    (tmp_path / "names.txt").write_text("Ann Example\nBob Example\n")
    made = make(run, place, intruders=str(tmp_path / "names.txt"), clock=clock)
    with opened(str(place)) as store, store.reading() as connection:
        rows = connection.exec_driver_sql("SELECT target, record FROM truth_record ORDER BY target").all()
        (decoy,) = connection.exec_driver_sql("SELECT min(target) FROM truth_target WHERE decoy <> ''").one()
    target, record = rows[0]
    desk, who = _started(place, made.invitations[0].token, clock)
    clock.ahead += 600
    wrong = 1 if record != 1 else 2
    right = desk.file(who, "a" * 32, Claim(target, "", record, "ill", "y", 90, "the news", ("age",), "I saw it",
                                           ("news",), "a link", 7), "here")  # fmt: skip
    about_decoy = desk.file(who, "b" * 32, Claim(decoy, "", wrong, None, None, 10, "", (), "a guess"), "here")
    outside = desk.file(who, "c" * 32, Claim(None, "my uncle", 2, None, None, 60, "", (), "his age"), "here")
    told = _told(place)
    one = told[right]
    assert (one.said, one.about, one.record, one.confidence) == ("intruder 1", f"target {target}", record, 90)
    assert (one.kinds, one.sources, one.link, one.minutes) == (("news",), "the news", "a link", 7)
    assert one.after in (600, 601)
    assert one.known == one.verdict == "correct"
    assert one.truth is not None
    assert [found.number for found in one.truth.records] == [record]
    assert dict(one.released) == dict(one.truth.records[0].values)
    assert "where the person lives" in dict(one.card)
    assert one.truth.value in ("y", "n")
    assert set(one.choices) == {RIGHT, WRONG_REASON}
    lured = told[about_decoy].truth
    assert lured is not None
    assert lured.decoy
    assert lured.records == ()
    assert told[outside].truth is None
    assert told[outside].about == "my uncle"
    assert set(told[outside].choices) == {RIGHT, LEARNED, WRONG_REASON, WRONG}
    assert "Example" not in repr(told)


def test_a_claim_that_was_changed_waits_for_its_judges(run: Path, tmp_path: Path) -> None:
    place, clock = tmp_path / "test.db", Clock()
    made = make(run, place, clock=clock)
    desk, who = _started(place, made.invitations[0].token, clock)
    claim = Claim(None, "my uncle", 2, None, None, 60, "", (), "his age")
    number = desk.file(who, "a" * 32, claim, "here")
    with opened(str(place)) as store, store.writing() as connection:
        changed = desk.claims(who)[0].changed
        put_judgment(connection, number, changed, Judgment("Jo", RIGHT), store.now)
        put_judgment(connection, number, changed, Judgment("Kim", WRONG), store.now)
    one = _told(place)[number]
    assert (one.verdict, one.disputed, one.outdated) == ("correct", True, ())
    clock.ahead += 60
    assert desk.change(who, number, claim, changed, "here")
    one = _told(place)[number]
    assert (one.verdict, one.disputed, one.outdated) == (None, False, ("Jo", "Kim"))
