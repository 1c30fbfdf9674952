"""General measures of utility, against scipy, scikit-learn and brute force."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from utility_cases import Columns, good, kept, people, shuffled

from incrowd.keys.table import from_records
from incrowd.keys.tally import Tally, tally_records
from incrowd.rows.engine import connect
from incrowd.rows.frame import Rows
from incrowd.rows.tallying import tally
from incrowd.utility.distances import correlation_ratio, cramers_v, distance
from incrowd.utility.loss import lost_by_key, measure_loss
from incrowd.utility.propensity import propensity

ORIGINAL = people(3000)
COLUMNS = ("job", "sex", "area", "ill")


def counted(columns: Columns, *names: str) -> Tally:
    return tally_records(columns, ["pay", "age"]).by(names)


def numbers(columns: Columns, name: str) -> np.ndarray:
    return np.array([float(str(value)) for value in columns[name]])


values = st.sampled_from(["a", "b", "", None, "10", "2.5", "-3"])


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.tuples(values, values, values), min_size=1, max_size=25))
def test_the_engine_counts_like_plain_python(rows: list[tuple[str | None, ...]]) -> None:
    names = ("one", "x", "y")
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    engine = connect()
    table = pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})
    found = tally(Rows(engine, engine.lookup(table), "rows"), ["one"], [("x", "x"), ("x", "y")])
    expected = tally_records(columns, ["x", "y"]).by(["one"])
    at = {value: i for i, value in enumerate(found.values("one"))}
    order = [at[value] for value in expected.values("one")]
    assert len(order) == len(at)
    assert found.records[order].tolist() == expected.records.tolist()
    for pair in (("x", "x"), ("x", "y")):
        for name in ("n", "mean_x", "mean_y", "xx", "yy", "xy"):
            one, other = getattr(found.moments[pair], name)[order], getattr(expected.moments[pair], name)
            assert one == pytest.approx(other, abs=1e-9)


def test_moments_keep_their_digits_where_a_number_is_large_and_varies_little() -> None:
    columns: Columns = {"g": ["a", "b"] * 50, "x": [str(10**9 + i % 3) for i in range(100)]}
    expected = np.var([i % 3 for i in range(100)]) * 100
    assert tally_records(columns, ["x"]).by([]).moments["x", "x"].xx[0] == pytest.approx(expected, rel=1e-6)


def test_distances_are_those_of_scipy() -> None:
    released = good(ORIGINAL)
    released = {**released, "pay": [str(float(str(p)) * 1.05) for p in released["pay"]]}
    found = distance("pay", counted(ORIGINAL, "pay"), counted(released, "pay"))
    one, other = numbers(ORIGINAL, "pay"), numbers(released, "pay")
    assert found.ks == pytest.approx(stats.ks_2samp(one, other).statistic)
    assert found.wasserstein == pytest.approx(stats.wasserstein_distance(one, other) / one.std())
    found = distance("area", counted(ORIGINAL, "area"), counted(released, "area"))
    p, q = Counter(ORIGINAL["area"]), Counter(released["area"])
    n, m = p.total(), q.total()
    assert found.total_variation == pytest.approx(sum(abs(p[v] / n - q[v] / m) for v in {*p, *q}) / 2)
    assert found.ks is None  # a category


def test_associations_are_those_of_scipy() -> None:
    cells = stats.contingency.crosstab(np.array(ORIGINAL["area"]), np.array(ORIGINAL["ill"])).count
    assert cramers_v(counted(ORIGINAL, "area", "ill"), "area", "ill") == pytest.approx(
        stats.contingency.association(cells, method="cramer")
    )
    pay, job = numbers(ORIGINAL, "pay"), np.array(ORIGINAL["job"])
    between = sum((job == j).sum() * (pay[job == j].mean() - pay.mean()) ** 2 for j in set(ORIGINAL["job"]))
    expected = np.sqrt(between / ((pay - pay.mean()) ** 2).sum())
    assert correlation_ratio(counted(ORIGINAL, "job"), "job", "pay") == pytest.approx(expected)


def propensity_by_sklearn(original: Columns, released: Columns) -> tuple[float, float]:
    """pMSE and SPECKS on the records themselves."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import OneHotEncoder

    rows = [list(row) for file in (original, released) for row in zip(*(file[c] for c in COLUMNS), strict=True)]
    label = np.r_[np.zeros(len(original["job"])), np.ones(len(released["job"]))]
    matrix = OneHotEncoder(drop="first").fit_transform(np.array(rows)).toarray()
    model = LogisticRegression(C=1e9, max_iter=2000, tol=1e-10, solver="newton-cholesky").fit(matrix, label)
    scores = model.predict_proba(matrix)[:, 1]
    pmse = float(((scores - label.mean()) ** 2).mean())
    return pmse, float(stats.ks_2samp(scores[label == 0].round(9), scores[label == 1].round(9)).statistic)


