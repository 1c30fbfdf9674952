"""Does the demo file behave like the study's file, and is it the same file for everybody?"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from statistics import fmean, median, stdev

import pyarrow.parquet as pq
import pytest
from shared import SHARED, needs_shared

from incrowd.demo import REFERENCE_DAY, REGIONS, region_of_district, write_demo, write_regions_lookup
from incrowd.demo.places import places
from incrowd.errors import InputError

Row = dict[str, str]
COLUMNS = [
    *("name", "area", "postcode", "dob", "age", "gender", "marital_status", "num_children", "qualifications"),
    *("occupation", "income", "on_benefits", "home_ownership", "credit_score"),
]
KEYS = ("area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation")

# The study, table by table: what is recoded, then how many classes and uniques there are.
PAIRS = {"5": "4", "7": "6", "9": "8"}
RECODED: dict[str, Callable[[str], str]] = {
    "area": region_of_district().__getitem__,
    "age": lambda value: str(sum(int(value) >= start for start in (30, 45, 60))),
    "marital_status": lambda value: {"divorced": "previously", "widowed": "previously"}.get(value, value),
    "num_children": lambda value: str(min(1, int(value)) + (int(value) >= 4)),
    "qualifications": lambda value: (
        "lower" if value.startswith("Level") else {"Apprenticeship": "higher", "BA": "higher"}.get(value, value)
    ),
    "occupation": lambda value: PAIRS.get(value.split()[0], value.split()[0]),
}
FIGURES = {
    "": (97_358, 95_426),
    "area": (81_432, 71_623),
    "age": (39_622, 21_572),
    "marital_status": (36_850, 18_455),
    "num_children": (22_472, 7_485),
    "qualifications": (12_827, 3_489),
    "occupation": (9_911, 2_561),
}


def read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    path = tmp_path_factory.mktemp("demo") / "people.csv"
    write_demo(path)
    return read(path)


def classes(rows: list[Row], recoded: list[str]) -> list[tuple[str, ...]]:
    """The class of every row, when these keys are recoded."""
    columns = []
    for key in KEYS:
        column = [row[key] for row in rows]
        if key in recoded:
            to = {value: RECODED[key](value) for value in set(column)}
            column = [to[value] for value in column]
        columns.append(column)
    return list(zip(*columns, strict=True))


@pytest.mark.slow
def test_as_many_classes_and_uniques_as_in_the_study(people: list[Row]) -> None:
    recoded: list[str] = []
    for step, (all_classes, uniques) in FIGURES.items():
        recoded += [step] if step else []
        sizes = Counter(classes(people, recoded)).values()
        assert len(sizes) == pytest.approx(all_classes, rel=0.15), step
        assert sum(size == 1 for size in sizes) == pytest.approx(uniques, rel=0.15), step


def test_as_many_rows_lost_as_in_the_study(people: list[Row]) -> None:
    of_row = classes(people, list(RECODED))
    size = Counter(of_row)
    for k, lost in zip(range(2, 12), (2561, 4925, 6911, 8751, 10761, 12723, 14767, 17039, 19658, 22428), strict=True):
        assert sum(n for n in size.values() if n < k) == pytest.approx(lost, rel=0.2), k
    takers, owners = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for row, of in zip(people, of_row, strict=True):
        takers[of] += row["on_benefits"] == "Yes"
        owners[of] += row["home_ownership"] == "Yes"
    one_sided = sum(n for of, n in size.items() if n >= 9 and (takers[of] == n or owners[of] == 0))
    assert 2_000 < one_sided < 9_000  # the study: 4,185


def test_the_columns_hold_what_they_say(people: list[Row]) -> None:
    assert len(people) == 100_000
    assert list(people[0]) == COLUMNS
    assert {row["gender"] for row in people} == {"Female", "Male"}
    assert {row["marital_status"] for row in people} == {"never married", "married", "divorced", "widowed"}
    assert {int(row["num_children"]) for row in people} == set(range(10))
    assert {int(row["occupation"].split()[0]) for row in people} == set(range(1, 11))
    assert {row["on_benefits"] for row in people} == {row["home_ownership"] for row in people} == {"Yes", "No"}
    assert all(0 <= int(row["credit_score"]) <= 999 for row in people)
    assert all(int(row["income"]) > 0 for row in people)


def test_age_is_what_the_date_of_birth_says(people: list[Row]) -> None:
    for row in people:
        born = date.fromisoformat(row["dob"])
        birthday_to_come = (born.month, born.day) > (REFERENCE_DAY.month, REFERENCE_DAY.day)
        assert int(row["age"]) == REFERENCE_DAY.year - born.year - birthday_to_come
    assert {int(row["age"]) for row in people} == set(range(16, 96))


def test_postcodes_have_all_six_formats_and_lie_in_their_district(people: list[Row]) -> None:
    formats = set()
    valid = re.compile(r"[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][ABD-HJLNP-UW-Z]{2}")
    outward = {district: set(places().outward_of(district)) for district in places().districts}
    for row in people:
        assert valid.fullmatch(row["postcode"])
        assert row["postcode"].split()[0] in outward[row["area"]]
        formats.add(re.sub("[0-9]", "9", re.sub("[A-Z]", "A", row["postcode"])))
    assert formats == {"AA9A 9AA", "A9A 9AA", "A9 9AA", "A99 9AA", "AA9 9AA", "AA99 9AA"}


def test_names_repeat_and_with_the_postcode_hardly_ever(people: list[Row]) -> None:
    names = Counter(row["name"] for row in people)
    assert 10_000 < len(names) < 60_000
    assert names.most_common(1)[0][1] > 50
    assert len({(row["name"], row["postcode"]) for row in people}) > 99_990


def test_income_follows_occupation_schooling_and_age(people: list[Row]) -> None:
    def typical(column: str, value: str) -> float:
        found = [int(row["income"]) for row in people if row[column].startswith(value)]
        return median(found)

    by_occupation = [typical("occupation", f"{number} ") for number in (1, 3, 5, 7, 9, 10)]
    assert by_occupation == sorted(by_occupation, reverse=True)
    levels = ("No qualifications", "Level 2", "Level 3", "BA", "Postgraduate")
    by_schooling = [typical("qualifications", level) for level in levels]
    assert by_schooling == sorted(by_schooling)
    assert typical("age", "18") < typical("age", "45")


def test_money_follows_income(people: list[Row]) -> None:
    def share(column: str, low: int, high: int) -> float:
        return fmean(row[column] == "Yes" for row in people if low <= int(row["income"]) < high)

    assert share("on_benefits", 0, 20_000) > 0.85 > 0.1 > share("on_benefits", 45_000, 10**9)
    assert share("home_ownership", 0, 15_000) < share("home_ownership", 45_000, 10**9)
    scores = {
        value: [int(row["credit_score"]) for row in people if row["on_benefits"] == value] for value in ("Yes", "No")
    }
    assert fmean(scores["No"]) - fmean(scores["Yes"]) > 50


def test_lower_education_means_benefits_least_in_london(people: list[Row]) -> None:
    region, share = region_of_district(), {}
    for name in REGIONS:
        there = [row for row in people if region[row["area"]] == name and row["qualifications"].startswith("Level")]
        share[name] = fmean(row["on_benefits"] == "Yes" for row in there)
    assert min(share, key=share.__getitem__) == "London"
    assert 0.6 < share["London"] < 0.72
    assert 0.77 < max(share.values()) < 0.85


def test_women_earn_less_in_occupations_4_and_5_only(people: list[Row]) -> None:
    for group in ("1", "2", "3", "45", "67", "89", "10"):
        numbers = [group] if group == "10" else list(group)
        pay = {
            gender: [
                int(row["income"])
                for row in people
                if row["gender"] == gender and row["occupation"].split()[0] in numbers
            ]
            for gender in ("Female", "Male")
        }
        error = sum(stdev(found) ** 2 / len(found) for found in pay.values()) ** 0.5
        found_gap = (fmean(pay["Male"]) - fmean(pay["Female"])) / error > 1.96
        assert found_gap == (group == "45"), group


def test_same_seed_same_bytes(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_demo(tmp_path / name, rows=1_000, seed=seed)
    a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
    assert a == b != c
    assert b"\r" not in a
    assert a.endswith(b"\n")
    # Made on one machine, once: another processor, system or NumPy must give the same.
    assert hashlib.sha256(a).hexdigest() == "cdb26313c2a45b5ef27352457791bf97c9081cc99b0e43131ca1b26761b33eef"


def test_a_shorter_file_is_the_beginning_of_a_longer_one(tmp_path: Path) -> None:
    write_demo(tmp_path / "short.csv", rows=70)
    write_demo(tmp_path / "long.csv", rows=100_070)
    short, long = (tmp_path / "short.csv").read_bytes(), (tmp_path / "long.csv").read_bytes()
    assert long.startswith(short)
    assert long.count(b"\n") == 100_071
    assert len(set(long.splitlines())) == 100_071


def test_parquet_holds_the_same_people(tmp_path: Path) -> None:
    write_demo(tmp_path / "people.csv", rows=500)
    write_demo(tmp_path / "people.parquet", rows=500)
    table = pq.read_table(tmp_path / "people.parquet")
    rows = [{key: str(value) for key, value in row.items()} for row in table.to_pylist()]
    assert rows == read(tmp_path / "people.csv")


def test_the_file_is_a_sample_of_its_population(tmp_path: Path) -> None:
    write_demo(tmp_path / "alone.csv", rows=2_003)
    calls: list[tuple[int, int]] = []
    write_demo(
        tmp_path / "people.csv",
        rows=2_003,
        population=tmp_path / "all.csv",
        population_factor=7,
        progress=lambda done, total: calls.append((done, total)),
    )
    sample = (tmp_path / "people.csv").read_text().splitlines()
    everybody = (tmp_path / "all.csv").read_text().splitlines()
    assert (tmp_path / "alone.csv").read_text().splitlines() == sample
    assert everybody[0] == sample[0]
    assert len(everybody) == 7 * 2_003 + 1
    assert not Counter(sample[1:]) - Counter(everybody[1:])
    people = set(sample[1:])
    lines = [number for number, line in enumerate(everybody) if line in people]
    assert min(lines) < 100
    assert max(lines) > 7 * 2_003 - 100
    assert calls[-1] == (8 * 2_003, 8 * 2_003)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_interrupt_leaves_nothing(tmp_path: Path, suffix: str, error: type[BaseException]) -> None:
    (tmp_path / f"people.{suffix}").write_text("an earlier file")

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise error

    with pytest.raises(error):
        write_demo(tmp_path / f"people.{suffix}", rows=100, population=tmp_path / f"all.{suffix}", progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == [f"people.{suffix}"]
    assert (tmp_path / f"people.{suffix}").read_text() == "an earlier file"


def test_bad_arguments_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    with pytest.raises(InputError, match="D090"):
        write_demo(path, rows=0)
    with pytest.raises(InputError, match="D090"):
        write_demo(path, seed=-1)
    with pytest.raises(InputError, match="D090"):
        write_demo(path, population_factor=0, population=tmp_path / "all.csv")
    with pytest.raises(InputError, match="D091"):
        write_demo(path, population=tmp_path / ".." / tmp_path.name / "people.csv")
    with pytest.raises(InputError, match="D092"):
        write_demo(tmp_path / "nowhere" / "people.csv")
    assert not list(tmp_path.iterdir())


def test_the_lookup_of_regions(tmp_path: Path) -> None:
    write_regions_lookup(tmp_path / "regions.csv")
    rows = read(tmp_path / "regions.csv")
    assert {row["district"]: row["region"] for row in rows} == region_of_district()
    assert len(rows) == 318
    assert {row["region"] for row in rows} == set(REGIONS)


@needs_shared
def test_districts_and_regions_are_those_of_the_statistics_office() -> None:
    with (SHARED / "data/geography/LAD23_to_ITL_Jan2021.csv").open(encoding="utf-8-sig", newline="") as stream:
        official = {
            row["LAD23NM"]: row["ITL121NM"].removesuffix(" (England)")
            for row in csv.DictReader(stream)
            if row["LAD23CD"][0] in "EW"
        }
    ours = {
        district: "East" if region == "East of England" else region for district, region in region_of_district().items()
    }
    assert ours == official


@needs_shared
def test_outward_codes_exist() -> None:
    with (SHARED / "data/geography/district_adjacency.csv").open(encoding="utf-8", newline="") as stream:
        real = {code for row in csv.DictReader(stream) for code in row.values()}
    assert set(places().outward) <= real | {code for code in places().outward if re.sub("[A-Z]$", "", code) in real}
