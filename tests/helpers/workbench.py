"""The workbench on loopback, in this process, and somebody in front of it: in Chromium, or by plain requests."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from chrome import Chrome, wait
from servers import absent

MARK = re.compile(r'name="mark" value="([^"]*)"')


@contextmanager
def workbench(folder: Path, **settings: Any) -> Iterator[str]:
    """A real server; gives its address. Plans of files on this machine go to `folder`."""
    try:
        from incrowd.app.server import make_server
    except ImportError:
        absent("the extra app")
    given = {"host": "127.0.0.1", "token": None, "names": (), "upload": 50 << 20, **settings}
    server = make_server(given["host"], 0, given["token"], given["names"], given["upload"], folder)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert server.ready.wait(30)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.stop()
        thread.join(30)
        server.close()


class Visitor:
    """Somebody without a screen: keeps the cookie, sends forms as the pages have them."""

    def __init__(self, address: str) -> None:
        self.client = httpx.Client(base_url=address, timeout=120, follow_redirects=True)
        self.mark = ""

    def get(self, path: str, status: int = 200) -> str:
        answer = self.client.get(path)
        assert answer.status_code == status, (path, answer.status_code, answer.text[:2000])
        if found := MARK.search(answer.text):
            self.mark = found[1]
        return answer.text

    def post(self, path: str, **fields: Any) -> str:
        """Send a form; gives the page that follows."""
        answer = self.client.post(path, data={"mark": self.mark, **fields})
        assert answer.status_code == 200, (path, answer.status_code, answer.text[:2000])
        return answer.text

    def upload(self, path: str, file: Path) -> None:
        headers = {"Content-Type": "application/octet-stream", "X-Mark": self.mark}
        answer = self.client.post(path, params={"name": file.name}, content=file.read_bytes(), headers=headers)
        assert answer.status_code == 200, answer.text[:2000]

    def await_job(self, page: str, seconds: float = 180) -> dict[str, Any]:
        """Until the page's long work has ended; gives what is told of it."""
        end = time.monotonic() + seconds
        while True:
            told: dict[str, Any] = self.client.get(f"/jobs/{page}").json()
            if told["state"] != "running":
                return told
            assert time.monotonic() < end, told
            time.sleep(0.1)


class Person:
    """Somebody in front of a screen. Pictures are kept where INCROWD_PICTURES names a folder."""

    def __init__(self, chrome: Chrome, address: str) -> None:
        self.chrome, self.address = chrome, address
        folder = os.environ.get("INCROWD_PICTURES")
        self.pictures = None if folder is None else Path(folder)

    def go(self, path: str, *texts: str) -> str:
        self.chrome.open(self.address + path)
        return self.see(*texts)

    def see(self, *texts: str) -> str:
        """The page once it shows all these texts and nothing on it is on its way."""
        wait(self._at_rest, "the page does not come to rest", lambda: self.chrome.text)
        return self.chrome.await_text(*texts)

    def _at_rest(self) -> bool:
        script = (
            "document.readyState === 'complete' && !document.querySelector('[aria-busy=true], [data-job], [data-load]')"
        )
        return bool(self.chrome.run(script))

    def press(self, words: str, *texts: str) -> str:
        self.chrome.click("button, a, summary", words)
        time.sleep(0.3)
        return self.see(*texts)

    def fill(self, **fields: str) -> None:
        """Type into fields by their ids; a select gets the option with this value."""
        for name, text in fields.items():
            here = f"document.getElementById({json.dumps(name.replace('__', '-'))})"
            wait(lambda here=here: self.chrome.run(f"!!{here}"), f"no field {name}", lambda: self.chrome.text)
            if self.chrome.run(f"{here}.tagName") == "SELECT":
                self.chrome.run(
                    f"{here}.value = {json.dumps(text)}; {here}.dispatchEvent(new Event('change', {{bubbles: true}}))"
                )
                assert self.chrome.run(f"{here}.value") == text
                continue
            self.chrome.run(f"{here}.focus(); {here}.select()")
            self.chrome.do("Input.insertText", text=text)

    def await_job(self, page: str, seconds: float = 600, *, begins: bool = False) -> None:
        """Until the page's long work is over, however long it takes. Work that `begins` now is waited for first: else a
        slow machine shows that of before, which is over.
        """
        end = time.monotonic() + seconds
        script = (
            f"(() => {{ const r = new XMLHttpRequest(); r.open('GET', '/jobs/{page}', false); r.send(); "
            "return r.responseText })()"
        )
        if begins:
            wait(lambda: json.loads(self.chrome.run(script))["state"] == "running", f"no work begins on {page}")
        while json.loads(self.chrome.run(script))["state"] == "running":
            assert time.monotonic() < end, self.chrome.text
            time.sleep(0.5)

    def tick(self, *labels: str) -> None:
        for label in labels:
            self.chrome.click("label.tick", label)

    def key(self, key: str, code: int, text: str = "", modifiers: int = 0) -> None:
        """Press a key where the focus is."""
        shared = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.chrome.do("Input.dispatchKeyEvent", type="keyDown", text=text, **shared)
        self.chrome.do("Input.dispatchKeyEvent", type="keyUp", **shared)

    def picture(self, name: str, *, whole: bool = True) -> None:
        """The page as a picture, whole or as much as the window shows."""
        if self.pictures is None:
            return
        if not whole:
            self.chrome.picture(self.pictures / f"{name}.png")
            return
        size = self.chrome.run("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        width = self.chrome.run("innerWidth")
        self.chrome.do(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=min(size[1], 6000),
            deviceScaleFactor=1,
            mobile=False,
        )
        self.chrome.picture(self.pictures / f"{name}.png")
        self.chrome.do("Emulation.clearDeviceMetricsOverride")
