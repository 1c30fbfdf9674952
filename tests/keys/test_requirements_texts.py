"""Requirements as texts on the command line."""

from __future__ import annotations

import math

import pytest
from classes import TREE

from incrowd.errors import PlanError
from incrowd.keys.requirements import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctL,
    EnhancedBeta,
    EntropyL,
    K,
    KMap,
    OneSided,
    RecursiveL,
    Requirement,
    TCloseness,
    WeakK,
    model_names,
    parse_model,
)

# -- texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k:5", K(5)),
        ("k_map:3", KMap(3)),
        ("weak_k:3:on=age,sex:where=age < 16 : 5", WeakK(3, keys=("age", "sex"), where="age < 16 : 5")),
        ("k:5:on=age", K(5, keys=("age",))),
        ("distinct_l:occupation:3", DistinctL("occupation", 3)),
        ("dl:occupation:3", DistinctL("occupation", 3)),
        ("entropy_l:s:2.5", EntropyL("s", 2.5)),
        ("el:s:3", EntropyL("s", 3)),
        ("recursive_l:s:4:3", RecursiveL("s", 4, 3)),
        ("rl:s:4:3", RecursiveL("s", 4, 3)),
        ("one_sided:home:none", OneSided("home", "none")),
        ('one_sided:"a:b":"c:d":0.5', OneSided("a:b", "c:d", 0.5)),
        ("alpha_k:s:0.5:3", AlphaK("s", 0.5, 3)),
        ("t:s:0.2", TCloseness("s", 0.2)),
        ("te:s:0.2", TCloseness("s", 0.2)),
        ("t:s:0.2:ordered", TCloseness("s", 0.2, "ordered", order=("a", "b"))),
        ("to:s:0.2", TCloseness("s", 0.2, "ordered-text")),
        ("th:s:0.2", TCloseness("s", 0.2, "hierarchical", hierarchy=TREE)),
        ("t:s:0.2:hierarchical", TCloseness("s", 0.2, "hierarchical", hierarchy=TREE)),
        ("beta:s:1", BetaLikeness("s", 1)),
        ("bl:s:1", BetaLikeness("s", 1)),
        ("ebl:s:1", EnhancedBeta("s", 1)),
        ("delta_disclosure:s:1", DeltaDisclosure("s", 1)),
        ("delta_disclosure:s:1:skip-zeros", DeltaDisclosure("s", 1, skip_zeros=True)),
        ("dd:s:1", DeltaDisclosure("s", math.log(2), skip_zeros=True)),
        ("delta_presence:0.1:0.5", DeltaPresence(0.1, 0.5)),
    ],
)
def test_parse(text: str, expected: Requirement) -> None:
    found = parse_model(text, {"s": TREE}, {"s": ["a", "b"]})
    assert found == expected
    assert found.describe()


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("", "P060", "The models are"),
        ("entropy:s:2", "P060", "entropy_l"),
        ("disctinct_l:s:2", "P060", "distinct_l"),
        ("k", "P061", "k:K"),
        ("k:five", "P061", "k:K"),
        ("k:5:6", "P061", "k:K"),
        ("t::0.2", "P061", "t:A:T[:equal"),
        ("one_sided:s", "P061", "one_sided:A:VALUE[:ALPHA]"),
        ("delta_disclosure:s:1:skip", "P061", "skip-zeros"),
        ("t:s:0.2:eqal", "P062", "equal"),
        ("t:s:2", "P062", "at most 1"),
        ("k:0", "P062", "at least 1"),
        ("beta:s:nan", "P062", "above 0"),
        ("dd:s:0", "P062", "above 0"),
        ("delta_presence:0.5:0.2", "P062", "at least 0.5"),
        ("weak_k:3", "P062", "where"),
    ],
)
def test_slips_of_the_pen(text: str, code: str, hint: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_model(text)
    (fault,) = caught.value.faults
    assert fault.code == code
    assert hint in str(fault)


def test_every_name_has_a_text_that_means_it() -> None:
    assert len(set(model_names())) == len(model_names()) == 22
