"""The recipes of CONTRIBUTING, toys that are registered for one test, and the program that makes the pages."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from incrowd.plan.data import Data
from incrowd.plan.model import Plan
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


def recipe(title: str) -> str:
    """The text of one recipe."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.split(r"\n##+ ", text.split(f"\n### {title}\n", 1)[1], maxsplit=1)[0]


def files_of(text: str) -> list[str]:
    """The files of the house that a recipe names, but those that it tells to write."""
    named = re.findall(r"`((?:src|tests|docs)/[^`]+)`", text)
    return [name for name in named if "your_" not in name and "your-" not in name]


def generator() -> ModuleType:
    """docs/generate.py, as a module."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plan_page() -> str:
    """What the generated part of docs/plan.md would be now."""
    page: str = generator().plan_tables()
    return page
