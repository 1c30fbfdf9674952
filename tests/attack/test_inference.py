"""A model trained on the release: what it learns of everybody, and what it has by heart."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case
from situations import Record, crowd, situation

from incrowd.attack.inference import inference
from incrowd.attack.learning.features import features
from incrowd.attack.situation import Auxiliary
from incrowd.keys.nearest import nearest_rows
from incrowd.pipeline.trace import trace_plan

NOTHING = Auxiliary()


def test_keys_that_go_with_the_value_give_it_away_and_others_do_not() -> None:
    ages = [str(a) for a in range(20, 60)]
    weak = crowd(
        1200, age=ages, sex=["f", "m"], ill=lambda r, c, i: "yn"[(int(str(r["age"])) < 40) != (c.random() < 0.1)]
    )
    found = inference(situation(weak, ["age", "sex"], ["ill"]), NOTHING)[0]
    assert found.success is not None
    assert found.control is not None
    assert found.success.low > found.baseline
    assert found.control.value > 0.85  # the rule holds for anybody: it is not the people's own records that tell
    strong = crowd(1200, age=ages, sex=["f", "m"], ill=["y", "n"])
    found = inference(situation(strong, ["age", "sex"], ["ill"]), NOTHING)[0]
    assert found.control is not None
    assert found.control.low < found.baseline < found.control.high


def test_own_records_show_as_the_difference_to_the_control() -> None:
    people = crowd(600, place=[str(i) for i in range(60)], ill=["a", "b", "c"])
    found = inference(situation(people, ["place"], ["ill"]), NOTHING)[0]
    assert found.success is not None
    assert found.control is not None
    assert found.success.value > found.control.value + 0.1
    assert found.residual is not None
    assert found.residual > 0.1
    assert found.worst


def test_a_number_is_predicted_by_its_band_and_it_says_so() -> None:
    people = crowd(
        800, age=[str(a) for a in range(20, 60)], pay=lambda r, c, i: str(int(str(r["age"])) * 1000 + i % 900)
    )
    found = inference(situation(people, ["age"], ["pay"]), NOTHING)[0]
    assert found.success is not None
    assert found.success.value > 0.9
    assert found.baseline < 0.3
    assert "5 bands" in found.why


def test_coarser_labels_and_names_find_their_place() -> None:
    people = crowd(
        500, age=[str(a) for a in range(20, 60)], town=list("abcd"), ill=lambda r, c, i: str(r["town"] in "ab")
    )

    def change(record: Record) -> Record:
        return record | {"town": "north" if str(record["town"]) in "ab" else "south", "age": "20-59"}

    made = situation(people, ["age", "town"], ["ill"], change=change)
    learnt, aims, categories = features(made, np.arange(500))
    assert categories == [1]
    assert set(learnt[:, 0]) == {39.5}
    codes = {record["town"]: code for record, code in zip(made.released.to_pylist(), learnt[:, 1], strict=True)}
    expected = [codes["north" if str(p["town"]) in "ab" else "south"] for p in people]
    assert aims[:, 1].tolist() == expected
    found = inference(made, NOTHING)[0]
    assert found.success is not None
    assert found.success.value == 1.0


def test_what_cannot_be_learnt_is_not_tried() -> None:
    one = crowd(50, place=["a", "b"], ill=["y"])
    found = inference(situation(one, ["place"], ["ill"]), NOTHING)[0]
    assert found.success is None
    assert "two values" in found.why


def test_a_release_of_a_plan_is_attacked(tmp_path: Path) -> None:
    """The demo of the tests: whether somebody is ill follows from the line's number, which age and sex tell in part."""
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "suppress_records"}]
    lines = "".join(f"n{i},{20 + i % 6},{'fm'[i % 2]},{'yn'[i % 3 == 0]},x\n" for i in range(120))
    path = write_case(tmp_path, plan_with(steps=steps), lines)
    with trace_plan(path) as traced:
        found = inference(traced.situation(), NOTHING)[0]
    assert found.success is not None
    assert found.success.value == 1.0  # i mod 6 gives both
    assert found.baseline < 0.7
    coarse = [steps[0], {"step": "recode", "variable": "age", "bands": ["0"]}, steps[1]]
    path.write_text(yaml.safe_dump(plan_with(steps=coarse)))
    with trace_plan(path) as traced:
        found = inference(traced.situation(), NOTHING)[0]
    assert found.success is not None
    assert abs(found.success.value - found.baseline) < 1e-9


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, 2.5, 9.0, np.nan]), st.sampled_from([0.0, 1.0, 2.0, np.nan])),
        min_size=2,
        max_size=12,
    ),
    st.integers(1, 5),
)
def test_the_nearest_row_is_that_of_going_through_all(rows: list[tuple[float, float]], asked: int) -> None:
    table, aims = np.array(rows[asked:] or rows), np.array(rows[:asked])
    known = table[~np.isnan(table[:, 0]), 0]
    span = (known.max() - known.min() if len(known) else 0) or 1.0

    def part(one: float, other: float, number: bool) -> float:
        if np.isnan(one) or np.isnan(other):
            return float(np.isnan(one) != np.isnan(other))
        return min(abs(one - other) / span, 1.0) if number else float(one != other)

    found = nearest_rows(table, aims, np.array([False, True]))
    for aim, at in zip(aims, found, strict=True):
        far = [part(row[0], aim[0], True) + part(row[1], aim[1], False) for row in table]
        assert far[at] == pytest.approx(min(far))


