"""Who knows which key: what somebody has answered goes before what the kind of a variable says."""

from __future__ import annotations

import itertools

import incrowd as ic
from incrowd.plan.scenarios import Exposure
from incrowd.profiling.intruders import INTRUDERS, KNOWN, known_keys
from incrowd.profiling.kinds import BY_NAME

KINDS = {"age": "age", "gender": "sex", "area": "area", "job": "occupation", "hobby": None}
BY_WORD = {one.name: one for one in INTRUDERS}


def test_their_kinds_and_questions_are_there() -> None:
    for one in INTRUDERS:
        assert {*one.kinds, *one.error} <= {*BY_NAME}
        assert {*one.asks} <= {*Exposure.model_fields} - {"reason"}


def test_without_answers_the_kind_tells() -> None:
    assert known_keys(BY_WORD["neighbour"], list(KINDS), KINDS, {}) == ["age", "gender", "area"]
    assert known_keys(BY_WORD["colleague"], list(KINDS), KINDS, {}) == ["age", "gender", "job"]
    assert known_keys(BY_WORD["journalist"], ["hobby"], KINDS, {}) == ["hobby"]  # nobody who knows nothing


def test_an_answer_goes_first_whatever_the_kind() -> None:
    said = {
        "hobby": Exposure(neighbours="partly", reason="Seen in the garden."),
        "age": Exposure(neighbours="no", passer_by="no", reason="Not told."),
    }
    assert known_keys(BY_WORD["neighbour"], list(KINDS), KINDS, said) == ["hobby", "gender", "area"]
    # Nobody has said whether colleagues know the age: its kind says that they do.
    assert known_keys(BY_WORD["colleague"], list(KINDS), KINDS, said) == ["age", "gender", "job"]
    said["age"] = Exposure(colleagues="no", passer_by="no", reason="Not told.")
    assert known_keys(BY_WORD["colleague"], list(KINDS), KINDS, said) == ["gender", "job"]


def test_they_never_know_what_is_no_key_and_always_something() -> None:
    for one, keys in itertools.product(INTRUDERS, itertools.chain.from_iterable(
        itertools.combinations(KINDS, size) for size in range(1, 6)
    )):  # fmt: skip
        found = known_keys(one, keys, KINDS, {})
        assert found
        assert {*found} <= {*keys}
        assert len({*found}) == len(found) <= KNOWN


def test_a_starter_plan_has_them_as_examples(tmp_path) -> None:
    ic.demo_data(tmp_path / "people.csv", rows=500)
    text = ic.init(tmp_path / "people.csv")
    for one in INTRUDERS:
        assert f"#  - name: {one.name}\n" in text
