"""Who could be on a card: also where cells are blank or coarser, by what the card says and never by the truth."""

from __future__ import annotations

import csv
import html
import json
import random
import re
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from intruder_cases import Friend, make, serving
from people import plan_with, write_case
from sqlalchemy import insert, update

import incrowd as ic
from incrowd.intruder_test.browse import coarser
from incrowd.intruder_test.custodian import material, opened
from incrowd.intruder_test.likeness import Likeness, parse_looks
from incrowd.intruder_test.schema import ReleasedColumn, claim, intruder
from incrowd.intruder_test.scoring import score
from incrowd.pipeline.trace import trace_release

TOWNS = {"Ayton": "North", "Beeford": "North", "Ceeby": "South", "Deeham": "South", "Eaton": "South"}
KEYS = ("age", "sex", "town")


def _run(folder: Path, steps: list[dict[str, Any]]) -> Path:
    """A file of 150 people, many of them alone in what is known of them."""
    variables = {key: {"role": "key", "reason": "known"} for key in KEYS} | {
        "ill": {"role": "sensitive", "reason": "private"},
        "note": {"role": "other", "reason": "tells who it is, here"},
    }
    scenarios = [{"name": "neighbour", "keys": list(KEYS)}]
    path = write_case(folder, plan_with(variables=variables, steps=steps, scenarios=scenarios))
    draw = random.Random(5)
    lines = ["age,sex,town,ill,note"]
    for i in range(150):
        town = draw.choices(list(TOWNS), [8, 4, 2, 1, 1])[0]
        lines.append(f"{draw.randrange(20, 60)},{draw.choice('fm')},{town},{draw.choice('yn')},n{i}")
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    return ic.run(path).folder


BLANKED = [{"step": "recode", "variable": "age", "bands": ["0", "40", "80"]}, {"step": "suppress_cells", "k": 3}]
LOCAL = [
    {
        "step": "search",
        "local": True,
        "hierarchies": {"age": {"widths": [10, 20]}, "town": {"mappings": [TOWNS]}},
    }
]


@pytest.fixture(scope="module")
def blanked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _run(tmp_path_factory.mktemp("blanked"), BLANKED)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _run(tmp_path_factory.mktemp("local"), LOCAL)


def _released(run: Path) -> list[dict[str, str]]:
    with (run / "release" / "people.csv").open() as file:
        return list(csv.DictReader(file))


def _can_be(key: str, value: str, label: str) -> bool:
    """Whether a label can be a value, said as it is, more coarsely or not at all. Written apart from the code."""
    if label in ("", "*") or label == value:
        return True
    if key == "town":
        return label == TOWNS[value]
    if key == "age" and (found := re.fullmatch(r"(\d+)-(\d+)", label)):
        return int(found[1]) <= int(value) <= int(found[2])
    return False


def _cards(place: Path) -> dict[int, dict[str, str]]:
    with sqlite3.connect(place) as connection:
        return {n: dict(json.loads(shown)) for n, shown in connection.execute("SELECT id, shown FROM target")}


