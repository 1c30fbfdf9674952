"""SUDA: equal to brute force on random tables with missing values, and to sdcMicro on its files."""

from __future__ import annotations

import json
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import ORACLE, column, read, records, table_of, with_classes
from shared import needs_shared

from incrowd.keys import minimal
from incrowd.keys.minimal import minimal_uniques
from incrowd.risk.suda import Suda, suda

GUIDE = ["2151", "2151", "2132", "2241", "1143", "2241", "2122", "2213", "2152", "2152"]


def brute(rows: list[tuple[str | None, ...]], largest: int) -> dict[int, set[tuple[int, ...]]]:
    """Each record's minimal uniques: every set of keys, every pair of records."""

    def unique(r: int, keys: tuple[int, ...]) -> bool:
        mine = [rows[r][i] for i in keys]
        if None in mine:
            return False
        return not any(s != r and [rows[s][i] for i in keys] == mine for s in range(len(rows)))

    found: dict[int, set[tuple[int, ...]]] = {}
    for r in range(len(rows)):
        for size in range(1, largest + 1):
            for keys in combinations(range(len(rows[0])), size):
                parts = [c for s in range(1, size) for c in combinations(keys, s)]
                if unique(r, keys) and not any(unique(r, part) for part in parts):
                    found.setdefault(r, set()).add(keys)
    return found


@given(records, st.integers(1, 4), st.booleans())
def test_minimal_uniques_equal_brute_force(rows: list, largest: int, by_sorting: bool) -> None:
    table, at = table_of(rows)
    with pytest.MonkeyPatch.context() as patch:
        if by_sorting:
            patch.setattr(minimal, "PLACES", 0)
        found = {(int(c), keys) for keys, classes in minimal_uniques(table, largest) for c in classes}
    expected = {(int(at[r]), keys) for r, sets in brute(rows, largest).items() for keys in sets}
    assert found == expected


@given(records)
def test_scores_and_shares_equal_brute_force(rows: list) -> None:
    table, at = table_of(rows)
    scores, m = suda(table, "x"), len(rows[0])
    expected = brute(rows, m)
    for r in range(len(rows)):
        weights = {keys: factorial(m - len(keys)) for keys in expected.get(r, ())}
        score = sum(weights.values())
        assert scores.scores[at[r]] == score
        for i in range(m):
            share = sum(w for keys, w in weights.items() if i in keys) / score if score else 0
            assert scores.shares[i, at[r]] == pytest.approx(share)


def guide(fraction: float = 0.01) -> tuple[Suda, np.ndarray]:
    table, at = table_of([tuple(row) for row in GUIDE])
    return suda(table, "x", fraction), at


def test_the_ten_row_table_of_the_statistics_guide() -> None:
    found, at = guide()
    assert found.scores[at].tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    dis = found.dis[at]
    assert [round(float(dis[i]), 7) for i in (2, 4, 7)] == [0.0049868, 0.0113830, 0.0091667]
    assert found.special == 4


def test_without_pairs_dis_suda_is_one() -> None:
    table, _ = table_of([("a", "b"), ("b", "a")])
    assert suda(table, "x").dis.tolist() == [1.0, 1.0]


CASES = [
    "book", "book_ihsn", "guideline", "guideline_f0.1", "guideline_ihsn", "tiny_corr", "francdat_4keys", "testdata2_5",
    "testdata2_7", "testdata2_7_ihsn", "testdata2_7_f0.2", "testdata_7", "testdata_7_f0.1", "testdata_7_ihsn",
    "testdata_7_NA", "adult_2000_6", "testdata2_3var",
]  # fmt: skip


def ours(case: dict) -> tuple[list[dict[str, str]], Suda, np.ndarray]:
    rows = read(case["file"])
    table, at = with_classes({key: [row[key] or None for row in rows] for key in case["variables"]})
    weights = "factorial" if case["original_scores"] else "ihsn"
    return rows, suda(table, "x", case["DisFraction"], weights=weights), at


@needs_shared
@pytest.mark.parametrize("name", CASES)
def test_sdcmicro_gives_the_same(name: str) -> None:
    case = json.loads((ORACLE / "04_suda2.json").read_text())[name]
    rows, found, at = ours(case)
    assert found.scores[at] == pytest.approx(column(rows, "score"), abs=1e-12)
    # sdcMicro works with 32-bit floats here.
    assert found.dis[at] == pytest.approx(column(rows, "disScore"), rel=5e-7)
    for i, key in enumerate(case["variables"]):
        assert found.shares[i][at] == pytest.approx(column(rows, f"{key}_contribution"), abs=1e-12)
    for line in case["attribute_contributions"]:
        assert found.contributions[line["variable"]] == pytest.approx(line["contribution"], abs=1e-10)
    levels = case["attribute_level_contributions"]
    for key in case["variables"]:  # the values are told by number, in some files by labels: compare the multisets
        theirs = sorted(x["contribution"] or 0.0 for x in levels if x["variable"] == key)
        values = sorted(found.by_value[key].values())
        assert values[-len(theirs) :] == pytest.approx(theirs[-len(values) :], abs=1e-10)
    assert found.scores[at].sum() == pytest.approx(case["sum_score"])


@needs_shared
def test_two_keys_deviate_and_ours_is_the_definition() -> None:
    """sdcMicro finds no minimal unique of both keys when there are only two, and no DIS-SUDA at all."""
    case = json.loads((ORACLE / "04_suda2.json").read_text())["testdata2_2var"]
    rows, found, at = ours(case)
    expected = brute([(row["relat"], row["water"]) for row in rows], 2)
    by_hand = np.array([sum(factorial(2 - len(k)) for k in expected.get(r, ())) for r in range(len(rows))])
    assert found.scores[at].tolist() == by_hand.tolist()
    theirs = column(rows, "score")
    assert theirs.tolist() != by_hand.tolist()
    assert case["max_disScore"] is None
