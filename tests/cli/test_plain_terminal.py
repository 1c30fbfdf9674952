"""What a plan, a file or its data say is shown as it is written: it cannot act on a terminal, or on a page."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from browser import Page
from commands import MANY, incrowd_cli
from hypothesis import given
from hypothesis import strategies as st
from people import SECRET

from incrowd.cli._consoles import PlainConsole, marked
from incrowd.errors import Fault, InputError, visible
from incrowd.report.charts.frontier import frontier_page
from incrowd.utility.points import Sweep, SweepPoint

#: Clears a screen, names a window, turns text round, hides itself, colours, links: and a script for pages.
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egnp.exe\u2066\u200b[red]x[/red][link=https://evil.example]y[/link]:smile:"
PAGE_EVIL = f"{EVIL}</script><script>alert(1)</script><img src=x onerror=alert(1)>"
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@given(st.text())
def test_a_visible_text_holds_nothing_that_acts_and_printable_text_stays(text: str) -> None:
    shown = visible(text)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    assert visible(shown) == shown
    if text.isprintable() and "\u200b" not in text:
        assert shown == text


@given(st.text(alphabet=st.characters() | st.sampled_from(list("[]/=\x1b\x9b\u202e:")), max_size=60))
def test_a_console_shows_every_text_as_it_is_written(text: str) -> None:
    from rich.table import Table
    from rich.text import Text

    out = io.StringIO()
    console = PlainConsole(file=out, force_terminal=True, width=500, color_system="truecolor")
    table = Table(text, title=text)
    table.add_row(text)
    for thing in (text, table, Text(text), marked((text, "green"))):
        console.print(thing, highlight=False)
    told = re.sub("\x1b\\[[0-9;]*m", "", out.getvalue())  # Rich's own colours
    assert "\x1b" not in told
    assert not re.search("[\x07\x9b\u202e]", told)
    words = [word for word in visible(text).split() if word.isprintable()]
    assert all(word in told for word in words)


def test_an_error_cannot_act_either() -> None:
    fault = Fault("P012", f"variables.{EVIL}", f"{EVIL} is not there.")
    for told in (str(InputError("D001", EVIL, EVIL)), str(fault)):
        assert not ACTING.search(told)


def hostile(folder: Path) -> Path:
    """A plan and data with such texts wherever one can stand."""
    ages, ill = f"age{EVIL}", f"ill{EVIL}"
    lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]}{EVIL},{'yn'[i % 3 == 0]}\n" for i in range(120))
    (folder / f"people{EVIL.replace('/', '')}.csv").write_text(f"name,{ages},sex,{ill}\n{lines}", encoding="utf-8")
    plan = {
        "title": PAGE_EVIL,
        "data": {"source": f"people{EVIL.replace('/', '')}.csv", "kind": "survey"},
        "tier": "safeguarded",
        "variables": {
            "name": {"role": "identifier", "reason": PAGE_EVIL},
            ages: {"role": "key", "reason": PAGE_EVIL, "label": PAGE_EVIL},
            "sex": {"role": "key", "reason": PAGE_EVIL, "label": PAGE_EVIL},
            ill: {"role": "sensitive", "reason": PAGE_EVIL, "label": PAGE_EVIL},
        },
        "steps": [
            {"step": "drop", "variables": ["name"], "reason": PAGE_EVIL},
            {"step": "recode", "variable": ages, "bands": ["0", "40"], "reason": PAGE_EVIL},
            {"step": "suppress_records", "reason": PAGE_EVIL},
        ],
        "requirements": [{"model": "k", "k": "3"}],
        "scenarios": [{"name": PAGE_EVIL, "keys": [ages, "sex"]}],
        "use_cases": [{"name": PAGE_EVIL, "test": "proportion", "share": {ill: ["y"]}, "by": "sex"}],
        "release": {"format": "csv", "name": "people"},
    }
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan, sort_keys=False, allow_unicode=False), encoding="utf-8")
    return path


def on_a_terminal(folder: Path, *commands: list[str]) -> str:
    """What the commands print on a real (pseudo) terminal that has no colours and no bars of its own."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "COLUMNS": "200", "INCROWD_SECRET": SECRET, "NO_COLOR": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", MANY, json.dumps(commands)], cwd=folder, stdin=subprocess.DEVNULL, stdout=theirs,
        stderr=theirs, env=environment,
    )  # fmt: skip
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    process.wait()
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_no_command_lets_a_text_act_on_the_terminal(tmp_path: Path) -> None:
    hostile(tmp_path)
    data = f"people{EVIL.replace('/', '')}.csv"
    keys = f"age{EVIL},sex"
    (tmp_path / f"sex{EVIL.replace('/', '')}.csv").write_text(f"f{EVIL};*\nm{EVIL};*\n", encoding="utf-8")
    told = on_a_terminal(
        tmp_path, ["profile", data, "--header"],
        ["init", data, "--header", "-o", f"new{EVIL.replace('/', '')}.yaml"], ["check", "plan.yaml"],
        ["run", "plan.yaml"], ["run", "plan.yaml", "--verbose"],
        ["verify", data, "--keys", keys], ["verify", data, "--keys", f"nosuch{EVIL}"],
        ["risk", data, "--keys", keys], ["risk", "plan.yaml"], ["sweep", "plan.yaml", "--k", "2,3"],
        ["compare", "plan.yaml", "plan.yaml"], ["search", data, "--keys", "sex", "--auto", "--k", "2"],
        ["hierarchy", "build", data, "--key", "sex"], ["hierarchy", "show", f"sex{EVIL.replace('/', '')}.csv"],
        ["hierarchy", "validate", f"sex{EVIL.replace('/', '')}.csv"], ["report", "release"],
        ["attack", "release"], ["reproduce", "release"], ["audit", "diff", "release", "release"], ["review", "release"],
        ["check", EVIL], ["check", "plan.yaml", EVIL], [EVIL], ["verify", data, "--keys", keys, "--k", EVIL],
        ["postcode", "parse", EVIL], ["table", "plan.yaml", "--by", f"age{EVIL}"],
    )  # fmt: skip
    ended = dict(re.findall(r"ENDED '(\w+)' (\d+)", told))
    assert {"profile", "check", "run", "verify", "risk", "sweep", "compare", "search", "attack", "review"} <= set(ended)
    assert {name for name, code in ended.items() if code not in ("0", "3")} <= {"check", "verify", "postcode"}, told
    assert "X001" not in told
    found = ACTING.search(told)
    assert found is None, repr(told[max(0, found.start() - 200) : found.end() + 50])
    assert "[red]x[/red]" in told  # shown, not obeyed
    assert ":smile:" in told


