"""Cells that a spreadsheet would run: counted and told, and made harmless where the plan says so."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case

import incrowd as ic
from incrowd.intruder_test.claims import Claim
from incrowd.intruder_test.custodian import Judged
from incrowd.intruder_test.deciding import undecided_csv
from incrowd.keys.spreadsheet import is_formula, neutral
from incrowd.plan import inspect_plan, read_text
from incrowd.report.dictionary import DictionaryRow, dictionary_csv
from incrowd.rows import open_source
from incrowd.rows.spreadsheet import count_formulas, neutralise

#: As a Japanese keyboard writes them.
WIDE = "\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH COMMERCIAL AT}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}"
TEXTS = st.text(st.sampled_from("=@+-'\t\r\n0159.,e%aé |\"" + WIDE), max_size=7) | st.text(max_size=5)


@pytest.mark.parametrize(
    "text",
    ["=1+1", "@SUM(A1)", "+44 20 7946", "-A1", "\t=1", "\r=1", "=", "@", "--1", "-5 to 10", "+1+1", "-5\n", WIDE],
)
def test_what_a_spreadsheet_runs_is_a_formula(text: str) -> None:
    assert is_formula(text)
    assert neutral(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["-5", "+3.2", "-1,234.50", "-.5", "-1e-7", "-12%", "-", "+", "", "a=1", "'=1", "5-1", " "]
)
def test_numbers_and_other_texts_are_none(text: str) -> None:
    assert not is_formula(text)


@given(st.lists(TEXTS, max_size=20))
def test_nothing_is_run_afterwards_and_no_two_values_become_one(texts: list[str]) -> None:
    made = [neutral(text) for text in texts]
    assert not any(is_formula(text) for text in made)
    assert len(set(made)) == len(set(texts))
    changed = [(old, new) for old, new in zip(texts, made, strict=True) if old != new]
    assert all(new == f"'{old}" for old, new in changed)
    # The way back: take one apostrophe from every text that has one before a formula.
    assert [new[1:] if new[:1] == "'" and is_formula(new.lstrip("'")) else new for new in made] == texts


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(TEXTS.filter(lambda text: "\x00" not in text), min_size=1, max_size=12))
def test_the_engine_and_python_say_the_same(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("texts") / "texts.parquet"
    pa.parquet.write_table(pa.table({"text": pa.array(texts, pa.string()), "n": list(range(len(texts)))}), path)
    rows = open_source(path)
    try:
        assert count_formulas(rows) == ({"text": many} if (many := sum(map(is_formula, texts))) else {})
        found = rows.collect(neutralise(rows, rows.columns).table.order_by("n"), "all")
        assert found["text"].to_pylist() == [neutral(text) for text in texts]
    finally:
        rows.close()


TOWNS = ("=1+1", "'=1+1", "Ayton", "-5")


def _case(folder: Path, **changes: Any) -> Path:
    """Towns of which two are formulas' kin, illnesses with an @, notes with plus signs, and a band below zero."""
    variables = {
        "name": {"role": "identifier", "reason": "names"}, "age": {"role": "key", "reason": "seen"},
        "town": {"role": "key", "reason": "seen"}, "ill": {"role": "sensitive", "reason": "private"},
        "note": {"role": "other", "reason": "harmless", "label": "=cmd()"},
    }  # fmt: skip
    steps = [
        {"step": "drop", "variables": ["name"]}, {"step": "recode", "variable": "age", "bands": ["-10", "0", "40"]},
        {"step": "suppress_records"},
    ]  # fmt: skip
    plan = plan_with(**{"variables": variables, "steps": steps, **changes})
    path = write_case(folder, plan)
    lines = [f"n{i},{i % 50 - 5},{TOWNS[i % 4]},{'@y' if i % 3 else 'n'},+{i % 2} {i}\n" for i in range(200)]
    (folder / "people.csv").write_text("name,age,town,ill,note\n" + "".join(lines))
    return path


