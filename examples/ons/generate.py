"""All that the examples after the ONS paper need, in a folder of its own: the generated data, and every plan.

    python examples/ons/generate.py FOLDER [ROWS]

Three of the plans, and what makes the data, come with incrowd (`incrowd.demo.ons`); the others are here.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from incrowd.demo.ons import ONS, ROWS, write_ons
from incrowd.demo.ons.generate import write_records

HERE = Path(__file__).parent


def write(folder: Path, rows: int = ROWS) -> None:
    """Four files of records, and the plans for them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ONS:
        write_ons(folder, name, rows, plan=f"{name}.yaml")
    write_records(folder, "survey", rows)
    for plan in HERE.glob("*.yaml"):
        if folder.resolve() != HERE.resolve():
            shutil.copy(plan, folder)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("Say where to: python examples/ons/generate.py FOLDER [ROWS]")
    write(Path(sys.argv[1]), int(float(sys.argv[2])) if len(sys.argv) > 2 else ROWS)
