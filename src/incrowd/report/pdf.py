"""A report as PDF, printed by headless Chromium. The page has no script and fetches nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from incrowd.errors import IncrowdError
from incrowd.machine.children import started
from incrowd.machine.writing import private_file

#: Looked for on the path, in this order; INCROWD_BROWSER names another.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--hide-scrollbars",
)  # fmt: skip
#: Seconds for one page: the first start of a browser is slow, and machines are shared.
PATIENCE = 180
#: The path of a socket has at most 107 characters. Chromium makes org.chromium.Chromium.XXXXXX/SingletonSocket
#: in a folder of ours, and ends before it begins where that is too long.
LONGEST_PLACE = 48
#: What a page folds is on paper, too. Words of the data are escaped, and never begin so.
FOLDED = '<details class="fold"'
_DATES = re.compile(rb"/(CreationDate|ModDate) \(D:\d{14}[^)]*\)")


def find_browser() -> str | None:
    """Where Chromium is, if there is one."""
    names = (os.environ.get("INCROWD_BROWSER"), *NAMES)
    return next((path for name in names if name and (path := shutil.which(name))), None)


def need_browser() -> str:
    """Where Chromium is; an error with the way out when there is none."""
    found = find_browser()
    if found is None:
        raise IncrowdError(
            "X030",
            f"no browser to print with: none of {', '.join(NAMES[:3])} is there.",
            "Install Chromium, name one in INCROWD_BROWSER, or open the report and print it to PDF.",
        )
    return found


def command(*flags: str, profile: str) -> list[str]:
    """The command line of a browser with a profile of its own."""
    # Chromium refuses its sandbox to root. What it shows is our own page, without any script.
    root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    return [need_browser(), *FLAGS, *root, f"--user-data-dir={profile}", *flags]


def print_pdf(page: Path, paper: Path) -> Path:
    """Print a page of HTML to PDF. The same page gives the same bytes: the date of printing is taken out.

    What is there under the name stays when printing fails.
    """
    with tempfile.TemporaryDirectory(dir=_short_place(), ignore_cleanup_errors=True) as profile:
        printed, opened = Path(profile, "printed.pdf"), Path(profile, "opened.html")
        opened.write_text(page.read_text(encoding="utf-8").replace(FOLDED, f"{FOLDED} open"), encoding="utf-8")
        flags = ("--no-pdf-header-footer", f"--print-to-pdf={printed}", opened.as_uri())
        # Crashpad and the like want a home to write to; an empty one keeps them out of the user's.
        env = {**os.environ, "HOME": profile, "TMPDIR": profile}
        try:
            with started(
                command(*flags, profile=profile), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ) as browser:
                failed = browser.wait(PATIENCE) != 0
        except (OSError, subprocess.TimeoutExpired):
            failed = True
        if failed or not printed.is_file():
            message = f"the browser could not print {page}."
            raise IncrowdError("X031", message, "Open it in a browser and print it to PDF.")
        made = _DATES.sub(_epoch, printed.read_bytes())
    with private_file(paper) as draft:
        draft.write_bytes(made)
    return paper


def _short_place() -> str | None:
    """Where the browser may work: the place for temporary files, unless its name is too long for a socket."""
    return "/tmp" if len(tempfile.gettempdir()) > LONGEST_PLACE and os.path.isdir("/tmp") else None


def _epoch(date: re.Match[bytes]) -> bytes:
    """A date of the same length, so that every offset in the file stays right."""
    return re.sub(rb"\d", b"0", date[0]).replace(b"D:00000000", b"D:20000101", 1)
