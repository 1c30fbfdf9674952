"""Random tables of people, with odd values; and their files."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat

#: Values that readers trip over.
ODD: list[str | None] = [
    None, "", " ", " York", "York ", "york", "YORK", "NULL", "null", "NA", "nan", "-", "*", "0", "-0", "0.0", "00",
    "007", "7", "7.0", "1e3", "1000", "TRUE", "true", "a,b", "a;b", "a\tb", "a|b", 'say "yes"', '"', "'", "\\", "\\N",
    "line\nbreak", "line\r\nbreak", "\u00e9", "e\u0301", "\u00df", "SS", "\u0130", "\u65e5\u672c", "\U0001f600",
    "\u200b", "\u00a0", "\ufeffx", "=1+1", "@SUM(A1)", "+1", "-1+2", "#", "--", "{}", "[]", "%s", "${x}", "<b>",
    "&amp;", "2024-02-30", "31/12/1999", "x" * 300,
]  # fmt: skip
#: Names of columns, mostly harmless.
NAMES = [
    "age", "sex", "region", "income", "illness", "job", "born", "status", "town", "size", "A", "b2", "order", "select",
    "Größe", "two words", 'quo"te', "com,ma", ".dot", "group", "count", "_x", "naïve", "semi;colon", "per%cent", "7up",
    "n", "m", "key", "value", "text", "draw", "people", "classes", "who", "rank", "rowid", "filename", "column0", "old",
    "new", "from", "where", "null", "NaN", "class", "weight_", "row_number()", "a.b", "{x}", "$1", "*", "\u00a0x",
]  # fmt: skip
SORTS = ("category", "category", "number", "number", "decimal", "date", "moment", "code", "odd")
#: Files of statistical programs, whose columns have few names.
PROGRAMS = ("sav", "dta")


def names_of(rng: Random, many: int) -> list[str]:
    """Different names, the harmless ones more often."""
    found: list[str] = []
    while len(found) < many:
        name = rng.choice(NAMES if rng.random() < 0.3 else NAMES[:12])
        if name.lower() not in [other.lower() for other in found]:
            found.append(name)
    return found


def column(rng: Random, sort: str, many: int) -> list[str | None]:
    """The cells of one column."""
    if sort == "category":
        values: list[str | None] = rng.sample(
            ["a", "b", "c", "north", "south", "Éire", "m", "f", "x y"], rng.randint(2, 4)
        )
    elif sort == "number":
        low, high = rng.choice([(0, 5), (16, 90), (-20, 20), (0, 3)])
        values = [str(n) for n in range(low, high + 1)]
    elif sort == "decimal":
        values = [f"{rng.uniform(0, 100):.{rng.randint(1, 3)}f}" for _ in range(rng.choice([3, 10, 40]))]
    elif sort == "date":
        first = dt.date(1950, 1, 1)
        values = [str(first + dt.timedelta(days=rng.randrange(20000))) for _ in range(rng.choice([3, 12, 40]))]
    elif sort == "moment":
        begun = dt.datetime(2019, 12, 20, 6)
        values = [str(begun + dt.timedelta(minutes=rng.randrange(600_000))) for _ in range(rng.choice([3, 12, 40]))]
    elif sort == "code":
        values = [
            f"{rng.choice('ABC')}{rng.choice('12')}{rng.randrange(10):02d}" for _ in range(rng.choice([3, 8, 20]))
        ]
    else:
        values = [*rng.sample(ODD, rng.randint(2, 5)), "a", "b"]
    weights = [rng.choice([1, 1, 3, 8]) for _ in values]
    cells = rng.choices(values, weights, k=many)
    if rng.random() < 0.2:  # some are missing
        cells = [None if rng.random() < 0.1 else cell for cell in cells]
    if sort != "odd" and rng.random() < 0.06:  # one of them is odd
        cells[rng.randrange(many)] = rng.choice(ODD)
    return cells


def table(rng: Random, columns: int, many: int) -> tuple[dict[str, list[str | None]], dict[str, str]]:
    """Columns by name, and the sort of each."""
    sorts = {name: rng.choice(SORTS) for name in names_of(rng, columns)}
    return {name: column(rng, sort, many) for name, sort in sorts.items()}, sorts


def rows_of(rng: Random) -> int:
    """How many records: few, or some."""
    return rng.choice([rng.randint(2, 12), rng.randint(12, 80), rng.randint(40, 300), rng.randint(80, 300)])


# -- files


def write(folder: Path, name: str, columns: dict[str, list[str | None]], style: dict[str, Any]) -> str:
    """Write a table in a style; gives the file's name."""
    form = style.get("form", "csv")
    if form == "parquet":
        pq.write_table(_arrow(columns, style.get("types", {})), folder / f"{name}.parquet")
        return f"{name}.parquet"
    if form == "parts":
        (folder / name).mkdir()
        whole, cuts = _arrow(columns, style.get("types", {})), [0, *style["cuts"], None]
        for number, (start, stop) in enumerate(pairwise(cuts)):
            part = whole.slice(start, None if stop is None else stop - start)
            pq.write_table(part, folder / name / f"part-{number}.parquet")
        return name
    if form == "xlsx":
        book = openpyxl.Workbook()
        for number, record in enumerate([list(columns), *zip(*columns.values(), strict=True)], start=1):
            for at, cell in enumerate(record, start=1):
                if cell is not None:
                    place = book.active.cell(number, at, cell)
                    place.data_type = "s"
        book.save(folder / f"{name}.xlsx")
        return f"{name}.xlsx"
    if form == "jsonl":
        whole = style.get("types", {})
        lines = []
        for record in zip(*columns.values(), strict=True):
            cells = zip(columns, record, strict=True)
            said = {n: int(c) if n in whole and c else c for n, c in cells if c is not None or not style["sparse"]}
            lines.append(json.dumps(said, ensure_ascii=False))
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return f"{name}.jsonl"
    if form in PROGRAMS:
        _write_program(folder / f"{name}.{form}", columns, style.get("types", {}))
        return f"{name}.{form}"
    text = to_csv(columns, style.get("delimiter", ","), style.get("ending", "\n"))
    content = (b"\xef\xbb\xbf" if style.get("mark") else b"") + text.encode()
    ending = ".csv.gz" if form == "csv.gz" else ".csv"
    (folder / f"{name}{ending}").write_bytes(gzip.compress(content) if form == "csv.gz" else content)
    return f"{name}{ending}"


