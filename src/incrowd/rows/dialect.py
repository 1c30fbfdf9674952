"""How is a CSV file written? Delimiter, encoding and header from its first bytes; nothing is guessed silently later."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import re
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TextIO

from incrowd.errors import InputError
from incrowd.machine.paths import must_be_file, opening
from incrowd.rows.scan import LONGEST_LINE, Scan

DELIMITERS = (",", ";", "\t", "|")
_CHUNK = 1 << 22
BOM = b"\xef\xbb\xbf"
#: What a first column without a name is called until it is left out.
INDEX = "incrowd_index"
#: The bytes that Windows-1252 gives no character.
_NOT_CP1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


@dataclass(frozen=True)
class Dialect:
    """What a CSV reader must know."""

    delimiter: str
    encoding: str
    columns: tuple[str, ...]
    #: Bytes that no engine reads in this encoding, though Python does: see `utf8_copy`.
    foreign: bool = False


def sniff(
    path: Path, delimiter: str | None = None, encoding: str | None = None, drop_index: bool | None = None
) -> Dialect:
    """Find the dialect of a CSV file, and refuse what an engine would swallow: NUL bytes, a broken header or line.

    With `drop_index`, a first column without a name is called `INDEX`, for the caller to leave out.
    """
    must_be_file(path)
    if delimiter is not None and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'):
        raise InputError("D269", "the delimiter is not one plain character.", "Write one: , or ; or | or a tab.")
    head = _head(path)
    marked, head = head.startswith(BOM), head.removeprefix(BOM)
    delimiter = delimiter or max(DELIMITERS, key=lambda mark: len(_split(head.decode("latin-1"), mark)))
    encoding, foreign = _inspect(path, delimiter, encoding)
    columns = _split(head.decode(encoding, errors="replace"), delimiter)
    if not any(columns):
        raise InputError("D002", f"{path.name} has no header line.", "The first line must name the columns.")
    columns = named(columns, f"line 1 of {path.name}", drop_index)
    if marked and any(sign in columns[0] for sign in (delimiter, "\r", "\n")):
        # The engine takes the quotation mark behind the byte order mark for a letter, and loses all records.
        raise InputError(
            "D305",
            f"line 1 of {path.name} begins with a byte order mark, and its first name holds a delimiter or a line end.",
            "Save the file as UTF-8 without a byte order mark, or write the name without them.",
        )
    return Dialect(delimiter, encoding, tuple(columns), foreign)


def named(columns: Sequence[str], place: str, drop_index: bool | None = None) -> list[str]:
    """The names of the columns: each has one, and no two have the same.

    pandas writes the index of a table as a first column without a name. With `drop_index` it is called `INDEX`; where
    that is False it is refused with this way out.
    """
    if INDEX in map(str.lower, columns):
        raise InputError("D065", f"{place} has a name that begins like ours.", "Rename it: incrowd uses such names.")
    nameless = [number for number, name in enumerate(columns) if not name.strip()]
    index = nameless == [0] and len(columns) > 1
    if index and drop_index is False:
        raise index_found(f"{place} leaves its first column without a name, as pandas does with the index of a table.")
    if nameless and not (index and drop_index):
        raise InputError("D010", f"{place} leaves {len(nameless)} column(s) without a name.", "Name every column.")
    names = [INDEX, *columns[1:]] if index else list(columns)
    refuse_twice(names, place)
    return names


def index_found(message: str) -> InputError:
    """The error for a column that is the index of a table, and may be more."""
    hint = "If it only numbers the records, leave it out: --drop-index (data: drop_index: true). Else name it."
    return InputError("D333", message, hint)


def refuse_twice(columns: Sequence[str], place: str) -> None:
    """No two columns may have one name: a reader would take one of them for the other."""
    first: dict[str, int] = {}
    for number, name in enumerate(columns, 1):
        if (other := first.setdefault(name.lower(), number)) != number:
            # By number: the first line may be somebody's record.
            raise InputError(
                "D011",
                f"{place} gives columns {other} and {number} the same name (case does not tell names apart).",
                "Rename one of the two.",
            )


def open_text(path: Path, dialect: Dialect) -> TextIO:
    """The text of a small file whose dialect is known, for the csv module."""
    encoding = "utf-8-sig" if dialect.encoding == "utf-8" else dialect.encoding
    return io.TextIOWrapper(open_bytes(path), encoding=encoding, newline="")


def utf8_copy(path: Path, dialect: Dialect, folder: Path) -> tuple[Path, Dialect]:
    """The same text in UTF-8, unpacked, in a place of its own within a private folder; and how to read that."""
    copy = Path(tempfile.mkdtemp(dir=folder)) / path.name.removesuffix(".gz")  # mode 0700
    with copy.open("wb") as file:
        for chunk in _chunks(path):  # one byte is one character, so no piece cuts one in two
            file.write(chunk.decode(dialect.encoding).encode("utf-8"))
    return copy, replace(dialect, encoding="utf-8", foreign=False)


def open_bytes(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked."""
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _chunks(path: Path) -> Iterator[bytes]:
    """The bytes of a file, unpacked piece by piece: memory stays flat, however much is packed into it."""
    with opening(path):
        try:
            with open_bytes(path) as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
            return
        except (EOFError, gzip.BadGzipFile, zlib.error):
            pass  # the fault is raised outside: the cause quotes bytes
    raise InputError("D003", f"{path.name} is not a complete gzip file.", "Fetch or compress it again.")


