"""The recipe "An engine" of CONTRIBUTING.md, followed: one module that starts it, and what it says of itself."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from commands import call
from people import plan_with, write_case
from recipes import plan_page, recipe, registered

import incrowd as ic
from incrowd.errors import IncrowdError, InputError
from incrowd.plan import Plan, inspect_plan
from incrowd.rows.engine import connect
from incrowd.rows.engines import ENGINES, EngineKind
from incrowd.rows.engines.duckdb import DuckDB

WITH_TOY = plan_with(data={"source": "people.csv", "kind": "survey", "engine": "abacus"})


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[DuckDB]]:
    """An engine that is another one under a name of its own; those that were started."""
    engines: list[DuckDB] = []

    def start(*, master: Any, spill: Path | None, memory: str | None, limit: int | None) -> DuckDB:
        engines.append(DuckDB(spill, memory, limit))
        return engines[-1]

    module = ModuleType("abacus")
    module.start = start  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "abacus", module)
    ENGINES["abacus"] = EngineKind("abacus", "abacus", "An abacus", "abacus", on_this_machine=True)
    with registered(lambda: ENGINES.pop("abacus")):
        yield engines


def test_a_toy_engine_runs_and_is_seen(tmp_path: Path, started: list[DuckDB]) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "own").mkdir()
    toy, own = ic.run(write_case(tmp_path / "toy", WITH_TOY)), ic.run(write_case(tmp_path / "own"))
    assert started
    assert (toy.release / "people.csv").read_bytes() == (own.release / "people.csv").read_bytes()
    assert "engine: abacus" in "".join(file.read_text() for file in toy.audit.glob("plan.y*ml"))
    assert "abacus" in Plan.model_json_schema()["$defs"]["Data"]["properties"]["engine"]["enum"]
    assert "`abacus`" in plan_page()
    code, _, faults = call(f"incrowd check {tmp_path}/toy/plan.yaml")
    assert code == 0, faults


def test_an_unknown_engine_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"D319: there is no engine 'abacus'.*There are: duckdb, spark"):
        connect("abacus")
    (fault,) = inspect_plan(write_case(tmp_path, WITH_TOY).read_text(), tmp_path).faults
    assert (fault.code, fault.place) == ("P004", "data.engine")


def test_an_engine_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        ENGINES, "abacus", EngineKind("abacus", "no_such_abacus", "An abacus", "abacus", extra="abacus")
    )
    with pytest.raises(IncrowdError, match=r"X020: An abacus is not installed.*incrowd\[abacus\]"):
        connect("abacus")


def test_every_file_with_the_literal_is_an_engine() -> None:
    assert list(ENGINES) == ["duckdb", "spark"]
    assert [name for name, kind in ENGINES.items() if kind.on_this_machine] == ["duckdb"]
    assert [name for name, kind in ENGINES.items() if kind.takes_master] == ["spark"]


def test_the_recipe_names_the_file_and_the_line() -> None:
    text = recipe("An engine")
    assert "rows/engines/" in text
    assert "pyproject.toml" in text
