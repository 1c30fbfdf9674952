"""A workbook of several sheets: a cover is never read for the records, and somebody says which sheet is meant."""

import datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import incrowd as ic
from incrowd.errors import InputError

PEOPLE = [["age", "sex"], [30, "f"], [40, "m"]]


def book(path: Path, **sheets: list[list[Any]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for title, lines in sheets.items():
        sheet = made.create_sheet(title.replace("_", " "))
        for line in lines:
            sheet.append(line)
    made.save(path)
    return path


def refused(path: Path, code: str, *said: str, **reading: Any) -> str:
    with pytest.raises(InputError) as caught:
        ic.open_source(path, **reading)
    assert caught.value.code == code, caught.value
    assert all(text in str(caught.value) for text in said), caught.value
    return str(caught.value)


@pytest.mark.parametrize(
    "cover",
    [[["Survey of 2024"], [], ["Confidential"]], [["Title", "Survey"]], [["Contact"], ["Jane Doe"]], PEOPLE],
)
def test_several_sheets_with_something_ask_which(tmp_path, cover):
    path = book(tmp_path / "p.xlsx", Cover=cover, Data=PEOPLE, Notes=[["Sex as stated"]])
    said = refused(path, "D330", "3 sheets", "1 'Cover', 2 'Data', 3 'Notes'")
    assert f"--sheet {1 if cover is PEOPLE else 2}" in said
    assert "Jane" not in said
    for sheet in (2, "Data"):
        assert ic.open_source(path, sheet=sheet).value_counts("sex") == {"f": 1, "m": 1}


def test_empty_sheets_are_no_question(tmp_path):
    path = book(tmp_path / "p.xlsx", Sheet1=PEOPLE, Sheet2=[], Sheet3=[[None]])
    assert ic.open_source(path).count() == 2
    refused(book(tmp_path / "q.xlsx", Sheet1=[], Sheet2=PEOPLE), "D330", "--sheet 2")
    assert ic.open_source(tmp_path / "q.xlsx", sheet=2).count() == 2


def test_a_sheet_that_is_not_there(tmp_path):
    path = book(tmp_path / "p.xlsx", Cover=[["x"]], Data=PEOPLE)
    for named in (0, 3, -1, "data", "", "Date"):
        refused(path, "D335", "1 'Cover', 2 'Data'", sheet=named)


def test_a_name_that_is_a_number(tmp_path):
    path = book(tmp_path / "p.xlsx", **{"2023": PEOPLE, "2": [["a", "b"], [1, 2]], "x": [["c"], [1]]})
    assert ic.open_source(path, sheet=2023).columns == ("age", "sex")
    assert ic.open_source(path, sheet=2).columns == ("a", "b")  # the second, and called 2
    path = book(tmp_path / "q.xlsx", **{"2": PEOPLE, "x": [["a", "b"], [1, 2]]})
    refused(path, "D335", "two could be meant", sheet=2)
    assert ic.open_source(path, sheet="2").columns == ("age", "sex")


def test_many_sheets_are_not_named(tmp_path):
    path = book(tmp_path / "p.xlsx", **{f"Patient Smith {i}": PEOPLE for i in range(12)})
    said = refused(path, "D330", "1 to 12")
    assert "Smith" not in said


def test_a_title_above_the_names_is_told(tmp_path):
    refused(book(tmp_path / "p.xlsx", Data=[["Survey of 2024"], [], *PEOPLE]), "D336", "line 3", "title")


def test_dates_and_times(tmp_path):
    moment, day, time = datetime.datetime(2024, 2, 29, 8, 30), datetime.date(2024, 2, 29), datetime.time(8, 30)
    lasted = datetime.timedelta(hours=27, minutes=4, seconds=5)
    path = book(tmp_path / "p.xlsx", Data=[["moment", "day", "time", "lasted"], [moment, day, time, lasted]])
    rows = ic.open_source(path)
    assert rows.collect(rows.table).to_pylist() == [
        {"moment": "2024-02-29T08:30:00", "day": "2024-02-29", "time": "08:30:00", "lasted": "27:04:05"}
    ]
