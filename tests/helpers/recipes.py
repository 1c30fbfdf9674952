"""The recipes of CONTRIBUTING, and the program that makes the generated pages."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


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
