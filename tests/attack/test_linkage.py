"""Linkage, nearest match, probabilistic linkage and singling out: against brute force, and on weak and strong files."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from attack_cases import candidates, differing, draws, situation, table
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with
from servers import need_spark

from incrowd.attack import ATTACKS, probabilistic
from incrowd.attack.knowledge import _others
from incrowd.attack.linkage import link
from incrowd.attack.matching.best import best_matches
from incrowd.attack.matching.numeric import moved_numbers, nearest_numbers
from incrowd.attack.matching.predicates import predicates_of, readings
from incrowd.attack.matching.targets import field_of
from incrowd.attack.on_run import check_names
from incrowd.attack.probabilistic import probabilistic_linkage, weigh
from incrowd.attack.singling_out import rarest
from incrowd.attack.situation import Auxiliary
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import knowledge, percent
from incrowd.plan import Plan
from incrowd.risk.value import Scenario

few = st.sampled_from(["a", "b", "c"])
people = st.lists(st.tuples(few, few, few), min_size=1, max_size=14)
NOBODY = Auxiliary()


def linked(case: Any, kind: str, auxiliary: Auxiliary = NOBODY) -> Any:
    field = field_of(case, auxiliary, kind)
    best = best_matches(field.file, field.targets.known, 0 if kind == "linkage" else None)
    return field, best, link(case, field, best, kind)


def one(name: str, case: Any, auxiliary: Auxiliary = NOBODY) -> Attacked:
    (found,) = ATTACKS[name](case, auxiliary)
    return found


def test_the_figures_of_the_method() -> None:
    rate = Rate(850, 1000)
    assert ((rate.low + rate.high) / 2, (rate.high - rate.low) / 2) == pytest.approx((0.849, 0.022), abs=5e-4)
    attacked = Attacked("linkage", "s", "", "", Rate(9, 10), 0.1, Rate(8, 10), "")
    assert attacked.residual == pytest.approx(0.5)
    assert Attacked("linkage", "s", "", "", Rate(9, 10), 0.8, None, "").residual == pytest.approx(0.5)


def test_every_attack_has_its_word_in_plans() -> None:
    plan = plan_with(attack=[{"attacks": [*ATTACKS]}, {"attacks": ["linkge"]}, {"attacks": ["none"], "off": True}])
    assert [(fault.code, fault.place) for fault in check_names(Plan.model_validate(plan))] == [
        ("P055", "attack.1.attacks.0")
    ]


@settings(max_examples=examples(60), deadline=None)
@given(people, st.data())
def test_the_best_matches_are_those_of_all_pairs(known: list[tuple[str, str, str]], data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.integers(0, len(known) - 1), unique=True, min_size=1))
    released = [tuple(data.draw(few) if data.draw(st.booleans()) else v for v in known[line]) for line in lines]
    case = situation(known, lines, released)
    for kind, most in (("linkage", 0), ("nearest", 3)):
        _, best, found = linked(case, kind)
        for target, value in enumerate(known):
            pairs = candidates(released, value, most)
            assert best.records[target] == len(pairs)
            if pairs:
                assert best.differing[target] == differing(released[pairs[0]], value)
            own = [i for i in pairs if lines[i] == target]
            assert found.own[target] == len(own)
            assert found.claim[target] == (len(pairs) == 1)
            if not own:
                assert not found.hit[target]
            if pairs and len(own) == len(pairs):
                assert found.hit[target]


@settings(max_examples=examples(40), deadline=None)
@given(people, st.data())
def test_a_blank_fits_everything_and_a_local_label_what_was_given_it(
    known: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    lines = data.draw(st.lists(st.integers(0, len(known) - 1), unique=True, min_size=1))
    coarse = {"a": "ab", "b": "ab", "c": "c+"}
    labels = st.sampled_from(["keep", "blank", "coarse"])
    said = {"keep": lambda v: v, "blank": lambda v: None, "coarse": coarse.get}
    released = [tuple(said[data.draw(labels)](value) for value in known[line]) for line in lines]
    case = situation(known, lines, released, loose=["k0", "k1", "k2"])
    given_ = [{(r[j], known[line][j]) for r, line in zip(released, lines, strict=True)} for j in range(3)]
    _, best, found = linked(case, "linkage")
    for target, value in enumerate(known):
        fits = [
            i
            for i, record in enumerate(released)
            if all(r is None or r == v or (r, v) in pairs for r, v, pairs in zip(record, value, given_, strict=True))
        ]
        assert best.records[target] == len(fits)
        assert found.own[target] == sum(lines[i] == target for i in fits)
    assert all(best.records[line] > 0 for line in lines)  # nobody is lost by the labels of their own record


def test_an_open_file_of_uniques_is_linked_and_a_crowd_is_not() -> None:
    weak = one("linkage", situation([(str(i), "x") for i in range(200)], range(100)))
    assert weak.success == Rate(100, 100)
    assert (weak.control, weak.outsiders) == (None, Rate(0, 100))
    assert weak.claimed == Rate(100, 100)
    assert weak.worst == tuple(range(1, 101))
    strong = one("linkage", situation([(str(i // 50), "x") for i in range(500)], range(500)))
    assert strong.success is not None
    assert strong.success.high < 0.06  # one in fifty
    assert strong.claimed == Rate(0, 0)
    assert strong.worst == ()
    assert strong.outsiders is None
    assert "no control" in strong.why


def test_hits_are_as_many_as_the_classes_say() -> None:
    """In a class of f, a pick is right once in f: there are as many hits as classes, within chance."""
    known = [(str(i % 400),) for i in range(4000)]
    found = one("linkage", situation(known, range(4000))).success
    assert found is not None
    assert found.low < 400 / 4000 < found.high
    assert found.hits == one("linkage", situation(known, range(4000))).success.hits  # type: ignore[union-attr]


def test_nearest_forgives_what_was_perturbed() -> None:
    known = [(str(i), str(i % 7), str(i % 11)) for i in range(300)]
    released = [(str(i + 1), k1, k2) if i % 2 else (k0, k1, k2) for i, (k0, k1, k2) in enumerate(known)]
    case = situation(known, range(300), released)
    exact, nearest = one("linkage", case), one("nearest", case)
    assert exact.success == Rate(150, 300)
    assert nearest.success is not None
    assert nearest.success.hits > 165  # a fourth of the others, too


def test_numbers_that_were_moved_are_found_by_the_nearest() -> None:
    """Noise, means of two, rounding by chance: labels agree with nobody, and nearly everybody is found all the same."""
    chance = np.random.default_rng(1)
    incomes = chance.integers(0, 100_000, 400)
    known = [(str(income), "NSEW"[i % 4]) for i, income in enumerate(incomes)]
    noisy = [(str(income + 7.5), area) for income, (_, area) in zip(incomes, known, strict=True)]
    case = situation(known, range(400), noisy)
    exact, nearest = one("linkage", case), one("nearest", case)
    assert exact.success is None  # not "0%"
    assert "released labels of k0 (100% of the records) occur nowhere in what is known" in exact.why
    assert nearest.success is not None
    assert nearest.success.value > 0.9
    assert "nearest k0" in nearest.acts
    order = np.argsort(incomes, kind="stable").reshape(-1, 2)
    means = np.zeros(400)
    means[order] = incomes[order].mean(axis=1, keepdims=True)
    paired = one("nearest", situation([(k,) for k, _ in known], range(400), [(f"{mean:.2f}",) for mean in means]))
    assert paired.success is not None
    assert 0.35 < paired.success.value < 0.6  # one of two with the same mean
    ages = [(str(i % 70), str(i // 70)) for i in range(420)]
    rounded = [(str(5 * (int(age) // 5 + int(chance.random() < int(age) % 5 / 5))), area) for age, area in ages]
    by_number = one("nearest", situation(ages, range(420), rounded))  # each label is somebody's age
    assert by_number.success is not None
    assert by_number.success.value > 0.1  # by keys that differ it is a twentieth
    assert "numbers were changed (k0)" in by_number.why


def test_the_nearest_number_is_that_of_all_pairs() -> None:
    chance = np.random.default_rng(2)
    numbers, areas = chance.integers(0, 30, (60, 2)), chance.integers(0, 3, 60)
    moved = numbers + chance.integers(-2, 3, (60, 2))
    known = [(str(a), str(b), "xyz"[c]) for (a, b), c in zip(numbers, areas, strict=True)]
    released = [(str(a), str(b), "xyz"[c]) for (a, b), c in zip(moved, areas, strict=True)][:40]
    case = situation(known, range(40), released)
    assert moved_numbers(case) == [0, 1]
    near = nearest_numbers(case, NOBODY, field_of(case, NOBODY, "nearest"), [0, 1])
    scale = numbers.std(axis=0)
    for target in range(60):
        distance = (((moved[:40] - numbers[target]) / scale) ** 2).sum(axis=1)
        distance[areas[:40] != areas[target]] = np.inf
        best = np.flatnonzero(np.isclose(distance, distance.min()))
        assert near.records[target] == len(best)
        assert near.own[target] == (target in best)


def test_error_in_what_is_known_costs_success_as_often_as_it_happens() -> None:
    known = [(str(i), str(i % 5)) for i in range(2000)]
    wrong = Scenario("s", ("k0", "k1"), {"k0": 0.3})
    found = one("linkage", situation(known, range(2000), scenario=wrong))
    assert found.success is not None
    assert found.success.low < 0.7 < found.success.high
    assert "30.0% wrong" in found.knows


def test_a_wrong_value_is_another_one_drawn_as_often_as_people_have_it() -> None:
    counts = np.array([10, 60, 30])
    drawn = _others(counts, np.repeat([0, 1, 2], 20_000), draws("x")(60_000))
    for value, others in ((0, {1: 60, 2: 30}), (1, {0: 10, 2: 30}), (2, {0: 10, 1: 60})):
        found = Counter(drawn[value * 20_000 : (value + 1) * 20_000].tolist())
        assert set(found) == set(others)
        for other, weight in others.items():
            assert found[other] / 20_000 == pytest.approx(weight / sum(others.values()), abs=0.02)
    assert _others(np.array([5]), np.zeros(3, np.int64), draws("y")(3)).tolist() == [0, 0, 0]


def test_people_with_several_records_are_found_by_any_of_them() -> None:
    known = [("a",), ("a",), ("b",), ("c",)]
    case = situation(known, [0, 1, 2], people=[0, 0, 1, 2])
    _, _, found = linked(case, "linkage")
    result = one("linkage", case)
    assert result.success == Rate(2, 2)  # two people, not three records
    assert result.outsiders == Rate(0, 1)
    assert found.own.tolist()[0] == 2
    assert result.baseline == pytest.approx(3 / 2 / 3)


def test_without_response_knowledge_only_population_uniques_are_claimed() -> None:
    stranger = Scenario("stranger", ("k0", "k1"), knows_who_is_in=False)
    known = [(str(i), "x") for i in range(100)]
    case = situation(known, range(50), scenario=stranger)
    alone = one("linkage", case)
    assert alone.success == Rate(50, 50)
    assert "no register" in alone.why
    twice = table([*known, *[(str(i), "x") for i in range(25)]], ["k0", "k1"])
    found = one("linkage", case, Auxiliary(register=twice))
    assert found.claimed == Rate(25, 25)  # the others have a look-alike in the register
    assert found.success is not None
    assert 25 + 4 < found.success.hits < 50 - 4  # and are picked half of the time
    assert "expected ones" in found.why
    lines = np.r_[np.arange(100), np.full(25, -1)]
    found = one("linkage", case, Auxiliary(register=twice, register_lines=lines))
    assert found.claimed == Rate(25, 25)
    assert found.outsiders == Rate(0, 75)
    assert "from a register" in found.knows


def test_without_response_knowledge_a_pick_among_two_is_right_half_of_the_time() -> None:
    stranger = Scenario("stranger", ("k0",), knows_who_is_in=False)
    known = [(str(i // 2),) for i in range(400)]
    case = situation(known, range(400), scenario=stranger)
    for auxiliary in (NOBODY, Auxiliary(register=table(known, ["k0"]))):  # the register has the same two people
        found = one("linkage", case, auxiliary)
        assert found.success is not None
        assert found.success.low < 0.5 < found.success.high
        assert found.claimed == Rate(0, 0)
    among_eight = one("linkage", case, Auxiliary(register=table(known * 4, ["k0"])))
    assert among_eight.success is not None
    assert among_eight.success.low < 1 / 8 < among_eight.success.high
    nobody = one("linkage", case, Auxiliary(register=table([*known, ("9999",)][200:], ["k0"])))
    assert nobody.success is not None
    assert nobody.success.low < 0.5 < nobody.success.high  # who is not in the register has no look-alike there


def test_a_look_alike_outside_the_file_makes_a_wrong_claim() -> None:
    stranger = Scenario("stranger", ("k0",), knows_who_is_in=False)
    known = [(str(i % 50),) for i in range(100)]  # everybody outside looks like somebody inside
    found = one("linkage", situation(known, range(50), scenario=stranger))
    assert found.success == Rate(50, 50)
    assert (found.control, found.outsiders) == (None, Rate(50, 50))
    assert found.claimed == Rate(50, 100)
    assert found.residual == pytest.approx(1)  # everybody in the file is found, however many others are mistaken
    assert found.excess == pytest.approx(1)
    assert "100% are taken for somebody in it" in found.sentence


def test_the_keys_that_carry_the_success_are_named() -> None:
    found = one("linkage", situation([(str(i), str(i % 2), "x") for i in range(100)], range(100)))
    assert "Most hangs on k0 (an exact match without it: 2.0%)" in found.sentence


def test_nothing_to_go_by_is_said() -> None:
    case = situation([("a",)], [0], scenario=Scenario("s", ()))
    for name in ("linkage", "nearest", "probabilistic", "singling_out"):
        found = one(name, case)
        assert found.success is None
        assert found.why


@settings(max_examples=examples(40), deadline=None)
@given(people, st.data())
def test_singling_out_is_counted_as_by_hand(known: list[tuple[str, str, str]], data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.integers(0, len(known) - 1), unique=True, min_size=1))
    case = situation(known, lines)
    tried = predicates_of(3)
    assert tried == [c for s in (1, 2, 3) for c in combinations(range(3), s)]
    (columns,) = readings(case, ["k0", "k1", "k2"])
    rare = rarest(case, columns, tried)
    least, weight, outside = rare.people, rare.weight, rare.outside
    met = set()
    gone = [value for line, value in enumerate(known) if line not in lines]
    for at, line in enumerate(lines):
        counts = [sum(all(known[o][i] == known[line][i] for i in c) for o in lines) for c in tried]
        assert least[at] == min(counts)
        first = tried[counts.index(min(counts))]
        meets = [all(value[i] == known[line][i] for i in first) for value in known]
        assert weight[at] == pytest.approx(sum(meets) / len(known))
        assert outside[at] == sum(all(value[i] == known[line][i] for i in first) for value in gone)
        if outside[at] == 1:
            met |= {o for o, there in enumerate(meets) if there and o not in lines}
    found = one("singling_out", case)
    assert found.success == Rate(int((least == 1).sum()), len(lines))
    assert found.control == (Rate(len(met), len(gone)) if gone else None)


def test_singling_out_finds_a_unique_and_no_crowd() -> None:
    weak = one("singling_out", situation([(str(i), "x") for i in range(100)], range(100)))
    assert weak.success == Rate(100, 100)
    assert weak.baseline == pytest.approx(0.99**99)
    strong = one("singling_out", situation([(str(i // 10), "x") for i in range(100)], range(100)))
    assert strong.success == Rate(0, 100)
    assert len(predicates_of(12)) == 78  # of one and two; three would be too many


@settings(max_examples=examples(30), deadline=None)
@given(people, st.data())
def test_singling_out_counts_people_and_not_records(known: list[tuple[str, str, str]], data: st.DataObject) -> None:
    owners = [data.draw(st.integers(0, 5)) for _ in known]
    owners = np.unique(owners, return_inverse=True)[1].tolist()
    lines = data.draw(st.lists(st.integers(0, len(known) - 1), unique=True, min_size=1))
    tried = predicates_of(3)
    case = situation(known, lines, people=owners)
    alone = set()
    for line in lines:
        alike = [{owners[o] for o in lines if all(known[o][i] == known[line][i] for i in c)} for c in tried]
        if min(map(len, alike)) == 1:
            alone.add(owners[line])
    found = one("singling_out", case)
    inside = {owners[line] for line in lines}
    assert found.success == Rate(len(alone), len(inside))
    assert (found.control.tries if found.control else 0) == len(set(owners) - inside)


def test_two_records_of_one_person_isolate_them() -> None:
    twice = [(str(i), "x") for i in range(100) for _ in (0, 1)]
    found = one("singling_out", situation(twice, range(200), people=[i for i in range(100) for _ in (0, 1)]))
    assert found.success == Rate(100, 100)
    assert "100% of the released people" in found.sentence


def test_splink_finds_what_mistakes_hide_and_no_crowd(capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("splink")
    known = [(str(i // 2), str(i % 7), str(i % 11), str(i % 13)) for i in range(600)]
    wrong = Scenario("s", ("k0", "k1", "k2", "k3"), {"k0": 0.2, "k1": 0.1})
    weak = one("probabilistic", situation(known, range(500), scenario=wrong))
    exact = one("linkage", situation(known, range(500), scenario=wrong))
    assert weak.success is not None
    assert exact.success is not None
    assert weak.success.low > exact.success.high
    strong = one("probabilistic", situation([(str(i // 40), "x") for i in range(400)], range(400)))
    assert strong.success is not None
    assert strong.success.high < 0.08
    assert capfd.readouterr() == ("", "")


def test_without_splink_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probabilistic, "find_spec", lambda name: None)
    (found,) = probabilistic_linkage(situation([("a",)], [0]), NOBODY)
    assert found.success is None
    assert "pip install 'incrowd[link]'" in found.why


def test_splink_weighs_blocked_pairs_like_all(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("splink")
    known = [(str(i // 2), str(i % 7), str(i % 11), str(i % 13)) for i in range(300)]
    case = situation(known, range(300))
    whole = weigh(case, field_of(case, NOBODY, "p"), NOBODY)
    monkeypatch.setattr(probabilistic, "PAIRS", 10)
    blocked = weigh(case, field_of(case, NOBODY, "p"), NOBODY)
    assert np.array_equal(whole[2], blocked[2])
    assert "two of three groups" in blocked[3][0]


def test_probabilistic_says_of_how_many_its_targets_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("splink")
    case = situation([(str(i),) for i in range(40)], range(30))
    assert one("probabilistic", case).tried == "30"
    monkeypatch.setattr(probabilistic, "TARGETS", 10)
    found = one("probabilistic", case)
    assert found.success is not None
    assert found.tried == f"{found.success.tries} of 30"


@pytest.mark.slow
def test_splink_on_spark_weighs_as_on_duckdb() -> None:
    pytest.importorskip("splink")
    need_spark()
    known = [(str(i // 2), str(i % 7), str(i % 11)) for i in range(200)]
    wrong = Scenario("s", ("k0", "k1", "k2"), {"k1": 0.2})
    case = situation(known, range(150), scenario=wrong)
    here, there = (
        weigh(case, field_of(case, NOBODY, "p"), Auxiliary(linker=linker))[:3] for linker in ("duckdb", "spark")
    )
    for mine, theirs in zip(here, there, strict=True):
        assert np.array_equal(mine, theirs)


def test_words() -> None:
    scenario = Scenario("s", ("age", "sex"), knows_who_is_in=False)
    assert knowledge(scenario) == "knows age and sex but not who is in the file"
    assert knowledge(replace(scenario, keys=("age",), knows_who_is_in=True)).startswith("knows age and that")
    assert [percent(s) for s in (0, 1e-9, 0.5)] == ["0%", "under 0.0001%", "50.0%"]


def test_a_label_made_class_by_class_does_not_hide_whom_exact_columns_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three exact columns tell people apart; the three that were coarsened class by class agree with nobody."""
    pytest.importorskip("splink")
    monkeypatch.setattr(probabilistic, "PAIRS", 10)
    chance = random.Random(4)
    known = [tuple(str(chance.randrange(20)) for _ in range(6)) for _ in range(200)]
    released = [("0|1", "*", "*", *row[3:]) for row in known]
    found = one("probabilistic", situation(known, range(200), released, loose=["k0", "k1", "k2"]))
    assert found.success is not None
    assert found.success.value > 0.9
    assert "two of three groups of keys (k3, k4 and k5)" in found.why
