"""Two audits side by side, and an old release looked at again."""

from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
import yaml
from people import plan_with, write_case
from sealing_cases import as_before_seals, reseal
from typer.testing import CliRunner

import incrowd as ic
from incrowd.attack import on_run
from incrowd.attack.registry import Attack
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.audit.past import PastRun
from incrowd.cli import load
from incrowd.report.review import Reviewed, review_page, write_review

SCENARIO = {"name": "nosy", "keys": ["age", "sex"]}


def _run(folder: Path, **changes: Any) -> ic.Run:
    folder.mkdir(exist_ok=True)
    return ic.run(write_case(folder, plan_with(scenarios=[SCENARIO], **changes)))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ic.Run:
    return _run(tmp_path_factory.mktemp("made") / "a")


def _found(differences: tuple[ic.Difference, ...], part: str) -> dict[str, tuple[str | None, str | None]]:
    return {one.what: (one.first, one.second) for one in differences if one.part == part}


def test_a_run_and_itself_tell_the_same(made: ic.Run) -> None:
    assert not ic.audit_diff(made.folder, made.audit)


@pytest.mark.slow
def test_what_differs_is_named_part_by_part(made: ic.Run, tmp_path: Path) -> None:
    steps = [
        {"step": "drop", "variables": ["name"]},
        {"step": "recode", "variable": "note", "prefix": 2, "reason": "shorter"},
        {"step": "recode", "variable": "age", "bands": ["0", "30", "50"]},
        {"step": "suppress_records"},
    ]
    other = _run(tmp_path / "b", steps=steps, requirements=[{"model": "k", "k": "12"}])
    people = tmp_path / "b" / "people.csv"
    manifest = json.loads((other.audit / "manifest.json").read_text())
    manifest["versions"]["duckdb"] = "0.1"
    (other.audit / "manifest.json").write_text(json.dumps(manifest))
    reseal(other.folder)
    found = ic.audit_diff(made.folder, other.folder)
    plan = _found(found, "plan")
    # An inserted step is one difference; the steps after it are compared with themselves.
    assert json.loads(plan["steps.1 (recode note)"][1] or "")["prefix"] == 2
    assert plan["steps.2 (recode age).bands"] == ('["0", "40"]', '["0", "30", "50"]')
    assert plan["requirements.0 (k).k"] == ("3", "12")
    assert len(plan) == 3
    assert _found(found, "inputs") == {}
    assert _found(found, "versions")["duckdb"][1] == "0.1"
    lost = 60 - other.log.end.records
    assert lost > 0
    steps_found = _found(found, "steps")
    title = next(what for what in steps_found if what.startswith("suppress"))
    assert steps_found[title][1] == f"{lost} records removed, 0 cells changed"
    assert _found(found, "classes")
    assert len(_found(found, "requirements")) == 2  # one is gone, one is new
    assert "people.csv" in _found(found, "release")
    assert any(what.startswith("nosy: prosecutor_max") for what in _found(found, "risks"))
    assert _found(found, "utility")["loss: released"] == ("60", str(60 - lost))
    people.write_text(people.read_text().replace("n0,", "n1,", 1))
    again = ic.run(tmp_path / "b" / "plan.yaml")
    assert list(_found(ic.audit_diff(other.folder, again.folder), "inputs")) == ["data.source"]


def test_attacks_and_verdicts_are_read_from_the_log() -> None:
    attacked = {
        "attack": "linkage", "scenario": "nosy", "knows": "k", "acts": "a", "sentence": "s", "baseline": 0.1,
        "success": {"hits": 3, "tries": 10}, "control": None, "worst": [4, 5], "from_the_future": 1,
    }  # fmt: skip
    past = PastRun.of({"attacks": [attacked], "utility": {"outcomes": [{"use_case": "u", "passed": False}]}})
    assert past.attacks[0].success == Rate(3, 10)
    assert past.attacks[0].worst == ()
    assert past.use_cases == {"u": False}
    assert PastRun.of({}).steps == ()


def test_the_command_prints_both_ways(made: ic.Run) -> None:
    runner = CliRunner()
    done = runner.invoke(load(), ["audit", "diff", str(made.folder), str(made.release), "--json"])
    assert (done.exit_code, json.loads(done.stdout)) == (0, [])
    assert "the same" in runner.invoke(load(), ["audit", "diff", str(made.folder), str(made.release)]).stdout


# Review


def test_an_untouched_release_is_unchanged(made: ic.Run) -> None:
    found = ic.review(made.folder)
    assert found.worse == ()
    assert (found.released, found.untraced) == ("same", "")
    assert [(one.held, one.holds, one.had, one.has) for one in found.requirements] == [(True, True, 10, 10)]
    assert found.risks
    assert all(risk.measured_then and risk.then == risk.now for risk in found.risks)


