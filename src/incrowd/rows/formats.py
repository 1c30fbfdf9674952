"""What kind of file is this? By its ending, and by its first bytes, where they say something else.

A format that is not read is told by its name, with the way to one that is.
"""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Literal

from incrowd.errors import InputError
from incrowd.rows.statistical import FORMATS

Kind = Literal["csv", "parquet", "excel", "statistical", "json", "arrow"]

#: The endings of what is read.
ENDINGS: dict[str, Kind] = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".dat": "csv",
    ".parquet": "parquet", ".pq": "parquet", ".parq": "parquet",
    ".xlsx": "excel", ".xlsm": "excel",
    ".jsonl": "json", ".ndjson": "json", ".json": "json",
    ".feather": "arrow", ".arrow": "arrow",
    **dict.fromkeys(FORMATS, "statistical"),
}  # fmt: skip
#: What may be packed with gzip.
PACKED = ("csv", "json")

_AS_CSV = "Save it as CSV there, or as Parquet."
_UNPACK = "Unpack it, and name the file of records that is in it."
_OFFICE = "Open it there and save it as .xlsx, or as CSV."
#: Endings of what is not read: what it is, and the way out.
_OTHERS = {
    ".xls": ("a workbook of an old Excel", _OFFICE),
    ".xlsb": ("a binary workbook of Excel", _OFFICE),
    ".ods": ("a sheet of LibreOffice (OpenDocument)", _OFFICE),
    ".numbers": ("a sheet of Apple Numbers", "Export it there as .xlsx, or as CSV."),
    ".sas7bcat": ("a catalog of SAS: it holds labels, and no records",
                  "Name the .sas7bdat file, and give the labels in a CSV file (data: codes)."),
    ".sas": ("a program of SAS, which holds no records", "Name the file that it reads or writes."),
    ".sps": ("a program of SPSS, which holds no records", "Name the file that it reads or writes."),
    ".spv": ("the output of SPSS, which holds no records", "Name the .sav file."),
    ".do": ("a program of Stata, which holds no records", "Name the .dta file."),
    ".rds": ("a file of R", "In R: arrow::write_parquet(readRDS(...), 'people.parquet'), or write.csv."),
    ".rdata": ("a workspace of R", "In R: load it, and write the table with arrow::write_parquet or write.csv."),
    ".rda": ("a workspace of R", "In R: load it, and write the table with arrow::write_parquet or write.csv."),
    ".mdb": ("a database of Access", "Export the table from Access as .xlsx, or as CSV."),
    ".accdb": ("a database of Access", "Export the table from Access as .xlsx, or as CSV."),
    ".sqlite": ("a database of SQLite", "Export the table as CSV: sqlite3 -header -csv FILE 'select * from TABLE'"),
    ".db": ("a database", "Export the table as CSV."),
    ".duckdb": ("a database of DuckDB", "Export the table there: copy TABLE to 'people.parquet'"),
    ".pkl": ("a pickle of Python, which may run anything when it is read", "In Python: to_parquet('people.parquet')."),
    ".h5": ("an HDF5 file", "In Python: pandas.read_hdf(...).to_parquet('people.parquet')."),
    ".orc": ("an ORC file", "In Python: pyarrow.orc.read_table(...), and write it as Parquet."),
    ".avro": ("an Avro file", "Write it as Parquet."),
    ".xml": ("an XML file", _AS_CSV),
    ".html": ("a page of the web", _AS_CSV),
    ".pdf": ("a PDF, which holds no table that a program could read for certain", "Ask for the file it was made from."),
    ".docx": ("a document of Word", _AS_CSV),
    ".doc": ("a document of Word", _AS_CSV),
    ".dbf": ("a file of dBase", _AS_CSV),
    ".zip": ("a ZIP archive", _UNPACK),
    ".7z": ("a 7-Zip archive", _UNPACK),
    ".rar": ("a RAR archive", _UNPACK),
    ".tar": ("a tar archive", _UNPACK),
    ".tgz": ("a tar archive", _UNPACK),
    ".bz2": ("packed with bzip2", "Unpack it, or pack it with gzip."),
    ".xz": ("packed with xz", "Unpack it, or pack it with gzip."),
    ".zst": ("packed with zstd", "Unpack it, or pack it with gzip."),
}  # fmt: skip
#: The endings of all files that hold data, read or not.
DATA = {*ENDINGS, *_OTHERS, ".gz"} - {".txt", ".dat", ".sas", ".sps", ".spv", ".do", ".html", ".pdf", ".docx", ".doc"}

