"""What a test teaches beyond its counts: by team, by rarity, by source, by effort, and how it was judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from incrowd.intruder_test.claims import Claim
from incrowd.intruder_test.custodian import Judged, Material
from incrowd.intruder_test.facts import Facts, Team
from incrowd.intruder_test.schema import ReleasedColumn
from incrowd.intruder_test.scoring import score
from incrowd.intruder_test.value import Scores, dump_scores, load_scores
from incrowd.intruder_test.verdicts import LEARNED, RIGHT, WRONG, WRONG_REASON, Judgment, Truth, judge, settle
from incrowd.report.tested import calibration_chart, intruder_report

COLUMNS = (ReleasedColumn("area", "choice", True), ReleasedColumn("year", "choice", False))
TEAMS = (Team("knows", "neighbour", True), Team("guesses", "stranger", False))
RECORDS = {n: (str(n), str(n % 5)) for n in range(1, 101)}
STRATA = {1: "unique", 2: "pair", 3: "safe", 4: "control"}
TRUTHS = {
    n: Truth("" if n < 4 else "made up", 1.0, (n,) if n < 4 else (), {"area": str(n), "year": str(n % 5)}, 1,
             stratum=STRATA[n])
    for n in STRATA
}  # fmt: skip
FACTS = Facts("Energy", "0" * 64, 100, COLUMNS, TEAMS, 4, 2.0, 10**10, 10**10, "", "", "", 0)


def _judged(
    number: int, by: int, target: int | None, record: int | None, said: tuple[Judgment, ...], **more: Any
) -> Judged:
    plain = Claim(target, "an aunt", record, None, None, 50, "", (), "r", id=number, filed=600, changed=600)
    claim = replace(plain, **more)
    known = judge(claim, TRUTHS.get(target or 0), RECORDS, [0])
    found = settle(known, said, record is None)
    return Judged(by, claim, found.verdict, known, said, found.reasoned, found.disputed)


def _scores(*claims: Judged, **more: Any) -> Scores:
    teams = {1: 0, 2: 0, 3: 1, 4: 1}
    world = Material(FACTS, 4, (1, 2, 3, 4), claims, TRUTHS, RECORDS, {}, "", {}, teams=teams,
                     started=dict.fromkeys(teams, 0), **more)  # fmt: skip
    return score(world, 0)


def test_each_team_has_its_own_rate_interval_and_luck() -> None:
    knows = [_judged(n, 1 + n % 2, t, t, (), confidence=90, used=("year",)) for n, t in enumerate((1, 2, 3), start=1)]
    guesses = [_judged(n, 3 + n % 2, t, 50 + n, (), confidence=90) for n, t in enumerate((1, 2, 3), start=4)]
    scores = _scores(*knows, *guesses)
    first, second = scores.by_team
    assert (first.name, first.all_in_file, first.took_part) == ("knows", True, 2)
    assert (first.line.claims, first.line.correct, first.sure_finds) == (3, 3, 3)
    assert (second.line.claims, second.line.correct, second.sure_finds) == (3, 0, 0)
    assert first.line.luck is not None
    assert first.line.luck.chance == pytest.approx(1e-6)
    assert second.line.luck is not None
    assert second.line.luck.chance == pytest.approx(1)
    page = intruder_report(scores)
    assert "Each team by itself" in page
    assert "knows (neighbour)" in page


def test_a_team_that_finds_is_not_hidden_by_one_that_guesses() -> None:
    """Nobody is sure, and the others claim wildly at the same confidence: by team it shows."""
    knows = [_judged(n, 1 + n % 2, t, t, (), confidence=50) for n, t in enumerate((1, 2, 3), start=1)]
    wild = [_judged(10 + n, 3 + n % 2, t, 5 + n, (), confidence=50) for n in range(80) for t in (1, 2, 3)]
    scores = _scores(*knows, *wild)
    assert scores.sure_finds == 0
    assert scores.luck is not None
    assert scores.luck.chance > 0.01  # all together
    assert scores.beyond is not None
    assert scores.beyond_where == "of team knows"
    assert scores.finding
    assert "Of the claims of team knows: more is right than luck explains" in scores.advice[0]
    assert "in the claims of team knows" in intruder_report(scores)


def test_by_how_rare_people_are_and_by_source() -> None:
    scores = _scores(
        _judged(1, 1, 1, 1, (), kinds=("public register", "maps")),
        _judged(2, 2, 3, 9, (), kinds=("maps",), confidence=80),
        _judged(3, 3, 4, 9, ()),
        _judged(4, 3, None, 9, (Judgment("Ann", WRONG),)),
    )
    assert [(line.label, line.claims, line.correct) for line in scores.by_stratum] == [
        ("unique", 1, 1), ("safe", 1, 0), ("control", 1, 0), ("no card: somebody whom the intruder knows", 1, 0),
    ]  # fmt: skip
    assert [(used.name, used.correct, used.others, used.sure) for used in scores.by_source] == [
        ("maps", 1, 1, 1), ("public register", 1, 0, 0),
    ]  # fmt: skip


def test_what_it_took() -> None:
    claims = [
        _judged(1, 1, 1, 1, (), filed=300, changed=900, minutes=10),  # changed later: it was not this claim before
        _judged(2, 1, 2, 9, (), filed=1200, changed=1200, minutes=30),
        _judged(3, 2, 3, 3, (), filed=1800, changed=1800),
    ]
    scores = _scores(*claims, searches={1: (10, 20, 400, 500, 600), 2: (5,)})
    assert scores.effort is not None
    assert (scores.effort.timed, scores.effort.to_claim, scores.effort.to_right) == (3, 20, 15)
    assert (scores.effort.said, scores.effort.minutes) == (2, 20)
    assert scores.effort.searches == 2  # 2 before the first claim, 3 between, 1 of the other intruder
    nothing = _scores().effort
    assert nothing is not None
    assert (nothing.to_claim, nothing.to_right, nothing.minutes, nothing.searches) == (None, None, None, None)
    assert "not known" in intruder_report(_scores())


def test_how_it_was_judged_is_counted_and_disputes_are_listed() -> None:
    ann, bob = "Ann", "Bob"
    scores = _scores(
        _judged(1, 1, 1, 1, (Judgment(ann, RIGHT, "By the year."), Judgment(bob, WRONG_REASON)), confidence=90),
        _judged(2, 2, 2, 2, (Judgment(ann, WRONG_REASON), Judgment(bob, WRONG_REASON)), confidence=90),
        _judged(3, 3, None, 7, (Judgment(ann, LEARNED), Judgment(bob, WRONG))),
        _judged(4, 3, None, 8, (Judgment(ann, WRONG), Judgment(bob, WRONG))),
        _judged(5, 3, 3, 50, (Judgment(ann, WRONG),)),
        _judged(6, 4, 3, 51, ()),
        _judged(7, 4, None, 51, ()),
    )
    said = scores.judging
    assert said is not None
    assert (said.by_two, said.by_one, said.by_nobody) == (4, 1, 2)
    assert (said.agreed, said.disputed, said.wrong_reason, said.learned, said.set_aside) == (2, 2, 1, 1, 1)
    assert (scores.sure_finds, scores.total.correct, scores.total.partial, scores.undecided) == (1, 2, 1, 1)
    assert [(one.verdict, one.sure, one.disputed) for one in scores.findings] == [
        ("correct", True, True), ("correct", False, False), ("partial", False, True),
    ]  # fmt: skip
    assert scores.findings[0].notes == ("By the year.",)
    page = intruder_report(scores)
    assert "nobody has looked at these a second time" in page
    assert "the gravest of what was said counts" in page
    assert "set aside by two people" in page
    assert load_scores(dump_scores(scores), "x") == scores


def test_scores_and_findings_name_nobody_and_notes_are_harmless() -> None:
    note = "<script>alert(1)</script> & the year"
    scores = _scores(
        _judged(1, 1, 1, 1, (Judgment("Ann", RIGHT, note),), reasoning="canary-reason", sources="canary-source",
                link="https://canary.example", who="canary-who")
    )  # fmt: skip
    text, page = dump_scores(scores), intruder_report(scores)
    for canary in ("canary", "Ann", "aunt"):
        assert canary not in text
        assert canary not in page
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def _rows(chart: dict[str, Any], layer: dict[str, Any]) -> list[dict[str, Any]]:
    data = layer["data"]
    return data["values"] if "values" in data else chart["datasets"][data["name"]]  # type: ignore[no-any-return]


@pytest.mark.parametrize("confidence", [100, 0, 60])
def test_the_calibration_plot_has_a_diagonal_and_a_point_for_each_band(confidence: int) -> None:
    """Confidence always the same: one point, at the end of the axis where it is 100."""
    scores = _scores(*[_judged(n, 1 + n % 4, 1, n, (), confidence=confidence) for n in range(1, 9)])
    chart = calibration_chart(scores).to_dict()
    line, bars, points, *names = chart["layer"]
    assert [(row["stated"], row["share"]) for row in _rows(chart, line)] == [(0, 0), (100, 1)]
    (row,) = _rows(chart, points)
    assert (row["stated"], row["share"], row["claims"], row["text"]) == (confidence, 1 / 8, 8, "1 of 8")
    assert (row["low"], row["high"]) == next((b.low, b.high) for b in scores.bands if b.claims)
    assert bars["encoding"]["y2"]["field"] == "high"
    assert [one["encoding"]["text"]["field"] for one in names] == ["text", "text"]
    # Each is named once, and beside its point towards the middle: at the right end it would run out of the picture.
    sides = [(one["transform"][0]["filter"], one["mark"]["align"]) for one in names]
    assert sides == [("datum.stated <= 80", "left"), ("datum.stated > 80", "right")]
    assert points["encoding"]["size"]["field"] == "claims"
    assert "1 of 8 right" in chart["description"]
    assert intruder_report(scores).count("no claims") >= 1


def test_only_people_whom_intruders_know() -> None:
    """No card at all: judges decide, and one right and sure claim is a finding like any other."""
    right = _judged(1, 1, None, 5, (Judgment("Ann", RIGHT), Judgment("Bob", RIGHT)), confidence=100, acquaintance=1)
    open_ = _judged(2, 2, None, 6, (), confidence=100, acquaintance=2)
    scores = _scores(right, open_)
    assert (scores.sure_finds, scores.undecided, scores.targets_identified) == (1, 1, 0)
    assert scores.finding
    assert scores.upper == 1
    assert not _scores(open_).finding
    assert _scores(open_).upper == 1  # it may be right
    assert "not decided" in intruder_report(_scores(open_))


def test_all_disputed_the_gravest_counts() -> None:
    scores = _scores(
        *[_judged(n, 1 + n % 4, None, n, (Judgment("Ann", WRONG), Judgment("Bob", RIGHT)), confidence=80)
          for n in range(1, 6)]
    )  # fmt: skip
    assert scores.judging is not None
    assert (scores.judging.disputed, scores.judging.agreed, scores.sure_finds) == (5, 0, 5)
    assert scores.finding
