"""Two ways to look at a page in tests: read with care, and in headless Chromium (or a skip that says why)."""

from __future__ import annotations

import os
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from incrowd.report import pdf

VOID = {"meta", "link", "br", "img", "hr", "input"}
FLAGS = (*pdf.FLAGS, "--no-sandbox")


def browser() -> str:
    """Where Chromium is. Without one the test is skipped; under CI=true it fails."""
    found = pdf.find_browser()
    if found is None:
        reason = f"no browser: none of {', '.join(pdf.NAMES)} is installed"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def run(page: Path, *flags: str) -> str:
    """Open a page with a fresh profile and more flags; gives what Chromium printed."""
    browser()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = pdf.command(*flags, page.resolve().as_uri(), profile=profile)
        # Crashpad and the like want a home to write to; an empty one keeps them out of the user's.
        environment = {**os.environ, "HOME": profile}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def screenshot(page: Path, picture: Path, width: int = 1200, height: int = 1600) -> Path:
    """A picture of the page, as PNG. Windows are at least 500 wide, so a phone's width is that of a frame in one."""
    if width < 500:
        with tempfile.TemporaryDirectory() as folder:
            frame = Path(folder, "frame.html")
            style = f"border:0;width:{width}px;height:{height}px"
            frame.write_text(f'<body style="margin:0"><iframe src="{page.resolve().as_uri()}" style="{style}">')
            return screenshot(frame, picture, 500, height)
    run(page, f"--window-size={width},{height}", f"--screenshot={picture.resolve()}")
    return picture


def dom(page: Path, width: int = 1200) -> str:
    """The page's HTML after Chromium has read it."""
    return run(page, f"--window-size={width},1600", "--dump-dom")


class Page(HTMLParser):
    """A page read with care: what is open must be closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]
