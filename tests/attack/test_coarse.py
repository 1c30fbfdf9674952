"""The nearest record where labels were made class by class: what a label can stand for is not far from it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from situations import Record, crowd, situation

from incrowd.attack.inference import inference
from incrowd.attack.learning.coarse import FINER, apart_of
from incrowd.attack.learning.features import features
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.keys.nearest import nearest_rows

KEYS = ["age", "town", "score"]


NAMES = {"a": "a|b", "b": "a|b", "c": "c", "d": "*"}


def ages(age: int, width: int) -> str:
    return f"{age // width * width}-{age // width * width + width - 1}"


def loosened(people: list[Record]) -> Situation:
    """Every other record says its age by the decade, the rest by half a century; a town by a name for several."""
    numbered = [record | {"line": str(number)} for number, record in enumerate(people)]

    def change(record: Record) -> Record:
        width = 50 if int(str(record["line"])) % 2 else 10
        return record | {"age": ages(int(str(record["age"])), width), "town": NAMES[str(record["town"])]}

    made = situation(numbered, KEYS, ["ill"], change=change, columns=[*KEYS, "ill"])
    return replace(made, loose=frozenset({"age", "town"}))


def test_the_exact_column_decides_among_records_whose_labels_fit() -> None:
    """The value hangs on nothing, so that only the person's own record tells it; a score that few share finds it."""
    people = crowd(
        800, age=[str(a) for a in range(100)], town=list("abcd"), score=[str(s) for s in range(1_000)],
        ill=[f"i{i}" for i in range(6)],
    )  # fmt: skip
    made = loosened(people)
    (found,) = inference(made, Auxiliary())
    assert found.success is not None
    assert found.control is not None
    assert found.success.low > 0.95
    assert found.control.high < 0.3
    # As long as a range was as far as its middle, the score was outweighed.
    (middles,) = inference(replace(made, loose=frozenset()), Auxiliary())
    assert middles.success is not None
    assert middles.success.high < found.success.low


@given(st.lists(st.tuples(st.integers(0, 99), st.sampled_from("abcd"), st.integers(0, 9)), min_size=3, max_size=25))
def test_the_nearest_by_labels_is_that_of_going_through_all(drawn: list[tuple[int, str, int]]) -> None:
    people: list[Record] = [{"age": str(a), "town": t, "score": str(s), "ill": "y"} for a, t, s in drawn]
    made = loosened(people)
    everybody = np.arange(len(people))
    keys, believes, categories = features(made, everybody)
    coarse = apart_of(made, everybody, keys, believes)
    kinds = np.zeros(len(KEYS), bool)
    kinds[categories] = True
    found = nearest_rows(coarse.keys, coarse.believes, kinds, coarse.apart)
    for (age, town, score), at in zip(drawn, found, strict=True):
        # Their own record fits in both labels and has their score: nothing that does not may be taken.
        row = made.released.slice(int(at), 1).to_pylist()[0]
        low, high = (int(end) for end in row["age"].split("-"))
        assert low <= age <= high
        assert town in row["town"] or row["town"] == "*"
        assert row["score"] == str(score)


def test_of_labels_that_fit_the_finer_is_nearer() -> None:
    people = crowd(60, age=[str(a) for a in range(100)], town=list("abc"), score=["1"], ill=["y", "n"])
    made = loosened(people)
    everybody = np.arange(60)
    keys, believes, _ = features(made, everybody)
    coarse = apart_of(made, everybody, keys, believes)
    table = coarse.apart[0]
    codes = {row["age"]: int(code) for row, code in zip(made.released.to_pylist(), coarse.keys[:, 0], strict=True)}
    age = int(str(people[0]["age"]))
    mine = int(coarse.believes[0, 0])
    assert 0 < table[codes[ages(age, 10)], mine] < table[codes[ages(age, 50)], mine] <= FINER
    others = [label for label in codes if not int(label.split("-")[0]) <= age <= int(label.split("-")[1])]
    assert all(table[codes[label], mine] > 0.001 for label in others)


def test_without_such_labels_nothing_is_different() -> None:
    made = situation(crowd(30, age=["1", "2"], ill=["y", "n"]), ["age"], ["ill"])
    keys, believes, _ = features(made, np.arange(30))
    coarse = apart_of(made, np.arange(30), keys, believes)
    assert coarse.apart == ()
    assert coarse.keys is keys
    assert nearest_rows(keys, believes, np.array([False])).tolist() == pytest.approx(
        nearest_rows(keys, believes, np.array([False]), [np.zeros((0, 0))]).tolist()
    )
