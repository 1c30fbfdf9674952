"""Excel files: what a cell is, what a file may unpack to, and what is refused with the cell's place."""

import datetime
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from peak import PEAK

from incrowd.errors import InputError
from incrowd.rows import open_source
from incrowd.tasks.verify import verify

SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'


def book(path: Path, *lines: list[Any]) -> Path:
    made = openpyxl.Workbook()
    for line in lines:
        made.active.append(line)
    made.save(path)
    return path


def with_sheet(path: Path, sheet: str | bytes, name: str = SHEET) -> Path:
    """The same file with another sheet in it."""
    with zipfile.ZipFile(path) as old:
        parts = {part.filename: old.read(part) for part in old.infolist()}
    parts[name] = sheet.encode() if isinstance(sheet, str) else sheet
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for part, content in parts.items():
            new.writestr(part, content)
    return path


def cells(path: Path) -> list[tuple[str | None, ...]]:
    rows = open_source(path)
    return [tuple(row.values()) for row in rows.collect(rows.table).to_pylist()]


def refused(path: Path, code: str, *said: str) -> None:
    with pytest.raises(InputError) as caught:
        verify(path, ["a"])
    assert caught.value.code == code, caught.value
    assert all(text in str(caught.value) for text in said), caught.value


def test_a_formula_without_a_stored_result_is_refused_with_its_place(tmp_path):
    path = book(tmp_path / "f.xlsx", ["a", "b"], ["York", 1], ["Leeds", "=1+1"])
    refused(path, "D276", "cell B3 of f.xlsx")


def test_a_formula_with_a_result_is_read_and_an_empty_result_is_missing(tmp_path):
    path = book(tmp_path / "f.xlsx", ["a", "b"], ["x", 1])
    rows = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c><c r="B1" t="inlineStr"><is><t>b</t></is></c></row>'
        '<row r="2"><c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="str"><f>""</f><v></v></c></row>'
        '<row r="3"><c r="A3" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="B3" t="b"><f>TRUE</f><v>1</v></c></row>'
    )
    with_sheet(path, f"{HEAD}<sheetData>{rows}</sheetData></worksheet>")
    assert cells(path) == [("2", None), ("#DIV/0!", "TRUE")]
    with_sheet(path, f"{HEAD}<sheetData>{rows.replace('<v></v>', '')}</sheetData></worksheet>")
    refused(path, "D276", "cell B2")


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, "1"), (1.5, "1.5"), (True, "TRUE"), (datetime.date(2020, 1, 2), "2020-01-02"), (0, "0"), (-3, "-3")],
)
def test_a_value_that_is_there_as_a_text_too_is_refused(tmp_path, one, other):
    path = book(tmp_path / "f.xlsx", ["a", "b"], [one, 1], ["x", 2], [other, 3])
    refused(path, "D278", "column 1 ")


def test_columns_of_several_kinds_are_read_where_no_two_look_alike(tmp_path):
    path = book(tmp_path / "f.xlsx", ["a", "b"], [1, "1"], ["one", "2"], [True, None], [datetime.time(1, 2), "3"])
    assert cells(path) == [("1", "1"), ("one", "2"), ("TRUE", None), ("01:02:00", "3")]


def test_a_file_that_lies_about_its_size_is_read_to_its_end(tmp_path):
    path = book(tmp_path / "f.xlsx", ["a", "b"], *[[f"x{i}", i] for i in range(9)])
    with zipfile.ZipFile(path) as old:
        sheet = old.read(SHEET).decode()
    assert '<dimension ref="A1:B10"' in sheet
    with_sheet(path, sheet.replace('ref="A1:B10"', 'ref="A1:A3"'))
    assert len(cells(path)) == 9
    assert len(cells(path)[0]) == 2


def test_a_cell_beside_the_header_is_refused(tmp_path):
    refused(book(tmp_path / "f.xlsx", ["a", "b"], [1, 2], [1, 2, 3]), "D004", "line 3")
    refused(book(tmp_path / "g.xlsx", ["a", None, "b"], [1, 2, 3]), "D010")
    refused(book(tmp_path / "h.xlsx", [], ["a", "b"], [1, 2]), "D002")


def test_dates_outside_the_calendar_are_neither_told_nor_made_one(tmp_path, recwarn):
    path = book(tmp_path / "f.xlsx", ["a", "b"], [datetime.date(2020, 1, 2), 1], [datetime.date(2020, 1, 3), 1])
    with zipfile.ZipFile(path) as old:
        sheet = old.read(SHEET).decode()
    sheet = sheet.replace("<v>43832</v>", "<v>97531975</v>").replace("<v>43833</v>", "<v>97531976</v>")
    assert sheet.count("9753197") == 2
    assert verify(with_sheet(path, sheet), ["a"]).classes == 2
    assert not any("97531" in str(warning.message) for warning in recwarn)


