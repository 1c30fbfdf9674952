"""A model trained on the release: what it learns of everybody, and what it has by heart."""

from pathlib import Path

import numpy as np
import yaml

from incrowd.attack.inference import features, inference
from incrowd.attack.situation import Beside
from incrowd.tracing import trace_plan
from people import plan_with, write_case
from situations import Record, crowd, situation

NOTHING = Beside()


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
