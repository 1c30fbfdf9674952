"""People who take part in an intruder test, each in front of a browser: they know what the pages tell, nothing else."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from chrome import PATIENCE, Chrome, wait
from commands import incrowd_cli

ROWS = (
    "[...document.querySelectorAll('main table tbody tr')].map(r => "
    "[...r.children].filter((c, i) => i != 1).map(c => c.innerText.trim()))"
)
HEADS = "[...document.querySelectorAll('main table thead th')].map(h => h.childNodes[0].textContent.trim())"


@dataclass(frozen=True)
class Look:
    """What the page says could be a target: how many records, and the first of them by column."""

    many: int
    records: tuple[dict[str, str], ...]


class Someone:
    """Somebody in front of a browser, at pages that want to be seen as a person sees them."""

    def __init__(self, chrome: Chrome, address: str, pictures: Path | None = None) -> None:
        self.chrome, self.address, self.pictures = chrome, address, pictures

    def go(self, path: str, *texts: str) -> str:
        self.chrome.open(self.address + path)
        return self.see(*texts)

    def see(self, *texts: str) -> str:
        """The page once it has loaded and shows these texts. Looked at often: a test opens hundreds of pages."""
        end = time.monotonic() + PATIENCE
        while True:
            loaded = self.chrome.run("document.readyState") == "complete"
            shown = self.chrome.text
            if loaded and all(text in shown for text in texts):
                return shown
            assert time.monotonic() < end, f"the page does not show {texts}\n{shown}"
            time.sleep(0.03)

    def press(self, words: str, *texts: str) -> str:
        self.see(words)
        self.chrome.click("button, a", words)
        return self.see(*texts)

    def put(self, name: str, text: object) -> None:
        field = f"document.getElementById({json.dumps(name)})"
        self.chrome.run(f"{field}.focus(); {field}.select ? {field}.select() : 0")
        self.chrome.do("Input.insertText", text=str(text))
        assert self.chrome.run(f"{field}.value") == str(text)

    def choose(self, name: str, value: str) -> None:
        field = f"document.getElementById({json.dumps(name)})"
        self.chrome.run(f"{field}.value = {json.dumps(value)}")
        assert self.chrome.run(f"{field}.value") == value, f"{name} has no {value}"

    def tick(self, name: str, *values: str) -> None:
        for value in values:
            box = f"document.querySelector('[name={name}][value=' + JSON.stringify({json.dumps(value)}) + ']')"
            assert self.chrome.run(f"!!{box}"), f"{name} has no {value}"
            self.chrome.run(f"{box}.click()")

    def picture(self, name: str, height: int = 760) -> None:
        """The top of the page, so high."""
        if self.pictures is not None:
            cut_out(self.chrome, self.pictures / f"{name}.png", 0, 0, self.chrome.run("innerWidth"), height)

    def enter(self, link: str) -> None:
        self.go(link.removeprefix(self.address))
        self.press("Sign in", "Sign out")


def cut_out(chrome: Chrome, path: Path, x: float, y: float, width: float, height: float) -> None:
    """A picture of a part of the page."""
    clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
    shot = chrome.do("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
    path.write_bytes(base64.b64decode(shot["data"]))


def figure(page: Path, what: str, path: Path, width: int = 1000) -> None:
    """A picture of the first such part of a report."""
    with Chrome(width, 1400) as chrome:
        chrome.open(page.as_uri())
        wait(lambda: chrome.run(f"!!document.querySelector('{what}')"), "no such part of the report")
        time.sleep(1)  # its charts are drawn
        box = chrome.run(
            f"(() => {{ const b = document.querySelector('{what}').getBoundingClientRect(); "
            "return [b.x, b.y + scrollY, b.width, b.height] })()"
        )
        cut_out(chrome, path, *box)


class Player(Someone):
    """An intruder."""

    def begin(self, link: str) -> None:
        """Sign in, read the rules, agree to all that must be agreed to, and begin."""
        self.enter(link)
        self.see("Your time has not begun")
        self.chrome.run("document.querySelectorAll('input[type=checkbox][required]').forEach(box => box.click())")
        self.press("Accept and start the clock", "Time left")

    def cards(self) -> list[int]:
        self.go("/targets", "Target cards")
        shown = self.chrome.run("[...document.querySelectorAll('.card h2')].map(h => h.innerText)")
        return [int(title.split()[-1]) for title in shown]

    def look(self, card: int) -> Look:
        text = self.go(f"/records?like={card}", f"What could target {card} look like in here?")
        found = re.search(r"([\d,]+) of [\d,]+ records", text)
        assert found is not None, text
        heads = self.chrome.run(HEADS) or []
        rows = self.chrome.run(ROWS)
        names = [head for i, head in enumerate(heads) if i != 1]
        return Look(int(found[1].replace(",", "")), tuple(dict(zip(names, row, strict=True)) for row in rows))

    def claim(
        self, card: int, record: str | None, sure: int, used: Sequence[str], kinds: Sequence[str], why: str, **more: Any
    ) -> None:
        query = f"?target={card}" + ("" if record is None else f"&record={record}")
        self.go(f"/claims/new{query}", "File a claim")
        self.put("confidence", sure)
        if "learned" in more:
            options = "[...document.getElementById('learned').options].map(o => o.value)"
            column, value = more["learned"]
            groups = "[...document.querySelectorAll('#learned optgroup')].map(g => [g.label, g.children[0].value])"
            place = next(
                first.split("=")[0] for label, first in self.chrome.run(groups) if label.split(":")[0] == column
            )
            assert f"{place}={value}" in self.chrome.run(options)
            self.choose("learned", f"{place}={value}")
        self.tick("used", *used)
        self.tick("kinds", *kinds)
        self.put("sources", more.get("sources", "what I know"))
        self.put("link", more.get("link", "my notebook, page 1"))
        self.put("minutes", more.get("minutes", 5))
        self.put("reasoning", why)
        if "picture" in more:
            self.picture(more["picture"], 1500)
        self.press("File the claim", "Your claim is stored.")


class Clerk(Someone):
    """Somebody in the office."""

    def leave(self) -> None:
        """Let the next one sit down."""
        self.press("Sign out", "open the link that you were sent")

    def waiting(self) -> list[int]:
        """The claims that wait for this judge."""
        self.go("/judge", "Each claim should have")
        rows = self.chrome.run(
            "[...document.querySelectorAll('tbody tr')].map(r => [r.querySelector('a').innerText, r.innerText])"
        )
        return [int(name.split()[-1]) for name, text in rows or [] if "to be judged" in text]

    def offered(self, claim: int) -> list[str]:
        self.go(f"/judge/{claim}", f"Claim {claim}")
        found: list[str] = self.chrome.run("[...document.querySelectorAll('[name=judgment]')].map(o => o.value)")
        return found

    def judge(self, claim: int, judgment: str, note: str) -> None:
        if not self.chrome.run("location.pathname").endswith(f"/judge/{claim}"):
            self.go(f"/judge/{claim}", f"Claim {claim}")
        self.tick("judgment", judgment)
        self.put("note", note)
        self.press("Store my judgment", "Your judgment is stored.")


def incrowd(folder: Path, *words: object) -> str:
    """A command as somebody types it in this folder; gives what it printed."""
    done = incrowd_cli(*words, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def links(said: str) -> dict[str, str]:
    """The links that a command printed, by name."""
    pairs = (line.split("\t") for line in said.splitlines() if "\t" in line)
    return {pair[0]: pair[-1] for pair in pairs}


class Serving:
    """A server of a test as a process of its own, which can be killed and started again."""

    def __init__(self, folder: Path, place: Path, port: int, *words: str) -> None:
        serve = ["incrowd", "intruder-test", "serve", str(place), "--port", str(port)]
        self.command = [sys.executable, "-m", *serve, *words]
        self.folder, self.port = folder, port
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, cwd=self.folder, stdout=subprocess.DEVNULL, env=os.environ.copy())

    def ready(self) -> None:
        """Come back when it answers."""
        wait(self._answers, "the server does not answer")

    def kill(self) -> None:
        """As a power cut would."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(20)

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, "the server ended"
        try:
            urlopen(f"http://127.0.0.1:{self.port}/style.css", timeout=5).close()
        except OSError as error:
            return getattr(error, "code", None) is not None  # it answers, if only to send us to the proxy
        return True


@contextmanager
def served(folder: Path, place: Path, ports: tuple[int, int], *words: str) -> Iterator[tuple[Serving, Serving]]:
    """The intruders' pages and the office."""
    both = (Serving(folder, place, ports[0], *words), Serving(folder, place, ports[1], "--office", *words))
    try:
        for one in both:
            one.start()
        for one in both:
            one.ready()
        yield both
    finally:
        for one in both:
            one.end()
