"""reconstruction: a release and published tables of the same source, solved for what must be true of people."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from itertools import combinations, islice

import numpy as np

from incrowd.attack.knowledge import RELEASE, Bools, Sensitive, joined, knows, sensitive_of, untried, worst_of
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation
from incrowd.attack.solving.budget import Budget
from incrowd.attack.solving.certain import work_out
from incrowd.attack.solving.exchange import reached, true_numbers
from incrowd.attack.solving.existing import at_least_one
from incrowd.attack.solving.published import Published, read_tables
from incrowd.attack.solving.told import Solved, Targets, Told
from incrowd.attack.solving.unknown import LEFT_OUT, MOST, MOST_THOROUGH, TooMany, groups_of, unknown_of
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent

ACTS = "solves the release and the published tables of the same source for all populations that fit both, and states \
what is true in every one of them"
ASSUMES = (
    "The tables count the same people as the source. The intruder knows the scenario's keys rightly, as finely as \
the tables tell them, and takes released values for true."
)
#: Shares of the time: for release and tables together, for the tables alone, and for people who were left out.
BOTH, THE_REST = 0.4, 0.1
#: So many choices of tables are tried, where all of them are too much.
CHOICES = 12
RECORD, CELLS, LEFT = "record", "hidden cells", "people left out"


@attack(
    "reconstruction", ACTS, residual="Other releases", needs=("tables",), place=125, assumes=ASSUMES,
)  # fmt: skip
def reconstruction(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """What do a release and published tables of the same source give away for certain, put together?

    How many of each kind of people there are is unknown; the release and every count of a table bind it. What holds in
    all solutions is certain (see solving/). For each sensitive variable: people of whom one value is left, the true
    one; for the record: of whom their own record alone is left; for hidden cells: cells of released records that
    are blank, coarser than a table's label, or not released at all, and are worked out; for people left out: those of
    whom it is certain that somebody like them is in the source and not in the release. Control: the same people by the
    release alone. What a table tells by itself is no news, and is not counted as given away. Blocks that could not be
    solved are not tried. Misleads where values were swapped or perturbed: then the truth is among what is ruled out.
    """
    if not auxiliary.tables:
        says = auxiliary.no_tables
        return [untried(situation, "reconstruction", ACTS, "no published table is given.", says=says)]
    if not situation.released.num_rows:
        return [untried(situation, "reconstruction", ACTS, "the release holds no record.")]
    if not situation.whole_scenario.keys:
        why = "the release has none of the keys that the scenario knows."
        return [untried(situation, "reconstruction", ACTS, why, says=RELEASE)]
    what = _named(auxiliary)
    published = situation.once(lambda: read_tables(situation, auxiliary.tables), *what, "tables")
    unused = [f"The table {name} {why}" for name, why in published.unread.items()]
    if not published.parts:
        return [untried(situation, "reconstruction", ACTS, joined("no table can be used.", *unused))]
    solved = situation.once(lambda: _with_most(situation, published, auxiliary), *what, True)
    if solved is None:
        more = "" if auxiliary.thorough else " --thorough writes down ten times as many."
        why = f"each table leaves more unknowns than can be written down.{more}"
        return [untried(situation, "reconstruction", ACTS, why)]
    published = solved.published
    if lost := [name for name in auxiliary.tables if name not in {*published.tables, *published.unread}]:
        unused += [f"Left out, as with them there are more unknowns than can be written down: {', '.join(lost)}."]
    notes = [*published.notes, *unused]
    certain = solved.certain
    if certain.unsolved:
        more = "" if auxiliary.thorough else " --thorough takes longer."
        notes += [f"{certain.unsolved:,} of {len(certain.blocks):,} blocks were not solved within the limits.{more}"]
    if certain.contradictory:
        # No table can be the reason: each is given the room that it needs for the truth (published.py).
        notes += [f"{certain.contradictory:,} blocks or counts contradict the release: values of it were changed."]
    # Who is not sure of the keys is certain of nothing.
    right = situation.within(replace(situation.whole_scenario, error={}))
    targets = Targets(right, solved)
    left_out = _existing(right, targets, auxiliary)
    found = [*_people(right, targets, auxiliary), *_cells(right, solved), *left_out]
    return [replace(one, why=joined(one.why, *notes), incomplete=joined(*unused)) for one in found]


def _named(auxiliary: Auxiliary) -> tuple[Hashable, ...]:
    """What is solved, for the memory of what was: these tables, and how long may be searched."""
    tables = (
        (name, hash(tuple((column, tuple(cells)) for column, cells in table.to_pydict().items())))
        for name, table in auxiliary.tables.items()
    )
    return "reconstruction", tuple(tables), auxiliary.thorough


def _with_most(situation: Situation, published: Published, auxiliary: Auxiliary) -> Solved | None:
    """Solved with as many of the tables as can be written down: what follows from some of them follows from all."""
    chosen = (each for number in range(len(published.tables), 0, -1) for each in combinations(published.tables, number))
    for names in islice(chosen, CHOICES):
        some = published
        if len(names) < len(published.tables):
            some = read_tables(situation, {name: auxiliary.tables[name] for name in names})
        solved = _solved(situation, some, auxiliary.thorough)
        if solved is not None:
            return replace(solved, published=replace(some, unread=published.unread))
    return None


def _solved(situation: Situation, published: Published, thorough: bool, with_release: bool = True) -> Solved | None:
    groups = groups_of(situation, published, with_release)
    try:
        unknown = unknown_of(published, groups, MOST_THOROUGH if thorough else MOST)
    except TooMany:
        return None
    true = true_numbers(situation, published, groups, unknown)
    known = np.zeros(len(unknown.group), bool) if true is None else reached(published, groups, unknown, true)
    budget = Budget.of(situation.known.num_rows, thorough, BOTH if with_release else THE_REST)
    return Solved(published, groups, unknown, work_out(unknown, known, budget, true))


def _knows(situation: Situation, solved: Solved) -> str:
    """What the intruder knows; of the keys that are not released, those that a table tells."""
    told = {one.column for one in solved.published.categories}
    besides = [key for key in situation.besides if key in told]
    return knows(situation, "; and has the published tables", besides)


def _people(situation: Situation, targets: Targets, auxiliary: Auxiliary) -> Iterator[Attacked]:
    """Whose sensitive values, and whose record, are certain."""
    solved = targets.solved
    inside = situation.inside[targets.met.people]
    told, own = targets.alone()
    mine, asked = np.where(inside, own, -1), inside & (own >= 0)
    yield _said(situation, solved, RECORD, told, mine, asked, 1 / len(situation.lines))
    categories = solved.published.categories
    for name in dict.fromkeys((*situation.sensitive, *situation.hidden)):
        axes = [i for i, one in enumerate(categories) if one.column == name]
        if not axes:
            if name in situation.sensitive:
                yield _by_records(situation, targets, sensitive_of(situation, name), inside)
            continue
        axis = max(axes, key=lambda i: len(categories[i].labels))
        one = categories[axis]
        home = one.home[targets.met.people]
        true = np.where(home < len(one.labels), home, -1)
        if not (true >= 0).any():
            continue
        share = float(np.bincount(true[true >= 0]).max() / (true >= 0).sum())
        told = targets.by_labels(axis)
        alone = _by_tables(situation, solved.published, axis, true, auxiliary) if told.learnt(true)[0].any() else None
        yield _said(situation, solved, name, told, true, true >= 0, share, alone)


def _by_records(situation: Situation, targets: Targets, sensitive: Sensitive, inside: Bools) -> Attacked:
    true = sensitive.true[targets.met.people]
    asked = inside & (true >= 0)
    if not asked.any():
        why = "nobody in the release has a value."
        return untried(situation, "reconstruction", ACTS, why, sensitive.name, RELEASE)
    told = targets.by_records(sensitive.released, sensitive.values)
    found = _said(situation, targets.solved, sensitive.name, told, true, asked, float(sensitive.shares.max()))
    return replace(found, why=joined(sensitive.note, found.why))


def _by_tables(situation: Situation, published: Published, axis: int, true: Int64, auxiliary: Auxiliary) -> Bools:
    """Of whom the tables tell the value without any release. Where that cannot be worked out, they do not."""
    solved = situation.once(lambda: _solved(situation, published, auxiliary.thorough, False), *_named(auxiliary), False)
    if solved is None:
        return np.zeros(len(true), bool)
    targets = Targets(situation, solved)
    return np.asarray(targets.outside(axis) == true)


def _said(
    situation: Situation,
    solved: Solved,
    about: str,
    told: Told,
    true: Int64,
    asked: Bools,
    guess: float,
    by_tables: Bools | None = None,
) -> Attacked:
    """One thing that can be certain, in words."""
    right, before, unknown = (each & asked for each in told.learnt(true))
    unknown &= ~right
    tried = asked & ~unknown
    if 2 * tried.sum() < asked.sum():  # those of whom something is certain are easier to try: no figure from them alone
        why = f"for {int(unknown.sum()):,} of {int(asked.sum()):,} people what their value depends on was not solved."
        return untried(situation, "reconstruction", ACTS, why, about)
    success, control = (Rate(int((each & tried).sum()), int(tried.sum())) for each in (right, before))
    claims = asked & (told.left >= 0)
    new = right & ~before
    outside = int((new & ~situation.inside[told.people]).sum())
    known = np.zeros(len(new), bool) if by_tables is None else by_tables & new
    away = len(np.unique(situation.people[told.people[new & ~known]]))
    whose = "their own record" if about == RECORD else f"their {about}"
    sentence = (
        f"The release and the tables together make {whose} certain for {percent(success.value)} of {success.tries:,} "
        f"people; the release alone does for {percent(control.value)}. {int(new.sum()):,} people are given away only "
        f"by both, {outside:,} of them left out of the release."
        if new.any()
        else f"The tables make {whose} certain for nobody for whom the release alone does not."
    )
    return Attacked(
        "reconstruction", situation.scenario.name, _knows(situation, solved), ACTS, success,
        guess, control, sentence, Rate(int((claims & (told.left == true)).sum()), int(claims.sum())),
        worst_of(told.people[new], np.zeros(int(new.sum()))),
        joined("Control: the same people by the release alone.",
               f"Of {int(known.sum()):,} of them the tables tell it without the release." if known.any() else "",
               f"{int(unknown.sum()):,} people were not tried." if unknown.any() else ""),
        about=about, not_tried=int(unknown.sum()), given_away=away,
        undecided=len(np.unique(situation.people[told.people[unknown]])),
    )  # fmt: skip


def _cells(situation: Situation, solved: Solved) -> Iterator[Attacked]:
    """Which cells of released records are worked out that the release does not tell, or tells more coarsely."""
    groups, unknown, certain = solved.groups, solved.unknown, solved.certain
    hits = tries = lost = 0
    guess, worst = 0.0, np.zeros(situation.known.num_rows, bool)
    columns = dict.fromkeys(one.column for one in solved.published.categories)
    for name in columns:
        axis, one = max(
            ((i, one) for i, one in enumerate(solved.published.categories) if one.column == name),
            key=lambda pair: len(pair[1].labels),
        )
        allowed = groups.allowed[axis]
        sure, left = np.zeros_like(allowed), np.zeros_like(allowed)
        for marks, there in ((sure, certain.can), (left, ~certain.cannot)):
            marks[unknown.group[there], unknown.labels[axis][there]] = True
        hidden = (allowed.sum(axis=1) > 1)[groups.of]
        home = one.home[situation.lines]
        single = (left.sum(axis=1) == 1)[groups.of]
        open_ = hidden & ~single & (sure.sum(axis=1) <= 1)[groups.of]
        right = hidden & single & (left.argmax(axis=1)[groups.of] == home) & (home < len(one.labels))
        hits, tries, lost = hits + int(right.sum()), tries + int((hidden & ~open_).sum()), lost + int(open_.sum())
        share = np.bincount(one.home, minlength=one.size) / len(one.home)
        best = np.where(allowed, share, 0.0)
        weight = best.sum(axis=1)
        guess += float((best.max(axis=1) / np.where(weight > 0, weight, 1.0))[groups.of][hidden & ~open_].sum())
        worst[situation.lines[right]] = True
    if not tries:
        return
    success = Rate(hits, tries)
    sentence = (
        f"Of {tries:,} cells of released records that are blank, coarser than a table tells them, or not released, "
        f"{percent(success.value)} follow for certain from the release and the tables."
    )
    yield Attacked(
        "reconstruction", situation.scenario.name, _knows(situation, solved), ACTS, success,
        guess / tries, None, sentence, None, worst_of(np.flatnonzero(worst), np.zeros(int(worst.sum()))),
        joined("Baseline: the most frequent label that the release leaves open. No control: without tables there is no "
               "label to work out.", f"{lost:,} cells were not tried." if lost else ""),
        about=CELLS, not_tried=lost,
    )  # fmt: skip


def _existing(situation: Situation, targets: Targets, auxiliary: Auxiliary) -> Iterator[Attacked]:
    """Of whom among the people who were left out is it certain that somebody like them was?"""
    solved = targets.solved
    out = ~situation.inside[targets.met.people]
    if not out.any():
        return
    mine = targets.mine[out]
    kind = np.where(solved.unknown.group == LEFT_OUT, targets.of_unknown, -1)
    kind = np.where(np.isin(kind, mine), kind, -1)
    budget = Budget.of(situation.known.num_rows, auxiliary.thorough, THE_REST)
    sure, known = at_least_one(solved.certain, kind, targets.number, budget)
    tried = known[mine]
    if 2 * tried.sum() < len(tried):
        why = "most blocks with people who were left out were not solved."
        yield untried(situation, "reconstruction", ACTS, why, LEFT)
        return
    right = tried & sure[mine]
    success = Rate(int(right.sum()), int(tried.sum()))
    sentence = (
        f"Of {percent(success.value)} of {success.tries:,} people who were left out of the release, the tables make "
        f"certain that somebody with their keys is in the source and not in the release."
    )
    lost = int((~tried).sum())
    yield Attacked(
        "reconstruction", situation.scenario.name, _knows(situation, solved), ACTS, success,
        0.0, None, sentence, None, worst_of(targets.met.people[out][right], np.zeros(success.hits)),
        joined("Baseline: none, as nobody in the release tells of them. No control: everybody else is in the release.",
               f"{lost:,} people were not tried." if lost else ""),
        about=LEFT, not_tried=lost,
    )  # fmt: skip
