"""Look through the released records: filter, sort, page. Names of columns and values never become SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, case, func, select

from incrowd.intruder_test.store import Facts

PAGE = 50
LONGEST = 200  # characters of a filter


@dataclass(frozen=True)
class RecordSearch:
    """What is looked for: for a column's number, how it is compared and with what."""

    filters: tuple[tuple[int, str, str], ...] = ()  # (column, "is" | "missing" | "has" | "from" | "to", text)
    sort: int | None = None  # a column's number; None: by record number
    falling: bool = False
    page: int = 1


@dataclass(frozen=True)
class Found:
    """A page of records, and how many there are in all."""

    rows: tuple[tuple[int, tuple[str | None, ...]], ...]
    count: int
    page: int
    pages: int


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
    return RecordSearch(
        tuple(filters), sort, query.get("order") == "falling", _whole(query.get("page", ""), 10**7) or 1
    )


def search(connection: Connection, records: Table, facts: Facts, wanted: RecordSearch) -> Found:
    """The page that is asked for; the last one where it is beyond the end."""
    where = and_(*[_condition(records, *each) for each in wanted.filters]) if wanted.filters else None
    counting = select(func.count()).select_from(records)
    count = connection.execute(counting if where is None else counting.where(where)).scalar_one()
    pages = max(1, -(-count // PAGE))
    page = min(max(wanted.page, 1), pages)
    query = select(records.c.number, *_columns(records, facts))
    if where is not None:
        query = query.where(where)
    if wanted.sort is not None:
        by = _place(records, facts, wanted.sort)
        query = query.order_by(by.is_(None), by.desc() if wanted.falling else by)
    elif wanted.falling:
        query = query.order_by(records.c.number.desc())
    query = query.order_by(records.c.number).limit(PAGE).offset((page - 1) * PAGE)
    rows = tuple((row[0], tuple(row[1:])) for row in connection.execute(query))
    return Found(rows, count, page, pages)


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


def _condition(records: Table, column: int, how: str, text: str) -> ColumnElement[bool]:
    value = records.c[f"c{column}"]
    match how:
        case "missing":
            return value.is_(None)
        case "has":
            return func.lower(value).contains(text.lower(), autoescape=True)
        case "from":
            return records.c[f"n{column}"] >= float(text)
        case "to":
            return records.c[f"n{column}"] <= float(text)
    return value == text


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < 1e300
    except ValueError:
        return False


def _whole(text: str, most: int) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 and int(text) <= most else None
