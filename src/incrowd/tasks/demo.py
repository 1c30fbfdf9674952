"""The whole way on people who do not exist."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from incrowd.demo import write_demo, write_example
from incrowd.errors import IncrowdError
from incrowd.pipeline.progress import Progress
from incrowd.tasks.run import Run, run


def demo(
    folder: str | Path = "demo",
    *,
    rows: int = 100_000,
    people: Callable[[int, int], None] | None = None,
    progress: Progress | None = None,
    within: Callable[[float], None] | None = None,
) -> Run:
    """Put a synthetic population and a plan into a folder, and run it: a release at k = 9, and its report.

    `people` hears how many of the people are made, `progress` and `within` how far the run is.

    >>> ic.demo("demo", rows=5_000).log.end.smallest >= 9
    True
    """
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IncrowdError("X004", f"no run can be stored in {place} ({error.strerror}).") from None
    write_demo(place / "people.csv", rows=rows, seed=1, progress=people)
    return run(write_example(place), progress=progress, within=within)
