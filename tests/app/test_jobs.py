"""Long work in a process of its own, begun by whatever thread serves a request."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from incrowd.app.jobs import Job, start


def test_work_goes_on_when_the_thread_that_began_it_ends(tmp_path: Path) -> None:
    """The server ends threads that have had nothing to do for ten seconds; Linux binds a child to its thread."""
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux ends a child with its parent")
    begun: list[Job] = []

    def serve() -> None:
        job = start("People", "demo_data", [str(tmp_path / "people.csv")], {"rows": 100}, tmp_path)
        begun.append(job)
        assert job.process is not None
        words, end = Path(f"/proc/{job.process.pid}/cmdline"), time.monotonic() + 60
        while not words.read_bytes().startswith(f"{sys.executable}\0-m\0incrowd.app.work".encode()):
            assert time.monotonic() < end, "it does not become the job"
            time.sleep(0.01)

    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()
    (job,) = begun
    job.wait(120)
    assert (job.state, job.fault) == ("done", "")
    assert len((tmp_path / "people.csv").read_text().splitlines()) == 101
