"""What a run says of itself while it goes on."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the name of what begins, its number and how many there are.
Progress = Callable[[str, int, int], None]


def numbered(progress: Progress | None, total: int) -> Callable[[str], None]:
    """A function that says what begins, and counts."""
    counter = iter(range(1, total + 1))

    def begins(what: str) -> None:
        if progress is not None:
            progress(what, next(counter), total)

    return begins
