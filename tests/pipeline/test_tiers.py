"""Several files from one source: each holds alone, and two of them do not undo each other, or none is released."""

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from people import plan_with, write_case

import incrowd as ic
from incrowd.errors import InputError
from incrowd.pipeline.check import check_files
from incrowd.report.facts import PublicFacts

DROP = {"step": "drop", "variables": ["name"]}
SUPPRESS = {"step": "suppress_records"}


def _bands(*bands: str) -> dict[str, Any]:
    return {"step": "recode", "variable": "age", "bands": list(bands)}


def _case(folder: Path, first: list[Any], second: list[Any], **more: Any) -> Path:
    plan = plan_with(steps=[DROP], **more)
    del plan["tier"]
    plan["tiers"] = [{"tier": "open", "steps": first}, {"tier": "safeguarded", "steps": second}]
    return write_case(folder, plan, PEOPLE)


#: Everybody's note is their own, so the records of one person can be found in both files.
PEOPLE = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i // 7 % 3 == 0]},{i:03}\n" for i in range(240))


def _read(file: Path) -> list[dict[str, str]]:
    with file.open() as lines:
        return list(csv.DictReader(lines))


def test_each_tier_gets_its_file_and_each_holds(tmp_path: Path) -> None:
    coarse, fine = [_bands("0", "40"), SUPPRESS], [_bands("0", "30", "40", "50"), SUPPRESS]
    path = _case(tmp_path, coarse, fine)
    runs = ic.run(path).files
    assert [run.log.tier for run in runs] == ["open", "safeguarded"]
    for run, bands in zip(runs, (2, 4), strict=True):
        assert run.release.parent.parent.parent == tmp_path / run.log.tier
        rows = _read(tmp_path / run.log.tier / "release" / "people.csv")
        classes = Counter((row["age"], row["sex"]) for row in rows)
        assert len(classes) == 2 * bands
        assert min(classes.values()) >= 3
        assert [attacked.attack for attacked in run.log.attacks] == ["composition"] * 2  # nobody is in one of them only
        assert "tiers: []" in (run.audit / "plan.yaml").read_text()
    assert not (tmp_path / "release").exists()


@pytest.mark.slow
def test_two_bandings_that_cut_people_out_together_are_refused(tmp_path: Path) -> None:
    # Each band of ten years holds everybody's crowd; one year out of step, they leave single years between them.
    first = [_bands("0", "30", "40", "50"), SUPPRESS]
    second = [_bands("0", "31", "41", "51"), SUPPRESS]
    path = _case(tmp_path, first, second, requirements=[{"model": "k", "k": "10"}])
    with pytest.raises(ic.NotReleasable) as refusal:
        ic.run(path)
    assert refusal.value.code == "R024"
    assert not list(tmp_path.glob("*/release"))
    assert not [run for run in tmp_path.glob("*/runs/*") if run.is_dir()]
    plan = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**plan, "together": {"limit": "1"}}, sort_keys=False))
    assert len(ic.run(path).files) == 2


def test_one_tier_that_fails_keeps_back_all(tmp_path: Path) -> None:
    path = _case(tmp_path, [_bands("0", "40"), SUPPRESS], [], requirements=[{"model": "k", "k": "10"}])
    with pytest.raises(ic.NotReleasable, match="R001"):
        ic.run(path)
    assert not list(tmp_path.glob("*/release"))
    assert [run.name[-8:] for run in tmp_path.glob("safeguarded/runs/2*")] == ["-refused"]


def test_a_limit_to_attacks_keeps_back_all(tmp_path: Path) -> None:
    """The first file is fine; what the second is refused for is found before the first is out."""
    limit = {"step": "attack", "attacks": ["linkage"], "limit": "0.0001"}
    path = _case(tmp_path, [_bands("0", "40"), SUPPRESS], [_bands("0", "40"), SUPPRESS, limit])
    with pytest.raises(ic.NotReleasable, match="R022"):
        ic.run(path)
    assert not list(tmp_path.glob("*/release"))


@pytest.mark.slow
def test_a_file_of_a_tier_is_made_again(tmp_path: Path) -> None:
    path = _case(tmp_path, [_bands("0", "40"), SUPPRESS], [_bands("0", "40"), SUPPRESS])
    for run in ic.run(path, out=tmp_path / "elsewhere").files:
        assert ic.reproduce(run.folder).same
    assert not (tmp_path / "runs").exists()