def _copy(made: ic.Run, folder: Path) -> Path:
    import shutil

    shutil.copytree(made.folder.parent.parent, folder, symlinks=True)
    return folder / "runs" / made.folder.name


def test_without_the_original_the_file_is_counted_as_it_lies_there(made: ic.Run, tmp_path: Path) -> None:
    run = _copy(made, tmp_path / "copy")
    (tmp_path / "copy" / "people.csv").unlink()
    found = ic.review(run)
    assert found.worse == ()
    assert "--original" in found.untraced
    assert [one.holds for one in found.requirements] == [True]
    assert {(r.name, r.then, r.now) for r in found.risks} >= {("prosecutor_max", 0.1, 0.1)}


def test_without_its_secret_an_audit_can_still_be_compared_and_counted(made: ic.Run, tmp_path: Path) -> None:
    run = _copy(made, tmp_path / "copy")
    (run / "audit" / "secret").unlink()
    assert not ic.audit_diff(run, made.folder)
    found = ic.review(run)
    assert found.worse == ()
    assert "no secret" in found.untraced
    with pytest.raises(ic.InputError, match="D192"):
        ic.reproduce(run)


def test_people_with_several_records_are_not_counted_as_if_they_had_one(tmp_path: Path) -> None:
    data = {"source": "people.csv", "kind": "survey", "unit": "name"}
    run = ic.run(write_case(tmp_path, plan_with(data=data, scenarios=[SCENARIO])))
    assert ic.review(run.folder).worse == ()
    (tmp_path / "people.csv").unlink()
    found = ic.review(run.folder)
    assert [one.holds for one in found.requirements] == [None]
    assert "several records" in found.requirements[0].why
    assert found.risks
    assert all(one.now is None and one.why for one in found.risks)  # what was measured then is still told
    assert any("no risk was measured" in note for note in found.notes)


def test_a_release_that_was_changed_is_worse(made: ic.Run, tmp_path: Path) -> None:
    run = _copy(made, tmp_path / "copy")
    file = run / "release" / "people.csv"
    file.write_text(file.read_text() + "77,f,y,001\n")
    with file.open() as lines:
        sizes = Counter(tuple(line.split(",")[:2]) for line in lines.readlines()[1:])
    assert min(sizes.values()) == 1
    with pytest.raises(ic.InputError, match=r"D295.*people\.csv is changed"):
        ic.review(run)
    as_before_seals(run)
    found = ic.review(run, trust=ic.Trust(unsigned=True))
    assert found.released == "differs"
    assert [(one.holds, one.has) for one in found.requirements] == [(False, 1)]
    assert any("required" in one for one in found.worse)
    assert any("prosecutor max is 1, was 0.1" in one for one in found.worse)


def test_another_original_is_refused(made: ic.Run, tmp_path: Path) -> None:
    run = _copy(made, tmp_path / "copy")
    other = tmp_path / "other.csv"
    other.write_text((tmp_path / "copy" / "people.csv").read_text().replace(",y,", ",n,", 1))
    with pytest.raises(ic.InputError, match="D193"):
        ic.review(run, original=other)


def test_a_new_file_that_singles_somebody_out_is_named(made: ic.Run, tmp_path: Path) -> None:
    """Brute force: who is alone by the columns that both files share?"""
    with (made.release / "people.csv").open() as file:
        released = [tuple(line.strip().split(",")) for line in file][1:]
    alone = [record for record, number in Counter(released).items() if number == 1]
    assert alone, "the case must have somebody to find"
    other = tmp_path / "gossip.csv"
    chosen = [*alone[:2], *(record for record, number in Counter(released).items() if number > 1)][:8]
    other.write_text("age,sex,ill,note\n" + "".join(",".join(record) + "\n" for record in chosen))
    found = ic.review(made.folder, external=[other])
    figures = {(risk.scenario, risk.name): risk.now for risk in found.risks}
    assert figures["all columns shared", "external_one_to_one"] == 2
    assert figures["nosy", "external_one_to_one"] == 0  # k holds, so nobody is alone by the keys
    assert len(found.worse) == 1


