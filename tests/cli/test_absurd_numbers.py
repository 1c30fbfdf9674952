"""Numbers that nobody means: every command says what is wrong, at once, and never that incrowd itself is broken."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import typing
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from hypothesis import given
from hypothesis import strategies as st
from people import SECRET, plan_with, write_case

from incrowd import cli
from incrowd.errors import InputError
from incrowd.keys.hierarchies.builders import nearest_cuts
from incrowd.pipeline.check import load_plan
from incrowd.plan import inspect_plan
from incrowd.utility.settings import Setting, variants

ABSURD = ("-1", "0", "nan", "inf", "-inf", "1e308", "99999999999", "9" * 30, "-0.5", "1e-320", "abc", "")
#: The rest of the command line, with which a command would work.
SOUND = {
    "search": ["people.csv", "--keys", "sex", "--auto"],
    "verify": ["people.csv", "--keys", "sex", "--sensitive", "ill"],
    "demo-data": ["-o", "demo.csv", "--rows", "10"],
    "demo": ["demo", "--no-propose"],
    "propose": ["plan.yaml"],
    "risk": ["people.csv", "--keys", "age,sex"],
    "table": ["plan.yaml", "--by", "ill"],
    "app": [],
    "hierarchy show": ["sex.csv"],
    "hierarchy build": ["people.csv", "--key", "age"],
    "intruder-test new": ["release", "-o", "test.db"],
    "intruder-test serve": ["test.db"],
    "postcode lookup": ["NE3 1ED"],
    "postcode analyse": ["places.csv", "--postcode", "code"],
    "postcode merge": ["places.csv", "--postcode", "code"],
    "run": ["plan.yaml"],
    "reproduce": ["release"],
    "sweep": ["plan.yaml"],
}
#: Numbers that are given as texts.
TEXTS = {
    "demo-data": ("--rows",),
    "run": ("--memory",),
    "reproduce": ("--memory",),
    "sweep": ("--k", "--suppression"),
    "hierarchy build": ("--widths", "--cuts", "--quantiles", "--prefixes"),
    "intruder-test new": ("--intruders",),
}
#: Texts that hide a number in a list, a span or a unit.
HIDDEN = {
    "sweep --k": ("1:99999999", "1:1e308", "0:1:1e-300", "nan:3", "2:inf", "1:5:0", "9" * 400, "5:1", ":", "2:3:4:5"),
    "sweep --set": (
        "requirements.0.k=1:99999999", "requirements.0.k=nan", "requirements.0.k=-1", "x=1", "=", "a.b.c=1:2",
    ),
    "run --memory": ("0GB", "-1GB", "1e30GB", "999999999999TB", "9" * 500 + "TB", "8 parsecs", "8GB8GB"),
    "verify --model": (
        "k:0", "k:-1", "k:nan", "k:1e308", "k:" + "9" * 30, "k:", "k", "k:2:3", "t:ill:nan", "t:ill:-1", "t:ill:inf",
        "entropy_l:ill:1e400", "recursive_cl:ill:inf:2", "delta_presence:nan:2",
    ),
    "hierarchy build --widths": ("1e308,1e309", "5,nan", "5,-1", "0.0,1", ",", "1e-320"),
    "hierarchy build --prefixes": ("99999999999",),
    "hierarchy build --cuts": ("1/nan", "inf,inf"),
    "hierarchy build --quantiles": ("99999999999,2", "2,0"),
}  # fmt: skip

#: Runs commands in one process, each for a short time, and says how each ended.
MANY = """
import io, json, signal, sys, time
from contextlib import redirect_stderr, redirect_stdout
from incrowd.cli import main
def late(*_):
    raise TimeoutError
signal.signal(signal.SIGALRM, late)
for arguments in json.loads(sys.stdin.read()):
    sys.argv = ["incrowd", *arguments]
    out, err, begun = io.StringIO(), io.StringIO(), time.monotonic()
    signal.alarm(60)
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code
        finally:
            signal.alarm(0)
    print(json.dumps([arguments, code, out.getvalue()[-300:] + err.getvalue()[-3000:]]), flush=True)
