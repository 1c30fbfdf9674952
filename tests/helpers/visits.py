"""What tests of several pages of the workbench do: wait for long work to get somewhere, share a session, see charts."""

from __future__ import annotations

import time

from chrome import Chrome, wait
from workbench import Person, Visitor


def await_told(visitor: Visitor, page: str, *words: str, seconds: float = 120) -> None:
    """Until the long work of a page has told these words, one after the other."""
    end, left = time.monotonic() + seconds, list(words)
    while left:
        told = visitor.client.get(f"/jobs/{page}").json()
        assert told["state"] == "running", told
        assert time.monotonic() < end, (told, left)
        if left[0] in told["what"]:
            left.pop(0)
        time.sleep(0.02)


def in_front_of(chrome: Chrome, address: str, visitor: Visitor) -> Person:
    """The same session on a screen."""
    for name, value in visitor.client.cookies.items():
        chrome.do("Network.setCookie", name=name, value=value, url=address, httpOnly=True)
    return Person(chrome, address)


def await_charts(person: Person, number: int = 1) -> None:
    """Until charts that answer to the pointer are drawn."""
    script = f"document.querySelectorAll('figure.chart .vega-embed svg').length >= {number}"
    wait(lambda: person.chrome.run(script), "no chart is drawn", lambda: person.chrome.text)
