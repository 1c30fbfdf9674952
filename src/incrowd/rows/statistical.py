"""The files of SPSS, Stata and SAS, each value as its text; with what the file says of its values.

Value labels do not replace the codes: they are in the codebook. A user's missing codes (SPSS's missing values, .a to .z
of Stata and SAS) stay values of their own, and the codebook says that they are missing ones; what the program itself
calls missing is missing. An empty text is missing too: these programs have no other way to say it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.errors import InputError, missing_extra
from incrowd.keys.codebook import Codebook, Scale
from incrowd.rows.amounts import number, writer
from incrowd.rows.dialect import named

#: Endings, what pyreadstat calls the format, and whose it is.
FORMATS = {
    ".sav": ("sav/zsav", "spss"),
    ".zsav": ("sav/zsav", "spss"),
    ".por": ("por", "spss"),
    ".dta": ("dta", "stata"),
    ".sas7bdat": ("sas7bdat", "sas"),
    ".xpt": ("xport", "sas"),
}
#: Cells that are read at once: as Python's objects they take ten times the room that they take later.
_PIECE = 2_000_000
#: A SAS transport file is made of cards of so many bytes.
_CARD = 80
_ENCODINGS = {"utf-8": "UTF-8", "latin-1": "ISO-8859-1", "cp1252": "WINDOWS-1252"}
_SCALES: dict[str, Scale] = {"nominal": "nominal", "ordinal": "ordinal", "scale": "numeric"}


@dataclass(frozen=True)
class _Variable:
    """One column: how its values are written, and what was seen of them in all pieces."""

    text: bool
    write: Callable[[float], str]
    ranges: tuple[tuple[Any, Any], ...]
    seen: set[str] = field(default_factory=set)
    absent: dict[Any, str] = field(default_factory=dict)  # a user's missing codes, as stored and as written

    def written(self, value: float | str) -> str:
        """A value as its text; a user's missing code is a code, also in a column of dates."""
        if self.text:
            text = str(value).rstrip(" ")
            if any(low <= text <= high for low, high in self.ranges):
                self.absent[text] = text
            return text
        if isinstance(value, str):  # .a to .z
            return self.absent.setdefault(value, f".{value}")
        if any(low <= value <= high for low, high in self.ranges):
            return self.absent.setdefault(value, number(float(value)))
        return self.write(float(value))


def read_statistical(path: Path, encoding: str | None = None) -> tuple[pa.Table, Codebook]:
    """A file of SPSS, Stata or SAS as a table of texts, and what it says of its values."""
    try:
        from pyreadstat._readstat_parser import (
            parser_entry_point,
        )  # its public names leave out the missing codes of SAS
    except ImportError:
        raise missing_extra("pyreadstat, which reads files of SPSS, Stata and SAS,", "stat") from None
    ending = path.suffix.lower()
    form, program = FORMATS[ending]
    if ending == ".xpt" and path.stat().st_size % _CARD:
        raise _broken(path)
    found: tuple[pa.Table, Codebook] | InputError | None = None
    reason = ""

    def read(**options: Any) -> tuple[Mapping[str, list[Any]], Any]:
        given = {} if encoding is None else {"encoding": _ENCODINGS[encoding]}
        content, said = parser_entry_point(
            str(path), form, user_missing=True, disable_datetime_conversion=True, output_format="dict", **given,
            **options,
        )  # fmt: skip
        return content, said

    # It raises whatever the file makes it raise, with texts of the file in it; none of that gets out.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = _read(read, program, path.name)
        except InputError as fault:
            found = fault
        except MemoryError:
            raise
        except Exception as error:
            reason = str(error)
    if found is None:
        raise _not_text(path) if "encoding" in reason or "codec" in reason else _broken(path)
    if isinstance(found, InputError):
        raise found
    return found


def _read(read: Callable[..., Any], program: str, place: str) -> tuple[pa.Table, Codebook]:
    _, said = read(metadataonly=True)
    names = list(said.column_names)
    if not names:
        raise InputError("D002", f"{place} has no columns.", "Is it the file it is said to be?")
    named(names, place)
    ranges = {
        name: tuple((one["lo"], one["hi"]) for one in given if isinstance(one, dict))
        for name, given in said.missing_ranges.items()
    }
    variables = {
        name: _Variable(
            said.readstat_variable_types[name] == "string",
            writer(program, said.original_variable_types.get(name), said.readstat_variable_types[name]),
            ranges.get(name, ()),
        )
        for name in names
    }
    tables = [
        pa.table({name: _column(content[name], variable) for name, variable in variables.items()})
        for content in _pieces(read, len(names))
    ]
    return pa.concat_tables(tables), _book(said, variables)


def _pieces(read: Callable[..., Any], width: int) -> Iterator[Mapping[str, list[Any]]]:
    size, start = max(1_000, _PIECE // width), 0
    while True:
        content, _ = read(row_offset=start, row_limit=size)
        yield content
        read_now = len(next(iter(content.values())))
        if read_now < size:
            return
        start += read_now


def _column(values: Iterable[Any], variable: _Variable) -> pa.Array:
    """Some values of a column as texts: each that is different is written once."""
    if variable.text:
        made = [value or None for value in values]
        variable.seen.update(variable.written(value) for value in set(made) if value is not None)
        return pa.array(made, pa.string())
    given = list(values)
    tagged = {i: variable.written(value) for i, value in enumerate(given) if isinstance(value, str)}
    plain = [np.nan if value is None or isinstance(value, str) else value for value in given]
    # By their bits: 0 and -0 are equal, and stored as two.
    bits, places = np.unique(np.array(plain, np.float64).view(np.int64), return_inverse=True)
    texts = [None if np.isnan(value) else variable.written(value) for value in bits.view(np.float64).tolist()]
    variable.seen.update(text for text in texts if text is not None)
    made = pa.array(texts, pa.string()).take(pa.array(places))
    if not tagged:
        return made
    variable.seen.update(tagged.values())
    return pa.array([tagged.get(i, text) for i, text in enumerate(made.to_pylist())], pa.string())


def _book(said: Any, variables: Mapping[str, _Variable]) -> Codebook:
    """What the file says of its columns and their values."""
    codes = {
        name: {variables[name].written(value): label.strip() for value, label in labels.items() if label.strip()}
        for name, labels in said.variable_value_labels.items()
        if name in variables
    }
    missing = {
        name: tuple(variable.absent[value] for value in sorted(variable.absent, key=lambda one: (str(type(one)), one)))
        for name, variable in variables.items()
        if variable.absent
    }
    scales = {
        name: _SCALES[said.variable_measure[name]] for name in variables if said.variable_measure.get(name) in _SCALES
    }
    for name in [name for name, scale in scales.items() if scale == "numeric"]:
        # A program's default: where every value has a name, it is no amount, and the file says nothing of an order.
        amounts = variables[name].seen - set(missing.get(name, ()))
        if amounts and amounts <= set(codes.get(name, {})):
            del scales[name]
    titles = {name: label.strip() for name, label in said.column_names_to_labels.items() if label and label.strip()}
    return Codebook(titles, {name: labels for name, labels in codes.items() if labels}, missing, scales)


def _broken(path: Path) -> InputError:
    return InputError(
        "D331",
        f"{path.name} cannot be read: it is damaged, cut off, or not what its ending says.",
        "Fetch it again, or save it as CSV where it was made.",
    )


def _not_text(path: Path) -> InputError:
    message = f"{path.name} holds texts that are not in the encoding it says."
    return InputError("D332", message, "Name the encoding: --encoding cp1252, or latin-1 (data: encoding).")
