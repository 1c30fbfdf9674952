"""Make a test with friendly human intruders, from a run's release and the truth behind it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa

from incrowd.attack.situation import fetch
from incrowd.audit.checked import Trust
from incrowd.errors import InputError
from incrowd.pipeline.trace import trace_release
from incrowd.plan import Plan, read_text
from incrowd.risk.background import plan_scenarios
from incrowd.risk.value import Scenario
from incrowd.rows import open_source
from incrowd.rows.result import Line, Result
from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.cards import Wanted, deal
    from incrowd.intruder_test.custodian import opened
    from incrowd.intruder_test.erasing import remember
    from incrowd.intruder_test.making import Invitation, Reading, Rules, make, write_private
    from incrowd.intruder_test.protocol import CONFIDENTIALITY, SOURCES, day, protocol
    from incrowd.intruder_test.store import Facts, is_file

#: The days until a test closes, and until truth and claims are deleted, when nothing is said.
OPEN_DAYS, KEPT_DAYS = 14, 90
MOST_INTRUDERS = 500


@dataclass(frozen=True)
class IntruderTestOptions:
    """What a custodian may decide about a new test. Dates are written as 2026-12-31."""

    intruders: str = "10"  # a number, or a file with a name on each line
    targets: int = 10
    decoys: float = 0.3  # the share of the cards that are decoys
    scenario: str | None = None
    riskiest: bool = False
    names: tuple[str, ...] = ()  # columns of the original to show on the cards, besides the scenario's keys
    register: Path | None = None
    hours: float = 2.0
    expires: str | None = None
    delete_on: str | None = None
    prize: str = ""
    sources: str = SOURCES
    confidentiality: str = CONFIDENTIALITY
    title: str | None = None


@dataclass(frozen=True, repr=False)
class IntruderTest(Result):
    """A new test: what it is, its invitations, and the protocol. The test itself does not hold the invitations."""

    facts: Facts
    invitations: list[Invitation]
    protocol: str
    decoys: str  # in words
    written: tuple[Path, ...] = ()  # the private files beside the test: the invitations, and the protocol

    @property
    def deletes_on(self) -> str:
        """The day on which truth and claims are deleted."""
        return day(self.facts.delete_on)

    def _told(self) -> str:
        return f"{self.facts.title}: {self.facts.cards} target cards ({self.decoys}), scenario {self.facts.scenario!r}"

    def _lines(self) -> Iterable[Line]:
        return [{"name": one.name, "link": one.link()} for one in self.invitations]

    def _shown(self) -> Iterable[Line]:
        """Whom, and not the links: a notebook is kept, and each link signs somebody in."""
        return [{"name": one.name} for one in self.invitations]


def intruder_test_new(
    release: str | Path,
    out: str,
    options: IntruderTestOptions | None = None,
    *,
    original: str | Path | None = None,
    folder: str | Path | None = None,
    address: str | None = None,
    trust: Trust | None = None,
) -> IntruderTest:
    """Prepare a test of a release: target cards, decoys, protocol, invitations with one-time links.

    `release` is a run's folder or its release folder, `out` a new file, or postgresql://host/database?schema=name.
    Beside the test two private files are written: the invitations, with links to `address`, and the protocol. The truth
    behind the release is found again from the run's audit; it is stored in the test only, and deleted with it.

    >>> options = ic.IntruderTestOptions(intruders="3", targets=4)
    >>> made = ic.intruder_test_new(done.folder, "test.sqlite", options)
    >>> [invitation.name for invitation in made.invitations]
    ['intruder 1', 'intruder 2', 'intruder 3']
    """
    stem = Path(out) if is_file(out) else Path("intruder-test")
    beside = tuple(stem.with_suffix(ending) for ending in (".invitations.txt", ".protocol.md"))
    if there := next((path for path in beside if path.exists()), None):
        raise InputError("D215", f"there is something at {there} already.", "Nothing is overwritten: move it.")
    data, home = None if original is None else Path(original), None if folder is None else Path(folder)
    made = new_test(Path(release), out, options or IntruderTestOptions(), original=data, folder=home, trust=trust)
    with opened(out) as store:
        remember(store, beside[0])
    write_private(beside[0], "".join(f"{each.name}\t{each.link(address)}\n" for each in made.invitations))
    write_private(beside[1], made.protocol)
    return replace(made, written=beside)


def new_test(
    release: Path,
    place: str,
    options: IntruderTestOptions,
    *,
    original: Path | None = None,
    folder: Path | None = None,
    clock: Callable[[], float] = time.time,
    trust: Trust | None = None,
) -> IntruderTest:
    """The test alone, without the files beside it."""
    now = clock()
    names = _names(options.intruders)
    expires = _moment(options.expires, now, OPEN_DAYS, "--expires")
    delete_on = _moment(options.delete_on, now, KEPT_DAYS, "--delete-on")
    _check(options, now, expires, delete_on)
    with trace_release(release, original, folder, trust) as traced:
        scenario = _scenario(traced.plan, options.scenario)
        unknown = [name for name in options.names if name not in traced.plan.variables]
        if unknown:
            raise InputError("D220", f"{unknown[0]!r} is not a column of the original.", "See --name-column.")
        situation = traced.situation(scenario)
        if not situation.scenario.keys:
            raise InputError("D219", f"none of the keys of {scenario.name!r} is released.", "Name another --scenario.")
        decoys = round(options.targets * options.decoys)
        title = options.title or traced.plan.title
        shown = tuple(name for name in options.names if name not in situation.scenario.keys)
        columns = (*shown, *situation.scenario.keys)
        register = None if options.register is None else _register(options.register, columns)
        wanted = Wanted(options.targets - decoys, decoys, shown, options.riskiest, register, title)
        cards, note = deal(situation, wanted)
        found = sum(bool(card.decoy) for card in cards)
        rules = Rules(
            title, names, options.hours, expires, delete_on, options.prize, options.sources.rstrip(". "),
            options.confidentiality,
        )  # fmt: skip
        sure = scenario.knows_who_is_in and not found
        sha256 = traced.done.sha256
        log = traced.done.log
        facts, invitations = make(
            place, rules, situation.released, situation.keys, cards, note, scenario.name, sure, sha256, clock,
            Reading(log.book, log.book_after, log.called),
        )  # fmt: skip
    return IntruderTest(facts, invitations, protocol(facts, len(names), len(cards) - found, found, note), note)


def _scenario(plan: Plan, name: str | None) -> Scenario:
    """The scenario of this name; without a name the plan's first, or that all keys are known."""
    there = plan_scenarios(plan)
    for scenario in there:
        if name is None or scenario.name == name:
            return scenario
    known = ", ".join(scenario.name for scenario in there)
    raise InputError("D219", f"the plan has no scenario {name!r}.", f"It has: {known}.")


