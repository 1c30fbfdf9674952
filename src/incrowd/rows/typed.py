"""Which columns of texts can be written as integers, dates or decimals, and be read as the very same texts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import ibis

from incrowd.rows.frame import Rows

#: As a number would be written again: no leading zero, no plus, no exponent, no point without digits. Up to 18 digits,
#: which every reader's integers and decimals hold.
_INTEGER = r"^(0|-?[1-9][0-9]{0,17})$"
_DATE = r"^[12][0-9]{3}-[01][0-9]-[0-3][0-9]$"
_DECIMAL = r"^-?(0|[1-9][0-9]*)\.[0-9]{1,6}$"
#: Decimals have so many digits; with more than six of them behind the point, some readers write exponents.
DIGITS = 18
#: Some readers make floating point numbers of integers where a value is missing: so many digits stay exact in them.
SHORT = 15
INTEGER, DATE = "int64", "date"
_PATTERNS = {INTEGER: _INTEGER, DATE: _DATE}


def exact_types(rows: Rows, columns: Sequence[str]) -> dict[str, str]:
    """The columns of texts that can be read as integers, dates or decimals without changing a letter, and as which.
    An empty text is none of them; a missing value is no hindrance.

    The engine itself makes a text again of what it made, and both must be equal in all records: `007`, `+5`, `1e3`,
    ` 3`, `-0`, 30 February and numbers with different numbers of decimals stay texts.
    """
    texts = [name for name in columns if rows.table[name].type().is_string()]
    asked: dict[str, ibis.Value] = {}
    for i, name in enumerate(texts):
        text = rows.table[name]
        places = ibis.cases((text.re_search(_DECIMAL), text.length() - text.find(".") - 1))
        asked |= {f"n{i}": text.count(), f"p{i}": places.min(), f"q{i}": places.max()}
        asked |= {f"i{i}": _same(text, INTEGER), f"d{i}": _same(text, DATE), f"l{i}": text.length().max()}
    if not asked:
        return {}
    found = rows.collect(rows.table.aggregate(n=rows.table.count(), **asked)).to_pylist()[0]
    kinds: dict[str, str] = {}
    for i, name in enumerate(texts):
        filled = found[f"n{i}"]
        if filled and found[f"i{i}"] == filled:
            if filled == found["n"] or found[f"l{i}"] <= SHORT:
                kinds[name] = INTEGER
        elif filled and found[f"d{i}"] == filled:
            kinds[name] = DATE
        elif filled and found[f"p{i}"] is not None and found[f"p{i}"] == found[f"q{i}"]:
            kinds[name] = f"decimal({DIGITS}, {found[f'p{i}']})"
    decimals = {
        str(i): _same(rows.table[name], kinds[name]) for i, name in enumerate(texts) if "(" in kinds.get(name, "")
    }
    exact = rows.collect(rows.table.aggregate(**decimals)).to_pylist()[0] if decimals else {}
    gone = {texts[int(i)] for i, same in exact.items() if same != found[f"n{i}"]}
    return {name: kind for name, kind in kinds.items() if name not in gone}


def as_types(rows: Rows, kinds: Mapping[str, str]) -> Rows:
    """These columns as the types that were found for them."""
    made = {name: _read(rows.table[name], kind) for name, kind in kinds.items()}
    return replace(rows, table=rows.table.mutate(**made)) if made else rows


def _same(text: ibis.Value, kind: str) -> ibis.Value:
    """In how many records is what is read written as the text?"""
    return (_read(text, kind).cast("string") == text).fill_null(False).ifelse(1, 0).sum()


def _read(text: ibis.Value, kind: str) -> ibis.Value:
    pattern = _PATTERNS.get(kind, _DECIMAL)
    # The pattern first: DuckDB pushes a bare try_cast into its CSV reader, which then stumbles over texts.
    return ibis.cases((text.re_search(pattern) & (text.length() <= DIGITS + 1), text.try_cast(kind)))
