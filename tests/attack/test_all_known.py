"""Who knows exact amounts finds people under noise: told beside singling out, and counted here by brute force."""

from __future__ import annotations

import random

from attack_cases import situation

from incrowd.attack import ATTACKS
from incrowd.attack.matching.all_known import found_by_nearest
from incrowd.attack.situation import Auxiliary

PEOPLE = 300


def _people() -> list[tuple[str, ...]]:
    chance = random.Random(3)
    return [(chance.choice("abc"), str(chance.randint(10_000, 60_000)), chance.choice("xy")) for _ in range(PEOPLE)]


def _moved(people: list[tuple[str, ...]], by: int) -> list[tuple[str, ...]]:
    chance = random.Random(4)
    return [(area, str(int(pay) + chance.randint(-by, by)), kind) for area, pay, kind in people]


def _by_hand(known: list[tuple[str, ...]], released: list[tuple[str, ...]]) -> float:
    """For each target the nearest pay among the records of the same area and kind; of several, a fair share."""
    right = 0.0
    for line, (area, pay, kind) in enumerate(known):
        there = [i for i, one in enumerate(released) if (one[0], one[2]) == (area, kind)]
        apart = {i: abs(int(released[i][1]) - int(pay)) for i in there}
        nearest = [i for i in there if apart[i] == min(apart.values())]
        right += (line in nearest) / len(nearest)
    return right


def test_the_nearest_amount_gives_people_away_as_often_as_counted_by_hand() -> None:
    known = _people()
    for by in (50, 2_000, 40_000):
        released = _moved(known, by)
        made = situation(known, range(PEOPLE), released)
        found = found_by_nearest(made, list(made.released.column_names))
        assert found is not None
        assert abs(found[1].hits - _by_hand(known, released)) <= 0.5 + 1e-9
        assert found[1].tries == PEOPLE


def test_singling_out_says_so_and_says_nothing_where_no_number_was_moved() -> None:
    known = _people()
    (noisy,) = ATTACKS["singling_out_any"](situation(known, range(PEOPLE), _moved(known, 2_000)), Auxiliary())
    assert "points to the right record for" in noisy.sentence
    plain = situation(known, range(PEOPLE))
    assert found_by_nearest(plain, list(plain.released.column_names)) is None
    assert "points to the right record" not in ATTACKS["singling_out_any"](plain, Auxiliary())[0].sentence
    (by_keys,) = ATTACKS["singling_out"](situation(known, range(PEOPLE), _moved(known, 2_000)), Auxiliary())
    assert "points to the right record" not in by_keys.sentence  # that is what `nearest` measures
