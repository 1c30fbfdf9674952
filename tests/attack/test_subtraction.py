"""One release taken away from another of the same source: who is left without a crowd?"""

from collections import Counter
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from situations import Record, crowd, situation

from incrowd.attack.situation import Situation
from incrowd.attack.subtraction import subtract
from incrowd.attack.value import Attacked

#: age, area, ill, whether in the first (by age) and in the second release (by age and area).
ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("yn"), st.booleans(), st.booleans()),
    min_size=1, max_size=24,
)  # fmt: skip


def _pair(people: list[Record], **second: Any) -> tuple[Situation, Situation]:
    """The first tells age and ill; the second tells the area, too."""
    return (
        situation(people, ["age"], ["ill"], keep=lambda r: r.get("in", "12") in ("1", "12")),
        situation(people, ["age", "area"], ["ill"], keep=lambda r: r.get("in", "12") in ("2", "12"), **second),
    )


def _one(found: list[Attacked]) -> tuple[int, int]:
    (attacked,) = found
    assert attacked.success is not None
    assert (attacked.attack, attacked.baseline) == ("differencing", 0.0)
    assert bool(attacked.worst) == bool(attacked.success.hits)
    return attacked.success.hits, attacked.success.tries


@settings(max_examples=examples(120), deadline=None)
@given(ROWS, st.integers(2, 6))
def test_who_is_left_is_what_counting_by_hand_gives(rows: list[tuple[str, str, str, bool, bool]], k: int) -> None:
    people: list[Record] = [
        {"age": a, "area": b, "ill": c, "in": "12"[not one :][: one + two]} for a, b, c, one, two in rows
    ]
    found = subtract(*_pair(people), k)
    gone = [row for row in rows if row[3] and not row[4]]
    hits = 0
    for age, area, ill, _, _ in gone:
        size = sum(row[0] == age for row in rows if row[3])
        dropped = sum(row[0] == age for row in gone)
        enough = 3 if any(row[:2] == (age, area) for row in rows if row[4]) else max(k, 3)
        seen = False
        for columns in ((0, 2), (0,)):
            cells = [Counter(tuple(row[i] for i in columns) for row in rows if row[file]) for file in (3, 4)]
            rest = cells[0] - cells[1]
            left = sum(number for cell, number in rest.items() if cell[0] == age)
            people_left = dropped + max(left - dropped, 0)
            mine = tuple((age, area, ill)[i] for i in columns)
            seen |= rest[mine] > 0 and people_left < min(enough, size)
        hits += seen
    assert (_one(found) if found else (0, 0)) == (hits, len(gone))


def test_the_one_whom_the_finer_file_drops_is_left() -> None:
    people: list[Record] = [*crowd(200, age=["a", "b"], area=["x", "y"], ill=["y", "n"])]
    people.append({"age": "a", "area": "z", "ill": "y", "in": "1"})
    first, second = _pair(people)
    (found,) = subtract(first, second)
    assert (_one([found]), found.worst) == ((1, 1), (201,))
    assert "leaves 1 of the 1 people" in found.sentence
    assert subtract(second, first) == []


@pytest.mark.parametrize(("k", "hits"), [(3, 0), (5, 4)])
def test_a_hole_is_measured_by_the_k_that_is_promised(k: int, hits: int) -> None:
    people = [*crowd(200, age=["a"], area=["x", "y"], ill=["y", "n"])]
    people += [{"age": "a", "area": "z", "ill": "y", "in": "1"}] * 4
    assert _one(subtract(*_pair(people), k)) == (hits, 4)


def test_a_sample_isolates_only_the_rare() -> None:
    """Every tenth is in the sample: nearly everybody is left, in crowds; but for a class of three with two in it."""
    turn = count()
    people = crowd(1000, age=["a", "b"], area=["x", "y"], ill=["y", "n"])
    people = [record | {"in": "12" if next(turn) % 10 == 0 else "1"} for record in people]
    assert _one(subtract(*_pair(people), 10)) == (0, 900)
    rare: list[Record] = [{"age": "c", "area": "x", "ill": ill, "in": file} for ill, file in
                          (("y", "12"), ("n", "12"), ("y", "1"))]  # fmt: skip
    assert _one(subtract(*_pair([*people, *rare]), 10)) == (1, 901)


