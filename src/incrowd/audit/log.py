"""The log of a run, as values: what each step changed, what the file looked like after it, what the gate found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf

from incrowd.attack.value import Attacked
from incrowd.audit.about import About
from incrowd.audit.groups import Group
from incrowd.intruder_test.value import Scores, Tested
from incrowd.keys.table import KeyTable
from incrowd.plan.verdict import Verdict
from incrowd.risk.before_after import RiskLog
from incrowd.utility.of_run import UtilityLog

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
    at_start: tuple[float | None, ...] = ()  # for each verdict, the figure of the file as it came
    about: About = field(default_factory=About)  # what the plan says beyond the steps: attestations, review
    one_value: tuple[str, ...] = ()  # released columns that have the same value in every record
    perturbed_before: tuple[str, ...] = ()  # earlier releases of this source that chance has changed otherwise
    drawn_by: str = ""  # a keyed digest of all that the draws depended on; equal where two runs have drawn the same
    other_releases: tuple[str, ...] = ()  # runs that released this source, where the plan says that nobody has
    formulas: Mapping[str, int] = field(default_factory=dict)  # column -> released cells that a spreadsheet would run
    source_hidden: bool = False  # a file of the same plan loses few records: none may tell how many came

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
