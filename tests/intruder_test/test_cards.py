"""Target cards and decoys: true to the original, and only as much as the scenario grants."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
import yaml
from intruder_cases import make, release

import incrowd as ic
from incrowd.errors import InputError
from incrowd.intruder_test.custodian import material, opened
from incrowd.intruder_test.scoring import score
from incrowd.report.tested import intruder_report


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


def _fitting(card: dict[str, str], released: list[dict[str, str]]) -> int:
    """How many records fit a card, by the bands of the plan."""
    band = "0-39" if int(card["age"]) < 40 else "40-79"
    return sum((r["age"], r["sex"], r["town"]) == (band, card["sex"], card["town"]) for r in released)


@pytest.mark.slow
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
        if truth.decoy:
            # Those who were suppressed live in a town that nobody in the release lives in: no card may tell of it.
            assert (truth.records, truth.guess) == ((), 0)
            assert card not in [{key: person[key] for key in card} for person in people]
            assert truth.fits == _fitting(card, released) > 0
        else:
            person = by_note[str(truth.values["note"])]
            assert card == {key: person[key] for key in card}
            (record,) = truth.records
            assert released[record - 1]["note"] == person["note"]
            same = [r for r in released if all(r[k] == released[record - 1][k] for k in card)]
            assert truth.guess == pytest.approx(1 / len(same))


@pytest.mark.slow
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


@pytest.mark.slow
def test_decoys_from_a_register(run: Path, tmp_path: Path) -> None:
    register = tmp_path / "register.csv"
    first = _people(run)[0]
    known = f"{first['age']},{first['sex']},{first['town']}\n"
    there = {(person["age"], person["sex"], person["town"]) for person in _people(run)}
    # Two who could be in the release, one who is, and two with a value that nobody in the release has.
    assert not there & {("33", "f", "Ayton"), ("34", "m", "Ayton")}
    others = "33,f,Ayton\n34,m,Ayton\n33,m,Deeford\n91,f,Ayton\n"
    register.write_text("age,sex,town\n" + known + others)
    made = make(run, tmp_path / "test.db", targets=6, decoys=0.5, register=register)
    assert "1 fewer than asked for" in made.decoys
    with opened(str(tmp_path / "test.db")) as store:
        truths = material(store).truths
    decoys = [card for number, card in _cards(tmp_path / "test.db").items() if truths[number].decoy]
    assert sorted(card["age"] for card in decoys) == ["33", "34"]
    # With names on the cards, decoys have names too; otherwise everybody could tell them.
    with pytest.raises(InputError, match="D228"):
        make(run, tmp_path / "named.db", register=register, names=("name",))
    register.write_text("name,age,sex,town\nNobody,33,f,Ayton\n")
    make(run, tmp_path / "named.db", register=register, names=("name",))
    assert "Nobody" in {card["name"] for card in _cards(tmp_path / "named.db").values()}
    register.write_text("age,sex\n1,f\n")
    with pytest.raises(InputError, match="D228"):
        make(run, tmp_path / "other.db", register=register)


def _run_again(folder: Path, lines: list[str], **changes: object) -> Path:
    """Another run of the case, with these people and these fields of the plan."""
    plan = yaml.safe_load((folder / "plan.yaml").read_text())
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "plan.yaml").write_text(yaml.safe_dump({**plan, **changes}, sort_keys=False))
    return ic.run(folder / "plan.yaml").folder


@pytest.mark.slow
def test_where_only_misfits_can_be_made_up_nothing_is_called_a_false_positive_rate(tmp_path: Path) -> None:
    release(tmp_path)
    lines = (tmp_path / "people.csv").read_text().splitlines()
    # One age for the young, one for the old, and nobody of the young lives in Beeford: only that can be made up.
    people = [re.sub(r",\d+,", ",30," if i % 50 < 20 else ",50,", line, count=1) for i, line in enumerate(lines[1:121])]
    kept = [line for line in people if "Beeford" not in line or ",50," in line]
    run = _run_again(tmp_path, [lines[0], *kept])
    assert len(_released(run)) == len(kept)
    made = make(run, tmp_path / "test.db", targets=6, decoys=1 / 3)
    assert "2 made up from released values" in made.decoys
    assert "2 of them fit no released record" in made.decoys
    assert "no false-positive rate" in made.protocol
    named = make(run, tmp_path / "named.db", names=("name",))
    assert named.decoys.startswith("no decoys: nobody who is not released")
    with opened(str(tmp_path / "test.db")) as store:
        found = material(store)
    for number, card in _cards(tmp_path / "test.db").items():
        if found.truths[number].decoy:
            assert (card["age"], card["town"]) == ("30", "Beeford")
    scores = score(found, 0)
    assert (scores.decoys, scores.decoys_fitting, scores.decoy_pairs) == (2, 0, (0, 0))
    assert any("fits no released record: 2" in note for note in scores.notes)
    page = intruder_report(scores)
    assert "records claimed for decoys</th>" not in page
    assert "not measured: no decoy has a card that fits a record" in page


@pytest.mark.slow
def test_who_was_suppressed_with_the_whole_class_is_no_decoy_where_better_ones_are(tmp_path: Path) -> None:
    release(tmp_path)
    lines = (tmp_path / "people.csv").read_text().splitlines()
    # Two young women in Beeford are too few: each of their values is in the release, and no record fits them.
    young = [line for line in lines[1:121] if re.search(r",[23]\d,f,Beeford,", line)]
    run = _run_again(tmp_path, [line for line in lines[:121] if line not in young[2:]])
    released = _released(run)
    assert len(released) == 120 - len(young)
    made = make(run, tmp_path / "test.db", targets=6, decoys=1 / 3)
    assert made.decoys.startswith("2 decoys: 2 made up")
    assert all(_fitting(card, released) for card in _cards(tmp_path / "test.db").values())


@pytest.mark.slow
def test_decoys_are_people_who_could_be_in_the_release(tmp_path: Path) -> None:
    """Of a sample, those who were not drawn and whose class is there; never with a value that nobody released has."""
    release(tmp_path)
    lines = (tmp_path / "people.csv").read_text().splitlines()
    steps = yaml.safe_load((tmp_path / "plan.yaml").read_text())["steps"]
    run = _run_again(tmp_path, lines, steps=[{"step": "sample", "fraction": 0.6}, *steps])
    people, released = _people(run), _released(run)
    assert len(released) < 100
    inside = {record["note"] for record in released}
    usual = {key: {p[key] for p in people if p["note"] in inside} for key in ("age", "sex", "town")}
    made = make(run, tmp_path / "test.db", targets=30, decoys=0.5)
    assert made.decoys == "15 decoys: 15 from the original and not released"
    with opened(str(tmp_path / "test.db")) as store:
        truths = material(store).truths
    for number, card in _cards(tmp_path / "test.db").items():
        assert all(card[key] in usual[key] for key in usual)
        assert truths[number].fits == _fitting(card, released) > 0
        if truths[number].decoy:
            assert truths[number].values["note"] not in inside


def test_the_same_title_gives_the_same_targets_and_another_others(run: Path, tmp_path: Path) -> None:
    for name, title in (("a", "one"), ("b", "one"), ("c", "two")):
        make(run, tmp_path / name, title=title, targets=10)
    found = {name: _cards(tmp_path / name) for name in "abc"}
    assert found["a"] == found["b"] != found["c"]


@pytest.mark.slow
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
