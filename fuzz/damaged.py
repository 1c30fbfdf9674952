"""Damaged files through the commands: an error with a code, or a release that is right; never a record, never X001."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

from fuzz import tables
from fuzz.command import call, judge_call
from fuzz.damage import WAYS
from fuzz.oracle import Records, judge
from fuzz.outcome import KEPT, Outcome
from fuzz.recount import check_files

NAME = "bytes"
CANARY = "Qzx"
#: The canary of a column of numbers.
NUMBER = "98765.4321"
K = 3
#: The endings of other sources than plain CSV.
FORMS = ("parquet", "xlsx", "csv.gz", "jsonl", "sav", "dta")
COMMANDS = ("run", "check", "profile", "verify", "init", "risk", "search", "hierarchy", "sweep", "attack", "compare")


def people(rng: Random, many: int = 60) -> dict[str, list[str | None]]:
    """Records of people; every cell that only one of them has is a canary."""
    columns: dict[str, list[str | None]] = {
        "name": [f"{CANARY}Name{i}" for i in range(many)],
        "age": [str(20 + i % 40) for i in range(many)],
        "sex": ["fm"[i % 2] for i in range(many)],
        "region": [["north", "south", "east"][i % 3] for i in range(many)],
        "ill": ["yn"[i % 5 == 0] for i in range(many)],
        "note": [f"00{i % 7}" for i in range(many)],
    }
    for name in ("sex", "region", "ill", "note"):
        columns[name][rng.randrange(many)] = f"{CANARY}{name}"
    columns["age"][0] = NUMBER
    return columns


def plan_for(source: str) -> dict[str, Any]:
    """A plan that releases something, and reads every sort of file."""
    roles = {"name": "identifier", "age": "key", "sex": "key", "region": "key", "ill": "sensitive", "note": "other"}
    roles["late"] = "other"
    return {
        "title": "People",
        "data": {"source": source, "kind": "survey"},
        "tier": "safeguarded",
        "variables": {name: {"role": role, "reason": "it is"} for name, role in roles.items()},
        "steps": [
            {"step": "derive", "into": "late", "expression": "'yes' if note in ('005', '006') else 'no'"},
            {"step": "drop", "variables": ["name"]},
            {"step": "recode", "variable": "age", "bands": ["0", "40"]},
            {"step": "recode", "variable": "region", "lookup": "lookup.csv", "others": "elsewhere"},
            {"step": "recode", "variable": "sex", "hierarchy": "tree.csv", "level": "1"},
            {"step": "drop", "variables": ["note"]},
            {"step": "suppress_records"},
        ],
        "requirements": [{"model": "k", "k": str(K)}],
    }


def make(rng: Random) -> dict[str, Any]:
    """Which file is damaged, by which chance, and which commands see it."""
    source = rng.choice([*["people.csv"] * 3, *(f"people.{form}" for form in FORMS)])
    target = rng.choice([source, source, "plan.yaml", "lookup.csv", "tree.csv"])
    commands = ["run", *rng.sample(COMMANDS, 2)]
    return {
        "source": source, "target": target, "chance": rng.randrange(1 << 40), "times": rng.choice([1, 1, 2, 4]),
        "commands": list(dict.fromkeys(commands)), "json": rng.random() < 0.4,
    }  # fmt: skip


def write_case(source: str, folder: Path, rng: Random) -> dict[str, list[str | None]]:
    """Whole files."""
    columns = people(rng)
    style = {"form": source.split(".", 1)[1], "sparse": False}
    tables.write(folder, "people", columns, style)
    (folder / "lookup.csv").write_text("from,to\nnorth,up\nsouth,down\n")
    (folder / "tree.csv").write_text(f"f;all\nm;all\n{CANARY}sex;all\n")
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan_for(source), sort_keys=False))
    return columns


def play(case: dict[str, Any], folder: Path) -> Outcome:
    """Damage the file, call the commands, look at what they said and left."""
    rng, outcome = Random(case["chance"]), Outcome()
    write_case(case["source"], folder, rng)
    target = folder / case["target"]
    content = target.read_bytes()
    for _ in range(case["times"]):
        content = rng.choice(WAYS[target.suffix])(rng, content)
    target.write_bytes(content)
    if "content" in case:  # made smaller
        target.write_bytes(bytes.fromhex(case["content"]))
    before = {path.name for path in folder.iterdir()}
    for name in case["commands"]:
        arguments = _arguments(name, case["source"], folder)
        # `search` and `hierarchy build` have no --json, or show values on purpose without it.
        told = [*arguments, "--json"] if case["json"] and name not in ("init", "hierarchy") else arguments
        code, said = call(*told)
        judge_call(
            f"{name}{' --json' if told != arguments else ''} ({case['target']})", code, said, [CANARY, NUMBER], outcome
        )
        _judge_left(name, code, folder, before, case, outcome)
    return outcome


def _arguments(name: str, source: str, folder: Path) -> list[object]:
    data, plan = folder / source, folder / "plan.yaml"
    return {
        "run": ["run", plan],
        "check": ["check", plan],
        "profile": ["profile", data],
        "verify": ["verify", data, "--keys", "age,sex", "--model", "k:3", "--model", "t:ill:0.4"],
        "init": ["init", data, "-o", folder / "made.yaml"],
        "risk": ["risk", data, "--keys", "age,sex,region"],
        "search": ["search", data, "--keys", "age,sex", "--auto", "--k", "3", "--suppression", "0.5"],
        "hierarchy": ["hierarchy", "validate", folder / "tree.csv", "--data", data, "--key", "sex"],
        "sweep": ["sweep", plan, "--k", "2:4"],
        "attack": ["attack", plan],
        "compare": ["compare", plan, plan],
    }[name]


def _judge_left(name: str, code: int, folder: Path, before: set[str], case: dict[str, Any], outcome: Outcome) -> None:
    """No private folder, no half release; a whole one holds what its plan asks for."""
    outcome.check(not list(folder.glob("runs/.work-*")), "half", f"{name} leaves a private folder")
    left = {path.name for path in folder.iterdir()} - before - KEPT
    if name == "init" and code == 0:
        left -= {"made.yaml"}
        (folder / "made.yaml").unlink(missing_ok=True)
    if name != "run":
        outcome.check(left <= {"release"}, "half", f"{name} (exit code {code}) leaves {sorted(left)}")
        return
    if code:
        outcome.check(
            not left and not list(folder.glob("runs/*/release")), "half", f"a refused run leaves {sorted(left)}"
        )
        return
    outcome.released = True
    release = folder / "release"
    if not (release / "data.csv").is_file():
        return  # the damaged plan asked for something else
    files = check_files(release, release.resolve().parent / "audit", outcome)
    if files is None:
        return
    names, rows = files
    whole = b"".join(path.read_bytes() for path in release.rglob("*") if path.is_file())
    outcome.check(b"QzxName" not in whole, "leak", "a name is in the release")
    if case["target"] != "plan.yaml":
        outcome.check("name" not in names and "note" not in names, "wrong", "a dropped column is there")
        judged = judge(Records(rows, range(len(rows)), ("age", "sex", "region")), {"model": "k", "k": K})
        outcome.check(judged.passed, "wrong", f"k is {judged.figure}")


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Fewer commands, less damage."""
    for name in case["commands"]:
        if len(case["commands"]) > 1:
            yield {**case, "commands": [name]}
    if case["json"]:
        yield {**case, "json": False}
    for times in range(1, case["times"]):
        yield {**case, "times": times}
