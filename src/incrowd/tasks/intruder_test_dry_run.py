"""A rehearsal of an intruder test: everything of a real one, on people who do not exist."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from incrowd.demo import write_demo, write_example
from incrowd.errors import InputError
from incrowd.machine.writing import write_private
from incrowd.pipeline.progress import Progress
from incrowd.tasks._extras import needs_intruders
from incrowd.tasks.intruder_test_account import OfficeLink, intruder_test_account
from incrowd.tasks.intruder_test_new import IntruderTestOptions, intruder_test_new
from incrowd.tasks.run import run

with needs_intruders():
    from incrowd.intruder_test.accounts import ROLES
    from incrowd.intruder_test.making import Invitation
    from incrowd.intruder_test.playing import PLAYERS, play

#: The intruder who is left for whoever practises.
YOU = "you"
PEOPLE = 30_000  # with many fewer, the example plan leaves few people
TITLE = "Household finances, to practise"


@dataclass(frozen=True)
class DryRun:
    """A test to practise with: where it is and its plan, the links for whoever practises, and how much was played."""

    test: Path
    plan: Path
    intruder: Invitation = field(repr=False)
    office: tuple[OfficeLink, ...]  # one of each role
    claims: int


def intruder_test_dry_run(folder: str | Path, *, progress: Progress | None = None) -> DryRun:
    """Make a test to practise with, in a new folder: demo people, their release, and played claims.

    Three intruders are played, who know what the pages tell and no more; the fourth is whoever practises, and so are a
    custodian, a judge and an observer. Everything but the played claims is as in a real test. No plan may name its
    scores. `progress` hears how far the run is.

    >>> ic.intruder_test_dry_run("rehearsal").claims > 0
    True
    """
    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InputError("D507", f"there is something at {place} already.", "Nothing is overwritten: name another.")
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("D507", f"{place} cannot be made ({error.strerror}).") from None
    write_demo(place / "people.csv", rows=PEOPLE, seed=1)
    plan = write_example(place)
    done = run(plan, progress=progress)
    write_private(place / "intruders.txt", "".join(f"{name}\n" for name in (*PLAYERS, YOU)))
    test = place / "test.db"
    options = IntruderTestOptions(str(place / "intruders.txt"), title=TITLE, acquaintances=True, dry_run=True)
    invitations = intruder_test_new(done.folder, str(test), options).invitations
    claims = play(str(test), invitations)
    office = tuple(intruder_test_account(str(test), f"your {role}", role=role) for role in ROLES)
    return DryRun(test, plan, next(one for one in invitations if one.name == YOU), office, claims)
