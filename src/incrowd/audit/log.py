"""The log of a run, as values: what each step changed, what the file looked like after it, what the gate found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from incrowd.attack.value import Attacked
from incrowd.audit.about import About
from incrowd.audit.groups import Group
from incrowd.audit.rarest import Rarest
from incrowd.audit.series import SeriesLog
from incrowd.intruder_test.value import Scores, Tested
from incrowd.keys.codebook import Codebook
from incrowd.keys.table import KeyTable
from incrowd.keys.unit_name import PEOPLE, UnitName
from incrowd.plan.verdict import Verdict
from incrowd.risk.before_after import RiskLog
from incrowd.utility.of_run import UtilityLog
from incrowd.utility.outcome import Outcome

#: The largest k in the tables and histograms of the report.
LARGEST_K = 12

#: Larger classes are counted in bands: the size each band starts with.
BANDS = (LARGEST_K + 1, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Snapshot:
    """What the file looks like at one moment: its classes by the keys that are still there."""

    keys: tuple[str, ...]
    records: int
    people: int
    classes: int
    uniques: int
    smallest: int
    sizes: Mapping[int, int]  # class size -> number of classes, sizes up to LARGEST_K
    people_below: Mapping[int, int]  # k -> people in classes smaller than k, k = 2..LARGEST_K
    larger: Mapping[int, int] = field(default_factory=dict)  # start of a band of sizes -> number of classes in it

    @staticmethod
    def of(table: KeyTable) -> Snapshot:
        """Take the snapshot of a KeyTable."""
        whole = Snapshot.of_sizes(table.names, table.size_histogram())
        if table.pairs is None:
            return whole
        # People in several classes count once, and the histogram cannot tell.
        below = {k: table.people_below(k) for k in whole.people_below}
        return replace(whole, records=int(table.records.sum()), people=table.people, people_below=below)

    @staticmethod
    def of_sizes(keys: tuple[str, ...], sizes: Mapping[int, int]) -> Snapshot:
        """Take it of the sizes of the classes, where a record is a person."""
        people = sum(size * number for size, number in sizes.items())
        below = {k: sum(size * sizes.get(size, 0) for size in range(1, k)) for k in range(2, LARGEST_K + 1)}
        return Snapshot(
            keys=keys,
            records=people,
            people=people,
            classes=sum(sizes.values()),
            uniques=sizes.get(1, 0),
            smallest=min(sizes, default=0),
            sizes={size: sizes.get(size, 0) for size in range(1, LARGEST_K + 1)},
            people_below=below,
            larger={
                first: sum(number for size, number in sizes.items() if first <= size < after)
                for first, after in zip(BANDS, (*BANDS[1:], inf), strict=True)
            },
        )


@dataclass(frozen=True)
class StepLog:
    """What one step did. Step 0 is the file as it came."""

    number: int
    name: str  # the step's word in the plan, or "start"
    title: str  # in words: "recode area by lookup"
    reason: str | None
    records_removed: int
    cells_changed: int
    removed_for: Mapping[str, int]  # requirement in words -> records dropped for it
    notes: tuple[str, ...]
    after: Snapshot
    seconds: float = 0.0
    found: Mapping[str, object] = field(default_factory=dict)  # what a search decided, for a later run to pin
    off: bool = False  # in the plan, and switched off


@dataclass(frozen=True)
class RunLog:
    """A whole run, for the reports and the audit."""

    title: str
    tier: str
    kind: str
    unit: str | None
    steps: tuple[StepLog, ...]
    verdicts: tuple[Verdict, ...]
    variables: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # name -> (role, reason)
    released_columns: tuple[str, ...] = ()
    risks: tuple[RiskLog, ...] = ()  # one for each scenario of the plan
    utility: UtilityLog | None = None  # None when nothing was released
    attacks: tuple[Attacked, ...] = ()  # one for each attack and scenario that the plan asks for
    intruder_test: Tested | None = None  # the human intruder test that the plan names
    groups: tuple[Group, ...] = ()  # each value of each key, before anything was taken away and after
    rarest: Rarest = field(default_factory=Rarest)  # combinations that hardly anybody has
    at_start: tuple[float | None, ...] = ()  # for each verdict, the figure of the file as it came
    about: About = field(default_factory=About)  # what the plan says beyond the steps: attestations, review
    one_value: tuple[str, ...] = ()  # released columns that have the same value in every record
    perturbed_before: tuple[str, ...] = ()  # earlier releases of this source that chance has changed otherwise
    drawn_by: str = ""  # a keyed digest of all that the draws depended on; equal where two runs have drawn the same
    other_releases: tuple[str, ...] = ()  # runs that released this source, where the plan says that nobody has
    formulas: Mapping[str, int] = field(default_factory=dict)  # column -> released cells that a spreadsheet would run
    unconfirmed: tuple[str, ...] = ()  # variables whose reason was suggested by a profile, and nobody has written one
    source_hidden: bool = False  # a file of the same plan loses few records: none may tell how many came
    book: Codebook = field(default_factory=Codebook)  # what the values of the file as it came stand for
    book_after: Codebook = field(default_factory=Codebook)  # and those of the file as it leaves
    called: UnitName = PEOPLE  # what those in the file are called
    series: SeriesLog | None = None  # what was found out about the series that the file belongs to

    def word(self, variable: str, value: str | None) -> str:
        """A value at the release's categories, as a person reads it: a code in words, a label that a step has made with
        the words of what it is made of.
        """
        book, code = self.book_after, value in self.book.codes.get(variable, {})
        return book.word(variable, value) if code else book.both(variable, value)

    def told(self, outcome: Outcome) -> str:
        """What was found of a use case, with the groups and terms that it names in words."""
        groups = {figure.name: self.word(outcome.by, figure.name) for figure in outcome.figures} if outcome.by else {}

        def in_words(found: re.Match[str]) -> str:
            names = found[2].split(", ")
            return found[1] + ", ".join(groups[name] for name in names) if groups.keys() >= {*names} else found[0]

        text = re.sub(r"(\((?:changed: )?)([^()]*)(?=\))", in_words, outcome.found)
        if moved := re.search(r"; the first place changed, from (.*) to (.*?)(?=;|$)", text):
            first, then = (groups.get(name, name) for name in moved.groups())
            text = text.replace(moved[0], f"; the first place changed, from {first} to {then}")
        return self.book_after.say(text)

    @property
    def human_test(self) -> Scores | None:
        """The human intruder test of this very release: one of other bytes says nothing about it."""
        return self.intruder_test.scores if self.intruder_test is not None and self.intruder_test.same_release else None

    @property
    def start(self) -> Snapshot:
        """The file as it came."""
        return self.steps[0].after

    @property
    def end(self) -> Snapshot:
        """The file as it leaves."""
        return self.steps[-1].after
