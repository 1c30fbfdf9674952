"""Each intruder their own part: teams, areas, strata, cards that are dealt out, and the next round."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
import yaml
from intruder_cases import make, release

import incrowd as ic
from incrowd.errors import InputError
from incrowd.intruder_test.cards import Card
from incrowd.intruder_test.custodian import keep_scores, material, opened
from incrowd.intruder_test.erasing import erase
from incrowd.intruder_test.parts import (
    Invited,
    Pool,
    deal_out,
    read_intruders,
    read_strata,
    read_teams,
    thinly,
)
from incrowd.intruder_test.scoring import score
from incrowd.intruder_test.value import dump_scores

CARD = Card((), "", (), {}, 0.0)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


def _people(run: Path) -> list[dict[str, str]]:
    with (run.parents[1] / "people.csv").open() as file:
        return list(csv.DictReader(file))


def _ask(place: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(place) as connection:
        return connection.execute(query).fetchall()


def _shown(place: Path) -> dict[int, dict[str, str]]:
    return {int(str(n)): dict(json.loads(str(text))) for n, text in _ask(place, "SELECT id, shown FROM target")}


def test_every_card_goes_to_as_many_as_every_other() -> None:
    for cards, intruders, each in ((10, 4, 5), (7, 3, 5), (12, 500, 1), (3, 2, 9), (6, 6, 2)):
        pool = Pool(0, None, (CARD,) * cards)
        pairs = deal_out([pool], [Invited(str(n)) for n in range(intruders)], each)
        assert len(set(pairs)) == len(pairs) == intruders * min(each, cards)
        many = Counter(card for _, card in pairs)
        assert set(many) == set(range(1, cards + 1))
        assert max(many.values()) - min(many.values()) <= 1
        assert thinly(pairs) == sum(number == 1 for number in many.values())
    with pytest.raises(InputError, match=r"D485.*go to nobody"):
        deal_out([Pool(0, None, (CARD,) * 9)], [Invited("a"), Invited("b")], 4)
    assert deal_out([Pool(0, None, ())], [Invited("a")], None) == []


def test_cards_go_to_their_team_and_area_alone() -> None:
    invited = [Invited("a", 0), Invited("b", 1), Invited("c", 1, "N"), Invited("d", 0)]
    pools = [Pool(0, None, (CARD,) * 2), Pool(1, None, (CARD,) * 3), Pool(1, "N", (CARD,))]
    dealt = deal_out(pools, invited, None)
    assert sorted(dealt) == [(1, 1), (1, 2), (2, 3), (2, 4), (2, 5), (3, 6), (4, 1), (4, 2)]


def test_what_a_custodian_writes() -> None:
    lines = ["Ada\tnear\tNorth", "  Ben  ", "", "Cleo\tfar", "Dan\t\tSouth"]
    found = read_intruders("names.txt", lines, ["near", "far"], by_area=True)
    assert found == (
        Invited("Ada", 0, "North"), Invited("Ben", 0), Invited("Cleo", 1), Invited("Dan", 1, "South"),
    )  # fmt: skip
    assert [one.team for one in read_intruders("5", (), ["a", "b"], by_area=False)] == [0, 1, 0, 1, 0]
    for line, fault in (("Ada\tneer", "D485.*line 1.*near"), ("Ada\tnear\tN\tx", "D485"), ("\tnear", "D221"),
                        ("A" * 81, "D221"), ("A\x00B", "D221")):  # fmt: skip
        with pytest.raises(InputError, match=fault):
            read_intruders("names.txt", [line], ["near", "far"], by_area=True)
    with pytest.raises(InputError, match=r"D485.*--by-area"):
        read_intruders("names.txt", ["Ada\t\tNorth"], ["near"], by_area=False)
    for teams in (["near"], ["=x"], ["near="], ["a=x", "a=y"], ["a" * 81 + "=x"]):
        with pytest.raises(InputError, match="D485"):
            read_teams(teams)
    for text in ("unique", "unique=x", "control=3", "rare=1", "unique=1,unique=2", "unique=-1", "unique=²"):
        with pytest.raises(InputError, match="D487"):
            read_strata(text)


def test_teams_have_cards_of_their_own_scenario(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    made = make(run, place, intruders="5", targets=6, decoys=0.5, teams=("near=neighbour", "far=stranger"))
    near, far = made.facts.teams
    assert (near.scenario, near.all_in_file, near.cards, near.error) == ("neighbour", True, 6, {})
    assert (far.scenario, far.all_in_file, far.cards, far.error) == ("stranger", False, 5, {"sex": 0.5})
    assert made.facts.cards == 11  # two were suppressed, and nobody can be made up of one key
    cards = _shown(place)
    pairs = _ask(place, "SELECT intruder.team, target FROM dealt JOIN intruder ON intruder.id = dealt.intruder")
    for team, keys, many in ((0, ["age", "sex", "town"], 6), (1, ["sex"], 5)):
        own = {int(str(card)) for its, card in pairs if its == team}
        assert len(own) == many
        assert all(list(cards[card]) == keys for card in own)
    # Who knows who is in the file gets no decoys; the others do, and the note says of which team it speaks.
    decoys = {int(str(row[0])) for row in _ask(place, "SELECT target FROM truth_target WHERE decoy != ''")}
    assert decoys <= {int(str(card)) for its, card in pairs if its == 1}
    assert made.decoys.startswith("team near: no decoys; team far: ")
    with pytest.raises(InputError, match=r"D485.*nobody is in the team 'far'"):
        make(run, tmp_path / "one.db", intruders="1", teams=("near=neighbour", "far=stranger"))
    with pytest.raises(InputError, match="D219"):
        make(run, tmp_path / "two.db", teams=("near=nobody",))
    with pytest.raises(InputError, match="D485"):
        make(run, tmp_path / "three.db", teams=("near=neighbour",), scenario="stranger")


def test_an_intruder_with_an_area_gets_people_of_it_and_so_are_the_decoys(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    (tmp_path / "names.txt").write_text("Ada\t\tAyton\nBen\t\tBeeford\nCleo\n")
    made = make(run, place, intruders=str(tmp_path / "names.txt"), by_area="town", targets=10, decoys=0.4)
    cards = _shown(place)
    dealt = _ask(place, "SELECT name, target FROM dealt JOIN intruder ON intruder.id = dealt.intruder")
    decoys = {row[0] for row in _ask(place, "SELECT target FROM truth_target WHERE decoy != ''")}
    for name, town in (("Ada", "Ayton"), ("Ben", "Beeford")):
        own = [int(str(card)) for whose, card in dealt if whose == name]
        assert len(own) == 10
        assert {cards[card]["town"] for card in own} == {town}
        assert len(decoys & set(own)) == 4
    assert {cards[int(str(card))]["town"] for whose, card in dealt if whose == "Cleo"} == {"Ayton", "Beeford"}
    assert "area Ayton: 4 decoys" in made.decoys
    # A card of an area is right about the area, whatever error the scenario has.
    (tmp_path / "names.txt").write_text("Ada\t\tf\n")
    make(
        run, tmp_path / "two.db", intruders=str(tmp_path / "names.txt"), by_area="sex", scenario="stranger", targets=40
    )
    assert {card["sex"] for card in _shown(tmp_path / "two.db").values()} == {"f"}
    (tmp_path / "names.txt").write_text("Ada\t\tCeeby\n")  # whoever lived there was suppressed
    with pytest.raises(InputError, match=r"D486.*Ceeby"):
        make(run, tmp_path / "three.db", intruders=str(tmp_path / "names.txt"), by_area="town")
    for key in ("nothing", "ill", "town"):
        with pytest.raises(InputError, match="D486"):
            make(run, tmp_path / "four.db", by_area=key, scenario="stranger")


def test_an_area_may_be_as_released(run: Path, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Ada\t\t0-39\n")
    make(run, tmp_path / "test.db", intruders=str(tmp_path / "names.txt"), by_area="age", targets=10, decoys=0.4)
    assert max(int(card["age"]) for card in _shown(tmp_path / "test.db").values()) < 40


def test_too_few_people_of_an_area_are_told_to_the_custodian(run: Path, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("Ada\t\t33\n")
    made = make(run, tmp_path / "test.db", intruders=str(tmp_path / "names.txt"), by_area="age", targets=9, decoys=0.0)
    there = sum(person["age"] == "33" for person in _people(run))
    assert there == made.facts.cards < 9
    assert f"{9 - there} targets fewer than asked for" in made.decoys


def test_strata_are_by_how_rare_people_are_in_the_original(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    people = _people(run)
    sizes = Counter((p["age"], p["sex"], p["town"]) for p in people)
    made = make(run, place, strata="unique=4,pair=3,safe=2", decoys=0.25)
    rows = _ask(place, "SELECT target, stratum, decoy FROM truth_target")
    assert Counter(stratum for _, stratum, _ in rows)["control"] == 3
    cards = _shown(place)
    for number, stratum, decoy in rows:
        card = cards[int(str(number))]
        many = sizes[card["age"], card["sex"], card["town"]]
        assert stratum == ("control" if decoy else {1: "unique", 2: "pair"}.get(many, "safe"))
    found = Counter(str(stratum) for _, stratum, _ in rows)
    for name, wanted in (("unique", 4), ("pair", 3), ("safe", 2)):
        if found[name] < wanted:
            assert f"{found[name]} of {wanted} targets are {name}" in made.decoys
    assert sum(found[name] for name in ("unique", "pair", "safe")) > 3
    # By chance, the stratum is noted all the same.
    make(run, tmp_path / "any.db", targets=10)
    assert "" not in {row[0] for row in _ask(tmp_path / "any.db", "SELECT stratum FROM truth_target")}
    for options in ({"strata": "unique=0"}, {"strata": "safe=501"}, {"strata": "safe=1", "riskiest": True}):
        with pytest.raises(InputError, match="D487"):
            make(run, tmp_path / "no.db", **options)


def test_what_is_rare_counts_people_and_not_records(tmp_path: Path) -> None:
    """Two records of one person are one person, who is unique."""
    release(tmp_path)
    plan = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    plan["data"]["unit"] = "name"
    lines = (tmp_path / "people.csv").read_text().splitlines()
    (tmp_path / "people.csv").write_text(
        "\n".join([*lines, *(line.replace(",n", ",m") for line in lines[1:121])]) + "\n"
    )
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    folder = ic.run(tmp_path / "plan.yaml").folder
    make(folder, tmp_path / "test.db", targets=60, decoys=0.0)
    people = {(p["name"], p["age"], p["sex"], p["town"]) for p in _people(folder)}
    sizes = Counter(person[1:] for person in people)
    cards = _shown(tmp_path / "test.db")
    for number, stratum in _ask(tmp_path / "test.db", "SELECT target, stratum FROM truth_target"):
        card = cards[int(str(number))]
        assert stratum == {1: "unique", 2: "pair"}.get(sizes[card["age"], card["sex"], card["town"]], "safe")


def test_some_cards_each_and_500_intruders(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    made = make(run, place, intruders="500", targets=20, cards_each=5)
    many = Counter(row[0] for row in _ask(place, "SELECT target FROM dealt"))
    assert set(many.values()) == {125}
    assert {row[0] for row in _ask(place, "SELECT count(*) FROM dealt GROUP BY intruder")} == {5}
    assert made.facts.teams[0].cards == 5
    made = make(run, tmp_path / "two.db", intruders="3", targets=6, cards_each=3)
    assert "3 cards go to one intruder only" in made.decoys
    with pytest.raises(InputError, match="D485"):
        make(run, tmp_path / "three.db", intruders="3", targets=6, cards_each=1)
    with pytest.raises(InputError, match="D485"):
        make(run, tmp_path / "four.db", cards_each=0)


def test_the_next_round_knows_the_release_of_the_one_before(run: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "one.db", tmp_path / "two.db"
    made = make(run, first)
    assert (made.facts.round, made.facts.earlier) == (1, "")
    made = make(run, second, after=str(first))
    assert (made.facts.round, made.facts.earlier) == (2, made.facts.sha256)
    with opened(str(second)) as store:
        scores = score(material(store), 0)
        keep_scores(store, scores)
        (tmp_path / "scores.json").write_text(dump_scores(scores))
        erase(store)
    for place in (second, tmp_path / "scores.json"):  # also when it was erased
        assert make(run, tmp_path / f"{place.name}.db", after=str(place)).facts.round == 3
    (tmp_path / "bad.json").write_text("{}")
    for place in ("bad.json", "people.csv", "nothing.db"):
        with pytest.raises(InputError, match="D488"):
            make(run, tmp_path / "no.db", after=str(tmp_path / place))
    with pytest.raises(InputError, match="D488") as fault:
        make(run, tmp_path / "no.db", after="postgresql://canary:secret@host/x")
    assert "canary" not in str(fault.value)
