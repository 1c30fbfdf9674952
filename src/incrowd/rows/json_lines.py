"""Files of JSON: an object to a line, or one list of objects; each value as its text, numbers as they are written.

Only flat objects are records. A key that an object does not have is missing, as null is; an empty text is a text.
Read here and not by an engine: an engine quotes the line it stumbles over, and guesses types from the first lines.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from incrowd.errors import InputError
from incrowd.machine.paths import opening
from incrowd.rows.dialect import BOM, named, open_bytes
from incrowd.rows.scan import LONGEST_LINE

#: Records that are held as Python's objects at once; bytes that a list of objects may have, which is read as a whole.
_PIECE, _WHOLE = 50_000, 1 << 28
#: So many columns are read.
COLUMNS = 16_384
_FLAT = "Keep texts, numbers, true, false and null: one column for each."


class _Number(str):
    """A number as it is written: 1.50 is not 1.5."""

    __slots__ = ()


class _Fault(Exception):
    """What is wrong with an object: code, words, way out. Never what is in it."""


def read_json(path: Path) -> pa.Table:
    """The objects as a table of texts; its columns are the keys, in the order in which they come."""
    columns: dict[str, set[type]] = {}  # with what its values are
    records = _records(path)
    tables = []
    while piece := list(islice(records, _PIECE)):
        names = list(dict.fromkeys(name for record in piece for name in record))
        for name in names:
            columns.setdefault(name, set()).update(type(r[name]) for r in piece if r.get(name) is not None)
        if len(columns) > COLUMNS:
            raise InputError("D339", f"{path.name} has more than {COLUMNS:,} different keys.", _FLAT)
        tables.append(pa.table({name: pa.array([_text(r.get(name)) for r in piece], pa.string()) for name in names}))
    if not columns:
        raise InputError("D002", f"{path.name} holds no record.", "It needs an object for each.")
    named(list(columns), path.name)
    mixed = {name for name, found in columns.items() if len(found) > 1}
    if mixed:
        _refuse_alike(path, mixed, list(columns))
    return pa.concat_tables(tables, promote_options="default").select(list(columns))


def _refuse_alike(path: Path, mixed: set[str], columns: list[str]) -> None:
    """A number and a text that is written like it are two values, and would be one."""
    found: dict[str, dict[str, type]] = {name: {} for name in mixed}
    for record in _records(path):
        for name in mixed & record.keys():
            value = record[name]
            if value is not None and found[name].setdefault(str(_text(value)), type(value)) is not type(value):
                number = columns.index(name) + 1
                raise InputError(
                    "D338",
                    f"column {number} of {path.name} holds a value both as a text and as a number, true or false.",
                    "Write the whole column as one of them.",
                )


def _text(value: str | bool | None) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects one after the other, each checked."""
    fault = None
    with opening(path):
        try:
            with open_bytes(path) as file:
                yield from _listed(file, path) if _is_list(file) else _lines(file, path)
            return
        except (EOFError, gzip.BadGzipFile, zlib.error):
            fault = InputError("D003", f"{path.name} is not a complete gzip file.", "Fetch or compress it again.")
    raise fault  # outside: the cause quotes bytes


def _is_list(file: IO[bytes]) -> bool:
    head = file.read(LONGEST_LINE).removeprefix(BOM).lstrip()
    file.seek(0)
    return head.startswith(b"[")


def _lines(file: IO[bytes], path: Path) -> Iterator[dict[str, Any]]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        where = f"line {number} of {path.name}"
        if len(line) > LONGEST_LINE:
            hint = "Write an object to a line."
            raise InputError("D007", f"{where} is longer than {LONGEST_LINE // 2**20} MiB.", hint)
        line = line.removeprefix(BOM) if number == 1 else line
        if line.strip():
            yield _flat(_parsed(line, where), where)


def _listed(file: IO[bytes], path: Path) -> Iterator[dict[str, Any]]:
    text = file.read(_WHOLE + 1)
    if len(text) > _WHOLE:
        message = f"{path.name} is one list of more than {_WHOLE // 2**20} MiB."
        raise InputError("D339", message, "Write an object to a line, which is read piece by piece: jq -c '.[]'")
    for number, one in enumerate(_parsed(text.removeprefix(BOM), path.name), 1):
        yield _flat(one, f"object {number} of {path.name}")


def _parsed(text: bytes, where: str) -> Any:
    try:
        return json.loads(
            text.decode("utf-8"), object_pairs_hook=_object, parse_int=_Number, parse_float=_Number,
            parse_constant=_constant,
        )  # fmt: skip
    except UnicodeDecodeError:
        fault = InputError("D005", f"{where} is not UTF-8.", "JSON is UTF-8: save it so.")
    except _Fault as known:
        fault = InputError("D339", f"{where} {known}.", "Each key once, and only what JSON knows.")
    except (ValueError, RecursionError):
        hint = "Write one object to a line, without commas between them."
        fault = InputError("D339", f"{where} is not one whole JSON object.", hint)
    raise fault  # outside: the cause quotes the line


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _Fault("has a key twice in one object")
    return made


def _constant(_: str) -> None:
    raise _Fault("holds NaN or Infinity, which is no JSON")


def _flat(one: Any, where: str) -> dict[str, Any]:
    """An object whose values are plain; what is not is told by its place in the object."""
    if not isinstance(one, dict):
        raise InputError("D339", f"{where} is {_kind(one)}, and not an object.", 'A record is written {"age": 34}.')
    for number, (name, value) in enumerate(one.items(), 1):
        if isinstance(value, dict | list):
            raise InputError("D339", f"{where} holds {_kind(value)} in field {number}.", _FLAT)
        for text in (name, value):
            if isinstance(text, str) and not _writable(text):
                message = f"{where} holds half a character, or a NUL, in field {number}."
                raise InputError("D008", message, "The file is damaged: write it again.")
    return one


def _writable(text: str) -> bool:
    return "\0" not in text and (text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text))


def _kind(value: Any) -> str:
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else "a plain value"
