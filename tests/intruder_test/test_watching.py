"""Watching a test: who has come, how long they have, how much was claimed."""

from __future__ import annotations

from pathlib import Path

from intruder_cases import Clock, Friend, make, release, serving

from incrowd.intruder_test.custodian import opened
from incrowd.intruder_test.erasing import erase
from incrowd.intruder_test.watching import Watch, watch


def test_each_intruder_is_seen_to_come_work_and_end(tmp_path: Path) -> None:
    place, clock = tmp_path / "test.db", Clock()
    made = make(release(tmp_path), place, clock=clock, hours=1)

    def look() -> Watch:
        with opened(str(place), clock) as store:
            return watch(store)

    assert [one.state for one in look().intruders] == ["has not come yet"] * 3
    with serving(place, clock) as address, Friend(address, made.invitations[1].token) as friend:
        assert look().intruders[1].state == "signed in, rules not accepted yet"
        friend.accept()
        friend.claim(target=1, record=1)
        friend.claim(target=2, record=2)
        friend.send("/claims", "/claims/2/withdraw")
        now = look()
    assert (now.signed_in, now.started, now.working, now.claims, now.withdrawn) == (1, 1, 1, 1, 1)
    assert now.intruders[1].state == "at work"
    assert 3500 < now.intruders[1].left <= 3600
    clock.ahead = 3700
    later = look()
    assert (later.working, later.intruders[1].state, later.over) == (0, "time is up", False)
    with opened(str(place), clock) as store:
        erase(store)
        assert (watch(store).erased, watch(store).intruders) == (True, ())
