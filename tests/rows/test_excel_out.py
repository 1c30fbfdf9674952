"""An Excel release: what was there, letter by letter, no formula, no trace of when and by whom."""

import zipfile
from collections import Counter
from pathlib import Path

import openpyxl
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case
from steps import rows_of

import incrowd as ic
from incrowd.release.recount import read_back
from incrowd.rows import excel_out, open_source
from incrowd.rows.excel_out import refuse_for_excel, whole_numbers, write_excel

ODD = [
    "007",
    "=1+1",
    "@SUM(A1)",
    "1.50",
    "-5",
    "<&>",
    "a\nb",
    " x ",
    "ü",
    "😀",
    "1e3",
    "2024-05-31",
    "TRUE",
    "'q",
    None,
]
CELLS = st.sampled_from(ODD) | st.integers(-5, 10**16).map(str) | st.text(max_size=5)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=3))
def test_what_is_written_is_read_letter_by_letter_or_refused(tmp_path_factory, columns):
    given_columns = {f"c{i}": cells for i, cells in enumerate(columns)}
    rows, file = rows_of(given_columns), tmp_path_factory.mktemp("sheet") / "data.xlsx"
    try:
        refuse_for_excel(rows)
    except ic.InputError as refusal:
        assert refusal.code in ("D370", "D371")
        return
    write_excel(rows, whole_numbers(rows), file)
    count, again = read_back(file, "xlsx"), open_source(file)
    assert count.records == 3
    for name, cells in given_columns.items():
        assert count.people([name]) == {(value,): n for value, n in Counter(cells).items()}
        assert again.value_counts(name) == Counter(cells)


def test_no_cell_is_a_formula_and_whole_numbers_are_numbers(tmp_path):
    rows = rows_of({"f": ["=1+1", "@x"], "n": ["12", "-3"], "c": ["007", "008"], "=head": ["1" * 16, "2"]})
    write_excel(rows, whole_numbers(rows), tmp_path / "x.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "x.xlsx").active
    kinds = [[cell.data_type for cell in row] for row in sheet.iter_rows()]
    assert not any("f" in row for row in kinds)
    assert [kind == "n" for kind in kinds[1]] == [False, True, False, False]
    assert [cell.value for cell in sheet[2]] == ["=1+1", 12, "007", "1" * 16]
    assert b"<f" not in zipfile.ZipFile(tmp_path / "x.xlsx").read("xl/worksheets/sheet1.xml")


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"x": ["", "a"]}, "D370"),
        ({"x": ["a\x0bb"]}, "D370"),
        ({"x": ["a\rb"]}, "D370"),
        ({"x": ["_x0041_"]}, "D370"),
        ({"a\x0bb": ["a"]}, "D370"),
        ({"x": ["a" * 32_768]}, "D369"),
        ({"x": ["\U0001f600" * 16_384]}, "D369"),
        ({"x": [None, "a"], "y": [None, "b"]}, "D371"),
    ],
)
def test_what_excel_cannot_hold_is_refused_before_it_is_written(columns, code):
    with pytest.raises(ic.InputError, match=code) as refusal:
        refuse_for_excel(rows_of(columns))
    assert "_x0041_" not in str(refusal.value)


def test_too_many_records_and_columns_are_refused(monkeypatch):
    monkeypatch.setattr(excel_out, "LINES", 4)
    refuse_for_excel(rows_of({"x": ["1", "\U0001f600" * 16_383 + "a", "\u20ac" * 32_767]}))
    with pytest.raises(ic.InputError, match=r"D369.* 4 records"):
        refuse_for_excel(rows_of({"x": ["1", "2", "3", "4"]}))
    monkeypatch.setattr(excel_out, "COLUMNS", 1)
    with pytest.raises(ic.InputError, match=r"D369.* 2 columns"):
        refuse_for_excel(rows_of({"x": ["1"], "y": ["1"]}))


@pytest.mark.slow
def test_a_release_in_excel_is_counted_reproduced_and_has_no_author(tmp_path):
    plan = write_case(tmp_path, plan_with(release={"format": "xlsx", "name": "people"}))
    run = ic.run(plan)
    file = Path(run.release) / "people.xlsx"
    with zipfile.ZipFile(file) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert not [name for name in archive.namelist() if "docProps" in name]
    found = open_source(file)
    counts = Counter(tuple(row.values()) for row in found.collect(found.table.select("age", "sex")).to_pylist())
    assert min(counts.values()) >= 3
    assert set(found.value_counts("note")) == {f"00{i}" for i in range(7)}
    assert "spreadsheetml.sheet" in (Path(run.release) / "datapackage.json").read_text()
    assert ic.reproduce(run.release).same


def test_the_gate_counts_the_sheet(tmp_path):
    plan = write_case(tmp_path, plan_with(release={"format": "xlsx", "name": "people"},
                                          steps=[{"step": "drop", "variables": ["name"]}]))  # fmt: skip
    with pytest.raises(ic.NotReleasable, match="R001"):
        ic.run(plan)
