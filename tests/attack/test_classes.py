"""Attacks by the target's class: homogeneity and skewness, against counting by hand."""

from collections import Counter

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from situations import Record, crowd, situation

from incrowd.attack.homogeneity import homogeneity
from incrowd.attack.knowledge import believed, sensitive_of
from incrowd.attack.matching.meeting import meet
from incrowd.attack.situation import Auxiliary
from incrowd.attack.skewness import skewness
from incrowd.attack.words import percent

NOTHING = Auxiliary()
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "age": st.sampled_from(["young", "old"]),
            "place": st.sampled_from(["a", "b", "c"]),
            "ill": st.sampled_from(["y", "n", "n", None]),
            "in": st.sampled_from(["1", "1", "0"]),
        }
    ),
    min_size=1,
    max_size=25,
)


def _by_hand(records: list[Record]) -> tuple[int, int, int]:
    """Right statements and claims for those inside, and right ones outside, by going through all pairs."""
    inside = [r for r in records if r["in"] == "1"]
    right = claims = outside = 0
    for person in records:
        alike = [r["ill"] for r in inside if (r["age"], r["place"]) == (person["age"], person["place"])]
        counts = Counter(v for v in alike if v is not None)
        if not counts:
            continue
        value, most = max(counts.items(), key=lambda pair: pair[1])
        if most >= 0.95 * sum(counts.values()):
            claims += person["in"] == "1" and person["ill"] is not None
            right += person["in"] == "1" and person["ill"] == value
            outside += person["in"] == "0" and person["ill"] == value
    return right, claims, outside


@settings(max_examples=examples(60), deadline=None)
@given(RECORDS)
def test_homogeneity_is_what_counting_by_hand_gives(records: list[Record]) -> None:
    made = situation(records, ["age", "place"], ["ill"], keep=lambda r: r["in"] == "1")
    found = homogeneity(made, NOTHING)[0]
    right, claims, outside = _by_hand(records)
    if found.success is None:
        assert not any(r["in"] == "1" and r["ill"] for r in records)
        return
    # Of somebody without a value nothing can be learnt: they are not gone for.
    inside = [r for r in records if r["in"] == "1" and r["ill"] is not None]
    assert (found.success.hits, found.success.tries) == (right, len(inside))
    assert found.claimed is not None
    assert (found.claimed.hits, found.claimed.tries) == (right, claims)
    assert (found.control.hits if found.control else 0) == outside


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(RECORDS)
def test_skewness_is_what_counting_by_hand_gives(records: list[Record]) -> None:
    made = situation(records, ["age", "place"], ["ill"], keep=lambda r: r["in"] == "1")
    found = skewness(made, NOTHING)[0]
    inside = [r for r in records if r["in"] == "1" and r["ill"] is not None]
    if found.success is None:
        assert not inside
        return
    whole = Counter(r["ill"] for r in inside)
    doubled, largest = 0, 0.0
    for person in (r for r in records if r["in"] == "1"):
        alike = Counter(r["ill"] for r in inside if (r["age"], r["place"]) == (person["age"], person["place"]))
        if person["ill"] is not None:
            gain = alike[person["ill"]] / alike.total() / (whole[person["ill"]] / whole.total())
            doubled += gain >= 2 - 1e-9
            largest = max(largest, gain)
    assert found.success.hits == doubled
    assert f"{largest:.1f} times" in found.sentence


def test_a_class_with_one_value_tells_and_a_mixed_one_does_not() -> None:
    weak = crowd(300, place=["a", "b", "c"], ill=lambda r, c, i: "y" if r["place"] == "a" else c.choice("yn"))
    found = homogeneity(situation(weak, ["place"], ["ill"]), NOTHING)[0]
    number = sum(r["place"] == "a" for r in weak)
    assert found.success is not None
    assert found.claimed is not None
    assert found.success.hits == found.claimed.hits == number == found.claimed.tries
    assert len(found.worst) == 50
    assert all(weak[line - 1]["place"] == "a" for line in found.worst)
    strong = crowd(300, place=["a", "b", "c"], ill=["y", "n"])
    found = homogeneity(situation(strong, ["place"], ["ill"]), NOTHING)[0]
    assert found.success is not None
    assert (found.success.hits, found.baseline, found.worst) == (0, 0.0, ())


def test_a_skewed_class_tells_and_an_even_one_does_not() -> None:
    weak = crowd(
        900, place=list("abcdefghi"), ill=lambda r, c, i: "y" if r["place"] == "a" or c.random() < 0.1 else "n"
    )
    found = skewness(situation(weak, ["place"], ["ill"]), NOTHING)[0]
    assert found.success is not None
    assert found.baseline is not None
    assert found.success.hits == sum(r["place"] == "a" for r in weak)
    assert found.success.low > found.baseline
    strong = crowd(900, place=list("abc"), ill=["y", "n", "n"])
    found = skewness(situation(strong, ["place"], ["ill"]), NOTHING)[0]
    assert found.success is not None
    assert found.success.hits == 0


