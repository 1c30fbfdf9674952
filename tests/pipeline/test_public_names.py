"""Nothing public tells where the data came from: no name of a file, folder, user or machine."""

from __future__ import annotations

import getpass
import gzip
import socket
import subprocess
from pathlib import Path

import pytest
import yaml
from commands import incrowd_cli
from people import SECRET, plan_with

FOLDER, SOURCE, LOOKUP, CODES, PEOPLE = "case-4711-folder", "jane-doe-4711", "lookup-4711", "codes-4711", "town-4711"


def cli(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {"INCROWD_SECRET": SECRET, "USER": "user4711", "LOGNAME": "user4711", **environment}
    return incrowd_cli(*arguments, folder=folder, **known)


def told(release: Path) -> bytes:
    """Every byte that may leave, and every name of a file."""
    files = [path for path in release.rglob("*") if path.is_file()]
    content = b"\n".join(path.read_bytes() + path.name.encode() for path in files)
    for path in files:
        if path.suffix == ".gz":
            content += gzip.decompress(path.read_bytes())
        if path.suffix == ".parquet":
            import pyarrow.parquet as pq

            kept = pq.read_metadata(path)
            content += repr(kept.metadata).encode() + str(kept.schema).encode() + kept.created_by.encode()
    return content


def write_people(path: Path, rows: int = 120) -> None:
    lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(rows))
    path.write_text("name,age,sex,ill,note\n" + lines)


def test_a_starter_plan_does_not_take_its_title_from_the_name_of_the_file(tmp_path: Path) -> None:
    home = tmp_path / FOLDER
    home.mkdir()
    write_people(home / f"{SOURCE}.csv")
    assert cli(home, "init", f"{SOURCE}.csv", "-o", "plan.yaml", "--kind", "administrative").returncode == 0
    plan = yaml.safe_load((home / "plan.yaml").read_text())
    assert "4711" not in plan["title"]
    assert "4711" not in str({name: value for name, value in plan.items() if name != "data"})
    text = (home / "plan.yaml").read_text()
    (home / "plan.yaml").write_text(text.replace("\n    decide: ", "\n    reason: "))
    done = cli(home, "run", "plan.yaml")
    assert done.returncode == 0, done.stderr
    assert b"4711" not in told(home / "release")


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["csv", "parquet"])
def test_no_public_file_names_a_source_a_folder_a_user_or_a_machine(tmp_path: Path, format_: str) -> None:
    home = tmp_path / FOLDER
    home.mkdir()
    write_people(home / f"{SOURCE}.csv")
    write_people(home / f"{PEOPLE}.csv", 400)
    (home / f"{LOOKUP}.csv").write_text("note,group\n" + "".join(f"00{i},{'ab'[i % 2]}\n" for i in range(7)))
    (home / f"{CODES}.csv").write_text("f;*\nm;*\n")
    plan = plan_with(
        data={"source": f"{SOURCE}.csv", "kind": "survey", "population": {"source": f"{PEOPLE}.csv"}},
        tier="safeguarded",
        steps=[
            {"step": "drop", "variables": ["name"]},
            {"step": "recode", "variable": "age", "bands": ["0", "40"]},
            {"step": "recode", "variable": "note", "lookup": f"{LOOKUP}.csv"},
            {"step": "search", "hierarchies": {"age": "auto", "sex": f"{CODES}.csv"}, "suppression": "0.5"},
            {"step": "suppress_records"},
        ],
        scenarios=[{"name": "neighbour", "keys": ["age", "sex"]}],
        release={"format": format_, "name": "people"},
    )
    (home / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    done = cli(home, "run", "plan.yaml")
    assert done.returncode == 0, done.stderr
    content = told(home / "release")
    assert b"4711" not in content
    for name in (str(tmp_path), str(Path.home()), socket.gethostname(), f"/{getpass.getuser()}/", "user4711"):
        assert name.encode() not in content, name
