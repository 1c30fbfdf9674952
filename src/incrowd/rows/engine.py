"""The engine: DuckDB behind Ibis, and the one door through which its complaints come out.

An engine quotes the line it stumbles over. That line is somebody's record, so no message of the engine leaves this
file: what is let through is the kind of fault and the line number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import ibis

from incrowd.errors import IncrowdError, InputError

T = TypeVar("T")
LONGEST_LINE = 2 * 1024 * 1024

_KINDS = (
    ("Expected Number of Columns", "D004", "has not as many fields as the header",
     "Mend the line, or name the delimiter in the plan (data: delimiter)."),
    ("Invalid unicode", "D005", "is not UTF-8 text",
     "Save the file as UTF-8, or name its encoding (data: encoding: latin-1)."),
    ("unterminated quote", "D006", "has a quotation mark that is not closed where it should be",
     "Double the quotation marks inside a quoted field."),
    ("Maximum line size", "D007", f"is longer than {LONGEST_LINE // 2**20} MiB",
     "A cell this large is hardly a value about a person: look for an unclosed quotation mark."),
)  # fmt: skip


def connect(spill: Path | None = None, memory: str | None = None) -> Any:
    """Start an embedded DuckDB. It spills to a private folder, never to a shared one, and downloads nothing."""
    connection = ibis.duckdb.connect()
    settings = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_progress_bar": "false",
        "temp_directory": f"'{_quoted(spill)}'" if spill else "''",
    }
    if memory:
        settings["memory_limit"] = f"'{memory}'"
    for name, value in settings.items():
        connection.raw_sql(f"SET {name} = {value}")
    return connection


def safely(place: str, work: Callable[[], T]) -> T:
    """Let the engine work; what it raises becomes an error of ours, without the data the engine quotes."""
    try:
        return work()
    except duckdb.OutOfMemoryException:
        fault: IncrowdError = InputError(
            "D009", f"{place} does not fit into the memory the engine may use.", "Raise --memory."
        )
    except duckdb.Error as error:
        fault = _translate(str(error), type(error).__name__, place)
    # Raised here and not in an except block, so that the engine's message is not even in the chain of causes.
    raise fault


def _translate(message: str, kind: str, place: str) -> IncrowdError:
    found = re.search(r"CSV Error on Line: (\d+)", message)
    line = f"line {found.group(1)} of {place}" if found else place
    for phrase, code, what, hint in _KINDS:
        if phrase in message:
            return InputError(code, f"{line} {what}.", hint)
    if "No space left" in message or "Could not write" in message:
        return IncrowdError("X002", f"there is no room left on the disk while reading or writing {place}.")
    return InputError("D001", f"the engine cannot read {line} ({kind}).", "Is it the file it is said to be?")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
