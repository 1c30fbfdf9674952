"""Look through the released records: filter, sort, page, or whoever could be the person of a card.

Names of columns and values never become SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, case, func, or_, select

from incrowd.attack.matching.fitting import ANY
from incrowd.attack.matching.spans import span
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.likeness import Look
from incrowd.intruder_test.schema import ReleasedColumn

PAGE = 50
LONGEST = 200  # characters of a filter


@dataclass(frozen=True)
class RecordSearch:
    """What is looked for: for a column's number, how it is compared and with what."""

    filters: tuple[tuple[int, str, str], ...] = ()  # (column, "is" | "missing" | "has" | "from" | "to", text)
    sort: int | None = None  # a column's number; None: by record number
    falling: bool = False
    page: int = 1
    wide: bool = False  # also records where what is looked for is blank or said more coarsely
    like: int | None = None  # a card's number: only records that could be its person


@dataclass(frozen=True)
class Found:
    """A page of records, and how many there are in all."""

    rows: tuple[tuple[int, tuple[str | None, ...]], ...]
    count: int
    page: int
    pages: int
    exact: int = 0  # of those that could be a card's person, how many say just what the card says, in every key


def parse_search(query: Mapping[str, str], facts: Facts) -> RecordSearch:
    """A search from the fields of the form; what makes no sense there is left out."""
    filters = []
    for i, column in enumerate(facts.columns):
        given = {name: query.get(f"{name}{i}", "").strip()[:LONGEST] for name in ("f", "t", "a", "b")}
        if column.kind == "choice" and given["f"]:
            mark, value = query[f"f{i}"][0], query[f"f{i}"][1:]
            filters.append((i, "missing" if mark == "?" else "is", value))
        elif column.kind == "text" and given["t"]:
            filters.append((i, "has", given["t"]))
        elif column.kind == "number":
            filters += [(i, how, given[mark]) for mark, how in (("a", "from"), ("b", "to")) if _is_number(given[mark])]
    sort = _whole(query.get("sort", ""), len(facts.columns) - 1)
    page, like = _whole(query.get("page", ""), 10**7) or 1, _whole(query.get("like", ""), 10**7)
    falling, wide = query.get("order") == "falling", query.get("wide") == "yes"
    return RecordSearch(tuple(filters), sort, falling, page, wide, like or None)


def search(
    connection: Connection, records: Table, facts: Facts, wanted: RecordSearch, looks: Sequence[Look] = ()
) -> Found:
    """The page that is asked for; the last one where it is beyond the end. With `looks` only records that could be the
    person of a card: those that say most keys just as the card does come first, unless another order is asked for.
    """
    where = [_condition(records, facts, wanted.wide, *each) for each in wanted.filters] + could_be(
        records, facts, looks
    )
    counting = select(func.count()).select_from(records)
    count = connection.execute(counting.where(*where)).scalar_one()
    said = [_is_one_of(_value(records, facts, look.key), look.labels[: look.exact]) for look in looks]
    exact = connection.execute(counting.where(*where, *said)).scalar_one() if looks else 0
    pages = max(1, -(-count // PAGE))
    page = min(max(wanted.page, 1), pages)
    query = select(records.c.number, *_columns(records, facts)).where(*where)
    if wanted.sort is not None:
        by = _place(records, facts, wanted.sort)
        query = query.order_by(by.is_(None), by.desc() if wanted.falling else by)
    elif wanted.falling:
        query = query.order_by(records.c.number.desc())
    elif said:
        exactly = reduce(add, (case((one, 1), else_=0) for one in said))
        query = query.order_by(exactly.desc())
    query = query.order_by(records.c.number).limit(PAGE).offset((page - 1) * PAGE)
    rows = tuple((row[0], tuple(row[1:])) for row in connection.execute(query))
    return Found(rows, count, page, pages, exact)


def could_be(records: Table, facts: Facts, looks: Sequence[Look]) -> list[ColumnElement[bool]]:
    """What a record must be to be the person of a card."""
    return [_is_one_of(_value(records, facts, look.key), look.labels) for look in looks]


def _is_one_of(value: ColumnElement[Any], labels: Sequence[str | None]) -> ColumnElement[bool]:
    named = value.in_([label for label in labels if label is not None])
    return or_(named, value.is_(None)) if None in labels else named


def _value(records: Table, facts: Facts, key: str) -> ColumnElement[Any]:
    return records.c[f"c{facts.column(key)}"]


def coarser(column: ReleasedColumn, text: str) -> list[str]:
    """The released values that could be this one, said more coarsely."""
    told = span(text)
    found = []
    for label, fine in column.coarse.items():
        end = span(label)
        inside = told is not None and end is not None and end[0] <= told[0] and told[1] <= end[1]
        if label != text and (label == ANY or text in fine or inside):
            found.append(label)
    return found


def one_record(connection: Connection, records: Table, facts: Facts, number: int) -> tuple[str | None, ...] | None:
    """The values of a record, or None where there is no such number."""
    query = select(*_columns(records, facts)).where(records.c.number == number)
    row = connection.execute(query).one_or_none()
    return None if row is None else tuple(row)


def _place(records: Table, facts: Facts, at: int) -> ColumnElement[Any]:
    """What a column is sorted by: numbers as numbers, a choice in the order of its list, texts as they are."""
    column = facts.columns[at]
    if column.kind == "choice":
        places = {value: place for place, (value, _) in enumerate(column.values) if value is not None}
        return case(places, value=records.c[f"c{at}"]) if places else records.c[f"c{at}"]
    return records.c[f"n{at}" if column.kind == "number" else f"c{at}"]


def _columns(records: Table, facts: Facts) -> Sequence[ColumnElement[str | None]]:
    return [records.c[f"c{i}"] for i in range(len(facts.columns))]


def _condition(records: Table, facts: Facts, wide: bool, column: int, how: str, text: str) -> ColumnElement[bool]:
    value = records.c[f"c{column}"]
    match how:
        case "missing":
            return value.is_(None)
        case "has":
            found = func.lower(value).contains(text.lower(), autoescape=True)
        case "from":
            found = records.c[f"n{column}"] >= float(text)
        case "to":
            found = records.c[f"n{column}"] <= float(text)
        case _:
            found = value == text
    return or_(found, _is_one_of(value, [*coarser(facts.columns[column], text), None])) if wide else found


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < 1e300
    except ValueError:
        return False


def _whole(text: str, most: int) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 and int(text) <= most else None