def test_a_file_of_a_tier_is_attacked_before_it_is_released(tmp_path: Path) -> None:
    path = _case(tmp_path, [_bands("0", "40"), SUPPRESS], [SUPPRESS])
    with pytest.raises(InputError, match="D250"):
        ic.attack(path, attacks=["linkage"])
    coarse, fine = (ic.attack(f"{path}@{tier}", attacks=["linkage"]) for tier in ("open", "safeguarded"))
    assert coarse.attacks[0].success.value < fine.attacks[0].success.value


@pytest.mark.slow
def test_files_about_other_people_are_harmless_together(tmp_path: Path) -> None:
    """One file keeps the young, the other the old: nobody is in both, so only taking away can be tried."""
    single = [str(age) for age in range(20, 60)]
    path = _case(tmp_path, [_bands("0", *single[20:]), SUPPRESS], [_bands("0", *single[:20], "40"), SUPPRESS])
    path.with_name("people.csv").write_text(
        "name,age,sex,ill,note\n" + "".join(f"n{age},{age},f,{'yn'[age % 2]},{age}\n" for age in range(20, 60))
    )
    runs = ic.run(path).files
    assert [run.log.end.records for run in runs] == [20, 20]
    for run in runs:
        tried = [(one.attack, one.success.hits, one.success.tries) for one in run.log.attacks if one.success]
        assert tried == [("differencing", 0, 20)] * 2


def _with_area(folder: Path, lines: list[str], k: str = "5", **more: Any) -> Path:
    """The open file drops the area, the safeguarded one drops whoever is rare in it."""
    plan = plan_with(requirements=[{"model": "k", "k": k}], steps=[DROP], **more)
    del plan["tier"]
    plan["variables"]["area"] = {"role": "key", "reason": "visible"}
    plan["tiers"] = [
        {"tier": "open", "steps": [{"step": "drop", "variables": ["area"]}, SUPPRESS]},
        {"tier": "safeguarded", "steps": [SUPPRESS]},
    ]
    path = write_case(folder, plan)
    path.with_name("people.csv").write_text("name,age,sex,ill,note,area\n" + "\n".join(lines) + "\n")
    return path


#: 600 people in two areas, and one alone in a third.
AREAS = [f"n{i},{20 + i % 3},{'fm'[i // 3 % 2]},{'yn'[i // 7 % 3 == 0]},0,{'NS'[i // 6 % 2]}" for i in range(600)]
ALONE = "canary,21,f,y,0,Xcanaryville"


def _left(folder: Path) -> Counter[tuple[str, ...]]:
    """The open file minus the safeguarded one, by what both tell."""
    files = [_read(folder / tier / "release" / "people.csv") for tier in ("open", "safeguarded")]
    columns = [name for name in files[0][0] if name in files[1][0]]
    one, other = (Counter(tuple(row[name] for name in columns) for row in rows) for rows in files)
    return one - other


def test_whom_one_file_drops_is_not_given_back_by_the_other(tmp_path: Path) -> None:
    with pytest.raises(ic.NotReleasable) as refusal:
        ic.run(_with_area(tmp_path, [*AREAS, ALONE]))
    assert refusal.value.code == "R024"
    assert "people in open only" in str(refusal.value)
    assert "Xcanaryville" not in str(refusal.value)
    assert not list(tmp_path.glob("*/release"))
    runs = ic.run(_with_area(tmp_path, [*AREAS, ALONE], together={"limit": "1"})).files
    assert list(_left(tmp_path).elements()) == [("21", "f", "y", "0")]  # what the refusal is about
    for run in runs:
        found = [one for one in run.log.attacks if one.attack == "differencing"]
        assert [(one.success.hits, one.success.tries, one.worst) for one in found if one.success] == [(1, 1, (601,))]
        names = [(one.attack, one.scenario) for one in run.log.attacks]
        assert len(set(names)) == len(names)


@pytest.mark.slow
def test_the_dropped_are_safe_in_a_crowd_as_large_as_is_promised(tmp_path: Path) -> None:
    """Four areas with four people each, of one age and sex: sixteen are left, and k is five."""
    more = [f"m{i},21,f,{'yn'[i % 2]},0,X{i // 4}" for i in range(16)]
    runs = ic.run(_with_area(tmp_path, [*AREAS, *more])).files
    assert [run.log.end.records for run in runs] == [616, 600]
    assert sum(_left(tmp_path).values()) == 16
    with pytest.raises(ic.NotReleasable, match="R024"):  # but four people are fewer than five
        ic.run(_with_area(tmp_path, [*AREAS, *more[:4]]))


