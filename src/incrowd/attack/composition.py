"""composition (jigsaw): two releases about the same people, each harmless, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array

from incrowd.attack.knowledge import (
    NO_VALUES,
    RELEASE,
    Bools,
    believed,
    has_values,
    joined,
    knows,
    sensitive_of,
    untried,
    worst_of,
)
from incrowd.attack.matching.compatible import MOST_LABELS, compatible, profiles
from incrowd.attack.matching.crowds import largest_of
from incrowd.attack.matching.fitting import agreeing
from incrowd.attack.matching.meeting import Meeting, labels_of, meet
from incrowd.attack.matching.spans import overlaps
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation, codes_of
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent
from incrowd.keys.packing import group, pack

MOST_TARGETS = 20_000
#: So many combinations are worked out at a time.
_BLOCK = 1_000
ACTS = "looks for the target in two releases, and keeps the records of each that agree with a record of the other in \
all that both tell"
NOBODY = "no record of the other release agrees with any record of this one: nobody seems to be in both."


@dataclass(frozen=True)
class Side:
    """Targets against one of the two releases: which records of it can be theirs."""

    table: pa.Table  # the release
    combination: Int64  # for each target
    class_of: Int64  # for each record
    meets: csr_array  # combinations x classes


@dataclass(frozen=True)
class Pinned:
    """What two releases leave of the records of the first that can be a target's.

    The values (of whatever was asked for) are numbers from 0 on; -1 where more than one is left, or none.
    """

    alone: Int64  # the one value in the first release alone
    together: Int64  # the one value left by both
    left: Int64  # records of the first that both leave
    before: Int64  # records of the first that it leaves alone
    own: Bools  # whether the target's own record is among those that both leave
    own_before: Bools  # and among those that the first leaves alone


@dataclass(frozen=True)
class Try:
    """One reading of the labels, for each target: pinned down rightly, rightly by one release alone, claimed at all,
    and whether a record of the other release agrees with any of the target's here.
    """

    right: Bools
    alone: Bools
    claims: Bools
    there: Bools


@attack("composition", ACTS, measures="Other releases", needs=("others",), place=110)
def composition(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """How many people does another release about some of the same people pin down together with this one?

    A target's candidates are the records that can be theirs by the scenario's keys, in this release and (by the keys
    that it has, in its own categories) in the other. A record here stays a candidate when some candidate there agrees
    with it in every further column of both; names that only one of the two uses are read in two ways (another value, or
    the same by another name), and the better one is reported. Success: targets of whom one value is left, and it is the
    true one; or, for 'record', of whom their own record alone is left. Baseline: the same by one of the releases alone.
    Targets: the people of this release; who of them is in the other is not known here, so some are stated wrongly.
    Not tried where the two tell nothing in common by which a record could be left out: no column beside the keys, no
    value that both have, nobody who can be in both. Misleads where the other release perturbs a shared column: then
    the truth is ruled out, and a cleverer intruder would allow for it.
    """
    if not auxiliary.others:
        why = auxiliary.unnamed or "no other release about the same people is given."
        return [untried(situation, "composition", ACTS, why, says=auxiliary.no_others)]
    found = []
    targets = _some(situation, situation.inside)
    if not len(targets):
        return [untried(situation, "composition", ACTS, "the release holds no record.")]
    if not situation.scenario.keys:
        why = "the release has none of the keys that the scenario knows."
        return [untried(situation, "composition", ACTS, why, says=RELEASE)]
    if not any(has_values(situation, key) for key in situation.scenario.keys):
        return [untried(situation, "composition", ACTS, NO_VALUES)]
    met = meet(situation, targets)
    first = _sides(situation, met)
    for name, other in auxiliary.others.items():
        if why := incomparable(situation, other):
            found.append(untried(situation, "composition", ACTS, f"the release {name} {why}"))
            continue
        keys = [key for key in situation.scenario.keys if key in other.column_names]
        second = _other(situation, other, keys, targets)
        found += _attacks(situation, first, second, targets, f"; and has the release {name}", None)
    return found


def incomparable(situation: Situation, other: pa.Table) -> str:
    """Why records of the two releases cannot be compared beyond the scenario's keys; empty when they can."""
    columns = _shared(situation, other)
    if not other.num_rows:
        return "holds no record."
    if not columns:
        return "shares no column with this one beside the keys, so that no record could be left out."
    if not any(_in_common(situation.released, other, name) for name in columns):
        return f"has no value in common with this one in {', '.join(columns)}."
    return ""


def _shared(situation: Situation, other: pa.Table) -> list[str]:
    """The columns of both by which records are compared: in the keys all candidates of a target are alike."""
    return [
        name for name in situation.released.column_names
        if name in other.column_names and name not in situation.scenario.keys
    ]  # fmt: skip