"""


def numeric_options() -> list[tuple[str, str]]:
    """Every option of every command that is a number."""
    found: list[tuple[str, str]] = []

    def walk(command: Any, path: tuple[str, ...]) -> None:
        for name, inner in getattr(command, "commands", {}).items():
            walk(inner, (*path, name))
        hints = typing.get_type_hints(command.callback) if command.callback else {}
        for option in command.params:
            if {int, float} & {hints.get(option.name), *typing.get_args(hints.get(option.name))}:
                found.append((" ".join(path), option.opts[0]))

    walk(typer.main.get_command(cli.load()), ())
    return found


def command_lines(absurd: Sequence[str], hidden: int) -> list[list[str]]:
    pairs = [*numeric_options(), *((command, option) for command, options in TEXTS.items() for option in options)]
    assert len(pairs) > 20
    lines = [(command, option, value) for command, option in pairs for value in absurd]
    lines += [(*where.rsplit(" ", 1), value) for where, values in HIDDEN.items() for value in values[:hidden]]
    made = []
    for command, option, value in lines:
        rest = list(SOUND[command])
        if option in rest:
            at = rest.index(option)
            del rest[at : at + 2]
        if option == "--rows" and value in ("99999999999", "9" * 30, "1e308"):
            continue  # a file that large is what was asked for, or the disk is full
        if command == "intruder-test new":
            rest[rest.index("test.db")] = f"test{len(made)}.db"
        made.append([*command.split(), *rest, f"{option}={value}"])
    return made


def prepare(folder: Path) -> None:
    write_case(folder)
    (folder / "sex.csv").write_text("f;*\nm;*\n")
    (folder / "places.csv").write_text("code\n" + "NE3 1ED\nNE3 1EE\nTD1 1AA\n" * 20)
    environment = {**os.environ, "INCROWD_SECRET": SECRET}
    for line in ("run plan.yaml", "intruder-test new release -o test.db --targets 2"):
        command = [sys.executable, "-m", "incrowd", *line.split()]
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize(("absurd", "hidden"), [(("-1", "nan"), 1), (ABSURD, 99)], ids=["few", "all"])
def test_no_absurd_number_breaks_or_hangs_a_command(absurd: Sequence[str], hidden: int, tmp_path: Path) -> None:
    prepare(tmp_path)
    lines = command_lines(absurd, hidden)
    done = subprocess.run(
        [sys.executable, "-c", MANY], cwd=tmp_path, input=json.dumps(lines), capture_output=True, text=True,
        env={**os.environ, "INCROWD_SECRET": SECRET, "COLUMNS": "160"}, timeout=1200, check=False,
    )  # fmt: skip
    ended = [json.loads(line) for line in done.stdout.splitlines()]
    odd = [(line[-1] if len(line) else "", line, code, told[-700:]) for line, code, told in ended
           if code not in (0, 2, 3) or "X001" in told or "X033" in told or "Traceback" in told]  # fmt: skip
    assert not odd, "\n".join(f"{line} -> {code}: {told}" for _, line, code, told in odd[:30])
    assert len(ended) == len(lines), (ended[-1:], done.stderr[-2000:])
    for line, code, told in ended:  # what is refused is refused with a code, or by the command line itself
        if code == 2:
            assert re.search(r"^(Error: |[DPRSX]\d{3})", told, re.M), (line, told)


@pytest.mark.parametrize("values", ["1:99999999", "5:1", "0:3", "0", "9" * 400, "1:600,1:600"])
def test_a_sweep_of_a_plan_that_would_not_end_is_a_fault(values: str, tmp_path: Path) -> None:
    write_case(tmp_path)
    found = inspect_plan(yaml.safe_dump(plan_with(sweep={"k": values})), tmp_path)
    assert [fault.code for fault in found.faults if fault.place.startswith("sweep")] == ["P004"]


def test_many_settings_together_are_counted_before_they_are_tried(tmp_path: Path) -> None:
    write_case(tmp_path)
    settings = [Setting(name, ("requirements.0.k",), tuple(map(str, range(2, 102)))) for name in "ab"]
    with pytest.raises(InputError, match="D283"):
        variants(load_plan(tmp_path / "plan.yaml"), settings, tmp_path)


@given(st.integers(2, 60), st.lists(st.integers(1, 9), min_size=2, max_size=12))
def test_more_bands_than_people_are_as_many_as_there_are_values(number: int, people: list[int]) -> None:
    values = [str(i) for i in range(len(people))]
    below, total = {}, 0
    for value, count in zip(values, people, strict=True):
        below[Decimal(value)] = total
        total += count
    cuts = [Decimal(value) for value in values[1:]]
    many = nearest_cuts(cuts, below, total, total + number)
    assert many == cuts == nearest_cuts(cuts, below, total, 10**30)


def test_a_memory_cap_above_the_machines_is_the_machines() -> None:
    from incrowd.rows.memory import parse_memory

    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert parse_memory("500TB") == max(there, 768 << 20)
    assert parse_memory("1GB") == 1 << 30
