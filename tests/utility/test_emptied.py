"""A use case about a variable that says nothing any more never passes: it fails, or it cannot be judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser import Page
from people import plan_with, write_case
from utility_cases import Columns, good, kept, outcome, people, question_of

import incrowd as ic

ORIGINAL = people(1500)
PLAIN = "def passes(original, released):\n    return True\n"
CASES: list[dict[str, Any]] = [
    {"test": "top_overlap", "by": "area", "share": {"ill": ["yes"]}, "top": 2, "at_least": 1},
    {"test": "proportion", "by": "area", "share": {"ill": ["yes"]}, "within": 1},
    {"test": "proportion", "share": {"ill": ["yes"]}, "among": {"sex": ["m"]}, "within": 1},
    {"test": "mean", "of": "pay", "by": "job", "within": 1000},
    {"test": "median", "of": "pay", "by": "job", "within": 1000},
    {"test": "t_test", "of": "pay", "between": {"sex": ["m", "f"]}, "by": "job", "changes_at_most": 1},
    {"test": "correlation", "between": ["age", "pay"], "by": "job", "within": 10},
    {"test": "regression", "outcome": "pay", "features": ["age", "sex"], "numbers": ["age"], "alpha": 0.999},
    {"test": "regression", "outcome": "ill", "value": "yes", "features": ["area"], "alpha": 0.999},
    {"test": "classifier", "target": "job", "features": ["pay", "sex"], "numbers": ["pay"], "lost_at_most": 0.05},
    {"test": "python", "function": "mine:passes", "columns": ["job", "pay"]},
]  # fmt: skip
EACH = [
    pytest.param(case, place, name, id=f"{case['test']}-{place}")
    for case in CASES
    for place, name in question_of(case, ORIGINAL).plan.use_cases[0].named()
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(PLAIN)
    return tmp_path


def emptied(columns: Columns, name: str, value: str | None) -> Columns:
    return {**columns, name: [value] * len(columns[name])}


def same_value(case: dict[str, Any], place: str, name: str) -> str:
    """A value that the use case knows, so that it is not refused as one that speaks of nobody."""
    if place.startswith(("share", "among")):
        return str(case[place.split(".")[0]][name][0])
    if place.startswith("between.sex"):
        return "m"
    return str(case.get("value", "1")) if place in ("outcome", "of") else str(ORIGINAL[name][0])


@pytest.mark.parametrize("case", CASES, ids=[case["test"] for case in CASES])
def test_a_release_that_keeps_its_variables_passes(case: dict[str, Any], folder: Path) -> None:
    found = outcome(case, ORIGINAL, good(ORIGINAL), folder)
    assert found.passed, found
    assert found.verdict == "stays"


@pytest.mark.slow
@pytest.mark.parametrize(("case", "place", "name"), EACH)
@pytest.mark.parametrize("value", ["*", None, "own"])
def test_a_variable_that_is_emptied_in_the_release_fails_it(
    case: dict[str, Any], place: str, name: str, value: str | None, folder: Path
) -> None:
    left = same_value(case, place, name) if value == "own" else value
    found = outcome(case, ORIGINAL, emptied(ORIGINAL, name, left), folder)
    assert not found.passed
    assert found.why
    assert found.verdict == "changes"


@pytest.mark.parametrize(("case", "place", "name"), EACH)
def test_a_variable_that_has_one_value_in_both_cannot_be_judged(
    case: dict[str, Any], place: str, name: str, folder: Path
) -> None:
    value = same_value(case, place, name)
    if place.startswith("between.sex"):
        case = {**case, "between": {"sex": ["m", "m"]}}
    both = emptied(ORIGINAL, name, value)
    found = outcome(case, both, both, folder)
    assert (found.passed, found.judged, found.verdict) == (False, False, "cannot be judged")
    assert name in found.why


@pytest.mark.parametrize(("case", "column"), [(c, c["by"]) for c in CASES if "by" in c and c["test"] != "top_overlap"])
def test_a_group_that_is_gone_is_never_silent(case: dict[str, Any], column: str) -> None:
    last = sorted({str(value) for value in ORIGINAL[column]})[-1]
    left = kept(ORIGINAL, [i for i, value in enumerate(ORIGINAL[column]) if value != last])
    found = outcome({**case, "changes_at_most": 0} if case["test"] == "t_test" else case, ORIGINAL, left)
    assert not found.passed
    assert "gone" in found.found or last in found.found


def test_a_top_that_holds_all_groups_cannot_be_judged_and_one_that_does_after_treatment_fails() -> None:
    case = CASES[0]
    assert outcome({**case, "top": 6}, ORIGINAL, good(ORIGINAL)).verdict == "cannot be judged"
    three = kept(ORIGINAL, [i for i, area in enumerate(ORIGINAL["area"]) if area in ("area3", "area4", "area5")])
    found = outcome({**case, "top": 3}, ORIGINAL, three)
    assert found.verdict == "changes"
    assert "3 groups are gone" in found.found
    assert "3 of 6 groups are left" in found.why
    found = outcome({**case, "top": 2}, ORIGINAL, three)  # two of three are still on top
    assert found.passed
    assert "3 groups are gone" in found.found
    alike = {**ORIGINAL, "ill": ["yes" if i // 6 % 2 else "no" for i in range(1500)],
             "area": [f"area{i % 6}" for i in range(1500)]}  # fmt: skip
    assert outcome(case, alike, alike).verdict == "cannot be judged"


def test_what_concerns_nobody_cannot_be_judged() -> None:
    nobody = {**ORIGINAL, "sex": ["m" if job == "job0" else "f" for job in ORIGINAL["job"]]}
    for case in (CASES[1], CASES[3], CASES[5], CASES[7]):
        asked = {**case, "among": {"job": ["job1"], "sex": ["m"]}}
        assert outcome(asked, nobody, nobody).verdict == "cannot be judged"


def test_a_share_that_everybody_has_cannot_be_judged() -> None:
    case = {**CASES[1], "share": {"ill": ["yes", "no"]}, "within": 0.05}
    assert outcome(case, ORIGINAL, good(ORIGINAL)).verdict == "cannot be judged"


def test_groups_that_nobody_can_test_do_not_count_as_answers_that_stay() -> None:
    few = kept(ORIGINAL, range(12))
    alone = {**few, "area": [f"area{i}" for i in range(12)]}
    case = {**CASES[5], "by": "area", "changes_at_most": 0}
    found = outcome(case, alone, alone)
    assert found.verdict == "cannot be judged"
    assert "0 of 0 answers stay; 12 groups cannot be tested" in found.found
    case = {**CASES[6], "by": "area"}
    assert outcome(case, alone, alone).verdict == "cannot be judged"


def test_a_model_that_only_guesses_cannot_be_judged() -> None:
    rows = len(ORIGINAL["pay"])
    noise = {**ORIGINAL, "coin": [str(i * 7919 % 2) for i in range(rows)]}
    case = {"test": "classifier", "target": "sex", "features": ["coin"]}
    assert outcome(case, noise, noise).verdict == "cannot be judged"


def test_entropies_of_emptied_columns_and_of_mixed_labels() -> None:
    star = emptied(ORIGINAL, "area", "*")
    named = {"test": "entropy_ratio", "columns": ["area", "sex", "job"], "at_least": 0.1}
    found = outcome(named, star, star, at_start=ORIGINAL)
    assert found.verdict == "changes"
    assert "area" in found.why
    found = outcome({"test": "entropy_ratio", "at_least": 0.1}, star, star, at_start=ORIGINAL)
    assert found.passed
    assert "one value is left of area" in found.found
    only = {"test": "entropy_ratio", "columns": ["area"], "at_least": 0}
    assert outcome(only, star, star, at_start=star).verdict == "cannot be judged"
    # A recoding per class: the same area at two levels. More labels than areas would be more bits.
    mixed = {**ORIGINAL, "area": [f"{a[:4]}s" if i % 3 else a for i, a in enumerate(map(str, ORIGINAL["area"]))]}
    for joint in (False, True):
        found = outcome({**named, "joint": joint}, ORIGINAL, mixed, at_start=ORIGINAL)
        assert found.verdict == "cannot be judged"
        assert "area" in found.why
    assert outcome({**only, "columns": ["pay"], "joint": True}, ORIGINAL, ORIGINAL).verdict == "cannot be judged"


def test_noise_is_no_information() -> None:
    rows = len(ORIGINAL["pay"])
    noisy = {**ORIGINAL, "pay": [f"{20000 + i * 0.137}" for i in range(rows)]}
    star = emptied(noisy, "age", "1")
    case = {"test": "entropy_ratio", "columns": ["pay", "age"]}
    found = outcome({**case, "at_least": 0.7}, star, star, at_start=ORIGINAL)
    assert not found.passed
    assert outcome({**case, "columns": ["pay"]}, noisy, noisy, at_start=ORIGINAL).found.startswith("1.000")


def test_sums_of_columns_and_joint_entropies_are_told_of_the_same_columns() -> None:
    found = outcome({"test": "entropy_ratio"}, ORIGINAL, good(ORIGINAL)).found
    assert "summed over 6 columns; of the 3 keys" in found
    assert found.endswith("jointly")


@pytest.mark.slow
def test_an_emptied_variable_is_said_in_every_report(tmp_path: Path) -> None:
    mapping = {"step": "recode", "variable": "sex", "mapping": {"f": "*", "m": "*"}}
    cases = [
        {"name": "illness by sex", "test": "proportion", "by": "sex", "share": {"ill": ["y"]}},
        {"name": "illness by age", "test": "proportion", "by": "age", "share": {"ill": ["y"]}},
    ]
    steps = [{"step": "drop", "variables": ["name"]}, mapping, {"step": "recode", "variable": "age", "bands": [0, 40]}]
    done = ic.run(write_case(tmp_path, plan_with(steps=steps, use_cases=cases)))
    assert done.log.one_value == ("sex",)
    assert done.log.utility is not None
    assert [one.verdict for one in done.log.utility.outcomes] == ["cannot be judged", "stays"]
    inside, outside = (Page((place / "report.html").read_text()).text for place in (done.audit, done.release))
    assert "1 of 2 use cases cannot be judged" in inside
    assert "a verdict on: illness by sex" in inside
    assert "emptied: one value only" in inside
    assert "? cannot be judged" in outside
    assert "sex key one value only" in outside
    assert outside.count("\u2713 stays") == 1
