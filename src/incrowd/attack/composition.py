"""composition (jigsaw): releases about the same people, each harmless, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    has_values,
    joined,
    knows,
    sensitive_of,
    untried,
    worst_of,
)
from incrowd.attack.matching.compatible import MOST_LABELS, profiles
from incrowd.attack.matching.elsewhere import besides_of, differing, elsewhere, views_of
from incrowd.attack.matching.meeting import Meeting, meet
from incrowd.attack.matching.pinning import Side, counted, only, pinned, shared
from incrowd.attack.matching.spans import overlaps
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import list_keys, percent

MOST_TARGETS = 20_000
ACTS = "looks for the target in this release and others, and keeps the records of each that agree with a record of \
every other in all that both tell"
#: What the other of two traced releases is called.
SECOND = ("a second release of the same source",)
NOBODY_OF_ALL = "no record of this release agrees with one of every other: nobody seems to be in all of them."
NOBODY = "no record of the other release agrees with any record of this one: nobody seems to be in both."


@dataclass(frozen=True)
class Try:
    """One reading of the labels, for each target: pinned down rightly, rightly by one release alone, claimed at all,
    and whether records of the other releases agree with any of the target's here.
    """

    right: Bools
    alone: Bools
    claims: Bools
    there: Bools


@attack(
    "composition", ACTS, residual="Other releases", needs=("others",), place=110, remedies=("coarser_shared",),
)  # fmt: skip
def composition(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """How many people does another release about some of the same people pin down together with this one?

    A target's candidates are the records that can be theirs by the scenario's keys, in this release and (by the keys
    that it has, in its own categories, also those that this release does not tell) in the other. A record here stays a
    candidate when some candidate there agrees with it in every further column of both; names that only one of the two
    uses are read in two ways (another value, or the same by another name), and what is known of a target is said as
    here and as it came: the best of these is reported. Where there are several others, each is laid beside this
    one, and then all at once: a record has to agree with one of every release, and those among themselves. Success:
    targets of whom one value is left, and it is the true one; or, for 'record', of whom their own record alone is left.
    Baseline: the same by one of the releases alone, as it tells most; for all at once, by this one and any other.
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
    besides = besides_of(situation, auxiliary.others.values())
    if not situation.scenario.keys and not besides:
        why = "the release has none of the keys that the scenario knows."
        return [untried(situation, "composition", ACTS, why, says=RELEASE)]
    if not besides and not any(has_values(situation, key) for key in situation.scenario.keys):
        return [untried(situation, "composition", ACTS, NO_VALUES)]
    met = meet(situation, targets)
    first, by_two = _sides(situation, met), list[Found]()
    views = views_of(situation)
    sides = {
        name: [elsewhere(view, other, targets) for view in differing(views, other)]
        for name, other in auxiliary.others.items()
        if other.num_rows
    }
    for name, other in auxiliary.others.items():
        if why := incomparable(situation.released, other, situation.scenario.keys):
            found.append(untried(situation, "composition", ACTS, f"the release {name} {why}"))
            continue
        besides = besides_of(situation, [other])
        those = _attacks(situation, first, [[one] for one in sides[name]], targets, [name], besides)
        by_two += those
        found += [one.told for one in those]
    linked = _linked(situation, auxiliary.others)
    if len(linked) > 1:
        besides = besides_of(situation, [auxiliary.others[name] for name in linked])
        those = _attacks(situation, first, _together(sides, linked), targets, linked, besides, by_two)
        found += [one.told for one in those]
    return found if len(targets) == int(situation.inside.sum()) else [_drawn(situation, one) for one in found]


def _together(sides: Mapping[str, Sequence[Side]], names: Sequence[str]) -> list[list[Side]]:
    """The same releases all by the first view, and all by the last."""
    ends = [[sides[name][at] for name in names] for at in (0, -1)]
    return ends if any(len(sides[name]) > 1 for name in names) else ends[:1]


def _drawn(situation: Situation, one: Attacked) -> Attacked:
    """The same, with of how many people the targets were drawn."""
    if one.success is None:
        return one
    asked = situation.inside
    if one.about in situation.sensitive:
        asked = asked & (sensitive_of(situation, one.about).true >= 0)
    return replace(one, drawn_of=int(asked.sum()))


def incomparable(one: pa.Table, other: pa.Table, keys: Sequence[str]) -> str:
    """Why records of two releases cannot be compared beyond the scenario's keys; empty when they can."""
    columns = shared(one, other, keys)
    if not other.num_rows:
        return "holds no record."
    if not columns:
        return "shares no column with this one beside the keys, so that no record could be left out."
    if not any(_in_common(one, other, name) for name in columns):
        return f"has no value in common with this one in {', '.join(columns)}."
    return ""


def _linked(situation: Situation, others: Mapping[str, pa.Table]) -> list[str]:
    """The releases that can be compared with this one, or with another that can be: some tell something by others."""
    keys, found = situation.scenario.keys, dict[str, pa.Table]()
    while True:
        near = [situation.released, *found.values()]
        more = {
            name: other for name, other in others.items()
            if name not in found and any(not incomparable(one, other, keys) for one in near)
        }  # fmt: skip
        if not more:
            return [name for name in others if name in found]
        found |= more


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
    if not any(shared(first.released, second.released, one.scenario.keys) for one in (first, second)):
        why = (
            "the two files share no column beside the keys, so that no record of one leaves out a record of the other."
        )
        return [untried(first, "composition", ACTS, why, says=RELEASE)]
    sides = [_sides(one, meet(one, both)) for one in (first, second)]
    found = _attacks(first, sides[0], [[sides[1][0]]], both, SECOND)
    rest = [name for name in second.sensitive if name not in first.sensitive]
    if rest:
        found += _attacks(second, sides[1], [[sides[0][0]]], both, SECOND, names=rest)
    learnt = [*first.sensitive, "the record", *rest]
    return [replace(one.told, scenario=name) for one, name in zip(found, learnt, strict=True)]


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


