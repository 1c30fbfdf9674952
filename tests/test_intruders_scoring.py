"""Verdicts and counts of an intruder test, each beside a count by hand."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from incrowd.errors import InputError
from incrowd.evidence.tested import bands_chart, intruder_report, used_chart
from incrowd.intruders.custodian import Judged, Material
from incrowd.intruders.desk import Claim
from incrowd.intruders.schema import ReleasedColumn
from incrowd.intruders.scoring import advise, compare, score
from incrowd.intruders.store import Facts
from incrowd.intruders.value import Used, dump_scores, load_scores, read_tested
from incrowd.intruders.verdicts import Truth, judge

COLUMNS = ("age", "sex", "ill")
RECORDS = [("0-39", "f", "y"), ("0-39", "f", "n"), ("40+", "m", "y"), ("40+", "f", None), ("0-39", "f", "y")]
BY_NUMBER = dict(enumerate(RECORDS, start=1))
KEYS = [0, 1]
FACTS = Facts(
    "People", "0" * 64, len(RECORDS), tuple(ReleasedColumn(n, "choice", n != "ill") for n in COLUMNS), "neighbour",
    False, 4, 2.0, 10**10, 10**10, "", "", "", 0,
)  # fmt: skip
TRUTHS = {
    1: Truth("", 1 / 3, (1,), {"age": "0-39", "sex": "f", "ill": "y"}, 3),
    2: Truth("", 1.0, (3,), {"age": "40+", "sex": "m", "ill": "n"}, 1),  # the release was perturbed
    3: Truth("not released", 0.0, (), {"age": "canary-age", "sex": "f", "ill": "y"}, 1),
    4: Truth("made up", 0.0, (), {}, 0),  # fits no record
}
#: By card and attribute: in the release, and among the records that fit.
FREQUENT = {(0, "ill"): 3 / 5, (1, "ill"): 2 / 3, (2, "ill"): 1.0, (3, "ill"): 1.0, (4, "ill"): 3 / 5}
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
        (_claim(1, 1, "n"), "partial"),  # the right record, but something wrong about the person
        (_claim(1, 3, "y"), "partial"),  # the true value beside a wrong record
        (_claim(2, 3), "correct"),
        (_claim(2, 3, "y"), "partial"),  # what the perturbed release says is not the truth
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
    return Material(FACTS, 5, (1, 2, 3, 4), tuple(judged), TRUTHS, BY_NUMBER, FREQUENT, "2 decoys", RELEASED)


@settings(max_examples=150)
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
            assert (line.low, line.high) == pytest.approx((low, high), abs=1e-9)
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
            assert scores.luck == pytest.approx(_by_enumeration(right, fits))
    open_ = len(claims) - len(done)
    if claims:
        assert scores.worst_case == pytest.approx(proportion_confint(right + open_, len(claims), method="wilson")[1])
        assert scores.upper >= scores.worst_case
        assert scores.upper > right / max(len(done), 1) or scores.upper == pytest.approx(1)
    assert scores.decoy_pairs == (
        len({(j.intruder, j.claim.target) for j in found.judged if j.claim.target == 3 and j.claim.record}), 4
    )  # fmt: skip
    hits = [c for _, c, v in done if v == "correct" and c.target in (1, 2)]
    assert scores.targets_identified == len({c.target for c in hits if c.record is not None})
    assert scores.values_learned == len({c.target for c in hits if c.record is None})
    assert "canary" not in dump_scores(scores)
    for used in scores.by_variable:
        users = [(c, v) for _, c, v in done if used.variable in c.used]
        assert used.correct == sum(v == "correct" for _, v in users)
        assert used.correct + used.others == len(users)
    assert load_scores(dump_scores(scores), "x") == scores


def _by_enumeration(right: int, chances: list[float]) -> float:
    whole = 0.0
    for outcome in itertools.product((0, 1), repeat=len(chances)):
        if sum(outcome) >= right:
            whole += math.prod(p if hit else 1 - p for hit, p in zip(outcome, chances, strict=True))
    return whole


def test_no_correct_claim_is_not_no_risk() -> None:
    scores = score(_material([(1, 1, 3, None, 90, {"age"}, None)] * 20), 0)
    assert scores.total.correct == 0
    assert scores.upper == pytest.approx(0.1611, abs=1e-4)  # 0 of 20, Wilson
    assert "at most 16.1%" in scores.public
    nothing = score(_material([]), 0)
    assert nothing.upper == 1
    assert "bounds no risk" in nothing.public


def test_undecided_claims_may_all_be_right() -> None:
    scores = score(_material([(1, None, 1, None, 50, set(), None)] * 4), 0)
    assert (scores.undecided, scores.total.claims) == (4, 0)
    assert scores.upper == 1
    assert "4 could not be decided" in scores.public


def test_what_to_change() -> None:
    used = [Used("age", 3, 10, 2), Used("epc_year", 3, 1, 3), Used("sex", 0, 9, 4)]
    told = advise(["correct"] * 3 + ["wrong"] * 10, used, 5, 0.001, 0.2)
    assert "More claims are right than luck explains" in told[0]
    assert "do not release" in told[0]
    assert "Luck explains" in advise(["correct"], used, 0, 0.3, 1.0)[0]
    assert told[1].startswith("epc_year was used in 3 of 3 right claims and in 1 of 10 others")
    assert not any("age" in sentence or "sex" in sentence for sentence in told[1:])
    # As in NEED: nobody was right, and still the intruders relied on a variable.
    none_right = advise(["wrong"] * 10, [Used("epc_year", 0, 8, 6), Used("sex", 0, 9, 0)], 6, 1.0, 0.5)
    assert none_right[0] == "No claim was right."
    assert none_right[1].startswith("epc_year was used in 6 of the 6 claims that intruders were sure of")
    assert "says nothing" in advise([], [], 0, None, 0.0)[0]


def test_two_tests_of_one_release() -> None:
    few = score(_material([(1, 1, 3, None, 90, {"age"}, None)] * 20), 0)
    many = score(_material([(1, 1, 1, None, 90, {"age"}, None)] * 20), 0)
    same, other = compare(few, few), compare(few, many)
    assert same.chance == pytest.approx(1)
    assert other.chance is not None
    assert other.chance < 1e-9
    assert "larger than luck" in other.sentences[-1]
    assert "does not show that nothing has changed" in same.sentences[-1]
    assert compare(few, score(_material([]), 0)).chance is None
    with pytest.raises(InputError, match="D225"):
        compare(few, replace(many, release_sha256="1" * 64))
    assert "Beside the earlier test" in intruder_report(many, other)


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
                read_tested(place, "0" * 64)
    place.write_text(good)
    assert read_tested(place, "0" * 64).same_release


def test_wild_guesses_do_not_hide_sure_hits() -> None:
    sure, wild = (1, 1, 1, None, 95, {"age"}, None), (2, 1, 3, None, 10, {"sex"}, None)
    scores = score(_material([sure] * 6 + [wild] * 400), 0)
    assert scores.luck == pytest.approx(1)  # all together look like worse than guessing
    assert scores.most_sure is not None
    assert (scores.most_sure.label, scores.most_sure.correct, scores.most_sure.claims) == ("80 to 100", 6, 6)
    assert scores.most_sure.luck == pytest.approx((1 / 3) ** 6)
    assert scores.beyond_luck
    assert scores.beyond_band == scores.most_sure
    assert "6 of 6 are right, more than luck explains" in scores.advice[0]
    assert "6 of 6 claims with a confidence of 80 to 100 are right" in intruder_report(scores)
    # Two bands were tried, so a chance of 1 in 27 in one of them is luck; in the only one it is not.
    assert not score(_material([sure] * 3 + [wild] * 400), 0).beyond_luck
    assert score(_material([sure] * 3), 0).beyond_luck
    # A band without a right claim is never beyond luck.
    assert not score(_material([wild] * 400), 0).beyond_luck
    assert load_scores(dump_scores(scores), "x").beyond_luck


def test_a_true_value_is_no_identified_target() -> None:
    scores = score(_material([(1, 1, None, "y", 90, {"age"}, None), (2, 2, 3, None, 90, {"age"}, None)]), 0)
    assert scores.total.correct == 2
    assert (scores.targets_identified, scores.values_learned) == (1, 1)
    assert "Values learned" in intruder_report(scores)


def test_the_scores_tell_no_value_that_the_release_does_not_have() -> None:
    scores = score(_material([(1, 3, 4, None, 90, {"age"}, None), (1, 1, 1, None, 90, {"age"}, None)]), 0)
    assert [line.label for line in scores.by_region] == ["(not in the release)", "0-39"]
    assert "canary" not in dump_scores(scores) + intruder_report(scores)


def test_the_page_escapes_and_charts_speak() -> None:
    claims = [(1, 1, 1, None, 90, {"age"}, None), (2, 1, 3, None, 10, {"sex"}, None)]
    scores = replace(score(_material(claims), 0), title="<b>People</b>", decoy_note="<i>x</i>")
    page = intruder_report(scores)
    assert "<b>People" not in page
    assert "<i>x" not in page
    assert "<script" not in page
    assert "0 to 20: 0 of 1 right" in bands_chart(scores).to_dict()["description"]
    assert "age: 1 of 1 right, 0 of 1 others." in used_chart(scores).to_dict()["description"]
    assert page.count("<svg") == 2
    empty = intruder_report(score(_material([]), 0))
    assert "No claim was filed" in empty
