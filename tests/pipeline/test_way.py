"""The way of the data: one screen, every stage one call in the documented order, the plan read once."""

import inspect
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from people import plan_with, write_case
from typer.testing import CliRunner

import incrowd as ic
from incrowd import cli, pipeline
from incrowd.pipeline import check
from incrowd.pipeline.tiers import run_tiers

#: What run does, in the words of its docstring, and the call that does it.
STAGES = {
    "check": "check_to_release", "open": "open_data", "count": "count_data", "measure": "measure_before",
    "protect step by step": "protect_data", "write": "write_data", "gate": "ask_gate", "attack": "attack_written",
    "compare with its series": "compare_series", "measure ": "measure_after", "report": "write_reports",
    "publish": "publish_run",
}  # fmt: skip
DROP = {"step": "drop", "variables": ["name"]}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "40"]}


def test_run_fits_on_one_screen_and_reads_like_its_docstring() -> None:
    assert len(inspect.getsource(pipeline.run).splitlines()) < 80
    said = " ".join((pipeline.run.__doc__ or "").split())
    assert ", ".join(word.strip() for word in STAGES) in said
    source = inspect.getsource(pipeline.run)
    assert re.findall("|".join(STAGES.values()), source) == list(STAGES.values())


def test_each_stage_is_called_once_in_order_with_the_value_of_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[tuple[str, Any, Any]] = []

    def spied(name: str) -> Callable[..., Any]:
        real = getattr(pipeline, name)

        def stage(*given: Any) -> Any:
            found = real(*given)
            called.append((name, given, found))
            return found

        return stage

    for name in STAGES.values():
        monkeypatch.setattr(pipeline, name, spied(name))
    plan = plan_with(attack=[{"attacks": ["linkage"]}], scenarios=[{"name": "neighbour", "keys": ["age"]}])
    run = pipeline.run(write_case(tmp_path, plan))
    assert [name for name, _, _ in called] == list(STAGES.values())
    for (_, _, before), (name, given, after) in pairwise(called[1:]):
        assert len(given) == 1, name
        assert given[0] is before, name
        assert after is not before, name
    assert called[-1][2] is run


def test_no_stage_knows_a_later_one() -> None:
    order = [
        "check",
        "job",
        "open",
        "count",
        "before",
        "protect",
        "write",
        "gate",
        "attack",
        "series",
        "after",
        "report",
        "publish",
    ]
    folder = Path(inspect.getfile(pipeline)).parent
    for number, name in enumerate(order):
        known = re.findall(r"^from incrowd\.pipeline\.(\w+) import", (folder / f"{name}.py").read_text(), re.MULTILINE)
        assert set(known) <= {*order[:number], "prepare", "progress", "series_limits", "series_names"}, name


def test_the_file_as_it_came_is_measured_before_the_first_step(tmp_path: Path) -> None:
    begun: list[str] = []
    plan = plan_with(scenarios=[{"name": "neighbour", "keys": ["age", "sex"]}])
    with pytest.MonkeyPatch.context() as patch:
        real = pipeline.measure_before
        patch.setattr(pipeline, "measure_before", lambda counted: begun.append("measured") or real(counted))
        run = pipeline.run(write_case(tmp_path, plan), progress=lambda what, number, total: begun.append(what))
    assert begun[:3] == ["read and count", "measured", "drop"]
    assert [risk.before.records for risk in run.log.risks] == [60]
    assert run.log.risks[0].after is not None


@pytest.mark.slow
@pytest.mark.parametrize("tiers", [False, True])
def test_a_plan_is_read_and_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiers: bool) -> None:
    read: list[str] = []
    real = check.inspect_plan
    monkeypatch.setattr(check, "inspect_plan", lambda text, folder: read.append(text) or real(text, folder))
    monkeypatch.setattr("incrowd.plan.load.inspect_plan", lambda *_: pytest.fail("read by another way"))
    plan = plan_with(steps=[DROP, BANDS, {"step": "suppress_records"}])
    if tiers:
        del plan["tier"]
        plan["tiers"] = [{"tier": "open"}, {"tier": "safeguarded"}]
    path = write_case(tmp_path, plan)
    found = CliRunner().invoke(cli.load(), ["run", str(path), "--json"])
    assert found.exit_code == 0, found.output
    assert read == [path.read_text()]


def test_one_tier_alone_is_never_released(tmp_path: Path) -> None:
    plan = plan_with(tiers=[{"tier": "open"}, {"tier": "safeguarded"}])
    del plan["tier"]
    path = write_case(tmp_path, plan)
    for run in (ic.run, pipeline.run, run_tiers):
        with pytest.raises(ic.InputError, match="D252"):
            run(f"{path}@open")
    assert not (tmp_path / "runs").exists()
