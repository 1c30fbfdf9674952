"""What may be said in public: the one value that the public report is made from.

Small counts are hidden here and not in the templates, so that no template can forget it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, floor

from incrowd.audit.log import BANDS, LARGEST_K, RunLog, Snapshot
from incrowd.keys.requirements import MODELS
from incrowd.keys.spreadsheet import is_formula
from incrowd.keys.unit_name import PEOPLE, UnitName
from incrowd.plan.verdict import Verdict
from incrowd.report import words
from incrowd.report.board.loss import Level, level_of, noticed

#: A count of people, records or classes below this is not told.
HIDDEN_BELOW = 10
FEW = f"fewer than {HIDDEN_BELOW}"


@dataclass(frozen=True)
class PublicVerdict:
    """A requirement, whether it holds, and how far: as texts."""

    requirement: str
    passed: bool
    achieved: str
    required: str
    measured: str


@dataclass(frozen=True)
class PublicFacts:
    """What may be said in public: the released state, the verdicts and the total loss. Nothing about the way there.

    Everything here can be counted in the released file itself, but for the number of records that came in, the
    verdicts on use cases, which say whether a conclusion stays and not by how much, and what the plan's `attest` says
    about conditions and the next review. Counts are texts, and small ones say that they are small.
    """

    title: str
    tier: str
    kind: str
    counts_people: bool
    records_in: str
    records: str
    people: str
    classes: str
    smallest: str
    lost: str
    keys: tuple[str, ...]
    sizes: tuple[tuple[str, int], ...]  # people in a class -> classes; joined until no count is small
    verdicts: tuple[PublicVerdict, ...]
    required_k: int | None
    columns: tuple[str, ...]
    use_cases: tuple[tuple[str, str, str], ...] = ()  # name, rule, what became of the conclusion; no figure of before
    conditions: tuple[str, ...] = ()
    next_review: str | None = None
    attacks: tuple[str, ...] = ()  # the words of the attacks that were tried; no figure
    limits: bool = False  # whether the plan set limits to them; a release has kept them
    intruder_test: str = ""  # one sentence, when people have tested this very release
    one_value: tuple[str, ...] = ()  # columns that have the same value in every record
    formulas: tuple[str, ...] = ()  # the columns with cells that a spreadsheet would run; no count
    titles: Mapping[str, str] = field(default_factory=dict)  # what columns mean, as the data dictionary says
    called: UnitName = PEOPLE  # what those in the file are called
    loss: Level | None = None  # how much of the records is lost; None where their number is not told

    @property
    def emptied(self) -> tuple[str, ...]:
        """The keys that are there in name only, as everybody can see in the file."""
        return tuple(self.titles.get(name, name) for name in self.keys if name in self.one_value)

    @property
    def holds(self) -> bool:
        """Whether something was required, and all of it holds."""
        return bool(self.verdicts) and all(verdict.passed for verdict in self.verdicts)

    @staticmethod
    def of(log: RunLog) -> PublicFacts:
        """Take from the log what may be said in public."""
        left = log.end
        records_in, lost = _source(log)
        review, k, tested = log.about.review, required_k(log.verdicts), log.human_test
        smallest = f"{k} or more" if k and k <= left.smallest < HIDDEN_BELOW else shown(left.smallest)
        return PublicFacts(
            title=log.title,
            tier=log.tier,
            kind=log.kind,
            counts_people=log.unit is not None,
            records_in=records_in,
            records=shown(left.records),
            people=shown(left.people),
            classes=shown(left.classes),
            smallest=smallest,
            lost=lost,
            keys=left.keys,
            sizes=joined_sizes(left),
            verdicts=tuple(_verdict(verdict, log) for verdict in log.verdicts if verdict.model != "attack"),
            required_k=k,
            columns=log.released_columns,
            use_cases=tuple(
                (o.use_case, log.book_after.say(o.rule), o.verdict)
                for o in (log.utility.outcomes if log.utility else ())
            ),
            conditions=log.about.conditions,
            next_review=None if review is None else review.next,
            attacks=tuple(dict.fromkeys(a.attack for a in log.attacks if a.in_full)),
            limits=any(verdict.model == "attack" for verdict in log.verdicts),
            intruder_test="" if tested is None else tested.public,
            one_value=log.one_value,
            loss=_loss(log),
            formulas=tuple(name for name in log.released_columns if name in log.formulas or is_formula(name)),
            titles={
                name: log.book_after.titles[name] for name in log.released_columns if name in log.book_after.titles
            },
            called=log.called,
        )


def loses_few(log: RunLog) -> bool:
    """Whether so few records are lost that their number is not told."""
    return 0 < log.start.records - log.end.records < HIDDEN_BELOW


def _loss(log: RunLog) -> Level | None:
    """How much that is, by what can be seen in the file: what a group lost, or a cell, is not told."""
    records = log.start.records
    if loses_few(log) or log.source_hidden or not records:
        return None
    level = level_of((records - log.end.records) / records)
    return noticed(level) if any(name in log.one_value for name in log.end.keys) else level


def _source(log: RunLog) -> tuple[str, str]:
    """How many records came, and how many of them went. With the exact number that came, the number that went would be
    told, too: in this file, or in another one of the same plan.
    """
    records = log.start.records
    if loses_few(log):
        return f"{FEW} more", FEW
    if log.source_hidden:
        return "at least as many", "any others"
    return shown(records), words.share(records - log.end.records, records)


def shown(number: int) -> str:
    """A count for the public: small ones are not told, nothing is.

    >>> shown(77058), shown(9), shown(0)
    ('77,058', 'fewer than 10', '0')
    """
    return FEW if 0 < number < HIDDEN_BELOW else words.count(number)


def required_k(verdicts: tuple[Verdict, ...]) -> int | None:
    """The largest k that the plan requires, if it requires one."""
    return max((int(verdict.asked) for verdict in verdicts if verdict.model == "k"), default=None)


def joined_sizes(snapshot: Snapshot) -> tuple[tuple[str, int], ...]:
    """Classes by their size, joined until each row has enough of them: hidden ones could be told by subtraction.

    Sizes below HIDDEN_BELOW are one row from the start. Empty when there are too few classes for one row.
    """
    small = sum(snapshot.sizes.get(size, 0) for size in range(1, HIDDEN_BELOW))
    cells: list[tuple[int, int | None, int]] = [(1, HIDDEN_BELOW - 1, small)]
    cells += [(size, size, snapshot.sizes.get(size, 0)) for size in range(HIDDEN_BELOW, LARGEST_K + 1)]
    if snapshot.larger:
        ends = [*(first - 1 for first in BANDS[1:]), None]
        cells += [(first, last, snapshot.larger.get(first, 0)) for first, last in zip(BANDS, ends, strict=True)]
    else:
        cells.append((LARGEST_K + 1, None, snapshot.classes - sum(snapshot.sizes.values())))
    rows: list[tuple[int, int | None, int]] = []
    for first, last, number in (cell for cell in cells if cell[2]):
        if rows and rows[-1][2] < HIDDEN_BELOW:  # too few to stand alone
            start, _, before = rows.pop()
            rows.append((start, last, before + number))
        else:
            rows.append((first, last, number))
    if len(rows) > 1 and rows[-1][2] < HIDDEN_BELOW:
        _, last, number = rows.pop()
        start, _, before = rows.pop()
        rows.append((start, last, before + number))
    if not rows or rows[0][2] < HIDDEN_BELOW:
        return ()
    return tuple((_label(first, last), number) for first, last, number in rows)


def _label(first: int, last: int | None) -> str:
    if first == 1:
        return "any" if last is None else FEW if last < HIDDEN_BELOW else f"up to {words.count(last)}"
    if last is None:
        return f"{words.count(first)}+"
    return str(first) if first == last else f"{first}\N{EN DASH}{last}"


def _verdict(verdict: Verdict, log: RunLog) -> PublicVerdict:
    """A figure that tells no small count: neither the people in the smallest class nor a share that betrays them."""
    limit, said = words.limit(verdict), log.called.say(words.measured(verdict))
    return PublicVerdict(
        log.called.say(log.book_after.say(verdict.requirement)), verdict.passed, _achieved(verdict), limit, said
    )


def _achieved(verdict: Verdict) -> str:
    found = verdict.achieved
    if found is None or not verdict.passed:
        return words.figure(None) if found is None else "not reached"
    if MODELS[verdict.model].counts_people:
        return words.count(int(found)) if found >= HIDDEN_BELOW else f"{words.figure(verdict.asked)} or more"
    if MODELS[verdict.model].smallest_is_worst or verdict.lower:
        return f"{words.figure(max(floor(found * 100) / 100, verdict.asked))} or more"
    rounded = ceil(round(found * 100, 9)) / 100
    return f"{rounded:.2f} or less" if rounded < verdict.asked else words.limit(verdict)
