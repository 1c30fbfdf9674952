"""Cells that a spreadsheet would run, counted and made harmless in the engine. The rule is in `keys/spreadsheet.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import ibis

from incrowd.keys.spreadsheet import FORMULA, MARK, PLAIN, SIGNED
from incrowd.rows.frame import Rows


def count_formulas(rows: Rows) -> dict[str, int]:
    """How many cells of each column would a spreadsheet run? Only columns that have some; one pass for all."""
    texts = _texts(rows, rows.columns)
    if not texts:
        return {}
    sums = {f"c{i}": _runs(rows.table[name]).ifelse(1, 0).sum() for i, name in enumerate(texts)}
    found = rows.collect(rows.table.aggregate(**sums), "the cells that begin like formulas").to_pylist()[0]
    return {name: int(found[f"c{i}"]) for i, name in enumerate(texts) if found[f"c{i}"]}


def neutralise(rows: Rows, columns: Sequence[str]) -> Rows:
    """The same records, no cell of these columns one that a spreadsheet runs."""
    texts = _texts(rows, columns)
    changed = {name: _neutral(rows.table[name]) for name in texts}
    return replace(rows, table=rows.table.mutate(**changed)) if changed else rows


def _texts(rows: Rows, columns: Sequence[str]) -> list[str]:
    return [name for name in columns if rows.table[name].type().is_string()]


def _neutral(text: ibis.Value) -> ibis.Value:
    return ibis.ifelse(_runs(text.re_replace(f"^{MARK}+", "")), ibis.literal(MARK) + text, text)


def _runs(text: ibis.Value) -> ibis.Value:
    # No engine's $ is quite the end of the text for a text that ends in a line break; \z is, in all of them.
    plain = text.re_search(PLAIN.removesuffix("$") + r"\z")
    return (text.re_search(FORMULA) | (text.re_search(SIGNED) & ~plain)).fill_null(False)
