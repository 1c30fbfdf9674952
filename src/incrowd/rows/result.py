"""What a task gives back: a line to read, a table and charts in a notebook, and its rows as a table of yours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar, overload

import pyarrow as pa

from incrowd.errors import visible

if TYPE_CHECKING:
    import pandas as pd

#: A notebook shows so many lines of a table; `to_pandas` gives all.
SHOWN = 50

Line = Mapping[str, object]
T = TypeVar("T")


class Result:
    """A value with a short `repr`, an HTML one for notebooks, and rows that can be had as a table.

    A subclass says `_told` (one line, no record and no value of a person in it), `_lines` (its rows), and where there
    is something to draw `_charts` (SVG).
    """

    def _told(self) -> str:
        raise NotImplementedError

    def _lines(self) -> Iterable[Line]:
        """The rows, all with the same names."""
        return ()

    def _names(self) -> Sequence[str]:
        """The names of the columns, for a table without rows."""
        return ()

    def _shown(self) -> Iterable[Line]:
        """What a notebook shows of them."""
        return self._lines()

    def _charts(self) -> Iterable[str]:
        return ()

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        lines = [dict(line) for line in self._lines()]
        return pa.Table.from_pylist(lines) if lines else pa.table({name: pa.nulls(0) for name in self._names()})

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame."""
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def __repr__(self) -> str:
        return visible(f"{type(self).__name__}: {self._told()}")

    def _repr_html_(self) -> str:
        head = f"<p><b>{type(self).__name__}</b> {_safe(self._told())}</p>"
        return f"<div>{head}{_html_table(list(self._shown()))}{''.join(self._charts())}</div>"


class Listing(Result, Sequence[T]):
    """A result that is a sequence of `items`."""

    items: tuple[T, ...]

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...

    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        return self.items[at]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


def plain_fields(value: Any, *but: str) -> dict[str, object]:
    """The fields of a dataclass that fit into a table: tuples of texts become one text, other compounds are left out.

    >>> from incrowd.errors import Fault
    >>> plain_fields(Fault("P001", "data", "message"), "hint", "line")
    {'code': 'P001', 'place': 'data', 'message': 'message'}
    """
    found: dict[str, object] = {}
    for name, one in vars(value).items():
        if name in but:
            continue
        if isinstance(one, tuple) and all(isinstance(part, str) for part in one):
            found[name] = ", ".join(one)
        elif one is None or isinstance(one, str | int | float | bool):
            found[name] = one
    return found


def _safe(text: str) -> str:
    return escape(visible(text))


def _html_table(lines: Sequence[Line]) -> str:
    if not lines:
        return ""
    heads = "".join(f"<th>{_safe(str(name))}</th>" for name in lines[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{_safe(_cell(value))}</td>" for value in line.values()) + "</tr>"
        for line in lines[:SHOWN]
    )
    more = f"<p>… and {len(lines) - SHOWN:,} more</p>" if len(lines) > SHOWN else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    match value:
        case None:
            return "\N{EN DASH}"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.4g}"
        case _:
            return str(value)
