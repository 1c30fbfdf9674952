"""Two releases of a series: what somebody can work out who has both files and knows who came is found, always."""

from collections import Counter
from itertools import combinations, product

import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.attack.matching.editions import Edition
from incrowd.attack.matching.left_over import BOTH, CAME, CHANGED, WENT
from incrowd.attack.over_time import compare_editions

KEYS, ILL = ("age", "sex"), ("ill",)


def edition(people, k=2, named=True, columns=("age", "sex", "ill")):
    """People as name -> values."""
    table = pa.table({name: pa.array([row[i] for row in people.values()], pa.string()) for i, name in
                      enumerate(columns)})  # fmt: skip
    return Edition(table, KEYS, ILL, pa.array(list(people), pa.string()) if named else None, k)


def found(first, second, linked, k=2):
    sides = (edition(one, k, linked) for one in (first, second))
    result: dict[str, list] = {}
    for one in compare_editions(*sides, linked):
        result.setdefault(one.whom, []).append(one)
    return result


def worlds(first, second, joined, left):
    """Every value that `joined` people of one class may have, for somebody who knows who joined and who left, that
    nobody else changed, and both files: all ways to choose whose values those are.
    """
    there, here = Counter(first), Counter(second)
    options = set()
    for stay in set(combinations(sorted(there.elements()), len(first) - left)):
        rest = here - Counter(stay)
        if not Counter(stay) - here and rest.total() == joined:
            options.add(tuple(sorted(rest.elements())))
    return options


def certain(before, after):
    """Who came, and whose value is certain by both files though the later alone leaves several: by any of the keys."""
    sure = set()
    for size in range(len(KEYS) + 1):
        for chosen in combinations(range(len(KEYS)), size):
            groups: dict = {}
            for name, row in after.items():
                groups.setdefault(tuple(row[i] for i in chosen), []).append(name)
            for group, names in groups.items():
                mine = {n: r for n, r in before.items() if tuple(r[i] for i in chosen) == group}
                came = [name for name in names if name not in mine]
                gone = [name for name in mine if name not in names]
                values = [after[name][-1] for name in names]
                if not came or len(set(values)) == 1:
                    continue
                options = worlds([row[-1] for row in mine.values()], values, len(came), len(gone))
                if options and all(len(set(one)) == 1 for one in options) and len({one[0] for one in options}) == 1:
                    sure |= set(came)
    return sure


PEOPLE = st.dictionaries(
    st.sampled_from([f"p{i}" for i in range(7)]),
    st.tuples(st.sampled_from("ab"), st.sampled_from("fm"), st.sampled_from("yn")),
    min_size=1, max_size=7,
)  # fmt: skip


@settings(max_examples=examples(240), deadline=None)
@given(PEOPLE, PEOPLE, st.data())
def test_who_is_certain_to_somebody_with_both_files_is_always_found(first, others, data):
    # Whoever is in both keeps their record: so the intruder who assumes it is right.
    stay = data.draw(st.sets(st.sampled_from(sorted(first))))
    second = {**{name: first[name] for name in stay}, **{f"new {n}": row for n, row in others.items()}}
    for one, other, whom in ((first, second, CAME), (second, first, WENT)):
        sure = certain(one, other)
        for linked in (True, False):
            (one_found,) = found(first, second, linked)[whom]
            if sure:
                assert one_found.found > 0
            if sure and linked:
                assert one_found.told >= 1
                assert one_found.found >= len(sure)


@settings(max_examples=examples(240), deadline=None)
@given(PEOPLE, PEOPLE, st.integers(2, 4))
def test_nobody_new_stands_in_a_smaller_crowd_than_is_promised(first, second, k):
    # By all keys: the people of a class whose record is another one than before are left when the rest is taken away.
    there = Counter(row for row in first.values())
    classes: dict = {}
    for name, row in second.items():
        if first.get(name) != row:
            classes.setdefault(row[:2], []).append(name)
    sizes = Counter(row[:2] for row in second.values())
    alone = {
        name for group, names in classes.items() for name in names
        if len(names) < k and len(names) < sizes[group] and first.get(name, (None,))[:2] != group
        and Counter(second.values())[second[name]] > there[second[name]]
    }  # fmt: skip
    (one,) = found(first, second, True, k)[CAME]
    assert one.found >= len(alone)


