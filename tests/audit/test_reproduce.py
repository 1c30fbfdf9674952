"""A release is made again from its audit, byte by byte; whatever is not as it was is found and named."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from people import SECRET, plan_with, write_case
from sealing_cases import as_before_seals, reseal

import incrowd as ic
from incrowd.audit.archive import Archive
from incrowd.audit.manifest import hash_file
from incrowd.pipeline import FileRun as Released
from incrowd.pipeline.check import load_plan
from incrowd.plan.files import named_files, with_files

OLD = ic.Trust(unsigned=True)
CODE = "import sys; from incrowd.cli import main; sys.argv[0] = 'incrowd'; main()"
FUNCTION = "def keeps(original, released):\n    return released.num_rows > 0\n"


def _case(folder: Path, **changes: object) -> Path:
    """A plan that names a lookup above its folder, a hierarchy by its full path, a function, and a population."""
    folder.mkdir()
    (folder.parent / "look.csv").write_text("value,name\n" + "".join(f"00{i},n{i // 2}\n" for i in range(7)))
    (folder.parent / "ill.csv").write_text("y;any\nn;any\n")
    (folder / "mine.py").write_text(FUNCTION)
    lines = "".join(f"{20 + i % 40},{'fm'[i % 2]}\n" for i in range(400))
    (folder / "population.csv").write_text("age,sex\n" + lines)
    plan = plan_with(
        data={"source": "people.csv", "kind": "survey", "population": {"source": "population.csv"}},
        requirements=[
            {"model": "k", "k": "3"},
            {
                "model": "t", "t": "0.9", "sensitive": "ill", "distance": "hierarchical",
                "hierarchy": str(folder.parent / "ill.csv"),
            },
        ],
        use_cases=[{"name": "mine", "test": "python", "function": "mine:keeps", "columns": ["sex"]}],
        scenarios=[{"name": "nosy", "keys": ["age", "sex"]}],
        **changes,
    )  # fmt: skip
    plan["steps"].insert(2, {"step": "recode", "variable": "note", "lookup": "../look.csv"})
    return write_case(folder, plan)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run, for all tests to copy."""
    base = tmp_path_factory.mktemp("made")
    ic.run(_case(base / "home"))
    return base


@pytest.fixture
def run(made: Path, tmp_path: Path) -> ic.Run:
    """A copy of the run in a folder of its own."""
    shutil.copytree(made, tmp_path, symlinks=True, dirs_exist_ok=True)
    folder = next((tmp_path / "home" / "runs").glob("2*"))
    return ic.Run((Released(folder, folder / "release", folder / "audit", None),))  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_manifest_names_every_file_by_its_bytes_and_none_by_its_place(run: ic.Run, tmp_path: Path) -> None:
    text = (run.audit / "manifest.json").read_text()
    manifest = json.loads(text)
    assert str(tmp_path.parent) not in text
    assert SECRET not in text
    found = {entry["place"]: entry for entry in manifest["inputs"]}
    assert {place: entry["name"] for place, entry in found.items()} == {
        "data.source": "people.csv", "data.population.source": "population.csv", "steps.2.lookup": "look.csv",
        "requirements.1.hierarchy": "ill.csv", "use_cases.0.function": "mine.py",
    }  # fmt: skip
    # Files about people are never copied, however small.
    assert {place for place, entry in found.items() if entry["copy"]} == {
        "steps.2.lookup", "requirements.1.hierarchy", "use_cases.0.function",
    }  # fmt: skip
    for place, path in (("data.source", tmp_path / "home/people.csv"), ("steps.2.lookup", tmp_path / "look.csv")):
        assert found[place]["sha256"] == hash_file(path)
        assert found[place]["bytes"] == path.stat().st_size
    assert {entry["name"]: entry["sha256"] for entry in manifest["release"]} == {
        path.name: hash_file(path) for path in run.release.iterdir()
    }
    assert {"incrowd", "python", "duckdb", "ibis-framework", "numpy", "pyarrow", "numba"} <= set(manifest["versions"])
    public = (run.release / "manifest.json").read_text()
    assert "versions" not in public
    assert hash_file(tmp_path / "home/people.csv") not in public


