"""The docs: their code runs, their links lead somewhere, what is generated is current, every error is explained."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import call
from examples import slow_only

import incrowd as ic
from incrowd.demo import write_example

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
BLOCK = re.compile(r"(?P<before>[^\n]*)\n```(?P<kind>\w+)\n(?P<text>.*?)\n?```", re.DOTALL)
EDIT = re.compile(r'<!-- edit (\S+) from "(.+)" until "(.+)" -->')
RUN_ID = re.compile(r"\S*runs/\d{8}-\d{6}-[0-9a-f]{6}")
FEW = "5000"
#: Pages whose code takes more than a few seconds.
SLOW_PYTHON = [
    "docs/attacks-inference.md", "docs/methods/local-recoding.md", "docs/methods/microaggregate.md",
    "docs/methods/search.md", "docs/methods/suppress-cells.md",
]  # fmt: skip
SLOW_COMMANDS = [
    "docs/audit.md", "docs/intruder-test.md", "docs/methods/sweep.md", "docs/review-board.md", "docs/scaling.md",
    "docs/what-if.md", "examples/household-finances/README.md",
]  # fmt: skip


def blocks(page: Path) -> Iterator[tuple[str, str, str]]:
    """What stands before a block, its language and its text; without those that are not to be run."""
    for found in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if "<!-- not run -->" not in found["before"]:
            yield found["before"], found["kind"], found["text"]


def commands(text: str, kind: str) -> Iterator[tuple[str, str]]:
    """The commands of a block, each with the output that is shown below it."""
    if kind == "sh":
        yield from ((line.split("  #")[0].strip(), "") for line in text.splitlines() if line.strip())
        return
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def pages_with(*kinds: str) -> list[str]:
    return [name for name in NAMES if any(kind in kinds for _, kind, _ in blocks(ROOT / name))]


def edit(folder: Path, before: str, text: str) -> None:
    """A YAML block that says which part of a file it replaces."""
    if (wanted := EDIT.search(before)) is None:
        return
    path = folder / wanted[1]
    lines = path.read_text(encoding="utf-8").split("\n")
    start = lines.index(wanted[2])
    path.write_text("\n".join([*lines[:start], text, *lines[lines.index(wanted[3], start) :]]), encoding="utf-8")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a reader has it after the demo, with fewer people: in it, and in its folder demo/."""
    folder = tmp_path_factory.mktemp("prepared")
    ic.demo_data(folder / "people.csv", rows=int(FEW), seed=1)
    write_example(folder)
    shutil.copytree(folder, folder / "demo")
    return folder


@pytest.fixture
def desk(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it to work in."""
    desk = tmp_path / "desk"
    shutil.copytree(prepared, desk)
    monkeypatch.chdir(desk)
    monkeypatch.delenv("INCROWD_SECRET", raising=False)
    return desk


def python_of(name: str) -> str:
    return "\n".join(text for _, kind, text in blocks(ROOT / name) if kind == "python")


API = [name for name in pages_with("python") if "import incrowd as ic" in python_of(name)]


@pytest.mark.parametrize("name", slow_only(SLOW_PYTHON, [name for name in pages_with("python") if name not in API]))
def test_the_python_of_a_page_runs(name: str, desk: Path) -> None:
    exec(compile(python_of(name), name, "exec"), {"__name__": "__docs__"})


@pytest.mark.slow
def test_the_python_of_the_pages_on_the_api_runs(desk: Path) -> None:
    """As a reader would run it: in an interpreter where nothing was imported before (one for all pages: it is slow)."""
    code = "".join(f"exec(compile({python_of(name)!r}, {name!r}, 'exec'), {{}})\n" for name in API)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_only(SLOW_COMMANDS, pages_with("sh", "console")))
def test_the_commands_of_a_page_run(name: str, desk: Path) -> None:
    for before, kind, text in blocks(ROOT / name):
        if kind == "yaml":
            edit(Path.cwd(), before, text)
        if kind not in ("sh", "console"):
            continue
        for command, shown in commands(text, kind):
            if command.startswith("cd "):
                os.chdir(command[3:])
            elif command.startswith("incrowd demo "):
                assert call(f"{command} --rows {FEW}")[0] == 0, command
            elif command.startswith("incrowd "):
                code, out, err = call(command)
                # 3 is an answer. 2 is a fault, which a page may show on purpose, with its code.
                expected = (0, 2, 3) if re.search(r"^[DPSRX]\d{3}", shown, re.MULTILINE) else (0, 3)
                assert code in expected, (command, out, err)
            elif not command.startswith("make "):
                subprocess.run(["bash", "-c", command], check=True, capture_output=True)


#: Which plan is found for the demo can hang on its noise: the pages show what it is with this secret.
OF_THE_PAGES = "a5cc177bc3990e95cee5ff20a188c69cf4c37e9130c7f5248b9481cc7d5185d3"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["README.md", "docs/tutorial.md"])
def test_the_output_that_a_page_shows_is_real(name: str, tmp_path: Path) -> None:
    here, bin_ = tmp_path, Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}", "COLUMNS": "100"}
    environment["INCROWD_SECRET"] = OF_THE_PAGES
    for before, kind, text in blocks(ROOT / name):
        if kind == "yaml":
            edit(here, before, text)
        if kind != "console":
            continue
        for command, shown in commands(text, kind):
            if command.startswith("cd "):
                here = here / command[3:]
                continue
            command = command.replace("make demo", "incrowd demo demo")
            done = subprocess.run(["bash", "-c", command], cwd=here, env=environment, capture_output=True, text=True)
            real = done.stdout if done.stdout else done.stderr
            assert re.fullmatch(_pattern(shown), _tidy(real), re.DOTALL), f"{command}\n{real}\n{done.stderr[-500:]}"


def _tidy(text: str) -> str:
    lines = [RUN_ID.sub("RUN", line).rstrip() for line in text.splitlines()]
    return "\n".join(lines).strip("\n") + "\n"


def _pattern(shown: str) -> str:
    """The shown output as a pattern, in which a line of three dots stands for anything."""
    lines = [r"(?:.*\n)?" if line == "..." else re.escape(line) + r"\n" for line in _tidy(shown).splitlines()]
    return "".join(lines)


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    page = ROOT / name
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, part = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (part and part not in _anchors(file)):
            broken.append(target)
    assert broken == []


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / t).resolve() for t in re.findall(r"\]\(([^)#\s]+)", index.read_text(encoding="utf-8"))}
    assert [str(page) for page in (ROOT / "docs").rglob("*.md") if page != index and page not in linked] == []


def test_the_generated_pages_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "docs" / "generate.py"), run_name="__main__")
    assert ended.value.code == 0, "run: make docs"


def test_every_error_code_is_explained() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = {code: words.strip(" |") for code, words in re.findall(r"^\| ([DPRSX]\d{3}) \|(.*)$", page, re.MULTILINE)}
    source = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "src" / "incrowd").rglob("*.py"))
    codes = set(re.findall(r"[\"']([DPRSX]\d{3})[\"':]", source))
    assert codes == set(rows)
    assert [code for code, words in rows.items() if not re.search(r"[A-Za-z]{3}", words)] == []


def test_the_readme_shows_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_no_machine(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"(--behind-proxy|such as|proxy_pass) (http://)?127\.0\.0\.1", "", text)  # where a proxy is
    assert not re.search(r"/(tmp|work|root)/|localhost|127\.0\.0\.1", text)


def test_pictures_are_small() -> None:
    assert [p.name for p in (ROOT / "docs" / "images").iterdir() if p.stat().st_size > 200_000] == []
