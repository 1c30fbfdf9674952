"""What steps that change single records share: count what they changed, and count the classes again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from incrowd.errors import InputError
from incrowd.protect.state import Context, State
from incrowd.rows import Rows
from incrowd.rows.numbers import Written
from incrowd.rows.records import count_changed, forget


def recount_changed(rows: Rows, columns: Sequence[str], state: State, context: Context) -> tuple[State, dict[str, int]]:
    """The new state, and how many cells of each column changed. A key that changed makes other classes: they are
    counted again; other columns are in no class.
    """
    changed = count_changed(rows, columns)
    after = replace(state, rows=forget(rows))
    counted = {
        *state.table.names,
        *state.table.histograms,
        *(name for where in context.conditions.values() for name in where),
    }
    return (context.recount(after) if counted & set(columns) else after), changed


def told(changed: dict[str, int]) -> str:
    """The changed cells in words, for the audit."""
    return "cells changed: " + ", ".join(f"{name} {cells:,}" for name, cells in changed.items())


def decimals(written: dict[str, Written], asked: int | None, more: int) -> dict[str, int]:
    """How many decimals each column is released with: as asked, or `more` than its numbers have."""
    if asked is not None:
        return dict.fromkeys(written, asked)
    for name, found in written.items():
        if found.exponents:
            message = f"numbers of {name!r} are written with exponents, so their decimals cannot be counted."
            raise InputError("D131", message, "Say how many to release: decimals: 2")
    return {name: min(found.decimals + more, 12) for name, found in written.items()}
