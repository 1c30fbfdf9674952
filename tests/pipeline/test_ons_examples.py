"""The examples after the ONS paper, end to end on few rows: its steps, its numbers of categories, its answers."""

import csv
import json
import runpy
from collections import Counter
from pathlib import Path

import pytest
import yaml
from people import SECRET

import incrowd as ic
from incrowd.pipeline.check import check_files

HERE = Path(__file__).resolve().parents[2] / "examples" / "ons"
PEOPLE = 8_000


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ons")
    runpy.run_path(str(HERE / "generate.py"))["write"](folder, PEOPLE)
    return folder


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("INCROWD_SECRET", SECRET)


def run(desk, name):
    done = ic.run(desk / f"{name}.yaml", out=desk / name)
    file = next(done.release.glob(f"{name.removesuffix('-after-test')}*.csv"))
    with file.open(newline="") as lines:
        return done, list(csv.DictReader(lines))


@pytest.mark.slow
def test_the_census_teaching_file(desk):
    # A sample of 1% of so few people would be nobody's crowd, so it is 5% here.
    plan = desk / "census.yaml"
    plan.write_text(plan.read_text().replace("fraction: 0.01", "fraction: 0.05"))
    done, rows = run(desk, "census")
    assert len(rows) == PEOPLE // 20
    becomes = {step.title.split()[1]: step.notes[0].split() for step in done.log.steps if step.name == "recode"}
    assert {name: (int(words[0]), int(words[-1])) for name, words in becomes.items()} == {
        "age": (100, 8), "ethnic_group": (16, 5), "industry": (17, 12), "economic_activity": (13, 9),
        "religion": (10, 8),
    }  # fmt: skip
    assert not {"person", "household"} & set(rows[0])
    swap = next(step for step in done.log.steps if step.name == "swap")
    assert swap.cells_changed > 0
    before, after = done.log.risks[0].before, done.log.risks[0].after
    assert before.fraction == 1.0
    assert after.fraction == pytest.approx(0.05)
    assert ic.verify(done.release / "census-teaching-file.csv", ["sex", "age"], [ic.K(3)]).passed


@pytest.mark.slow
def test_the_energy_file_and_its_second_run_without_the_year_of_the_certificate(desk):
    first, rows = run(desk, "energy")
    second, again = run(desk, "energy-after-test")
    assert len(rows) == len(again)
    sampled = next(step.after.records for step in first.log.steps if step.name == "sample")
    assert sampled == PEOPLE // 4
    assert sampled - 10 < len(rows) <= sampled
    assert min(Counter((row["property_type"], row["built"]) for row in rows).values()) >= 3
    assert "certificate_year" in rows[0]
    assert Counter(tuple(sorted((k, v) for k, v in row.items() if k != "certificate_year")) for row in rows) == Counter(
        tuple(sorted(row.items())) for row in again
    )
    for row in again:
        assert int(row["gas"]) % 5 == int(row["electricity"]) % 5 == 0
        assert "certificate_year" not in row
    assert {len({row[name] for row in again}) for name in ("built", "floor_area")} == {4}
    assert second.log.end.uniques < first.log.end.uniques
    agent = [one.log.risks[1].after for one in (first, second)]
    mean = [next(r.value for r in each.risks if r.name == "prosecutor_mean") for each in agent]
    assert mean[1] < mean[0]


@pytest.mark.slow
def test_the_further_education_file(desk):
    _, rows = run(desk, "further-education")
    assert {row["age_group"] for row in rows} == {"under 19", "19 and over"}
    assert "sex" not in rows[0]
    aims = Counter((row["aim"], row["region"]) for row in rows)
    alone = Counter((row["age_group"], row["provider"], row["aim"], row["region"]) for row in rows)
    assert min(aims.values()) >= 10
    assert min(alone.values()) >= 2


def test_the_licensed_survey_stays_under_its_licence(desk):
    with pytest.raises(ic.NotReleasable) as refusal:
        ic.run(desk / "licensed-survey.yaml", out=desk / "licensed")
    assert refusal.value.code == "R001"
    assert not (desk / "licensed" / "release").exists()
    log = json.loads(next((desk / "licensed" / "runs").glob("*-refused/audit/log.json")).read_text())
    stranger, insider = (
        {r["name"]: r["value"] for r in risk["after"]["risks"]}
        | {"known": risk["before"]["scenario"]["knows_who_is_in"]}
        for risk in log["risks"]
    )
    assert insider["known"]
    assert insider["uniques"] > 0.9
    assert stranger["uniques"] < 0.2
    assert insider["prosecutor_max"] == 1.0


@pytest.mark.slow
def test_the_energy_file_under_a_licence_and_open_from_one_plan(desk):
    licensed, opened = ic.run(desk / "energy-tiers.yaml", out=desk / "tiers").files
    assert (licensed.log.tier, opened.log.tier) == ("safeguarded", "open")
    assert opened.log.end.records < licensed.log.end.records / 9
    newly = {a.attack: 0.0 for a in opened.log.attacks}
    for a in opened.log.attacks:
        newly[a.attack] = max(newly[a.attack], a.success.value - a.baseline)
    assert 0 < newly["composition"] <= 0.25  # measured, and not nothing: two files tell more than one
    assert 0 < newly["differencing"] < 0.01  # nearly everybody is not in the sample, in large crowds


def test_the_plans_have_no_faults_and_every_step_a_word(desk):
    plans = sorted(desk.glob("*.yaml"))
    assert len(plans) == 6
    for plan in plans:
        assert "open" in {one.plan.tier for one in check_files(plan)}
        assert yaml.safe_load(plan.read_text())["steps"]
