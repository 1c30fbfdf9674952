"""Read a file as a stranger would: CSV by a parser of its own, Parquet by pyarrow, Excel by
openpyxl. Shares nothing with incrowd.

A cell is a text or None. In CSV an unquoted empty field is missing, a quoted one is an empty text.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import openpyxl
import pyarrow.parquet as pq

Cell = str | None
Row = dict[str, Cell]


def read_release(path: Path) -> tuple[list[str], list[Row]]:
    """The columns and the records of a released file or folder of parts."""
    if path.suffix == ".xlsx":
        return _read_excel(path)
    if path.suffix == ".parquet" or path.is_dir():
        return _read_parquet(path)
    content = path.read_bytes()
    text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8")
    header, *records = parse_csv(text)
    names = [name or "" for name in header]
    wrong = [number for number, record in enumerate(records) if len(record) != len(names)]
    if wrong:
        raise ValueError(f"{len(wrong)} records have not as many fields as the header")
    return names, [dict(zip(names, record, strict=True)) for record in records]


def _read_excel(path: Path) -> tuple[list[str], list[Row]]:
    """One sheet; every cell a text or a whole number."""
    book = openpyxl.load_workbook(path)
    (sheet,) = book.worksheets
    header, *records = [[None if cell.value is None else str(cell.value) for cell in row] for row in sheet.iter_rows()]
    names = [name or "" for name in header]
    return names, [dict(zip(names, record, strict=True)) for record in records]


def _read_parquet(path: Path) -> tuple[list[str], list[Row]]:
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    names: list[str] = []
    rows: list[Row] = []
    for file in files:
        table = pq.ParquetFile(file).read()
        names = table.column_names
        columns = [[None if v is None else str(v) for v in column.to_pylist()] for column in table.columns]
        rows += [dict(zip(names, record, strict=True)) for record in zip(*columns, strict=True)]
    return names, rows


def parse_csv(text: str, delimiter: str = ",") -> list[list[Cell]]:
    """The records of a CSV text (RFC 4180), with missing and empty told apart."""
    records: list[list[Cell]] = []
    record: list[Cell] = []
    at, end = 0, len(text)
    while at < end:
        if text[at] == '"':
            cell, at = _quoted(text, at + 1)
            record.append(cell)
        else:
            stop = at
            while stop < end and text[stop] not in (delimiter, "\n", "\r"):
                stop += 1
            record.append(text[at:stop] or None)
            at = stop
        if at < end and text[at] == delimiter:
            at += 1
            if at == end:
                record.append(None)
            continue
        if text[at : at + 2] == "\r\n":
            at += 1
        at += 1
        records.append(record)
        record = []
    if record:
        records.append(record)
    return records


def _quoted(text: str, at: int) -> tuple[str, int]:
    """The cell that begins after a quotation mark, and where it ends."""
    parts = []
    while True:
        stop = text.index('"', at)
        parts.append(text[at:stop])
        if text[stop + 1 : stop + 2] != '"':
            return "".join(parts), stop + 1
        parts.append('"')
        at = stop + 2
