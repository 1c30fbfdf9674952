"""What is installed on request: where it is not there, the error says how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from incrowd.errors import missing_extra


@contextmanager
def needs_intruders() -> Iterator[None]:
    """To be held around the imports of a test with human intruders."""
    try:
        yield
    except ImportError:
        raise missing_extra("what an intruder test needs", "intruders", "X026") from None
