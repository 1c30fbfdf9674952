"""A release as an Excel file: one sheet, every cell as the text or the whole number that it is, never a formula.

Written as XML by ourselves: no name of a writer and no time is in it, and the same records give the same bytes. A text
is stored as a text (`007` stays `007`, `=1+1` is four letters); a column of whole numbers up to 15 digits as numbers.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow as pa

from incrowd.errors import InputError
from incrowd.rows.excel import CELLS, COLUMNS, UNPACKED
from incrowd.rows.frame import Rows
from incrowd.rows.typed import INTEGER, exact_types

#: Excel's own limits: lines with the header, and characters of a cell.
LINES, CHARACTERS = 1_048_576, 32_767
#: Digits of a whole number that Excel keeps.
DIGITS = 15
PIECE = 1 << 14
#: What no cell can hold: signs that XML has no place for, and texts that Excel reads as such signs.
_ODD = "[\x00-\x08\x0b-\x1f\ufffe\uffff]"
_CODED = "_x[0-9A-Fa-f]{4}_"
_WIDE = "[\U00010000-\U0010ffff]"

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="applicatio'
    'n/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.'
    f'main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_OFFICE}/'
    f'officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="data" sheetId="1" r:id="'
    'rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="'
    f'{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}  # fmt: skip


def write_excel(rows: Rows, kinds: Sequence[str], path: Path) -> None:
    """The records in their order, to a new file. `kinds` are the columns to be written as numbers (`whole_numbers`)."""
    columns = rows.columns
    texts = rows.as_text(columns)
    try:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for name, content in _PARTS.items():
                archive.writestr(_entry(name), _HEAD + content)
            written = 0
            with archive.open(_entry("xl/worksheets/sheet1.xml"), "w") as sheet:
                for piece in _sheet(columns, texts.stream(texts.table, PIECE), {*kinds}):
                    written += len(piece)
                    if written > UNPACKED:
                        raise _too_large("it would unpack to more than may be read from an Excel file")
                    sheet.write(piece)
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def refuse_for_excel(rows: Rows) -> None:
    """Refuse, before anything is written, what an Excel file cannot hold or would not give back as it is."""
    texts = rows.as_text(rows.columns)
    if len(rows.columns) > COLUMNS:
        raise _too_large(f"it has {len(rows.columns):,} columns, and Excel holds {COLUMNS:,}")
    if bad := sum(re.search(f"{_ODD}|{_CODED}", name) is not None for name in rows.columns):
        message = f"the names of {bad} columns are texts that an Excel file would not give back as they are."
        raise InputError("D370", message, "Rename them.")
    nothing = [texts.table[name].isnull() for name in rows.columns]
    blank = nothing[0]
    for each in nothing[1:]:
        blank = blank & each
    asked = {"n": texts.table.count(), "blank": blank.ifelse(1, 0).sum()}
    for i, name in enumerate(rows.columns):
        text = texts.table[name]
        asked[f"length{i}"] = text.length().max()
        asked[f"empty{i}"] = (text == "").fill_null(False).ifelse(1, 0).sum()
        odd = text.re_search(_ODD) | text.re_search(_CODED)
        asked[f"odd{i}"] = odd.fill_null(False).ifelse(1, 0).sum()
    found = rows.collect(texts.table.aggregate(**asked)).to_pylist()[0]
    if found["n"] >= LINES or found["n"] * len(rows.columns) > CELLS:
        most = min(LINES - 1, CELLS // len(rows.columns))
        raise _too_large(f"it has {found['n']:,} records, and such a file holds {most:,}")
    # Excel counts a sign beyond the first 65,536 as two; only a long text can be too long by that.
    doubtful = [i for i, _ in enumerate(rows.columns) if 2 * (found[f"length{i}"] or 0) > CHARACTERS]
    doubled = {f"length{i}": texts.table[rows.columns[i]].re_replace(_WIDE, "--").length().max() for i in doubtful}
    found |= rows.collect(texts.table.aggregate(**doubled)).to_pylist()[0] if doubled else {}
    for i, name in enumerate(rows.columns):
        if (found[f"length{i}"] or 0) > CHARACTERS:
            raise _too_large(f"a cell of {name!r} has more than the {CHARACTERS:,} characters that Excel holds")
        if bad := (found[f"empty{i}"] or 0) + (found[f"odd{i}"] or 0):
            message = f"{bad:,} cells of {name!r} are texts that an Excel file would not give back as they are."
            hint = "Empty texts and control characters are such: recode them, or release CSV or Parquet."
            raise InputError("D370", message, hint)
    if found["blank"]:
        message = f"{found['blank']:,} records have no value in any released column, and would be no lines in Excel."
        raise InputError("D371", message, "Suppress them, or release CSV or Parquet.")


def whole_numbers(rows: Rows) -> list[str]:
    """The columns that Excel may hold as numbers: whole ones, written as Excel would, and short enough to be exact."""
    names = [name for name, kind in exact_types(rows, rows.columns).items() if kind == INTEGER]
    longest = {str(i): rows.text(name).replace("-", "").length().max() for i, name in enumerate(names)}
    found = rows.collect(rows.table.aggregate(**longest)).to_pylist()[0] if longest else {}
    return [name for i, name in enumerate(names) if found[str(i)] <= DIGITS]


def _sheet(columns: Sequence[str], batches: Iterator[pa.RecordBatch], numbers: set[str]) -> Iterator[bytes]:
    letters = [_letters(i) for i in range(1, len(columns) + 1)]
    kinds = [name in numbers for name in columns]
    yield f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode()
    yield _line(1, letters, columns, [False] * len(columns)).encode()
    number = 1
    for batch in batches:
        made = []
        for line in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            number += 1
            made.append(_line(number, letters, line, kinds))
        yield "".join(made).encode()
    yield b"</sheetData></worksheet>"


def _line(number: int, letters: Sequence[str], values: Sequence[str | None], kinds: Sequence[bool]) -> str:
    cells = [
        f'<c r="{letter}{number}"><v>{value}</v></c>'
        if kind
        else f'<c r="{letter}{number}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
        for letter, value, kind in zip(letters, values, kinds, strict=True)
        if value is not None
    ]
    return f'<row r="{number}">{"".join(cells)}</row>'


def _letters(column: int) -> str:
    """How Excel calls a column: A to Z, AA and so on."""
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _entry(name: str) -> zipfile.ZipInfo:
    """A part of the file without the time at which it was made."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _too_large(why: str) -> InputError:
    return InputError("D369", f"the release cannot be an Excel file: {why}.", "Release CSV or Parquet.")
