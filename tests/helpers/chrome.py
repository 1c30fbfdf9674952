"""A page of the workbench in headless Chromium, driven over its debugging socket: look, type, click, take pictures."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from browser import FLAGS, browser

PATIENCE = 60  # seconds: the first page of a session loads much, and machines are shared


class Chrome:
    """One tab. Use it as a context: what it started ends with it."""

    def __init__(self, width: int = 1400, height: int = 1500, *flags: str) -> None:
        self._flags = (f"--window-size={width},{height}", *flags)
        self._number = 0

    def __enter__(self) -> Chrome:
        from websockets.sync.client import connect

        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        home = self._folder.name
        flags = (*FLAGS, *self._flags, "--remote-debugging-port=0", f"--user-data-dir={home}")
        command = [browser(), *flags, "about:blank"]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": home}
        )
        told = Path(home, "DevToolsActivePort")
        wait(lambda: told.exists() and len(told.read_text().split()) == 2, "Chromium does not answer")
        port = told.read_text().split()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            tab = next(one for one in json.load(answer) if one["type"] == "page")
        self._open = ExitStack()
        self._socket = self._open.enter_context(connect(tab["webSocketDebuggerUrl"], max_size=None))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()
        self._process.terminate()
        self._process.wait(20)
        self._folder.cleanup()

    def do(self, method: str, **parameters: Any) -> Any:
        """One command of the debugging protocol, and its answer."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(PATIENCE))
            if message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    def run(self, script: str) -> Any:
        """What a line of JavaScript gives."""
        found = self.do("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def open(self, address: str) -> None:
        self.do("Page.navigate", url=address)

    @property
    def text(self) -> str:
        return str(self.run("document.body ? document.body.innerText : ''"))

    def await_text(self, *texts: str) -> str:
        """The page once it shows all these texts."""

        def there() -> bool:
            shown = self.text
            return all(text in shown for text in texts)

        wait(there, f"the page does not show {texts}", lambda: self.text)
        return self.text

    def click(self, selector: str, text: str) -> None:
        """Click the first element of a kind that holds this text."""
        kind, wanted = json.dumps(selector), json.dumps(text)
        found = f"[...document.querySelectorAll({kind})].find(e => e.innerText.trim() === {wanted})"
        wait(lambda: self.run(f"!!{found}"), f"no {selector} with {text}", lambda: self.text)
        place = self._at_rest(found)
        for kind in ("mousePressed", "mouseReleased"):
            self.do("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def _at_rest(self, found: str) -> list[float]:
        """The middle of an element that is where it was a moment ago, and on top there: a page that is still being laid
        out moves it away from under the mouse.
        """
        seen: list[Any] = []

        def still() -> bool:
            seen.append(
                self.run(
                    f"(() => {{ const e = {found}; if (!e) return null;"
                    "e.scrollIntoView({block: 'center', behavior: 'instant'});"
                    "const b = e.getBoundingClientRect(), x = b.x + b.width / 2, y = b.y + b.height / 2;"
                    "const top = document.elementFromPoint(x, y);"
                    "return top && (e.contains(top) || top.contains(e)) ? [x, y] : null })()"
                )
            )
            return len(seen) > 1 and seen[-1] is not None and seen[-1] == seen[-2]

        wait(still, "it does not come to rest, or lies below another", lambda: self.text)
        return list(seen[-1])

    def upload(self, path: Path) -> None:
        """Give a file to the page's first field for files."""
        root = self.do("DOM.getDocument")["root"]["nodeId"]
        node = self.do("DOM.querySelector", nodeId=root, selector="input[type=file]")["nodeId"]
        self.do("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def picture(self, path: Path) -> Path:
        path.write_bytes(base64.b64decode(self.do("Page.captureScreenshot", format="png")["data"]))
        return path


def wait(ready: Any, otherwise: str, more: Any = lambda: "") -> None:
    end = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < end, f"{otherwise}\n{more()}"
        time.sleep(0.2)