#: How files begin, and the ending that such a file should have.
_BEGINNINGS = (
    (b"PAR1", ".parquet"), (b"ARROW1", ".arrow"), (b"$FL2", ".sav"), (b"$FL3", ".zsav"), (b"<stata_dta>", ".dta"),
    (b"HEADER RECORD*******LIB", ".xpt"), (b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92", ".sas7bdat"),
    (b"%PDF-", ".pdf"), (b"SQLite format 3\0", ".sqlite"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls"),
    (b"\0\1\0\0Standard Jet DB", ".mdb"), (b"\0\1\0\0Standard ACE DB", ".accdb"), (b"\x89HDF\r\n", ".h5"),
    (b"7z\xbc\xaf\x27\x1c", ".7z"), (b"Rar!\x1a\7", ".rar"), (b"BZh91AY&SY", ".bz2"), (b"\xfd7zXZ\0", ".xz"),
    (b"\x28\xb5\x2f\xfd", ".zst"), (b"ORC\1", ".orc"), (b"Obj\1", ".avro"), (b"\x1f\x8b", ".gz"), (b"PK\3\4", ".zip"),
)  # fmt: skip
#: Bytes that are looked at; a beginning of fewer than so many is not enough for itself; what no text has.
_HEAD, _TELLING, _BINARY = 4096, 5, re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def kind_of(path: Path) -> Kind:
    """Which reader is for this file? One of a format that is not read is refused, with its name."""
    ending = path.suffix.lower()
    packed = ending == ".gz"
    if packed:
        ending = Path(path.stem).suffix.lower()
    if ending in _OTHERS:
        raise _refused(path, ending)
    kind: Kind = ENDINGS.get(ending, "csv")
    if packed and kind not in PACKED:
        raise InputError("D334", f"{path.name} is packed with gzip.", "Unpack it: gunzip. Only CSV is read packed.")
    said = _beginning(path)
    if said in (None, ".gz" if packed else None) or ENDINGS.get(said) == kind:
        return kind
    assert said is not None
    raise _refused(path, said)


def _refused(path: Path, ending: str) -> InputError:
    """The error for a file that its ending, or its beginning, says is something else."""
    named = path.suffix.lower() == ending
    if ending in ENDINGS or ending == ".gz":
        known = {"excel": "an Excel workbook", "parquet": "Parquet", "arrow": "Arrow"}
        words = "packed with gzip" if ending == ".gz" else known.get(ENDINGS[ending], f"a {ending} file")
        message = f"{path.name} is {words} by its first bytes, whatever its ending says."
        return InputError("D334", message, f"If that is what it is, let its name end in {ending}.")
    what, way = _OTHERS[ending]
    if ending == ".xls":
        what = f"{what}, or one that is locked with a password"
    begins = "is" if named else "is by its first bytes"
    return InputError("D334", f"{path.name} {begins} {what}: that format is not read.", way)


def _beginning(path: Path) -> str | None:
    """The ending that a file should have by its first bytes, or None where they say nothing."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    found = next(((first, ending) for first, ending in _BEGINNINGS if head.startswith(first)), None)
    # A few letters may be the name of a column: PAR1,PAR2. In such a file there are bytes that no text has.
    if found is None or (len(found[0]) < _TELLING and not _BINARY.search(head)):
        return None
    return _within(path) if found[1] == ".zip" else found[1]


def _within(path: Path) -> str:
    """What is in a ZIP archive? An Excel workbook and an OpenDocument sheet are such archives too."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist()[:1000])
    except (zipfile.BadZipFile, OSError, ValueError):
        return ".xlsx" if path.suffix.lower() in (".xlsx", ".xlsm") else ".zip"  # its own reader says what is wrong
    if any(name.startswith("xl/") for name in names):
        return ".xlsb" if "xl/workbook.bin" in names else ".xlsx"
    return ".ods" if "mimetype" in names and "content.xml" in names else ".zip"
