"""Steps switched off, plans compared, and what of it the public must not see."""

import csv
import json
import re

import pytest
import yaml
from people import SECRET, plan_with, write_case
from typer.testing import CliRunner

import incrowd as ic
from incrowd.audit.manifest import SECRET_FILE
from incrowd.cli import load
from incrowd.cli.compare import _show

DROP = {"step": "drop", "variables": ["name"]}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "40"]}
SWAP = {"step": "swap", "geography": ["sex"], "rate": "0.0731", "targets": {"keys": ["age", "sex"], "fewer_than": "47"},
        "reason": "zebra"}  # fmt: skip


def plans(tmp_path, **changes):
    steps = [DROP, BANDS, {"step": "sample", "fraction": "0.5"}, SWAP, {"step": "suppress_records"}]
    first = write_case(tmp_path, plan_with(steps=steps, **changes))
    second = tmp_path / "other.yaml"
    other = [DROP, {**BANDS, "off": "true"}, *steps[2:]]
    second.write_text(yaml.safe_dump(plan_with(steps=other, **changes), sort_keys=False))
    return first, second


def test_a_step_that_is_off_does_nothing_and_is_in_the_audit(tmp_path):
    plan, _ = plans(tmp_path)
    steps = [DROP, BANDS, {**SWAP, "off": "true"}, {"step": "sample", "fraction": "0.5", "off": "true"}]
    plan.write_text(yaml.safe_dump(plan_with(steps=steps), sort_keys=False))
    done = ic.run(plan)
    with (done.release / "people.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 60
    log = json.loads((done.audit / "log.json").read_text())
    assert [step["off"] for step in log["steps"]] == [False, False, False, True, True]
    assert [step["title"] for step in log["steps"]][3:] == ["swap: switched off", "sample: switched off"]
    assert "'off': true" in (done.audit / "plan.yaml").read_text()
    assert "swap: switched off" in (done.audit / "report.html").read_text()


def test_a_plan_is_checked_without_what_is_off(tmp_path):
    plan = write_case(tmp_path, plan_with(steps=[{**DROP, "off": "true"}, BANDS]))
    with pytest.raises(ic.PlanError) as fault:
        ic.load_plan(plan)
    assert [f.code for f in fault.value.faults] == ["P015"]
    late = [DROP, {"step": "suppress_records"}, BANDS]
    plan.write_text(yaml.safe_dump(plan_with(steps=late)))
    with pytest.raises(ic.PlanError, match="P017"):
        ic.load_plan(plan)
    plan.write_text(yaml.safe_dump(plan_with(steps=[*late[:2], {**BANDS, "off": "true"}])))
    assert len(ic.load_plan(plan).steps) == 3


@pytest.mark.parametrize(("steps", "data", "code"), [
    ([DROP, {"step": "suppress_records"}, {"step": "sample", "fraction": "0.5"}], {}, "P035"),
    ([DROP, {"step": "sample", "fraction": "0.5", "households": "true"}], {}, "P036"),
    ([DROP, SWAP], {"household": "name"}, "P036"),
    ([DROP, {**SWAP, "targets": {"keys": ["sex"], "among": "population"}}], {}, "P037"),
    ([DROP, {"step": "rank_swap", "variable": "age", "within": "1"}], {"population": {"source": "people.csv"}}, "P038"),
    ([DROP, {"step": "suppress_records"}, SWAP], {}, "P017"),
    ([DROP, {**SWAP, "targets": {"keys": ["note"]}}], {}, "P012"),
    ([DROP, {**SWAP, "rate": "2"}], {}, "P004"),
    ([DROP, {"step": "swap", "geography": ["sex"]}], {}, "P004"),
    ([DROP, {"step": "sample"}], {}, "P004"),
    ([DROP, {"step": "merge_small", "variable": "age", "fewer_than": "5"}], {}, "P004"),
    ([DROP, {"step": "merge_small", "variable": "age", "fewer_than": "5", "hierarchy": "no.csv"}], {}, "P020"),
    ([DROP, {"step": "top_code", "variable": "age", "at": "60", "percentile": "99"}], {}, "P004"),
    ([DROP, {"step": "round", "variable": "age", "base": "0"}], {}, "P004"),
    ([DROP, {"step": "suppress_records", "of": ["age"]}], {}, "P004"),
    ([DROP, {"step": "suppress_records", "of": ["agee"], "fewer_than": "2"}], {}, "P012"),
])  # fmt: skip
def test_faults_of_the_new_steps_are_told(tmp_path, steps, data, code):
    plan = plan_with(steps=steps)
    plan["data"] |= data
    path = write_case(tmp_path, plan)
    with pytest.raises(ic.PlanError) as fault:
        ic.load_plan(path)
    assert [f.code for f in fault.value.faults] == [code]


def test_a_slip_in_the_name_of_a_field_is_understood(tmp_path):
    path = write_case(tmp_path, plan_with(steps=[DROP, {"step": "suppress_records", "of": ["age"], "fewer_then": "2"}]))
    with pytest.raises(ic.PlanError) as fault:
        ic.load_plan(path)
    assert ("P002", "Did you mean 'fewer_than'?") in [(f.code, f.hint) for f in fault.value.faults]


def test_compare_shows_plans_side_by_side_and_releases_nothing(tmp_path, capsys):
    scenarios = [{"name": "neighbour", "keys": ["age", "sex"]}]
    first, second = plans(tmp_path, scenarios=scenarios)
    done = CliRunner().invoke(load(), ["compare", str(first), str(second), "--json"])
    assert done.exit_code == 0
    one, other = json.loads(done.stdout)
    assert one["refusal"] is None
    assert one["records_in"] == other["records_in"] == 60
    assert one["switched_off"] == []
    assert other["switched_off"] == ["2 recode"]
    assert one["loss"] < other["loss"] <= 1
    assert one["uniques"] == 0
    assert one["scenarios"][0]["scenario"] == "neighbour"
    assert other["refusal"].startswith("R006")
    real = ic.run(first, out=tmp_path / "real")
    assert (real.log.end.records, real.log.end.smallest) == (one["records_kept"], one["k"])
    assert sum(step.cells_changed for step in real.log.steps) == one["cells_changed"]
    assert not (tmp_path / "release").exists()
    assert [p.name for p in (tmp_path / "runs").iterdir()] == [".lock"]
    _show(ic.compare([first, second]))
    assert re.search(r"records kept +│ +\d+ of 60", capsys.readouterr().out)
    with pytest.raises(ic.InputError, match="D119"):
        ic.compare([first])


@pytest.mark.slow
def test_the_public_sees_neither_rates_nor_thresholds(tmp_path, monkeypatch):
    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    steps = [DROP, {"step": "sample", "count": "59"}, BANDS, SWAP,
             {"step": "merge_small", "variable": "note", "fewer_than": "43", "into": "rest"},
             {"step": "suppress_records", "of": ["age"], "within": ["sex"], "fewer_than": "4"}]  # fmt: skip
    done = ic.run(write_case(tmp_path, plan_with(steps=steps)))
    notes = next(step.notes for step in done.log.steps if step.name == "swap")
    for file in done.release.iterdir():
        text = file.read_text(errors="replace").lower()  # a signature is no text
        visible = re.sub(r"<svg.*?</svg>|<style.*?</style>", "", text, flags=re.DOTALL)
        for word in ("swap", "0.0731", "7.31", "zebra", "donor", "merge", "threshold"):
            assert word not in text, (file.name, word)
        for number in ("47", "43"):
            if file.name == "report.html":
                assert not re.search(rf"(?<![\d.,-]){number}(?![\d.,])", visible), (file.name, number)
    inside = (done.audit / "report.html").read_text()
    assert all(note in inside for note in notes)
    assert "0.0731" in (done.audit / "plan.yaml").read_text()


@pytest.mark.slow
def test_a_sample_tells_the_risk_measures_its_fraction(tmp_path):
    scenarios = [{"name": "stranger", "keys": ["age", "sex"], "knows_who_is_in": "false"}]
    first, _ = plans(tmp_path, scenarios=scenarios)
    risk = ic.run(first).log.risks[0]
    assert risk.before.fraction is None
    assert risk.after.fraction == pytest.approx(0.5)
    plan = plan_with(steps=[DROP, {"step": "sample", "fraction": "0.5"}], scenarios=scenarios,
                     requirements=[{"model": "k", "k": "1"}])  # fmt: skip
    plan["data"]["protection"] = {"sampling_fraction": "0.1"}
    risk = ic.run(write_case(tmp_path, plan)).log.risks[0]
    assert (risk.before.fraction, risk.after.fraction) == (0.1, 0.05)


@pytest.mark.slow
def test_a_comparison_draws_as_the_run_will(tmp_path, monkeypatch):
    """One secret for a project, made by whoever comes first."""
    first, second = plans(tmp_path)
    monkeypatch.delenv("INCROWD_SECRET")
    compared = ic.compare([first, second])[0]
    done = ic.run(first, out=tmp_path / "elsewhere" / "results")
    assert (tmp_path / "incrowd.secret").exists()
    assert not (tmp_path / "elsewhere" / "results" / "incrowd.secret").exists()
    assert compared.records_kept == done.log.end.records
    assert compared.cells_changed == sum(step.cells_changed for step in done.log.steps)
    again = ic.compare([first, second])[0]
    assert again == compared


@pytest.mark.slow
def test_a_secret_that_is_with_the_results_goes_on(tmp_path, monkeypatch):
    first, _ = plans(tmp_path)
    monkeypatch.delenv("INCROWD_SECRET")
    out = tmp_path / "out"
    out.mkdir()
    (out / "incrowd.secret").write_text("0123456789abcdef" * 4)
    (out / "incrowd.secret").chmod(0o600)
    done = ic.run(first, out=str(out))
    assert (done.audit / SECRET_FILE).read_text().strip() == "0123456789abcdef" * 4
    assert not (tmp_path / "incrowd.secret").exists()


def test_faults_of_all_plans_come_before_any_work(tmp_path):
    first, second = plans(tmp_path)
    second.write_text(second.read_text().replace("age:", "agee:"))
    begun = []
    with pytest.raises(ic.PlanError) as fault:
        ic.compare([first, second], progress=lambda *what: begun.append(what))
    assert not begun
    assert fault.value.faults
    assert all("other.yaml: " in one.place for one in fault.value.faults)
    with pytest.raises(ic.InputError, match=r"D000: there is no file .*nowhere\.yaml"):
        ic.compare([first, tmp_path / "nowhere.yaml"])
    with pytest.raises(ic.InputError, match="D119"):
        ic.compare(first)


@pytest.mark.slow
def test_a_comparison_has_attacks_use_cases_and_progress(tmp_path):
    more = {
        "attack": [{"attacks": ["linkage"]}],
        "scenarios": [{"name": "neighbour", "keys": ["age", "sex"], "knows_who_is_in": "true"}],
        "use_cases": [{"name": "who is there", "test": "proportion", "share": {"sex": ["f"]}}],
    }
    first, second = plans(tmp_path, **more)
    second.write_text(first.read_text())
    begun = []
    found = ic.compare([first, second], progress=lambda what, number, total: begun.append((what, number, total)))
    assert [[one.attack for one in each.attacks] for each in found] == [["linkage"], ["linkage"]]
    assert [[one.use_case for one in each.use_cases] for each in found] == [["who is there"], ["who is there"]]
    assert all(not one.worst for each in found for one in each.attacks)
    for name in (first, second):
        mine = [(number, total) for what, number, total in begun if what.startswith(f"{name}: ")]
        assert mine == [(i, mine[0][1]) for i in range(1, mine[0][1] + 1)]
    shown = CliRunner().invoke(load(), ["compare", str(first), str(second)]).output
    assert "how often the intruder is right" in shown
    assert "who is there" in shown


def test_a_refused_plan_is_not_said_to_have_withstood_attacks(tmp_path):
    first, second = plans(tmp_path, attack=[{"attacks": ["linkage"]}])
    text = second.read_text()
    second.write_text(text.replace("- step: suppress_records", "- step: suppress_records\n  off: 'true'"))
    shown = CliRunner().invoke(load(), ["compare", str(first), str(second)]).output
    assert "not tried" in shown
