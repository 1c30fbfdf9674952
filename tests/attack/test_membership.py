"""Was this person in it? Told rightly where records are as they were, by chance where nothing is left of them."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from people import plan_with, write_case
from situations import Record, crowd, situation

from incrowd.attack.learning.closeness import auc, closeness, found_at
from incrowd.attack.matching.neighbours import Distinct
from incrowd.attack.membership import membership
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked
from incrowd.keys.nearest import nearest_rows
from incrowd.pipeline.trace import trace_plan
from incrowd.risk.value import Scenario

NOTHING = Auxiliary()


def half_left_out(people: list[Record], keys: list[str], sensitive: list[str], **more: object) -> Situation:
    """Every other person fell out of a sample."""
    at = {id(person): i for i, person in enumerate(people)}
    made = situation(
        people, keys, sensitive, keep=lambda r: at[id(r)] % 2 == 0, knows_who_is_in=False, **more  # type: ignore[arg-type]
    )  # fmt: skip
    return replace(made, by_chance=np.arange(len(people)) % 2 == 1)


def tried(made: Situation) -> Attacked:
    (found,) = membership(made, NOTHING)
    assert found.success is not None, found.why
    assert found.control is not None
    assert found.baseline == 0.5
    assert abs(found.control.value - 0.5) < 3 * (0.25 / found.control.tries) ** 0.5  # nobody is in: nothing can be told
    return found


AGES = [str(a) for a in range(16, 96)]
TOWNS = [f"t{i}" for i in range(50)]


def test_who_is_in_a_raw_file_is_told_and_nobody_is_wrongly_accused() -> None:
    people = crowd(1600, age=AGES, town=TOWNS, pay=lambda r, c, i: str(c.randrange(10**6)))
    found = tried(half_left_out(people, ["age", "town", "pay"], []))
    assert found.success.value > 0.97
    area = re.search(r"ROC curve ([\d.]+)", found.sentence)
    assert area is not None
    assert float(area[1]) > 0.97
    assert re.search(r"1% of the others may be taken for members, (9\d|100)", found.sentence)
    assert found.worst
    assert all((line - 1) % 2 == 0 for line in found.worst)  # the members


def test_a_crowd_tells_nothing_of_who_is_in_it() -> None:
    people = crowd(2000, age=["young", "old"], sex=["f", "m"], pay=lambda r, c, i: str(c.randrange(10**6)))
    found = tried(half_left_out(people, ["age", "sex"], []))
    assert abs(found.success.value - 0.5) < 3 * (0.25 / found.success.tries) ** 0.5
    # It is set against one half, which is so by design, and the chance in the control is not added to its own.
    assert found.residual == pytest.approx(2 * found.success.value - 1)
    assert found.excess == pytest.approx(2 * found.success.high - 1)


def test_where_nothing_can_be_told_the_interval_has_one_half_as_often_as_it_says() -> None:
    """Over many files: neither choosing a way nor learning makes a guess look better."""
    hits = tries = outside = right = asked = 0
    for seed in range(30):
        people = crowd(600, seed, age=["young", "old"], sex=["f", "m"])
        (found,) = membership(half_left_out(people, ["age", "sex"], []), NOTHING)
        assert found.success is not None
        hits, tries = hits + found.success.hits, tries + found.success.tries
        outside += not found.success.low < 0.5 < found.success.high
        assert found.control is not None
        right, asked = right + found.control.hits, asked + found.control.tries
    assert abs(hits / tries - 0.5) < 3 * (0.25 / tries) ** 0.5
    assert abs(right / asked - 0.5) < 3 * (0.25 / asked) ** 0.5
    assert outside <= 5


def test_a_little_noise_does_not_hide_who_is_in() -> None:
    chance = np.random.default_rng(4)
    people = crowd(1600, town=TOWNS, pay=lambda r, c, i: str(c.randrange(10**6)))
    found = tried(
        half_left_out(
            people, ["town", "pay"], [],
            change=lambda r: r | {"pay": str(int(str(r["pay"])) + int(chance.integers(-300, 301)))},
        )
    )  # fmt: skip
    assert found.success.low > 0.8


def test_who_knows_the_whole_record_is_told_beside_who_knows_the_keys() -> None:
    people = crowd(1600, sex=["f", "m"], pay=lambda r, c, i: str(c.randrange(10**6)))
    found = tried(half_left_out(people, ["sex"], ["pay"]))
    assert abs(found.success.value - 0.5) < 3 * (0.25 / found.success.tries) ** 0.5
    more = re.search(r"knows all that the release tells of them is right for ([\d.]+)%", found.sentence)
    assert more is not None
    assert float(more[1]) > 95


def test_it_says_why_it_was_not_tried() -> None:
    people = crowd(200, age=AGES)
    (found,) = membership(situation(people, ["age"]), NOTHING)
    assert found.success is None
    assert found.does_not_apply == "the scenario"
    assert "knows who is in" in found.why
    (found,) = membership(situation(people, ["age"], knows_who_is_in=False), NOTHING)
    assert found.success is None
    assert not found.does_not_apply
    assert "nobody out" in found.why
    (found,) = membership(half_left_out(people[:60], ["age"], []), NOTHING)
    assert "fewer than" in found.why


@pytest.mark.parametrize("k", [2, 3])
def test_people_are_held_out_on_trial_where_everybody_is_in(tmp_path: Path, k: int) -> None:
    """Without a sample in the plan the release is made once more: with raw keys members stand out, in crowds less."""
    steps: list[dict[str, object]] = [{"step": "drop", "variables": ["name"]}]
    if k == 3:
        steps.append({"step": "recode", "variable": "age", "bands": ["0"]})
    plan = plan_with(steps=steps)
    lines = "".join(f"n{i},{i},{'fm'[i % 2]},{'yn'[i % 3 == 0]},x\n" for i in range(1200))
    path = write_case(tmp_path, plan, lines)
    path.write_text(yaml.safe_dump(plan))
    with trace_plan(path) as traced:
        whole = traced.situation()
        there = whole.within(Scenario("a stranger", whole.keys, knows_who_is_in=False))
        (found,) = membership(there, NOTHING)
    assert found.success is not None, found.why
    assert "trial release" in found.why
    assert found.success.tries == 120
    if k == 2:
        assert found.success.value > 0.9
    else:
        assert found.success.low < 0.55


def test_the_measures_are_those_of_going_through_all() -> None:
    chance = np.random.default_rng(2)
    table = np.column_stack([chance.integers(0, 9, 60).astype(float), chance.integers(0, 3, 60).astype(float)])
    table[::7, 0] = np.nan
    aims = table[chance.permutation(60)[:20]] + np.array([0.5, 0.0])
    distinct = Distinct.among(table)
    found = closeness(distinct, aims, [1])
    span = np.nanmax(table[:, 0]) - np.nanmin(table[:, 0])
    for aim, measured in zip(aims, found, strict=True):
        apart = np.abs(table[:, 0] - aim[0]) / span
        far = np.where(np.isnan(table[:, 0]) & np.isnan(aim[0]), 0.0, np.where(np.isnan(apart), 1.0, apart))
        far = far + (table[:, 1] != aim[1])
        assert measured[0] == pytest.approx(far.min())
        assert np.expm1(measured[1]) == pytest.approx((far <= far.min() + 1e-9).sum())
        assert np.expm1(measured[3]) == pytest.approx((far <= 0.5).sum())
    nearest = nearest_rows(distinct.rows, aims, np.array([False, True]))
    assert len(nearest) == len(found)


def test_the_area_and_the_members_found_are_counted_by_pairs() -> None:
    chance = np.random.default_rng(5)
    scores, member = chance.integers(0, 6, 80).astype(float), (np.arange(80) % 2).astype(np.int64)
    pairs = [(a > b) + 0.5 * (a == b) for a in scores[member == 1] for b in scores[member == 0]]
    assert auc(scores, member) == pytest.approx(float(np.mean(pairs)))
    hits, tries = found_at(scores, member, 0.1)
    assert tries == 40
    threshold = min(score for score in [*scores, 9.0] if (scores[member == 0] > score).mean() <= 0.1)
    assert hits == int((scores[member == 1] > threshold).sum())
