"""How much of a test is tried: all of it in `make test-all`, a part of it in `make test`."""

from __future__ import annotations

import os
from collections.abc import Iterable

import pytest

FULL = os.environ.get("INCROWD_TESTS") == "all"


def examples(full: int) -> int:
    """How many examples a property is tried with: few of them find most slips."""
    return full if FULL else max(min(full, 5), full // 8)


def quick_only(quick: Iterable[object], values: Iterable[object]) -> list[object]:
    """Values for `parametrize`, of which only these are tried in `make test`."""
    chosen, every = list(quick), list(values)
    assert all(value in every for value in chosen), f"not among the values: {chosen}"
    return [value if value in chosen else pytest.param(value, marks=pytest.mark.slow) for value in every]


def slow_only(slow: Iterable[object], values: Iterable[object]) -> list[object]:
    """Values for `parametrize`, of which these are not tried in `make test`."""
    chosen, every = list(slow), list(values)
    assert all(value in every for value in chosen), f"not among the values: {chosen}"
    return quick_only([value for value in every if value not in chosen], every)
