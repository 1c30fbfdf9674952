"""Risk of files and plans: households in the engine, the command, scenarios in plans, the report."""

from __future__ import annotations

import csv
import json
import os
import runpy
from pathlib import Path

import numpy as np
import pytest
from commands import call
from people import plan_with, write_case
from risk_cases import ORACLE, column, read
from shared import SHARED, needs_shared

from incrowd.errors import InputError, PlanError
from incrowd.pipeline import run
from incrowd.pipeline.check import load_plan
from incrowd.risk.background import Background
from incrowd.risk.record import individual_risk
from incrowd.risk.value import named
from incrowd.rows import open_source
from incrowd.rows.figures import add_household_risk, join_figures, number_lines, weigh
from incrowd.rows.frame import LINE
from incrowd.tasks.risk import risk

FIVE = ["urbrur", "roof", "walls", "water", "sex"]
SEVEN = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
SCENARIOS = [
    {"name": "neighbour", "keys": ["age", "sex"], "error": {"age": "0.1"}, "knows_who_is_in": "false"},
    {"name": "colleague", "keys": ["age"]},
]


@needs_shared
@pytest.mark.parametrize(
    ("case", "keys", "weight"), [("testdata5_w100_hid", FIVE, "sampling_weight"), ("testdata7_w2_hid", SEVEN, "w2")]
)
def test_household_risk_as_sdcmicro(case: str, keys: list[str], weight: str) -> None:
    rows = open_source(ORACLE / "02_input_testdata_w2.csv")
    table, weights = weigh(rows, keys, weight)
    f = table.records.astype(float)
    p = f / weights
    theirs = np.where(f > 2, p / (f - (1 - p)), individual_risk(f, weights))  # sdcMicro's approximation above 2
    joined = join_figures(number_lines(rows), table, {"f": f, "ln": np.log1p(-theirs)})
    found = add_household_risk(joined, "ori_hid", "ln", "home")
    data = found.collect(found.table.order_by(LINE).select("f", "home"))
    expected = read(f"02_risk_{case}.csv")
    assert data["f"].to_pylist() == column(expected, "fk").tolist()
    assert data["home"].to_numpy() == pytest.approx(column(expected, "hier_risk"), rel=1e-9)
    summary = json.loads((ORACLE / "02_measure_risk_global.json").read_text())[case]
    assert float(data["home"].to_numpy().sum()) == pytest.approx(summary["hier_risk_ER"], rel=1e-9)


def people(folder: Path, lines: str) -> Path:
    path = folder / "people.csv"
    path.write_text("age,home,w\n" + lines)
    return path


def test_a_household_with_somebody_certain_is_certain_and_a_missing_one_is_its_own(tmp_path: Path) -> None:
    file = people(tmp_path, "30,a,4\n30,a,4\n40,a,1\n50,b,8\n50,b,8\n60,,3\n")
    out = tmp_path / "records.csv"
    found = risk(file, ["age"], background=Background(weights="w", household="home"), measures=["record"], records=out)
    with out.open(newline="") as text:
        rows = list(csv.DictReader(text))
    assert [row["line"] for row in rows] == list("123456")
    home = [float(row["household_risk"]) for row in rows]
    one = [float(row["individual"]) for row in rows]
    assert home[:3] == [1.0, 1.0, 1.0]
    assert home[3] == pytest.approx(1 - (1 - one[3]) ** 2)
    assert home[5] == pytest.approx(one[5])
    assert named(found.measured[0].risks)["household_max"].value == 1.0
    assert os.stat(out).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("bad", ["", "x", "0", "-1", "inf", "nan"])
def test_every_record_needs_a_weight_above_zero(tmp_path: Path, bad: str) -> None:
    with pytest.raises(InputError) as fault:
        weigh(open_source(people(tmp_path, f"30,a,4\n30,a,{bad}\n")), ["age"], "w")
    assert fault.value.code == "D101"


def test_weights_stay_with_their_classes_beside_a_population(tmp_path: Path) -> None:
    file = people(tmp_path, "30,a,4\n50,b,8\n")
    outside = tmp_path / "all.csv"
    outside.write_text("age,n\n30,5\n40,7\n50,9\n")
    background = Background(weights="w", population=outside, population_count="n")
    risks = named(risk(file, ["age"], background=background, measures=["record"]).measured[0].risks)
    assert risks["marketer"].value == pytest.approx((1 / 5 + 1 / 9) / 2)
    expected = individual_risk(np.array([1.0, 1.0]), np.array([4.0, 8.0])).sum()
    assert risks["expected_links"].value == pytest.approx(expected)


def test_the_command_prints_json_and_writes_chart_and_records(tmp_path: Path) -> None:
    write_case(tmp_path)
    file, chart, out = tmp_path / "people.csv", tmp_path / "heat.svg", tmp_path / "r.csv"
    code, text, _ = call(
        f"incrowd risk {file} --keys age,sex --sampling-fraction 0.1 --unknown-members --json --chart {chart}"
        f" --records {out}"
    )
    assert code == 0
    found = json.loads(text)["measured"][0]
    assert found["fraction"] == 0.1
    assert {risk["method"] for risk in found["risks"]} >= {"pitman", "zayatz", "snb", "dankar", "dis, formula"}
    assert all(risk["low"] is not None or risk["why"] for risk in found["risks"])
    assert chart.read_text().startswith("<svg")
    assert len(out.read_text().splitlines()) == 61
    code, text, _ = call(f"incrowd risk {file} --keys age,sex --measures tables,suda")
    assert code == 0
    assert "special uniques" in text


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ("people.csv", "D016"), ("people.csv --keys age,age", "D061"), ("people.csv --keys agee", "D012"),
        ("people.csv --keys age --measures all", "D102"), ("people.csv --keys age --sampling-fraction 2", "D105"),
        ("plan.yaml --keys age", "D106"), ("people.csv --keys age --geography x.csv", "D107"),
        ("people.csv --keys age --measures record --chart x.svg", "D108"),
        ("plan.yaml --records x.csv", "D103"), ("people.csv --keys age --weights sex", "D101"),
    ],
)  # fmt: skip
def test_faults_have_a_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, fault: str) -> None:
    write_case(tmp_path, plan_with(scenarios=SCENARIOS))
    monkeypatch.chdir(tmp_path)
    code, _, err = call(f"incrowd risk {options}")
    assert (code, err[:4]) == (2, fault)


