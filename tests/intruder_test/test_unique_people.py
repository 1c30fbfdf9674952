"""A release of sixty people who are all unique: whoever is found is found by the file. It is never luck."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from intruder_cases import make
from intruder_play import play, say
from people import plan_with, write_case

import incrowd as ic
from incrowd.intruder_test.rounds import compare_scores
from incrowd.intruder_test.score_parts import TakenBack
from incrowd.intruder_test.value import Scores, dump_scores, load_scores
from incrowd.intruder_test.verdicts import RIGHT, WRONG_REASON, Judgment, Truth
from incrowd.report.tested import intruder_report


@pytest.fixture(scope="module")
def sixty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty people with thirty ages and two sexes: nobody is like anybody else."""
    folder = tmp_path_factory.mktemp("sixty")
    variables = {
        "age": {"role": "key", "reason": "visible"},
        "sex": {"role": "key", "reason": "visible"},
        "ill": {"role": "sensitive", "reason": "private"},
    }
    requirements = [{"model": "k", "k": 2, "keys": ["sex"]}]
    path = write_case(folder, plan_with(variables=variables, steps=[], requirements=requirements, scenarios=[]))
    lines = ["age,sex,ill", *(f"{20 + i % 30},{'fm'[i // 30]},{'yn'[i % 3 == 0]}" for i in range(60))]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    return ic.run(path).folder


def _scores(sixty: Path, place: Path, how: Any, said: Any = None, **options: Any) -> Scores:
    made = make(sixty, place, **{"intruders": "3", "targets": 5, "decoys": 0, **options})
    play(place, made.invitations, how)
    if said is not None:
        say(place, said)
    return ic.intruder_test_score(str(place)).scores


def _own(confidence: int) -> Any:
    return lambda who, card, truth: {"record": truth.records[0], "confidence": confidence, "used": ("age",)}


@pytest.mark.parametrize("confidence", [100, 61, 50, 0])
def test_who_is_found_is_found_by_the_file(sixty: Path, tmp_path: Path, confidence: int) -> None:
    scores = _scores(sixty, tmp_path / "test.db", _own(confidence))
    assert (scores.total.correct, scores.total.claims) == (15, 15)
    assert scores.records == 60
    assert scores.finding
    assert scores.sure_finds == (15 if confidence > 60 else 0)
    told = " ".join(scores.advice)
    assert "Luck explains" not in told
    assert "Do not release this file as it is" in told
    page = intruder_report(scores)
    assert "banner pass" not in page
    assert "would be right as often" not in page


def test_one_single_right_claim_is_a_finding(sixty: Path, tmp_path: Path) -> None:
    """Among wrong claims of many people, one is right, sure and reasoned: no average excuses it."""

    def how(who: int, card: int, truth: Truth) -> dict[str, Any]:
        right = (who, card) == (1, 2)
        wrong = truth.records[0] % 60 + 1
        return {"record": truth.records[0] if right else wrong, "confidence": 90, "used": ("age", "sex")}

    scores = _scores(sixty, tmp_path / "test.db", how)
    assert (scores.total.correct, scores.sure_finds) == (1, 1)
    assert scores.finding
    assert "1 claim on a record is right" in scores.advice[0]
    assert not any("Luck explains" in each for each in scores.advice)
    assert scores.judging is not None
    assert scores.judging.by_nobody == 15  # nobody judged its reason: it counts as good


def test_one_right_claim_that_nobody_else_made_is_no_luck_even_unsure(sixty: Path, tmp_path: Path) -> None:
    one = _scores(
        sixty, tmp_path / "test.db",
        lambda who, card, truth: {"record": truth.records[0], "confidence": 10} if (who, card) == (0, 1) else None,
    )  # fmt: skip
    assert (one.claims, one.total.correct, one.sure_finds) == (1, 1, 0)
    assert one.luck is not None
    assert one.luck.chance == pytest.approx(1 / 60)
    assert one.finding
    assert one.upper == 1  # one claim of one person bounds nothing


@pytest.mark.parametrize(("confidence", "record"), [(100, None), (61, None), (100, "wrong"), (60, None), (0, None)])
def test_a_value_that_alone_is_left_is_given_away(
    sixty: Path, tmp_path: Path, confidence: int, record: str | None
) -> None:
    """Nobody names the record: where one fits, its illness is out all the same. Two in three have the same, by luck."""

    def how(who: int, card: int, truth: Truth) -> dict[str, Any]:
        wrong = truth.records[0] % 60 + 1 if record else None
        return {"record": wrong, "attribute": "ill", "value": truth.values["ill"], "confidence": confidence}

    scores = _scores(sixty, tmp_path / "test.db", how, targets=6)
    assert scores.sure_finds == scores.sure_values == (18 if confidence > 60 else 0)
    assert scores.finding == (confidence > 60)
    assert scores.given_away == 18
    assert load_scores(dump_scores(scores), "x") == scores
    told, page = " ".join(scores.advice), intruder_report(scores)
    assert ("Do not release this file as it is" in told) == scores.finding
    for words in ("Luck explains", "would be right as often", "banner pass"):
        assert words not in told + page
    if not scores.finding:
        assert "Luck cannot be ruled out, 6 of 6" in told
        assert "the file gives 18 right claims away" in told


