"""Plans that have attacks among their steps, as they were written once: they load, say so, and release the same."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from people import plan_with, write_case
from typer.testing import CliRunner

import incrowd as ic
from incrowd import cli
from incrowd.audit.archive import Archive
from incrowd.pipeline.check import inspect, load_plan
from incrowd.plan import Plan, dump_plan
from incrowd.plan.earlier_form import in_present_form

ATTACK = {"attacks": ["linkage"], "limit": "0.9", "reason": "one in nine"}
OLD = {"step": "attack", **ATTACK}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "40"]}
NAMES = {"step": "pseudonymise", "variables": ["name"], "into": "person"}
NOISE = {"step": "noise", "variables": ["note"], "share": "0.2"}
SUPPRESS = {"step": "suppress_records"}


def released(folder: Path, steps: list[dict[str, Any]], **more: Any) -> bytes:
    run = ic.run(write_case(folder, plan_with(steps=steps, requirements=[{"model": "k", "k": "1"}], **more)))
    assert [one.attack for one in run.log.attacks] == ["linkage"]
    assert [step.name for step in run.log.steps[1:]] == [step["step"] for step in steps if step["step"] != "attack"]
    return (run.release / "people.csv").read_bytes()


@pytest.mark.slow
def test_the_same_bytes_wherever_the_step_stood(tmp_path: Path) -> None:
    steps = [BANDS, NAMES, NOISE, SUPPRESS]
    wanted = released(tmp_path, steps, attack=[ATTACK])
    for at in (2, 3, 4):  # behind the pseudonyms, whose number would be another one
        assert released(tmp_path, [*steps[:at], OLD, *steps[at:]]) == wanted, at
    before = [BANDS, {**NAMES, "number": "3"}, NOISE, SUPPRESS]
    assert released(tmp_path, [BANDS, OLD, *steps[1:]]) == released(tmp_path, before, attack=[ATTACK]) != wanted


def test_it_is_the_same_plan_and_stays_so_when_it_is_written_again(tmp_path: Path) -> None:
    old = load_plan(write_case(tmp_path, plan_with(steps=[OLD, BANDS, NAMES, {**OLD, "off": "true"}])))
    new = plan_with(steps=[BANDS, {**NAMES, "number": "3"}], attack=[ATTACK, {**ATTACK, "off": "true"}])
    assert old == load_plan(write_case(tmp_path, new)) == Plan.model_validate(yaml.safe_load(dump_plan(old)))
    assert in_present_form(new).content is new


def test_check_and_run_say_how_to_write_it(tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with(steps=[NAMES, OLD, BANDS, SUPPRESS]))
    (note,) = ic.run(path).notes[:1]
    assert note.startswith("attacks are no steps any more (steps.1)")
    written = yaml.safe_load(note.partition(", as ")[2])
    assert written == {"attack": [ATTACK]}
    call = CliRunner().invoke
    assert f"note: {note}" in call(cli.load(), ["check", str(path)]).output
    assert json.loads(call(cli.load(), ["check", str(path), "--json"]).stdout)["notes"] == [note]
    assert note in " ".join(call(cli.load(), ["run", str(path)]).output.split())
    new = plan_with(steps=[{**NAMES, "number": "1"}, BANDS, SUPPRESS], **written)
    assert inspect(yaml.safe_dump(new), tmp_path).notes == ()


def test_attacks_of_a_tier_move_within_it(tmp_path: Path) -> None:
    plan = plan_with(
        steps=[OLD, {"step": "drop", "variables": ["ill"]}],
        tiers=[{"tier": "open", "steps": [NAMES, OLD, BANDS]}, {"tier": "controlled", "steps": [NAMES, BANDS]}],
    )
    del plan["tier"]
    path = write_case(tmp_path, plan)
    found = inspect(path.read_text(), tmp_path)
    assert len(found.notes) == 2
    assert "tiers.0.steps.1" in found.notes[1]
    whole = found.sound()
    for tier, attacks in (("open", 2), ("controlled", 1)):
        one = whole.of_tier(tier)
        assert len(one.attack) == attacks
        assert [step.step for step in one.steps] == ["drop", "pseudonymise", "recode"]
        assert getattr(one.steps[1], "number", None) == 3
    assert (found.written("tiers.0.attack.0.limit"), found.written("steps.0")) == ("tiers.0.steps.1.limit", "steps.1")


def test_faults_are_shown_where_they_are_written(tmp_path: Path) -> None:
    steps = [
        {**OLD, "attacks": ["linkge"], "limt": "1"},
        {"step": "drop", "variables": ["nme"]},
        {**OLD, "attacks": ["x"]},
    ]
    path = write_case(tmp_path, plan_with(steps=steps))
    lines = path.read_text().splitlines()
    found = {fault.code: fault for fault in inspect(path.read_text(), tmp_path).faults}
    assert found["P002"].place == "steps.0.limt"
    assert lines[found["P002"].line - 1].strip().startswith("limt:")
    assert found["P012"].place == "steps.1.variables.0"
    assert lines[found["P012"].line - 1].strip() == "- nme"
    del steps[0]["limt"]
    path = write_case(tmp_path, plan_with(steps=steps))
    places = [fault.place for fault in inspect(path.read_text(), tmp_path).faults if fault.code == "P055"]
    assert places == ["steps.0.attacks.0", "steps.2.attacks.0"]


def test_pseudonyms_of_two_steps_have_keys_of_their_own(tmp_path: Path) -> None:
    steps = [NAMES, {**NAMES, "variables": ["name", "note"], "into": "other", "number": "1"}, BANDS]
    with pytest.raises(ic.PlanError, match="P087"):
        load_plan(write_case(tmp_path, plan_with(steps=steps)))


def test_an_audit_with_the_step_is_made_again(tmp_path: Path) -> None:
    """Its manifest names files by the places that they had."""
    (tmp_path / "look.csv").write_text("sex,is\nf,x\nm,x\n")
    (tmp_path / "register.csv").write_text("name,age,sex\nn1,21,m\nn2,22,f\n")
    entry = {"attacks": ["linkage"], "register": "register.csv"}
    look = {"step": "recode", "variable": "sex", "lookup": "look.csv"}
    drop = {"step": "drop", "variables": ["name"]}
    new = plan_with(steps=[drop, BANDS, look, SUPPRESS], attack=[entry])
    run = ic.run(write_case(tmp_path, new))
    archive = Archive.find(run.folder)
    old = {"attack.0.register": "steps.1.register", "steps.2.lookup": "steps.3.lookup"}
    assert archive.manifest is not None
    inputs = tuple(replace(each, place=old.get(each.place, each.place)) for each in archive.manifest.inputs)
    assert {each.place for each in inputs} >= set(old.values())
    text = yaml.safe_dump(plan_with(steps=[drop, {"step": "attack", **entry}, BANDS, look, SUPPRESS]))
    (archive.audit / "plan.yaml").write_text(text)
    then = replace(archive, manifest=replace(archive.manifest, inputs=inputs, files=()))
    (tmp_path / "look.csv").write_text("sex,is\nf,y\nm,y\n")  # the audit has its copy
    found = then.inputs()
    assert {each.state for each in found} == {"same"}
    assert then.changed_since() == ["look.csv"]
    assert {each.place for each in archive.manifest.inputs} == {then.places_now()[each.place] for each in inputs}
    with then.staged(found) as (plan, where, private):
        again = ic.run(plan, folder=where, out=private / "out-again", secret=then.secret)
        assert (again.release / "people.csv").read_bytes() == (run.release / "people.csv").read_bytes()


@pytest.mark.parametrize("block", [{"attacks": ["linkage"], "limit": "0"}, "linkage", None])
def test_a_block_that_is_no_list_is_a_fault_beside_the_step_too(tmp_path: Path, block: object) -> None:
    """Its limit would be gone without a word."""
    for steps in ([BANDS, NAMES], [OLD, BANDS, NAMES]):
        path = write_case(tmp_path, plan_with(steps=steps, attack=block))
        assert [(f.code, f.place) for f in inspect(path.read_text(), tmp_path).faults] == [("P004", "attack")]
    tier = {"tier": "open", "steps": [OLD], "attack": block}
    plan = plan_with(steps=[BANDS, NAMES], tiers=[tier, {"tier": "controlled"}])
    del plan["tier"]
    path = write_case(tmp_path, plan)
    assert [(f.code, f.place) for f in inspect(path.read_text(), tmp_path).faults] == [("P004", "tiers.0.attack")]


def test_a_faulty_attack_hides_no_fault_of_the_others(tmp_path: Path) -> None:
    attack = [{"limt": "1"}, {"attacks": ["linkge"]}, {"scenarios": ["nobody"]}]
    path = write_case(tmp_path, plan_with(steps=[BANDS, NAMES], attack=attack))
    found = {(fault.code, fault.place) for fault in inspect(path.read_text(), tmp_path).faults}
    assert found == {("P002", "attack.0.limt"), ("P055", "attack.1.attacks.0"), ("P056", "attack.2.scenarios.0")}


def test_a_sweep_does_not_guess_which_step_is_meant(tmp_path: Path) -> None:
    """Behind the attack the second step of the text is the first one now."""
    samples = [{"step": "sample", "fraction": "0.5"}, {"step": "sample", "fraction": "0.9"}]
    path = write_case(tmp_path, plan_with(steps=[OLD, *samples, NAMES, SUPPRESS]))
    with pytest.raises(ic.InputError, match="attacks are no steps any more") as error:
        ic.sweep(path, ["steps.1.fraction=0.2,0.3"])
    assert error.value.code == "D157"


def test_an_attack_that_is_switched_off_is_told(tmp_path: Path) -> None:
    plan = plan_with(steps=[BANDS, NAMES, SUPPRESS], requirements=[{"model": "k", "k": "1"}])
    path = write_case(tmp_path, {**plan, "attack": [{**ATTACK, "limit": "0", "off": "true"}]})
    run = ic.run(path)
    assert not run.log.attacks
    section = (run.audit / "report.html").read_text().partition('id="attacks"')[2].partition("</section>")[0]
    for words in ("No attack on the release was tried.", "limit: 0.0", "switched off", "one in nine"):
        assert words in section, words
    assert ic.compare([path, path])[0].switched_off == ("attack 1",)
