"""Uniques tables, distinction and separation, geography and tails: counted again by hand."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from risk_cases import ADULT, ADULT_KEYS, records, table_of
from shared import SHARED, needs_shared

from incrowd.keys import rollup
from incrowd.keys.population import join_population
from incrowd.keys.table import Recode, from_records
from incrowd.risk.choose import all_telling, availability, tails, telling
from incrowd.risk.geography import surviving_uniques
from incrowd.risk.record import file_risk, population_risk
from incrowd.risk.tables import by_geography, uniques_tables
from incrowd.risk.value import named
from incrowd.rows import open_source
from incrowd.rows.tabulate import tabulate


@given(records, records, st.booleans())
def test_every_table_equals_a_count_by_hand(rows: list, outside: list, sparse: bool) -> None:
    keys = len(rows[0])
    others = [(*row, *"aaaa")[:keys] for row in outside] + rows  # the file is part of the population
    table = join_population(table_of(rows)[0], table_of(others)[0])
    with pytest.MonkeyPatch.context() as patch:
        if sparse:
            patch.setattr(rollup, "NEVER_DENSE", 0)
        found = uniques_tables(table, "x", k=3).counts
    assert len(found) == sum(1 for size in range(1, 5) for _ in combinations(range(keys), size))
    for names, counted in found.items():
        at = [int(name[1:]) for name in names]
        here, there = (Counter(tuple(row[i] for i in at) for row in each) for each in (rows, others))
        assert counted.cells == len(here)
        assert counted.uniques == sum(n == 1 for n in here.values())
        assert counted.pairs == sum(n == 2 for n in here.values())
        assert counted.below == sum(n < 3 for n in here.values())
        assert counted.people_below == sum(n for n in here.values() if n < 3)
        assert counted.population_cells == len(there)
        assert counted.population_uniques == sum(n == 1 for n in there.values())
        assert counted.population_pairs == sum(n == 2 for n in there.values())
        assert counted.matched == sum(n == 1 and there[cell] == 1 for cell, n in here.items())


def test_people_with_several_records_are_counted_once() -> None:
    table = from_records({"age": ["30", "30", "40"], "sex": ["f", "f", "f"]}, unit=["p", "p", "q"])
    counts = uniques_tables(table, "x").counts
    assert (counts[("age",)].uniques, counts[("sex",)].pairs) == (2, 1)


def test_too_many_keys_or_dimensions_are_warned_of() -> None:
    many = from_records({f"k{i}": ["a", "b"] for i in range(7)})
    assert len(uniques_tables(many, "x").warnings) == 1
    assert len(uniques_tables(many, "x", ways=5).warnings) == 2
    assert not uniques_tables(from_records({"k": ["a"]}), "x").warnings


def test_the_key_that_singles_out_comes_first() -> None:
    table = from_records({"sex": list("fmfmfmfm"), "age": list("12345678"), "one": list("aaaaaaaa")})
    ranked = uniques_tables(table, "x", ways=2).contributions
    assert ranked[0].key == "age"
    assert ranked[0].added > ranked[1].added


@needs_shared
def test_adult_as_in_the_published_figures() -> None:
    table = tabulate(open_source(ADULT), ADULT_KEYS)
    risks = named(file_risk(table, "x"))
    assert risks["prosecutor_mean"].value == 0.6465751607983555
    assert risks["uniques"].value == 0.5142895033485844
    figures = {("age",): (0.0023871096, 0.9781172561), ("sex",): (0.0000663086, 0.4382843481),
               tuple(ADULT_KEYS): (0.6465751608, 0.9999063224)}  # fmt: skip
    for keys, (distinction, separation) in figures.items():
        found = telling(table, keys)
        assert found.distinction == pytest.approx(distinction, abs=5e-11)
        assert found.separation == pytest.approx(separation, abs=5e-11)
    assert telling(table, ["race"]).separation == pytest.approx(0.2510168706, abs=5e-11)


@needs_shared
def test_adult_as_pycanon_counts_it() -> None:
    cases = json.loads((SHARED / "data" / "pycanon" / "adult.json").read_text())["cases"]
    for case in cases.values():
        expected = case["independent"]
        table = tabulate(open_source(ADULT), case["qi"])
        risks = named(file_risk(table, "x"))
        assert risks["prosecutor_max"].value == expected["prosecutor_max"]
        assert risks["prosecutor_mean"].value == pytest.approx(expected["prosecutor_avg"], rel=1e-15)
        counts = uniques_tables(table, "x", ways=len(case["qi"]), k=5).counts[table.names]
        assert (counts.cells, counts.uniques) == (expected["classes"], expected["uniques"])
        assert counts.people_below == expected["records_in_classes_lt"]["5"]
        histogram = table.size_histogram()
        assert {size: histogram.get(int(size), 0) for size in expected["size_hist"]} == expected["size_hist"]


@given(records)
def test_separation_is_the_share_of_pairs_told_apart(rows: list) -> None:
    if len(rows) < 2:
        return
    found = telling(table_of(rows)[0], [f"k{i}" for i in range(len(rows[0]))])
    pairs = list(combinations(rows, 2))
    assert found.separation == pytest.approx(sum(a != b for a, b in pairs) / len(pairs))
    assert found.distinction == len(set(rows)) / len(rows)


def test_separation_does_not_overflow() -> None:
    table = from_records({"sex": ["f", "m"]})
    big = type(table)(table.domains, table.codes, np.array([3_000_000_000, 3_000_000_000]))
    assert telling(big, ["sex"]).separation == pytest.approx(0.5, abs=1e-9)


def test_population_risk_is_counted_against_the_population() -> None:
    file, population = from_records({"a": ["x", "x", "y", "z"]}), from_records({"a": list("xxxxyyz")})
    risks = named(population_risk(join_population(file, population), "x"))
    assert risks["journalist_max"].value == 1.0
    assert risks["marketer"].value == pytest.approx((2 / 4 + 1 / 2 + 1) / 4)
    assert risks["population_uniques_in_file"].value == 0.25
    odd = named(population_risk(join_population(file, from_records({"a": ["x"]})), "x"))
    assert "3 classes" in odd["marketer"].why
    assert odd["marketer"].value == pytest.approx(3 / 4)


def test_special_uniques_survive_coarser_geography() -> None:
    table = from_records({"area": ["a1", "a2", "b1", "b1"], "age": ["99", "20", "20", "30"]})
    region = Recode.from_values("area", [value and value[0] for value in table.domains[0].values])
    found = surviving_uniques(table, "area", [("region", region)])
    assert [(s.level, s.uniques, s.surviving) for s in found] == [("area", 4, 4), ("region", 4, 4), ("none", 2, 2)]
    levels = by_geography(table, {"area": None, "region": region}, "area", "x")
    assert levels["area"].counts[("area",)].uniques == 2
    assert levels["region"].counts[("area",)].uniques == 0


def test_tails_say_where_to_top_code_and_who_stands_alone() -> None:
    ages = [str(20 + i % 30) for i in range(900)] + ["97", "98", "99"] + ["unknown"]
    table = from_records({"age": ages, "sex": ["fm"[i % 2] for i in range(len(ages))]})
    bottom, top = tails(table, "age", ["sex"], k=10, share=0.004)
    assert (top.people_beyond, top.code_at, top.people_in_tail, top.alone_with_visible) == (3, 49.0, 3, 1)
    assert (bottom.people_beyond, bottom.code_at) == (0, 20.0)


def test_who_could_know_a_variable() -> None:
    seen = availability("sex", {"passer_by": "yes", "neighbours": "yes", "guess": "partly"}, 0.5, "visible")
    assert (seen.availability, seen.priority) == (0.5, 0.25)
    found = all_telling(from_records({"a": list("xyz"), "b": list("xxy")}))
    assert [t.keys for t in found] == [("a",), ("b",), ("a", "b")]
