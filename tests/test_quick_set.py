"""`make test` leaves out no room: each has tests that are not slow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "incrowd").glob("*/__init__.py"))


def quick_tests(text: str) -> list[str]:
    """The tests of a file that no decorator calls slow."""
    found = [
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    return [node.name for node in found if "pytest.mark.slow" not in map(ast.unparse, node.decorator_list)]


def test_a_slow_test_is_known_by_its_mark() -> None:
    assert quick_tests("@pytest.mark.slow\ndef test_a(): ...\n\ndef test_b(): ...\n\ndef c(): ...") == ["test_b"]


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_tests_that_are_not_slow(room: str) -> None:
    files = (ROOT / "tests" / room).glob("test_*.py")
    assert any(quick_tests(file.read_text(encoding="utf-8")) for file in files)
