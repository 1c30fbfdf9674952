"""Singling out: by all columns however many there are, and judged by the truth behind values that were changed."""

from __future__ import annotations

import random
import time
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from attack_cases import situation
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.attack import ATTACKS
from incrowd.attack.matching.predicates import readings, tried_on
from incrowd.attack.matching.strategies import strategy_of
from incrowd.attack.singling_out import rarest
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked


def one(word: str, made: Situation) -> Attacked:
    (found,) = ATTACKS[word](made, Auxiliary())
    return found


def _wide(people: int, columns: int, values: int, seed: int = 1) -> list[tuple[str, ...]]:
    chance = random.Random(seed)
    return [tuple(str(chance.randrange(values)) for _ in range(columns)) for _ in range(people)]


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(1, 40), st.integers(1, 22), st.integers(1, 3), st.integers(0, 99))
def test_whoever_is_alone_by_all_columns_is_singled_out(people: int, columns: int, values: int, seed: int) -> None:
    known = _wide(people, columns, values, seed)
    lines = [i for i in range(people) if i % 4 or people < 4]
    alike = Counter(known[line] for line in lines)
    for word in ("singling_out", "singling_out_any"):
        found = one(word, situation(known, lines))
        assert found.success is not None
        assert (found.success.hits, found.success.tries) == (sum(n == 1 for n in alike.values()), len(lines))
        assert f"of all {columns} together" in found.why


def test_many_columns_do_not_hide_that_everybody_is_unique() -> None:
    """No column, nor any pair of them, isolates anybody; all of them together isolate all."""
    known = _wide(3000, 14, 3)
    found = one("singling_out_any", situation(known, range(3000)))
    assert found.success is not None
    assert found.success.value > 0.95
    assert "14 columns" in found.sentence


def test_a_combination_grows_by_the_column_that_parts_most() -> None:
    chance = np.random.default_rng(2)
    columns = [chance.integers(0, span, 4000) for span in (2, 2, 900, 2, 50, *[2] * 15)]
    spans = [int(column.max()) + 1 for column in columns]
    draws = situation(_wide(3, 2, 2), range(3)).draws("x")
    tried = tried_on(columns, spans, draws)
    assert tried[-1] == tuple(range(20))
    assert (2,) in tried
    assert (2, 4) in tried
    assert len({len(predicate) for predicate in tried}) >= 6  # of several sizes
    assert [len(predicate) for predicate in tried] == sorted(len(predicate) for predicate in tried)
    assert tried == tried_on(columns, spans, situation(_wide(3, 2, 2), range(3)).draws("x"))  # the same by the same key


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(2, 25), st.integers(0, 99), st.sampled_from([0.1, 0.5, 1.0]))
def test_changed_values_are_judged_by_whom_they_isolate_in_truth(people: int, seed: int, share: float) -> None:
    """By hand, for each record: alone in the release by the smallest predicate, met by one true person, their own."""
    chance = random.Random(seed)
    known = [tuple("abcd"[int(value)] for value in person) for person in _wide(people, 3, 4, seed)]
    released = [tuple(chance.choice("abcd") if chance.random() < share else v for v in person) for person in known]
    made = situation(known, range(people), released)
    read = readings(made, made.released.column_names)
    if not read:
        assert one("singling_out", made).success is None
        return
    place = [int(name[1:]) for name in read[0].names]
    tried = tried_on([c[:people] for c in read[0].codes], read[0].spans, made.draws("any"))
    judged = []
    for at, record in enumerate(released):
        judged.append((False, False, False))
        for predicate in ([place[i] for i in chosen] for chosen in tried):
            if sum(all(other[i] == record[i] for i in predicate) for other in released) == 1:
                met = [p for p, person in enumerate(known) if all(person[i] == record[i] for i in predicate)]
                judged[-1] = (True, len(met) == 1, met == [at])
                break
    rare = rarest(made, read[0], tried)
    assert list(zip((rare.people == 1).tolist(), rare.true.tolist(), rare.own.tolist(), strict=True)) == judged
    found = one("singling_out", made)
    assert found.success is not None
    assert found.success.hits >= sum(true for _, true, _ in judged)  # another reading may isolate more
    assert found.claimed is not None
    assert found.claimed.hits <= found.success.hits <= found.claimed.tries


