"""Start the workbench in the browser, on this machine only. Its pages are in `app/`."""

from __future__ import annotations

import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path

from incrowd.errors import IncrowdError, missing_extra
from incrowd.machine.children import started

PAGE = Path(__file__).parents[1] / "app" / "workbench.py"
#: Loopback only; no question and no browser of its own at the start; no statistics to anybody; no code, paths or values
#: of the data in an error. They go before what a user's own configuration says.
SETTINGS = {
    "server.address": "127.0.0.1",
    "server.headless": "true",
    "server.fileWatcherType": "none",
    "server.maxUploadSize": "2000",
    "browser.gatherUsageStats": "false",
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "theme.base": "light",
    "theme.primaryColor": "#0f6fb4",
}
#: Seconds until the server answers: its first start on a busy machine.
PATIENCE = 60


def command(port: int) -> list[str]:
    """How the server of the workbench is started."""
    flags = [f"--{name}={value}" for name, value in {**SETTINGS, "server.port": str(port)}.items()]
    return [sys.executable, "-m", "streamlit", "run", str(PAGE), *flags]


def app(port: int = 8501, *, browser: bool = True, say: Callable[[str], None] = print) -> int:
    """Run the workbench until it is stopped (Ctrl-C); `tell` hears its address once it answers.

    Gives the server's exit code, should it end by itself. It ends with this process, however that ends.

    >>> ic.app(port=8600, browser=False)  # doctest: +SKIP
    """
    if importlib.util.find_spec("streamlit") is None:
        raise missing_extra("Streamlit", "app")
    if _answers(port):
        raise IncrowdError("X034", f"something else listens on port {port} of this machine.", "Choose another: --port")
    address = f"http://127.0.0.1:{port}"
    with started(command(port), signal.SIGTERM, stdout=subprocess.DEVNULL) as server:
        end = time.monotonic() + PATIENCE
        while server.poll() is None and time.monotonic() < end and not _answers(port):
            time.sleep(0.1)
        if server.poll() is None:
            say(f"The workbench is on {address}, for this machine only. End it with Ctrl-C.")
            if browser and _has_screen():
                webbrowser.open(address)
        return server.wait()


def _answers(port: int) -> bool:
    with socket.socket() as tried:
        tried.settimeout(1)
        return tried.connect_ex(("127.0.0.1", port)) == 0


def _has_screen() -> bool:
    """Whether a browser can be shown. Without, one for terminals would be started, and take ours."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
