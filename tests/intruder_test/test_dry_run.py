"""A dry run is a whole test on people who do not exist: everything can be practised, and its scores never count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import incrowd_cli
from intruder_cases import Friend, serving
from office_cases import Clerk

import incrowd as ic
from incrowd.errors import InputError
from incrowd.intruder_test.custodian import material, opened
from incrowd.intruder_test.playing import PLAYERS


@pytest.mark.slow
def test_whoever_practises_has_a_part_of_everybody(tmp_path: Path) -> None:
    made = ic.intruder_test_dry_run(tmp_path / "practice")
    place = made.test
    assert "token" not in repr(made)
    with opened(str(place)) as store:
        judged = material(store).judged
    assert len(judged) == made.claims
    assert {one.intruder for one in judged} == {*range(1, len(PLAYERS) + 1)}
    with serving(place) as intruders, serving(place, office=True) as office:
        with Friend(intruders, made.intruder.token) as you:
            you.accept()
            assert "This is a dry run" in you.get("/targets").text
            assert you.claim(target=1, record=1).status_code == 303
        for link in made.office:
            with Clerk(office, link.token) as clerk:
                page = clerk.get("/progress")
                assert f"{link.name}, " in page.text
                assert f"{made.claims + 1} claims stand" in page.text
                assert (clerk.get("/judge").status_code == 200) == (link.role != "observer")
    scores = json.loads(incrowd_cli("intruder-test", "score", place, "--json").stdout)
    assert scores["dry_run"]
    assert scores["claims"] == made.claims + 1
    (tmp_path / "scores.json").write_text(json.dumps(scores))
    plan = made.plan.read_text() + f"\nintruder_test: {tmp_path / 'scores.json'}\n"
    made.plan.write_text(plan)
    refused = incrowd_cli("check", made.plan)
    assert refused.returncode == 2
    assert "dry run" in refused.stdout + refused.stderr


def test_a_dry_run_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(InputError) as found:
        ic.intruder_test_dry_run(tmp_path)
    assert found.value.code == "D507"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