def isolations(known: list[tuple[str, ...]], released: list[tuple[str, ...]], tried: list[tuple[int, ...]]) -> int:
    """Records that the first of these predicates that they alone have isolates in truth, too."""
    found = 0
    for record in released:
        for some in tried:
            if sum(all(other[i] == record[i] for i in some) for other in released) == 1:
                found += sum(all(person[i] == record[i] for i in some) for person in known) == 1
                break
    return found


@settings(max_examples=examples(80), deadline=None)
@given(
    st.integers(2, 30),
    st.lists(st.tuples(st.integers(1, 12), st.sampled_from([0.0, 0.2, 0.5])), min_size=1, max_size=4),
    st.booleans(),
    st.integers(0, 99),
)
def test_no_plain_strategy_isolates_more_than_is_told(
    people: int, columns: list[tuple[int, float]], noise: bool, seed: int
) -> None:
    """Values that are drawn anew or moved a little: all columns, the smallest predicates, any one predicate."""
    chance = random.Random(seed)
    known = [tuple(str(chance.randrange(span)) for span, _ in columns) for _ in range(people)]
    released = [
        tuple(
            value if chance.random() >= share
            else str(int(value) + chance.choice((-1, 1)) if noise else chance.randrange(span))
            for value, (span, share) in zip(person, columns, strict=True)
        )
        for person in known
    ]  # fmt: skip
    every = [some for size in range(1, len(columns) + 1) for some in combinations(range(len(columns)), size)]
    plain = [every, [every[-1]], *([some] for some in every)]
    plain += [[some for some in every if len(some) >= size] for size in range(2, len(columns))]
    best = max(isolations(known, released, tried) for tried in plain)
    for word in ("singling_out", "singling_out_any"):
        found = one(word, situation(known, range(people), released))
        assert (0 if found.success is None else found.success.hits) >= best
        assert found.success is not None or not best


