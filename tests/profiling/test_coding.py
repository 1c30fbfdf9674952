"""The profile of coded files: what their codebook says, and what is guessed of codes, scales and missing values."""

import csv
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.profiling import profile
from incrowd.profiling.coding import MARKERS
from incrowd.profiling.measure import MOST_KEYS
from incrowd.rows import open_source
from incrowd.rows.summary import count_markers


def write(path: Path, columns: dict[str, list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def coded(number: int = 300) -> dict[str, list[str]]:
    r = random.Random(4)
    return {
        "v1": [r.choice(["1", "2", "3", "-9"]) for _ in range(number)],
        "Age": [r.choice(["1", "2", "3", "4"]) for _ in range(number)],
        "num_cars": [r.choice(["0", "1", "2"]) for _ in range(number)],
        "v4": [r.choice(["1", "2", "12", "97", "99"]) for _ in range(number)],
        "v5": [r.choice(["1", "2", "X"]) for _ in range(number)],
        "v6": [r.choice(["red", "blue", "Not applicable"]) for _ in range(number)],
        "temperature": [r.choice(["-12", "-9", "0", "4"]) for _ in range(number)],
        "years_old": [str(r.randrange(20, 98)) for _ in range(number)],
        "income": [str(r.randrange(10_000, 90_000)) for _ in range(number)],
    }


def test_codes_are_categories_and_markers_are_missing(tmp_path):
    found = {column.name: column for column in ic.profile(write(tmp_path / "c.csv", coded())).columns}
    assert {name: (column.scale, column.missing_codes) for name, column in found.items()} == {
        "v1": ("nominal", ("-9",)),
        "Age": ("ordinal", ()),
        "num_cars": ("numeric", ()),
        "v4": ("nominal", ("97", "99")),
        "v5": ("nominal", ("X",)),
        "v6": ("nominal", ("Not applicable",)),
        "temperature": ("nominal", ()),  # other negative numbers are amounts, so -9 is one
        "years_old": ("numeric", ()),  # nobody's age is taken for a code
        "income": ("numeric", ()),
    }


def test_a_marker_that_few_records_have_may_be_somebodys_value(tmp_path):
    columns = {"score": ["3", "4", "5"] * 30 + ["-9"]}
    assert ic.profile(write(tmp_path / "c.csv", columns), header=True).columns[0].missing_codes == ()


@given(st.lists(st.sampled_from(["1", "2", "-9", "99", "x", "X", " -9", "n/a", "Anna", ""]), min_size=1, max_size=30))
def test_only_markers_are_fetched_each_with_its_records(values):
    import pyarrow as pa

    (found,) = count_markers(open_source(pa.table({"a": values})), MARKERS)
    assert found == {v: values.count(v) for v in values if v.strip().lower() in MARKERS}


def test_what_the_file_says_of_itself_is_believed(tmp_path):
    rows = open_source(write(tmp_path / "c.csv", coded()))
    book = Codebook(
        titles={"v1": "Marital status", "v4": "In which area of policy should the government do more, and why?"},
        codes={"v1": {"1": "single", "2": "married", "3": "widowed", "-9": "No code required (under 16)"}},
        missing={"v4": ("99",)},
        scales={"v5": "ordinal"},
    )
    found = {column.name: column for column in profile(replace(rows, book=book)).columns}
    v1 = found["v1"]
    assert (v1.title, v1.kind, v1.labels, v1.missing_codes) == ("Marital status", "marital status", 4, ("-9",))
    assert v1.certain
    assert v1.reason.startswith("Its title says marital status")
    assert found["v4"].missing_codes == ("99",)
    assert found["v4"].kind is None  # a long question mentions things that it is not about
    assert found["v5"].scale == "ordinal"
    text = json.dumps(profile(replace(rows, book=book)).to_dict())
    assert "single" not in text
    assert "widowed" not in text


def test_a_file_of_codes(tmp_path):
    data = write(tmp_path / "c.csv", coded())
    codes = tmp_path / "codes.csv"
    codes.write_text("variable,code,label\nv1,1,single\nv1,2,married\nv1,3,widowed\nv1,-9,refused\n")
    column = ic.profile(data, codes=codes).columns[0]
    assert (column.labels, column.scale, column.missing_codes) == (4, "nominal", ("-9",))
    text = ic.init(data, tmp_path / "plan.yaml", codes=codes)
    assert '  codes: "codes.csv"' in text
    assert ic.check(tmp_path / "plan.yaml").plan.data.codes == "codes.csv"
    codes.write_text("variable,code,label\nother,1,single\n")
    with pytest.raises(InputError, match="D360"):
        ic.profile(data, codes=codes)


def test_after_many_keys_what_nothing_tells_is_no_key(tmp_path):
    r = random.Random(2)
    columns = {f"q{i}": [r.choice("123") for _ in range(60)] for i in range(40)} | {"sex": ["f", "m"] * 30}
    found = ic.profile(write(tmp_path / "wide.csv", columns))
    keys = found.with_role("key")
    assert len(keys) == MOST_KEYS
    assert keys[-1].name == "sex"  # its name says it, so it goes before those that stand earlier
    assert {column.role for column in found.columns if not column.certain} == {"key", "sensitive"}


def test_few_days_or_nights_are_counted_and_are_no_codes(tmp_path: Path) -> None:
    columns = {name: [str(i % 9) for i in range(300)] for name in ("sick_days", "Nights in hospital", "mood")}
    found = ic.profile(write(tmp_path / "p.csv", columns), header=True)
    assert [column.scale for column in found.columns] == ["numeric", "numeric", "nominal"]
