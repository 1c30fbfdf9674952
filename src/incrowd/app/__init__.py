"""The workbench: incrowd in the browser, on this machine only."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from incrowd.errors import IncrowdError

PAGE = Path(__file__).parent / "workbench.py"
#: Loopback only; no statistics to anybody; no code, paths or values of the data in an error.
SETTINGS = {
    "server.address": "127.0.0.1",
    "server.fileWatcherType": "none",
    "server.maxUploadSize": "2000",
    "browser.gatherUsageStats": "false",
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "theme.base": "light",
    "theme.primaryColor": "#0f6fb4",
}


def command(port: int, browser: bool) -> list[str]:
    """How the server of the workbench is started."""
    settings = {**SETTINGS, "server.port": str(port), "server.headless": "false" if browser else "true"}
    flags = [f"--{name}={value}" for name, value in settings.items()]
    return [sys.executable, "-m", "streamlit", "run", str(PAGE), *flags]


def start(port: int = 8501, browser: bool = True) -> int:
    """Run the workbench until it is stopped (Ctrl-C); gives the server's exit code."""
    if importlib.util.find_spec("streamlit") is None:
        raise IncrowdError("X020", "Streamlit is not installed.", "Install it: pip install 'incrowd[app]'")
    try:
        return subprocess.run(command(port, browser), check=False).returncode
    except KeyboardInterrupt:
        return 0
