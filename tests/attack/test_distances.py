"""Numbers and dates that were moved, weighed by splink by how near they come: equality finds nobody, and this does."""

from collections.abc import Callable
from datetime import date, timedelta

import numpy as np
import pytest
from attack_cases import situation

from incrowd.attack import ATTACKS, probabilistic
from incrowd.attack.matching.distances import levels_of, points_of
from incrowd.attack.matching.targets import field_of
from incrowd.attack.probabilistic import weigh
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked

NOBODY = Auxiliary()
PEOPLE = 600
CHANCE = np.random.default_rng(11)
KNOWN = [
    (str(pay), str(weight), "fm"[i % 2], f"t{i % 5}")
    for i, (pay, weight) in enumerate(
        zip(CHANCE.integers(8_000, 90_000, PEOPLE), CHANCE.integers(40_000, 120_000, PEOPLE), strict=True)
    )
]


def noisy(numbers: np.ndarray) -> np.ndarray:
    return numbers + np.random.default_rng(2).normal(0, 900, len(numbers)).round().astype(int)


def rounded(numbers: np.ndarray) -> np.ndarray:
    return (numbers // 2_500) * 2_500 + 1_111  # to amounts that nobody has


def averaged(numbers: np.ndarray) -> np.ndarray:
    """Microaggregation in fives: everybody gets the mean of their five."""
    order = np.argsort(numbers, kind="stable")
    found = np.zeros(len(numbers))
    found[order] = np.repeat(numbers[order].reshape(-1, 5).mean(axis=1), 5)
    return np.round(found, 2)


def changed(how: Callable[[np.ndarray], np.ndarray]) -> Situation:
    columns = [np.array([int(person[i]) for person in KNOWN]) for i in (0, 1)]
    pay, weight = (how(column) for column in columns)
    released = [(str(p), str(w), *person[2:]) for p, w, person in zip(pay, weight, KNOWN, strict=True)]
    return situation(KNOWN, range(PEOPLE), released)


def tried(word: str, case: Situation) -> Attacked:
    (found,) = ATTACKS[word](case, NOBODY)
    return found


@pytest.mark.parametrize(("how", "least"), [(noisy, 0.75), (rounded, 0.4), (averaged, 0.4)])
def test_numbers_that_were_moved_are_matched_by_distance_where_equality_fails(
    how: Callable[[np.ndarray], np.ndarray], least: float
) -> None:
    pytest.importorskip("splink")
    case = changed(how)
    exact, near = tried("linkage", case), tried("probabilistic", case)
    assert exact.success is None or exact.success.high < 0.1
    assert near.success is not None
    assert near.success.low > least
    assert "k0 and k1" in near.why
    assert "how near" in near.why


def test_dates_are_compared_by_days_and_other_keys_as_before() -> None:
    pytest.importorskip("splink")
    born = [(str(date(1950, 1, 1) + timedelta(days=37 * i)), "fm"[i % 2]) for i in range(400)]
    moved = [(str(date.fromisoformat(day) + timedelta(days=(i % 9) - 4)), sex) for i, (day, sex) in enumerate(born)]
    found = tried("probabilistic", situation(born, range(400), moved))
    assert found.success is not None
    assert found.success.low > 0.95


def test_numbers_that_nobody_moved_count_as_equal_or_not() -> None:
    case = situation(KNOWN, range(PEOPLE))
    field = field_of(case, NOBODY, "p")
    assert [levels_of(case, NOBODY, field, key) for key in range(4)] == [None] * 4


def test_levels_are_as_often_reached_as_pairs_say() -> None:
    """Against all pairs of the file, by going through them."""
    case = changed(noisy)
    levels = levels_of(case, NOBODY, field_of(case, NOBODY, "p"), 0)
    assert levels is not None
    known = np.array([float(person[0]) for person in KNOWN])
    told = np.array([float(value) for value in case.released["k0"].to_pylist()])
    own, every = np.abs(told - known), np.abs(told[:, None] - known[None, :]).ravel()
    assert levels.ends == tuple(sorted(levels.ends))
    for shares, distances, off in ((levels.m, own, 0.01), (levels.u, every, 0.005)):
        within = np.cumsum(shares)[1:-1]
        assert sum(shares) == pytest.approx(1)
        for share, end in zip(within, levels.ends, strict=True):
            assert share == pytest.approx((distances <= end).mean(), abs=off)


@pytest.mark.parametrize("keys", [1, 2, 4])
def test_only_near_pairs_are_weighed_and_the_same_people_found(monkeypatch: pytest.MonkeyPatch, keys: int) -> None:
    pytest.importorskip("splink")
    case = changed(noisy)
    names = case.keys[:keys]
    case = situation(
        [person[:keys] for person in KNOWN], range(PEOPLE),
        [tuple(record[name] for name in names) for record in case.released.to_pylist()],
    )  # fmt: skip
    field = field_of(case, NOBODY, "p")
    whole = weigh(case, field, NOBODY)
    monkeypatch.setattr(probabilistic, "PAIRS", 10)
    blocked = weigh(case, field, NOBODY)
    assert "were weighed" in " ".join(blocked[3])
    same = (whole[2] == blocked[2]).mean()
    assert same > 0.98  # of one moved in a hundred the own record is farther than any level


def test_a_missing_number_counts_neither_way() -> None:
    pytest.importorskip("splink")
    case = changed(noisy)
    records = [tuple(record.values()) for record in case.released.to_pylist()]
    released = [(None if i % 10 == 0 else r[0], *r[1:]) for i, r in enumerate(records)]
    found = tried("probabilistic", situation(KNOWN, range(PEOPLE), released))
    assert found.success is not None
    assert found.success.low > 0.6


def test_points() -> None:
    assert points_of(["10-20", "30", None]) is not None
    assert points_of(["a", "3"]) is None
    assert points_of([None]) is None
    months = points_of(["2001-02", "2001-03"])
    assert months is not None
    assert (months[1] - months[0]) == 28
    assert points_of(["2001-02-30", "2001-03-01"]) is None
