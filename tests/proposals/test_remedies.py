"""Every remedy that an attack declares lowers that attack, on a file that was made for it."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from propose_cases import write_goal

from incrowd.attack.registry import ATTACKS
from incrowd.attack.value import Attacked
from incrowd.proposals.bench import Bench, open_bench
from incrowd.proposals.candidate import Candidate
from incrowd.proposals.goal import Goal, read_goal_plan
from incrowd.proposals.remedies import Clinic
from incrowd.proposals.screen import Screen
from incrowd.proposals.trying import Tried, glance, try_candidate
from incrowd.report.board.advice import most
from incrowd.secret import secret_to_try

Made = tuple[Path, Candidate]


@contextmanager
def bench_of(path: Path) -> Iterator[tuple[Bench, Goal]]:
    plan, _ = read_goal_plan(path, "open")
    with open_bench(plan, path.parent, secret_to_try(path.parent), path.parent) as bench:
        yield bench, Goal.of("open", plan)


def carried(bench: Bench, candidate: Candidate, goal: Goal) -> Tried:
    tried = try_candidate(bench, glance(bench, candidate, goal), goal, whole=True)
    assert not tried.refusal, tried.refusal
    return tried


def worst(tried: Tried, word: str, about: str | None = None) -> Attacked | None:
    there = [
        one for one in tried.attacks if one.attack == word and about in (None, one.about) and most(one) is not None
    ]
    return max(there, key=lambda one: most(one) or 0.0, default=None)


def told_by_area(folder: Path, **parts: Any) -> Path:
    """An answer that the area tells, areas of all sizes, and neighbours by size that differ in it."""
    chance = random.Random(5)
    area, sex, answer = [], [], []
    for i, size in enumerate((8, 10, 22, 24, 60, 64, 160, 164)):
        for _ in range(size):
            area.append(f"{'ab'[i % 2]}{i}")
            sex.append(chance.choice("fm"))
            answer.append(("yes", "no")[i % 2])
    columns = {"area": area, "sex": sex, "answer": answer}
    return write_goal(folder, columns, {"area": "key", "sex": "key", "answer": "sensitive"}, **parts)


def exact_pay(folder: Path) -> Path:
    chance = random.Random(6)
    columns = {
        "sex": [chance.choice("fm") for _ in range(500)],
        "pay": [str(chance.randint(10_000, 40_000)) for _ in range(500)],
    }
    return write_goal(folder, columns, {"sex": "key", "pay": "other"})


def small_classes(folder: Path) -> Made:
    return told_by_area(folder), Candidate(2, "recode", "alike")


def amounts(folder: Path) -> Made:
    return exact_pay(folder), Candidate(12, "recode", "alike")


def dropped_for_size(folder: Path) -> Made:
    """Small classes are dropped, and their neighbours of the other sex tell what they said."""
    path = told_by_area(folder, propose={"records_lost": 0.2})
    return path, Candidate(12, "records", "alike")


def uniques(folder: Path) -> Made:
    """Nearly everybody has an age of their own."""
    columns = {"age": [str(20 + i * 7 % 211) for i in range(300)]}
    return write_goal(folder, columns, {"age": "key"}), Candidate(1, "recode", "alike")


def strangers(folder: Path) -> Made:
    """Ages of few, and somebody who knows them and not who was asked: an age that is missing was in nobody's answer."""
    chance = random.Random(11)
    columns = {"age": [str(20 + i) for i in chance.sample(range(9_000), 3_000)]}
    scenarios = [{"name": "a stranger", "keys": ["age"], "knows_who_is_in": False}]
    path = write_goal(folder, columns, {"age": "key"}, scenarios=scenarios)
    return path, Candidate(1, "recode", "alike")


