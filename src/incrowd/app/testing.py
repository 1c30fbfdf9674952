"""Tests with friendly intruders that lie beside the open plan: found, watched, served to this machine, and judged."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from urllib.parse import urlsplit

import incrowd as ic
from incrowd.app.sessions import Session
from incrowd.errors import InputError
from incrowd.intruder_test.custodian import Judged, kept_scores, material, opened
from incrowd.intruder_test.value import Scores
from incrowd.intruder_test.verdicts import VERDICTS
from incrowd.intruder_test.watching import Watch, watch
from incrowd.machine.writing import write_private

ENDING = ".db"
#: The job that serves the pages of a test, and the one that makes a test.
SERVE, MAKE = "intruder", "test"
#: Seconds until the pages of a test answer.
PATIENCE = 30.0


@dataclass(frozen=True)
class TestFile:
    """A test beside the plan; `fault` says why it cannot be opened, where it cannot."""

    __test__ = False  # for pytest, which takes the name for one of its own

    place: Path
    watch: Watch | None = None
    scores: Scores | None = None  # the last count that was kept
    fault: str = ""

    @property
    def name(self) -> str:
        """Its file's name."""
        return self.place.name

    def beside(self, ending: str) -> Path:
        """A file that lies beside the test."""
        return self.place.with_suffix(ending)

    def links(self, address: str | None) -> list[tuple[str, str]]:
        """Whom each link signs in, to where the pages are now; none once the test was erased."""
        file = self.beside(".invitations.txt")
        if not file.is_file() or file.is_symlink():
            return []
        # The links come first, then a letter for each.
        links = takewhile(bool, file.read_text(encoding="utf-8").splitlines())
        return [(name, _moved(link, address)) for name, _, link in (line.partition("\t") for line in links)]


def _moved(link: str, address: str | None) -> str:
    return link if address is None else address + urlsplit(link).path


def tests_of(session: Session) -> list[TestFile]:
    """Every test beside the open plan, the newest first. Other databases are none of our business."""
    if session.project is None:
        return []
    files = [path for path in session.project.home.glob(f"*{ENDING}") if path.is_file() and not path.is_symlink()]
    found = []
    for path in sorted(files, key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True):
        try:
            with opened(str(path)) as store:
                found.append(TestFile(path, watch(store), kept_scores(store)))
        except InputError as error:
            if error.code != "D216":  # no test at all
                found.append(TestFile(path, fault=str(error)))
    return sorted(found, key=lambda one: one.watch.facts.made if one.watch else 0, reverse=True)


def find_test(session: Session, name: str) -> TestFile:
    """The test of this name, beside the open plan and nowhere else."""
    for one in tests_of(session):
        if one.name == name:
            return one
    raise InputError("D443", "there is no such test beside the plan.", "Choose one of those that are listed.")


def new_place(session: Session, name: str) -> Path:
    """Where a new test of this name is put."""
    plain = name.removesuffix(ENDING)
    if not plain or len(plain) > 80 or not all(letter.isalnum() or letter in "-_ ." for letter in plain):
        raise InputError("D443", "this is no name for a test.", "Use letters, digits and hyphens.")
    if plain.startswith("."):
        raise InputError("D443", "this is no name for a test.", "Do not begin it with a dot.")
    return session.need_project().home / f"{plain}{ENDING}"


def free_name(session: Session) -> str:
    """A name that no test has yet."""
    home = session.need_project().home
    names = ("intruder-test", *(f"intruder-test-{number}" for number in range(2, 1000)))
    return next(name for name in names if not (home / f"{name}{ENDING}").exists())


def served(session: Session) -> tuple[str, str] | None:
    """The test whose pages are open, and their address."""
    job, found = session.jobs.get(SERVE), session.kept.get("served")
    if job is None or job.state != "running" or not isinstance(found, tuple):
        return None
    return found


def serve(session: Session, test: TestFile) -> str:
    """Open the pages of a test on this machine: as a process that ends with the session. Gives their address.

    The port of the links is taken where it is free, and another one where it is not: links are shown with it.
    """
    wanted = next((urlsplit(link).port for _, link in test.links(None)), None)
    for port in (free_port(wanted), free_port()):  # somebody else may take the first before the pages are there
        job = session.begin(SERVE, "The test's pages are open", "intruder_test_serve", str(test.place), port=port)
        session.kept["served"] = test.name, f"http://127.0.0.1:{port}"
        end = time.monotonic() + PATIENCE
        while job.state == "running" and time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return f"http://127.0.0.1:{port}"
            time.sleep(0.1)
        job.cancel()
        if job.code not in ("", "X035"):
            break  # a fault of the test, and not of the port
    raise InputError("D445", f"the pages of the test did not open. {job.fault}".rstrip(), "Try again.")


def close_pages(session: Session, test: TestFile | None = None) -> None:
    """Close the pages, of this test only where one is named."""
    if (open_ := served(session)) is not None and (test is None or open_[0] == test.name):
        session.jobs[SERVE].cancel()
        session.jobs[SERVE].wait(12)


def free_port(wanted: int | None = None) -> int:
    """A port of this machine that nobody uses: the wanted one, if it is free."""
    for port in (wanted or 0, 0):
        with suppress(OSError), socket.socket() as trial:
            trial.bind(("127.0.0.1", port))
            return int(trial.getsockname()[1])
    raise InputError("D445", "no port of this machine is free.", "Close another program, and try again.")


def undecided(test: TestFile) -> list[Judged]:
    """The claims that only the custodian can judge."""
    with opened(str(test.place)) as store:
        return [] if store.erased else [one for one in material(store).judged if one.verdict is None]


def decide(test: TestFile, verdicts: Mapping[int, str]) -> int:
    """Take over what the custodian says of claims; gives how many. The file that it goes through goes with the test."""
    lines = [f"{claim},{verdict}" for claim, verdict in verdicts.items() if verdict in VERDICTS]
    if not lines:
        raise InputError("D442", "nothing was decided.", "Choose correct, partial or wrong for at least one claim.")
    file = test.beside(".decisions.csv")
    write_private(file, "\n".join(["claim,verdict", *lines]) + "\n")
    ic.intruder_test_score(str(test.place), decide=file)
    return len(lines)
