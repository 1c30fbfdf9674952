"""Whole columns of postcodes in the engine: components, reasons why a value is none, and sums by component.

The grammar is that of `keys/postcodes.py`, as regular expressions that all engines read alike; a test compares the two
on generated texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import ibis
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.errors import InputError
from incrowd.keys import postcodes as grammar
from incrowd.keys.postcodes import Component, Reason
from incrowd.rows.frame import Rows
from incrowd.rows.header import refuse_unknown
from incrowd.rows.residents import count_residents

#: A ZIP code of the United States: five digits, with or without the four of the delivery route.
ZIP = "^[0-9]{5}(-?[0-9]{4})?$"
#: A count of people, as text: so small that the sum of any file fits into 64 bits.
WHOLE, MOST = "^[0-9]{1,12}$", 10**12
#: The population of a file whose people are told apart.
PERSONS = "people"
#: Faults that may be slips.
REPAIRABLE = frozenset({"format", "area", "place"})
#: So many distinct faulty texts are looked at for repairs; more means that the column is something else.
MOST_FAULTY = 100_000


@dataclass(frozen=True, eq=False)
class Sums:
    """What a column of codes holds: populations by code, and the records whose text is none, by reason.

    `repairable` records would be postcodes if O and 0, I and 1 were swapped in one way only; `repaired` ones were.
    `several` people have more than one place, where people are told apart.
    """

    codes: tuple[str, ...]
    records: NDArray[np.int64]
    populations: Mapping[str, NDArray[np.int64]]
    invalid: Mapping[Reason, int]
    left_out: Mapping[str, int]  # the populations of the invalid records
    repairable: int = 0
    repaired: int = 0
    several: int = 0


def component(text: ibis.Value, name: Component) -> ibis.Value:
    """A component of the postcode that a text holds. Only for texts without a `reason`."""
    return ibis.ifelse(_usual(text), _part(_quick(text), name), _part(bare(text).upper(), name))


def reason(text: ibis.Value) -> ibis.Value:
    """Why is a text no postcode? Missing (null) where it is one."""
    plain = bare(text)
    compact, length = plain.upper(), plain.length()
    good = ibis.null("string")
    return ibis.cases(
        (text.isnull(), "missing"),
        (_usual(text), good),
        (plain == "", "missing"),
        # Before there are capitals: other scripts have letters whose capital is one of ours.
        (~plain.re_search(grammar.PLAIN), "characters"),
        (compact.re_search(grammar.STANDARD), good),
        (compact.re_search(grammar.BFPO), good),
        (compact.re_search(grammar.PARTIAL), "partial"),
        ((length < grammar.SHORTEST) | (length > grammar.LONGEST), "length"),
        (~compact.re_search(grammar.FORMAT), "format"),
        (~compact.re_search(grammar.KNOWN), "area"),
        else_="place",
    )


def zip3(text: ibis.Value) -> ibis.Value:
    """The first three digits of a ZIP code."""
    return text.strip().substr(0, 3)


def zip_reason(text: ibis.Value) -> ibis.Value:
    """Why is a text no ZIP code?"""
    bare = text.strip()
    return ibis.cases(
        (text.isnull() | (bare == ""), "missing"), (bare.re_search(ZIP), ibis.null("string")), else_="format"
    )


def sum_postcodes(
    rows: Rows,
    column: str,
    populations: Sequence[str],
    finest: Component = "sector",
    repair: bool = False,
    unit: str | None = None,
) -> Sums:
    """Populations by component of a column of postcodes: one pass of the engine, and one more over faulty values.

    `repair` takes the repairs that are the only one for their text; without it they are counted, not made. With `unit`,
    the column that tells people apart, the population is that of people.
    """
    brief = (lambda text: text) if finest == "unit" else _without_unit
    found = _sums(rows, column, populations, unit, reason, lambda text: component(text, finest), brief)
    if not found.invalid.keys() & REPAIRABLE:
        return found
    offers, number = _offers(rows, column)
    if not repair or not offers:
        return replace(found, repairable=number)
    known = rows.engine.lookup(
        pa.table({"incrowd_from": pa.array(list(offers)), "incrowd_to": pa.array(list(offers.values()))})
    )
    joined = rows.table.mutate(incrowd_text=rows.text(column)).left_join(known, [("incrowd_text", "incrowd_from")])
    mended = ibis.coalesce(joined["incrowd_to"], joined["incrowd_text"])
    table = joined.select([mended.name(name) if name == column else joined[name] for name in rows.columns])
    rows = replace(rows, table=table)
    found = _sums(rows, column, populations, unit, reason, lambda text: component(text, finest), brief)
    return replace(found, repaired=number)


def sum_zip3(rows: Rows, column: str, populations: Sequence[str], unit: str | None = None) -> Sums:
    """Populations by the first three digits of a column of ZIP codes."""
    return _sums(rows, column, populations, unit, zip_reason, zip3)


def sum_codes(rows: Rows, column: str, populations: Sequence[str], unit: str | None = None) -> Sums:
    """Populations by code of a file that is aggregated already. Any text is a code; only missing ones are invalid."""

    def fault(text: ibis.Value) -> ibis.Value:
        return ibis.ifelse((text.strip() == "").fill_null(True), "missing", ibis.null("string"))

    return _sums(rows, column, populations, unit, fault, lambda text: text.strip())


def _sums(
    rows: Rows,
    column: str,
    populations: Sequence[str],
    unit: str | None,
    fault: Callable[[ibis.Value], ibis.Value],
    code: Callable[[ibis.Value], ibis.Value],
    brief: Callable[[ibis.Value], ibis.Value] = lambda text: text,
) -> Sums:
    """Sums of the populations by code, and by fault where there is none.

    Two group bys: the first by what `brief` leaves of a text, so that the second judges few texts and not all.
    """
    refuse_unknown(rows, [column, *populations])
    numbers = {f"t{i}": _whole(rows.text(name)) for i, name in enumerate(populations)}
    picked = rows.table.select(incrowd_text=brief(rows.text(column)), **numbers)
    sums = {f"p{i}": picked[f"t{i}"].sum() for i in range(len(populations))}
    if populations:
        none = [picked[f"t{i}"].isnull() for i in range(len(populations))]
        sums["bad"] = reduce(or_, none).ifelse(1, 0).sum()
    few = picked.group_by("incrowd_text").aggregate(n=picked.count(), **sums)
    judged = few.mutate(incrowd_fault=fault(few["incrowd_text"]))
    coded = judged.mutate(
        incrowd_code=ibis.ifelse(judged["incrowd_fault"].isnull(), code(judged["incrowd_text"]), ibis.null("string"))
    )
    added = {name: coded[name].sum().cast("int64") for name in ("n", *sums)}
    summed = coded.group_by(["incrowd_code", "incrowd_fault"]).aggregate(**added)
    found = rows.collect(summed, f"the codes of {column!r}")
    records = found["n"].to_numpy().astype(np.int64)
    if populations and (bad := int(found["bad"].to_numpy().sum())):
        raise InputError(
            "D170",
            f"{bad} records of {rows.place} have no whole number from 0 up in {' or '.join(map(repr, populations))}.",
            "Mend them: a population is a count.",
        )
    codes, faults = found["incrowd_code"].to_pylist(), found["incrowd_fault"].to_pylist()
    order = sorted((i for i, code in enumerate(codes) if code is not None), key=lambda i: codes[i])
    bad_rows = [i for i, fault in enumerate(faults) if fault is not None]
    figures = {name: found[f"p{i}"].to_numpy().astype(np.int64) for i, name in enumerate(populations)}
    summed_up = Sums(
        tuple(codes[i] for i in order),
        records[order],
        {name: values[order] for name, values in figures.items()},
        {faults[i]: int(records[i]) for i in sorted(bad_rows, key=lambda i: faults[i])},
        {name: int(values[bad_rows].sum()) for name, values in figures.items()},
    )
    if unit is None:
        return summed_up
    there = count_residents(rows, column, unit, fault, code, brief)
    people = np.array([there.people.get(one, 0) for one in summed_up.codes], np.int64)
    return replace(summed_up, populations={PERSONS: people}, left_out={PERSONS: there.left_out}, several=there.several)


def _offers(rows: Rows, column: str) -> tuple[dict[str, str], int]:
    """Faulty texts for which there is exactly one repair, and how many records have them."""
    picked = rows.table.select(incrowd_text=rows.text(column))
    faulty = picked.filter(reason(picked["incrowd_text"]).isin(list(REPAIRABLE)))
    counted = faulty.group_by("incrowd_text").aggregate(n=faulty.count())
    found = rows.collect(counted.order_by("incrowd_text").limit(MOST_FAULTY), f"the faulty values of {column!r}")
    offers, number = {}, 0
    for text, n in zip(found["incrowd_text"].to_pylist(), found["n"].to_pylist(), strict=True):
        read = grammar.parse(text)
        if isinstance(read, grammar.NoPostcode) and len(read.repairs) == 1:
            offers[text] = read.repairs[0]
            number += n
    return offers, number


def _whole(text: ibis.Value) -> ibis.Value:
    """A text of digits as a number, anything else missing."""
    number = text.try_cast("int64")
    # Written back it is the same text for nearly all, and that is cheaper to see than a pattern. A number with zeros
    # in front goes by the pattern. Never a bare try_cast: DuckDB pushes it into its CSV reader, which then stumbles.
    same = (number.cast("string") == text) & (number >= 0) & (number < MOST)
    return ibis.cases((same, number), (text.re_search(WHOLE), number))


def _without_unit(text: ibis.Value) -> ibis.Value:
    """A text with the same component and the same fault, if any, but for all units of a sector only one or two.

    The last two letters, where they are letters of a unit after a digit, tell nothing above the unit. Only 'GIR 0AA'
    depends on them: it stays as it is.
    """
    tail = text.right(3)
    known = tail.re_search(f"^[0-9]{grammar.LETTER}{grammar.LETTER}$") & (tail != "0AA")
    return ibis.ifelse(known, text.left(text.length() - 2) + "BB", text)


def _quick(text: ibis.Value) -> ibis.Value:
    return text.replace(" ", "")


def _usual(text: ibis.Value) -> ibis.Value:
    """Is it in capitals, with plain spaces, as nearly all are? Then it is read twice as fast."""
    return _quick(text).re_search(grammar.STANDARD)


def bare(text: ibis.Value) -> ibis.Value:
    """A text without the spaces in it."""
    for space in grammar.SPACES:
        text = text.replace(space, "")
    return text


def _part(compact: ibis.Value, name: Component) -> ibis.Value:
    """A component, from capitals without spaces."""
    length = compact.length()
    outward, forces = compact.substr(0, length - 3), compact.startswith("BFPO")
    if name == "unit":
        number = ibis.literal("BFPO ") + compact.substr(4, length - 4)
        return ibis.ifelse(forces, number, outward + " " + compact.substr(length - 3, 3))
    match name:
        case "sector":
            value = outward + " " + compact.substr(length - 3, 1)
        case "subdistrict":
            value = outward
        case "district":  # without the letter at the end of a London district, which GIR does not have
            value = ibis.ifelse(outward.re_search("[0-9][A-Z]$"), compact.substr(0, length - 4), outward)
        case _:
            letters = ibis.ifelse(compact.re_search("^[A-Z][0-9]"), 1, 2)
            value = compact.substr(0, ibis.ifelse(compact.startswith("GIR"), 3, letters))
    return ibis.ifelse(forces, "BFPO", value)


def count_columns(rows: Rows) -> list[str]:
    """Which columns could be counts? Those in which each of the first thousand values is a whole number.

    An age and the number of an account could be, too: which of them is one, somebody has to say.
    """
    first = rows.collect(rows.table.limit(1000), "the first records")
    digits = re.compile(WHOLE)
    named = {name: first[name].to_pylist() for name in rows.columns}
    return [name for name, values in named.items() if values and all(digits.match(str(value)) for value in values)]


def postcode_column(rows: Rows) -> str | None:
    """Which column holds the postcodes? The first that says so by its name, else the first that is full of them.

    None where that is not plain: letters for marriage (S, M, W) are codes of areas, too.
    """
    named = [name for name in rows.columns if re.search("post_?-? ?code|postal|^pcds?[0-9]*$", name.lower())]
    if named:
        return named[0]
    first = rows.collect(rows.table.limit(1000), "the first records")
    for name in rows.columns:
        read = [grammar.parse(str(value)) for value in first[name].to_pylist() if value is not None]
        if sum(isinstance(one, grammar.Postcode) for one in read) * 2 > max(len(read), 1):
            return name
    return None