def _released(run: Any) -> list[dict[str, str]]:
    with (run.release / "people.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_formulas_are_kept_byte_for_byte_counted_and_told(tmp_path: Path) -> None:
    done = ic.run(_case(tmp_path))
    rows = _released(done)
    true = {name: sum(is_formula(row[name]) for row in rows) for name in rows[0]}
    assert all(true.values())  # also in age: -10--1 is a label of ours
    assert done.log.formulas == {name: number for name, number in true.items() if number}
    assert any("begin like formulas" in note and f"town: {true['town']}" in note for note in done.notes)
    assert any("dictionary.csv" in note for note in done.notes)
    public, inside = (done.release / "report.html").read_text(), (done.audit / "report.html").read_text()
    assert "begin like formulas" in public
    assert "<code>town</code>" in public
    assert f"<code>town</code> {true['town']}" in inside


@pytest.mark.slow
def test_neutralised_formulas_change_no_class_and_the_gate_counts_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    requirements = [
        {"model": "k", "k": "3"}, {"model": "distinct_l", "sensitive": "ill", "l": "2"},
        {"model": "t", "sensitive": "ill", "t": "0.6"}, {"model": "one_sided", "sensitive": "ill", "value": "n"},
        {"model": "k", "k": "2", "where": {"town": ["Ayton"]}},
        {"model": "t", "sensitive": "ill", "t": "0.9", "distance": "hierarchical", "hierarchy": "ill.csv"},
    ]  # fmt: skip
    for folder in "ab":
        (tmp_path / folder / "ill.csv").write_text("@y;some;*\nn;none;*\n'@y;none;*\n")
    attack = [{"attacks": ["linkage", "singling_out"]}]
    scenarios = [{"name": "neighbour", "keys": ["age", "town"]}]
    more: dict[str, Any] = {"requirements": requirements, "scenarios": scenarios, "attack": attack}
    steps = _steps()
    plain = ic.run(_case(tmp_path / "a", steps=steps, **more))
    done = ic.run(_case(tmp_path / "b", steps=steps, release={"name": "people", "formulas": "neutralise"}, **more))
    rows = _released(done)
    assert not any(is_formula(cell) for row in rows for cell in row.values())
    assert Counter(tuple(row.values()) for row in rows) == Counter(
        tuple(map(neutral, row.values())) for row in _released(plain)
    )
    assert {row["town"] for row in rows} == {"'=1+1", "''=1+1", "Ayton", "-5"}
    assert done.log.formulas == {}
    assert done.log.end == plain.log.end
    assert [v.achieved for v in done.log.verdicts] == pytest.approx([v.achieved for v in plain.log.verdicts])
    assert [a.success for a in done.log.attacks] == [a.success for a in plain.log.attacks]
    assert done.log.steps[-1].name == "formulas"
    assert "begin like formulas" not in (done.release / "report.html").read_text()
    with (done.release / "dictionary.csv").open(newline="") as file:
        assert not any(is_formula(cell) for line in csv.reader(file) for cell in line)
    ic.reproduce(done.folder)


def _steps() -> list[dict[str, Any]]:
    return [
        {"step": "drop", "variables": ["name"]}, {"step": "recode", "variable": "age", "bands": ["-10", "0", "40"]},
        {"step": "suppress_records"},
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "requirement",
    [
        {"model": "one_sided", "sensitive": "ill", "value": "@y"},
        {"model": "k", "k": "2", "where": {"town": ["=1+1"]}},
        {"model": "k", "k": "2", "where": {"town": ["Ayton", "'=1+1"]}},
        {"model": "t", "sensitive": "ill", "t": "0.9", "distance": "ordered", "order": ["n", "@y"]},
    ],
)
def test_a_value_that_would_get_another_name_cannot_be_required(tmp_path: Path, requirement: dict[str, Any]) -> None:
    path = _case(tmp_path, requirements=[requirement], release={"name": "people", "formulas": "neutralise"})
    assert [fault.code for fault in inspect_plan(read_text(path), tmp_path).faults] == ["P086"]
    ic.run(_case(tmp_path, requirements=[{**requirement, "alpha": "1"} if "value" in requirement else requirement]))


def test_a_name_of_a_column_is_told_and_refused_when_formulas_are_to_go(tmp_path: Path) -> None:
    variables = {
        "name": {"role": "identifier", "reason": "names"}, "age": {"role": "key", "reason": "seen"},
        "=cmd()": {"role": "other", "reason": "harmless"},
    }  # fmt: skip
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "suppress_records"}]
    path = write_case(tmp_path, plan_with(variables=variables, steps=steps))
    (tmp_path / "people.csv").write_text("name,age,=cmd()\n" + "".join(f"n{i},{i % 4},x\n" for i in range(40)))
    done = ic.run(path)
    assert any("names of 1 released columns" in note for note in done.notes)
    assert "=cmd()" in (done.release / "report.html").read_text()
    refused = plan_with(variables=variables, steps=steps, release={"name": "people", "formulas": "neutralise"})
    assert [f.code for f in inspect_plan(read_text(write_case(tmp_path, refused)), tmp_path).faults] == ["P085"]


def test_the_files_that_people_open_run_nothing() -> None:
    row = DictionaryRow("=a", "@b", "category", 2, ("-5", "+c"), codes={"=x": "y"})
    for line in list(csv.reader(io.StringIO(dictionary_csv([row], neutral=True))))[1:]:
        assert not any(is_formula(cell) for cell in line)
    claim = Claim(None, "=HYPERLINK()", 3, "pay", "-5", 50, "@web", (), "+because", 1)
    line = list(csv.reader(io.StringIO(undecided_csv([Judged(1, claim, None)]))))[1]
    assert not any(is_formula(cell) for cell in line)
    assert "-5" in line  # a number stays a number


def test_classes_that_stay_in_the_engine_are_neutralised_alike(tmp_path: Path) -> None:
    data = {"source": "people.csv", "kind": "survey", "limit": "3"}
    done = ic.run(_case(tmp_path, data=data, release={"name": "people", "formulas": "neutralise"}))
    rows = _released(done)
    assert done.log.end.classes > 3  # too many to be held here
    assert not any(is_formula(cell) for row in rows for cell in row.values())
    assert {row["town"] for row in rows} == {"'=1+1", "''=1+1", "Ayton", "-5"}