@pytest.mark.parametrize("case", ["blanked", "local"])
def test_fits_and_guess_count_blank_and_coarser_cells(
    case: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    run: Path = request.getfixturevalue(case)
    released = _released(run)
    coarse = sum(record[key] in ("", "*", "North", "South") for record in released for key in KEYS)
    assert coarse > 5  # otherwise nothing is tested
    make(run, tmp_path / "test.db", targets=40, decoys=0.25)
    with opened(str(tmp_path / "test.db")) as store:
        truths = material(store).truths
    hidden = 0
    for number, card in _cards(tmp_path / "test.db").items():
        fits = [n for n, r in enumerate(released, start=1) if all(_can_be(k, card[k], r[k]) for k in KEYS)]
        truth = truths[number]
        assert truth.fits == len(fits)
        if not truth.decoy:
            assert truth.records[0] in fits  # a release that only coarsens hides nobody from what could be theirs
            assert truth.guess == pytest.approx(1 / len(fits))
            own = released[truth.records[0] - 1]
            hidden += any(own[key] in ("", "*", "North", "South") for key in KEYS)
    assert hidden > 0


@pytest.mark.parametrize("case", ["blanked", "local"])
def test_the_page_of_a_card_shows_all_who_could_be_it_and_the_best_first(
    case: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    run: Path = request.getfixturevalue(case)
    released = _released(run)
    place = tmp_path / "test.db"
    made = make(run, place, targets=12, intruders="1")
    with serving(place) as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
        cards = _cards(place)
        for number, card in list(cards.items())[:6]:
            fits = {n for n, r in enumerate(released, start=1) if all(_can_be(k, card[k], r[k]) for k in KEYS)}
            page = html.unescape(friend.get("/records", like=number).text)
            assert f"{len(fits):,} of {len(released)} records could be this person" in page
            shown = [int(found) for found in re.findall(r'<th scope="row" class="number">(\d+)</th>', page)]
            assert set(shown) <= fits
            assert len(shown) == min(len(fits), 50)
            band = {"age": "0-39" if int(card["age"]) < 40 else "40-79"} if case == "blanked" else {}
            said = {**card, **band}
            exact = [sum(released[n - 1][key] == said[key] for key in KEYS) for n in shown]
            assert exact == sorted(exact, reverse=True)
            told = re.search(r"(\d+) of them says? every key just as the card does", page)
            assert told is None if not fits else told is not None
        assert friend.get("/records", like=len(cards) + 1).status_code == 404
        assert friend.get("/records", like="0").status_code == 200  # no card at all: all records


def test_a_free_search_also_finds_what_is_blank_or_coarser(local: Path, tmp_path: Path) -> None:
    released = _released(local)
    place = tmp_path / "test.db"
    made = make(local, place, intruders="1")
    with serving(place) as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
        for town in ("Ayton", "Beeford"):
            plainly = friend.get("/records", f2=f"={town}").text
            widely = friend.get("/records", f2=f"={town}", wide="yes").text
            exact = sum(record["town"] == town for record in released)
            could = sum(_can_be("town", town, record["town"]) for record in released)
            assert could > exact
            assert f"{exact} of {len(released)} records fit" in plainly
            assert f"{could} of {len(released)} records fit" in widely
            assert f"town is {town}, or could be" in widely


def test_what_could_be_is_the_same_whoever_was_released_under_it(local: Path) -> None:
    """The truth under a label is never asked: with other people behind the same release the answer is the same."""
    with trace_release(local) as traced:
        situation = traced.situation()
        behind = {"town": {"North": frozenset({"Ayton", "Beeford"}), "South": frozenset({"Ceeby", "Deeham", "Eaton"})}}
        turned = replace(situation, lines=situation.lines[::-1].copy())
        for value in TOWNS:
            looks = [Likeness(one, behind).look("town", {value}).labels for one in (situation, turned)]
            assert looks[0] == looks[1]
            assert set(looks[0]) & {"North", "South"} <= {TOWNS[value]}


def test_a_name_that_nobody_explains_can_be_anybody(local: Path) -> None:
    with trace_release(local) as traced:
        likeness = Likeness(traced.situation(), {})
        for value in TOWNS:
            assert {"North", "South"} & set(likeness.codes["town"]) <= set(likeness.look("town", {value}).labels)


def test_nothing_is_loose_where_the_plan_blanks_nothing(tmp_path: Path) -> None:
    """A value that was missing in the original is not a blank that hides somebody."""
    variables = {"sex": {"role": "key", "reason": "known"}, "note": {"role": "other", "reason": "harmless"}}
    plan = plan_with(variables=variables, steps=[{"step": "suppress_records"}])
    path = write_case(tmp_path, plan)
    (tmp_path / "people.csv").write_text("sex,note\n" + "f,a\n" * 10 + "m,b\n" * 10 + ",c\n" * 10)
    run = ic.run(path).folder
    make(run, tmp_path / "test.db", targets=30, decoys=0.0)
    with opened(str(tmp_path / "test.db")) as store:
        found = material(store)
    for number, card in _cards(tmp_path / "test.db").items():
        # Of whom nothing is known, that can be anybody.
        assert found.truths[number].fits == (30 if card["sex"] is None else 10)


def test_coarser_values_of_a_column() -> None:
    column = ReleasedColumn("age", "text", True, coarse={"30-39": ("31",), "*": (), "North": ("Ayton",), "35+": ()})
    assert coarser(column, "31") == ["30-39", "*"]
    assert coarser(column, "37") == ["30-39", "*", "35+"]
    assert coarser(column, "30-39") == ["*"]
    assert coarser(column, "Ayton") == ["*", "North"]
    assert coarser(column, "nobody") == ["*"]


def test_luck_among_those_who_fit_knows_of_blanks(blanked: Path, tmp_path: Path) -> None:
    """The shares of a variable are those of all records that could be the card's person, none left out."""
    released = _released(blanked)
    place = tmp_path / "test.db"
    make(blanked, place, targets=20, decoys=0.0)
    cards = _cards(place)
    with opened(str(place)) as store:
        truths = material(store).truths
        with store.writing() as connection:
            connection.execute(update(intruder).values(started=1))
            for number in truths:
                values = {"intruder": 1, "nonce": str(number), "filed": 1, "changed": 1, "withdrawn": False}
                values |= {"who": "", "confidence": 50, "kinds": "[]", "sources": "", "link": "", "used": "[]"}
                connection.execute(
                    insert(claim).values(target=number, attribute="ill", value="y", reasoning="r", **values)
                )
        found = material(store)
    for number, card in cards.items():
        own = [r["ill"] for r in released if all(_can_be(k, card[k], r[k]) for k in KEYS)]
        shares = sorted((own.count(v) / len(own) for v in set(own)), reverse=True)
        assert found.shares[number, "ill"] == pytest.approx(tuple(shares))
    assert score(found, 0).by_fit is not None


def test_looks_are_of_what_the_card_shows(blanked: Path, tmp_path: Path) -> None:
    """Two cards that show the same look the same, targets and decoys alike."""
    make(blanked, tmp_path / "test.db", targets=100, decoys=0.4)
    by_value: dict[tuple[str, str], set[tuple[Any, ...]]] = {}
    with sqlite3.connect(tmp_path / "test.db") as connection:
        for shown, looks in connection.execute("SELECT shown, looks FROM target"):
            told = dict(json.loads(shown))
            for look in parse_looks(looks):
                by_value.setdefault((look.key, told[look.key]), set()).add((look.labels, look.exact))
    assert len(by_value) > 20
    assert {len(found) for found in by_value.values()} == {1}
