"""Every release of a folder is looked at again: what became worse is named, what was not tried is not passed."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import incrowd_cli
from people import plan_with, write_case

import incrowd as ic
from incrowd.errors import InputError
from incrowd.report.review import review_page
from incrowd.tasks._review_all import ReviewedAll, ReviewedRun

DROP = {"step": "drop", "variables": ["name"]}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "40"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases: of the first the original is there, of the second it is not."""
    home = tmp_path_factory.mktemp("runs")
    attack = [{"attacks": ["linkage"]}]
    for name in ("first", "second"):
        data = {"source": f"{name}.csv", "kind": "survey"}
        path = write_case(home, plan_with(steps=[DROP, BANDS], data=data, title=name, attack=attack))
        (home / "people.csv").rename(home / f"{name}.csv")
        ic.run(path)
    (home / "second.csv").unlink()
    return home


def by_title(found: Any) -> dict[str, Any]:
    return {one.reviewed.title: one for one in found if one.reviewed is not None}


def test_each_is_reviewed_and_what_could_not_be_tried_is_not_passed(folder: Path) -> None:
    told: list[tuple[int, int]] = []
    found = ic.review_all(folder, attacks=["linkage"], progress=lambda done, of: told.append((done, of)))
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert {title: one.state for title, one in by_title(found).items()} == {"first": "as it was", "second": "not tried"}
    assert "second.csv is not where it was" in by_title(found)["second"].not_tried[0]
    assert found.worse == ()
    assert len(found.to_arrow()) == 2
    assert "0 became worse, 1 not tried" in repr(found)
    assert [one.run for one in ic.review_all(folder / "runs", attacks=["linkage"])] != []


def test_what_became_worse_is_named_and_what_is_forged_is_told(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "copy"
    shutil.copytree(folder, home, symlinks=True)
    register = home / "register.csv"
    register.write_text("age,sex\n" + "0-39,f\n" + "40+,m\n")
    first = next(one for one in ic.review_all(home, attacks=["linkage"]) if one.state == "as it was")
    second = next(run for run in (home / "runs").glob("2*") if run.name != first.folder.name)
    (second / "audit" / "log.json").write_text("{}")
    found = ic.review_all(home, attacks=["linkage"], external=[register])
    forged = next(one for one in found if one.folder.name == second.name)
    assert forged.reviewed is None
    assert forged.state == "not tried"
    assert "D295" in forged.why


def test_what_was_never_tried_before_did_not_become_worse(folder: Path) -> None:
    """The audits have linkage alone; what homogeneity finds was so from the first day, and is told apart."""
    found = by_title(ic.review_all(folder, attacks=["homogeneity", "inference", "singling_out"]))["first"].reviewed
    new = replace(found, attacks=tuple(replace(one, accepted=-1.0) for one in found.attacks))
    told = ReviewedAll((ReviewedRun("first", folder, new),))
    assert new.only_now
    assert new.worse == ()
    assert (told[0].state, told.worse, told.only_now) == ("found only now", (), ("first",))
    assert "Found only now" in review_page(new)
    assert replace(new, external=("register.csv",)).worse == new.only_now


def test_the_command_says_it_by_its_exit_code_and_as_json(folder: Path) -> None:
    done = incrowd_cli("review", str(folder), "--all", "--attack", "linkage", "--json")
    content = json.loads(done.stdout)
    assert done.returncode == 1
    assert sorted(one["state"] for one in content["releases"]) == ["as it was", "not tried"]
    shown = incrowd_cli("review", str(folder), "--all", "--attack", "linkage", COLUMNS="200")
    assert "2 releases: 0 became worse, of 1 something could not be tried" in " ".join(shown.stdout.split())
    assert len(list(folder.glob("runs/*/review-*/review.html"))) >= 2
    wrong = incrowd_cli("review", str(folder), "--all", "--original", str(folder / "first.csv"))
    assert wrong.returncode == 2


def test_a_folder_without_releases_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="D381"):
        ic.review_all(tmp_path)
    with pytest.raises(InputError):
        ic.review_all(tmp_path / "not there")
