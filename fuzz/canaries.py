"""Every command on files that are full of canaries, whole and broken: none of them reaches a terminal or the public.

The commands are taken from the command line itself. A new one must be named here, or left out with a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

from fuzz import tables
from fuzz.command import call, judge_call
from fuzz.damage import ANY, CSV
from fuzz.damaged import CANARY, NUMBER, people, plan_for
from fuzz.outcome import Outcome
from fuzz.plans import unpacked

NAME = "canaries"
OTHER = "people2.csv"
FILES = ("people.csv", "people.parquet", "people.xlsx", "people.csv.gz")


@dataclass(frozen=True)
class Command:
    """How a command is called on a folder, and where values of which columns may be seen on purpose."""

    arguments: Callable[[Path, Path], list[object]]  # the folder, the data file
    needs: tuple[str, ...] = ()  # a run, a key, a test
    shows: tuple[str, ...] = ()  # columns whose values it prints on purpose
    writes: tuple[str, ...] = ()  # files that hold records on purpose, and stay inside
    json: bool = True
    public: tuple[str, ...] = ()  # files and folders that may be passed on
    releases: tuple[str, ...] = ()  # columns whose values are in those on purpose


COMMANDS: dict[str, Command] = {
    "profile": Command(lambda f, d: ["profile", d]),
    "init": Command(lambda f, d: ["init", d, "-o", f / "made.yaml"], json=False, public=("made.yaml",)),
    "check": Command(lambda f, d: ["check", f / "plan.yaml"]),
    "run": Command(lambda f, d: ["run", f / "plan.yaml"], public=("release",), releases=("ill",)),
    "verify": Command(
        lambda f, d: ["verify", d, "--keys", "age,sex", "--k", "3", "--model", "t:ill:0.4", "--population", f / OTHER]
    ),
    "risk": Command(
        lambda f, d: ["risk", d, "--keys", "age,sex,region", "--records", f / "records.csv", "--chart", f / "map.svg"],
        writes=("records.csv",),
        public=("map.svg",),
    ),
    "search": Command(
        lambda f, d: [
            "search",
            d,
            "--keys",
            "age,sex",
            "--auto",
            "--k",
            "3",
            "--suppression",
            "0.5",
            "-o",
            f / "found.csv",
        ],
        writes=("found.csv",),
    ),
    "hierarchy build": Command(lambda f, d: ["hierarchy", "build", d, "--key", "sex"], shows=("sex",), json=False),
    "hierarchy show": Command(lambda f, d: ["hierarchy", "show", f / "tree.csv"], shows=("sex",), json=False),
    "hierarchy validate": Command(lambda f, d: ["hierarchy", "validate", f / "tree.csv", "--data", d, "--key", "sex"]),
    "postcode parse": Command(lambda f, d: ["postcode", "parse", "AL1 1AA", "m1 1ae"]),
    "postcode lookup": Command(lambda f, d: ["postcode", "lookup", "AL1 1AA", "ne3", "--threshold", "50"]),
    "postcode analyse": Command(
        lambda f, d: ["postcode", "analyse", d, "--postcode", "region", "--chart", f / "curve.svg"],
        public=("curve.svg",),
    ),
    "postcode merge": Command(
        lambda f, d: ["postcode", "merge", d, "--postcode", "region", "-o", f / "merged.csv"],
        shows=("region",),
        writes=("merged.csv",),
    ),
    "table": Command(
        lambda f, d: ["table", f / "plan.yaml", "--by", "note", "-o", f / "table.csv"],
        shows=("note",),
        public=("table.csv",),
    ),
    "sweep": Command(
        lambda f, d: ["sweep", f / "plan.yaml", "--k", "2:4", "--chart", f / "sweep.html"], public=("sweep.html",)
    ),
    "compare": Command(lambda f, d: ["compare", f / "plan.yaml", f / "plan.yaml"]),
    "propose": Command(
        lambda f, d: [
            "propose",
            f / "plan.yaml",
            "--tier",
            "controlled",
            "--most",
            "1",
            "--seconds",
            "20",
            "-o",
            f / "proposals",
        ],
        writes=("proposals/recommended.yaml", "proposals/proposals.html", "proposals/proposals.json"),
    ),
    "attack": Command(lambda f, d: ["attack", f / "plan.yaml", "--other", f / OTHER]),
    "report": Command(lambda f, d: ["report", f / "release"], needs=("run",), json=False),
    "reproduce": Command(lambda f, d: ["reproduce", f / "release"], needs=("run",)),
    "review": Command(lambda f, d: ["review", f / "release", "--external", f / OTHER], needs=("run",)),
    "audit diff": Command(lambda f, d: ["audit", "diff", f / "release", f / "release"], needs=("run",)),
    "audit keygen": Command(lambda f, d: ["audit", "keygen", f / "my.key"], json=False),
    "audit sign": Command(
        lambda f, d: ["audit", "sign", f / "release", "--name", "A", "--role", "board", "--key", f / "my.key"],
        needs=("run", "key"),
        json=False,
    ),
    "audit verify": Command(lambda f, d: ["audit", "verify", f / "release"], needs=("run",)),
    "intruder-test new": Command(
        lambda f, d: ["intruder-test", "new", f / "release", "-o", f / "test.db", "--intruders", "2", "--targets", "3"],
        needs=("run",),
        json=False,
    ),
    "intruder-test invite": Command(
        lambda f, d: ["intruder-test", "invite", f / "test.db", "intruder 1"], needs=("run", "test"), json=False
    ),
    "intruder-test account": Command(
        lambda f, d: ["intruder-test", "account", f / "test.db", "Ann", "--role", "judge"],
        needs=("run", "test"),
        json=False,
    ),
    "intruder-test score": Command(lambda f, d: ["intruder-test", "score", f / "test.db"], needs=("run", "test")),
    "intruder-test erase": Command(
        lambda f, d: ["intruder-test", "erase", f / "test.db", "--yes"], needs=("run", "test"), json=False
    ),
}
#: Commands that are not called, and why.
LEFT_OUT = {
    "app": "a server without end; tests/app/test_app.py looks at its pages",
    "intruder-test advise": "it needs claims; tests/intruder_test/test_advise.py has some, and looks for canaries",
    "intruder-test texts": "it takes no file but writes our own texts",
    "intruder-test dry-run": "it makes demo people of its own; tests/intruder_test/test_dry_run.py plays it",
    "intruder-test serve": "a server without end; tests/intruder_test/test_security.py attacks it",
    "demo": "makes people of its own, takes no file, and is minutes long",
    "demo-data": "makes people of its own and takes no file",
}


def all_commands() -> list[str]:
    """The commands that the command line has."""
    from typer.main import get_command

    import incrowd.cli

    def walk(command: Any, path: str) -> Iterator[str]:
        if not hasattr(command, "commands"):
            yield path.strip()
            return
        for name, inner in command.commands.items():
            yield from walk(inner, f"{path} {name}")

    return list(walk(get_command(incrowd.cli.load()), ""))


def make(rng: Random) -> dict[str, Any]:
    """A command, a file, and whether the data, the plan or the other file is broken."""
    broken = rng.choice([None, None, "data", "data", "tree.csv", OTHER, "lookup.csv"])
    return {
        "command": rng.choice(list(COMMANDS)), "file": rng.choice(FILES if broken != "data" else FILES[:1]),
        "broken": broken, "chance": rng.randrange(1 << 40), "json": rng.random() < 0.5,
    }  # fmt: skip


def play(case: dict[str, Any], folder: Path) -> Outcome:
    """Call it, and look for canaries wherever none may be."""
    rng, outcome = Random(case["chance"]), Outcome()
    if unnamed := sorted({*all_commands()} - {*COMMANDS, *LEFT_OUT}):
        outcome.fault("harness", f"commands that are neither called nor left out: {unnamed}")
    command = COMMANDS[case["command"]]
    data = folder / case["file"]
    columns = people(rng)
    style: dict[str, Any] = {"form": case["file"].removeprefix("people.")}
    tables.write(folder, "people", columns, style)
    tables.write(folder, "people2", people(rng, 40), {})
    (folder / "lookup.csv").write_text("from,to\nnorth,up\nsouth,down\n")
    (folder / "tree.csv").write_text(f"f;all\nm;all\n{CANARY}sex;all\n")
    plan = plan_for(case["file"])
    plan["scenarios"] = [{"name": "nosy", "keys": ["age", "sex"]}]
    plan["use_cases"] = [{"name": "ill", "test": "proportion", "share": {"ill": ["y"]}, "by": "sex"}]
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    if "run" in command.needs:
        call("run", folder / "plan.yaml")
    if "key" in command.needs:
        call(*COMMANDS["audit keygen"].arguments(folder, data))
    if "test" in command.needs:
        call(*COMMANDS["intruder-test new"].arguments(folder, data))
    if case["broken"]:
        target = data if case["broken"] == "data" else folder / case["broken"]
        target.write_bytes(rng.choice([*ANY, *CSV, *CSV])(rng, target.read_bytes()))
    arguments = command.arguments(folder, data)
    if case["json"] and command.json:
        arguments.append("--json")
    code, said = call(*arguments)
    words = f"{case['command']}{' --json' if '--json' in arguments else ''} (broken: {case['broken']})"
    texts = [f"{CANARY}{name}" for name in ("Name", "sex", "region", "ill", "note") if name not in command.shows]
    hidden = [*texts, NUMBER]
    judge_call(words, code, said, hidden, outcome)
    outcome.released = code == 0
    for name in command.public:
        place = folder / name
        files = [path for path in place.rglob("*") if path.is_file()] if place.is_dir() else [place]
        for path in files:
            if path.is_file():
                inside = [text for text in hidden if text.removeprefix(CANARY) not in command.releases]
                found = [text for text in inside if text.encode() in unpacked(path)]
                outcome.check(not found, "leak", f"{words}: {path.name} holds {found}")
    for name in command.writes:
        if (folder / name).exists():
            mode = (folder / name).stat().st_mode & 0o077
            outcome.check(not mode, "mode", f"{words}: others can read {name}, which holds records")
    return outcome


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Whole files, plain output."""
    if case["json"]:
        yield {**case, "json": False}
    if case["broken"]:
        yield {**case, "broken": None}
