"""Two files from one source, made by any two settings of a random step: what do they tell together?

Never more than the better of the two alone (where draws are nested), or than two draws that know nothing of each other
(where they are independent). Every step that chance has a part in is here; one that is not fails the first test.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from examples import quick_only
from hypothesis import given, settings
from hypothesis import strategies as st
from people import SECRET
from two_files import (
    CHANCE,
    correlation,
    found_exactly,
    guessed,
    helps,
    independent_guess,
    left,
    numbers,
    release,
    source,
    texts,
    truth,
)  # fmt: skip

from incrowd.keys.requirements import K
from incrowd.plan.steps.numbers import Round
from incrowd.plan.steps.perturb import Microaggregate, Noise, Pram, Shuffle
from incrowd.plan.steps.sample import Sample
from incrowd.plan.steps.search import Search
from incrowd.plan.steps.suppress import SuppressCells
from incrowd.plan.steps.swap import RankSwap, Swap
from incrowd.protect import Context
from incrowd.protect.drawing import key_draws
from incrowd.protect.methods import METHODS
from incrowd.secret import Secret

FEW = settings(max_examples=4, deadline=None, derandomize=True)

size = st.floats(0.05, 2.0)
share = st.floats(0.1, 0.5)


@st.composite
def noise_pairs(draw):
    correlated = draw(st.booleans())
    common = {"step": "noise", "variables": ["income", "rent"], "decimals": 6, "correlated": correlated}
    one, other = ({**common, "share": draw(size)} for _ in range(2))
    if not correlated and draw(st.booleans()):
        other = {**common, "sd": draw(st.floats(20, 900)), "variables": ["income"], "decimals": 3}
    return one, other


def check_noise(one, other):
    x, pair = truth("income"), [numbers(release(step), "income") for step in (one, other)]
    narrow, wide = sorted(pair, key=lambda seen: left(x, seen))
    assert helps(x, narrow, wide) < 25
    assert found_exactly(x, narrow, wide) <= found_exactly(x, narrow) + 0.02
    assert correlation(wide - narrow, narrow - x) < CHANCE  # what was added knows nothing of what was there


def check_pram(one, other):
    x, pair = np.array(source()["sex"]), [texts(release(step), "sex") for step in (one, other)]
    assert correlation(*(seen != x for seen in pair)) < CHANCE
    assert guessed(x, *pair) < independent_guess(x, *pair) + 0.05


def check_shuffle(one, other):
    pair = [texts(release(step), "id2") for step in (one, other)]
    assert sum(pair[0] == pair[1]) < 10  # the same giver, by chance


def check_swap(one, other):
    x, pair = np.array(source()["area"]), [texts(release(step), "area") for step in (one, other)]
    assert correlation(*(seen != x for seen in pair)) < CHANCE
    assert guessed(x, *pair) < independent_guess(x, *pair) + 0.05


def check_sample(one, other):
    pair = [np.array([record is not None for record in release(step)]) for step in (one, other)]
    assert correlation(*pair) < CHANCE


def check_round(one, other):
    x = truth("age")
    errors = [numbers(release(step, keys=("sex",)), "age") - x for step in (one, other)]
    assert all(np.abs(error).max() < 100 for error in errors)
    assert correlation(*errors) < CHANCE


def check_rank_swap(one, other):
    """As good as when another secret made the second file, give or take."""
    x = truth("income")
    first = numbers(release(one), "income")
    scores = [left(x, first, numbers(release(other, secret=s), "income")) for s in (SECRET, *OTHERS)]
    assert scores[0] > 0.75 * min(scores[1:])
    assert np.mean(first == numbers(release(other), "income")) < 0.2


def check_microaggregate(one, other):
    """No chance in it, but for ties: another secret gives the same means."""
    for step in (one, other):
        assert release(step) == release(step, secret=OTHERS[0])


def check_blanks(one, other):
    """Among people who are alike in all keys, who is blanked (or recoded otherwise) is drawn anew."""
    keys = ("sex", "area", "job")
    classes = np.array(["|".join(record) for record in zip(*(source()[key] for key in keys), strict=True)])
    seen = []
    for step in (one, other):
        rows = release(step, requirements=(K(5),))
        touched = np.array([r is None or any(r[k] != source()[k][i] for k in keys) for i, r in enumerate(rows)], float)
        seen.append(touched - [touched[classes == name].mean() for name in classes])
    mixed = (seen[0] != 0) & (seen[1] != 0)
    assert mixed.sum() > 30
    assert correlation(seen[0][mixed], seen[1][mixed]) < 4.5 / mixed.sum() ** 0.5


OTHERS = [SECRET[i:] + SECRET[:i] for i in (2, 6, 10)]
PRAM = {"step": "pram", "variable": "sex"}
SWAP = {"step": "swap", "geography": ["area"]}
CELLS = {"step": "suppress_cells"}
# Every job or its first letter, which all share: a rare job takes people of common ones to itself.
LOCAL = {"step": "search", "local": True, "hierarchies": {"job": {"prefixes": [1]}}}

#: For each random step: pairs of its settings, and what must hold of them.
CASES = {
    Noise: (noise_pairs(), check_noise),
    Pram: (
        st.tuples(share, share, st.booleans()).map(
            lambda p: ({**PRAM, "rate": p[0]}, {**PRAM, "rate": p[1] + 0.01, "invariant": p[2]})
        ),
        check_pram,
    ),
    Shuffle: (
        st.sampled_from([([], ["rare"]), ([], ["sex"]), (["sex"], ["area"]), (["area"], ["area", "sex"])]).map(
            lambda p: tuple({"step": "shuffle", "variables": ["id2"], "strata": strata} for strata in p)
        ),
        check_shuffle,
    ),
    Swap: (
        st.tuples(share, share).map(lambda p: ({**SWAP, "rate": p[0] / 2}, {**SWAP, "rate": p[1] / 2 + 0.01})),
        check_swap,
    ),
    Sample: (
        st.tuples(share, share, st.sampled_from([[], ["sex"]])).map(
            lambda p: ({"step": "sample", "fraction": p[0]}, {"step": "sample", "fraction": p[1] + 0.01, "by": p[2]})
        ),
        check_sample,
    ),
    Round: (
        st.sampled_from([(10, 20), (10, 15), (7, 14), (8, 9)]).map(
            lambda p: tuple({"step": "round", "variable": "age", "base": str(b), "how": "random"} for b in p)
        ),
        check_round,
    ),
    RankSwap: (
        st.tuples(st.floats(0.1, 0.3), st.floats(0.05, 0.1)).map(
            lambda p: tuple({"step": "rank_swap", "variable": "income", "within": w} for w in p)
        ),
        check_rank_swap,
    ),
    Microaggregate: (
        st.just(tuple({"step": "microaggregate", "variables": ["income"], "k": k} for k in (3, 4))),
        check_microaggregate,
    ),
    SuppressCells: (st.just(({**CELLS, "k": 5}, {**CELLS, "k": 5, "weights": {"job": 1.01}})), check_blanks),
    Search: (st.just(({**LOCAL, "suppression": 0.0}, {**LOCAL, "suppression": 0.01})), check_blanks),
}  # fmt: skip


def test_every_step_that_chance_has_a_part_in_is_tried_here():
    assert {kind for kind in METHODS if kind.chance} == set(CASES)


@pytest.mark.parametrize("kind", sorted((kind for kind in METHODS if not kind.chance), key=lambda kind: kind.__name__))
def test_a_step_that_does_not_say_so_cannot_draw(kind):
    context = Context(Path("."), Secret(bytes.fromhex(SECRET)), ("t",), ())
    keyed = key_draws(kind.model_construct(), "", context)
    with pytest.raises(AssertionError, match="must say so"):
        keyed.draws("anything")


@pytest.mark.parametrize("kind", quick_only([Noise, Sample], sorted(CASES, key=lambda kind: kind.__name__)))
@settings(FEW)
@given(data=st.data())
def test_two_settings_of_a_step_tell_no_more_than_they_must(kind, data):
    pairs, check = CASES[kind]
    check(*data.draw(pairs))
