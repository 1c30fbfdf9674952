"""Is the first line of a file a header? Its names are shown only where something proves it (`keys.names`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from incrowd.errors import InputError
from incrowd.keys.names import SAMPLE, SPEAKERS, Names, like_a_value, prove, speaks_for

if TYPE_CHECKING:  # rows ask for their own names
    from incrowd.rows.frame import Rows


def names_of(rows: Rows, written: Sequence[str]) -> Names:
    """The columns of some rows, as far as an error may name them. `written` are the names that somebody asked for."""
    return prove(rows.columns, written, _speaking(rows))


def refuse_unknown(rows: Rows, written: Sequence[str]) -> None:
    """Every name that somebody wrote must be a column."""
    missing = [name for name in written if name not in rows.columns]
    if missing:
        hint = names_of(rows, written).hint(missing[0])
        raise InputError("D012", f"{missing[0]!r} is not a column of {rows.place}.", hint)


def refuse_records_as_names(rows: Rows) -> None:
    """Where all names are about to be shown, the first line must be a header for certain."""
    if any(map(like_a_value, rows.columns)):
        message = f"line 1 of {rows.place} looks like a record, and not like names of columns."
        raise InputError("D244", message, "The first line must name the columns. If it does, say so: --header")
    if rows.first_line and len(_speaking(rows)) < SPEAKERS:
        raise InputError(
            "D265",
            f"nothing tells whether line 1 of {rows.place} names the columns or is a record, so it is not shown.",
            "If it names them, say so: --header",
        )


def _speaking(rows: Rows) -> list[str]:
    """The columns that speak for the header, unless one speaks against it; none where the file cannot be read."""
    try:
        sample = rows.collect(
            rows.table.limit(SAMPLE).select(**{f"c{i}": rows.text(name) for i, name in enumerate(rows.columns)}),
            "the first records",
        )
    except InputError:
        return []  # whoever reads on gets the fault itself, with its line
    spoken = [speaks_for(name, sample[f"c{i}"].to_pylist()) for i, name in enumerate(rows.columns)]
    if -1 in spoken:
        return []
    return [name for name, vote in zip(rows.columns, spoken, strict=True) if vote > 0]
