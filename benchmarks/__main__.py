"""All benchmarks, one after the other: `make bench`; or those that are named. Exit code 1 when a limit is missed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
#: Takes another tool from the network, so only when it is named: `python -m benchmarks anonymeter`.
ONLY_BY_NAME = {"bench_anonymeter"}


def main() -> int:
    """Each in a process of its own, so that memory and caches do not mix."""
    worst = 0
    for name in chosen(sys.argv[1:]):
        print(f"\n== {name}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, "-W", "ignore", "-m", f"benchmarks.{name}"]).returncode)
    return worst


def chosen(asked: list[str]) -> list[str]:
    """Those that are named, or all that need nothing from elsewhere."""
    there = sorted(script.stem for script in HERE.glob("bench_*.py"))
    named = [f"bench_{name.removeprefix('bench_')}" for name in asked]
    if unknown := [name for name in named if name not in there]:
        sys.exit(f"there is no benchmark {unknown[0]}; there are: {', '.join(there)}")
    return named or [name for name in there if name not in ONLY_BY_NAME]


if __name__ == "__main__":
    sys.exit(main())
