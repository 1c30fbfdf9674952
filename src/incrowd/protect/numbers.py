"""round, top_code, bottom_code and rank_swap: protection of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal, localcontext
from decimal import Context as Precision
from fractions import Fraction

import numpy as np
import pyarrow as pa

from incrowd.errors import InputError
from incrowd.keys.labels import LONGEST, as_numbers
from incrowd.plan.steps.numbers import BottomCode, Round, TopCode
from incrowd.plan.steps.swap import RankSwap
from incrowd.protect.methods import carries_out
from incrowd.protect.perturbing import recount_changed
from incrowd.protect.state import UNIT, Change, Context, State
from incrowd.protect.values import (
    ValuePeople,
    changed_cells,
    is_counted,
    relabel,
    relabel_rows,
    value_people,
    value_records,
)
from incrowd.rows.choose import count_numbers, exchange_near, split_values
from incrowd.rows.people import each_value, give_back, give_each_back, one_value
from incrowd.rows.records import keep_old

#: As many digits as the longest number and the shortest base need: with Python's 28 a longer number is cut unseen.
EXACT = Precision(prec=4 * LONGEST)


@carries_out(Round)
def round_numbers(step: Round, number: int, state: State, context: Context) -> tuple[State, Change]:
    """To which multiple of the base does a number go? The nearest, halves away from zero; or up or down by chance.

    By chance, of the n records with a value that lies r above a multiple, n * r / base go up: the whole part of that
    for certain, and one more with the chance of its fraction. So a record's chance to go up is r / base, the expected
    value is the number itself, and the total of the records that share a value is off by less than one base. Where
    people have several records, n counts people, and all of a person's records with the value go the same way.
    """
    with localcontext(EXACT):
        return _round(step, state, context)


def _round(step: Round, state: State, context: Context) -> tuple[State, Change]:
    counts = value_records(state, step.variable)
    values = list(counts)
    found = dict(zip(values, as_numbers(values, step.variable), strict=True))
    if step.how == "nearest":
        named = {value: None if x is None else nearest(x, step.base) for value, x in found.items()}
        change = Change(
            f"round {step.variable}", cells_changed=changed_cells(counts, named), notes=(f"base {step.base}",)
        )
        return relabel(state, step.variable, named), change
    return _by_chance(step, state, context, counts, found)


def nearest(number: Decimal, base: Decimal) -> str:
    """The nearest multiple of the base, halves away from zero.

    >>> nearest(Decimal("12.5"), Decimal(5)), nearest(Decimal(-7), Decimal(5)), nearest(Decimal("0.3"), Decimal("0.25"))
    ('15', '-5', '0.25')
    """
    return _text((number / base).to_integral_value(ROUND_HALF_UP) * base)


def _by_chance(
    step: Round,
    state: State,
    context: Context,
    counts: Mapping[str | None, int],
    found: Mapping[str | None, Decimal | None],
) -> tuple[State, Change]:
    parts: list[tuple[str, str, str, int]] = []
    cells, named = 0, dict[str | None, str | None]()
    if context.has_unit:
        counts, named = _of_one_number(value_people(state, step.variable, context), found)
        found = {value: found[value] for value in counts}
    filled = sorted((value, x) for value, x in found.items() if value is not None and x is not None)
    # By the value itself: another value that comes or goes changes nobody else's luck.
    names = pa.array([value for value, _ in filled], pa.string())
    luck = context.order("luck")(names).to_numpy().view("uint64").tolist()
    for (value, x), draw in zip(filled, luck, strict=True):
        below = (x / step.base).to_integral_value(ROUND_FLOOR) * step.base
        up = Fraction(counts[value]) * Fraction(x - below) / Fraction(step.base)
        rising = int(up) + (Fraction(draw, 2**64) < up - int(up))
        texts = _text(below + step.base), _text(below)
        parts.append((value, *texts, rising))
        cells += rising * (texts[0] != value) + (counts[value] - rising) * (texts[1] != value)
    columns = list(zip(*parts, strict=True)) or [(), (), (), ()]
    kinds = [pa.string(), pa.string(), pa.string(), pa.int64()]
    table = pa.table(
        {
            name: pa.array(list(column), kind)
            for name, column, kind in zip(("value", "first", "rest", "number"), columns, kinds, strict=True)
        }
    )
    name, orders = step.variable, context.orders("who")
    if context.has_unit:
        kept = keep_old(state.rows, [name])
        kept = relabel_rows(kept, name, named) if any(old != new for old, new in named.items()) else kept
        rows = give_each_back(kept, split_values(each_value(kept, UNIT, name), name, table, orders), UNIT, name)
        after, changed = recount_changed(rows, [name], state, context)
        cells = changed[name]
    else:
        after = replace(state, rows=split_values(state.rows, name, table, orders))
        after = context.recount(after) if is_counted(state, name) else after
    return after, Change(f"round {name} by chance", cells_changed=cells, notes=(f"base {step.base}",))


def _of_one_number(
    people: ValuePeople, found: Mapping[str | None, Decimal | None]
) -> tuple[dict[str | None, int], dict[str | None, str | None]]:
    """The people who have each number, under the first of the texts it is written with; and that text for each.

    Going each its own way, the 12, the 12.0 and the 12.00 of one person would average to the number.
    """
    texts: dict[Decimal, list[str]] = {}
    for value, x in found.items():
        if value is not None and x is not None:
            texts.setdefault(x, []).append(value)
    first: dict[str | None, str | None] = {value: min(same) for same in texts.values() for value in same}
    counts: dict[str | None, int] = {min(same): people.together(same) for same in texts.values()}
    return counts, {value: first.get(value, value) for value in found}


@carries_out(TopCode)
def top_code(step: TopCode, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Who has so much that the number alone tells who it is? Numbers from a limit on upwards become one value."""
    return _code(step, state, context, top=True)


