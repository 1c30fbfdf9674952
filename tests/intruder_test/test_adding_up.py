"""Scores whose counts contradict each other are refused, whichever of them somebody has changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from board import scores as plain_scores
from intruder_cases import make, release
from intruder_play import play, say

import incrowd as ic
from incrowd.errors import InputError
from incrowd.intruder_test.score_parts import TakenBack
from incrowd.intruder_test.value import Scores, dump_scores, load_scores
from incrowd.intruder_test.verdicts import RIGHT, WRONG, Judgment


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Scores:
    """The scores of a real test with right and wrong claims, judged by two."""
    folder = tmp_path_factory.mktemp("scored")
    made = make(release(folder), folder / "test.db", intruders="4", targets=8)

    def how(who: int, card: int, truth: Any) -> dict[str, Any]:
        right = truth.records and (who + card) % 2
        return {"record": truth.records[0] if right else 1 + (7 * card) % 90, "confidence": 20 + 10 * card,
                "used": ("age", "sex"), "kinds": ("maps",), "minutes": 5}  # fmt: skip

    play(folder / "test.db", made.invitations, how)
    say(folder / "test.db", lambda each: [Judgment(who, RIGHT if each.verdict == "correct" else WRONG)
                                          for who in ("Ann", "Bob") if each.verdict != "partial"])  # fmt: skip
    return replace(ic.intruder_test_score(str(folder / "test.db")).scores, taken_back=TakenBack(4, 2, 1, 1))


def _numbers(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for name, inside in value.items():
            yield from _numbers(inside, (*place, name))
    elif isinstance(value, list):
        for number, inside in enumerate(value):
            yield from _numbers(inside, (*place, number))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield place


def _with(text: str, place: tuple[Any, ...], change: int) -> str:
    content = json.loads(text)
    inside = content
    for name in place[:-1]:
        inside = inside[name]
    inside[place[-1]] += change
    return json.dumps(content)


#: Counts that stand alone: nothing else in the scores says how many there must be.
ALONE = {
    "records", "hours", "targets", "decoys", "targets_identified", "values_learned", "decoys_fitting",
    "round", "intruders", "took_part", "target_pairs", "decoy_pairs", "decoy_attributes", "by_variable", "by_source",
    "effort", "confidence", "judges", "tries", "right", "wrong_reason", "learned", "set_aside", "agreed", "disputed",
    "most_sure",
}  # fmt: skip


def test_real_scores_add_up(scored: Scores) -> None:
    assert scored.total.correct >= 5
    assert scored.sure_finds
    assert load_scores(dump_scores(scored), "x") == scored
    for claims, right in ((0, 0), (1, 1), (100, 3)):
        made = plain_scores(claims, right)
        assert load_scores(dump_scores(made), "x") == made


@pytest.mark.parametrize("change", [1, -1])
def test_a_count_that_somebody_changes_is_found_out(scored: Scores, change: int) -> None:
    text, tried = dump_scores(scored), 0
    for place in _numbers(json.loads(text)):
        if ALONE & set(place):
            continue
        tried += 1
        with pytest.raises(InputError, match="D224"):
            load_scores(_with(text, place, change), "scores.json")
    assert tried > 60


def test_findings_cannot_be_talked_away(scored: Scores) -> None:
    """What somebody in a hurry would like: fewer sure finds, right claims as wrong ones, a bound that looks small."""
    total = scored.total
    better = replace(total, correct=0, wrong=total.wrong + total.correct)
    for forged in (
        replace(scored, sure_finds=0),
        replace(scored, sure_finds=0, findings=()),
        replace(scored, total=better),
        replace(scored, total=replace(total, high=0.01)),
        replace(scored, total=replace(total, low=0.9)),
        replace(scored, worst_case=0.01),
        replace(scored, bands=()),
        replace(scored, by_intruder=()),
        replace(scored, findings=scored.findings[1:]),
        replace(scored, claims=scored.claims + 1000),
        replace(scored, undecided=1, claims=scored.claims),
        replace(scored, luck=None if scored.luck is None else replace(scored.luck, right=0)),
        replace(scored, luck=None if scored.luck is None else replace(scored.luck, chance=1.5)),
        replace(scored, took_part=0),
        replace(scored, taken_back=replace(scored.taken_back, sure=0)),
    ):
        with pytest.raises(InputError, match=r"D224.*do not add up"):
            load_scores(dump_scores(forged), "scores.json")


def test_a_plan_with_forged_scores_has_a_fault_before_it_runs(scored: Scores, tmp_path: Path) -> None:
    release(tmp_path)
    plan = tmp_path / "plan.yaml"
    plan.write_text(plan.read_text() + "intruder_test: scores.json\n")
    (tmp_path / "scores.json").write_text(dump_scores(scored))
    assert not ic.check(plan).faults
    (tmp_path / "scores.json").write_text(dump_scores(replace(scored, sure_finds=0)))
    assert [(fault.code, fault.place) for fault in ic.check(plan).faults] == [("D224", "intruder_test")]
    (tmp_path / "scores.json").write_text(dump_scores(replace(scored, dry_run=True)))
    (fault,) = ic.check(plan).faults
    assert (fault.code, fault.place) == ("P121", "intruder_test")
    with pytest.raises(ic.PlanError, match="P121"):
        ic.run(plan)
