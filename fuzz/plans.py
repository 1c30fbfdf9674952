"""Random plans on random files, end to end: a release that the oracle confirms, or an error with a code."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import sys
import tempfile
import traceback
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet as pq
import yaml

from fuzz import tables
from fuzz.deriving import in_file
from fuzz.makeplan import make_case
from fuzz.outcome import KEPT, UNEXPLAINED, Outcome
from fuzz.recount import check_release

NAME = "plans"
SECRET = "5a" + "0123456789abcdef" * 3 + "f00dfeedc0ffee"
#: Refusals that say that a step did what it should not, and the gate saw it.
OUR_FAULT = ("R002", "R003", "R004", "R008", "R009", "R013", "R015")


def make(rng: Random) -> dict[str, Any]:
    """A case, from chance alone."""
    return make_case(rng)


def write_files(case: Mapping[str, Any], folder: Path) -> Path:
    """The files of a case; gives the plan."""
    plan = json.loads(json.dumps(case["plan"]))
    plan["data"]["source"] = tables.write(folder, "people", in_file(case), _style_in_file(case))
    if case["population"] is not None:
        (folder / "population.csv").write_text(tables.to_csv(case["population"]))
    for name, text in case["files"].items():
        (folder / name).write_text(text, newline="")
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False, allow_unicode=True))
    return folder / "plan.yaml"


def _style_in_file(case: Mapping[str, Any]) -> dict[str, Any]:
    """The style, by the names that the file has."""
    named, types = case.get("named", {}), case["style"].get("types", {})
    return {**case["style"], "types": {named.get(name, name): kind for name, kind in types.items()}}


def play(case: dict[str, Any], folder: Path) -> Outcome:
    """Run the plan, and look at everything that it left."""
    outcome, plan = Outcome(), write_files(case, folder)
    before = {path.name for path in folder.iterdir()}
    done = _run(case, plan, outcome)
    if done is None:
        left = {path.name for path in folder.iterdir()} - before - KEPT
        outcome.check(not left, "half", f"a refused run leaves {sorted(left)}")
        outcome.check(not list(folder.glob("runs/*/release")), "half", "a refused run keeps a release")
        return outcome
    outcome.released = True
    outcome.check(not case.get("unreadable"), "wrong", "a cell that cannot be read was not refused")
    check_release(case, done.release, done.audit, outcome)
    contents = {
        str(path.relative_to(done.release)): unpacked(path) for path in done.release.rglob("*") if path.is_file()
    }
    data = b"".join(content for name, content in contents.items() if name.startswith("data") and ".json" not in name)
    # A value that the release has may be named beside it; an identifier may be nowhere.
    public = {name for name, text in case["canaries"].items() if name != "person" and text.encode() in data}
    _no_leak(case, contents, public | _named(case, case["plan"]["requirements"]), outcome)
    if case.get("again"):
        _once_more(case, folder, outcome)
    return outcome


def _run(case: Mapping[str, Any], plan: Path, outcome: Outcome) -> Any:
    """What a run gives, or None; what it says tells nothing, and nothing private is left."""
    from incrowd import IncrowdError, run  # here, so that a child imports it and not the parent's caller

    os.environ["INCROWD_SECRET"] = SECRET
    done, said = None, ""
    with captured() as printed:
        try:
            done = run(plan)
        except IncrowdError as error:
            outcome.code = error.code
            said = "\n".join([str(error), repr(error), *map(str, getattr(error, "faults", []))])
            if error.code in OUR_FAULT:
                outcome.fault("gate", f"{error.code}: the gate stopped what a step had made")
        except Exception as error:
            frames = [f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)]
            outcome.fault(UNEXPLAINED, f"{type(error).__name__} in {' < '.join(reversed(frames[-5:]))}")
            outcome.code = "X001"
    said += printed()
    # What the plan itself names, its writer knows; what its requirements name, the public report says.
    _no_leak(case, {"said": said.encode()}, _named(case, case["plan"]), outcome)
    outcome.check(not list(plan.parent.glob("runs/.work-*")), "half", "a private folder is left")
    return done


def _once_more(case: Mapping[str, Any], folder: Path, outcome: Outcome) -> None:
    """The next release of the series, with some of the same people: whether it leaves is not judged, how it is."""
    columns = {name: [cells[i] for i in case["again"] if i < len(cells)] for name, cells in case["columns"].items()}
    plan = {**case["plan"], "release": {**case["plan"]["release"], "version": "2"}}
    style = {**case["style"], **({"form": "parquet"} if case["style"]["form"] == "parts" else {})}
    following = {**case, "columns": columns, "plan": plan, "style": style}
    done = _run(following, write_files(following, folder), outcome)
    if done is not None:
        check_release(following, done.release, done.audit, outcome)


def _named(case: Mapping[str, Any], part: Any) -> set[str]:
    """The columns whose canary stands in a part of the plan."""
    text = json.dumps(part)
    return {column for column, canary in case["canaries"].items() if canary in text}


def _no_leak(case: Mapping[str, Any], contents: Mapping[str, bytes], public: set[str], outcome: Outcome) -> None:
    for column, text in case["canaries"].items():
        if column not in public:
            where = sorted(name for name, content in contents.items() if text.encode() in content)
            outcome.check(not where, "leak", f"a value of {column!r} is in {where}")


def unpacked(path: Path) -> bytes:
    """What a file holds, also where it is packed."""
    content = path.read_bytes()
    if content[:2] == b"\x1f\x8b":
        return gzip.decompress(content)
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(path) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    if content[:4] == b"PAR1":
        table = pq.ParquetFile(path).read()
        return "\n".join(str(v) for column in table.columns for v in column.to_pylist()).encode() + content
    return content


@contextlib.contextmanager
def captured() -> Iterator[Any]:
    """Both standard streams, down to the file descriptors; the value gives what was printed, once it is over."""
    with tempfile.TemporaryFile() as kept:
        sys.stdout.flush()
        sys.stderr.flush()
        saved = os.dup(1), os.dup(2)
        os.dup2(kept.fileno(), 1)
        os.dup2(kept.fileno(), 2)
        text = ""
        try:
            yield lambda: text
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(saved[0], 1)
            os.dup2(saved[1], 2)
            os.close(saved[0])
            os.close(saved[1])
            kept.seek(0)
            text = kept.read().decode("utf-8", "replace")


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Without a step, a requirement, a column, or some of the records."""
    plan = case["plan"]
    many = len(next(iter(case["columns"].values())))
    size = many // 2
    while size >= 1:
        for start in range(0, many, size):
            kept = [i for i in range(many) if not start <= i < start + size]
            if len(kept) >= 2 and case["style"]["form"] != "parts":
                yield {**case, "columns": {name: [cells[i] for i in kept] for name, cells in case["columns"].items()}}
        size //= 4
    for field in ("steps", "requirements"):
        for number in range(len(plan[field])):
            rest = plan[field][:number] + plan[field][number + 1 :]
            if rest or field == "steps":
                yield {**case, "plan": {**plan, field: rest}}
    named = json.dumps([plan["steps"], plan["requirements"], plan["data"], plan.get("scenarios")], ensure_ascii=False)
    for name in case["columns"]:
        if json.dumps(name, ensure_ascii=False) not in named and name != case["trace"] and case["population"] is None:
            variables = {other: variable for other, variable in plan["variables"].items() if other != name}
            canaries = {other: text for other, text in case["canaries"].items() if other != name}
            columns = {other: cells for other, cells in case["columns"].items() if other != name}
            yield {**case, "columns": columns, "canaries": canaries, "plan": {**plan, "variables": variables}}
    if "scenarios" in plan:
        yield {**case, "plan": {name: part for name, part in plan.items() if name != "scenarios"}}
    if case["style"]["form"] != "csv":
        yield {**case, "style": {"form": "csv"}}