def _inspect(path: Path, delimiter: str, named: str | None) -> tuple[str, bool]:
    """One pass over the bytes for what the engine would swallow or guess: emptiness, NUL, bad lines, the encoding.

    It is the one that somebody `named`. Else UTF-8 unless a byte says otherwise; then Latin-1, if nothing in the file
    speaks against it: neither real UTF-8 elsewhere in it nor the control bytes that Latin-1 texts do not have. With it,
    whether the file has such bytes, in which Latin-1 and Windows-1252 differ and which no engine reads.
    """
    line, pending, blank, accents, control, not_utf8 = 1, b"", True, False, False, 0
    scan = Scan(path.name, delimiter)
    for number, chunk in enumerate(_chunks(path)):
        if number == 0 and chunk[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise InputError("D005", f"{path.name} is UTF-16 text.", "Save it as UTF-8.")
        if (place := chunk.find(b"\0")) >= 0:
            line += chunk.count(b"\n", 0, place)
            raise InputError("D008", f"line {line} of {path.name} holds a NUL byte.", "The file is damaged or binary.")
        blank = blank and not chunk.removeprefix(BOM).strip()
        scan.take(chunk.removeprefix(BOM) if number == 0 else chunk)
        if not chunk.isascii() or pending:
            text = pending + chunk
            bad, cut = _not_utf8(text)
            pending = text[bad:] if cut else b""
            if bad is not None and not cut and not not_utf8:
                not_utf8 = line + text.count(b"\n", 0, bad)
            accents = accents or not text[:bad].removeprefix(BOM).isascii()
            control = control or any(bytes([byte]) in text for byte in range(0x80, 0xA0))
            if named == "cp1252" and (found := _NOT_CP1252.search(chunk)):
                line += chunk.count(b"\n", 0, found.start())
                raise InputError(
                    "D005", f"line {line} of {path.name} is not Windows-1252 (cp1252) text.", "Save it as UTF-8."
                )
        line += chunk.count(b"\n")
    if blank:
        raise InputError("D002", f"{path.name} is empty.", "The first line must name the columns.")
    scan.end()
    if named in ("latin-1", "cp1252"):
        return (named, True) if control else ("latin-1", False)  # without such bytes the two are one
    if not (not_utf8 or pending):
        return "utf-8", False
    if named == "utf-8":
        raise InputError(
            "D005",
            f"line {not_utf8 or line} of {path.name} is not UTF-8, which the plan says it is.",
            "Save it as UTF-8, or name the encoding it has (data: encoding: cp1252, or latin-1).",
        )
    if accents or control:
        raise InputError(
            "D005",
            f"line {not_utf8 or line} of {path.name} is not UTF-8, and the file does not look like Latin-1 either.",
            "Save it as UTF-8; or, for the records of a plan, name the encoding (data: encoding: cp1252, which is what "
            "Excel on Windows writes; or latin-1).",
        )
    return "latin-1", False


def _not_utf8(text: bytes) -> tuple[int | None, bool]:
    """Where a text stops being UTF-8, or None; and whether it is only cut off in the middle of a character."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start, error.reason == "unexpected end of data"
    return None, False


def _head(path: Path) -> bytes:
    """The beginning of a file, with its first record."""
    with contextlib.closing(_chunks(path)) as chunks:  # type: ignore[type-var]
        return next(chunks, b"")[:LONGEST_LINE]


def _split(head: str, delimiter: str) -> list[str]:
    """The names in the first record, which may hold quoted line ends."""
    csv.field_size_limit(2 * LONGEST_LINE)
    return next(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter), [])
