"""A format that is not read is told by its name, with the way out, by its ending and by its first bytes."""

import gzip
import sqlite3
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from incrowd.errors import InputError
from incrowd.rows import open_source

TABLE = pa.table({"a": [1, 2], "t": ["x", None]})


def refused(path: Path, *said: str, code: str = "D334", **reading: object) -> None:
    with pytest.raises(InputError) as caught:
        open_source(path, **reading)  # type: ignore[arg-type]
    assert caught.value.code == code, caught.value
    assert caught.value.hint
    assert all(text in str(caught.value) for text in said), caught.value


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("p.xls", "old Excel"), ("p.ods", "OpenDocument"), ("p.rds", "of R"), ("p.RData", "workspace of R"),
        ("p.mdb", "Access"), ("p.pdf", "PDF"), ("p.zip", "ZIP"), ("p.7z", "7-Zip"), ("p.sas7bcat", "catalog"),
        ("p.pkl", "pickle"), ("p.sqlite", "SQLite"), ("p.csv.zip", "ZIP"), ("p.xml", "XML"), ("p.csv.bz2", "bzip2"),
    ],
)  # fmt: skip
def test_by_its_ending(tmp_path, name, said):
    (tmp_path / name).write_bytes(b"anything")
    refused(tmp_path / name, name, said)


@pytest.mark.parametrize("name", ["p.csv", "p.txt", "p", "p.jsonl", "p.sav"])
def test_by_its_first_bytes(tmp_path, name):
    path = tmp_path / name
    pa.parquet.write_table(TABLE, path)
    refused(path, "Parquet", ".parquet")
    openpyxl.Workbook().save(path)
    refused(path, "Excel", ".xlsx")
    path.unlink()
    with sqlite3.connect(path) as base:
        base.execute("create table t (a)")
    base.close()
    refused(path, "SQLite")
    path.write_bytes(b"%PDF-1.7\n")
    refused(path, "PDF")
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    refused(path, "old Excel", "password")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("people.csv", "a,b\n")
    refused(path, "ZIP")
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    refused(path, "gzip", ".gz")


def test_a_workbook_that_is_no_workbook(tmp_path):
    (tmp_path / "p.xlsx").write_text("a,b\n1,2\n")
    refused(tmp_path / "p.xlsx", code="D001")
    pa.parquet.write_table(TABLE, tmp_path / "q.xlsx")
    refused(tmp_path / "q.xlsx", "Parquet")


@pytest.mark.parametrize("first", ["PAR1", "ORC", "Obj", "$FL2", "BZh", "PK", "Rar!", "%PD"])
def test_a_column_may_be_called_like_a_format(tmp_path, first):
    (tmp_path / "p.csv").write_text(f"{first},PAR2\n1,2\n")
    assert open_source(tmp_path / "p.csv").columns == (first, "PAR2")


@pytest.mark.parametrize("name", ["p.txt", "p.TSV", "p.dat", "p"])
def test_a_text_with_fields_is_csv(tmp_path, name):
    (tmp_path / name).write_text("a\tb\n1\t2\n")
    assert open_source(tmp_path / name).columns == ("a", "b")


@pytest.mark.parametrize("name", ["p.feather", "p.arrow"])
def test_arrow_files_are_read_as_their_table(tmp_path, name):
    pa.feather.write_feather(TABLE, str(tmp_path / name))
    rows = open_source(tmp_path / name)
    assert rows.collect(rows.table.select(a=rows.text("a"), t=rows.text("t"))).to_pylist() == [
        {"a": "1", "t": "x"},
        {"a": "2", "t": None},
    ]
    content = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(content[: len(content) // 2])
    refused(tmp_path / name, code="D331")


def test_only_what_is_of_use_may_be_said(tmp_path):
    pa.parquet.write_table(TABLE, tmp_path / "p.parquet")
    refused(tmp_path / "p.parquet", "delimiter", code="D337", delimiter=";")
    (tmp_path / "p.csv").write_text("a,b\n1,2\n")
    refused(tmp_path / "p.csv", "sheet", code="D337", sheet=2)
    with pytest.raises(InputError, match="D337"):
        open_source(pd.DataFrame({"a": [1]}), encoding="latin-1")


def test_a_packed_file_of_another_kind(tmp_path):
    (tmp_path / "p.sav.gz").write_bytes(gzip.compress(b"$FL2"))
    refused(tmp_path / "p.sav.gz", "gunzip")
