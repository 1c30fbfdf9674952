"""Whose record is whose: found again from the audit, and never by a choice that depends on it."""

import csv
from pathlib import Path

import numpy as np
import pytest
import yaml
from people import plan_with, write_case

import incrowd as ic
from incrowd.errors import InputError
from incrowd.pipeline.trace import trace_plan, trace_release

STEPS = {
    "suppressed": [{"step": "suppress_records"}],
    "sampled": [{"step": "sample", "fraction": 0.7}, {"step": "suppress_records"}],
    "swapped": [{"step": "shuffle", "variables": ["note"]}, {"step": "suppress_records"}],
}


def _case(folder: Path, name: str) -> Path:
    first = [{"step": "drop", "variables": ["name"]}, {"step": "recode", "variable": "age", "bands": ["0", "40"]}]
    return write_case(folder, plan_with(steps=[*first, *STEPS[name]]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["suppressed", "sampled", "swapped"])
def test_a_release_is_traced_to_the_records_it_came_from(tmp_path: Path, name: str) -> None:
    path = _case(tmp_path, name)
    run = ic.run(path)
    with trace_release(run.release) as traced:
        situation = traced.situation()
    with (run.release / "people.csv").open() as file:
        written = list(csv.DictReader(file))
    assert situation.released.to_pylist() == written
    at_start = situation.at_start(["age", "sex", "ill", "note"]).to_pylist()
    assert len(set(situation.lines.tolist())) == len(written)
    for line, record in zip(situation.lines.tolist(), written, strict=True):
        assert record["sex"] == at_start[line]["sex"]
        assert record["ill"] == at_start[line]["ill"]
        assert situation.known["age"][line].as_py() == record["age"]
    assert np.array_equal(np.sort(situation.lines), np.flatnonzero(situation.inside))


def test_another_source_is_found_out(tmp_path: Path) -> None:
    run = ic.run(_case(tmp_path, "suppressed"))
    text = (tmp_path / "people.csv").read_text()
    other = tmp_path / "other.csv"
    other.write_text(text.replace("n3,23", "n3,24"))
    with trace_release(tmp_path / "release", original=tmp_path / "people.csv") as traced:
        assert traced.done.refusal is None
    other.write_text(text.replace(",y,", ",n,", 1))
    with pytest.raises(InputError, match="D193"), trace_release(run.folder, original=other):
        pass


def test_a_release_without_an_audit_is_refused(tmp_path: Path) -> None:
    run = ic.run(_case(tmp_path, "suppressed"))
    (run.audit / "secret").unlink()
    with pytest.raises(InputError, match="D192"), trace_release(run.release):
        pass


def test_a_plan_is_traced_without_a_release(tmp_path: Path) -> None:
    path = _case(tmp_path, "sampled")
    with trace_plan(path) as traced:
        assert traced.situation().released.num_rows == traced.done.log.end.records
    assert not (tmp_path / "release").exists()
    assert yaml.safe_load(path.read_text())


#: Steps that choose by chance, and the ones that lay records of several classes together.
CHOOSING = {
    "sample": [{"step": "sample", "fraction": 0.5}],
    "shuffle": [{"step": "shuffle", "variables": ["note"]}],
    "pram": [{"step": "pram", "variable": "ill", "rate": 0.3}],
    "cells": [{"step": "suppress_cells", "k": 3}],
    "local": [{"step": "search", "hierarchies": {"age": "auto", "sex": "auto"}, "local": True}],
    "rank swap": [{"step": "rank_swap", "variable": "note", "within": 0.2}],
    "noise": [{"step": "noise", "variables": ["note"], "sd": 1, "decimals": 0}],
}


@pytest.mark.parametrize("name", CHOOSING)
def test_which_of_two_equal_records_is_whose_is_settled_by_the_line(tmp_path: Path, name: str) -> None:
    """The release is the same bytes either way, but attacks draw from the records, and must draw the same each time."""
    lines = "".join(f"n{i},{20 + i % 4},{'fm'[i % 2]},{'yn'[i % 3 == 0]},{i % 5}\n" for i in range(600))
    recode = [{"step": "recode", "variable": "age", "bands": ["0", "21"]}] if name != "local" else []
    path = write_case(
        tmp_path,
        plan_with(steps=[{"step": "drop", "variables": ["name"]}, *recode, *CHOOSING[name]]),
        lines,
    )
    found = []
    for _ in range(2):
        with trace_plan(path) as traced:
            situation = traced.situation()
        found.append(situation.lines.tolist())
        records = situation.released.to_pylist()
        together = list(zip(records, records[1:], found[-1], found[-1][1:], strict=False))
        equal = [(first, second) for one, other, first, second in together if one == other]
        assert len(equal) > 100
        assert all(first < second for first, second in equal)
    assert found[0] == found[1]
