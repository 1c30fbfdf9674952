"""An earlier release of the same source whose draws were others is told to the custodian, and to nobody else."""

import json
import shutil
from dataclasses import replace

import pytest
from examples import quick_only
from people import SECRET, plan_with, write_case

import incrowd as ic
from incrowd.audit.earlier import ALIKE, SAME, Earlier, perturbed_before
from incrowd.pipeline.check import load_plan
from incrowd.report.board.untried import untried

ANY = [{"model": "k", "k": "1"}]
DROP = {"step": "drop", "variables": ["name"]}
NOISE = {"step": "noise", "variables": ["age"], "share": "0.1"}
TOLD = "this source was perturbed before"


def run(folder, *steps, **changes):
    return ic.run(write_case(folder, plan_with(steps=[DROP, *steps], requirements=ANY, **changes)))


def told(done):
    assert done.log.perturbed_before == tuple(note for note in done.notes if "perturbed before" in note)
    return " ".join(done.log.perturbed_before)


OTHERS = [
    {**NOISE, "share": "0.2"},
    {"step": "pram", "variable": "sex", "rate": "0.2"},
    {"step": "swap", "geography": ["sex"], "rate": "0.2"},
    {"step": "rank_swap", "variable": "age", "within": "0.2"},
    {"step": "shuffle", "variables": ["ill"]},
    {"step": "sample", "fraction": "0.5"},
    {"step": "round", "variable": "age", "base": "5", "how": "random"},
    {"step": "microaggregate", "variables": ["age"], "k": "3"},
]


@pytest.mark.parametrize("other", quick_only(OTHERS[:1], OTHERS), ids=lambda step: step["step"])
def test_other_parameters_are_told_with_the_run_and_only_inside(tmp_path, other):
    first = run(tmp_path, NOISE)
    assert told(first) == ""
    second = run(tmp_path, other)
    assert TOLD in told(second)
    assert first.folder.name in told(second)
    assert TOLD in (second.audit / "report.html").read_text()
    assert first.folder.name in json.loads((second.audit / "log.json").read_text())["perturbed_before"][0]
    for file in second.release.iterdir():
        assert b"perturbed before" not in file.read_bytes()
        assert first.folder.name.encode() not in file.read_bytes()


@pytest.mark.slow
def test_another_title_or_secret_draws_anew_and_is_told(tmp_path, monkeypatch):
    run(tmp_path, NOISE)
    assert TOLD in told(run(tmp_path, NOISE, title="Another"))
    path = write_case(tmp_path, plan_with(steps=[DROP, NOISE], requirements=ANY))
    monkeypatch.setenv("INCROWD_SECRET", SECRET[::-1])
    assert TOLD in told(ic.run(path))


@pytest.mark.slow
def test_the_same_draws_and_files_without_chance_are_no_news(tmp_path):
    run(tmp_path, NOISE)
    assert (
        told(run(tmp_path, {**NOISE, "reason": "said otherwise"}, {"step": "round", "variable": "note", "base": "2"}))
        == ""
    )
    assert told(run(tmp_path, {"step": "round", "variable": "age", "base": "5"})) == ""
    shutil.rmtree(tmp_path / "runs")
    run(tmp_path, {"step": "round", "variable": "age", "base": "5"})
    assert told(run(tmp_path, NOISE)) == ""


@pytest.mark.slow
def test_refused_runs_have_released_nothing(tmp_path):
    plan = plan_with(steps=[DROP, NOISE], requirements=[{"model": "k", "k": "50"}])
    with pytest.raises(ic.NotReleasable):
        ic.run(write_case(tmp_path, plan))
    assert told(run(tmp_path, {**NOISE, "share": "0.3"})) == ""


