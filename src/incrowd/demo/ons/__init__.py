"""Three files that the ONS opened, as examples: plans after their paper, and generated data of the same shape.

Tudor, Lowthian and Spicer, *Opening up government data while maintaining data privacy*; docs/examples/ons.md says what
each plan does and why. `generate.py` makes the records.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from incrowd.demo.ons.generate import write_records
from incrowd.errors import InputError

#: The plans, and the file of records that each is for.
ONS = {"census": "census", "energy": "energy", "further-education": "learners"}
#: As many as docs/examples/ons.md speaks of.
ROWS = 40_000


def write_ons(folder: Path, name: str, rows: int = ROWS, plan: str = "plan.yaml") -> Path:
    """Put one of the examples into a folder: its records, and beside them its plan, whose path is given back.

    Example: `write_ons(Path("census"), "census", rows=2_000)`.
    """
    if name not in ONS:
        raise InputError("D416", f"there is no example {name!r}.", f"There are: {', '.join(ONS)}.")
    write_records(folder, ONS[name], rows)
    place = folder / plan
    place.write_text(files("incrowd.demo.ons").joinpath(f"{name}.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    return place