def _write_program(path: Path, columns: dict[str, list[str | None]], types: dict[str, str]) -> None:
    """SPSS or Stata: texts, and whole numbers where the style says so."""
    frame = pandas.DataFrame(
        {
            name: [float(c) if c else None for c in cells] if name in types else [c or "" for c in cells]
            for name, cells in columns.items()
        }
    )
    if path.suffix == ".sav":
        pyreadstat.write_sav(frame, str(path), variable_format=dict.fromkeys(types, "F8.0"))
    else:
        pyreadstat.write_dta(frame, str(path))


def to_csv(columns: dict[str, list[str | None]], delimiter: str = ",", ending: str = "\n") -> str:
    """CSV: missing is an unquoted empty field, an empty text is quoted."""
    records = [list(columns), *zip(*columns.values(), strict=True)]
    return ending.join([*(delimiter.join(_field(cell, delimiter) for cell in record) for record in records), ""])


def _field(cell: str | None, delimiter: str) -> str:
    if cell is None:
        return ""
    if cell and not any(sign in cell for sign in (delimiter, '"', "\n", "\r")):
        return cell
    return '"' + cell.replace('"', '""') + '"'


def _arrow(columns: dict[str, list[str | None]], types: dict[str, str]) -> pa.Table:
    """Texts, or typed where the style says so and every cell fits."""
    arrays = {}
    for name, cells in columns.items():
        arrays[name] = pa.array(cells, pa.string())
        if name in types:
            arrays[name] = arrays[name].cast(
                {"int": pa.int64(), "float": pa.float64(), "date": pa.date32()}[types[name]]
            )
    return pa.table(arrays)


def style_of(rng: Random, columns: dict[str, list[str | None]], sorts: dict[str, str]) -> dict[str, Any]:
    """How the file is written."""
    form = rng.choice(["csv", "csv", "csv", "csv.gz", "parquet", "parts", "xlsx", "jsonl", *PROGRAMS])
    if form in ("xlsx", *PROGRAMS):
        for cells in columns.values():
            cells[:] = [
                None if not cell or any(c in cell for c in "\r\n\t") or cell != cell.strip() else cell for cell in cells
            ]
    if form in ("csv", "csv.gz"):
        odd = rng.random() < 0.2
        return {
            "form": form,
            "delimiter": rng.choice(",;\t|") if odd else ",",
            "ending": rng.choice(["\n", "\r\n"]),
            "mark": rng.random() < 0.1,
        }
    many = len(next(iter(columns.values())))
    cuts = sorted(rng.sample(range(1, many), min(many - 1, rng.randint(1, 3)))) if many > 1 else []
    types = {}
    for name, sort in sorts.items():
        wanted = {"number": "int", "date": "date", "decimal": "float"}.get(sort)
        if wanted and rng.random() < 0.3 and all(_fits(cell, wanted) for cell in columns[name]):
            types[name] = wanted
    if form in ("jsonl", *PROGRAMS):
        types = {name: kind for name, kind in types.items() if kind == "int"}
    sparse = form == "jsonl" and rng.random() < 0.5 and all(cells[0] is not None for cells in columns.values())
    return {"form": form, "cuts": cuts, "types": types if form != "xlsx" else {}, "sparse": sparse}


def _fits(cell: str | None, wanted: str) -> bool:
    """Whether a cell is written the one way its type is written."""
    if cell is None:
        return True
    try:
        again = {"int": int, "float": float, "date": dt.date.fromisoformat}[wanted](cell)  # type: ignore[operator]
    except ValueError:
        return False
    return str(again) == cell