@pytest.mark.slow
def test_an_earlier_edition_is_told_as_one_and_another_file_is_not(tmp_path):
    run(tmp_path, NOISE)
    plan = plan_with(steps=[DROP, NOISE], requirements=ANY)
    lines = "".join(f"n{i},{20 + i % 30},f,y,0\n" for i in range(40))
    assert "an earlier edition" in told(ic.run(write_case(tmp_path, plan, lines)))
    path = write_case(tmp_path, {**plan, "data": {**plan["data"], "source": "others.csv"}})
    (tmp_path / "others.csv").write_text("name,age,sex,ill,note\n" + lines.replace("n", "o"))
    assert told(ic.run(path)) == ""


@pytest.mark.slow
def test_an_audit_that_cannot_be_read_is_told(tmp_path):
    first = run(tmp_path, NOISE)
    (first.audit / "manifest.json").write_text("{")
    assert "cannot be read" in told(run(tmp_path, {**NOISE, "share": "0.2"}))


NOISE_ON_OTHER = {"step": "noise", "variables": ["note"], "share": "0.5"}


@pytest.mark.slow
def test_draws_that_differ_by_what_lies_around_the_steps_are_told(tmp_path):
    # The steps are the same, word for word: what they decided was not.
    plan = plan_with(
        steps=[DROP, {"step": "suppress_records"}, NOISE_ON_OTHER], requirements=[{"model": "k", "k": "1"}]
    )
    assert told(ic.run(write_case(tmp_path, plan))) == ""
    assert told(ic.run(write_case(tmp_path, plan))) == ""
    again = {**plan, "requirements": [{"model": "k", "k": "2"}]}
    second = ic.run(write_case(tmp_path, again))
    assert TOLD in told(second)
    assert second.log.drawn_by not in "".join(f.read_text(errors="replace") for f in second.release.iterdir())


@pytest.mark.slow
def test_a_lookup_that_was_another_one_then_is_told(tmp_path):
    recode = {"step": "recode", "variable": "sex", "lookup": "sexes.csv"}
    (tmp_path / "sexes.csv").write_text("sex,to\nf,a\nm,b\n")
    first = run(tmp_path, recode, NOISE)
    (tmp_path / "sexes.csv").write_text("sex,to\nf,x\nm,x\n")
    assert first.folder.name in told(run(tmp_path, recode, NOISE))


def test_an_audit_that_does_not_tell_its_draws_is_told(tmp_path):
    plan = load_plan(write_case(tmp_path, plan_with(steps=[DROP, NOISE], requirements=ANY)))
    early = Earlier("R", SAME, 60, "0f", perturbs=True, drawn_by=None)
    (note,) = perturbed_before(plan, [early], 60, "d0")
    assert "does not say by which draws (run R)" in note
    assert perturbed_before(plan, [replace(early, perturbs=False)], 60, "d0") == ()
    assert perturbed_before(plan, [replace(early, drawn_by="d0")], 60, "d0") == ()
    assert perturbed_before(plan, [replace(early, kin=ALIKE)], 61, "d0") == ()


@pytest.mark.slow
def test_an_audit_that_cannot_be_read_does_not_let_a_denial_count(tmp_path):
    first = run(tmp_path, BANDS)
    (first.audit / "manifest.json").write_text("{")
    assert run(tmp_path, BANDS, attest=DENIED).log.other_releases == (first.folder.name,)


@pytest.mark.slow
def test_a_copy_by_another_name_may_be_the_same_source(tmp_path):
    first = run(tmp_path, NOISE)
    text = (tmp_path / "people.csv").read_text()
    plan = plan_with(steps=[DROP, {**NOISE, "share": "0.3"}], requirements=ANY)
    plan["data"] = {**plan["data"], "source": "copy.csv"}
    path = write_case(tmp_path, plan)
    (tmp_path / "copy.csv").write_text(text.replace(",", ";"))
    note = told(ic.run(path))
    assert "may be the same source" in note
    assert first.folder.name in note


