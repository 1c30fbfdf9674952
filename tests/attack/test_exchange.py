"""Who could be exchanged with whom without a count noticing: what is reached so must be possible."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations_with_replacement, product

import numpy as np
import pyarrow as pa
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from situations import Record, situation, table

from incrowd.attack.situation import Situation
from incrowd.attack.solving.budget import Budget
from incrowd.attack.solving.certain import work_out
from incrowd.attack.solving.exchange import reached, true_numbers
from incrowd.attack.solving.published import Published, read_tables
from incrowd.attack.solving.unknown import LEFT_OUT, MOST, Groups, Unknown, groups_of, unknown_of

AGES, JOBS, ILLS = ("30", "31"), ("p", "q"), ("flu", "gout")
COLUMNS = ("age", "job", "ill")
Person = tuple[str, str, str]
PEOPLE = st.lists(st.tuples(st.sampled_from(AGES), st.sampled_from(JOBS), st.sampled_from(ILLS), st.booleans()),
                  min_size=2, max_size=6)  # fmt: skip
BYS = st.lists(st.sampled_from([("age", "job"), ("job", "ill"), ("age", "ill"), ("age",), ("ill",)]), min_size=1,
               max_size=3, unique=True)  # fmt: skip


def counted(people: Sequence[Person], by: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(person[COLUMNS.index(name)] for name in by) for person in people)


def published(people: Sequence[Person], by: Sequence[str]) -> pa.Table:
    rows: list[Record] = [
        {**dict(zip(by, cell, strict=True)), "count": str(n)} for cell, n in sorted(counted(people, by).items())
    ]
    return table(rows, [*by, "count"])


def put(
    people: Sequence[Person], keep: Sequence[bool], bys: Sequence[Sequence[str]]
) -> tuple[Situation, Published, Groups, Unknown]:
    """A release that tells what people have, and of nobody the age or the job; and the tables."""
    source: list[Record] = [dict(zip(COLUMNS, one, strict=True)) | {"n": str(i)} for i, one in enumerate(people)]
    kept = {str(i) for i, one in enumerate(keep) if one}

    def coarse(record: Record) -> Record:
        return record | {"age": "30-39"}

    here = situation(source, ["age"], ["ill"], keep=lambda r: r["n"] in kept, change=coarse, known=coarse)
    told = read_tables(here, {"-".join(by): published(people, by) for by in bys})
    groups = groups_of(here, told)
    return here, told, groups, unknown_of(told, groups, MOST)


@settings(max_examples=examples(80), deadline=None)
@given(PEOPLE, BYS)
def test_what_exchanges_reach_is_in_some_population_that_fits(
    rows: list[tuple[str, str, str, bool]], bys: list[tuple[str, ...]]
) -> None:
    people, keep = [row[:3] for row in rows], [row[3] for row in rows]
    if not any(keep):
        return
    here, told, groups, unknown = put(people, keep, bys)
    true = true_numbers(here, told, groups, unknown)
    assert true is not None
    assert true.sum() == sum(not groups.fixed[group] for group in [*groups.of, *[LEFT_OUT] * keep.count(False)])
    found = reached(told, groups, unknown, true)
    assert found[true > 0].all()
    released = [person for person, one in zip(people, keep, strict=True) if one]
    outside = list(combinations_with_replacement(product(AGES, JOBS, ILLS), keep.count(False)))
    possible: set[tuple[bool, Person]] = set()
    for inside in product(*([(age, job, ill) for age, job in product(AGES, JOBS)] for _, _, ill in released)):
        for rest in outside:
            if all(counted([*inside, *rest], by) == counted(people, by) for by in bys):
                possible |= {(True, one) for one in inside} | {(False, one) for one in rest}
    names = [one.column for one in told.categories]
    for at in np.flatnonzero(found):
        mine = {name: told.categories[i].labels[unknown.labels[i][at]] for i, name in enumerate(names)}
        if unknown.group[at] != LEFT_OUT:  # what is released of them is true, also where no table tells it
            mine["ill"] = {ill for record, ill in zip(groups.of, here.released["ill"].to_pylist(), strict=True)
                           if record == unknown.group[at]} if "ill" not in mine else mine["ill"]  # fmt: skip
        assert any(
            inside == (unknown.group[at] != LEFT_OUT)
            and all(one[COLUMNS.index(name)] in ({label} if isinstance(label, str) else label)
                    for name, label in mine.items())
            for inside, one in possible
        ), (mine, unknown.group[at])  # fmt: skip


def test_two_exchange_ages_where_the_tables_do_not_notice_and_a_circle_is_left_to_the_solver() -> None:
    people: list[Person] = [("30", "p", "flu"), ("31", "p", "gout"), ("30", "q", "gout"), ("31", "q", "flu")]
    for bys, by_exchange in (
        ([("age", "job"), ("job", "ill")], True),  # two with the same job exchange their ages
        ([("age", "job"), ("age", "ill")], True),
        ([("age", "job"), ("age", "ill"), ("job", "ill")], False),  # only all four at once, as no two are alike in two
    ):
        here, told, groups, unknown = put(people, [True] * 4, bys)
        true = true_numbers(here, told, groups, unknown)
        assert true is not None
        found = reached(told, groups, unknown, true)
        assert bool(found[true == 0].any()) == by_exchange, bys
        solved = work_out(unknown, found, Budget(60.0, 100), true)
        assert solved.can[true == 0].any()
        assert not solved.unsolved
    alone: list[Person] = [("30", "p", "flu"), ("31", "q", "gout")]
    here, told, groups, unknown = put(alone, [True] * 2, [("age", "job"), ("age", "ill"), ("job", "ill")])
    true = true_numbers(here, told, groups, unknown)
    assert true is not None
    assert np.array_equal(reached(told, groups, unknown, true), true > 0)


def test_where_the_release_does_not_tell_the_truth_there_is_no_true_solution() -> None:
    source: list[Record] = [{"age": "30", "ill": "flu"}, {"age": "31", "ill": "gout"}]
    swapped = {"flu": "gout", "gout": "flu"}
    here = situation(source, ["age"], ["ill"], change=lambda r: r | {"ill": swapped[str(r["ill"])]})
    people: list[Person] = [("30", "p", "flu"), ("31", "p", "gout")]
    told = read_tables(here, {"t": published(people, ["age", "ill"])})
    groups = groups_of(here, told)
    assert true_numbers(here, told, groups, unknown_of(told, groups, MOST)) is None
