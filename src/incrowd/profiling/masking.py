"""The first records of a file with masked values: what its owner may have on a screen that others see, too.

A value is shown as it is only where a crowd shares it. Any other is shown by its form alone: `York` as `Xxxx`,
`1984-03-07` as `9999-99-99`. What names a person is never shown, however many share it.
"""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.rows import Rows
from incrowd.rows.beginning import first_records, holders

#: So many records, or people, must have a value that is shown as it is.
CROWD = 10
#: So many records are shown, of so many columns: nobody looks at more.
RECORDS, COLUMNS = 20, 60
#: A form is cut here: a long text tells itself by its length.
LONGEST = 24
#: What stays of a form besides letters and digits: how dates, codes and addresses are put together.
_STAYS = frozenset(" .,-/:@_+()'&%£$€#")


@dataclass(frozen=True)
class Cell:
    """One value: its form, and the value itself only where a crowd shares it. A blank has neither."""

    form: str = ""
    value: str | None = None

    def shown(self, identifier: bool) -> str:
        """What may be seen of it."""
        return self.form if identifier or self.value is None else self.value

    def masked(self, identifier: bool) -> bool:
        """Whether only its form is seen."""
        return bool(self.form) and (identifier or self.value is None)


@dataclass(frozen=True)
class Preview:
    """The first records of a file, masked. `left_out` columns are not in it."""

    columns: tuple[str, ...]
    records: tuple[tuple[Cell, ...], ...]
    left_out: int = 0


def preview(rows: Rows, unit: str | None = None) -> Preview:
    """What do the first records look like? Values that fewer than ten share are shown by their form.

    With a `unit`, ten people must share a value, not ten records. Misleads who takes a common combination for a common
    person: each value has its crowd by itself, and the record as a whole may be the only one. Whoever shows it decides
    which columns are identifiers (`Cell.shown`).
    """
    columns = rows.columns[:COLUMNS]
    records = first_records(rows, columns, RECORDS)
    common = holders(rows, columns, records, unit)
    masked = tuple(tuple(_cell(value, common[i]) for i, value in enumerate(record)) for record in records)
    return Preview(columns, masked, len(rows.columns) - len(columns))


def _cell(value: str | None, common: dict[str, int]) -> Cell:
    if value is None or not value.strip():
        return Cell()
    return Cell(form_of_value(value), value if common.get(value, 0) >= CROWD else None)


def form_of_value(value: str) -> str:
    """How a value is written, without what it says: letters as x or X, digits as 9, other signs as a dot.

    >>> form_of_value("Ann O'Neil, 12 High St"), form_of_value("YO1 7HH")
    ("Xxx X'Xxxx, 99 Xxxx Xx", 'XX9 9XX')
    """
    signs = [_sign(sign) for sign in value[: LONGEST + 1]]
    if not any(sign in "xX9" for sign in signs):
        return "·"  # a value of signs alone would be seen as it is
    return "".join(signs[:LONGEST]) + ("…" if len(signs) > LONGEST else "")


def _sign(sign: str) -> str:
    if sign.isnumeric():
        return "9"
    if sign.isalpha():
        return "X" if sign.isupper() else "x"
    return sign if sign in _STAYS else "·"