def test_nearly_raw_records_are_remembered_and_not_only_learnt() -> None:
    """The value has nothing to do with the keys, and nearly everybody is alone by them."""
    people = crowd(1200, age=[str(a) for a in range(20, 90)], town=[f"t{i}" for i in range(60)],
                   ill=[f"i{i}" for i in range(6)])  # fmt: skip
    found = inference(situation(people, ["age", "town"], ["ill"]), NOTHING)[0]
    assert found.success is not None
    assert found.success.value > 0.8
    assert found.control is not None
    assert found.control.value < 0.3
    assert re.search(r"the nearest records [89]\d", found.why)


def test_choosing_the_better_model_does_not_make_a_guess_look_better() -> None:
    """Nobody's value can be known: over many files the chosen model is right as often as chance."""
    hits = tries = 0
    for seed in range(12):
        people = crowd(300, seed, place=["a"], town=["x", "y"], ill=["y", "n"])
        half = {id(record): i % 2 for i, record in enumerate(people)}
        made = situation(
            people, ["place", "town"], ["ill"], keep=lambda r, h=half: h[id(r)] == 0, knows_who_is_in=False
        )
        found = inference(made, NOTHING)[0]
        assert found.control is not None
        hits, tries = hits + found.control.hits, tries + found.control.tries
    assert abs(hits / tries - 0.5) < 3 * (0.25 / tries) ** 0.5 + 0.02


def test_who_has_no_value_is_not_gone_for() -> None:
    people = crowd(
        400, place=[str(i) for i in range(4)], ill=lambda r, c, i: None if i % 2 else "yn"[int(str(r["place"])) % 2]
    )
    found = inference(situation(people, ["place"], ["ill"]), NOTHING)[0]
    assert found.success is not None
    assert (found.success.tries, found.success.value) == (200, 1.0)


def test_where_rules_are_fine_boosting_is_stronger_than_a_tree_and_is_told() -> None:
    """The value is the sum of many keys: no single tree with leaves of ten finds it, and nobody's record is needed."""
    keys = {f"k{i}": [str(v) for v in range(4)] for i in range(8)}
    people = crowd(2500, **keys, rich=lambda r, c, i: "ny"[sum(int(str(r[k])) for k in keys) >= 12])
    found = inference(situation(people, list(keys), ["rich"]), NOTHING)[0]
    assert found.control is not None
    figures = dict(re.findall(r"(a decision tree|boosting) [\d.]+%, without own records ([\d.]+)%", found.why))
    assert float(figures["boosting"]) > float(figures["a decision tree"]) + 10
    assert found.control.value == pytest.approx(float(figures["boosting"]) / 100, abs=0.01)


def test_a_number_with_noise_on_the_keys_is_named_nearly() -> None:
    """Pay follows age: whoever learns from ages with noise names it to within 5% for some, blindly for few."""
    chance = np.random.default_rng(3)
    people = crowd(1500, age=[str(a) for a in range(20, 70)], pay=lambda r, c, i: str(int(str(r["age"])) * 1000))
    noise = iter(chance.integers(-2, 3, len(people)).tolist())
    made = situation(people, ["age"], ["pay"], change=lambda r: r | {"age": str(int(str(r["age"])) + next(noise))})
    found = inference(made, NOTHING)[0]
    near = re.search(r"within 5% for ([\d.]+)% .*records for ([\d.]+)%; .*near for ([\d.]+)%", found.sentence)
    assert near is not None
    with_own, without, blind = (float(one) for one in near.groups())
    assert min(with_own, without) > 60
    assert blind < 15


@pytest.mark.slow
def test_given_time_there_are_more_models_and_more_parts() -> None:
    towns = [f"t{i}" for i in range(80)]
    people = crowd(6500, town=towns, age=[str(a) for a in range(16, 96)], ill=["y", "n"])
    made = situation(people, ["town", "age"], ["ill"])
    quick, slow = inference(made, NOTHING)[0], inference(made, Auxiliary(thorough=True))[0]
    assert "No forest" in quick.why
    assert "a forest " not in quick.why.split("No forest")[0]
    assert "a forest " in slow.why
    assert "No forest" not in slow.why


def test_targets_drawn_by_chance_are_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["incrowd.attack.inference"], "MOST_TARGETS", 100)
    people = crowd(400, place=list("abcd"), ill=lambda r, c, i: None if i % 4 == 0 else c.choice("yn"))
    found = inference(situation(people, ["place"], ["ill"]), NOTHING)[0]
    assert found.success is not None
    assert found.drawn_of == 300
    assert found.success.tries < 100