def test_a_difference_that_is_small_by_chance_isolates_nobody() -> None:
    people: list[Record] = [
        {"age": "a", "area": "x", "ill": "y", "in": file} for file in ["1"] * 30 + ["2"] * 29 + ["12"] * 5
    ]
    assert _one(subtract(*_pair(people))) == (0, 30)


BANDS = {"20": "20-29", "25": "20-29", "30": "30-39", "35": "30-39"}
NORTH = {"NE": "North", "NW": "North", "SE": "South", "SW": "South"}


@pytest.mark.parametrize(
    ("values", "coarser"),
    [
        (list(BANDS), BANDS.__getitem__),  # a range that contains the numbers
        (list(NORTH), NORTH.__getitem__),  # names that only the dictionary explains
        ([str(n) for n in range(0, 6000, 500)], lambda told: str(round(int(told) / 1500) * 1500)),  # rounded more
    ],
)
def test_labels_of_two_files_are_compared_at_the_coarser_one(values: list[str], coarser: Any) -> None:
    people = crowd(400, age=["a", "b"], area=["x", "y"], ill=["y", "n"], more=values)
    people.append({"age": "a", "area": "z", "ill": "y", "more": values[0], "in": "1"})
    # Only in the second, and the same but for this column: without it nobody would be left.
    people.append({"age": "a", "area": "x", "ill": "y", "more": values[-1], "in": "2"})

    def less(record: Record) -> Record:
        return record | {"more": coarser(record["more"])}

    first = situation(people, ["age"], ["ill"], columns=["age", "ill", "more"], change=less, known=less,
                      keep=lambda r: r.get("in") != "2")  # fmt: skip
    second = situation(people, ["age", "area"], ["ill"], columns=["age", "area", "ill", "more"],
                       keep=lambda r: r.get("in") != "1")  # fmt: skip
    assert _one(subtract(first, second)) == (1, 1)


def test_a_column_that_differs_in_the_two_files_hides_nobody() -> None:
    """Pseudonyms of their own in each, and answers changed by chance in one."""
    people = crowd(300, age=["a", "b"], area=["x", "y"], ill=["y", "n"], twist=["y", "n"], code=lambda r, c, i: str(i))
    people.append({"age": "a", "area": "z", "ill": "y", "twist": "n", "code": "300", "in": "1"})

    def one(record: Record) -> Record:
        return record | {"code": f"p{record['code']}"}

    def other(record: Record) -> Record:
        return record | {"ill": record["twist"], "code": f"q{record['code']}"}

    first = situation(people, ["age"], ["ill"], columns=["age", "ill", "code"], change=one)
    second = situation(
        people, ["age", "area"], ["ill"], columns=["age", "area", "ill", "code"], change=other,
        keep=lambda r: "in" not in r,
    )  # fmt: skip
    assert _one(subtract(first, second)) == (1, 1)


def test_several_records_of_one_person_are_no_crowd() -> None:
    people = [*crowd(200, age=["a"], area=["x", "y"], ill=["y", "n"])]
    people += [{"age": "a", "area": "z", "ill": "y", "in": "1"}] * 4
    first, second = _pair(people)
    whose = np.r_[np.arange(200), [200] * 4]
    assert _one(subtract(first, second)) == (0, 4)
    assert _one(subtract(replace(first, people=whose), replace(second, people=whose))) == (1, 1)


def test_a_key_that_only_one_file_tells_does_not_hide_that_the_others_isolate() -> None:
    """By all keys of the first everybody is alone already; by those that both tell, only the subtraction does it."""
    people = crowd(60, age=["a"], area=["x"], ill=["y", "n"], day=lambda r, c, i: str(i))
    people.append({"age": "a", "area": "z", "ill": "y", "day": "99", "in": "1"})
    first = situation(people, ["age", "day"], ["ill"])
    second = situation(people, ["age", "area"], ["ill"], keep=lambda r: "in" not in r)
    assert _one(subtract(first, second)) == (1, 1)


def test_files_that_share_nothing_are_not_subtracted() -> None:
    people = crowd(50, age=["a", "b"], area=["x", "y"], ill=["y", "n"])
    first = situation(people, ["age"])
    second = situation([*people[:-1], {"age": "b", "area": "q"}], ["area"], keep=lambda r: r["area"] != "q")
    (found,) = subtract(first, second)
    assert found.success is None
    assert found.does_not_apply == "the release itself"
    assert "share no column" in found.why
