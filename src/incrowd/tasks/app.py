"""Serve the workbench: to this machine only, unless it is told otherwise, and then to whoever has the token."""

from __future__ import annotations

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from incrowd.errors import IncrowdError, missing_extra
from incrowd.machine import stopping

#: Megabytes that an upload may have.
UPLOAD = 2000


def app(
    port: int = 8501,
    *,
    host: str | None = None,
    token: str | None = None,
    names: Sequence[str] = (),
    upload: int = UPLOAD,
    folder: str | Path | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> int:
    """Run the workbench until it is stopped (Ctrl-C); `say` hears its address once it answers.

    `host` is the address to listen on: that of this machine alone when left out. Whoever reaches it from another
    machine, or by one of `names` (through a proxy), needs the `token` (one is made where none is given) and opens
    uploads only, never files of this machine. `upload` is how many megabytes a file may have, `folder` where the plans
    of files on this machine are put (here when left out).

    >>> ic.app(port=8600, browser=False)  # doctest: +SKIP
    """
    try:
        from incrowd.app.server import LOOPBACK, make_server
    except ImportError:
        raise missing_extra("what the workbench needs", "app") from None

    host = host or LOOPBACK
    if not 1 <= upload <= 100_000:
        raise IncrowdError("X038", f"{upload} megabytes cannot be the limit of an upload.", "From 1 to 100,000 can.")
    if is_taken(host, port):
        raise IncrowdError("X034", f"something else listens on port {port} of this machine.", "Choose another: --port")
    made = make_server(host, port, token, names, upload << 20, None if folder is None else Path(folder))
    local = made.site.paths

    def told() -> None:
        """Once it answers: where it is."""
        made.ready.wait()
        who = (
            "for this machine only"
            if local
            else "for whoever has the link: send it to nobody else, and end it when done"
        )
        say(f"The workbench is on {made.address}, {who}. End it with Ctrl-C.")
        if browser and local and _has_screen():
            webbrowser.open(made.address)

    threading.Thread(target=told, daemon=True).start()
    try:
        with stopping.ends_by_itself(made.stop):
            made.run()
    finally:
        with stopping.held():  # what is cleared away inside would stop half-way: it was asked to
            made.close()
    return 0


def is_taken(host: str, port: int) -> bool:
    """Whether something answers there already."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as tried:
        tried.settimeout(1)
        return tried.connect_ex((host if host not in ("0.0.0.0", "::") else "127.0.0.1", port)) == 0


def _has_screen() -> bool:
    """Whether a browser can be shown. Without, one for terminals would be started, and take ours."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
