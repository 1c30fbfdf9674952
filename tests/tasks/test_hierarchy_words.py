"""incrowd hierarchy and incrowd search say in words what levels hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import incrowd_cli

import incrowd as ic


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "jobs.csv"
    jobs = {"1": 4, "2": 5, "3": 30, "4": 40, "5": 50, "-9": 19}
    lines = [f"{job},same,[red]" for job, many in jobs.items() for _ in range(many)]
    path.write_text("\n".join(["job,one,paint", *lines]) + "\n")
    return path


def test_build_and_show_say_what_each_level_holds(file: Path, tmp_path: Path) -> None:
    built = ic.hierarchy_build(file, "job")
    assert built.words[1] == "level 1: 5 groups; 1|2; 3 values as they are; -9 apart"
    assert (
        ic.hierarchy_build(file, "job", scale="ordinal").words[2]
        == "level 2: 4 groups; 1-3 (3 values); 2 values as they are; -9 apart"
    )
    assert ic.hierarchy_build(file, "one").hierarchy.rows == (("same",),)
    out = tmp_path / "job.csv"
    said = incrowd_cli("hierarchy", "build", file, "--key", "job", "--scale", "ordinal", "-o", out).stdout
    assert "declared ordinal" in said
    assert "level 1: 5 groups; 1-2 (2 values)" in said
    assert "-9 apart" in incrowd_cli("hierarchy", "show", out).stdout


def test_search_says_what_the_found_levels_hold(file: Path) -> None:
    found = ic.search(file, ["job", "one", "paint"], [ic.K(9)], auto=True)
    assert found.levels == {"job": 1, "one": 0, "paint": 0}
    assert found.holds is not None
    assert found.holds["job"] == "5 groups; 1|2; 3 values as they are; -9 apart"
    asked = ("search", file, "--keys", "job,one", "--auto", "--k", "9")
    assert "1|2" in incrowd_cli(*asked).stdout
    assert json.loads(incrowd_cli(*asked, "--json").stdout)["holds"]["one"] == "1 value as it is"
    assert ic.search(file, ["job"], [ic.K(9)], auto=True, local=True).holds is None


def test_search_counts_values_that_are_somebodys_and_names_none(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    jobs = {"cook": 20, "clerk": 30, "Xanthippe-Canary": 1, "spy": 2}
    path.write_text("\n".join(["job", *(job for job, many in jobs.items() for _ in range(many))]) + "\n")
    said = incrowd_cli("search", path, "--keys", "job", "--auto", "--k", "3").stdout
    assert "2 rare values" in " ".join(said.split())
    assert "Canary" not in said
    assert "spy" not in said


def test_build_shows_words_of_a_file_of_codes_in_the_order_of_numbers(file: Path, tmp_path: Path) -> None:
    codes = tmp_path / "codes.csv"
    words = {"1": "clerk", "2": "cook", "3": "smith", "4": "baker", "5": "sailor", "-9": "refused"}
    codes.write_text("\n".join(["variable,code,label", *(f"job,{one},{word}" for one, word in words.items())]) + "\n")
    said = incrowd_cli("hierarchy", "build", file, "--key", "job", "--scale", "nominal", "--codes", codes).stdout
    assert "1|2 (clerk, cook)" in said
    shown = [line.strip("│├└─ ") for line in said.splitlines() if " = " in line]
    assert shown == ["1 = clerk", "2 = cook", "3 = smith", "4 = baker", "5 = sailor", "-9 = refused"]
    built = ic.hierarchy_build(file, "job", codes={"1": "clerk"})
    assert [row[0] for row in built.hierarchy.rows] == ["1", "2", "3", "4", "5", "-9"]
    assert built.codes == {"1": "clerk"}