def test_no_public_report_tells_what_another_one_hides(tmp_path: Path) -> None:
    """The safeguarded file loses one record and hides that; the number of records that came is in neither report."""
    extra = [f"m{i},70,f,y,0,N" for i in range(7)]
    sample = {"step": "sample", "fraction": "0.5"}
    path = _with_area(tmp_path, [*AREAS, *extra, ALONE], together={"limit": "1"})
    for steps, kept in (([SUPPRESS], 608), ([sample, SUPPRESS], None)):
        plan = yaml.safe_load(path.read_text())
        plan["tiers"][0]["steps"] = [{"step": "drop", "variables": ["area"]}, *steps]
        path.write_text(yaml.safe_dump(plan, sort_keys=False))
        runs = ic.run(path).files
        assert runs[1].log.end.records == 607
        assert kept in (None, runs[0].log.end.records)
        for run in runs:
            facts = PublicFacts.of(run.log)
            assert facts.records_in in ("fewer than 10 more", "at least as many")
            text = (run.release / "report.html").read_text()
            assert facts.records_in in text
            assert ("608" in text) == (run.log.end.records == 608)  # then the file itself tells it
            assert not re.search(r"\bnone (is|are) not", text)


@pytest.mark.slow
def test_where_no_file_loses_few_the_source_is_told(tmp_path: Path) -> None:
    more = [f"m{i},21,f,{'yn'[i % 2]},0,X{i // 4}" for i in range(16)]
    runs = ic.run(_with_area(tmp_path, [*AREAS, *more])).files
    assert [PublicFacts.of(run.log).records_in for run in runs] == ["616", "616"]


def test_the_files_share_no_order(tmp_path: Path) -> None:
    same = [_bands("0", "40"), SUPPRESS]
    ic.run(_case(tmp_path, same, same))
    notes = [[row["note"] for row in _read(tmp_path / tier / "release" / "people.csv")] for tier in
             ("open", "safeguarded")]  # fmt: skip
    assert sorted(notes[0]) == sorted(notes[1])
    assert sum(a == b for a, b in zip(*notes, strict=True)) < len(notes[0]) / 10


def test_other_commands_work_on_one_of_the_files(tmp_path: Path) -> None:
    path = _case(tmp_path, [_bands("0", "40"), SUPPRESS], [SUPPRESS], requirements=[{"model": "k", "k": "2"}])
    assert [one.plan.tier for one in check_files(path)] == ["open", "safeguarded"]
    one = ic.load_plan(f"{path}@open")
    assert (one.tier, len(one.steps)) == ("open", 3)
    for wrong, code in ((path, "D250"), (f"{path}@controlled", "D251")):
        with pytest.raises(InputError, match=code):
            ic.load_plan(wrong)
    with pytest.raises(InputError, match="D252"):
        ic.run(f"{path}@open")


def test_a_plan_without_tiers_runs_as_always(tmp_path: Path) -> None:
    (run,) = ic.run(write_case(tmp_path)).files
    assert (tmp_path / "release").resolve() == run.release


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        ({"tier": "open"}, "P004", "plan"),
        ({"tiers": [{"tier": "open", "steps": [SUPPRESS]}, {"tier": "open"}]}, "P070", "tiers.1.tier"),
        ({"tiers": [{"tier": "open"}, {"tier": "controlled", "steps": [SUPPRESS, _bands("0", "9")]}]}, "P017",
         "tiers.1.steps.1"),
        ({"tiers": [{"tier": "open", "requirements": [{"model": "distinct_l", "l": "2", "sensitive": "age"}]}]}, "P019",
         "tiers.0.requirements.0.sensitive"),
        ({"tiers": [{"tier": "secret"}]}, "P004", "tiers.0.tier"),
    ],
)  # fmt: skip
def test_faults_are_shown_where_they_are(tmp_path: Path, change: dict[str, Any], code: str, place: str) -> None:
    path = _case(tmp_path, [SUPPRESS], [SUPPRESS])
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **change}, sort_keys=False))
    with pytest.raises(ic.PlanError) as error:
        check_files(path)
    assert [(fault.code, fault.place) for fault in error.value.faults] == [(code, place)]
    assert error.value.faults[0].line
