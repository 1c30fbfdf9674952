"""The house as it stands: its rooms, who uses whom, and how much is handed over in one run.

    python docs/house.py              measures this tree: a table in Markdown, for docs/decisions/
    python docs/house.py --src PATH   measures another one (the folder that has incrowd/)

`make docs` takes the page of the rooms (docs/rooms.md) and the picture (docs/images/house.svg) from here.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tomllib
from collections import Counter
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
PICTURE = HERE / "images" / "house.svg"
#: Runs the demo's plan on few people and counts what `run` calls in other files, each function once.
WATCH = """
import sys, tempfile
from pathlib import Path
import incrowd
from incrowd import pipeline
from incrowd.demo import write_example
try:
    from incrowd.demo import write_demo
except ImportError:
    from incrowd.tasks.demo_data import demo_data as write_demo
own, root, found, plans = pipeline.run.__code__.co_filename, str(Path(incrowd.__file__).parent), set(), [0]
def watch(frame, event, _):
    if event != "call":
        return
    code, caller = frame.f_code, frame.f_back
    if code.co_name == "_validate" or not code.co_filename.startswith(root) or code.co_name.startswith("<"):
        return
    while caller is not None and caller.f_code.co_filename != own and not caller.f_code.co_filename.startswith(root):
        caller = caller.f_back  # through contextlib and the like
    if caller is not None and caller.f_code.co_filename == own and code.co_filename != own:
        found.add((code.co_filename, code.co_qualname))
with tempfile.TemporaryDirectory() as place:
    write_demo(Path(place, "people.csv"), rows=20000, seed=1)
    plan = write_example(Path(place))
    sys.setprofile(watch)
    try:
        pipeline.run(plan)
    except incrowd.NotReleasable:
        pass
    sys.setprofile(None)
print(len(found))
for file, name in sorted(found):
    print(Path(file).relative_to(root), name)
"""


def modules(src: Path) -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted((src / "incrowd").rglob("*.py")):
        parts = path.relative_to(src).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def room(module: str) -> str:
    """The room that a module is in: what stands directly below incrowd."""
    return module.split(".")[1] if "." in module else ""


def edges(src: Path) -> Counter[tuple[str, str]]:
    """Which room uses which, and by how many imports."""
    known, found = modules(src), Counter[tuple[str, str]]()
    for module, path in known.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                named = {f"{node.module}.{alias.name}" for alias in node.names} & known.keys() or {node.module}
            elif isinstance(node, ast.Import):
                named = {alias.name for alias in node.names}
            else:
                continue
            for one in named:
                if one.startswith("incrowd.") and room(module) and room(one) != room(module):
                    found[room(module), room(one)] += 1
    return found


def rooms(src: Path) -> list[str]:
    """The top-level names: what a newcomer sees first."""
    return sorted({room(name) for name in modules(src)} - {"", "__main__"})


def layers(project: Path) -> list[list[str]]:
    """The layers of the import contract, the highest first."""
    contracts = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    found = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip(" ()") for name in layer.replace("|", ":").split(":")] for layer in found]


def hand_overs(src: Path) -> list[str]:
    """What `pipeline.run` calls in other files during one run of the demo's plan."""
    environment = {**os.environ, "PYTHONPATH": str(src), "INCROWD_SECRET": "5e" * 32}
    done = subprocess.run([sys.executable, "-c", WATCH], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[1:-1]


def draw(src: Path, project: Path) -> str:
    """The import graph between rooms: a row for each layer, a line from whoever uses to what is used."""
    wide, high, box = 960, 84, 30
    place: dict[str, tuple[float, float]] = {}
    rows = layers(project)
    for y, layer in enumerate(rows):
        for x, name in enumerate(layer):
            place[name] = (wide * (x + 0.5) / len(layer), 44 + y * high)
    found = edges(src)
    lines, most = [], max(found.values())
    for (user, used), number in sorted(found.items(), key=lambda each: each[1]):
        if user not in place or used not in place or used == "errors":
            continue  # everybody uses errors: drawn, it would hide the rest
        (x1, y1), (x2, y2) = place[user], place[used]
        thick = 0.6 + 3.4 * (number / most) ** 0.5
        if y1 == y2:  # side by side: an arc above the row
            bend = f"M {x1:.0f} {y1 - 13:.0f} Q {(x1 + x2) / 2:.0f} {y1 - 46:.0f} {x2:.0f} {y2 - 13:.0f}"
        else:
            middle = (y1 + y2) / 2
            bend = f"M {x1:.0f} {y1 + 13:.0f} C {x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2 - 13:.0f}"
        title = f"<title>{escape(user)} uses {escape(used)}: {number} imports</title>"
        lines.append(f'<path d="{bend}" stroke-width="{thick:.1f}">{title}</path>')
    boxes = [
        f'<rect x="{x - 4.6 * len(name) - 8:.0f}" y="{y - box / 2:.0f}" width="{9.2 * len(name) + 16:.0f}" '
        f'height="{box}" rx="6"/><text x="{x:.0f}" y="{y + 5:.0f}">{escape(name)}</text>'
        for name, (x, y) in place.items()
    ]
    tall = 44 + (len(rows) - 1) * high + 40
    told = f"{len(place)} rooms in {len(rows)} layers, {len(found)} edges; every line leads down or to a neighbour. "
    told += "The lines to errors, which everybody uses, are left out."
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" role="img" aria-label="{told}">',
            "<style>path{fill:none;stroke:#2a6f97;stroke-opacity:.42}rect{fill:#fff;stroke:#1b3a4b}"
            "text{font:15px Arial,sans-serif;text-anchor:middle;fill:#1b3a4b}</style>",
            f'<rect x="0" y="0" width="{wide}" height="{tall}" style="fill:#f7f9fa;stroke:none"/>',
            *lines,
            *boxes,
            "</svg>\n",
        ]
    )