def test_the_same_bytes_from_the_audit_alone(run: ic.Run, tmp_path: Path) -> None:
    # The small files and the function are gone; the audit has them. Data and population have moved.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copytree(run.audit, elsewhere / "audit")
    shutil.move(tmp_path / "home/people.csv", elsewhere / "data.csv")
    shutil.move(tmp_path / "home/population.csv", elsewhere / "population.csv")
    shutil.rmtree(tmp_path / "home")
    for name in ("look.csv", "ill.csv"):
        (tmp_path / name).unlink()
    found = ic.reproduce(elsewhere / "audit", original=elsewhere / "data.csv")
    assert found.same, found
    assert {file.stored for file in found.files} == {None}
    assert {path.name for path in elsewhere.iterdir()} == {"audit", "data.csv", "population.csv"}
    assert found.versions == {}


@pytest.mark.slow
def test_a_changed_byte_of_an_input_is_found_and_named(run: ic.Run, tmp_path: Path) -> None:
    for name in ("people.csv", "population.csv"):
        path = tmp_path / "home" / name
        kept = path.read_bytes()
        path.write_bytes(kept.replace(b"25", b"26", 1))
        found = ic.reproduce(run.folder)
        assert not found.same
        assert [entry.name for entry in found.inputs if entry.state == "differs"] == [name]
        assert {file.again for file in found.files} == {None}, "nothing is run on another input"
        path.write_bytes(kept)
    (tmp_path / "home/people.csv").unlink()
    assert [entry.state for entry in ic.reproduce(run.folder).inputs].count("missing") == 1


@pytest.mark.slow
def test_a_changed_side_file_is_found(run: ic.Run, tmp_path: Path) -> None:
    look = tmp_path / "look.csv"
    kept = look.read_bytes()
    look.write_bytes(kept.replace(b"n1", b"n9", 1))
    # The audit has its own copy, and says that the file is another one by now.
    found = ic.reproduce(run.folder)
    assert found.same
    assert found.changed_since == ("look.csv",)
    # Asked about the files as they are, it differs.
    found = ic.reproduce(run.folder, folder=tmp_path / "home")
    assert not found.same
    assert [entry.name for entry in found.inputs if entry.state == "differs"] == ["look.csv"]
    # A copy that was changed in the audit is not trusted: neither by its seal, nor by its hash where there is none.
    look.write_bytes(kept)
    copy = next((run.audit / "files").glob("*look.csv"))
    copy.write_bytes(kept.replace(b"n1", b"n9", 1))
    with pytest.raises(ic.InputError, match=r"D295.*look\.csv is changed"):
        ic.reproduce(run.folder)
    as_before_seals(run.folder)
    found = ic.reproduce(run.folder, trust=OLD)
    assert not found.same
    assert [(e.name, e.where) for e in found.inputs if e.state == "differs"] == [("look.csv", "the audit's copy")]


def test_changed_release_files_are_found(run: ic.Run, tmp_path: Path) -> None:
    changed = ["datapackage.json", "dictionary.csv", "manifest.json", "people.csv", "report.html"]
    for name in changed:
        path = run.release / name
        path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(ic.InputError, match="D295"):
        ic.reproduce(tmp_path / "home" / "release")
    as_before_seals(run.folder)
    found = ic.reproduce(tmp_path / "home" / "release", trust=OLD)
    assert not found.same
    assert found.data_same
    assert [file.name for file in found.files if file.stored == "differs"] == changed


@pytest.mark.slow
def test_a_changed_plan_or_a_file_too_many_is_found(run: ic.Run, tmp_path: Path) -> None:
    (run.release / "extra.csv").write_text("x\n")
    with pytest.raises(ic.InputError, match=r"D295.*extra\.csv is unlisted"):
        ic.reproduce(run.folder)
    as_before_seals(run.folder)
    found = ic.reproduce(run.folder, trust=OLD)
    assert [(f.name, f.stored, f.again) for f in found.files if f.stored != "same"] == [
        ("extra.csv", "differs", "missing")
    ]
    assert not found.same
    (run.release / "extra.csv").unlink()
    plan = run.audit / "plan.yaml"
    plan.write_text(plan.read_text().replace("title: People", "title: Others"))
    found = ic.reproduce(run.folder, trust=OLD)
    assert found.plan == "differs"
    assert not found.same


