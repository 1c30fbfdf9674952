"""Runs at a glance, and single files of them: what was sealed is handed out, and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from people import plan_with, write_case
from sealing_cases import as_before_seals, reseal

import incrowd as ic
from incrowd.audit.checked import Trust
from incrowd.audit.runs import glance, kept_runs, open_sealed, sealed_files
from incrowd.audit.signing import new_signer
from incrowd.errors import InputError


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    ic.run(write_case(folder))
    with pytest.raises(ic.NotReleasable):
        ic.run(write_case(folder, plan_with(steps=[{"step": "drop", "variables": ["name"]}])))
    return folder


@pytest.fixture
def run(home: Path, tmp_path: Path) -> Path:
    """A copy of the run that released, to spoil."""
    shutil.copytree(home, tmp_path / "home", symlinks=True)
    found = next(one for one in kept_runs(tmp_path / "home") if not one.refused)
    assert found.current
    return found.folder


def test_runs_are_told_with_what_became_of_them(home: Path) -> None:
    refused, released = kept_runs(home)
    assert (refused.refused, refused.current, released.refused, released.current) == (True, False, False, True)
    assert released.when[:2] == "20"
    told = glance(released.folder)
    assert (told.title, told.tier, told.came, told.called.many) == ("People", "open", 60, "people")
    assert told.smallest >= 3
    assert [(one.model, one.passed) for one in told.verdicts] == [("k", True)]
    assert told.at_start == (1,)
    assert not glance(refused.folder).verdicts[0].passed


def test_a_link_is_no_run(run: Path) -> None:
    home = run.parent.parent
    os.symlink(run, run.parent / "20200101-000000-aaaaaa")
    (run.parent / ".work-1").mkdir()
    (run.parent / "notes").mkdir()
    assert len(kept_runs(home)) == 2
    shutil.move(home / "runs", home.parent / "elsewhere")
    os.symlink(home.parent / "elsewhere", home / "runs")
    assert kept_runs(home) == ()


def test_what_was_sealed_is_handed_out_and_the_secret_is_not(run: Path) -> None:
    files = sealed_files(run)
    assert {"release/people.csv", "release/report.html", "audit/report.html", "audit/manifest.json"} <= set(files)
    assert "audit/secret" not in files
    for name in files:
        with open_sealed(run, name) as file:
            assert file.read() == (run / name).read_bytes()


@pytest.mark.parametrize(
    "name",
    [
        "audit/secret",
        "../../plan.yaml",
        "audit/../../../people.csv",
        "/etc/passwd",
        "release",
        "",
        "audit/signatures/x",
    ],
)
def test_nothing_else_is(run: Path, name: str) -> None:
    with pytest.raises(InputError, match="D436"):
        open_sealed(run, name)


def test_what_was_changed_is_not(run: Path) -> None:
    data = run / "release" / "people.csv"
    content = data.read_bytes()
    data.write_bytes(content.replace(b"f", b"m", 1))
    with pytest.raises(InputError, match="D437"):
        open_sealed(run, "release/people.csv")
    data.unlink()
    (run.parent / "copy.csv").write_bytes(content)
    os.symlink(run.parent / "copy.csv", data)  # the right bytes, elsewhere
    with pytest.raises(InputError, match="D436"):
        open_sealed(run, "release/people.csv")
    os.unlink(data)
    os.symlink(run / "copy.csv", data)
    (run / "copy.csv").write_bytes(content)
    with pytest.raises(InputError, match="D437"):
        open_sealed(run, "release/people.csv")


def test_nobody_unknown_vouches(run: Path) -> None:
    other = new_signer()
    (run / "release" / "people.csv").write_text("age,sex\n1,f\n")
    reseal(run, other)
    with pytest.raises(InputError, match=r"D438.*not known here"):
        open_sealed(run, "release/people.csv")
    with open_sealed(run, "release/people.csv", Trust((other.public,))) as file:
        assert file.read() == b"age,sex\n1,f\n"
    (run / "audit" / "manifest.json").write_text((run / "audit" / "manifest.json").read_text() + " ")
    with pytest.raises(InputError, match="D437"):
        open_sealed(run, "release/people.csv", Trust((other.public,)))
    as_before_seals(run)
    with pytest.raises(InputError, match="D438"):
        glance(run)