def test_reports_show_such_texts_and_are_not_broken_by_them(tmp_path: Path) -> None:
    from incrowd.pipeline import run

    done = run(hostile(tmp_path))
    for page in (done.release / "report.html", done.audit / "report.html"):
        text = page.read_text(encoding="utf-8")
        assert not ACTING.search(text)
        read = Page(text)
        assert not read.all("script")
        assert not any("onerror" in attributes for _, attributes in read.tags)
        assert "[link=https://evil.example]y[/link]" in read.text


@pytest.mark.slow
@pytest.mark.parametrize("evil", [PAGE_EVIL, "\ue000", "<!--<script>"])
def test_the_page_of_a_sweep_holds_no_script_of_a_plan(evil: str) -> None:
    point = SweepPoint(evil, {evil: evil}, 10, 9, {evil: 1}, 0.1, 2, 0.5, 0.2, (), evil)
    page = frontier_page(Sweep(evil, (point,), evil, evil, evil, (point,)))
    honest = frontier_page(Sweep("k", (point_named("k"),), "k", None, "fine"))
    assert page.count("</script>") == honest.count("</script>")
    assert page.count("<script") == honest.count("<script")
    assert "onerror=alert" not in page or "\\u003cimg src=x" in page


def point_named(name: str) -> SweepPoint:
    return SweepPoint(name, {name: name}, 10, 9, {}, 0.1, 2, 0.5, 0.2, (), "")


def test_a_profile_never_cuts_a_name_off(tmp_path):
    name = "how_often_did_you_visit_a_hospital"
    (tmp_path / "p.csv").write_text(f"{name},age\n" + "".join(f"{i % 3},{20 + i % 50}\n" for i in range(200)))
    said = incrowd_cli("profile", tmp_path / "p.csv", "--header", COLUMNS="80").stdout
    assert "…" not in said
    first = "".join(line.split("│")[1].strip() for line in said.splitlines() if line.startswith("│"))
    assert name in first
