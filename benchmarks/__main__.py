"""All benchmarks, one after the other: `make bench`. Exit code 1 when a limit is missed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> int:
    """Each in a process of its own, so that memory and caches do not mix."""
    worst = 0
    for script in sorted(HERE.glob("bench_*.py")):
        print(f"\n== {script.stem}", flush=True)
        worst = max(
            worst, subprocess.run([sys.executable, "-W", "ignore", "-m", f"benchmarks.{script.stem}"]).returncode
        )
    return worst


if __name__ == "__main__":
    sys.exit(main())
