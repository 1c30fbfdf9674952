"""A toy step, model or engine, registered for one test: the types of a plan take it in, and forget it after."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from incrowd.plan.model import Data, Plan
from incrowd.plan.steps.suppress import SuppressRecords
from incrowd.plan.tiers import Tier
from incrowd.plan.use_cases import Alternative

ROOT = Path(__file__).parents[2]


@contextmanager
def registered(*undo: Callable[[], object]) -> Iterator[None]:
    """With what was registered just now, in plans too; `undo` takes it out again."""
    _rebuild()
    try:
        yield
    finally:
        for forget in undo:
            forget()
        _rebuild()


def _rebuild() -> None:
    """Pydantic makes a union once, when a class is made: these hold steps, requirements, and the engine's name."""
    for part in (SuppressRecords, Alternative, Tier, Data, Plan):
        part.model_rebuild(force=True)


def plan_page() -> str:
    """What the generated part of docs/plan.md would be now."""
    page: str = runpy.run_path(str(ROOT / "docs" / "generate.py"))["plan_tables"]()
    return page


def recipe(title: str) -> str:
    """The recipe in CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.split(f"### {title}\n", 1)[1].split("\n### ", 1)[0].split("\n## ", 1)[0]
