"""Files about records are for their owner only; a place that cannot be written, or read, is said and not a crash."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from commands import MANY
from people import SECRET, plan_with, write_case
from servers import absent

from incrowd.errors import InputError, SecretError
from incrowd.machine.writing import private_file, write_private
from incrowd.secret import FILE, VARIABLE, find_secret

#: Every option that writes a file, and the rest of a command line with which it does. {} is the place.
WRITERS = {
    "init": ["init", "people.csv", "--force", "-o", "{}"],
    "search": ["search", "people.csv", "--keys", "sex", "--auto", "--k", "2", "-o", "{}.csv"],
    "search to Parquet": ["search", "people.csv", "--keys", "sex", "--auto", "--k", "2", "-o", "{}.parquet"],
    "local search": ["search", "people.csv", "--keys", "sex", "--auto", "--k", "2", "--local", "-o", "{}.csv"],
    "risk of records": ["risk", "people.csv", "--keys", "age,sex", "--records", "{}"],
    "risk as a chart": ["risk", "people.csv", "--keys", "age,sex", "--chart", "{}"],
    "attack": ["attack", "release", "--records", "{}"],
    "sweep": ["sweep", "plan.yaml", "--k", "2,3", "--chart", "{}"],
    "hierarchy": ["hierarchy", "build", "people.csv", "--key", "age", "-o", "{}"],
    "audit of a table": ["table", "plan.yaml", "--by", "age", "--audit", "{}"],
    "merged places": ["postcode", "merge", "places.csv", "--postcode", "code", "--threshold", "2", "-o", "{}"],
    "lookup of places": ["postcode", "merge", "places.csv", "--postcode", "code", "--threshold", "2", "--lookup", "{}"],
    "curves of places": ["postcode", "analyse", "places.csv", "--postcode", "code", "--chart", "{}.svg"],
}
#: These are written for others: a table to publish, and people who do not exist.
OTHERS = {
    "table": ["table", "plan.yaml", "--by", "age", "-o", "{}"],
    "demo data": ["demo-data", "--rows", "10", "-o", "{}"],
}


def many(folder: Path, *lines: list[str], **settings: object) -> dict[int, tuple[int, str]]:
    """Commands in one process; gives each one's exit code and what was said on the way to it."""
    done = subprocess.run(
        [sys.executable, "-c", MANY, json.dumps(lines)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False, env={**os.environ, "INCROWD_SECRET": SECRET, "COLUMNS": "200"}, **settings,  # type: ignore[call-overload]
    )  # fmt: skip
    found: dict[int, tuple[int, str]] = {}
    told = ""
    for line in done.stdout.splitlines():
        if line.startswith("ENDED "):
            found[len(found)] = (int(line.split()[-1]), told)
            told = ""
        else:
            told += line + "\n"
    assert len(found) == len(lines), done.stdout
    return found


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    steps = [
        {"step": "drop", "variables": ["name", "age"]},
        {"step": "suppress_records"},
    ]
    write_case(folder, plan_with(tier="safeguarded", steps=steps))
    (folder / "places.csv").write_text("code\n" + "NE3 1ED\nNE3 1EE\nTD1 1AA\n" * 20)
    assert many(folder, ["run", "plan.yaml"])[0][0] == 0
    return folder


def placed(line: list[str], place: str) -> list[str]:
    return [part.replace("{}", place) for part in line]


@pytest.mark.slow
def test_whatever_holds_records_or_audit_matter_is_for_its_owner_only(home: Path) -> None:
    before = os.umask(0o022)
    try:
        (home / "there0").write_text("an older file that others may read")
        (home / "there0").chmod(0o644)
        lines = [placed(line, f"there{i}") for i, line in enumerate(WRITERS.values())]
        ended = many(home, *lines)
    finally:
        os.umask(before)
    for i, name in enumerate(WRITERS):
        assert ended[i][0] == 0, (name, ended[i])
        (made,) = [*home.glob(f"there{i}"), *home.glob(f"there{i}.*")]
        assert stat.S_IMODE(made.stat().st_mode) == 0o600, name
        assert made.stat().st_size > 0
    assert not list(home.glob(".incrowd-*"))


def test_every_file_of_an_audit_is_for_its_owner_only_and_the_release_is_not(home: Path) -> None:
    audit, release = (home / "release").resolve().parent / "audit", home / "release"
    assert stat.S_IMODE(audit.stat().st_mode) == 0o700
    inside = [path for path in audit.rglob("*") if path.is_file()]
    assert len(inside) >= 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in inside} == {0o600}
    assert all(path.stat().st_mode & 0o400 for path in release.rglob("*"))
    review = home / "looked-again"
    assert many(home, ["review", "release", "--out", str(review)])[0][0] in (0, 1)
    assert {stat.S_IMODE(path.stat().st_mode) for path in review.iterdir()} == {0o600}


