"""How is a CSV file written? Delimiter, encoding and header from its first bytes; nothing is guessed silently later."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from incrowd.errors import InputError

DELIMITERS = (",", ";", "\t", "|")
_CHUNK = 1 << 22
LONGEST_LINE = 2 * 1024 * 1024


@dataclass(frozen=True)
class Dialect:
    """What a CSV reader must know."""

    delimiter: str
    encoding: str
    columns: tuple[str, ...]


def sniff(path: Path, delimiter: str | None = None, encoding: str | None = None) -> Dialect:
    """Find the dialect of a CSV file and check what the engine would swallow: NUL bytes, a broken header."""
    seen = _inspect(path)
    encoding = encoding or seen
    header = _header(path, encoding)
    delimiter = delimiter or max(DELIMITERS, key=lambda mark: _fields(header, mark))
    columns = _split(header, delimiter)
    if not any(columns):
        raise InputError("D002", f"{path.name} has no header line.", "The first line must name the columns.")
    unnamed = sum(not name.strip() for name in columns)
    if unnamed:
        raise InputError(
            "D010", f"line 1 of {path.name} leaves {unnamed} column(s) without a name.", "Name every column."
        )
    lower = [name.lower() for name in columns]
    twice = [(lower.index(name) + 1, i + 1) for i, name in enumerate(lower) if name in lower[:i]]
    if twice:
        # By number: the first line may be somebody's record.
        raise InputError(
            "D011",
            f"line 1 of {path.name} gives columns {twice[0][0]} and {twice[0][1]} the same name (case does not tell "
            "names apart).",
            "Rename one of the two.",
        )
    return Dialect(delimiter, encoding, tuple(columns))


def _open(path: Path) -> IO[bytes]:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def _chunks(path: Path) -> Iterator[bytes]:
    try:
        with _open(path) as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except (EOFError, gzip.BadGzipFile):
        raise InputError("D003", f"{path.name} is not a complete gzip file.", "Fetch or compress it again.") from None


def _inspect(path: Path) -> str:
    """One pass over the bytes for what the engine would swallow or guess: emptiness, NUL, and the encoding.

    UTF-8 unless a byte says otherwise; then Latin-1, if nothing in the file speaks against it: neither real UTF-8
    elsewhere in it nor the control bytes that Latin-1 texts do not have.
    """
    line, pending, blank, accents, control, not_utf8 = 1, b"", True, False, False, 0
    for number, chunk in enumerate(_chunks(path)):
        if number == 0 and chunk[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise InputError("D005", f"{path.name} is UTF-16 text.", "Save it as UTF-8.")
        if (place := chunk.find(b"\0")) >= 0:
            line += chunk.count(b"\n", 0, place)
            raise InputError("D008", f"line {line} of {path.name} holds a NUL byte.", "The file is damaged or binary.")
        blank = blank and not chunk.removeprefix(b"\xef\xbb\xbf").strip()
        if not chunk.isascii() or pending:
            text = pending + chunk
            bad, cut = _not_utf8(text)
            pending = text[bad:] if cut else b""
            if bad is not None and not cut and not not_utf8:
                not_utf8 = line + text.count(b"\n", 0, bad)
            accents = accents or not text[:bad].removeprefix(b"\xef\xbb\xbf").isascii()
            control = control or any(bytes([byte]) in text for byte in range(0x80, 0xA0))
        line += chunk.count(b"\n")
    if blank:
        raise InputError("D002", f"{path.name} is empty.", "The first line must name the columns.")
    if not (not_utf8 or pending):
        return "utf-8"
    if accents or control:
        raise InputError(
            "D005",
            f"line {not_utf8 or line} of {path.name} is not UTF-8, and the file does not look like Latin-1 either.",
            "Save it as UTF-8, or name its encoding (data: encoding: latin-1).",
        )
    return "latin-1"


def _not_utf8(text: bytes) -> tuple[int | None, bool]:
    """Where a text stops being UTF-8, or None; and whether it is only cut off in the middle of a character."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start, error.reason == "unexpected end of data"
    return None, False


def _header(path: Path, encoding: str) -> str:
    """The first record, which may hold quoted line ends."""
    with _open(path) as file:
        start = file.read(LONGEST_LINE).decode(encoding, errors="replace").removeprefix("\ufeff")
    end = -1
    while (end := start.find("\n", end + 1)) >= 0 and start.count('"', 0, end) % 2:
        pass
    return (start if end < 0 else start[:end]).rstrip("\r\n")


def _split(header: str, delimiter: str) -> list[str]:
    csv.field_size_limit(LONGEST_LINE)
    return next(csv.reader(io.StringIO(header, newline=""), delimiter=delimiter), [])


def _fields(header: str, delimiter: str) -> int:
    return len(_split(header, delimiter))