def test_nothing_is_published_and_nothing_is_left(run: ic.Run, tmp_path: Path) -> None:
    before = sorted(path for path in tmp_path.rglob("*"))
    assert ic.reproduce(run.folder).same
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_a_refused_run_and_a_folder_without_an_audit(tmp_path: Path) -> None:
    plan = plan_with(steps=[{"step": "drop", "variables": ["name"]}], requirements=[{"model": "k", "k": "50"}])
    with pytest.raises(ic.NotReleasable):
        ic.run(write_case(tmp_path, plan))
    refused = next((tmp_path / "runs").glob("*-refused"))
    assert Archive.find(refused).release is None
    with pytest.raises(ic.InputError, match="D238"):
        ic.reproduce(refused)
    with pytest.raises(ic.InputError, match="D192"):
        ic.reproduce(tmp_path)
    (refused / "audit" / "manifest.json").unlink()
    (refused / "audit" / "manifest.json.sig").unlink()
    with pytest.raises(ic.InputError, match="D237"):
        ic.reproduce(refused, trust=OLD)


def test_versions_that_differ_are_named(tmp_path: Path) -> None:
    run = ic.run(write_case(tmp_path))
    path = run.audit / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["versions"]["duckdb"] = "1.0.0"
    path.write_text(json.dumps(manifest))
    reseal(run.folder)
    found = ic.reproduce(run.folder)
    assert found.same
    assert list(found.versions) == ["duckdb"]
    assert found.versions["duckdb"][0] == "1.0.0"


def test_a_plan_with_dots_in_its_names_can_be_moved(tmp_path: Path) -> None:
    plan = plan_with(steps=[
        {"step": "drop", "variables": ["name"]},
        {"step": "search", "hierarchies": {"age": "a.csv", "a.ge": {"postcode": ["area"], "regions": "b.csv"}}},
    ])  # fmt: skip
    plan["variables"]["a.ge"] = {"role": "key", "reason": "odd"}
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x;y\n")
    loaded = load_plan(write_case(tmp_path, plan))
    moved = with_files(loaded, {file.place: f"/new/{file.name}" for file in named_files(loaded)})
    assert {(file.place, file.name) for file in named_files(moved)} == {
        ("data.source", "/new/people.csv"), ("steps.1.hierarchies.age", "/new/a.csv"),
        ("steps.1.hierarchies.a.ge", "/new/b.csv"),
    }  # fmt: skip
    assert moved.steps[1].hierarchies["a.ge"].postcode == ["area"]  # type: ignore[union-attr]


def _cli(*arguments: object, folder: Path, **variables: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", CODE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, cwd=folder, env={**os.environ, **variables})


@pytest.mark.slow
def test_the_same_bytes_in_another_process_place_locale_and_time_zone(run: ic.Run, tmp_path: Path) -> None:
    odd = {
        "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati", "PYTHONHASHSEED": "12345",
        "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "INCROWD_SECRET": "00" * 32,
    }  # fmt: skip
    there = tmp_path / "there"
    shutil.copytree(tmp_path / "home", there, symlinks=True)
    done = _cli("reproduce", there / "runs" / run.folder.name, "--json", folder=tmp_path, **odd)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["same"] is True


@pytest.mark.slow
def test_the_same_bytes_from_an_installed_wheel(run: ic.Run, tmp_path: Path) -> None:
    """A second environment: a wheel built from this source, in a venv of its own that borrows the dependencies."""
    root = Path(__file__).resolve().parents[2]
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(build, cwd=root, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    wheel = next((tmp_path / "dist").glob("*.whl"))
    python = tmp_path / "venv" / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "-q", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    home = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    (home / "borrowed.pth").write_text("\n".join(borrowed) + "\n")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    where = subprocess.run(
        [str(python), "-c", "import incrowd; print(incrowd.__file__)"], env=clean, capture_output=True, text=True
    )
    assert str(home) in where.stdout, where.stderr
    done = subprocess.run(
        [str(tmp_path / "venv" / "bin" / "incrowd"), "reproduce", str(run.folder), "--json"],
        env=clean, capture_output=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["same"] is True
