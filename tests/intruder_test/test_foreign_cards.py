"""A test of a release that another tool made: cards only of people of whom the truth is certain."""

import json
from pathlib import Path

import pytest
from commands import incrowd_cli
from foreign_cases import KEYS, by_hand, crowd, write

import incrowd as ic
from incrowd.errors import InputError
from incrowd.intruder_test.cards import INSIDE, OUTSIDE
from incrowd.pipeline.foreign import trace_foreign
from incrowd.tasks._intruder_cards import Dealt, deal_teams
from incrowd.tasks.intruder_test_new import IntruderTestOptions, new_test

with_sixty = IntruderTestOptions(intruders="2", targets=60, decoys=0.4, names=("name",), title="t")


def dealt(folder: Path, told: ic.ForeignRelease) -> Dealt:
    """The cards of a test of the release in this folder."""
    from incrowd.intruder_test.parts import TEAM, read_intruders

    invited = read_intruders("2", (), [TEAM], by_area=False)
    with trace_foreign(folder / "release.csv", folder / "people.csv", None, told) as traced:
        return deal_teams(traced, with_sixty, invited, {}, {})


def test_only_people_who_are_certain_have_a_card(tmp_path: Path) -> None:
    people = crowd()
    made, lines = by_hand(people, keep=lambda line: line % 4 > 0)
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", made)
    found = dealt(tmp_path, ic.ForeignRelease(keys=KEYS, sensitive=("ill",)))
    cards = [card for pool in found.pools for card in pool.cards]
    inside = [card for card in cards if card.decoy == INSIDE]
    assert inside
    number_of = {f"n{line}": number for number, line in enumerate(lines, start=1)}
    for card in inside:
        assert card.records == (number_of[str(dict(card.shown)["name"])],)
    for card in (card for card in cards if card.decoy == OUTSIDE):
        assert dict(card.shown)["name"] not in number_of
    assert "released records have no card, since several people fit them" in found.note


def test_an_id_makes_everybody_certain(tmp_path: Path) -> None:
    people = crowd()
    made, lines = by_hand(people, ("name", *KEYS, "ill"))
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", made)
    found = dealt(tmp_path, ic.ForeignRelease(keys=KEYS, id="name"))
    cards = [card for pool in found.pools for card in pool.cards if card.decoy == INSIDE]
    assert len(cards) == 36
    assert all(made[card.records[0] - 1]["name"] == dict(card.shown)["name"] for card in cards)
    assert len(lines) == len(made)
    assert "no card" not in found.note


def test_where_nobody_is_certain_there_is_no_test(tmp_path: Path) -> None:
    write(tmp_path / "people.csv", crowd(seed=3))
    write(tmp_path / "release.csv", by_hand(crowd(seed=4), (*KEYS, "income", "ill"))[0])
    with pytest.raises(InputError, match="D479"):
        new_test(
            tmp_path / "release.csv", str(tmp_path / "t.sqlite"), IntruderTestOptions(intruders="2"),
            original=tmp_path / "people.csv", foreign=ic.ForeignRelease(keys=KEYS),
        )  # fmt: skip
    assert not (tmp_path / "t.sqlite").exists()


def test_the_command_makes_a_test(tmp_path: Path) -> None:
    people = crowd(200)
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", by_hand(people, (*KEYS, "income", "ill"))[0])
    done = incrowd_cli(
        "intruder-test", "new", "release.csv", "--original", "people.csv", "--keys", ",".join(KEYS), "--intruders", "2",
        "-o", "t.sqlite", folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "t.sqlite").exists()
    scored = incrowd_cli("intruder-test", "score", "t.sqlite", "--json", folder=tmp_path)
    assert json.loads(scored.stdout)["intruders"] == 2
