"""What only people can say: faults of attestations, what is missing, and that the audit keeps them."""

from __future__ import annotations

import copy
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from board import ATTEST, WHOLE, run
from people import plan_with, write_case

from incrowd.pipeline import FileRun
from incrowd.plan import inspect_plan
from incrowd.plan.attest import ASKED as ATTESTED
from incrowd.plan.attest import Attest, check_attest


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileRun, str]:
    return run(tmp_path_factory.mktemp("whole"), **WHOLE, attest=ATTEST)


def faults(**attest: Any) -> dict[str, str]:
    found = inspect_plan(yaml.safe_dump(plan_with(attest=attest)), Path("/nowhere")).faults
    return {fault.place: f"{fault.code} {fault.hint}" for fault in found if fault.code != "P020"}


GOOD = {"role": "lead", "date": "2026-01-31", "text": "done"}


@pytest.mark.parametrize(
    ("attest", "place", "code"),
    [
        ({"consultaton": GOOD}, "attest.consultaton", "P002 Did you mean 'consultation'?"),
        ({"dpia": {**GOOD, "date": "31.1.2026"}}, "attest.dpia.date", "P059"),
        ({"dpia": {**GOOD, "date": "2026-02-30"}}, "attest.dpia.date", "P059"),
        ({"dpia": {**GOOD, "date": "9999-01-01"}}, "attest.dpia.date", "P064"),
        ({"dpia": {**GOOD, "text": "TBC"}}, "attest.dpia.text", "P066"),
        ({"review": {"role": "x", "next": "soon", "triggers": ["y"]}}, "attest.review.next", "P059"),
        ({"review": {"role": "x", "next": "2026-01-01", "triggers": ["y"]}, "sign_off": ATTEST["sign_off"]},
         "attest.review.next", "P065"),
        ({"sign_off": [{"role": "b", "date": "9999-01-01", "decision": "release"}]}, "attest.sign_off.0.date", "P064"),
        ({"accepted_risk": {**GOOD, "open": "0.5"}}, "attest.accepted_risk.open", "P004"),
        ({"accepted_risk": {**GOOD, "date": "x"}}, "attest.accepted_risk.date", "P059"),
    ],
)  # fmt: skip
def test_faults_of_attestations(attest: dict[str, Any], place: str, code: str) -> None:
    assert faults(**attest).get(place, "").startswith(code), faults(**attest)


def test_today_is_not_the_future_and_what_is_missing_is_no_fault() -> None:
    assert not faults()
    assert not faults(**copy.deepcopy(ATTEST))
    given = Attest.model_validate({"dpia": {**GOOD, "date": "2026-03-01"}})
    assert not list(check_attest(given, date(2026, 3, 1)))
    assert [fault.code for fault in check_attest(given, date(2026, 2, 28))] == ["P064"]
    assert len(given.missing()) == len(ATTESTED) - 1 + 2


def test_check_counts_what_is_not_attested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from incrowd.cli.check import check

    path = write_case(tmp_path, plan_with(attest={"dpia": GOOD}))
    check(path)
    assert f"Not attested yet ({len(ATTESTED) + 1}): data_situation" in " ".join(capsys.readouterr().out.split())
    check(write_case(tmp_path, plan_with(attest=ATTEST)))
    assert "Not attested" not in capsys.readouterr().out


def test_attestations_survive_the_audit(whole: tuple[FileRun, str], tmp_path: Path) -> None:
    again = inspect_plan((whole[0].audit / "plan.yaml").read_text(), tmp_path).plan
    assert again is not None
    assert again.attest == Attest.model_validate(ATTEST)
