"""A sheet of an Excel file, each cell as its text: whole numbers without a decimal point, dates as ISO.

Where several sheets hold something, somebody has to say which is meant: the first may be a cover.

Cells are taken from the sheet's XML as they come, row by row: a file says of itself how large it is, and lies. What a
small file unpacks to is looked up before it is unpacked.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from incrowd.errors import InputError
from incrowd.rows.amounts import clock
from incrowd.rows.dialect import named

#: Bytes that a file may unpack to: all of it, and what is held in memory at once (texts, styles).
UNPACKED, HELD = 1 << 30, 1 << 28
#: Excel's own limit of columns, and how many filled cells are read from one file, and at once.
COLUMNS, CELLS, _PIECE = 16_384, 20_000_000, 1 << 20
#: So many sheets are named in an error.
LISTED = 10
_KINDS, _TEXTS = "snbde", "s"
#: Days by which two stored dates differ for Excel, which keeps 15 digits; a date has five before the point.
APART = 1e-10
Cell = tuple[str, str, float | None]  # what it is, its text, and the number that Excel stores for a date


def read_excel(path: Path, sheet: str | int | None = None, drop_index: bool = False) -> pa.Table:
    """A sheet as a table of texts; an empty cell is missing, an empty row is no record. `sheet` is its name, or its
    number from 1 on; with `drop_index` a first column without a name is left out.
    """
    found: pa.Table | InputError | None = None
    # openpyxl raises whatever zip and XML raise, and warns, with cell texts in it; none of that gets out.
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _refuse_large(path)
            import openpyxl  # only here: Excel is rare and the import is slow

            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            found = _table(_rows(book, _chosen(book, sheet, path.name), path.name), path.name, drop_index)
        except InputError as fault:
            found = fault
    if isinstance(found, pa.Table):
        return found
    raise found or InputError("D001", f"{path.name} cannot be read as an Excel file.", "Save it again, or as CSV.")


def _refuse_large(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        sizes = [(part.file_size, part.filename) for part in archive.infolist()]
    held = max((size for size, name in sizes if not name.startswith("xl/worksheets/")), default=0)
    if sum(size for size, _ in sizes) > UNPACKED or held > HELD:
        raise _large(path.name)


def _large(place: str) -> InputError:
    message = f"{place} unpacks to more than may be read from an Excel file."
    return InputError("D277", message, "Save it as CSV, which is read piece by piece.")


def _chosen(book: Any, named: str | int | None, place: str) -> Any:
    """The sheet that is named; or the one that holds something, where no other does."""
    sheets = book.worksheets
    by_name = [sheet for sheet in sheets if sheet.title == str(named)]
    by_number = [sheets[named - 1]] if isinstance(named, int) and 1 <= named <= len(sheets) else []
    if named is not None and len({id(sheet) for sheet in (*by_name, *by_number)}) != 1:
        several = f"{place} has {len(sheets)} sheet(s)"
        message = f"{several}, and not the one that is named." if not by_name else f"{several}: two could be meant."
        raise InputError("D335", message, f"Name one by its number or its name (data: sheet). {_listed(sheets)}")
    if named is not None:
        return (*by_name, *by_number)[0]
    if len(sheets) == 1:
        return sheets[0]
    looks = [_look(book, one, place) for one in sheets]
    if sum(look != "empty" for look in looks) > 1 or looks[0] == "empty":
        likely = looks.index("table") + 1 if "table" in looks else 1
        raise InputError(
            "D330",
            f"{place} has {len(sheets)} sheets, and nobody said which of them holds the records.",
            f"Say which: --sheet {likely} (data: sheet: {likely}). {_listed(sheets)}",
        )
    return sheets[0]


def _look(book: Any, sheet: Any, place: str) -> Literal["empty", "table", "other"]:
    """Does a sheet begin like a table, with names in its first line and at least two columns?"""
    try:
        first = list(islice(_rows(book, sheet, place), 2))
    except InputError:  # told when it is read
        return "other"
    if not first:
        return "empty"
    (number, names), width = first[0], len(first[0][1])
    named = number == 1 and width > 1 and all(kind in _TEXTS for kind, _, _ in names.values())
    return "table" if named and len(first) > 1 and max(first[1][1]) <= max(names) else "other"


def _listed(sheets: list[Any]) -> str:
    """The sheets by number and name; by number alone where they are many, and may be named after people or places."""
    if len(sheets) > LISTED:
        return f"Its sheets have the numbers 1 to {len(sheets)}."
    return "Its sheets: " + ", ".join(f"{number} {one.title!r}" for number, one in enumerate(sheets, 1)) + "."


def _rows(book: Any, sheet: Any, place: str) -> Iterator[tuple[int, dict[int, Cell]]]:
    """The rows that hold something, with their number; of each the cells that do, by column from 1 on."""
    from openpyxl.worksheet._reader import FORMULA_TAG, ROW_TAG, VALUE_TAG, WorkSheetParser
    from openpyxl.xml.functions import iterparse

    class Parser(WorkSheetParser):  # type: ignore[misc]
        """openpyxl's own, but for the two cells that it would read as nothing and as an error."""

        def parse_cell(self, element: Any) -> dict[str, Any]:
            cell: dict[str, Any] = super().parse_cell(element)
            stored, kind = element.findtext(VALUE_TAG), element.get("t", "n")
            # A result that is an empty text is stored as such: t="str" and an empty value.
            if element.find(FORMULA_TAG) is not None and (stored is None or not (stored or kind == "str")):
                where = f"cell {_letters(cell['column'])}{cell['row']} of {place}"
                raise InputError(
                    "D276", f"{where} holds a formula without a result.", "Open the file in Excel and save it again."
                )
            if cell["data_type"] == "e" and kind != "e":  # a date outside the calendar
                cell |= {"data_type": "n", "value": float(stored)}
            serial = float(stored) if cell["data_type"] == "d" and kind == "n" else None
            return cell | {"serial": serial}

    with sheet._get_source() as source:
        parser = Parser(
            source, sheet._shared_strings, data_only=True, epoch=book.epoch, date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )  # fmt: skip
        inside, above, cells = False, [], 0
        for event, element in iterparse(source, events=("start", "end")):
            if event == "start":
                cells = cells + 1 if inside else 0
                inside = inside or element.tag == ROW_TAG
                above.append(element)
                if cells > 8 * COLUMNS:  # a cell has a few parts
                    raise _large(place)
                continue
            above.pop()
            if element.tag == ROW_TAG:
                inside = False
                number, found = parser.parse_row(element)
                filled = [cell for cell in found if cell["value"] is not None]
                row = {c["column"]: (c["data_type"], _text(c["value"]), c["serial"]) for c in filled}
                if row:
                    yield number, row
            if not inside:
                element.clear()
                if above:
                    above[-1].remove(element)