def _in_common(one: pa.Table, other: pa.Table, name: str) -> bool:
    """Whether some label of a column stands in both, or some number can stand behind labels of both."""
    mine, theirs = (
        [label for label in pc.unique(table[name]).to_pylist() if label is not None]
        for table in (one, other)
    )  # fmt: skip
    if not set(mine).isdisjoint(theirs):
        return True
    return len(mine) * len(theirs) <= MOST_LABELS and bool(overlaps(mine, theirs).any())


def compose(first: Situation, second: Situation) -> list[Attacked]:
    """The same for two releases of one source, both traced: targets are the people in both.

    In each the target is looked for by its own scenario's keys. Sensitive variables that only the second tells are
    attacked with the roles exchanged. What is learnt stands in `scenario`. People in only one of them: see
    subtraction.py.
    """
    both = np.flatnonzero(first.inside & second.inside)  # all of them: a limit of 0 is about everybody
    if not len(both) or not first.scenario.keys or not second.scenario.keys:
        return [untried(first, "composition", ACTS, "nobody is in both releases, or there are no known keys.")]
    if not _shared(first, second.released) and not _shared(second, first.released):
        why = (
            "the two files share no column beside the keys, so that no record of one leaves out a record of the other."
        )
        return [untried(first, "composition", ACTS, why, says=RELEASE)]
    sides = [_sides(one, meet(one, both)) for one in (first, second)]
    found = _attacks(first, sides[0], sides[1][0], both, "; and has a second release of the same source", None)
    rest = [name for name in second.sensitive if name not in first.sensitive]
    if rest:
        found += _attacks(second, sides[1], sides[0][0], both, "; and has a second release of the same source", rest)
    learnt = [*first.sensitive, "the record", *rest]
    return [replace(one, scenario=name) for one, name in zip(found, learnt, strict=True)]


def _sides(situation: Situation, met: Meeting) -> list[Side]:
    """Targets against their own release, in all readings of blank and coarser keys (see meeting.py)."""
    return [Side(situation.released, each.combination, each.class_of, each.meets) for each in met.readings]


def _some(situation: Situation, whom: Bools) -> Int64:
    """Those people, or as many of them as are affordable, chosen by keyed chance."""
    people = np.flatnonzero(whom)
    if len(people) <= MOST_TARGETS:
        return people
    order = np.argsort(situation.draws("composition")(len(people)), kind="stable")
    return np.sort(people[order[:MOST_TARGETS]])


def _other(situation: Situation, other: pa.Table, keys: Sequence[str], targets: Int64) -> Side:
    """Targets against another release, by the keys that it has, in whatever categories."""
    if not keys:
        everything = csr_array(np.ones((1, 1)))
        return Side(other, np.zeros(len(targets), np.int64), np.zeros(other.num_rows, np.int64), everything)
    tables = [believed(situation, targets).select(keys), other.select(keys)]
    mine, theirs = (np.array(codes) for codes in codes_of(tables, keys))
    labels = [labels_of(tables, key) for key in keys]
    fits = []
    for column, own, names in zip(theirs, mine, labels, strict=True):
        there, here = np.unique(column), np.unique(own)
        fit = compatible([names[code] for code in here.tolist()], [names[code] for code in there.tolist()])
        fits.append({code: here[whom] for code, whom in zip(there.tolist(), fit.T, strict=True)})
    spans = [len(names) for names in labels]
    first, combination = group(pack(list(mine), spans))
    begin, class_of = group(pack(list(theirs), spans))
    row, column = agreeing(mine[:, first], theirs[:, begin], fits)
    meets = csr_array((np.ones(len(row)), (row, column)), shape=(len(first), len(begin)))
    return Side(other, combination, class_of, meets)


def pinned(first: Side, second: Side, columns: Sequence[str], values: Int64, own: Int64, strict: bool = True) -> Pinned:
    """What is left of each target's records in the first release when the second is laid beside it.

    `columns` are those by which records of the two are compared, `values` what is asked for, a number for each record
    of the first (-1: missing), and `own` each target's record in the first, or -1.
    """
    mine, theirs, number = profiles(first.table, second.table, columns, strict)
    pairs = first.combination * (int(second.combination.max(initial=0)) + 1) + second.combination
    starts, to = group(pairs)
    one, two = first.combination[starts], second.combination[starts]
    kinds, kind_of = group(mine * (int(values.max(initial=0)) + 2) + values + 1)
    profile, value = mine[kinds], values[kinds]
    inside = _counted(first.class_of, kind_of, first.meets.shape[1], len(kinds))
    auxiliary = _counted(second.class_of, theirs, second.meets.shape[1], number)
    into = _counted(profile, np.arange(len(kinds)), number, len(kinds))
    width = int(values.max(initial=0)) + 2
    wide = _counted(np.arange(len(kinds)), value + 1, len(kinds), width)
    mine_is = np.where(own >= 0, kind_of[np.maximum(own, 0)], -1)
    alone, together, left_over, before_it, mine_left, mine_before = (np.zeros(len(to), np.int64) for _ in range(6))
    for start in range(0, len(starts), _BLOCK):
        here = np.flatnonzero((to >= start) & (to < start + _BLOCK))
        row = to[here] - start
        before = csr_array(first.meets[one[start : start + _BLOCK]] @ inside)
        allowed = csr_array(second.meets[two[start : start + _BLOCK]] @ auxiliary @ into)
        allowed.data[:] = 1.0
        left = csr_array(before.multiply(allowed))
        left.eliminate_zeros()
        alone[here], together[here] = _only(before @ wide)[row], _only(left @ wide)[row]
        wanted = np.where(mine_is[here] >= 0, row * len(kinds) + mine_is[here], -1)
        for part, sums, mine_there in ((left, left_over, mine_left), (before, before_it, mine_before)):
            sums[here] = np.asarray(part.sum(axis=1)).ravel()[row]
            mine_there[here] = np.isin(wanted, _places(part))
    return Pinned(alone, together, left_over, before_it, mine_left > 0, mine_before > 0)


