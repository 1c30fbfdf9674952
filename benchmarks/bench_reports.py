"""Both reports of the demo, 100,000 people: how long they take beside the run that they are about, and how large."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import incrowd as ic
from incrowd.demo import write_demo, write_example
from incrowd.report.internal import internal_report
from incrowd.report.public import public_report
from incrowd.secret import Secret

ROWS = 100_000
MOST_BYTES = 5_000_000
LIMIT = 1.0  # the reports together, as a part of the run


def main() -> int:
    """Run the demo once, then make its reports again from the log."""
    with tempfile.TemporaryDirectory() as folder:
        write_demo(Path(folder, "people.csv"), rows=ROWS, seed=1)
        begun = time.perf_counter()
        done = ic.run(write_example(Path(folder)), secret=Secret(bytes(range(32))))
        whole = time.perf_counter() - begun
    taken, missed = 0.0, False
    for make in (internal_report, public_report):
        begun = time.perf_counter()
        size = len(make(done.log).encode())
        seconds = time.perf_counter() - begun
        taken += seconds
        missed |= size > MOST_BYTES
        print(f"{make.__name__:<16} {seconds:6.2f} s {size / 1e6:6.2f} MB (limit {MOST_BYTES / 1e6:.0f} MB)")
    print(f"the run {whole:.1f} s; both reports {taken / whole:.2f} of it (limit {LIMIT:g})")
    return int(missed or taken > LIMIT * whole)


if __name__ == "__main__":
    sys.exit(main())