def tiered(folder, *steps, **changes):
    plan = plan_with(steps=[DROP], requirements=ANY, **changes)
    del plan["tier"]
    plan["tiers"] = [{"tier": "open", "steps": [*steps]}, {"tier": "safeguarded", "steps": [*steps]}]
    plan["together"] = {"limit": "1"}
    return ic.run(write_case(folder, plan)).files


@pytest.mark.slow
def test_tiers_and_a_plain_plan_hear_of_each_other_and_tiers_of_one_run_do_not(tmp_path):
    first = tiered(tmp_path, NOISE_ON_OTHER)
    assert [told(one) for one in first] == ["", ""]
    assert [told(one) for one in tiered(tmp_path, NOISE_ON_OTHER)] == ["", ""]
    plain = run(tmp_path, NOISE_ON_OTHER, title="Another")
    assert f"open/{first[0].folder.name}" in told(plain) or "more" in told(plain)
    other = tiered(tmp_path, {**NOISE_ON_OTHER, "share": "0.3"})
    for one in other:
        assert plain.folder.name in told(one)
        assert "open/" in told(one)
        assert not any(each.folder.name in told(one) for each in other)


NOBODY = {"role": "dpo", "date": "2026-01-31", "text": "Nobody has published these people."}
DENIED = {"no_other_release": NOBODY, "no_tables": NOBODY}
ATTACK = [{"attacks": ["linkage"]}]
LIMIT = [{"limit": 1.0}]
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "40"]}


@pytest.mark.slow
@pytest.mark.parametrize("before", [BANDS, NOISE], ids=["certain", "perturbed"])
def test_a_denial_does_not_count_where_an_earlier_release_lies_here(tmp_path, before):
    first = run(tmp_path, before)
    second = run(tmp_path, attack=ATTACK, attest=DENIED)
    assert second.log.other_releases == (first.folder.name,)
    assert any(first.folder.name in note and "no other release" in note for note in second.notes)
    assert "What was said does not count" in (second.audit / "report.html").read_text()
    missing = untried(second.log)
    assert {name.split()[0] for name in missing.never} >= {"composition", "differencing"}
    assert not any("composition" in one or "differencing" in one for one in missing.does_not_apply)
    for file in second.release.iterdir():
        assert first.folder.name.encode() not in file.read_bytes()
    assert ic.reproduce(second.folder).same
    with pytest.raises(ic.NotReleasable, match=rf"R023.*composition.*{first.folder.name}"):
        run(tmp_path, attack=LIMIT, attest=DENIED)


def test_the_same_file_made_again_is_no_other_release(tmp_path):
    first, second = (run(tmp_path, BANDS, attack=LIMIT, attest=DENIED) for _ in range(2))
    assert first.log.other_releases == second.log.other_releases == ()
    found = {one.attack: one.does_not_apply for one in second.log.attacks}
    assert found["composition"]
    assert found["differencing"]


@pytest.mark.slow
def test_files_of_one_plan_are_no_other_releases_and_a_plain_one_is(tmp_path):
    for _ in range(2):
        assert [one.log.other_releases for one in tiered(tmp_path, BANDS, attack=LIMIT, attest=DENIED)] == [(), ()]
    plain = run(tmp_path, {**BANDS, "bands": ["0", "30"]})
    there = set(tmp_path.glob("*/runs/*/release"))
    with pytest.raises(ic.NotReleasable, match=rf"R023.*{plain.folder.name}"):
        tiered(tmp_path, BANDS, attack=LIMIT, attest=DENIED)
    assert set(tmp_path.glob("*/runs/*/release")) == there
    assert list(tmp_path.glob("open/runs/*-refused"))


def test_a_perturbing_step_that_changes_nothing_is_told(tmp_path):
    still = run(tmp_path, {**NOISE, "share": "0.000000001"})
    assert still.log.steps[2].cells_changed == 0
    assert any("noise on age" in note and "changed no" in note for note in still.notes)
    assert "changed no cell" in (still.audit / "report.html").read_text()
    assert not any("changed no" in note for note in run(tmp_path, NOISE).notes)
