"""What somebody typed is stored, or shown to them again: the same form sent twice, two windows, the end of the time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from intruder_cases import FIELD, Clock, Friend, make, release, serving

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