def first_line(path: Path) -> str:
    """What a module says of itself, in a sentence or two."""
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(said.split("\n\n")[0].split()).replace("|", "\\|")


def rooms_page(src: Path, project: Path) -> str:
    """docs/rooms.md: every room from the top layer down, and every file in it, each by its own words."""
    known = modules(src)
    parts = [
        "# The rooms",
        "<!-- Made by `make docs`. Change the docstrings, not this page. -->",
        "Every file of `src/incrowd` by its own first words: look for the concept, find the file. A room may use those "
        "below it ([the picture](architecture.md#the-rooms)).",
    ]
    for layer in layers(project):
        for name in layer:
            inside = {module: path for module, path in known.items() if module.split(".")[1:2] == [name]}
            own = inside.pop(f"incrowd.{name}")
            parts.append(f"## {name}\n\n{first_line(own)}")
            if inside:
                rows = (f"| `{path.relative_to(src / 'incrowd')}` | {first_line(path)} |" for path in inside.values())
                parts.append("\n".join(["| file | says |", "| --- | --- |", *rows]))
    return "\n\n".join(parts) + "\n"


def pages() -> dict[Path, str]:
    """What `make docs` makes of the house: the page of the rooms, and the picture."""
    src = HERE.parent / "src"
    project = src.parent / "pyproject.toml"
    return {HERE / "rooms.md": rooms_page(src, project), PICTURE: draw(src, project)}


def main() -> None:
    """Measure and print the table."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--src", type=Path, help="another tree")
    asked.add_argument("--list", action="store_true", help="also list the hand-overs of one run")
    given = asked.parse_args()
    src = (given.src or HERE.parent / "src").resolve()
    project = src.parent / "pyproject.toml"
    handed = hand_overs(src)
    print("| figure | value |\n| --- | --- |")
    print(f"| top-level names | {len(rooms(src))} |")
    print(f"| layers | {len(layers(project))} |")
    print(f"| edges between rooms | {len(edges(src))} |")
    print(f"| hand-overs of one run | {len(handed)} |")
    print(f"| modules | {len(modules(src))} |")
    if given.list:
        print("\n".join(handed))


if __name__ == "__main__":
    main()
