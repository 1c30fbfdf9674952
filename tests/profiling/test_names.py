"""Names that many people share: suggested as identifiers with care, and things called after people left alone."""

import csv
import random
from pathlib import Path

import pytest

from incrowd.profiling import Column, profile
from incrowd.rows import open_source


def by_name(folder: Path, columns: dict[str, list[str]]) -> dict[str, Column]:
    """The profile of a file with these columns."""
    path = folder / "people.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return {column.name: column for column in profile(open_source(path)).columns}


SURNAMES = ["Smith", "Jones", "Patel", "Khan", "Evans", "Wilson", "Roberts", "Murphy", "Nguyen", "Hughes"]


@pytest.mark.parametrize(
    ("records", "names"),
    [
        (5000, [f"{one}{end}" for one in SURNAMES for end in ("", "-Khan", "-Evans", "-Patel")] * 8),
        (100, [f"{one}{end}" for one in SURNAMES for end in ("", "-Khan", "-Evans", "-Patel")]),
        (2000, SURNAMES),
    ],
)
def test_few_surnames_that_many_share_are_an_identifier_by_name_or_look(
    tmp_path: Path, records: int, names: list[str]
) -> None:
    each = random.Random(5).choices(names, k=records)
    columns = dict.fromkeys(("surname", "Family name", "last", "v7", "family", "name", "Nachname"), each)
    found = by_name(tmp_path, columns)
    assert {name: one.role for name, one in found.items()} == dict.fromkeys(columns, "identifier")
    assert "look like names of people" in found["family"].reason
    assert not found["family"].certain


def test_words_that_nothing_tells_from_names_are_identifiers_until_somebody_decides(tmp_path: Path) -> None:
    letters = "bcdfghklmn"
    strange = [f"{a.upper()}o{b}ru" for a in letters for b in letters]
    found = by_name(tmp_path, {"v7": strange * 10, "town": strange * 10, "surname": ["Zoru", "Boku"] * 500})
    assert (found["v7"].role, found["v7"].certain) == ("identifier", False)
    assert found["town"].role == "key"
    assert (found["surname"].role, found["surname"].certain) == ("identifier", False)
    assert "so few values" in found["surname"].reason


def test_things_that_people_gave_their_names_to_are_not_taken_for_people(tmp_path: Path) -> None:
    random.seed(1)
    columns = {
        "work": ["Baker", "Cook", "Mason", "Clerk", "Nurse", "Driver", "Smith"],
        "product name": ["aspirin", "gel"],
        "v1": ["Married", "Single", "Widowed", "Divorced", "Other"],
    }
    found = by_name(tmp_path, {name: random.choices(each, k=1000) for name, each in columns.items()})
    assert {one.role for one in found.values()} == {"key"}
