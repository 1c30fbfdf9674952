"""What two releases of a series give away together: about who came, who went, and who is in both.

Everybody else is taken away: whoever is in one release only, or has changed, is left in what remains, and that is a
smaller crowd than either file promises.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incrowd.attack.differencing import UNDERSTOOD
from incrowd.attack.matching.compatible import profiles
from incrowd.attack.matching.editions import (
    Edition,
    classes_of,
    differing,
    equal_codes,
    numbered,
    people_codes,
    readings,
    single_records,
    subsets,
    surplus,
    values_of,
)
from incrowd.attack.matching.in_all import in_all
from incrowd.attack.matching.left_over import BOTH, CAME, CHANGED, WENT, Exposed, Seen, Tally, find, look
from incrowd.attack.situation import Int64, codes_of


def compare_editions(first: Edition, second: Edition, linked: bool) -> tuple[Exposed, ...]:
    """Whom do two releases of a series give away together?

    `linked` says whether both know whose record is whose. Then a record is new when its person had none like it before,
    and a target's crowd are the people of their class with new records. Without it as many people as can be are taken
    to be in both: of each kind of record so many are new as the later release has more. In both cases the crowd must
    be as large as the release promises, and what the new records of a class say must not be one value where the class
    has several. Classes are those of every combination of the keys, and records are compared in one further column at
    a time, in all that hardly anybody changes, and in all: more columns add to those who changed. Keys that only one of
    the two releases has cannot be taken away by, and tell apart what is left.
    """
    later = (CAME, CHANGED) if linked else (CAME,)
    found = [*_left_over(second, first, linked, later), *_left_over(first, second, linked, (WENT,))]
    if linked:
        found.append(max((in_all(second, [first], BOTH), in_all(first, [second], BOTH)), key=lambda one: one.found))
    elif changed := recoded(first, second):
        found.append(Exposed(BOTH, 0, 0, why=f"{changed}, and who is in both is not known", untried=True))
    return tuple(found)


def matched(first: Edition, second: Edition) -> tuple[int, int]:
    """How many people are in both, and how many the smaller of the two has; people without a name are nobody's."""
    sides = [set(one.people.drop_null().to_pylist()) if one.people is not None else set() for one in (first, second)]
    return len(sides[0] & sides[1]), min(len(side) for side in sides)


def recoded(first: Edition, second: Edition) -> str:
    """That the keys of the two may be told in other categories, in words; empty where they are told alike."""
    for key in dict.fromkeys([*first.keys, *second.keys]):
        if key not in first.table.column_names or key not in second.table.column_names:
            return f"only one of the two releases has the key {key}"
        mine, theirs = (set(one.table[key].unique().to_pylist()) for one in (first, second))
        ones, others = mine - theirs, theirs - mine
        (here,), (there,) = codes_of([first.table, second.table], [key])
        chained = profiles(first.table, second.table, [key], True)
        met = set(chained[0][~np.isin(here, there)].tolist()) & set(chained[1].tolist())
        met |= set(chained[1][~np.isin(there, here)].tolist()) & set(chained[0].tolist())
        if (ones and others) or met:
            return f"the key {key} is told in other categories"
    return ""


def _left_over(kept: Edition, other: Edition, linked: bool, whom: Sequence[str]) -> list[Exposed]:
    """Who is left of one release when the other is taken away? Those who are not in their class there; and, where it is
    asked for and can be told, those who are.
    """
    shared = [name for name in kept.table.column_names if name in other.table.column_names]
    keys = [name for name in shared if name in kept.keys or name in other.keys]
    more = [name for name in shared if name not in keys]
    if not more:
        alike = _alike_by_other_names(kept, other)
        so = "yet have columns with the same values under other names" if alike else "so nothing can be taken away"
        why = f"the two share no column beside the keys, {so}"
        return [Exposed(each, 0, 0, why=why, untried=alike) for each in whom]
    number, rest = kept.table.num_rows, other.table.num_rows
    who = people_codes(kept, other) if linked else None
    values = {name: values_of(kept.table, name) for name in kept.sensitive if name in kept.table.column_names}
    everybody = np.arange(number), np.arange(rest)
    release, tallies = Seen(who, values, kept.crowd, everybody[0]), [Tally.of(each, number) for each in whom]
    together = _compared(kept, other, more, linked)
    alone = release.by(kept.keys, classes_of(kept)) if set(kept.keys) - set(shared) else None
    for columns in readings(kept.table, other.table, shared):
        # Who has one record in each, the same in all, is taken away in every view.
        rows, there = everybody if who is None or alone is not None else differing(who, columns.values())
        mine = {name: (here[rows], others[there]) for name, (here, others) in columns.items()}
        for chosen in subsets(keys):
            classes = numbered([columns[name] for name in chosen], number, rest)
            seen = release.by(chosen, classes[0]).only(rows, there)
            classes, came = (classes[0][rows], classes[1][there]), np.ones(len(rows), bool)
            if seen.who is not None:
                pairs = numbered([classes, seen.who], len(rows), len(there))
                came = surplus(pairs)[pairs[0]] > 0
            for names in together:
                cells = numbered([classes, *(mine[name] for name in names)], len(rows), len(there))
                views = [look(cells, seen), *([] if alone is None else [look(cells, alone, finer=True)])]
                for tally, targets in zip(tallies, (came, ~came), strict=False):
                    for view in views:
                        find(tally, view, targets)
    return [tally.worst if who is None else tally.by_people(who[0]) for tally in tallies]


def _compared(kept: Edition, other: Edition, more: Sequence[str], linked: bool) -> list[list[str]]:
    """The columns beside the keys that records are compared in: each, those that hardly anybody changes, and all."""
    found = [[name] for name in more]
    if linked:
        rows, there, _ = single_records(kept, other)
        codes = {name: equal_codes(kept.table, other.table, name) for name in more}
        found.append(
            [name for name, (mine, theirs) in codes.items() if _agree(mine[rows], theirs[there]) >= UNDERSTOOD]
        )
    found.append(list(more))
    return [names for i, names in enumerate(found) if names and names not in found[:i]]


def _alike_by_other_names(first: Edition, second: Edition) -> bool:
    """Whether both have a column beside the keys with mostly the same values: it may be one under two names."""
    sides = [
        [
            set(one.table[name].unique().to_pylist()) - {None, ""}
            for name in one.table.column_names
            if name not in one.keys
        ]
        for one in (first, second)
    ]
    return any(2 * len(a & b) >= min(len(a), len(b)) for a in sides[0] for b in sides[1] if a and b)


def _agree(mine: Int64, theirs: Int64) -> float:
    return float((mine == theirs).mean()) if len(mine) else 0.0
