"""Target cards and decoys: true to the original, and only as much as the scenario grants."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
import yaml

import incrowd as ic
from incrowd.errors import InputError
from incrowd.intruders.custodian import material, opened
from intruder_cases import make, release


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


def _people(run: Path) -> list[dict[str, str]]:
    with (run.parents[1] / "people.csv").open() as file:
        return list(csv.DictReader(file))


def _released(run: Path) -> list[dict[str, str]]:
    with (run / "release" / "people.csv").open() as file:
        return list(csv.DictReader(file))


def _cards(place: Path) -> dict[int, dict[str, str]]:
    with sqlite3.connect(place) as connection:
        return {n: dict(json.loads(shown)) for n, shown in connection.execute("SELECT id, shown FROM target")}


def test_cards_tell_the_truth_about_people_in_the_release_and_decoys_are_not_in_it(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    make(run, place, targets=12, decoys=0.17)
    people, released = _people(run), _released(run)
    with opened(str(place)) as store:
        truths = material(store).truths
    assert Counter(bool(truth.decoy) for truth in truths.values()) == {False: 10, True: 2}
    by_note = {person["note"]: person for person in people}
    for number, card in _cards(place).items():
        truth = truths[number]
        assert list(card) == ["age", "sex", "town"]
        person = by_note[str(truth.values["note"])]
        assert card == {key: person[key] for key in card}
        if truth.decoy:
            assert truth.records == ()
            assert person["note"] not in {record["note"] for record in released}
            assert truth.guess == 0
        else:
            (record,) = truth.records
            assert released[record - 1]["note"] == person["note"]
            same = [r for r in released if all(r[k] == released[record - 1][k] for k in card)]
            assert truth.guess == pytest.approx(1 / len(same))


def test_a_scenario_with_error_tells_wrong_things(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    make(run, place, targets=100, decoys=0.0, scenario="stranger")
    with opened(str(place)) as store:
        truths = material(store).truths
    wrong = sum(card["sex"] != truths[number].values["sex"] for number, card in _cards(place).items())
    assert 30 <= wrong <= 70  # half of a hundred
    assert all(list(card) == ["sex"] for card in _cards(place).values())


def test_names_only_when_the_custodian_says_so(run: Path, tmp_path: Path) -> None:
    make(run, tmp_path / "test.db", names=("name",))
    people = {person["name"]: person for person in _people(run)}
    for card in _cards(tmp_path / "test.db").values():
        assert people[card["name"]]["town"] == card["town"]
    with pytest.raises(InputError, match="D220"):
        make(run, tmp_path / "other.db", names=("nothing",))


def test_the_riskiest_are_in_the_smallest_classes(run: Path, tmp_path: Path) -> None:
    make(run, tmp_path / "test.db", targets=3, decoys=0.0, riskiest=True)
    released = _released(run)
    sizes = Counter((r["age"], r["sex"], r["town"]) for r in released)
    with opened(str(tmp_path / "test.db")) as store:
        truths = material(store).truths
    for truth in truths.values():
        record = released[truth.records[0] - 1]
        assert sizes[record["age"], record["sex"], record["town"]] == min(sizes.values())


def test_decoys_from_a_register(run: Path, tmp_path: Path) -> None:
    register = tmp_path / "register.csv"
    first = _people(run)[0]
    known = f"{first['age']},{first['sex']},{first['town']}\n"
    register.write_text("age,sex,town\n" + known + "33,m,Deeford\n34,f,Deeford\n")
    made = make(run, tmp_path / "test.db", targets=6, decoys=0.5, register=register)
    assert "1 fewer than asked for" in made.decoys
    with opened(str(tmp_path / "test.db")) as store:
        truths = material(store).truths
    decoys = [card for number, card in _cards(tmp_path / "test.db").items() if truths[number].decoy]
    assert sorted(card["age"] for card in decoys) == ["33", "34"]
    # With names on the cards, decoys have names too; otherwise everybody could tell them.
    with pytest.raises(InputError, match="D228"):
        make(run, tmp_path / "named.db", register=register, names=("name",))
    register.write_text("name,age,sex,town\nNobody,33,m,Deeford\n")
    make(run, tmp_path / "named.db", register=register, names=("name",))
    assert "Nobody" in {card["name"] for card in _cards(tmp_path / "named.db").values()}
    register.write_text("age,sex\n1,f\n")
    with pytest.raises(InputError, match="D228"):
        make(run, tmp_path / "other.db", register=register)


def test_where_everybody_is_released_decoys_are_made_up(tmp_path: Path) -> None:
    run = release(tmp_path)
    lines = (tmp_path / "people.csv").read_text().splitlines()
    plan = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    # Nobody of the young lives in Beeford: a combination that nobody has.
    kept = [line for line in lines[:121] if "Beeford" not in line or int(line.split(",")[1]) >= 40 or line == lines[0]]
    (tmp_path / "people.csv").write_text("\n".join(kept) + "\n")
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    run = ic.run(tmp_path / "plan.yaml").folder
    released = _released(run)
    assert len(released) == len(kept) - 1
    made = make(run, tmp_path / "test.db", targets=6, decoys=1 / 3)
    assert "made-up combinations that no released person fits, because everybody was released" in made.decoys
    named = make(run, tmp_path / "named.db", names=("name",))
    assert named.decoys.startswith("no decoys: everybody was released")
    with opened(str(tmp_path / "test.db")) as store:
        truths = material(store).truths
    for number, card in _cards(tmp_path / "test.db").items():
        if truths[number].decoy:
            assert card["town"] == "Beeford"
            assert int(card["age"]) < 40


def test_the_same_title_gives_the_same_targets_and_another_others(run: Path, tmp_path: Path) -> None:
    for name, title in (("a", "one"), ("b", "one"), ("c", "two")):
        make(run, tmp_path / name, title=title, targets=10)
    found = {name: _cards(tmp_path / name) for name in "abc"}
    assert found["a"] == found["b"] != found["c"]


def test_people_with_several_records(tmp_path: Path) -> None:
    """Every record of the person is the right one, and a decoy has none in the release."""
    path = release(tmp_path)
    plan = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    plan["data"]["unit"] = "name"
    lines = (tmp_path / "people.csv").read_text().splitlines()
    doubled = [lines[0], *lines[1:], *(line.replace(",n", ",m") for line in lines[1:61])]
    (tmp_path / "people.csv").write_text("\n".join(doubled) + "\n")
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    path = ic.run(tmp_path / "plan.yaml").folder
    make(path, tmp_path / "test.db", targets=40, decoys=0.0)
    with opened(str(tmp_path / "test.db")) as store:
        found = material(store)
    released = _released(path)
    owner = {person["note"]: person["name"] for person in _people(path)}
    assert {len(truth.records) for truth in found.truths.values()} == {1, 2}
    for truth in found.truths.values():
        names = {owner[released[number - 1]["note"]] for number in truth.records}
        assert len(names) == 1
        assert len(truth.records) == sum(owner[record["note"]] in names for record in released)
