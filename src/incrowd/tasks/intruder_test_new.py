"""Make a test with friendly human intruders, from a run's release and the truth behind it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from incrowd.audit.checked import Trust
from incrowd.errors import InputError
from incrowd.pipeline.foreign import TracedForeign, trace_foreign
from incrowd.pipeline.foreign_plan import ForeignRelease, is_foreign
from incrowd.pipeline.trace import Traced, trace_release
from incrowd.plan import read_text
from incrowd.rows.result import Line, Result
from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.custodian import opened
    from incrowd.intruder_test.earlier import round_after
    from incrowd.intruder_test.erasing import remember
    from incrowd.intruder_test.facts import Facts
    from incrowd.intruder_test.making import Invitation, Reading, Rules, make, write_private
    from incrowd.intruder_test.parts import MOST_INTRUDERS, TEAM, Invited, read_intruders, read_strata, read_teams
    from incrowd.intruder_test.protocol import CONFIDENTIALITY, SOURCES, day, protocol
    from incrowd.intruder_test.store import is_file
    from incrowd.intruder_test.texts import invitation, templates
    from incrowd.tasks._intruder_cards import deal_teams

#: The days until a test closes, and until truth and claims are deleted, when nothing is said.
OPEN_DAYS, KEPT_DAYS = 14, 90


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
    teams: tuple[str, ...] = ()  # name=scenario; one team of all when left out
    by_area: str | None = None  # the key whose value is an intruder's area
    strata: str = ""  # how many targets of each stratum, such as unique=3,pair=2,safe=2; by chance when left out
    acquaintances: bool = False  # whether intruders may ask for people whom they know
    cards_each: int | None = None  # how many cards of the team's each intruder gets; all when left out
    after: str | None = None  # the test of the round before, or its scores
    texts: Path | None = None  # a folder with the department's own texts for participants; ours when left out
    dry_run: bool = False  # a rehearsal: its scores never count


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
    foreign: ForeignRelease | None = None,
) -> IntruderTest:
    """Prepare a test of a release: target cards, decoys, protocol, invitations with one-time links.

    `release` is a run's folder or its release folder, `out` a new file, or postgresql://host/database?schema=name.
    Beside the test two private files are written: the invitations, with links to `address`, and the protocol. The truth
    behind the release is found again from the run's audit; it is stored in the test only, and deleted with it.

    Of a file that another tool made, `foreign` tells the keys, and the truth is found from the `original`: only people
    of whom it is certain have cards.

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
    made = new_test(
        Path(release), out, options or IntruderTestOptions(), original=data, folder=home, trust=trust, foreign=foreign
    )
    with opened(out) as store:
        remember(store, beside[0])
    links = [(each.name, each.link(address)) for each in made.invitations]
    letters = "".join(f"\n{'-' * 72}\n\n{invitation(made.facts, name, link)}" for name, link in links)
    write_private(beside[0], "".join(f"{name}\t{link}\n" for name, link in links) + letters)
    write_private(beside[1], made.protocol)
    return replace(made, written=beside)


def new_test(
    release: Path,
    out: str,
    options: IntruderTestOptions,
    *,
    original: Path | None = None,
    folder: Path | None = None,
    clock: Callable[[], float] = time.time,
    trust: Trust | None = None,
    foreign: ForeignRelease | None = None,
) -> IntruderTest:
    """The test alone, without the files beside it."""
    now = clock()
    teams = read_teams(options.teams)
    lines = () if options.intruders.isdecimal() else read_text(Path(options.intruders)).splitlines()
    invited = read_intruders(options.intruders, lines, list(teams) or [TEAM], options.by_area is not None)
    expires = _moment(options.expires, now, OPEN_DAYS, "--expires")
    delete_on = _moment(options.delete_on, now, KEPT_DAYS, "--delete-on")
    strata = read_strata(options.strata)
    _check(options, invited, strata, now, expires, delete_on)
    texts = templates(options.texts)
    number, earlier = (1, "") if options.after is None else round_after(options.after)
    with _traced(release, original, folder, trust, foreign) as traced:
        unknown = [name for name in options.names if name not in traced.plan.variables]
        if unknown:
            raise InputError("D220", f"{unknown[0]!r} is not a column of the original.", "See --name-column.")
        title = options.title or traced.plan.title
        dealt = deal_teams(traced, replace(options, title=title), invited, teams, strata)
        rules = Rules(
            title, invited, options.hours, expires, delete_on, options.prize, options.sources.rstrip(". "),
            options.confidentiality, options.cards_each, options.acquaintances, options.by_area or "", number, earlier,
            texts, options.dry_run,
        )  # fmt: skip
        note = dealt.note
        facts, invitations = make(
            out, rules, dealt.released, dealt.coarse, dealt.pools, dealt.teams, note, _sha256(traced), clock,
            _reading(traced),
        )  # fmt: skip
    decoys = sum(bool(card.decoy) for pool in dealt.pools for card in pool.cards)
    return IntruderTest(facts, invitations, protocol(facts, len(invited), facts.cards - decoys, decoys, note), note)


def _traced(
    release: Path, original: Path | None, folder: Path | None, trust: Trust | None, foreign: ForeignRelease | None
) -> AbstractContextManager[Traced | TracedForeign]:
    """The release with its truth: from the run's audit, or from the original alone where another tool made it."""
    if is_foreign(release, foreign):
        return trace_foreign(release, original, None, foreign or ForeignRelease())
    return trace_release(release, original, folder, trust)


def _sha256(traced: Traced | TracedForeign) -> str:
    return traced.sha256 if isinstance(traced, TracedForeign) else traced.done.sha256


def _reading(traced: Traced | TracedForeign) -> Reading:
    """What the values stand for."""
    if isinstance(traced, TracedForeign):
        return Reading(traced.rows.book, traced.rows.book, traced.plan.data.called)
    log = traced.done.log
    return Reading(log.book, log.book_after, log.called)


def _check(
    options: IntruderTestOptions,
    invited: Sequence[Invited],
    strata: Mapping[str, int],
    now: float,
    expires: int,
    delete_on: int,
) -> None:
    texts = (options.prize, options.sources, options.confidentiality, options.title or "")
    if not 1 <= len(invited) <= MOST_INTRUDERS:
        raise InputError("D221", f"--intruders must be from 1 to {MOST_INTRUDERS}.")
    if options.strata and not 0 < sum(strata.values()) <= 500:
        raise InputError("D487", "--strata must ask for 1 to 500 targets.", "Write unique=3,pair=2,safe=2.")
    if strata and options.riskiest:
        raise InputError("D487", "--strata and --riskiest say different things about whom to choose.", "Leave one out.")
    if options.cards_each is not None and not 1 <= options.cards_each <= 500:
        raise InputError("D485", "--cards-each must be from 1 to 500.")
    if options.scenario is not None and options.teams:
        raise InputError("D485", "each --team names its scenario, and so does --scenario.", "Leave --scenario out.")
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
