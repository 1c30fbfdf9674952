"""Three releases of a series: whom all of them single out is found, although no two of them do."""

from collections import Counter

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.attack.matching.editions import Edition
from incrowd.attack.over_time import compare_editions
from incrowd.attack.together import ALL, SOME, compare_together


def editions(people, number, k):
    """People as name -> (the releases they are in, what each tells: age, illness, pay)."""
    found = []
    for i in range(number):
        inside = {name: row for name, (there, *row) in people.items() if i in there}
        table = pa.table({name: pa.array([row[j] for row in inside.values()], pa.string()) for j, name in
                          enumerate(("age", "ill", "pay"))})  # fmt: skip
        found.append(Edition(table, ("age",), ("ill",), pa.array(list(inside), pa.string()), k))
    return found


def by_pairs(several):
    return sum(one.found for i, first in enumerate(several) for second in several[i + 1 :]
               for one in compare_editions(first, second, True))  # fmt: skip


def quarters(visitors=1):
    """Many came in the second and stayed, many of the first left after it; visitors are there for one quarter only."""
    groups = {"all": ((0, 1, 2), 40), "came": ((1, 2), 9), "left": ((0, 1), 9), "visitor": ((1,), visitors)}
    return {
        f"{name}{i}": (there, "young", "yn"[i % 2], f"{name}{i}")
        for name, (there, number) in groups.items() for i in range(number)
    }  # fmt: skip


def test_who_was_there_for_one_quarter_only_is_found_by_three_and_by_no_two():
    several = editions(quarters(), 3, 5)
    assert by_pairs(several) == 0
    some, everywhere = compare_together(several)
    assert (some.whom, some.found, some.small, some.smallest, some.told) == (SOME, 1, 1, 1, 1)
    assert (everywhere.whom, everywhere.found) == (ALL, 0)


def test_a_crowd_that_was_there_for_one_quarter_hides_its_people():
    (some, _) = compare_together(editions(quarters(6), 3, 5))
    assert (some.found, some.of) == (0, 6 + 9 + 9)


def test_where_records_are_alike_nobody_is_seen_to_remain():
    people = {name: (there, age, ill, "same") for name, (there, age, ill, _) in quarters(2).items()}
    assert compare_together(editions({**people, "masks": ((0, 2), "young", "y", "same"), "hides": ((0, 2), "young",
                            "n", "same")}, 3, 5))[0].found == 0  # fmt: skip


def test_keys_that_change_back_and_forth_pin_down_who_is_in_all():
    """Of each two quarters ten share the way, of all three only one."""
    ways = ["aab", "aba", "baa", "abb", "bab", "bba"]
    rows = [way for way in ways for _ in range(10)] + ["aaa"]
    several = [
        Edition(pa.table({"age": [way[i] for way in rows], "ill": [f"v{j}" for j in range(len(rows))]}), ("age",), (),
                pa.array([f"p{j}" for j in range(len(rows))]), 5)
        for i in range(3)
    ]  # fmt: skip
    assert not any(one.found for i in range(3) for j in range(i) for one in compare_editions(several[j], several[i],
                   True) if one.whom == "in both")  # fmt: skip
    assert compare_together(several)[1].found == 1


@settings(max_examples=examples(120), deadline=None)
@given(
    st.lists(st.tuples(st.sets(st.integers(0, 3), min_size=1), st.sampled_from("ab"), st.sampled_from("yn")),
             min_size=1, max_size=14),
    st.integers(2, 4),
)  # fmt: skip
def test_whoever_is_in_too_small_a_crowd_of_their_quarters_is_found(people, k):
    """Everybody's pay is their own, so that who holds all files knows in which of them each record is."""
    named = {f"p{i}": (frozenset(there), age, ill, f"{i}") for i, (there, age, ill) in enumerate(people)}
    several = editions(named, 4, k)
    if any(one.table.num_rows == 0 for one in several):
        return
    crowds = Counter((there, age) for there, age, *_ in named.values())
    sizes = [Counter(age for there, age, *_ in named.values() if i in there) for i in range(4)]
    alone = {
        name for name, (there, age, *_) in named.items()
        if len(there) < 4 and crowds[there, age] < k and any(crowds[there, age] < sizes[i][age] for i in there)
    }  # fmt: skip
    assert compare_together(several)[0].found >= len(alone)


@pytest.mark.parametrize("bands", [("20-29", "20-24"), ("old", "OLD")])
def test_categories_that_differ_are_brought_together(bands):
    people = quarters()
    several = editions({name: (there, bands[0], *rest) for name, (there, _, *rest) in people.items()}, 3, 5)
    table = several[2].table.set_column(0, "age", pa.array([bands[1]] * several[2].table.num_rows))
    last = Edition(table, ("age",), ("ill",), several[2].people, 5)
    assert compare_together([*several[:2], last])[0].found == 1