def test_a_large_predicate_that_is_true_is_told_where_small_ones_are_wrong() -> None:
    """Pairs share a value that was drawn anew for some: alone in the release, and of two people in truth."""
    chance = random.Random(6)
    known = [(str(i // 2), "abcdefgh"[chance.randrange(8)]) for i in range(600)]
    released = [(str(chance.randrange(300)) if chance.random() < 0.3 else pair, letter) for pair, letter in known]
    found = one("singling_out", situation(known, range(600), released))
    assert found.success is not None
    assert found.success.hits >= isolations(known, released, [(0, 1)]) > isolations(known, released, [(0,), (0, 1)])
    assert "all 2 columns together" in found.why
    assert "overstates rather than understates" in found.why


def test_a_strategy_is_chosen_by_people_and_not_by_their_records() -> None:
    """The first column is true of one person with nine records alone, the second of four people with one each."""
    known = [("a", "x")] * 9 + [("b", "p"), ("b", "q"), ("b", "r"), ("b", "s")]
    released = [("a", "y")] * 9 + [("c", "p"), ("d", "q"), ("e", "r"), ("f", "s")]
    found = one("singling_out", situation(known, range(13), released, people=[0] * 9 + [1, 2, 3, 4]))
    assert found.success is not None
    assert (found.success.hits, found.success.tries) == (4, 5)
    assert "k1 for everybody" in found.why


def test_changing_values_does_not_look_worse_than_leaving_them() -> None:
    """Random replacement makes combinations that nobody has: unique in the file, and about nobody."""
    chance = random.Random(3)
    known = [
        (str(chance.randrange(20)), "abcdefgh"[chance.randrange(8)], "xyz"[chance.randrange(3)]) for _ in range(2000)
    ]
    values = [sorted({person[i] for person in known}) for i in range(3)]
    changed = [
        tuple(chance.choice(values[i]) if chance.random() < 0.3 else v for i, v in enumerate(person))
        for person in known
    ]
    plain, after = (one("singling_out", situation(known, range(2000), r)) for r in (None, changed))
    assert plain.success is not None
    assert after.success is not None
    assert after.success.value <= plain.success.value
    assert after.claimed is not None
    assert after.claimed.hits <= after.success.hits <= after.claimed.tries
    assert plain.claimed is not None
    assert plain.claimed.hits == plain.success.hits == plain.claimed.tries


def test_a_little_noise_does_not_pass_for_safety() -> None:
    chance = random.Random(4)
    known = [(str(20_000 + 37 * i), "ab"[i % 2]) for i in range(400)]
    noisy = [(str(int(pay) + chance.choice((-2, -1, 1, 2))), place) for pay, place in known]
    found = one("singling_out_any", situation(known, range(400), noisy))
    assert found.success is not None
    assert found.success.value > 0.6
    assert "in bands" in found.why
    heavy = [(str(int(pay) + chance.randrange(-9000, 9000)), place) for pay, place in known]
    wide = one("singling_out_any", situation(known, range(400), heavy))
    assert wide.success is not None
    assert wide.success.value < 0.1


def test_shuffled_amounts_still_isolate_people_and_not_their_own() -> None:
    known = [(str(20_000 + 37 * i), "ab"[i % 2]) for i in range(400)]
    amounts = [pay for pay, _ in known]
    random.Random(5).shuffle(amounts)
    found = one(
        "singling_out_any", situation(known, range(400), [(a, p) for a, (_, p) in zip(amounts, known, strict=True)])
    )
    assert found.success is not None
    assert found.success.value == 1.0
    assert found.claimed is not None
    assert found.claimed.hits < 10
    assert "the very person for" in found.sentence


@pytest.mark.slow
def test_a_hundred_columns_and_a_hundred_thousand_people_take_seconds() -> None:
    chance = np.random.default_rng(1)
    columns = {f"c{i}": pa.array(chance.integers(0, 2 + i % 7, 100_000).astype(str)) for i in range(100)}
    whole = pa.table(columns)
    small = situation([("1",) * 100], [0], names=list(columns))
    made = Situation(
        released=whole, lines=np.arange(100_000), known=whole, people=np.arange(100_000), keys=tuple(columns),
        sensitive=(), scenario=small.scenario, at_start=small.at_start, draws=small.draws,
    )  # fmt: skip
    begun = time.perf_counter()
    found = one("singling_out_any", made)
    assert time.perf_counter() - begun < 30
    assert found.success is not None
    assert found.success.value > 0.99


def test_the_surest_claims_are_told_where_values_were_changed() -> None:
    """Amounts that nobody else has were dealt out anew, and towns changed: by the amount alone every claim is true."""
    chance = random.Random(3)
    known = [(f"t{chance.randrange(40)}", str(10_000 + 7 * i), "fm"[i % 2]) for i in range(400)]
    amounts = [row[1] for row in known]
    chance.shuffle(amounts)
    told = [(f"t{chance.randrange(40)}" if i % 3 == 0 else row[0], amounts[i], row[2]) for i, row in enumerate(known)]
    made = situation(known, range(400), told)
    (columns, *_) = readings(made, made.released.column_names)
    released = [codes[:400] for codes in columns.codes]
    sure = strategy_of(made, columns, tried_on(released, columns.spans, made.draws("t"))).surest
    assert sure is not None
    assert (sure.claims.hits, sure.claims.tries) == (400, 400)
    unchanged = situation(known, range(400))
    (columns, *_) = readings(unchanged, unchanged.released.column_names)
    assert strategy_of(unchanged, columns, tried_on(released, columns.spans, made.draws("t"))).surest is None