def dated(path: Path, *serials: float | str) -> Path:
    """A file whose first column holds dates that are stored as these numbers."""
    book(path, ["a", "b"], *[[datetime.datetime(2020, 1, 2, 3, 4), 1] for _ in serials])
    with zipfile.ZipFile(path) as old:
        sheet = old.read(SHEET).decode()
    stored = iter(serials)
    sheet = re.sub(r"(?<=<v>)43832\.\d+(?=</v>)", lambda _: str(next(stored)), sheet)
    assert next(stored, None) is None
    return with_sheet(path, sheet)


@pytest.mark.parametrize(
    ("one", "other"), [(59, 60), (45000.5, 45000.500000001), (45000.5, 45000.5000000002), (59.25, 60.25)]
)
def test_dates_that_excel_keeps_apart_are_never_made_one(tmp_path, one, other):
    refused(dated(tmp_path / "f.xlsx", one, 100, other), "D279", "column 1 ")


def test_one_date_that_is_stored_in_two_ways_is_one_date(tmp_path):
    assert verify(dated(tmp_path / "f.xlsx", "45000", "45000.0", "4.5E4", 45000.00000000001), ["a"]).classes == 1


@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(st.integers(1, 70), st.floats(0.0, 80.0), st.sampled_from([59, 60, 61, 1, 0, 0.5, 1.5]))))
def test_stored_dates_are_kept_apart_or_refused(tmp_path, serials):
    path = dated(tmp_path / "f.xlsx", 45000, *serials)
    try:
        assert verify(path, ["a"]).classes >= len({round(serial, 9) for serial in [45000, *serials]})
    except InputError as fault:
        assert fault.code == "D279"


numbers = st.one_of(st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False), st.booleans())
texts = st.one_of(
    st.text("ab \n\té", min_size=1, max_size=4), st.sampled_from(["1", "1.0", "NA", " 1", "TRUE", "#N/A"])
)


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(st.none(), numbers, texts), min_size=1, max_size=8))
def test_what_openpyxl_keeps_apart_is_kept_apart_or_refused(tmp_path, values):
    path = book(tmp_path / "f.xlsx", ["a", "b"], *[[value, i] for i, value in enumerate(values)])
    sheet = openpyxl.load_workbook(path, data_only=True).active
    seen = {(isinstance(c, str), isinstance(c, bool), c) for c, _ in sheet.iter_rows(min_row=2, values_only=True)}
    try:
        assert verify(path, ["a"]).classes == len(seen)
    except InputError as fault:
        assert fault.code == "D278"


# What a small file unpacks to

BOMBS = {
    "cells": f"{HEAD}<sheetData>" + "<row>" + "<c><v>1</v></c>" * 4_000_000 + "</row></sheetData></worksheet>",
    "far cells": f"{HEAD}<sheetData>"
    + "".join(f'<row r="{i}"><c r="XFD{i}"><v>1</v></c></row>' for i in range(1, 200_000))
    + "</sheetData></worksheet>",
    "rows": f"{HEAD}<sheetData>"
    + '<row r="1"><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>'
    + "<row><c><v>1</v></c><c><v>2</v></c></row>" * 300_000
    + "</sheetData></worksheet>",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_unpacks_to_much_takes_little_memory(tmp_path, name):
    path = with_sheet(book(tmp_path / "f.xlsx", ["a", "b"], [1, 2]), BOMBS[name])
    assert path.stat().st_size < 2_000_000
    code = PEAK + (
        "import sys; from incrowd.errors import InputError\n"
        "from incrowd.rows import open_source\n"
        "before = peak()\n"
        "try:\n    open_source(sys.argv[1])\nexcept InputError as fault:\n    print(fault.code)\n"
        "print(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True, timeout=120)
    *told, grown = done.stdout.split()
    assert told in ([], ["D010"], ["D277"])
    assert int(grown) * (1 if sys.platform == "linux" else 1 / 1024) < 450_000


def test_a_file_that_unpacks_to_more_than_may_be_read_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = book(tmp_path / "f.xlsx", ["a", "b"], [1, 2])
    monkeypatch.setattr("incrowd.rows.excel.UNPACKED", 1000)
    refused(path, "D277", "CSV")
    monkeypatch.undo()
    monkeypatch.setattr("incrowd.rows.excel.HELD", 1000)
    refused(path, "D277")


@pytest.mark.slow
def test_a_damaged_file_is_refused_without_what_it_holds(tmp_path):
    good = book(tmp_path / "f.xlsx", ["a", "b"], ["CANARY", 1]).read_bytes()
    for cut in range(0, len(good), 97):
        path = tmp_path / "cut.xlsx"
        path.write_bytes(good[:cut] + bytes(reversed(good[cut : cut + 40])) + good[cut + 40 :])
        try:
            cells(path)
        except InputError as fault:
            assert fault.code.startswith("D")
            assert "CANARY" not in str(fault)