def _quarter(number, start=0):
    return {f"p{i}": ("young" if i % 2 else "old", "fm"[i // 2 % 2], "yn"[i // 4 % 2]) for i in range(start, number)}


@pytest.mark.parametrize("linked", [True, False])
def test_one_who_joined_is_found_and_one_who_left_too(linked):
    first = _quarter(80)
    second = {**first, "new": ("old", "f", "y")}
    (came,), (went,) = (found(first, second, linked, 3)[whom] for whom in (CAME, WENT))
    assert (came.found, came.of, came.small, came.told, came.smallest, went.found) == (1, 1, 1, 1, 1, 0)
    assert came.keys == KEYS
    (came,), (went,) = (found(second, first, linked, 3)[whom] for whom in (CAME, WENT))
    assert (came.found, went.found) == (0, 1)


@pytest.mark.parametrize("linked", [True, False])
def test_the_same_file_again_gives_nothing_away(linked):
    for several in found(_quarter(80), _quarter(80), linked, 3).values():
        assert [(one.found, one.untried) for one in several] == [(0, False)] * len(several)


def test_who_moves_within_the_keys_is_seen_by_fewer_of_them():
    # Five move from f to m, and one comes: by both keys six are new in the class, by age alone only one.
    first = {f"p{i}": ("old", "fm"[i >= 20], "yn"[i % 2]) for i in range(40)}
    second = {**first, **{f"p{i}": ("old", "m", first[f"p{i}"][2]) for i in range(5)}, "new": ("old", "m", "y")}
    (came,) = found(first, second, True, 3)[CAME]
    assert came.found == 1
    assert came.smallest == 1


def test_a_value_that_changed_is_told_apart_from_who_came():
    first = _quarter(80)
    second = {**first, "p5": ("young", "f", "y")}
    assert first["p5"] != second["p5"]
    result = found(first, second, True, 3)
    assert result[CAME][0].found == 0
    assert (result[CHANGED][0].found, result[CHANGED][0].smallest) == (1, 1)


def test_many_who_come_with_one_value_are_told_although_they_are_a_crowd():
    first = _quarter(80)
    second = {**first, **{f"new{i}": ("old", "f", "y") for i in range(9)}}
    (came,) = found(first, second, True, 3)[CAME]
    assert (came.small, came.told, came.learnt) == (0, 9, ILL)


def test_bands_that_cross_pin_down_who_is_in_both():
    # Ten years to a band in each, five out of step; everybody's value is their own, so records can be joined.
    ages = {f"p{i}": 20 + i % 40 for i in range(80)}

    def banded(offset):
        low = {n: (a - offset) // 10 * 10 + offset for n, a in ages.items()}
        return {n: (f"{one}-{one + 9}", "f", f"v{n}") for n, one in low.items()}

    result = found(banded(0), banded(9), True, 15)[BOTH]
    assert max(one.small for one in result) > 0
    untried = found(banded(0), banded(9), False, 15)[BOTH][0]
    assert untried.untried
    assert "age is told in other categories" in untried.why


def test_people_with_several_records_are_gone_for_too():
    """Two records each, in bands that cross: who is pinned down is a person, counted once."""
    ages = {f"p{i}": 20 + i % 40 for i in range(80)}

    def banded(offset):
        rows = [(n, (a - offset) // 10 * 10 + offset, f"v{n}{visit}") for n, a in ages.items() for visit in "ab"]
        table = pa.table({"age": [f"{low}-{low + 9}" for _, low, _ in rows], "sex": ["f"] * len(rows),
                          "ill": [value for *_, value in rows]})  # fmt: skip
        return Edition(table, KEYS, ILL, pa.array([name for name, *_ in rows]), 15)

    (both,) = [one for one in compare_editions(banded(0), banded(9), True) if one.whom == BOTH]
    assert both.of == 80
    assert 0 < both.found < 80
    assert both.small == both.found


def test_equal_bands_that_touch_are_not_taken_for_one():
    rows = {f"p{i}": (("30-40", "40-50")[i % 2], "f", "yn"[i // 2 % 2]) for i in range(40)}
    second = {**rows, "new": ("30-40", "f", "y"), **{f"more{i}": ("40-50", "f", "yn"[i % 2]) for i in range(20)}}
    (came,) = found(rows, second, True, 3)[CAME]
    assert came.small == 1


def test_people_without_a_name_hide_nobody():
    first = _quarter(40)
    names = [*first, *([None] * 20)]
    rows = [*first.values(), *([("old", "f", "n")] * 20)]
    extra = [*names, "new"], [*rows, ("old", "f", "y")]
    sides = []
    for who, what in ((names, rows), extra):
        table = pa.table({name: [row[i] for row in what] for i, name in enumerate(("age", "sex", "ill"))})
        sides.append(Edition(table, KEYS, ILL, pa.array(who, pa.string()), 3))
    assert compare_editions(*sides, True)[0].small == 1


def test_several_records_of_one_person_are_no_crowd():
    columns = {"age": ["old"] * 22, "sex": ["f"] * 22, "ill": ["y", "n"] * 11}
    people = [f"p{i // 2}" for i in range(22)]
    first = Edition(pa.table(columns), KEYS, ILL, pa.array(people), 3)
    more = pa.table({"age": ["old"] * 26, "sex": ["f"] * 26, "ill": ["y", "n"] * 13})
    second = Edition(more, KEYS, ILL, pa.array([*people, *["new"] * 4]), 3)
    came = compare_editions(first, second, True)[0]
    assert (came.found, came.small, came.smallest) == (1, 1, 1)


def test_files_that_share_keys_only_leave_nothing_to_take_away():
    first = edition(_quarter(8), columns=("age", "sex", "ill"))
    second = Edition(first.table.select(["age", "sex"]), KEYS, (), first.people, 3)
    assert "no column beside the keys" in compare_editions(first, second, True)[0].why


def test_one_column_under_another_name_is_no_other():
    first = edition(_quarter(8))
    second = Edition(first.table.rename_columns(["age", "sex", "illness"]), KEYS, ("illness",), first.people, 3)
    assert all(one.untried for one in compare_editions(first, second, True) if one.whom != BOTH)


@pytest.mark.parametrize("linked", [True, False])
def test_a_key_that_only_one_release_has_tells_the_left_ones_apart(linked):
    """Six came, of every region one; what they earn is their own, so that everybody knows which records are theirs."""
    rows = {f"p{i}": ("old", "f", "yn"[i % 2], f"r{i % 6}", f"{i}") for i in range(66)}
    columns = ("age", "sex", "ill", "region", "pay")
    before = edition({name: row for name, row in rows.items() if int(row[-1]) < 60}, 5, linked, columns)
    first = Edition(before.table.drop_columns(["region"]), KEYS, ILL, before.people, 5)
    after = edition(rows, 5, linked, columns)
    without = compare_editions(first, Edition(after.table.drop_columns(["region"]), KEYS, ILL, after.people, 5), linked)
    assert without[0].found == 0
    came = compare_editions(first, Edition(after.table, (*KEYS, "region"), ILL, after.people, 5), linked)[0]
    assert (came.found, came.small, came.smallest, came.keys) == (6, 6, 1, (*KEYS, "region"))


def test_several_columns_together_tell_who_came():
    """Those who left had the same values as who came, one each: only both columns together are new."""
    rows = {f"p{i}": ("old", "f", "yn"[i % 2], "ab"[i // 2 % 2]) for i in range(40)}
    columns = ("age", "sex", "ill", "job")
    first = {**rows, "gone": ("old", "f", "y", "c"), "went": ("old", "f", "x", "b")}
    second = {**rows, "new": ("old", "f", "x", "c")}
    came = compare_editions(edition(first, 3, True, columns), edition(second, 3, True, columns), True)[0]
    assert (came.found, came.smallest) == (1, 1)


@pytest.mark.parametrize("linked", [True, False])
def test_one_record_and_all_missing_do_no_harm(linked):
    for first, second in product(({"a": (None, None, None)}, {"b": ("old", "f", "y")}), repeat=2):
        for one in compare_editions(edition(first, named=linked), edition(second, named=linked), linked):
            assert one.found <= 1
