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