def biased(columns: Columns) -> Columns:
    """Without most of one area: what suppression does to a minority."""
    rng = np.random.default_rng(2)
    stay = [i for i, area in enumerate(columns["area"]) if area != "area5" or rng.random() < 0.2]
    return {name: [column[i] for i in stay] for name, column in columns.items()}


def test_pmse_and_specks_are_those_of_scikit_learn() -> None:
    released = biased(ORIGINAL)
    found = propensity(counted(ORIGINAL, *COLUMNS), counted(released, *COLUMNS), COLUMNS)
    assert found is not None
    pmse, specks = propensity_by_sklearn(ORIGINAL, released)
    assert found.pmse == pytest.approx(pmse, rel=1e-4)
    assert found.specks == pytest.approx(specks, abs=1e-6)
    c, n = len(released["job"]), len(ORIGINAL["job"]) + len(released["job"])
    assert found.terms == 1 + 2 + 1 + 5 + 1
    assert found.null == pytest.approx(9 * (1 - c / n) ** 2 * (c / n) / n)
    assert found.ratio == pytest.approx(found.pmse / found.null)


def test_the_null_ratios_are_one_for_what_they_call_perfect() -> None:
    fresh, dropped = [], []
    for seed in range(12):
        drawn = np.random.default_rng(seed + 50).integers(0, 3000, 3000)
        again = kept(ORIGINAL, drawn.tolist())
        found = propensity(counted(ORIGINAL, *COLUMNS), counted(again, *COLUMNS), COLUMNS)
        rows = np.random.default_rng(seed).random(3000) < 0.7
        part = {name: [v for v, stay in zip(column, rows, strict=True) if stay] for name, column in ORIGINAL.items()}
        random = propensity(counted(ORIGINAL, *COLUMNS), counted(part, *COLUMNS), COLUMNS)
        assert found is not None
        assert random is not None
        assert found.ratio is not None
        assert random.than_random is not None
        fresh.append(found.ratio)
        dropped.append(random.than_random)
    assert 0.7 < float(np.mean(fresh)) < 1.4
    assert 0.7 < float(np.mean(dropped)) < 1.4
    bad = propensity(counted(ORIGINAL, *COLUMNS), counted(biased(ORIGINAL), *COLUMNS), COLUMNS)
    assert bad is not None
    assert bad.ratio is not None
    assert bad.ratio > 20


def test_a_shuffled_column_shows_in_associations_and_not_in_single_columns() -> None:
    bad = shuffled(ORIGINAL, "ill")
    one, other = counted(ORIGINAL, "area", "ill"), counted(bad, "area", "ill")
    assert distance("ill", one, other).total_variation == 0
    assert cramers_v(one, "area", "ill") > 5 * cramers_v(other, "area", "ill")


keys = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=2, max_size=30)


@settings(max_examples=examples(40), deadline=None)
@given(keys, st.data())
def test_loss_is_the_mean_over_keys_and_records_of_the_definition(
    rows: list[tuple[str, str]], data: st.DataObject
) -> None:
    label = {"a": "ab", "b": "ab", "c": "c", "d": "d"}
    stay = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    at_start = from_records({"one": [r[0] for r in rows], "two": [r[1] for r in rows]})
    original = from_records({"one": [label[r[0]] for r in rows], "two": [r[1] for r in rows]})
    left = [r for r, s in zip(rows, stay, strict=True) if s]
    present = {r[0] for r in rows}
    leaves = {"one": dict(Counter(label[value] for value in present))}
    if not left:
        return
    released = from_records({"one": [label[r[0]] for r in left], "two": [r[1] for r in left]})
    found = measure_loss(at_start, original, released, leaves)
    span = len(present) - 1
    cells = [(leaves["one"][label[r[0]]] - 1) / span if span else 0.0 for r in left]
    gone = len(rows) - len(left)
    expected = (sum(cells) + gone) / len(rows), gone / len(rows)
    assert (found.keys["one"], found.keys["two"]) == pytest.approx(expected)
    assert found.arithmetic == pytest.approx(sum(expected) / 2)
    assert found.discernibility == sum(n * n for n in Counter((label[r[0]], r[1]) for r in left).values()) + gone * len(
        rows
    )
    for group in lost_by_key(original, released):
        at = {"one": 0, "two": 1}[group.variable]
        before = [label.get(r[at], r[at]) == group.value for r in rows]
        assert group.records == sum(before)
        assert group.lost == sum(b and not s for b, s in zip(before, stay, strict=True))


def test_labels_of_single_classes_have_no_one_loss() -> None:
    table = from_records({"one": ["a", "b", "c"]})
    found = measure_loss(table, table, from_records({"one": ["a-b", "a-b", "c"]}), {})
    assert found.arithmetic is None
    assert found.why
    blank = measure_loss(table, table, from_records({"one": ["a", None, "c"]}), {})
    assert blank.arithmetic == pytest.approx(1 / 3)