def _table(rows: Iterator[tuple[int, dict[int, Cell]]], place: str, drop_index: bool) -> pa.Table:
    number, first = next(rows, (0, {}))
    if number != 1:
        raise InputError("D002", f"{place} has no header line.", "The first line must name the columns.")
    header = [first.get(i, ("", "", None))[1] for i in range(1, max(first) + 1)]
    header = named(header, f"line 1 of {place}", drop_index)
    pieces: list[pa.Table] = []
    lines: list[dict[int, Cell]] = []
    waiting, cells = 0, 0
    for number, row in rows:
        if max(row) > len(header) == 1:
            raise InputError(
                "D336",
                f"line 1 of {place} has one cell, and line {number} has more: it looks like a title.",
                "Delete the lines above the names of the columns.",
            )
        if max(row) > len(header):
            raise InputError(
                "D004", f"line {number} of {place} has not as many fields as the header.", "Mend the line."
            )
        lines.append(row)
        waiting, cells = waiting + len(row), cells + len(row)
        if cells > CELLS:
            raise _large(place)
        if waiting >= _PIECE:
            pieces.append(_piece(lines, len(header)))
            lines, waiting = [], 0
    table = pa.concat_tables([*pieces, _piece(lines, len(header))], promote_options="default")
    _refuse_alike(table, len(header), place)
    _refuse_merged(table, len(header), place)
    return table.select([f"t{i}" for i in range(1, len(header) + 1)]).rename_columns(header)


def _piece(lines: list[dict[int, Cell]], width: int) -> pa.Table:
    """Some rows: for each column its texts, what the cells are, and what is stored for dates."""
    columns = {}
    for i in range(1, width + 1):
        cells = [line.get(i, (None, None, None)) for line in lines]
        columns[f"t{i}"] = pa.array([text for _, text, _ in cells], pa.string())
        columns[f"k{i}"] = pa.array([kind and _KINDS.index(kind) for kind, _, _ in cells], pa.int8())
        columns[f"s{i}"] = pa.array([serial for _, _, serial in cells])  # takes no room where there is no date
    return pa.table(columns)


def _refuse_alike(table: pa.Table, width: int, place: str) -> None:
    """A number and a text that is written like it are two values, and would be one."""
    for i in range(1, width + 1):
        kinds = table.select([f"t{i}", f"k{i}"]).drop_null()
        if len(kinds[f"k{i}"].unique()) > 1:
            pairs = kinds.group_by([f"t{i}", f"k{i}"]).aggregate([])
            if (twice := pairs.num_rows - len(pairs[f"t{i}"].unique())) > 0:
                raise InputError(
                    "D278",
                    f"column {i} of {place} holds {twice} value(s) both as a text and as a number, date or yes and no.",
                    "Give the whole column one format in Excel, or save it as CSV.",
                )


def _refuse_merged(table: pa.Table, width: int, place: str) -> None:
    """Two stored numbers are two dates, and would be one where they get one text."""
    for i in range(1, width + 1):
        serials = table.select([f"t{i}", f"s{i}"]).drop_null()
        if not serials.num_rows:
            continue
        ends = serials.group_by(f"t{i}").aggregate([(f"s{i}", "min"), (f"s{i}", "max")])
        apart = pc.greater(pc.subtract(ends[f"s{i}_max"], ends[f"s{i}_min"]), APART)
        if merged := pc.sum(apart).as_py():
            raise InputError(
                "D279",
                f"column {i} of {place} holds {merged} date(s) or time(s) that Excel stores as two different numbers.",
                "Format the column as a number or a text in Excel, or round it there.",
            )


def _letters(column: int) -> str:
    from openpyxl.utils import get_column_letter

    letters: str = get_column_letter(column)
    return letters


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, timedelta):
        return clock(Decimal(value // timedelta(microseconds=1)).scaleb(-6))
    if hasattr(value, "isoformat"):
        text: str = value.isoformat()
        return text.removesuffix("T00:00:00")
    return str(value)
