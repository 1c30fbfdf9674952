"""Two files from one source that differ in something around a random step: the input, the steps before, the tier."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from people import plan_with, write_case
from two_files import (
    N,
    assert_independent,
    correlation,
    found_exactly,
    helps,
    numbers,
    release,
    source,
    texts,
    truth,
)  # fmt: skip

import incrowd as ic
from incrowd.keys.cellkey import KEYS, LARGEST
from incrowd.plan.steps.numbers import Round
from incrowd.plan.steps.perturb import Pram
from incrowd.plan.steps.sample import Sample
from incrowd.plan.steps.swap import RankSwap, Swap
from incrowd.tasks.table import table

PRAM = {"step": "pram", "variable": "sex"}
SWAP = {"step": "swap", "geography": ["area"]}

NOISE = {"step": "noise", "variables": ["income"], "share": 0.3, "decimals": 6}


@pytest.mark.slow
def test_no_number_of_sizes_tells_more_than_the_smallest():
    x = truth("income")
    first, *more = (numbers(release({**NOISE, "share": s}), "income") for s in (0.3, 0.31, 0.5, 0.9, 2.0))
    assert helps(x, first, *more) < 60
    assert found_exactly(x, first, *more) <= found_exactly(x, first) + 0.02


@pytest.mark.slow
@pytest.mark.parametrize("change", ["one gone", "one mended"])
@pytest.mark.parametrize("correlated", [False, True])
def test_a_source_that_changed_a_little_gives_back_nothing(change, correlated):
    """Plain noise is the same for whoever did not change, but for its size. Correlated noise is drawn anew."""
    step = {**NOISE, "variables": ["income", "rent"], "correlated": correlated}
    x, first, second = (
        truth("income"),
        numbers(release(step), "income"),
        numbers(release(step, change=change), "income"),
    )
    same = np.r_[False, np.full(N - 1, True)]
    x, first, second = x[same], first[same], second[same]
    if correlated:
        assert_independent(x, first, second)
    else:
        assert helps(x, first, second) < 25


@pytest.mark.slow
@pytest.mark.parametrize("change", ["one gone", "one mended"])
@pytest.mark.parametrize("kind", [Pram, Swap, Sample, Round, RankSwap])
def test_nor_does_chance_of_another_kind(change, kind):
    """Who is drawn once more is drawn alike, or by chance: never so that the two files err on different sides."""
    step, name = {
        Pram: ({**PRAM, "rate": 0.3, "invariant": True}, "sex"),
        Swap: ({**SWAP, "rate": 0.2}, "area"),
        Sample: ({"step": "sample", "fraction": 0.3}, "sex"),
        Round: ({"step": "round", "variable": "age", "base": "10", "how": "random"}, "age"),
        RankSwap: ({"step": "rank_swap", "variable": "income", "within": 0.1}, "income"),
    }[kind]
    one, other = (texts(release(step, change=c, keys=("sex",)), name) for c in ("", change))
    x = np.array(source()[name], dtype=object)
    wrong = [seen != x for seen in (one, other)]
    # Of two files that err by themselves one errs alone in so many; where draws are shared, in fewer.
    alone = np.mean(wrong[0] != wrong[1])
    p, q = (float(np.mean(each)) for each in wrong)
    assert alone < p * (1 - q) + q * (1 - p) + 0.08


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "title"),
    [
        ([], "another title"),
        ([{"step": "top_code", "variable": "rent", "at": "900"}], "t"),
        ([{"step": "noise", "variables": ["rent"], "share": 0.1}], "t"),
        ([{**NOISE, "share": 0.001}], "t"),
    ],
)
def test_what_was_done_before_and_another_title_draw_anew(before, title):
    assert_independent(
        truth("income"), numbers(release(NOISE), "income"), numbers(release(*before, NOISE, title=title), "income")
    )


def test_a_step_twice_draws_twice():
    x = np.array(source()["sex"])
    once, twice = (texts(release(*[{**PRAM, "rate": 0.3}] * times), "sex") for times in (1, 2))
    stayed = once == x
    assert 0.2 < np.mean(twice[stayed] != x[stayed]) < 0.4


@pytest.mark.slow
def test_what_changes_no_record_changes_no_draw():
    """Else every new reason would be one more draw to average."""
    off = {"step": "round", "variable": "age", "base": "5", "off": True}
    plain = release(NOISE, {**PRAM, "rate": 0.2})
    assert plain == release(off, {**NOISE, "reason": "so"}, {**PRAM, "rate": 0.20, "strata": []})
    base = {"step": "round", "variable": "age", "how": "random"}
    assert release({**base, "base": "5"}) == release({**base, "base": "5.0"})


# ---- whole files -------------------------------------------------------------------------------------------------

ANY = [{"model": "k", "k": "1"}]
DROP = {"step": "drop", "variables": ["name"]}


def released(folder, step, **changes):
    plan = plan_with(steps=[DROP, step], requirements=ANY, **changes)
    lines = "".join(
        f"n{i},{20 + i % 40},{'fm'[i % 2]},{x:.2f},k{i}\n" for i, x in enumerate(truth("income")[:300].tolist())
    )
    done = ic.run(write_case(folder, plan, lines))
    with (done.release / "people.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_twice_the_less_noisy_file_without_the_other_is_not_the_truth(tmp_path):
    step = {"step": "noise", "variables": ["ill"]}
    files = [released(tmp_path, {**step, "share": share}) for share in ("0.1", "0.2")]
    one, two = ({row["note"]: float(row["ill"]) for row in file} for file in files)
    x = {f"k{i}": value for i, value in enumerate(truth("income")[:300].tolist())}
    assert np.mean([abs(2 * one[name] - two[name] - x[name]) < 2 for name in x]) < 0.1
    assert np.std([2 * one[name] - two[name] - x[name] for name in x]) > np.std([one[name] - x[name] for name in x])


@pytest.mark.slow
@pytest.mark.parametrize("other", [{"share": "0.2"}, {"share": "0.1", "decimals": "1"}])
def test_two_files_are_not_in_one_order(tmp_path, other):
    step = {"step": "noise", "variables": ["ill"], "share": "0.1"}
    one, two = (
        {row["note"]: at for at, row in enumerate(released(tmp_path, each))} for each in (step, {**step, **other})
    )
    assert correlation(np.array(list(one.values())), np.array([two[name] for name in one])) < 4.5 / 300**0.5


@pytest.mark.slow
def test_order_depends_on_every_step_where_no_cell_differs(tmp_path):
    nothing = {"step": "top_code", "variable": "age", "at": "99"}
    one, two = (released(tmp_path, step) for step in (nothing, {**nothing, "at": "98"}))
    assert sorted(map(str, one)) == sorted(map(str, two))
    assert one != two


@pytest.mark.slow
def test_tiers_draw_apart(tmp_path):
    step = {"step": "noise", "variables": ["ill"], "share": "0.3"}
    files = [released(tmp_path, step, tier=tier) for tier in ("open", "safeguarded")]
    one, two = ({row["note"]: float(row["ill"]) for row in file} for file in files)
    names = [f"k{i}" for i in range(300)]
    x, one, two = truth("income")[:300], *(np.array([each[name] for name in names]) for each in (one, two))
    assert correlation(one - x, two - x) < 4.5 / 300**0.5


@pytest.mark.slow
def test_two_perturbation_tables_have_other_keys(tmp_path):
    """Twice the noise of one key, and that noise, would subtract."""

    def ptable(times):
        path = tmp_path / f"{times}.csv"
        lines = [
            f"{pcv},{key},{times * max(key % 5 - 2, -(pcv // 2))}"
            for pcv in range(1, LARGEST + 1)
            for key in range(KEYS)
        ]
        path.write_text("\n".join(["pcv,ckey,pvalue", *lines]) + "\n")
        return path

    lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},y,z{i % 20}\n" for i in range(1500))
    gone = [{"step": "drop", "variables": ["name", "note"]}]
    plan = write_case(tmp_path, plan_with(steps=gone, requirements=ANY), lines)
    one, two = (table(plan, ["note"], ptable=ptable(times), threshold=0) for times in (1, 2))
    assert one.published.cells == two.published.cells
    true, seen = one.inside.counts, [np.array(each.published.counts) for each in (one, two)]
    assert (seen[0] != true).any()
    assert np.mean(2 * seen[0] - seen[1] == true) < 0.6
    again = table(plan, ["note", "sex"], ptable=ptable(1), threshold=0)
    assert again.inside.cell_keys.sum() % KEYS == one.inside.cell_keys.sum() % KEYS  # the same people, the same keys