@carries_out(BottomCode)
def bottom_code(step: BottomCode, number: int, state: State, context: Context) -> tuple[State, Change]:
    """The same downwards."""
    return _code(step, state, context, top=False)


def _code(step: TopCode | BottomCode, state: State, context: Context, top: bool) -> tuple[State, Change]:
    counts = value_records(state, step.variable)
    values = list(counts)
    numbers = dict(zip(values, as_numbers(values, step.variable), strict=True))
    limit = step.at
    if limit is None:
        weighed = [(x, counts[value]) for value, x in numbers.items() if x is not None and counts[value]]
        if context.has_unit:  # or the limit would be the figure of whoever has most records, and theirs alone above it
            weighed = _furthest(value_people(state, step.variable, context), numbers, top)
        limit = percentile(weighed, step.percentile or 50.0, step.variable)
    label = step.label or _text(limit)
    beyond = {value for value, x in numbers.items() if x is not None and (x >= limit if top else x <= limit)}
    named = {value: label if value in beyond else value for value in values}
    records = sum(counts[value] for value in beyond)
    notes = (
        f"limit {_text(limit)}" + ("" if step.percentile is None else f", the {step.percentile:g}th percentile"),
        f"{records:,} records at or beyond it",
    )
    title = f"{'top' if top else 'bottom'} code {step.variable}"
    return relabel(state, step.variable, named), Change(title, 0, changed_cells(counts, named), notes=notes)


def _furthest(
    people: ValuePeople, numbers: Mapping[str | None, Decimal | None], top: bool
) -> list[tuple[Decimal, int]]:
    """How many people have each number as the largest of their records, or as the smallest?"""
    assert people.pairs is not None
    ranked = sorted({x for x in numbers.values() if x is not None}, reverse=not top)
    rank = {x: at for at, x in enumerate(ranked)}
    ranks = np.full(len(people.codes), -1)  # what is missing is nobody's furthest
    for value, code in people.codes.items():
        if (x := numbers[value]) is not None:
            ranks[code] = rank[x]
    best = np.full(int(people.pairs.units.max(initial=-1)) + 1, -1)
    np.maximum.at(best, people.pairs.units, ranks[people.pairs.classes])
    counts = np.bincount(best[best >= 0], minlength=len(ranked))
    return [(x, n) for x, n in zip(ranked, counts.tolist(), strict=True) if n]


def percentile(counts: list[tuple[Decimal, int]], share: float, name: str) -> Decimal:
    """The smallest number that at least so many per cent of the records, or people, do not exceed (nearest rank).

    >>> percentile([(Decimal(1), 5), (Decimal(2), 4), (Decimal(9), 1)], 90, "x")
    Decimal('2')
    """
    total = sum(n for _, n in counts)
    if not total:
        raise InputError("D114", f"{name!r} has no number to take a percentile of.")
    so_far = 0
    for number, n in sorted(counts):
        so_far += n
        if Fraction(so_far * 100, total) >= Fraction(str(share)):
            return number
    raise AssertionError("nobody exceeds the largest")


@carries_out(RankSwap)
def rank_swap(step: RankSwap, number: int, state: State, context: Context) -> tuple[State, Change]:
    """Whose number is close enough to stand for another's? Pairs of records near in rank exchange theirs.

    The engine ranks the records, cuts the ranks into blocks as wide as two ranks may be apart, and pairs the records of
    a block in a keyed order. So nobody is swapped twice, no rank moves further than asked, and the numbers of the file
    are the same ones. Where the blocks begin is drawn by the secret. Where people have several records, people are
    ranked by their one number, and exchange it in all their records.
    """
    rows = keep_old(state.rows, [step.variable])
    lines = one_value(rows, UNIT, [step.variable]) if context.has_unit else rows
    filled, bad = count_numbers(lines, step.variable)
    who = "people" if context.has_unit else "records"
    if bad:
        message = f"{bad} {who} have a text in {step.variable!r} that is not a number."
        raise InputError("D115", message, "Recode them first with a mapping, or mend the file.")
    reach = int(step.within * filled)
    if not reach:
        message = f"within {step.within:g} of {filled} {who} no two ranks are near each other."
        raise InputError("D116", message, "Raise within.")
    offset = int(context.draws("blocks", str(reach))(1)[0]) % (reach + 1)
    swapped = exchange_near(lines, step.variable, reach, offset, context.orders("pairs"))
    rows = give_back(rows, swapped, UNIT, [step.variable]) if context.has_unit else swapped
    after, changed = recount_changed(rows, [step.variable], state, context)
    pairs = _pairs(filled, reach + 1, offset)
    notes = (f"{pairs:,} pairs among {filled:,} {who}, at most {reach:,} ranks apart",)
    return after, Change(f"rank swap {step.variable}", cells_changed=changed[step.variable], notes=notes)


def _pairs(filled: int, width: int, offset: int) -> int:
    """Pairs in blocks of a width, the first one shorter."""
    first = min(width - offset, filled)
    blocks, rest = divmod(filled - first, width)
    return first // 2 + blocks * (width // 2) + rest // 2


def _text(number: Decimal) -> str:
    return format(EXACT.add(number.normalize(EXACT), 0), "f")
