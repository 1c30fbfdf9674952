"""Every release in a folder of runs looked at again: which of them became worse?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from incrowd.audit.checked import Trust
from incrowd.audit.series import date_of, released_runs
from incrowd.errors import IncrowdError, InputError
from incrowd.machine.paths import as_path
from incrowd.report.review import Reviewed
from incrowd.rows.result import Line, Listing
from incrowd.tasks.review import review

WORSE, ONLY_NOW, UNTRIED, AS_IT_WAS = "worse", "found only now", "not tried", "as it was"


@dataclass(frozen=True)
class ReviewedRun:
    """One release among others: its review, or why there is none."""

    run: str  # its folder, seen from the folder that was named
    folder: Path
    reviewed: Reviewed | None
    why: str = ""

    @property
    def not_tried(self) -> tuple[str, ...]:
        """What could not be tried: nobody knows whether it became worse."""
        if self.reviewed is None:
            return (self.why,)
        left = self.reviewed.left_out
        more = (f"{', '.join(left)}: {self.reviewed.untraced}",) if left else ()
        return (*self.reviewed.not_tried, *more)

    @property
    def state(self) -> str:
        """Worse than its audit says; no worse, but given away by what was never tried before; not tried in whole or in
        part; or as it was.
        """
        if self.reviewed is not None and self.reviewed.worse:
            return WORSE
        if self.reviewed is not None and self.reviewed.only_now:
            return ONLY_NOW
        return UNTRIED if self.not_tried else AS_IT_WAS


@dataclass(frozen=True, repr=False)
class ReviewedAll(Listing[ReviewedRun]):
    """Every release of a folder, looked at again."""

    items: tuple[ReviewedRun, ...]

    @property
    def worse(self) -> tuple[str, ...]:
        """The runs whose release became worse."""
        return tuple(one.run for one in self.items if one.state == WORSE)

    @property
    def only_now(self) -> tuple[str, ...]:
        """The runs of which something was found that was never tried before."""
        return tuple(one.run for one in self.items if one.reviewed is not None and one.reviewed.only_now)

    @property
    def not_tried(self) -> tuple[str, ...]:
        """The runs of which something, or everything, could not be tried."""
        return tuple(one.run for one in self.items if one.not_tried)

    def _told(self) -> str:
        return f"{len(self.items)} releases: {len(self.worse)} became worse, {len(self.not_tried)} not tried in whole"

    def _names(self) -> Sequence[str]:
        return ["run", "date", "title", "tier", "state", "worse", "only_now", "not_tried", "overdue"]

    def _lines(self) -> Iterable[Line]:
        return [_line(one) for one in self.items]

    def json(self) -> str:
        """Everything, for scripts."""
        found = [
            {**_line(one), "review": None if one.reviewed is None else json.loads(one.reviewed.json())}
            for one in self.items
        ]
        told = {"worse": self.worse, "only_now": self.only_now, "not_tried": self.not_tried}
        content = {**{name: list(runs) for name, runs in told.items()}, "releases": found}
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def review_all(
    folder: str | Path,
    *,
    external: Sequence[str | Path] = (),
    attacks: Sequence[str] | None = None,
    today: date | None = None,
    trust: Trust | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ReviewedAll:
    """Which releases of a folder became worse? Each is looked at as by `review`, with today's tools.

    `folder` has `runs`, or is it; the folders of tiers in it count too. A release that cannot be looked at is not
    tried, and never counts as passed; so are attacks of its audit that need an original which is gone. Runs that were
    refused released nothing. `progress` hears how many are done, of how many.

    >>> ic.review_all(done.folder.parent, attacks=["linkage"]).worse
    ()
    """
    home = as_path(folder)
    runs = list(dict.fromkeys(_runs(home)))
    if not runs:
        raise InputError("D381", f"there is no release in {home}.", "Name the folder that has runs/.")
    found = []
    for number, run in enumerate(runs):
        if progress is not None:
            progress(number, len(runs))
        name = run.relative_to(home).as_posix() if run.is_relative_to(home) else run.name
        try:
            one = review(run, external=external, attacks=attacks, today=today, trust=trust)
            found.append(ReviewedRun(name, run, one))
        except IncrowdError as error:
            found.append(ReviewedRun(name, run, None, str(error)))
    if progress is not None:
        progress(len(runs), len(runs))
    return ReviewedAll(tuple(found))


def _runs(home: Path) -> Iterator[Path]:
    """The runs that released something, here and one folder below."""
    if not home.is_dir():
        return
    if home.name == "runs":
        home = home.parent
    yield from released_runs(home)
    for below in sorted(path for path in home.iterdir() if path.is_dir() and path.name != "runs"):
        yield from released_runs(below)


def _line(one: ReviewedRun) -> dict[str, object]:
    found = one.reviewed
    return {
        "run": one.run,
        "date": date_of(one.folder.name),
        "title": None if found is None else found.title,
        "tier": None if found is None else found.tier,
        "state": one.state,
        "worse": "" if found is None else "; ".join(found.worse),
        "only_now": "" if found is None else "; ".join(found.only_now),
        "not_tried": "; ".join(one.not_tried),
        "overdue": None if found is None else found.overdue,
    }
