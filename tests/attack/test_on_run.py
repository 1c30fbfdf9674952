"""The block attack: the written file is attacked, limits refuse, evidence stays inside."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from people import PLAN, plan_with, write_case

import incrowd as ic
from incrowd.attack import probabilistic
from incrowd.attack.on_run import judge
from incrowd.attack.value import Attacked, Rate
from incrowd.errors import InputError, NotReleasable, PlanError
from incrowd.pipeline.check import load_plan
from incrowd.plan.attack import Attack

FIRST = [{"step": "drop", "variables": ["name"]}, {"step": "recode", "variable": "age", "bands": ["0", "40"]}]
DROP = [{"step": "suppress_records"}]


def case(folder: Path, attack: dict[str, Any], steps: list[dict[str, Any]] | None = None, **more: Any) -> Path:
    own = FIRST + DROP if steps is None else steps
    return write_case(folder, plan_with(steps=own, attack=[attack], **more))


def attacked(path: Path, **options: Any) -> dict[str, Attacked]:
    return {one.attack: one for one in ic.attack(path, **options).attacks}


def test_a_run_attacks_what_it_wrote_and_keeps_the_lines_inside(tmp_path: Path) -> None:
    run = ic.run(case(tmp_path, {"limit": 0.5, "attacks": ["linkage", "nearest", "singling_out"]}))
    assert [one.attack for one in run.log.attacks] == ["linkage", "nearest", "singling_out"]
    assert all(one.success is not None and one.success.tries == 60 for one in run.log.attacks)
    limits = [verdict for verdict in run.log.verdicts if verdict.model == "attack"]
    assert len(limits) == 3
    assert all(verdict.passed and verdict.asked == 0.5 for verdict in limits)
    internal = (run.audit / "report.html").read_text()
    assert "Attacks on the release" in internal
    assert "All 3 limits are kept" in internal
    assert 'aria-label="Success of each attack' in internal
    public = (run.release / "report.html").read_text()
    assert "Simulated intruders tried this file" in public
    assert "was kept" in public
    assert "upper end" not in public
    assert "linkage (all keys known)" not in public
    log = json.loads((run.audit / "log.json").read_text())
    assert log["attacks"][0]["success"] == {"hits": run.log.attacks[0].success.hits, "tries": 60}  # type: ignore[union-attr]


def test_the_release_is_the_same_with_and_without_the_block(tmp_path: Path) -> None:
    with_it = ic.run(case(tmp_path, {"attacks": ["linkage"]}))
    text = (with_it.release / "people.csv").read_bytes()
    without = ic.run(write_case(tmp_path, plan_with(steps=FIRST + DROP)))
    assert (without.release / "people.csv").read_bytes() == text
    assert not without.log.attacks


def test_a_limit_that_is_passed_refuses_and_keeps_the_audit(tmp_path: Path) -> None:
    weak = [{"step": "drop", "variables": ["name"]}]
    path = case(tmp_path, {"attacks": ["linkage"], "limit": 0.1}, weak, requirements=[{"model": "k", "k": "1"}])
    with pytest.raises(NotReleasable, match="R022"):
        ic.run(path)
    assert not (tmp_path / "release").exists()
    (refused,) = (tmp_path / "runs").glob("*-refused")
    log = json.loads((refused / "audit" / "log.json").read_text())
    assert log["attacks"][0]["worst"]
    assert "limits are broken" in (refused / "audit" / "report.html").read_text()


def test_the_limit_binds_the_upper_end_of_the_interval() -> None:
    step = Attack(limit=0.1, residual=0.1)
    one = Attacked("linkage", "s", "", "", Rate(8, 100), 0.01, None, "")
    on_success, on_residual = judge(one, step)
    assert not on_success.passed
    assert on_success.achieved == pytest.approx(Rate(8, 100).high)
    assert on_residual.achieved == pytest.approx((Rate(8, 100).high - 0.01) / 0.99)
    high = Attacked("inference", "s", "", "", Rate(80, 100), None, Rate(79, 100), "")
    assert judge(high, step)[1].achieved == pytest.approx(
        (Rate(80, 100).high - Rate(79, 100).low) / (1 - Rate(79, 100).low)
    )
    one_try = Attacked("inference", "s", "", "", Rate(386, 400), None, Rate(1, 1), "")
    assert not judge(one_try, step)[1].passed  # one right guess does not make the file harmless
    few = Attacked("inference", "s", "", "", Rate(3, 3), 1.0, None, "")
    assert not judge(few, step)[1].passed
    certain = Attacked("inference", "s", "", "", Rate(100, 100), 1.0, None, "")
    assert judge(certain, step)[1].achieved == 0
    nothing_beside = Attacked("inference", "s", "", "", Rate(1, 100), None, None, "")
    assert judge(nothing_beside, step)[1].achieved == pytest.approx(Rate(1, 100).high)


def test_an_attack_with_a_limit_that_cannot_be_tried_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probabilistic, "find_spec", lambda name: None)
    path = case(tmp_path, {"attacks": ["linkage", "probabilistic"], "limit": 0.9})
    with pytest.raises(NotReleasable, match=r"R023.*splink"):
        ic.run(path)
    run = ic.run(case(tmp_path, {"attacks": ["linkage", "probabilistic"]}))  # without a limit it is only reported
    assert run.log.attacks[1].success is None
    assert "not tried" in (run.audit / "report.html").read_text()


def test_faults_of_the_block_show_in_a_check(tmp_path: Path) -> None:
    path = case(tmp_path, {"attacks": ["linkge"], "scenarios": ["nobody"], "register": "none.csv"})
    with pytest.raises(PlanError) as error:
        load_plan(path)
    assert {fault.code for fault in error.value.faults} == {"P055", "P056", "P020"}
    assert "linkage" in str(error.value)
    spark = {**PLAN["data"], "engine": "spark"}
    with pytest.raises(PlanError, match="P057"):
        load_plan(case(tmp_path, {}, data=spark))
    assert load_plan(case(tmp_path, {"off": True}, data=spark)).data.engine == "spark"


@pytest.mark.slow
def test_each_scenario_is_tried_or_only_those_named(tmp_path: Path) -> None:
    scenarios = [
        {"name": "seen", "keys": ["sex"]},
        {"name": "known", "keys": ["age", "sex"], "error": {"age": "0.2"}, "knows_who_is_in": False},
    ]
    run = ic.run(case(tmp_path, {"attacks": ["linkage"]}, scenarios=scenarios))
    assert [one.scenario for one in run.log.attacks] == ["seen", "known"]
    run = ic.run(case(tmp_path, {"attacks": ["linkage"], "scenarios": ["known"]}, scenarios=scenarios))
    assert [one.scenario for one in run.log.attacks] == ["known"]


def test_compare_and_sweep_cope_with_the_block(tmp_path: Path) -> None:
    uses = [{"name": "ill", "test": "proportion", "share": {"ill": ["y"]}, "within": "0.5"}]
    path = case(tmp_path, {"attacks": ["linkage"], "limit": 0.01}, use_cases=uses)
    with_it, same = ic.compare([path, path])
    assert with_it.refusal is not None
    assert with_it.refusal.startswith("R022")
    swept = ic.sweep(path, k="2:4")
    assert [point.label for point in swept.sweep.points] == ["2", "3", "4"]
    assert same == with_it


@pytest.mark.slow
def test_blanked_cells_and_local_labels_are_not_taken_for_safety(tmp_path: Path) -> None:
    """Nearly nothing is protected: whoever read the labels as values of their own would find nobody."""
    pairs = "".join(f"n{i},{20 + i // 2},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(80))
    fours = "".join(f"n{i},{20 + i // 4 + (i > 90) * i},{'fm'[i % 2]},y,00{i % 7}\n" for i in range(94))
    ages = {"age": {"cuts": [[str(a) for a in range(20, 62, 2)], ["20", "40"]]}}
    local = [{"step": "drop", "variables": ["name"]}, {"step": "search", "hierarchies": ages, "local": True}]
    blank = [{"step": "drop", "variables": ["name"]}, {"step": "suppress_cells", "k": "2"}]
    for steps, lines in ((local, pairs), (blank, fours)):
        plan = plan_with(steps=steps, requirements=[{"model": "k", "k": "2"}])
        found = attacked(write_case(tmp_path, plan, lines), attacks=["linkage", "nearest"])
        for one in found.values():
            assert one.success is not None
            assert one.success.value > 0.1
            assert "fits every value" in one.why


@pytest.mark.slow
def test_noise_on_a_key_does_not_pass_a_limit(tmp_path: Path) -> None:
    weak = [{"step": "drop", "variables": ["name"]}, {"step": "noise", "variables": ["age"], "share": "0.01"}]
    more = {"requirements": [{"model": "k", "k": "1"}]}
    lines = "".join(f"n{i},{1000 * i + 7},{'fm'[i % 2]},y,00{i % 7}\n" for i in range(80))
    plan = plan_with(steps=weak, attack=[{"attacks": ["linkage"], "limit": 0.9}], **more)
    with pytest.raises(NotReleasable, match=r"R023.*released labels of age"):
        ic.run(write_case(tmp_path, plan, lines))
    plan = plan_with(steps=weak, attack=[{"attacks": ["nearest"], "limit": 0.5}], **more)
    with pytest.raises(NotReleasable, match="R022"):
        ic.run(write_case(tmp_path, plan, lines))


@pytest.mark.slow
def test_a_register_is_said_at_the_categories_of_the_release(tmp_path: Path) -> None:
    path = case(tmp_path, {}, [*FIRST, {"step": "sample", "fraction": "0.5"}], requirements=[{"model": "k", "k": "1"}])
    # 71 is no age of the data: the plan's own bands say what it is.
    (tmp_path / "register.csv").write_text("name,age,sex\nn1,21,m\nn2,22,f\nnew,71,f\n")
    from incrowd.attack.auxiliary import Files, read_auxiliary
    from incrowd.pipeline.trace import trace_plan

    with trace_plan(path) as traced:
        situation = traced.situation()
        auxiliary = read_auxiliary(traced.plan, traced.context, situation, Files(tmp_path / "register.csv"))
    assert auxiliary.register is not None
    bands = set(situation.known["age"].to_pylist())
    assert set(auxiliary.register["age"].to_pylist()) == bands
    assert auxiliary.register["age"][2].as_py() == situation.known["age"][30].as_py()
    assert auxiliary.register_lines is not None
    assert auxiliary.register_lines.tolist() == [1, 2, -1]
    (tmp_path / "register.csv").write_text("age,colour\n21,red\n")
    found = attacked(path, attacks=["linkage"], register=tmp_path / "register.csv")
    assert found["linkage"].success is not None  # who is in the file is known: the register adds nothing
    (tmp_path / "register.csv").write_text("colour\nred\n")
    with pytest.raises(InputError, match="D194"):
        attacked(path, register=tmp_path / "register.csv")


def test_a_register_that_is_written_in_another_way_does_not_look_safe(tmp_path: Path) -> None:
    stranger = [{"name": "stranger", "keys": ["age", "sex"], "knows_who_is_in": False}]
    weak = [{"step": "drop", "variables": ["name"]}]
    path = case(tmp_path, {}, weak, scenarios=stranger, requirements=[{"model": "k", "k": "1"}])
    (tmp_path / "plain.csv").write_text("age,sex\n" + "".join(f"{20 + i % 40},{'fm'[i % 2]}\n" for i in range(60)))
    ages = pa.array([20.0 + i % 40 for i in range(60)])
    pq.write_table(pa.table({"age": ages, "sex": ["fm"[i % 2] for i in range(60)]}), tmp_path / "decimal.parquet")
    plain, decimal = (
        attacked(path, attacks=["linkage"], register=tmp_path / name)["linkage"]
        for name in ("plain.csv", "decimal.parquet")
    )
    assert plain.success is not None
    assert plain.success.hits > 0
    assert (decimal.success, decimal.claimed) == (plain.success, plain.claimed)
    (tmp_path / "words.csv").write_text("age,sex\n" + "".join(f"aged {i},f\n" for i in range(20, 80)))
    words = attacked(path, attacks=["linkage"], register=tmp_path / "words.csv")["linkage"]
    assert words.success is None
    assert "written in another way" in words.why
    (tmp_path / "some.csv").write_text("age,sex\n" + "21,m\n" * 3 + "99,m\n")
    some = attacked(path, attacks=["linkage"], register=tmp_path / "some.csv")["linkage"]
    assert "25.0% of the register have a value that nobody in the data has" in some.why


@pytest.mark.slow
def test_the_population_counts_also_when_it_is_named_as_the_register(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = [{"name": "stranger", "keys": ["age", "sex"], "knows_who_is_in": False}]
    data = {**PLAN["data"], "population": {"source": "population.csv", "count": "n"}}
    lines = "".join(f"{age},{sex},50\n" for age in range(20, 60) for sex in "fm")
    (tmp_path / "population.csv").write_text("age,sex,n\n" + lines)
    weak = [{"step": "drop", "variables": ["name"]}]
    path = case(tmp_path, {}, weak, data=data, scenarios=stranger, requirements=[{"model": "k", "k": "1"}])
    monkeypatch.chdir(tmp_path)
    named = attacked(path, attacks=["linkage"], register=Path("population.csv"))["linkage"]
    assert named == attacked(path, attacks=["linkage"])["linkage"]
    assert named.claimed == Rate(0, 0)


def test_a_stranger_needs_the_registers_keys(tmp_path: Path) -> None:
    scenarios = [{"name": "stranger", "keys": ["age", "sex"], "knows_who_is_in": False}]
    path = case(tmp_path, {}, scenarios=scenarios)
    (tmp_path / "register.csv").write_text("age\n21\n")
    with pytest.raises(InputError, match="D198"):
        attacked(path, register=tmp_path / "register.csv")


def test_the_population_is_the_register_when_there_is_one(tmp_path: Path) -> None:
    scenarios = [{"name": "stranger", "keys": ["age", "sex"], "knows_who_is_in": False}]
    data = {**PLAN["data"], "population": {"source": "population.csv", "count": "n"}}
    lines = "".join(f"{age},{sex},{n}\n" for age in range(20, 60) for sex, n in (("f", 1), ("m", 3)))
    (tmp_path / "population.csv").write_text("age,sex,n\n" + lines)
    weak = [{"step": "drop", "variables": ["name"]}]
    path = case(tmp_path, {}, weak, data=data, scenarios=scenarios, requirements=[{"model": "k", "k": "1"}])
    found = attacked(path, attacks=["linkage"])["linkage"]
    assert found.success is not None
    assert found.claimed is not None
    assert "no register" not in found.why
    # Of sixty people, twenty are alone in the file; the ten women among them are alone in the population, too.
    assert found.claimed == Rate(10, 10)
    assert found.success.hits > 10  # the others are picked now and then


@pytest.mark.slow
def test_the_demo_at_k_9_stays_near_a_guess_and_at_k_1_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INCROWD_SECRET", "5a" + "0123456789abcdef" * 3 + "f00dfeedc0ffee")
    from incrowd.demo import write_example

    ic.demo_data(tmp_path / "people.csv", rows=6_000, seed=1)
    path = write_example(tmp_path)
    plan = yaml.safe_load(path.read_text())
    strong = attacked(path, scenarios=["a colleague"])
    assert strong["linkage"].success is not None
    assert strong["linkage"].success.value < 1 / 9 + 0.02
    assert strong["linkage"].claimed == Rate(0, 0)
    assert strong["singling_out"].success is not None
    assert strong["singling_out"].success.hits == 0
    # At k = 1, and with the keys as they came, the same attacks succeed.
    plan["requirements"] = [{"model": "k", "k": 1}]
    plan["steps"] = [plan["steps"][0]]
    plan.pop("sweep")
    plan.pop("alternatives")
    plan.pop("use_cases")
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    weak = attacked(path, scenarios=["a colleague"])
    for name in ("linkage", "nearest", "singling_out"):
        found = weak[name].success
        assert found is not None
        assert found.low > 0.9
