"""An earlier release of the same source whose draws were others is told to the custodian, and to nobody else."""

import json
import shutil

import pytest

import incrowd as ic
from people import SECRET, plan_with, write_case

ANY = [{"model": "k", "k": "1"}]
DROP = {"step": "drop", "variables": ["name"]}
NOISE = {"step": "noise", "variables": ["age"], "share": "0.1"}
TOLD = "this source was perturbed before"


def run(folder, *steps, **changes):
    return ic.run(write_case(folder, plan_with(steps=[DROP, *steps], requirements=ANY, **changes)))


def told(done):
    assert done.log.perturbed_before == tuple(note for note in done.notes if "perturbed before" in note)
    return " ".join(done.log.perturbed_before)


@pytest.mark.parametrize(
    "other",
    [
        {**NOISE, "share": "0.2"},
        {"step": "pram", "variable": "sex", "rate": "0.2"},
        {"step": "swap", "geography": ["sex"], "rate": "0.2"},
        {"step": "rank_swap", "variable": "age", "within": "0.2"},
        {"step": "shuffle", "variables": ["ill"]},
        {"step": "sample", "fraction": "0.5"},
        {"step": "round", "variable": "age", "base": "5", "how": "random"},
        {"step": "microaggregate", "variables": ["age"], "k": "3"},
    ],
    ids=lambda step: step["step"],
)
def test_other_parameters_are_told_with_the_run_and_only_inside(tmp_path, other):
    first = run(tmp_path, NOISE)
    assert told(first) == ""
    second = run(tmp_path, other)
    assert TOLD in told(second)
    assert first.folder.name in told(second)
    assert TOLD in (second.audit / "report.html").read_text()
    assert first.folder.name in json.loads((second.audit / "log.json").read_text())["perturbed_before"][0]
    for file in second.release.iterdir():
        assert "perturbed before" not in file.read_text()
        assert first.folder.name not in file.read_text()


def test_another_title_or_secret_draws_anew_and_is_told(tmp_path, monkeypatch):
    run(tmp_path, NOISE)
    assert TOLD in told(run(tmp_path, NOISE, title="Another"))
    path = write_case(tmp_path, plan_with(steps=[DROP, NOISE], requirements=ANY))
    monkeypatch.setenv("INCROWD_SECRET", SECRET[::-1])
    assert TOLD in told(ic.run(path))


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


def test_refused_runs_have_released_nothing(tmp_path):
    plan = plan_with(steps=[DROP, NOISE], requirements=[{"model": "k", "k": "50"}])
    with pytest.raises(ic.NotReleasable):
        ic.run(write_case(tmp_path, plan))
    assert told(run(tmp_path, {**NOISE, "share": "0.3"})) == ""


def test_an_earlier_edition_is_told_as_one_and_another_file_is_not(tmp_path):
    run(tmp_path, NOISE)
    plan = plan_with(steps=[DROP, NOISE], requirements=ANY)
    lines = "".join(f"n{i},{20 + i % 30},f,y,0\n" for i in range(40))
    assert "an earlier edition" in told(ic.run(write_case(tmp_path, plan, lines)))
    path = write_case(tmp_path, {**plan, "data": {**plan["data"], "source": "others.csv"}})
    (tmp_path / "others.csv").write_text("name,age,sex,ill,note\n" + lines.replace("n", "o"))
    assert told(ic.run(path)) == ""


def test_an_audit_that_cannot_be_read_is_told(tmp_path):
    first = run(tmp_path, NOISE)
    (first.audit / "manifest.json").write_text("{")
    assert "cannot be read" in told(run(tmp_path, {**NOISE, "share": "0.2"}))
