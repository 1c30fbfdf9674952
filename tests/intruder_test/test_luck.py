"""Luck is what somebody without the file has: who guesses is lucky, who knows is a finding, once is enough."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from board import scores as plain_scores

from incrowd.errors import InputError
from incrowd.intruder_test.claims import Claim
from incrowd.intruder_test.custodian import Judged, Material
from incrowd.intruder_test.facts import Facts, Team
from incrowd.intruder_test.schema import ReleasedColumn
from incrowd.intruder_test.scoring import score
from incrowd.intruder_test.value import Scores, dump_scores, load_scores
from incrowd.intruder_test.verdicts import Truth, judge
from incrowd.report.tested import intruder_report

#: Intruder, target, record, ill, confidence.
Said = tuple[int, int, int | None, str | None, int]
ILL = ("n", "n", "n", "y", "z")  # repeated: three in five have the most frequent value


def world(records: int, size: int, claims: list[Said]) -> Material:
    """A release of classes of one size, with a card for everybody, and these claims.

    A person's record and card have the same number.
    """
    table = {n: (str((n - 1) // size), ILL[n % 5]) for n in range(1, records + 1)}
    truths = {
        n: Truth("", 1 / size, (n,), {"group": table[n][0], "ill": table[n][1]}, size) for n in range(1, records + 1)
    }
    columns = (ReleasedColumn("group", "choice", True), ReleasedColumn("ill", "choice", False))
    facts = Facts("People", "0" * 64, records, columns, (Team("all", "all", True),), records, 2.0, 1, 1, "", "", "", 0)
    shares = {(0, "ill"): (3 / 5, 1 / 5, 1 / 5)}
    for n in truths:
        own = [table[m][1] for m in truths if table[m][0] == table[n][0]]
        shares[n, "ill"] = tuple(sorted((own.count(v) / len(own) for v in set(own)), reverse=True))
    left = {key: next(iter({table[m][1] for m in truths if table[m][0] == table[key[0]][0]}))
            for key, of in shares.items() if key[0] and of[0] == 1}  # fmt: skip
    judged = []
    for number, (who, target, record, value, confidence) in enumerate(claims, start=1):
        name = None if value is None else "ill"
        claim = Claim(target, "", record, name, value, confidence, "", ("group",), "r", id=number)
        judged.append(Judged(who, claim, judge(claim, truths[target], table, [0])))
    took_part = tuple(sorted({claim[0] for claim in claims}))
    return Material(facts, 10, took_part, tuple(judged), truths, table, shares, "", {}, left=left)


def found(records: int, size: int, claims: list[Said]) -> Scores:
    return score(world(records, size, claims), 0)


def test_certainty_is_no_luck() -> None:
    """Everybody is unique, so a guess among the one record that fits is always right: that is the finding."""
    for confidence in (100, 50, 0):
        scores = found(60, 1, [(1, n, n, None, confidence) for n in range(1, 13)])
        assert scores.total.correct == 12
        assert scores.by_fit == 1
        assert scores.finding
        assert "Luck explains" not in " ".join(scores.advice)
        assert "Do not release" in scores.advice[0]
        assert "banner fail" in intruder_report(scores)


def test_what_the_classes_give_is_a_finding_and_said_to_be_theirs() -> None:
    """Who guesses within classes of three is right once in three: not luck, and not more than k promises."""
    draw = random.Random(1)
    claims = [(i, n, draw.choice(range(n - (n - 1) % 3, n - (n - 1) % 3 + 3)), None, 30)
              for i in range(10) for n in range(1, 200, 20)]  # fmt: skip
    scores = found(600, 3, claims)
    assert scores.finding
    assert not scores.sure_finds
    assert not scores.beyond_classes
    assert "what the classes of the file give away" in scores.advice[0]


@pytest.mark.parametrize("right", [(1, 7, 7, None, 100), (1, 7, 7, "wrong value", 100)])
def test_one_sure_find_is_a_finding_whatever_the_average_says(right: Said) -> None:
    wrong = [(i % 10, 1 + i, 450 + i, None, 100) for i in range(200)]
    scores = found(1000, 2, [*wrong, right])
    assert scores.total.correct == 1
    assert scores.luck is not None
    assert scores.luck.chance > 0.05  # on the average, luck
    assert scores.sure_finds == 1
    assert scores.finding
    assert "somebody was found by somebody who knew it" in scores.advice[0]
    assert "One such find is enough" in intruder_report(scores)
    assert not found(1000, 2, wrong).finding
    unsure = found(1000, 2, [*[(*w[:4], 20) for w in wrong], (*right[:4], 20)])
    assert not unsure.finding


def _without_the_file(draw: random.Random, records: int, kind: str) -> list[Said]:
    """Ten people who have the cards and not the file. Who guesses a value takes the one that most people have."""
    targets = draw.sample(range(1, records + 1), 7)
    claims = []
    for who in range(10):
        for target in targets:
            record = None if kind == "values" or (kind == "mixed" and draw.random() < 0.5) else draw.randint(1, records)
            value = None if kind == "records" or (record and draw.random() < 0.5) else "n"
            claims.append((who, target, record, value, draw.randint(0, 60)))
    return claims


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["records", "values", "mixed"])
def test_luck_explains_what_people_without_the_file_get_right(kind: str) -> None:
    draw = random.Random(kind)
    tests = [found(60, 1, _without_the_file(draw, 60, kind)) for _ in range(150)]
    assert sum(test.total.correct > 0 for test in tests) > 60  # they are right now and then
    assert sum(test.finding for test in tests) <= 15  # 5% of 150 are 7.5; more than 15 would be a chance of 1 in 200


def test_who_tries_every_record_for_a_person_is_right_once_and_that_is_luck() -> None:
    scores = found(30, 1, [(1, 5, record, None, 10) for record in range(1, 31)])
    assert scores.total.correct == 1
    assert scores.luck is not None
    assert scores.luck.chance == pytest.approx(1)
    assert not scores.finding


def test_a_true_value_beside_a_wrong_record_is_learned() -> None:
    """The wrong one of two records with the same value: nobody is identified, and the value is out all the same."""
    targets = [n for n in range(1, 120) if ILL[n % 5] == "z"]
    scores = found(120, 2, [(1, n, n + 1 if n % 2 else n - 1, "z", 90) for n in targets])
    assert scores.total.correct == 0
    assert scores.values_learned == len(targets)
    assert scores.finding
    assert "More is right than luck explains" in scores.advice[0]


def test_a_value_that_a_class_shares_is_a_sure_find_and_one_that_it_does_not_is_none() -> None:
    """1 and 2 are a class and have "n"; 3 and 4 are one with two values."""
    shared = found(60, 2, [(1, 2, None, "n", 61)])
    assert (shared.sure_finds, shared.sure_values, shared.given_away) == (1, 1, 1)
    assert shared.finding
    for claim in ((1, 2, None, "y", 100), (1, 4, None, ILL[4], 100), (1, 2, None, "n", 60)):
        other = found(60, 2, [claim])
        assert (other.sure_finds, other.given_away) == (0, int(claim[4] == 60))


def test_nobody_claimed_is_not_safe() -> None:
    scores = found(60, 1, [])
    assert not scores.finding
    assert "says nothing" in scores.advice[0]
    assert "bounds no risk" in scores.public
    assert "banner pass" not in intruder_report(scores)


def test_scores_that_took_certainty_for_luck_are_not_read() -> None:
    """Scores of an earlier version say how likely a guess *with* the file is: what they call luck is none."""
    old = json.loads(dump_scores(replace(plain_scores(12, 12), advice=())))
    old["luck"] = 1.0
    del old["sure_finds"]
    with pytest.raises(InputError, match="D224"):
        load_scores(json.dumps(old), "scores.json")
