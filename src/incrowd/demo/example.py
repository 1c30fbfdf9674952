"""The example that comes with the demo data: a plan by the study's own recodings, and the lookup it needs."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from incrowd.demo.write import write_regions_lookup


def write_example(folder: Path) -> Path:
    """Put the household-finances plan and its lookup of regions beside people.csv; gives the plan's path."""
    write_regions_lookup(folder / "regions.csv")
    plan = folder / "plan.yaml"
    plan.write_text(files("incrowd.demo").joinpath("plan.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    return plan
