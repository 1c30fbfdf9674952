"""Verdicts and counts of an intruder test, each beside a count by hand."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from incrowd.errors import InputError
from incrowd.intruder_test.claims import Claim
from incrowd.intruder_test.custodian import Judged, Material
from incrowd.intruder_test.facts import Facts, Team
from incrowd.intruder_test.rounds import compare_scores
from incrowd.intruder_test.schema import ReleasedColumn
from incrowd.intruder_test.score_parts import Luck, ScoreLine, Used
from incrowd.intruder_test.scoring import advise, score
from incrowd.intruder_test.value import dump_scores, load_scores, read_tested
from incrowd.intruder_test.verdicts import Truth, judge
from incrowd.report.tested import calibration_chart, intruder_report, used_chart

COLUMNS = ("age", "sex", "ill")
RECORDS = [("0-39", "f", "y"), ("0-39", "f", "n"), ("40+", "m", "y"), ("40+", "f", None), ("0-39", "f", "y")]
BY_NUMBER = dict(enumerate(RECORDS, start=1))
KEYS = [0, 1]
FACTS = Facts(
    "People", "0" * 64, len(RECORDS), tuple(ReleasedColumn(n, "choice", n != "ill") for n in COLUMNS),
    (Team("all", "neighbour", False),), 4, 2.0, 10**10, 10**10, "", "", "", 0,
)  # fmt: skip
TRUTHS = {
    1: Truth("", 1 / 3, (1,), {"age": "0-39", "sex": "f", "ill": "y"}, 3),
    2: Truth("", 1.0, (3,), {"age": "40+", "sex": "m", "ill": "n"}, 1),  # the release was perturbed
    3: Truth("not released", 0.0, (), {"age": "canary-age", "sex": "f", "ill": "y"}, 1),
    4: Truth("made up", 0.0, (), {}, 0),  # fits no record
}
#: By card and attribute: the shares of values in the release, and among the records that fit.
SHARES = {
    (0, "ill"): (3 / 5, 1 / 5, 1 / 5), (1, "ill"): (2 / 3, 1 / 3), (2, "ill"): (1.0,), (3, "ill"): (1.0,),
    (4, "ill"): (3 / 5, 1 / 5, 1 / 5),
}  # fmt: skip
RELEASED = {"age": frozenset({"0-39", "40+"}), "sex": frozenset({"f", "m"})}


def _claim(target: int | None, record: int | None, value: str | None = None, **more: object) -> Claim:
    plain = Claim(target, "x", record, None if value is None else "ill", value, 50, "", (), "r")
    return replace(plain, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (_claim(1, 1), "correct"),
        (_claim(1, 2), "partial"),  # the same class
        (_claim(1, 3), "wrong"),
        (_claim(1, 4), "wrong"),
        (_claim(1, None, "y"), "correct"),
        (_claim(1, None, " Y "), "correct"),
        (_claim(1, None, "n"), "wrong"),
        (_claim(1, 1, "n"), "correct"),  # found is found, though something else is wrong about the person
        (_claim(1, 3, "y"), "partial"),  # the true value beside a wrong record
        (_claim(2, 3), "correct"),
        (_claim(2, 3, "y"), "correct"),  # what the perturbed release says is not the truth, but whose it is
        (_claim(3, 4), "wrong"),  # a decoy has no record
        (_claim(3, None, "y"), "partial"),  # true, but not from the file
        (_claim(3, None, "n"), "wrong"),
        (_claim(4, None, "y"), "wrong"),
        (_claim(4, 1, "y"), "wrong"),
        (_claim(None, 1), None),
        (_claim(None, None, "y"), None),
        (_claim(1, None, "y", attribute="pseudonym"), None),  # the truth has no such variable
    ],
)
def test_verdicts(claim: Claim, verdict: str | None) -> None:
    assert judge(claim, TRUTHS.get(claim.target or 0), BY_NUMBER, KEYS) == verdict


CLAIMS = st.lists(
    st.tuples(
        st.integers(1, 4),  # intruder
        st.sampled_from([None, 1, 2, 3, 4]),
        st.sampled_from([None, 1, 2, 3, 4, 5]),
        st.sampled_from([None, "y", "n"]),
        st.integers(0, 100),
        st.sets(st.sampled_from(COLUMNS)),
        st.sampled_from([None, "correct", "partial", "wrong"]),  # what the custodian decides where nothing else does
    ).filter(lambda each: each[2] is not None or each[3] is not None),
    max_size=25,
)


def _material(claims: list[tuple[int, ...]]) -> Material:
    judged = []
    for number, (who, target, record, value, confidence, used, decided) in enumerate(claims, start=1):
        claim = _claim(target, record, value, confidence=confidence, used=tuple(sorted(used)), id=number)
        judged.append(Judged(who, claim, judge(claim, TRUTHS.get(target or 0), BY_NUMBER, KEYS) or decided))
    return Material(FACTS, 5, (1, 2, 3, 4), tuple(judged), TRUTHS, BY_NUMBER, SHARES, "2 decoys", RELEASED)


@settings(max_examples=examples(150))
@given(CLAIMS)
def test_scores_are_what_a_count_by_hand_gives(claims: list[tuple[int, ...]]) -> None:
    found = _material(claims)
    scores = score(found, 0)
    done = [(j.intruder, j.claim, j.verdict) for j in found.judged if j.verdict is not None]
    right = sum(v == "correct" for _, _, v in done)
    assert (scores.claims, scores.undecided) == (len(claims), len(claims) - len(done))
    assert (scores.total.claims, scores.total.correct) == (len(done), right)
    assert scores.total.correct + scores.total.partial + scores.total.wrong == len(done)
    for lines in (scores.bands, scores.by_intruder, scores.by_region, scores.by_kind):
        assert sum(line.claims for line in lines) == len(done)
        assert sum(line.correct for line in lines) == right
    edges = [range(21), range(21, 41), range(41, 61), range(61, 81), range(81, 101)]
    for line, edge in zip(scores.bands, edges, strict=True):
        inside = [(c, v) for _, c, v in done if c.confidence in edge]
        assert (line.claims, line.correct) == (len(inside), sum(v == "correct" for _, v in inside))
        if inside:
            low, high = proportion_confint(line.correct, line.claims, method="wilson")
            assert line.low <= low + 1e-9  # and wider where few people claimed: test_interval
            assert line.high >= high - 1e-9
            assert line.stated == pytest.approx(sum(c.confidence for c, _ in inside) / len(inside) / 100)
        else:
            assert (line.low, line.high) == (0, 1)
    if done:
        brier = sum((c.confidence / 100 - (v == "correct")) ** 2 for _, c, v in done) / len(done)
        assert scores.brier == pytest.approx(brier)
        blind = []
        for _, claim, _ in done:
            if claim.record is not None:
                blind.append({None: 1, 1: 1, 2: 1, 3: 0, 4: 0}[claim.target] / 5)
            else:
                blind.append(0.0 if claim.target in (3, 4) else 3 / 5)
        assert scores.by_chance == pytest.approx(sum(blind) / len(done))
        fit = {1: 1 / 3, 2: 1.0, 3: 0.0, 4: 0.0}
        likely = {1: 2 / 3, 2: 1.0, 3: 0.0, 4: 0.0}
        fits = [
            b if c.target is None else (likely if c.record is None else fit)[c.target]
            for b, (_, c, _) in zip(blind, done, strict=True)
        ]
        assert scores.by_fit == pytest.approx(sum(fits) / len(done))
        if len(done) <= 8:
            hits, blind, fitting = _different_things(done)
            assert scores.luck is not None
            assert (scores.luck.tries, scores.luck.right) == (len(blind), hits)
            assert scores.luck.chance == pytest.approx(_by_enumeration(hits, blind))
            assert scores.luck.fitting == pytest.approx(_by_enumeration(hits, fitting))
    open_ = len(claims) - len(done)
    if claims:
        assert scores.worst_case >= proportion_confint(right + open_, len(claims), method="wilson")[1] - 1e-9
        assert scores.upper >= scores.worst_case
        assert scores.upper > right / max(len(done), 1) or scores.upper == pytest.approx(1)
    assert scores.decoy_pairs == (
        len({(j.intruder, j.claim.target) for j in found.judged if j.claim.target == 3 and j.claim.record}), 4
    )  # fmt: skip
    hits = [c for _, c, v in done if v == "correct" and c.target in (1, 2)]
    assert scores.targets_identified == len({c.target for c in hits if c.record is not None})
    true = [c for _, c, _ in done if c.value is not None and c.value == {1: "y", 2: "n"}.get(c.target)]
    assert scores.values_learned == len({c.target for c in true})
    assert scores.sure_finds == sum(
        v == "correct" and c.record is not None and c.confidence > 60 for _, c, v in done
    )  # fmt: skip
    assert "canary" not in dump_scores(scores)
    for used in scores.by_variable:
        users = [(c, v) for _, c, v in done if used.name in c.used]
        assert used.correct == sum(v == "correct" for _, v in users)
        assert used.correct + used.others == len(users)
    assert load_scores(dump_scores(scores), "x") == scores


def _different_things(done: list[tuple[int, Claim, str]]) -> tuple[int, list[float], list[float]]:
    """What the claims say, each thing once, by hand: how many are right, and the chances of both kinds of guess."""
    own, values, guess = {1: {1}, 2: {3}}, {1: "y", 2: "n"}, {1: 1 / 3, 2: 1.0}
    top = {0: [0.6, 0.2, 0.2], 1: [2 / 3, 1 / 3], 2: [1.0]}
    right, blind, fitting = 0, [], []
    for _, claim, verdict in done:
        if claim.target is None:
            right += verdict == "correct"
            blind.append(0.6 if claim.record is None else 1 / 5)
            fitting.append(blind[-1])
    for who, target in sorted({(w, c.target) for w, c, _ in done if c.target in own and c.record is not None}):
        said = {c.record for w, c, _ in done if (w, c.target) == (who, target) and c.record is not None}
        right += bool(said & own[target])
        blind.append(len(said) / 5)
        fitting.append(min(1, len(said) * guess[target]))
    for target in (1, 2):
        if told := {c.value for _, c, _ in done if c.target == target and c.value is not None}:
            right += values[target] in told
            blind.append(sum(top[0][: len(told)]))
            fitting.append(sum(top[target][: len(told)]))
    return right, blind, fitting


def _by_enumeration(right: int, chances: list[float]) -> float:
    whole = 0.0
    for outcome in itertools.product((0, 1), repeat=len(chances)):
        if sum(outcome) >= right:
            whole += math.prod(p if hit else 1 - p for hit, p in zip(outcome, chances, strict=True))
    return whole


def test_no_correct_claim_is_not_no_risk() -> None:
    scores = score(_material([(1 + i % 4, 1, 3, None, 90, {"age"}, None) for i in range(20)]), 0)
    assert scores.total.correct == 0
    # 0 of 20 of four people: Wilson, with (1.96 / 3.182) ** 2 of the claims, for t has three degrees of freedom.
    assert scores.upper == pytest.approx(1.96**2 / (1.96**2 + 20 * (1.96 / 3.1824) ** 2), abs=1e-4)
    assert "at most 33.6%" in scores.public
    one = score(_material([(1, 1, 3, None, 90, {"age"}, None)] * 20), 0)
    assert one.upper == 1
    assert "All claims are of one person" in " ".join(one.notes)
    nothing = score(_material([]), 0)
    assert nothing.upper == 1
    assert "bounds no risk" in nothing.public


def test_undecided_claims_may_all_be_right() -> None:
    scores = score(_material([(1, None, 1, None, 50, set(), None)] * 4), 0)
    assert (scores.undecided, scores.total.claims) == (4, 0)
    assert scores.upper == 1
    assert "4 could not be decided" in scores.public


def _told(right: int, wrong: int, used: list[Used], luck: Luck | None, **more: object) -> tuple[str, ...]:
    total = ScoreLine.of("all claims", ["correct"] * right + ["wrong"] * wrong, [50] * (right + wrong))
    blank = replace(score(_material([]), 0), total=total, by_variable=tuple(used), luck=luck, bands=(), **more)
    return advise(blank, 6)


def test_what_to_change() -> None:
    used = [Used("age", 3, 10, 2), Used("epc_year", 3, 1, 3), Used("sex", 0, 9, 4)]
    told = _told(3, 10, used, Luck(13, 3, 0.2, 0.001, 0.002))
    assert "More is right than luck explains, 3 of 13 where somebody without the file would get 0.2" in told[0]
    assert "more than guessing among the records that fit" in told[0]
    assert "Do not release" in told[0]
    classes = _told(3, 10, used, Luck(13, 3, 0.2, 0.001, 0.9))[0]
    assert "what the classes of the file give away" in classes
    assert "Do not release" in classes
    assert "Luck explains" in _told(1, 0, used, Luck(1, 1, 1.0, 0.3, 1.0))[0]
    assert told[1].startswith("epc_year was used in 3 of 3 right claims and in 1 of 10 others")
    assert not any("age" in sentence or "sex" in sentence for sentence in told[1:])
    # As in NEED: nobody was right, and still the intruders relied on a variable.
    none_right = _told(0, 10, [Used("epc_year", 0, 8, 6), Used("sex", 0, 9, 0)], Luck(10, 0, 0.5, 1.0, 1.0))
    assert none_right[0] == "No claim was right."
    assert none_right[1].startswith("epc_year was used in 6 of the 6 claims that intruders were sure of")
    assert "says nothing" in _told(0, 0, [], None)[0]


def test_two_tests_of_one_release() -> None:
    few = score(_material([(1, 1, 3, None, 90, {"age"}, None)] * 20), 0)
    many = score(_material([(1, 1, 1, None, 90, {"age"}, None)] * 20), 0)
    same, other = compare_scores(few, few), compare_scores(few, many)
    assert same.chance == pytest.approx(1)
    assert other.chance is not None
    assert other.chance < 1e-9
    assert "larger than luck" in other.sentences[-1]
    assert "does not show that nothing has changed" in same.sentences[-1]
    assert compare_scores(few, score(_material([]), 0)).chance is None
    assert same.same_release
    assert "Beside the earlier test" in intruder_report(many, [few])


def test_a_key_to_split_by_must_be_one() -> None:
    assert score(_material([]), 0, "sex").by == "sex"
    for name in ("ill", "nothing"):
        with pytest.raises(InputError, match="D220"):
            score(_material([]), 0, name)


def test_scores_that_are_none(tmp_path: Path) -> None:
    for text in ("", "[]", "{}", json.dumps({"title": "x"})):
        with pytest.raises(InputError, match="D224"):
            load_scores(text, "scores.json")
    good = dump_scores(score(_material([(1, 1, 3, None, 90, {"age"}, None)]), 0))
    place = tmp_path / "scores.json"
    for bad in ("NaN", "Infinity", "-Infinity", "1e999"):
        for field in ("worst_case", "hours", "high"):  # the last one is inside a line
            place.write_text(re.sub(f'"{field}": [0-9.e-]+', f'"{field}": {bad}', good, count=1))
            assert place.read_text() != good
            with pytest.raises(InputError, match="D224"):
                read_tested([place], "0" * 64)
    place.write_text(good)
    assert read_tested([place], "0" * 64).same_release


def test_wild_guesses_do_not_hide_good_ones() -> None:
    # Nobody is sure, and each is another intruder: six of them are right in the upper of two bands.
    good = [(who, 1, 1, None, 60, {"age"}, None) for who in range(1, 7)]
    wild = [(who, 1, 3, None, 10, {"sex"}, None) for who in range(1, 400)]
    scores = score(_material(good + wild), 0)
    assert scores.luck is not None
    assert scores.luck.chance == pytest.approx(1)  # all together look like worse than guessing
    assert scores.sure_finds == 0
    assert scores.beyond is not None
    assert (scores.beyond.label, scores.beyond.correct, scores.beyond.claims) == ("40 to 60", 6, 6)
    assert scores.beyond.luck is not None
    assert scores.beyond.luck.chance == pytest.approx((1 / 5) ** 6)
    assert scores.finding
    assert "Of the claims with a confidence of 40 to 60: more is right than luck explains, 6 of 6" in scores.advice[0]
    assert "in the claims with a confidence of 40 to 60: 6 of 6" in intruder_report(scores)
    # Three looks (all, and two bands), so a chance of 1 in 25 in one of them is luck; in the only one it is not.
    assert not score(_material(good[:2] + wild), 0).finding
    assert score(_material(good[:2]), 0).finding
    # A band without a right claim is never beyond luck.
    assert not score(_material(wild), 0).finding


def test_a_true_value_is_no_identified_target() -> None:
    scores = score(_material([(1, 1, None, "y", 90, {"age"}, None), (2, 2, 3, None, 90, {"age"}, None)]), 0)
    assert scores.total.correct == 2
    assert (scores.targets_identified, scores.values_learned) == (1, 1)
    assert "Values learned" in intruder_report(scores)


def test_the_scores_tell_no_value_that_the_release_does_not_have() -> None:
    scores = score(_material([(1, 3, 4, None, 90, {"age"}, None), (1, 1, 1, None, 90, {"age"}, None)]), 0)
    assert [line.label for line in scores.by_region] == ["0-39", "(not in the release)"]
    assert "canary" not in dump_scores(scores) + intruder_report(scores)


def test_the_page_escapes_and_charts_speak() -> None:
    claims = [(1, 1, 1, None, 90, {"age"}, None), (2, 1, 3, None, 10, {"sex"}, None)]
    scores = replace(score(_material(claims), 0), title="<b>People</b>", decoy_note="<i>x</i>")
    page = intruder_report(scores)
    assert "<b>People" not in page
    assert "<i>x" not in page
    assert "<script" not in page
    assert "0 to 20: 0 of 1 right" in calibration_chart(scores).to_dict()["description"]
    assert "age: 1 of 1 right, 0 of 1 others." in used_chart(scores, scores.by_variable).to_dict()["description"]
    assert page.count("<svg") == 2
    empty = intruder_report(score(_material([]), 0))
    assert "No claim was filed" in empty