def _places(counts: csr_array) -> Int64:
    """The cells that hold something, row by row, as one number each."""
    rows = np.repeat(np.arange(counts.shape[0], dtype=np.int64), np.diff(counts.indptr))
    return np.asarray(rows * counts.shape[1] + counts.indices)


def _only(counts: csr_array) -> Int64:
    """The one value of each row, or -1. Column 0 stands for missing ones, which tell nothing."""
    value, largest, total = largest_of(csr_array(counts))
    return np.where((total > 0) & (largest == total), value - 1, -1)


def _counted(rows: Int64, columns: Int64, height: int, width: int) -> csr_array:
    return csr_array((np.ones(len(rows)), (rows, columns)), shape=(height, width))


def _attacks(
    situation: Situation, firsts: list[Side], second: Side, targets: Int64, more: str, names: Sequence[str] | None
) -> list[Attacked]:
    """One attack for each sensitive variable and, where not only some are asked for, one for the record itself."""
    columns = _shared(situation, second.table)
    own = np.full(situation.known.num_rows, -1, np.int64)
    own[situation.lines] = np.arange(len(situation.lines))
    found = []
    for name in situation.sensitive if names is None else names:
        sensitive = sensitive_of(situation, name)
        true = sensitive.true[targets]
        told = true >= 0
        if not told.any():
            found.append(untried(situation, "composition", ACTS, "nobody in the release has a value.", name))
            continue
        tries = []
        for first, strict in product(firsts, (True, False)):
            pins = pinned(first, second, columns, sensitive.released, own[targets], strict)
            alone = (pins.alone == true) & (true >= 0)
            if name in columns:
                alone |= _other_alone(first, second, name, own[targets])
            stated = np.where(pins.together >= 0, pins.together, pins.alone)
            kinds = ((stated == true) | alone, alone, stated >= 0, pins.left > 0)
            tries.append(Try(*(each[told] for each in kinds)))
        found.append(_said(situation, name, more, tries, targets[told], sensitive.note))
    if names is None:
        tries = []
        for first, strict in product(firsts, (True, False)):
            pins = pinned(first, second, columns, np.zeros(len(situation.lines), np.int64), own[targets], strict)
            alone = (pins.before == 1) & pins.own_before
            right, claims = alone | ((pins.left == 1) & pins.own), (pins.before == 1) | (pins.left == 1)
            tries.append(Try(right, alone, claims, pins.left > 0))
        found.append(_said(situation, "record", more, tries, targets, ""))
    return found


def _other_alone(first: Side, second: Side, name: str, own: Int64) -> Bools:
    """Whether the second release alone leaves one label of a variable, and it is that of the target's record here."""
    mine, theirs, number = profiles(first.table, second.table, [name], True)
    counts = second.meets @ _counted(second.class_of, theirs + 1, second.meets.shape[1], number + 1)
    only = _only(csr_array(counts))[second.combination]
    return np.asarray((only == mine[np.maximum(own, 0)]) & (own >= 0))


def _said(situation: Situation, about: str, more: str, tries: Sequence[Try], targets: Int64, note: str) -> Attacked:
    """The attack in words: the best of its tries."""
    if not any(each.there.any() for each in tries):
        return untried(situation, "composition", ACTS, NOBODY, about)
    best = max(tries, key=lambda each: int(each.right.sum()))
    success, by_one = Rate(int(best.right.sum()), len(targets)), float(best.alone.mean())
    claimed = Rate(success.hits, int((best.claims | best.alone).sum()))
    new = np.flatnonzero(best.right & ~best.alone)
    few = "Targets: people chosen by chance." if len(targets) == MOST_TARGETS else ""
    sentence = (
        f"Two releases together pin down the {about} of {percent(success.value)} of {success.tries:,} people; one of "
        f"them alone does so for {percent(by_one)}. {len(new):,} people are pinned down only because there are two."
    )
    return Attacked(
        "composition", situation.scenario.name, knows(situation, more), ACTS, success, by_one, None, sentence, claimed,
        worst_of(targets[new], np.zeros(len(new))),
        joined(note, few, "Baseline: by one of the two alone. No control: who is in neither cannot be looked for."),
        about=about,
    )  # fmt: skip
