"""The page of postcodes, read and pointed at: its tables, tiles and charts; files to give to it."""

from __future__ import annotations

import html
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chrome import Chrome
from workbench import Visitor

#: People by postcode: two large sectors, two small ones, one slip and one that is none.
HOMES = {"NE3 1ED": 40, "NE3 1EE": 30, "NE3 2AB": 60, "NE35 2FG": 3, "TD1 1AA": 2, "NE3 OAA": 7, "CANARY": 9}


def write_homes(home: Path) -> Path:
    """A folder with a file of them."""
    lines = [f"{code},{number},2011-03-27" for code, number in HOMES.items()]
    (home / "homes.csv").write_text("\n".join(["postcode,people,counted", *lines]) + "\n")
    return home


@contextmanager
def visiting(address: str) -> Iterator[Visitor]:
    """Somebody without a screen on the page; their session ends with them, because only some can be open at once."""
    one = Visitor(address)
    one.get("/postcodes")
    yield one
    one.client.post("/leave", data={"mark": one.mark}, follow_redirects=False)
    one.client.close()


def words(page: str) -> str:
    """What the page says."""
    page = re.sub(r"<script.*?</script>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def tiles(page: str) -> dict[str, str]:
    found = re.findall(r'<div class="tile[^"]*"><dt>(.*?)</dt><dd>(.*?)</dd>', page)
    return {html.unescape(name): value for name, value in found}


def rows(page: str, label: str) -> list[list[str]]:
    """The cells of the table in the region of this label."""
    table = re.search(rf'aria-label="{re.escape(label)}">(.*?)</table>', page, re.DOTALL)
    assert table is not None, label
    lines = re.findall(r"<tr>(.*?)</tr>", table[1], re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.DOTALL) for line in lines]
    return [[" ".join(re.sub(r"<[^>]*>", " ", cell).split()) for cell in line] for line in cells]


def squares(path: Path, codes: dict[str, int]) -> Path:
    """Shapes to test with: a square for each area."""
    shapes = [
        {"type": "Feature", "properties": {"id": at, "area": code}, "geometry": {"type": "Polygon", "coordinates": [
            [[at, 50], [at + 1, 50], [at + 1, 51], [at, 51], [at, 50]]]}}
        for code, at in codes.items()
    ]  # fmt: skip
    path.write_text(json.dumps({"type": "FeatureCollection", "features": shapes}))
    return path


def pointed(tab: Chrome, chart: int, right: float, down: float) -> str:
    """What shows when somebody points at a place of a chart."""
    x, y = tab.run(
        f"(() => {{ const e = document.querySelectorAll('figure.chart')[{chart}].querySelector('svg'); "
        "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); "
        f"return [b.x + b.width * {right}, b.y + b.height * {down}] }})()"
    )
    for step in range(3):
        tab.do("Input.dispatchMouseEvent", type="mouseMoved", x=x + step, y=y)
        time.sleep(0.3)
    return str(tab.run("(document.getElementById('vg-tooltip-element') || {}).innerText"))
