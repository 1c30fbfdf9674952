"""Attacks on what is missing: gap and minimality."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case
from situations import Record, crowd, situation

from incrowd.attack.gap import gap
from incrowd.attack.knowledge import sensitive_of
from incrowd.attack.matching.gaps import around, auc
from incrowd.attack.matching.meeting import meet
from incrowd.attack.minimality import minimality
from incrowd.attack.situation import Auxiliary
from incrowd.pipeline.trace import trace_plan

NOTHING = Auxiliary()
ANY = ["yes", "no"]


def _grid(chance_of: Any, number: int = 3000, seed: int = 3) -> list[Record]:
    return crowd(
        number, seed, work=[str(i) for i in range(8)], town=list("abcdef"),
        poor=lambda r, c, i: "yes" if c.random() < chance_of(int(str(r["work"]))) else "no",
    )  # fmt: skip


def _without(people: list[Record], gone: set[tuple[str | None, str | None]]) -> Any:
    return situation(people, ["work", "town"], ["poor"], keep=lambda r: (r["work"], r["town"]) not in gone)


def test_neighbours_tell_why_a_class_is_missing_where_they_are_alike() -> None:
    people = _grid(lambda work: 0.95 if work >= 4 else 0.05)
    gone = {("5", "a"), ("6", "c"), ("1", "b"), ("2", "d")}
    found = gap(_without(people, gone), NOTHING)[0]
    assert found.success is not None
    assert found.success.tries == sum((r["work"], r["town"]) in gone for r in people)
    assert found.success.low > found.baseline
    assert found.claimed is not None
    assert found.claimed.value > 0.75
    assert "AUC 0.9" in found.sentence
    strong = gap(_without(_grid(lambda work: 0.5), gone), NOTHING)[0]
    assert strong.success is not None
    assert strong.success.low < strong.baseline < strong.success.high


def test_a_release_without_gaps_cannot_be_attacked_by_them() -> None:
    made = situation(_grid(lambda work: 0.5), ["work", "town"], ["poor"])
    for attack in (gap, minimality):
        found = attack(made, NOTHING)[0]
        assert found.success is None
        assert found.why


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries({
            "a": st.sampled_from("xyz"), "b": st.sampled_from("pq"), "c": st.sampled_from("12"),
            "v": st.sampled_from(["yes", "no", None]), "in": st.sampled_from("01"),
        }),
        min_size=1, max_size=20,
    )
)  # fmt: skip
def test_neighbours_differ_in_one_key(records: list[Record]) -> None:
    made = situation(records, ["a", "b", "c"], ["v"], keep=lambda r: r["in"] == "1")
    met, sensitive = meet(made), sensitive_of(made, "v")
    counts = around(met, sensitive).counts.toarray()
    released = list(zip(made.released.to_pylist(), sensitive.released.tolist(), strict=True))
    for place, person in enumerate(records):
        expected: Counter[int] = Counter()
        for record, value in released:
            if value >= 0 and sum(record[key] != person[key] for key in "abc") == 1:
                expected[value] += 1
        row = counts[met.combination[place]]
        assert {i: int(n) for i, n in enumerate(row) if n} == dict(expected)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=15))
def test_auc_is_the_share_of_pairs_in_order(rows: list[tuple[int, bool]]) -> None:
    ones, others = [s for s, t in rows if t], [s for s, t in rows if not t]
    found = auc(np.array([s for s, _ in rows], float), np.array([t for _, t in rows], bool))
    if not ones or not others:
        assert found is None
        return
    pairs = [(a > b) + 0.5 * (a == b) for a in ones for b in others]
    assert found == pytest.approx(sum(pairs) / len(pairs))


def test_a_class_that_was_large_enough_fell_for_its_value() -> None:
    """One-sided diversity: classes in which all are poor are dropped, others with one value are not."""
    people = crowd(
        2000, work=[str(i) for i in range(10)], town=list("abcdefghij"),
        poor=lambda r, c, i: {"0": "no", "7": "yes", "8": "yes", "9": "yes"}.get(str(r["work"]), c.choice(ANY)),
    )  # fmt: skip
    mixed_in = {(r["work"], r["town"]) for r in people if r["poor"] == "no"}
    weak = situation(people, ["work", "town"], ["poor"], keep=lambda r: (r["work"], r["town"]) in mixed_in)
    found = minimality(weak, NOTHING)[0]
    assert found.success is not None
    assert found.control is not None
    assert found.success.value == 1.0
    assert found.baseline is not None
    assert found.baseline < 1
    assert found.success.low > found.control.high
    dropped = {("8", "a"), ("2", "b"), ("3", "c"), ("0", "d")}
    mixed = crowd(2000, work=[str(i) for i in range(10)], town=list("abcd"), poor=["yes", "no"])
    strong = minimality(
        situation(mixed, ["work", "town"], ["poor"], keep=lambda r: (r["work"], r["town"]) not in dropped), NOTHING
    )[0]
    assert strong.success is not None
    assert strong.success.low < 0.5 < strong.success.high


def test_small_classes_that_are_missing_tell_nothing_by_their_absence() -> None:
    people = crowd(1000, work=[str(i) for i in range(4)], town=list("ab"), poor=["yes", "no"])
    few: list[Record] = [{"work": "9", "town": "a", "poor": "yes"}] * 2
    made = situation([*people, *few], ["work", "town"], ["poor"], keep=lambda r: r["work"] != "9")
    found = minimality(made, NOTHING)[0]
    assert found.success is None  # nobody is gone for: none of none is no figure
    assert found.does_not_apply == "the release itself"
    assert "fewer people" in found.sentence


def test_values_with_classes_of_their_own_show_that_there_is_no_rule() -> None:
    people = crowd(
        1000, work=[str(i) for i in range(6)], poor=lambda r, c, i: "yes" if int(str(r["work"])) % 2 else "no"
    )
    found = minimality(situation(people, ["work"], ["poor"], keep=lambda r: r["work"] != "3"), NOTHING)[0]
    assert found.success is None
    assert found.does_not_apply == "the release itself"
    assert "no rule" in found.sentence


def test_the_studys_release_is_open_to_both(tmp_path: Path) -> None:
    """k and one-sided diversity by dropping classes, as in study 2 (7.2): what is missing tells who is ill."""
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "suppress_records"}]
    requirements = [
        {"model": "k", "k": "3"}, {"model": "one_sided", "sensitive": "ill", "value": "y"},
    ]  # fmt: skip
    lines = "".join(
        f"n{i},{20 + i % 10},{'fm'[i // 10 % 2]},{'y' if i % 10 in (3, 4) or (i % 10 in (2, 5) and i % 3) else 'n'},x\n"
        for i in range(200)
    )
    path = write_case(tmp_path, plan_with(steps=steps, requirements=requirements), lines)
    with trace_plan(path) as traced:
        made = traced.situation()
        assert 200 - made.released.num_rows == 40
        found = {attack.__name__: attack(made, NOTHING)[0] for attack in (gap, minimality)}
    assert found["minimality"].success is not None
    assert (found["minimality"].success.hits, found["minimality"].success.tries) == (40, 40)
    assert found["minimality"].baseline == 0.0
    assert found["gap"].success is not None
    assert found["gap"].success.tries == 40