def test_a_register_is_brought_to_the_categories_of_the_release(made: ic.Run, tmp_path: Path) -> None:
    register = tmp_path / "register.csv"
    register.write_text("age,sex\n25,f\n24,m\n99,f\n")
    found = ic.review(made.folder, external=[register])
    figures = {(risk.scenario, risk.name): risk.now for risk in found.risks}
    # 25 and 24 are in the band 0-39 as everybody knows from the original; nobody there was 99.
    assert figures["nosy", "external_matched"] == pytest.approx(2 / 3)
    assert any("1 of 3 values of age" in note for note in found.notes)
    strange = tmp_path / "strange.csv"
    strange.write_text("colour\nred\n")
    found = ic.review(made.folder, external=[strange])
    assert [risk.why for risk in found.risks if risk.name == "external_matched"] == [
        "it shares no column with the release"
    ]


def _attack(hits: int) -> Callable[[Situation, Auxiliary], list[Attacked]]:
    def attack(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
        assert situation.released.num_rows == 60
        told = "a register" if auxiliary.register is not None else "nothing"
        return [Attacked("try", situation.scenario.name, told, "guesses", Rate(hits, 60), 0.1, None, "Found them.")]

    return attack


def test_attacks_are_compared_with_those_of_the_audit(
    made: ic.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _copy(made, tmp_path / "copy")

    def table(hits: int) -> None:
        monkeypatch.setattr(on_run, "ATTACKS", MappingProxyType({"try": Attack("try", "guesses", _attack(hits))}))

    table(6)
    assert ic.review(run).worse == ()  # new, and no better than a guess
    table(40)
    found = ic.review(run)  # new, and better than a guess beyond chance: it may always have been so
    assert (found.worse, len(found.only_now)) == ((), 1)
    log = json.loads((run / "audit" / "log.json").read_text())
    then = {"attack": "try", "scenario": "nosy", "knows": "nothing", "acts": "guesses", "sentence": "",
            "success": {"hits": 40, "tries": 60}, "baseline": 0.1, "control": None}  # fmt: skip
    (run / "audit" / "log.json").write_text(json.dumps({**log, "attacks": [then]}))
    reseal(run)
    assert ic.review(run).worse == ()  # no better than then
    table(41)
    assert ic.review(run).worse == ("nosy: try is right in 68.3% of 60 tries, was 66.7%",)
    register = tmp_path / "register.csv"
    register.write_text("age,sex\n0-39,f\n")
    assert ic.review(run, external=[register]).attacks[0].now.knows == "a register"
    with pytest.raises(ic.InputError, match="D196"):
        ic.review(run, attacks=["none"])
    (tmp_path / "copy" / "people.csv").unlink()
    assert ic.review(run).left_out == ("try",)


def test_the_day_of_the_review_is_read_where_the_plan_names_one(made: ic.Run, tmp_path: Path) -> None:
    assert ic.review(made.folder).due is None
    run = _copy(made, tmp_path / "copy")
    plan = yaml.safe_load((run / "audit" / "plan.yaml").read_text())
    plan["attest"] = {"review": {"role": "Data owner", "next": "2026-01-31", "triggers": ["a new register"]}}
    (run / "audit" / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    reseal(run)
    found = ic.review(run, today=date(2026, 2, 1))
    assert (found.due, found.overdue) == ("2026-01-31", True)
    assert not ic.review(run, today=date(2026, 1, 31)).overdue


def test_the_review_is_written_for_its_owner_alone(made: ic.Run, tmp_path: Path) -> None:
    found = ic.review(made.folder)
    write_review(found, tmp_path / "review")
    assert stat.S_IMODE((tmp_path / "review").stat().st_mode) == 0o700
    assert json.loads((tmp_path / "review" / "review.json").read_text())["worse"] == []
    page = (tmp_path / "review" / "review.html").read_text()
    assert "Nothing that was measured became worse" in page
    assert "http" not in page.replace("http-equiv", "")
    with pytest.raises(ic.InputError, match="D243"):
        write_review(found, tmp_path / "review")


def test_the_page_escapes_what_it_shows() -> None:
    found = Reviewed("<b>", "open", "2026-01-01", None, "differs", "why", (), (), (), (), ())
    page = review_page(found)
    assert "<b>" not in page
    assert "Worse than the audit says" in page


def test_the_exit_code_says_whether_it_became_worse(made: ic.Run, tmp_path: Path) -> None:
    runner = CliRunner()
    run = _copy(made, tmp_path / "copy")
    done = runner.invoke(load(), ["review", str(run)])
    assert done.exit_code == 0, done.stdout
    assert list(run.glob("review-*/review.html"))
    file = run / "release" / "people.csv"
    file.write_text(file.read_text() + "77,f,y,001\n")
    as_before_seals(run)
    done = runner.invoke(load(), ["review", str(run), "--json", "--unsigned", "--out", str(tmp_path / "new")])
    assert done.exit_code == 1
    assert json.loads(done.stdout)["worse"]