@dataclass(frozen=True)
class Found:
    """A result, and of which targets it is right."""

    told: Attacked
    right: Bools


def _attacks(
    situation: Situation, firsts: list[Side], views: Sequence[Sequence[Side]], targets: Int64, called: Sequence[str],
    besides: Sequence[str] = (), by_two: Sequence[Found] = (), names: Sequence[str] | None = None,
) -> list[Found]:  # fmt: skip
    """One attack for each sensitive variable and, where not only some are asked for, one for the record itself.
    `views` are the other releases, each time by another view of what is known; `called` is what they are called,
    `besides` are the keys that only they tell, and `by_two` is what fewer releases give away.
    """
    keys = situation.scenario.keys
    own = np.full(situation.known.num_rows, -1, np.int64)
    own[situation.lines] = np.arange(len(situation.lines))
    found = []
    for name in situation.sensitive if names is None else names:
        sensitive = sensitive_of(situation, name)
        true = sensitive.true[targets]
        told = true >= 0
        if not told.any():
            absent = untried(situation, "composition", ACTS, "nobody in the release has a value.", name)
            found.append(Found(absent, np.zeros(0, bool)))
            continue
        tries = []
        for first, others, strict in product(firsts, views, (True, False)):
            pins = pinned([first, *others], keys, sensitive.released, own[targets], strict)
            alone = (pins.alone == true) & (true >= 0)
            for other in others:
                if name in shared(situation.released, other.table, keys):
                    alone |= _other_alone(first, other, name, own[targets])
            stated = np.where(pins.together >= 0, pins.together, pins.alone)
            kinds = ((stated == true) | alone, alone, stated >= 0, pins.left > 0)
            tries.append(Try(*(each[told] for each in kinds)))
        found.append(_said(situation, name, called, tries, targets[told], sensitive.note, besides, by_two))
    if names is None:
        tries = []
        for first, others, strict in product(firsts, views, (True, False)):
            pins = pinned([first, *others], keys, np.zeros(len(situation.lines), np.int64), own[targets], strict)
            alone = (pins.before == 1) & pins.own_before
            right, claims = alone | ((pins.left == 1) & pins.own), (pins.before == 1) | (pins.left == 1)
            tries.append(Try(right, alone, claims, pins.left > 0))
        found.append(_said(situation, "record", called, tries, targets, "", besides, by_two))
    return found


def _other_alone(first: Side, second: Side, name: str, own: Int64) -> Bools:
    """Whether the second release alone leaves one label of a variable, and it is that of the target's record here."""
    mine, theirs, number = profiles(first.table, second.table, [name], True)
    counts = second.meets @ counted(second.class_of, theirs + 1, second.meets.shape[1], number + 1)
    told = only(csr_array(counts))[second.combination]
    return np.asarray((told == mine[np.maximum(own, 0)]) & (own >= 0))


def _said(
    situation: Situation, about: str, called: Sequence[str], tries: Sequence[Try], targets: Int64, note: str,
    besides: Sequence[str], by_two: Sequence[Found],
) -> Found:  # fmt: skip
    """The attack in words: the best of its tries."""
    if not any(each.there.any() for each in tries):
        why = NOBODY if len(called) == 1 else NOBODY_OF_ALL
        return Found(untried(situation, "composition", ACTS, why, about), np.zeros(len(targets), bool))
    best = max(tries, key=lambda each: int(each.right.sum()))
    # What one release tells by any reading of it is not the doing of both.
    fewer = max((each.alone for each in tries), key=lambda alone: int(alone.sum())).copy()
    for one in by_two:
        if one.told.about == about and len(one.right) == len(fewer):
            fewer |= one.right
    right = best.right | fewer  # who has them all has any two of them
    success, by_fewer = Rate(int(right.sum()), len(targets)), float(fewer.mean())
    claimed = Rate(success.hits, int((best.claims | fewer).sum()))
    new = np.flatnonzero(right & ~fewer)
    two = len(called) == 1
    few = "one of them alone does so" if two else "this one and any other do so"
    sentence = (
        f"This release and {list_keys(called)} together pin down the {about} of {percent(success.value)} of "
        f"{success.tries:,} people; {few} for {percent(by_fewer)}. {len(new):,} people are pinned down only by "
        f"{'both' if two else 'all of them'}."
    )
    more = f"; and has {list_keys(called)}"
    told = Attacked(
        "composition", situation.scenario.name, knows(situation, more, besides), ACTS, success, by_fewer, None,
        sentence, claimed, worst_of(targets[new], np.zeros(len(new))),
        joined(note, f"Baseline: by {'one of the two alone' if two else 'this one and any other'}. No control: "
               "who is in none of them cannot be looked for."),
        about=about,
    )  # fmt: skip
    return Found(told, right)