@pytest.mark.slow
def test_a_plan_keeps_scenarios_protection_and_exposure(tmp_path: Path) -> None:
    plan = plan_with(scenarios=SCENARIOS)
    plan["data"]["protection"] = {"sampling_fraction": "0.2", "imputed_share": "0.05"}
    plan["variables"]["sex"]["exposure"] = {"passer_by": "yes", "reason": "seen"}
    found = risk(write_case(tmp_path, plan))
    neighbour, colleague = found.measured
    assert (neighbour.fraction, neighbour.scenario.right) == (0.2, 0.9)
    assert neighbour.worth[-1].value == pytest.approx(neighbour.worth[1].value * 0.9 * 0.95)
    assert "worth nothing" in colleague.worth[1].why
    assert found.availability[0].variable == "sex"
    assert found.availability[0].availability == 0.2


@pytest.mark.slow
def test_faults_of_scenarios_are_shown_together(tmp_path: Path) -> None:
    bad = {"name": "x", "keys": ["agee"], "error": {"sex": "0.1"}, "geography": {"key": "sex", "hierarchy": "no.csv"}}
    plan = plan_with(scenarios=[bad, {"name": "x", "keys": ["age"]}])
    plan["data"] |= {"weights": "w", "household": "h"}
    with pytest.raises(PlanError) as error:
        load_plan(write_case(tmp_path, plan))
    assert sorted(fault.code for fault in error.value.faults) == [
        "P020",
        "P028",
        "P029",
        "P030",
        "P030",
        "P031",
        "P031",
    ]


def test_a_run_measures_each_scenario_before_and_after(tmp_path: Path) -> None:
    plan = plan_with(scenarios=[*SCENARIOS, {"name": "all", "keys": ["age", "sex"]}])
    plan["data"]["protection"] = {"sampling_fraction": "0.5"}
    done = run(write_case(tmp_path, plan))
    neighbour = done.log.risks[0]
    assert neighbour.after is not None
    after = named(neighbour.after.risks)
    assert after["prosecutor_max"].value <= 1 / 3  # the plan requires k = 3
    assert after["uniques"].value == 0.0
    page = (done.audit / "report.html").read_text()
    assert "neighbour" in page
    assert "As it leaves" in page
    assert "As it leaves" not in (done.release / "report.html").read_text()
    log = json.loads((done.audit / "log.json").read_text())
    assert log["risks"][0]["before"]["scenario"]["name"] == "neighbour"


def test_geography_is_measured_level_by_level(tmp_path: Path) -> None:
    file = people(tmp_path, "30,a1,1\n40,a2,1\n40,b1,1\n99,b2,1\n")
    levels = tmp_path / "home.csv"
    levels.write_text("a1;a;*\na2;a;*\nb1;b;*\nb2;b;*\n")
    code, text, err = call(f"incrowd risk {file} --keys age,home --geography {levels} --measures tables --json")
    assert code == 0, err
    found = json.loads(text)
    assert [s["surviving"] for s in found["geography"]["all keys known"]] == [4, 4, 2, 2]
    assert set(found["levels"]["all keys known"]) == {"home", "level 1", "level 2"}


@needs_shared
def test_the_census_file_has_the_uniques_the_guide_counts() -> None:
    """4,023 records are unique on the eight keys the ONS paper lists."""
    lines = (SHARED / "data" / "census2011" / "teaching_file_10k.csv").read_text().splitlines()
    keys = ["Region", "Sex", "Age", "Ethnic Group", "Industry", "Economic Activity", "Religion", "Country of Birth"]
    rows = list(csv.DictReader(["line" + lines[0], *lines[1:]]))
    from incrowd.keys.table import from_records

    assert from_records({key: [row[key] for row in rows] for key in keys}).uniques == 4023


@needs_shared
@pytest.mark.slow
def test_the_census_page_shows_what_its_script_prints() -> None:
    root = Path(__file__).resolve().parents[2]
    script = runpy.run_path(str(root / "examples" / "census_teaching_file.py"))
    made = script["main"](SHARED / "data" / "census2011" / "teaching_file_10k.csv")
    page = (root / "docs" / "examples" / "census-teaching-file.md").read_text()
    assert [part for part in made.split("\n\n") if part not in page] == []


def test_columns_may_have_the_names_of_figures(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("line,prosecutor,household_risk\nx,a,1\nx,b,1\ny,a,2\ny,a,2\n")
    out = tmp_path / "records.csv"
    background = Background(household="household_risk")
    risk(tmp_path / "people.csv", ["line", "prosecutor"], background=background, measures=["record"], records=out)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["line (risk)"], row["line"], row["prosecutor"]) for row in rows] == [
        ("1", "x", "a"), ("2", "x", "b"), ("3", "y", "a"), ("4", "y", "a"),
    ]  # fmt: skip
    assert [float(row["prosecutor (risk)"]) for row in rows] == [1, 1, 0.5, 0.5]
    assert [float(row["household_risk (risk)"]) for row in rows] == [1, 1, 0.75, 0.75]