def _register(path: Path, columns: Sequence[str]) -> pa.Table:
    rows = open_source(path)
    try:
        return fetch(rows, [name for name in columns if name in rows.columns])
    finally:
        rows.close()


def _names(given: str) -> tuple[str, ...]:
    if given.isdecimal():
        if len(given) > 9:  # far more than anybody can invite; counted below
            raise InputError("D221", "--intruders must be from 1 to 500.")
        return tuple(f"intruder {number}" for number in range(1, min(int(given), MOST_INTRUDERS + 1) + 1))
    lines = [" ".join(line.split()) for line in read_text(Path(given)).splitlines()]
    names = tuple(line for line in lines if line)
    if len(set(names)) < len(names) or any(len(name) > 80 or not name.isprintable() for name in names):
        raise InputError(
            "D221", f"{given} has a name twice, or one that is too long.", "One name of 80 letters a line."
        )
    return names


def _check(options: IntruderTestOptions, now: float, expires: int, delete_on: int) -> None:
    texts = (options.prize, options.sources, options.confidentiality, options.title or "")
    if not 1 <= len(_names(options.intruders)) <= MOST_INTRUDERS:
        raise InputError("D221", "--intruders must be from 1 to 500.")
    if not 0 <= options.targets <= 500:
        raise InputError("D221", "--targets must be from 0 to 500.")
    if not 0 <= options.decoys <= 0.9:
        raise InputError("D221", "--decoys is a share of the cards: from 0 to 0.9.")
    if not 0 < options.hours <= 1000:
        raise InputError("D221", "--hours must be above 0 and at most 1000.")
    if not now < expires <= delete_on:
        raise InputError("D221", "--expires must be in the future, and --delete-on not before it.")
    if any(len(text) > 2000 for text in texts):
        raise InputError("D221", "a text may have 2000 characters.")


def _moment(text: str | None, now: float, days: int, option: str) -> int:
    """The end of a day, UTC."""
    if text is None:
        chosen = datetime.fromtimestamp(now, UTC).date() + timedelta(days=days)
    else:
        try:
            chosen = datetime.strptime(text, "%Y-%m-%d").date()
        except ValueError:
            raise InputError("D221", f"{option} needs a date.", "Write it as 2026-12-31.") from None
    return int(datetime(chosen.year, chosen.month, chosen.day, 23, 59, 59, tzinfo=UTC).timestamp())