@pytest.mark.slow
def test_a_place_that_cannot_be_written_is_said_before_the_work(home: Path, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    lines, places = [], (str(tmp_path / "nowhere" / "out"), str(tmp_path / "folder"))
    for line in (*WRITERS.values(), *OTHERS.values()):
        given = placed(line, places[0])
        lines.append(given)
        at = next(i for i, part in enumerate(line) if "{}" in part)
        lines.append([*line[:at], str(tmp_path / "folder.csv"), *line[at + 1 :]])
    for line, (code, told) in zip(lines, many(home, *lines).values(), strict=True):
        assert code == 2, (line, told)
        assert told.startswith(("D280: ", "D092: ", "D215: ")), (line, told)
        assert "read and count" not in told


def test_a_device_is_written_and_stays_a_device(tmp_path: Path) -> None:
    write_private(Path("/dev/null"), "nothing")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(InputError, match="D280"):
        write_private(Path("/dev/full"), "x" * 100_000)
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_private(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_file_is_whole_or_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text("old")
    with pytest.raises(RuntimeError), private_file(path) as draft:
        draft.write_text("half")
        assert stat.S_IMODE(draft.parent.stat().st_mode) == 0o700
        raise RuntimeError
    assert path.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["records.csv"]


@pytest.mark.slow
def test_a_full_disk_under_the_output_is_said(home: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "incrowd", "profile", "people.csv"], cwd=home, stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("X033"), done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("kind", ["a folder", "a dead link", "not text"])
def test_a_secret_that_cannot_be_read_is_said(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    path = tmp_path / FILE
    if kind == "a folder":
        path.mkdir()
    elif kind == "a dead link":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.write_bytes(bytes(range(256)))
        path.chmod(0o600)
    with pytest.raises(SecretError, match="S003" if kind == "not text" else "D281"):
        find_secret(tmp_path)


@pytest.mark.slow
def test_what_may_not_be_read_or_written_is_said(tmp_path: Path) -> None:
    # Permissions are nothing to root: its power to pass them is taken from it.
    less = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    if less and shutil.which("setpriv") is None:
        absent("setpriv")
    write_case(tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}

    def told(*arguments: str) -> str:
        done = subprocess.run(
            [*less, sys.executable, "-m", "incrowd", *arguments], cwd=tmp_path, capture_output=True, text=True,
            check=False, env=environment,
        )  # fmt: skip
        assert "X001" not in done.stderr, done.stderr
        assert done.returncode in (1, 2), done.stderr
        return done.stderr

    closed, secret = tmp_path / "closed", tmp_path / FILE
    closed.mkdir(mode=0o500)
    assert "D280" in told("init", "people.csv", "-o", "closed/new.yaml")
    assert "D280" in told("search", "people.csv", "--keys", "sex", "--auto", "-o", "closed/out.csv")
    assert "X004" in told("run", "plan.yaml", "--out", "closed")
    assert "X004" in told("demo", "closed/demo", "--rows", "10")
    secret.write_text(SECRET)
    secret.chmod(0)
    assert "D281" in told("run", "plan.yaml")
    (tmp_path / "plan.yaml").chmod(0)
    assert "not readable" in told("run", "plan.yaml")  # Typer sees it first
    assert "not readable" in told("check", "plan.yaml")