def test_people_outside_are_the_control_where_they_have_a_class() -> None:
    people = crowd(400, place=["a", "b"], ill=lambda r, c, i: "y" if r["place"] == "a" else c.choice("yn"))
    sampled = situation([{**p, "in": str(i % 2)} for i, p in enumerate(people)], ["place"], ["ill"],
                        keep=lambda r: r["in"] == "1")  # fmt: skip
    found = homogeneity(sampled, NOTHING)[0]
    assert found.control is not None
    outside = [r for i, r in enumerate(people) if i % 2 == 0]
    assert (found.control.hits, found.control.tries) == (sum(r["place"] == "a" for r in outside), 200)
    dropped = situation(people, ["place"], ["ill"], keep=lambda r: r["place"] == "a")
    assert homogeneity(dropped, NOTHING)[0].control is None


@pytest.mark.parametrize("attack", [homogeneity, skewness])
def test_blank_and_coarser_keys_do_not_hide_anybody(attack: object) -> None:
    people = crowd(
        400, age=[str(a) for a in range(20, 60)], place=["a", "b"],
        ill=lambda r, c, i: "y" if int(str(r["age"])) < 30 else "n",
    )  # fmt: skip

    def coarser(record: Record) -> Record:
        return record | {"age": f"{str(record['age'])[0]}0-{str(record['age'])[0]}9"}

    def blank(record: Record) -> Record:
        return record | {"place": None}

    plain = attack(situation(people, ["age", "place"], ["ill"]), NOTHING)[0]  # type: ignore[operator]
    for change in (coarser, blank, lambda r: blank(coarser(r))):
        found = attack(situation(people, ["age", "place"], ["ill"], change=change), NOTHING)[0]  # type: ignore[operator]
        assert found.success.hits == plain.success.hits > 0


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), st.sampled_from(["x", "y"]), st.integers(0, 3)), min_size=1),
)
def test_records_that_can_be_somebodys_are_those_that_no_key_excludes(rows: list[tuple[str, str, int]]) -> None:
    people: list[Record] = [{"a": a, "b": b, "how": str(how)} for a, b, how in rows]
    group = {"1": "1-2", "2": "1-2", "3": "3+"}

    def change(record: Record) -> Record:
        how = record["how"]
        return record | ({"a": None} if how == "1" else {"a": group[str(record["a"])]} if how == "2" else {})

    made = situation(people, ["a", "b"], change=change)
    met = meet(made)
    released = made.released.to_pylist()
    coarse = {"1-2": {"1", "2"}, "3+": {"3"}, None: {"1", "2", "3"}}
    dense = met.meets.toarray()
    for place, person in enumerate(people):
        for at, record in enumerate(released):
            fits = record["b"] == person["b"] and person["a"] in coarse.get(record["a"], {record["a"]})
            assert bool(dense[met.combination[place], met.class_of[at]]) == fits


def test_numbers_are_learnt_by_their_band_however_the_release_says_them() -> None:
    people = crowd(500, place=["a", "b"], pay=lambda r, c, i: str(1000 + i * 7 % 5000))
    rounded = situation(people, ["place"], ["pay"], change=lambda r: r | {"pay": str(round(int(str(r["pay"])), -2))})
    pay = sensitive_of(rounded, "pay")
    assert pay.banded
    assert pay.values == 5
    agree = pay.released == pay.true[rounded.lines]
    assert agree.mean() > 0.97  # a figure just at a cut may round over it
    assert np.all(np.abs(pay.shares - 0.2) < 0.03)


def test_what_is_believed_is_wrong_as_often_as_the_scenario_says() -> None:
    people = crowd(4000, age=["20", "30", "40", None], sex=["f", "m"])
    made = situation(people, ["age", "sex"], error={"age": 0.2})
    told = believed(made, np.arange(4000))
    true = [r["age"] for r in people]
    mistaken = [a != b for a, b in zip(told["age"].to_pylist(), true, strict=True) if b is not None]
    assert abs(np.mean(mistaken) - 0.2) < 0.025
    assert told["sex"].to_pylist() == [r["sex"] for r in people]
    assert believed(made, np.array([7, 3]))["age"].to_pylist() == [told["age"][7].as_py(), told["age"][3].as_py()]
    weak = crowd(2000, place=[str(i) for i in range(20)], ill=lambda r, c, i: "y" if int(str(r["place"])) % 2 else "n")
    sure = homogeneity(situation(weak, ["place"], ["ill"]), NOTHING)[0].success
    unsure = homogeneity(situation(weak, ["place"], ["ill"], error={"place": 0.5}), NOTHING)[0].success
    assert sure is not None
    assert unsure is not None
    assert sure.value == 1.0
    assert 0.65 < unsure.value < 0.83  # half of them are looked up elsewhere, and half of those are right by luck


def test_texts_name_no_value_and_attacks_that_cannot_be_tried_say_why() -> None:
    people = crowd(60, place=["zzplace"], ill=["zzvalue"])
    for attack in (homogeneity, skewness):
        found = attack(situation(people, ["place"], ["ill"]), NOTHING)[0]
        assert "zz" not in " ".join([found.sentence, found.why, found.knows, found.acts])
        for made in (situation(people, ["place"]), situation(people, [], ["ill"], columns=["ill"])):
            nothing = attack(made, NOTHING)[0]
            assert nothing.success is None
            assert nothing.why
    assert percent(0.5) == "50.0%"
