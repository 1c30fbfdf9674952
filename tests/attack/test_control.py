"""The control: only people who were left out by chance are like those in the file, and only they excuse a hit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from people import plan_with, write_case
from situations import crowd, situation

import incrowd as ic
from incrowd.attack.homogeneity import homogeneity
from incrowd.attack.situation import Auxiliary
from incrowd.attack.skewness import skewness
from incrowd.attack.value import Attacked, Rate
from incrowd.errors import InputError, PlanError
from incrowd.pipeline.check import load_plan
from incrowd.pipeline.trace import trace_plan

#: In each place nearly everybody has one value: the release tells it of who is in the file and of who is not.
LINES = "".join(f"n{i},{20 + i % 6},{'fm'[i % 2]},{'yn'[i % 6 < 3]},00{i % 7}\n" for i in range(600))
DROP = [{"step": "drop", "variables": ["name"]}]


def _run(folder: Path, steps: list[dict[str, Any]], k: str = "1", lines: str = LINES, **more: Any) -> ic.Run:
    plan = plan_with(steps=[*DROP, *steps], requirements=[{"model": "k", "k": k}], **more)
    return ic.run(write_case(folder, plan, lines))


def test_a_control_of_other_people_excuses_nothing() -> None:
    one = Attacked("homogeneity", "s", "", "", Rate(600, 1000), 0.1, Rate(600, 1000), "")
    assert one.residual == 0
    unlike = replace(one, fair=False)
    assert unlike.residual == pytest.approx(0.5 / 0.9)
    assert unlike.excess == pytest.approx((Rate(600, 1000).high - 0.1) / 0.9)
    assert replace(unlike, baseline=None).residual == pytest.approx(0.6)
    low = replace(unlike, control=Rate(10, 1000))  # nor does the baseline excuse more than such a control
    assert low.residual == pytest.approx((0.6 - 0.01) / 0.99)


def test_suppressed_people_are_no_fair_control_and_those_out_of_a_sample_are() -> None:
    people = crowd(800, place=list("abcd"), ill=lambda r, c, i: "y" if r["place"] in "ab" else c.choice("yn"),
                   who=lambda r, c, i: str(i))  # fmt: skip
    out = {str(i) for i in range(0, 800, 5)}
    made = situation(people, ["place"], ["ill"], keep=lambda r: r["who"] not in out)
    drawn = np.array([record["who"] in out for record in people])
    for attack in (homogeneity, skewness):
        unlike, fair = attack(made, Auxiliary())[0], attack(replace(made, by_chance=drawn), Auxiliary())[0]
        assert (unlike.fair, fair.fair) == (False, True)
        assert unlike.success == fair.success
        assert unlike.control == fair.control
        assert "excuses nothing" in unlike.why
        assert "excuses nothing" not in fair.why
    half = replace(made, by_chance=drawn & (np.arange(800) < 400))
    control = homogeneity(half, Auxiliary())[0].control
    assert control is not None
    assert control.tries == int((drawn & (np.arange(800) < 400)).sum())  # those who were drawn out, and nobody else


@pytest.mark.slow
def test_a_sample_of_the_plan_is_told_from_what_was_suppressed(tmp_path: Path) -> None:
    few = "n900,77,f,y,001\nn901,78,m,n,001\n"
    steps = [{"step": "sample", "fraction": "0.5"}, {"step": "suppress_records"}]
    path = write_case(tmp_path, plan_with(steps=[*DROP, *steps], requirements=[{"model": "k", "k": "5"}]), LINES + few)
    with trace_plan(path) as traced:
        made = traced.situation()
    assert made.by_chance is not None
    assert int(made.by_chance.sum()) == 301
    assert not (made.by_chance & made.inside).any()
    suppressed = ~made.inside & ~made.by_chance
    assert suppressed.sum() <= 2
    plain = write_case(tmp_path, plan_with(steps=DROP, requirements=[{"model": "k", "k": "1"}]), LINES)
    with trace_plan(plain) as traced:
        assert traced.situation().by_chance is None


@pytest.mark.slow
def test_people_held_out_on_trial_are_a_fair_control_and_change_no_byte(tmp_path: Path) -> None:
    attack = {"attacks": ["homogeneity", "skewness", "linkage"]}
    suppress = [{"step": "suppress_records"}]
    plain = _run(tmp_path, suppress, k="5", attack=[attack])
    held = _run(tmp_path, suppress, k="5", attack=[{**attack, "hold_out": "0.2"}])
    assert (plain.release / "people.csv").read_bytes() == (held.release / "people.csv").read_bytes()
    for before, after in zip(plain.log.attacks, held.log.attacks, strict=True):
        assert before.success == after.success
        if before.attack == "linkage":
            assert before == after
            continue
        assert before.control is None  # everybody is in the release
        assert after.control is not None
        assert after.control.tries == 120
        assert after.fair
        assert "held out by chance" in after.why
    found = held.log.attacks[0]
    assert found.success is not None
    assert found.control is not None
    assert found.control.value == found.success.value == 1.0  # the same is told of people outside


def test_a_share_to_hold_out_is_a_share(tmp_path: Path) -> None:
    for share in ("0", "0.9", "x"):
        with pytest.raises(PlanError):
            load_plan(write_case(tmp_path, plan_with(steps=DROP, attack=[{"hold_out": share}])))
    with pytest.raises(PlanError, match="P081"):
        load_plan(write_case(tmp_path, plan_with(steps=DROP, attack=[{"attacks": ["gap"], "hold_out": "0.1"}])))


def test_a_trial_that_cannot_be_made_is_an_error_and_no_silence(tmp_path: Path) -> None:
    attack = [{"attacks": ["homogeneity"], "hold_out": "0.2"}]
    with pytest.raises(InputError, match="D285"):
        _run(tmp_path, [{"step": "sample", "count": "590"}], attack=attack)
