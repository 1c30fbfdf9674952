"""What somebody typed is stored, or shown to them again: the same form sent twice, two windows, the end of the time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from intruder_cases import FIELD, Clock, Friend, make, release, serving

from incrowd.errors import IncrowdError
from incrowd.intruder_test.custodian import invite, opened
from incrowd.intruder_test.desk import Desk

TYPED = {"target": 1, "record": 1, "confidence": 90, "kinds": "own", "reasoning": "the first reasoning of mine"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


@pytest.fixture
def scene(run: Path, tmp_path: Path) -> Iterator[tuple[Friend, Path, Clock]]:
    """Somebody at work on a test."""
    place, clock = tmp_path / "test.db", Clock()
    made = make(run, place, clock=clock, intruders="1", hours=1)
    with serving(place, clock) as address, Friend(address, made.invitations[0].token) as friend:
        yield friend.accept(), place, clock


def _claims(place: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(place) as connection:
        return connection.execute(
            "SELECT reasoning, record, withdrawn, changed > filed FROM claim ORDER BY id"
        ).fetchall()


def _log(place: Path) -> list[str]:
    with sqlite3.connect(place) as connection:
        rows = connection.execute("SELECT what FROM action WHERE what LIKE 'claim%' ORDER BY id")
        return [what for (what,) in rows]


def test_a_form_that_is_corrected_and_sent_again_corrects_its_claim(scene: tuple[Friend, Path, Clock]) -> None:
    """The server died just after the claim was on the disk: whoever goes back corrects what they never saw stored."""
    friend, place, _ = scene
    form = {**dict(FIELD.findall(friend.get("/claims/new").text)), **TYPED}
    assert friend.post("/claims", **form).headers["location"] == "/claims?filed=1"
    assert friend.post("/claims", **form).headers["location"] == "/claims?filed=1"  # the same: nothing to say
    assert _log(place) == ["claim filed"]
    corrected = {**form, "record": 2, "reasoning": "the corrected reasoning"}
    assert friend.post("/claims", **corrected).headers["location"] == "/claims?filed=2"
    assert "Your change is stored." in friend.get("/claims?filed=2").text
    assert friend.post("/claims", **corrected).status_code == 303
    assert _claims(place) == [("the corrected reasoning", 2, 0, 1)]
    assert _log(place) == ["claim filed", "claim changed"]
    # Another page has changed it since: the old form does not write over it.
    assert friend.send("/claims/1", "/claims/1", **{**TYPED, "reasoning": "changed on its own page"}).status_code == 303
    refused = friend.post("/claims", **form)
    assert refused.status_code == 409
    assert "changed on its own page" in refused.text
    assert TYPED["reasoning"] in refused.text
    assert _claims(place)[0][0] == "changed on its own page"
    friend.send("/claims", "/claims/1/withdraw")
    assert "The claim was withdrawn" in friend.post("/claims", **form).text
    assert _claims(place) == [("changed on its own page", 1, 1, 1)]


def test_two_windows_do_not_write_over_each_other(scene: tuple[Friend, Path, Clock]) -> None:
    friend, place, _ = scene
    assert friend.claim(**TYPED).status_code == 303
    both = [dict(FIELD.findall(friend.get("/claims/1").text)) for _ in range(2)]
    assert friend.post("/claims/1", **{**both[0], **TYPED, "reasoning": "of the first window"}).status_code == 303
    second = {**both[1], **TYPED, "reasoning": "of the <b>second</b> window"}
    assert friend.post("/claims/1", **{**second, "confidence": "x"}).status_code == 422
    refused = friend.post("/claims/1", **second)
    assert refused.status_code == 409
    assert "This was not stored." in refused.text
    assert "of the first window" in refused.text
    assert "of the &lt;b&gt;second&lt;/b&gt; window" in refused.text
    assert _claims(place)[0][0] == "of the first window"
    # Who has read both decides: the form is sent again as it is.
    again = {**second, **dict(FIELD.findall(refused.text))}
    assert friend.post("/claims/1", **again).status_code == 303
    assert _claims(place)[0][0] == "of the <b>second</b> window"
    for changed in ("", "x", "9" * 40):
        assert friend.post("/claims/1", **{**again, "changed": changed}).status_code == 409


LONG = {**TYPED, "learned": "3=y", "reasoning": "an hour of work </textarea><script>alert(1)</script>"}


def _shown(answer: httpx.Response, status: int) -> None:
    """The page gives back what was typed, as text; it is stored nowhere, neither here nor on the way."""
    assert answer.status_code == status
    assert "This was not stored" in answer.text
    assert "readonly" in answer.text
    assert "an hour of work &lt;/textarea&gt;&lt;script&gt;" in answer.text
    assert "<script" not in answer.text
    assert answer.headers["cache-control"] == "no-store"


def test_what_is_sent_too_late_is_shown_again(scene: tuple[Friend, Path, Clock]) -> None:
    friend, place, clock = scene
    assert friend.claim(**TYPED).status_code == 303
    forms = {path: dict(FIELD.findall(friend.get(page).text))
             for path, page in (("/claims", "/claims/new"), ("/claims/1", "/claims/1"))}  # fmt: skip
    clock.ahead = 3601
    for path, hidden in forms.items():
        late = friend.post(path, **{**hidden, **LONG})
        _shown(late, 409)
        assert "The time is up" in late.text
        assert "What you learned: ill: y" in late.text
        assert hidden["mark"] not in late.text.split("readonly")[1]
    assert friend.post("/claims/1/withdraw", **forms["/claims"]).headers["location"] == "/claims"  # nothing was typed
    assert [row[0] for row in _claims(place)] == [TYPED["reasoning"]]


def test_what_is_sent_after_a_new_link_is_shown_again(scene: tuple[Friend, Path, Clock]) -> None:
    friend, place, clock = scene
    form = {**dict(FIELD.findall(friend.get("/claims/new").text)), **LONG}
    with opened(str(place), clock) as store:
        token = invite(store, "intruder 1")
    out = friend.post("/claims", **form)
    _shown(out, 401)
    assert "ill:" not in out.text.split("readonly")[1]  # who is not signed in is told no variable of the file
    friend.post("/enter", token=token)
    _shown(friend.post("/claims", **form), 403)  # of the old session
    hidden = dict(FIELD.findall(friend.get("/claims/new").text))
    assert friend.post("/claims", **{**form, **hidden}).status_code == 303
    assert len(_claims(place)) == 1


def test_what_cannot_be_stored_just_now_is_shown_again(
    scene: tuple[Friend, Path, Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    friend, _, _ = scene
    form = {**dict(FIELD.findall(friend.get("/claims/new").text)), **LONG}

    def busy(*_: object) -> int:
        raise IncrowdError("X042", "the test is busy.")

    monkeypatch.setattr(Desk, "file", busy)
    answer = friend.post("/claims", **form)
    assert answer.status_code == 503
    assert "an hour of work &lt;/textarea&gt;&lt;script&gt;" in answer.text
    assert "<script" not in answer.text