def test_one_right_record_among_wrong_ones_is_never_explained_by_luck(sixty: Path, tmp_path: Path) -> None:
    def how(who: int, card: int, truth: Truth) -> dict[str, Any]:
        right = (who, card) == (0, 1)
        return {"record": truth.records[0] if right else truth.records[0] % 60 + 1, "confidence": 60 if right else 55}

    scores = _scores(sixty, tmp_path / "test.db", how, targets=6)
    assert (scores.total.correct, scores.sure_finds, scores.given_away) == (1, 0, 1)
    told, page = " ".join(scores.advice), intruder_report(scores)
    assert "Luck explains" not in told
    assert "Luck cannot be ruled out, 1 of 18" in told
    assert "would be right as often" not in page
    assert "1 right claim that the file gives away" in page


@pytest.mark.parametrize("wild", [0, 2])
def test_a_find_that_is_taken_back_stays_a_finding(sixty: Path, tmp_path: Path, wild: int) -> None:
    """Who is asked to withdraw a right and sure claim knows it all the same. The share is of the claims that stand."""

    def how(who: int, card: int, truth: Truth) -> dict[str, Any]:
        stands = card <= wild
        record = truth.records[0] % 60 + 1 if stands else truth.records[0]
        return {"record": record, "confidence": 10 if stands else 95}

    scores, back = _withdrawn(sixty, tmp_path / "test.db", how), 15 - 3 * wild
    assert scores.finding
    assert scores.sure_finds == 0
    assert (scores.claims, scores.total.correct) == (3 * wild, 0)
    assert scores.taken_back == TakenBack(back, back, 0, 0)
    told = " ".join((*scores.advice, *scores.notes))
    assert f"taken back: {back}, of them right {back}, right and sure {back}" in told
    assert "Do not release this file as it is" in told
    assert f"{back} right of {back} that were withdrawn" in scores.public or f"{back} of them right" in scores.public
    page = intruder_report(scores)
    assert "banner pass" not in page
    assert "and taken back." in page
    assert f"taken back, right and sure: {back}" in " ".join(compare_scores(scores, scores).sentences)


def test_what_was_unsure_wrong_or_not_known_and_taken_back_is_no_finding(sixty: Path, tmp_path: Path) -> None:
    said: dict[int, Any] = {
        1: lambda own: {"record": own, "confidence": 60},
        2: lambda own: {"record": own % 60 + 1, "confidence": 99},
        3: lambda own: {"target": None, "record": own, "confidence": 99},
    }
    scores = _withdrawn(sixty, tmp_path / "test.db", lambda _, card, truth: said[card](truth.records[0]), targets=3)
    assert scores.taken_back == TakenBack(9, 0, 3, 6)
    assert not scores.finding


def _withdrawn(sixty: Path, place: Path, how: Any, targets: int = 5) -> Scores:
    """Every claim is withdrawn as soon as it is filed, but for those with a confidence of 10."""
    made = make(sixty, place, intruders="3", targets=targets, decoys=0)
    play(
        place,
        made.invitations,
        how,
        lambda desk, who, claim: claim.confidence == 10 or desk.withdraw(who, claim.id, ""),
    )
    return ic.intruder_test_score(str(place)).scores


@pytest.mark.parametrize(
    ("judges", "sure"),
    [
        ((), 1),
        ((("Ann", WRONG_REASON),), 1),  # one person alone takes no finding away
        ((("Ann", WRONG_REASON), (" ann", WRONG_REASON)), 1),  # and is not two by writing the name otherwise
        ((("Ann", WRONG_REASON), ("the custodian, by file", WRONG_REASON)), 1),  # who may be the same person
        ((("Ann", WRONG_REASON), ("Bob", RIGHT)), 1),
        ((("Ann", WRONG_REASON), ("Bob", WRONG_REASON)), 0),
        ((("Ann", RIGHT), ("Bob", RIGHT)), 1),
    ],
)
def test_a_reason_counts_as_good_until_two_people_say_otherwise(
    sixty: Path, tmp_path: Path, judges: tuple[tuple[str, str], ...], sure: int
) -> None:
    scores = _scores(
        sixty, tmp_path / "test.db",
        lambda who, card, truth: {"record": truth.records[0], "confidence": 90} if (who, card) == (0, 1) else None,
        lambda each: [Judgment(name, word) for name, word in judges],
    )  # fmt: skip
    assert scores.sure_finds == sure
    assert scores.judging is not None
    assert scores.judging.set_aside == 1 - sure
    assert scores.judging.disputed == (len({word for _, word in judges}) > 1)
    assert scores.finding  # one right claim in sixty records is beyond luck, whatever its reason
    assert len(scores.findings) == 1
    assert scores.findings[0].sure is bool(sure)
