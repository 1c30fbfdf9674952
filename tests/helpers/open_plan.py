"""A plan that is open in the workbench, for the tests of its later pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

from workbench import Person, Visitor


def text_of(page: str) -> str:
    """What the middle of a page says, without its marks."""
    middle = page[page.index("<main") : page.index("</main")] if "<main" in page else page
    return re.sub(r"\s+", " ", unescape(re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", middle, flags=re.DOTALL)))


@contextmanager
def visiting(address: str, plan: Path) -> Iterator[Visitor]:
    """Somebody who has opened a plan where it lies; the session ends with the test."""
    visitor = Visitor(address)
    visitor.get("/release")
    visitor.client.post("/data/open", data={"mark": visitor.mark, "file": str(plan)}, follow_redirects=False)
    visitor.await_job("data")
    page = visitor.get("/release")
    assert str(plan) in page, text_of(page)
    try:
        yield visitor
    finally:
        visitor.client.post("/leave", data={"mark": visitor.mark}, follow_redirects=False)
        visitor.client.close()


def open_by_hand(person: Person, plan: Path) -> None:
    """The same in front of a screen, by the form of the page Data."""
    person.go("/data", "A file on this machine")
    person.fill(path=str(plan))
    person.press("Open", str(plan))