def own_answers(folder: Path) -> Made:
    """Classes of three, and answers that go by nothing: what is told of somebody is their own record."""
    chance = random.Random(10)
    columns = {"age": [str(20 + i // 3) for i in range(600)], "answer": [chance.choice("abcd") for _ in range(600)]}
    return write_goal(folder, columns, {"age": "key", "answer": "sensitive"}), Candidate(3, "recode", "alike")


def dropped_for_values(folder: Path) -> Made:
    """Classes in which all said the same are dropped, whatever their size: who is not there said that."""
    chance = random.Random(7)
    area = [f"x{i % 12}" for i in range(600)]
    alone = {"x3": ["yes"], "x7": ["yes"], "x4": ["no"], "x5": ["no"]}
    answer = [chance.choice(alone.get(at, ["yes", "no", "no"])) for at in area]
    required = [{"model": "k", "k": 12}, {"model": "one_sided", "sensitive": "answer", "value": "yes"}]
    roles = {"area": "key", "answer": "sensitive"}
    columns = {"area": area, "answer": answer}
    path = write_goal(folder, columns, roles, propose={"records_lost": 0.3}, requirements=required)
    return path, Candidate(12, "records", "alike")


def write_other(folder: Path, **columns: list[str]) -> None:
    with (folder / "other.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def another_release(folder: Path) -> Made:
    """A third of the people elsewhere: of a class the one record is left whose pay is there too."""
    chance = random.Random(8)
    age, pay = [str(20 + i // 3) for i in range(300)], [str(chance.randint(100, 600) * 10) for _ in range(300)]
    there = [i for i in range(300) if chance.random() < 1 / 3]
    write_other(folder, age=[age[i] for i in there], pay=[pay[i] for i in there])
    roles, attack = {"age": "key", "pay": "other"}, [{"others": ["other.csv"]}]
    return write_goal(folder, {"age": age, "pay": pay}, roles, attack=attack), Candidate(3, "recode", "alike")


def other_bands(folder: Path) -> Made:
    """The same people elsewhere in other bands of age: what lies between two bounds is a sliver."""
    ages = [age for age in range(20, 100) for _ in range(2 if age % 10 == 9 else 1)]
    write_other(folder, age=[f"{(age + 1) // 10 * 10 - 1}-{(age + 1) // 10 * 10 + 8}" for age in ages])
    cuts = [[str(cut) for cut in range(20, 100, 10)], ["20", "60"]]
    columns = {"age": [str(age) for age in ages]}
    asked = {"hierarchies": {"age": {"cuts": cuts}}}
    path = write_goal(folder, columns, {"age": "key"}, attack=[{"others": ["other.csv"]}], propose=asked)
    return path, Candidate(2, "recode", "alike", floors=(("age", 1),))


CASES: dict[tuple[str, str], Callable[[Path], Made]] = {
    ("linkage", "larger_classes"): uniques,
    ("nearest", "larger_classes"): uniques,
    ("probabilistic", "larger_classes"): uniques,
    ("singling_out", "larger_classes"): uniques,
    ("singling_out_any", "coarser_values"): amounts,
    ("singling_out_any", "perturbed_values"): amounts,
    ("homogeneity", "diversity"): small_classes,
    ("homogeneity", "larger_classes"): small_classes,
    ("homogeneity", "perturbed_values"): small_classes,
    ("skewness", "larger_classes"): small_classes,
    ("skewness", "closeness"): small_classes,
    ("skewness", "perturbed_values"): small_classes,
    ("inference", "larger_classes"): small_classes,
    ("inference", "closeness"): small_classes,
    ("inference", "perturbed_values"): own_answers,
    ("membership", "larger_classes"): strangers,
    ("gap", "nobody_left_out"): dropped_for_size,
    ("minimality", "nobody_left_out"): dropped_for_values,
    ("composition", "coarser_shared"): another_release,
    ("differencing", "coarser_shared"): other_bands,
}


def test_every_declared_remedy_has_a_case() -> None:
    assert set(CASES) == {(word, remedy) for word, attack in ATTACKS.items() for remedy in attack.remedies}


@pytest.mark.parametrize(("word", "remedy"), CASES)
def test_a_remedy_lowers_its_attack(tmp_path: Path, word: str, remedy: str) -> None:
    path, candidate = CASES[word, remedy](tmp_path)
    with bench_of(path) as (bench, goal):
        before = carried(bench, candidate, goal)
        one = worst(before, word)
        assert one is not None, [(a.attack, a.why) for a in before.attacks if a.attack == word]
        assert goal.attack is not None
        found = most(one) or 0.0
        assert found > goal.attack, found
        offered = [each for way, each in Clinic(bench, Screen(bench), goal).against(one, before) if way == remedy]
        assert offered
        figures = []
        for each in offered:
            left = worst(carried(bench, each, goal), word, one.about)
            figures.append(0.0 if left is None else most(left) or 0.0)  # None: nothing is left to attack
        assert min(figures) < found, (found, figures)
