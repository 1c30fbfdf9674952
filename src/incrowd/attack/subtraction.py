"""differencing of two files: all records of one release taken away from those of another of the same source.

Whom the finer file drops and the coarser one keeps is left without a crowd when everybody else is taken away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from incrowd.attack.differencing import LEAST, UNDERSTOOD
from incrowd.attack.knowledge import RELEASE, Bools, joined, knows, untried, worst_of
from incrowd.attack.matching.compatible import profiles
from incrowd.attack.situation import Int64, Situation, codes_of
from incrowd.attack.value import Attacked, Rate
from incrowd.keys.packing import group, pack

ACTS = "takes the records of one release away from those of another, by what both tell, and looks for the target in \
what is left"


def subtract(first: Situation, second: Situation, fewer_than: int = LEAST) -> list[Attacked]:
    """Who is in the first release and not in the second, and stands in a smaller crowd once the second is taken away?

    Both are traced, and of one source. Records are counted in cells of columns that both tell, in several ways (see
    _views); of a cell so many are left as the first has more than the second. A target's crowd are the people of their
    class (by the scenario's keys, or by those of them that both tell) who can be left. Success: people whose crowd is
    smaller than their class, and below LEAST; or below `fewer_than` (the k that the first release promises) where the
    second has nobody with the target's keys, so that anybody sees the hole. Who fell out of a sample leaves none. Where
    people who are only in the second hide some who are only in the first, the true crowd counts: a difference that is
    small by chance isolates nobody. Nothing is said when everybody in the first is in the second.
    """
    gone = ~second.inside[first.lines]
    if not gone.any():
        return []
    who = first.people[first.lines]
    shared = [name for name in first.released.column_names if name in second.released.column_names]
    known = list(first.scenario.keys)
    if not shared:
        why = "the two files share no column, so that no record of one can be taken away from the other."
        return [untried(first, "differencing", ACTS, why, says=RELEASE)]
    enough = np.where(_holes(second)[first.lines], max(fewer_than, LEAST), LEAST)
    most = len(np.unique(who)) + 1
    crowds = np.full(len(gone), most, np.int64)
    classes = [_numbered(codes_of([first.released], keys)[0], len(gone)) for keys in _either(known, shared)]
    for mine, theirs in _views(first, second, shared, gone):
        for class_of in classes:
            crowd, size = _crowds(class_of, mine, theirs, who, gone)
            found = gone & (crowd > 0) & (crowd < enough) & (crowd < size)
            crowds = np.where(found, np.minimum(crowds, crowd), crowds)
    hit = crowds < most
    success = Rate(len(np.unique(who[hit])), len(np.unique(who[gone])))
    more = [name for name in shared if name not in known]
    note = "" if more else "The two share keys only: what is left tells who was dropped, and no value beside."
    return [
        Attacked(
            "differencing", first.scenario.name, knows(first, "; and has a second release of the same source"), ACTS,
            success, 0.0, None, _sentence(success, int(crowds[hit].max(initial=0))), None,
            worst_of(first.lines[hit], -crowds[hit].astype(float)),
            joined(note,
                   "Baseline: none, as only those count whom the file alone hides in a larger crowd.",
                   "No control: who is in both is taken away."),
        )
    ]  # fmt: skip


def _sentence(success: Rate, crowd: int) -> str:
    whom = f"{success.tries:,} people who are in only one of them"
    if not success.hits:
        return f"Subtracting one file from the other isolates none of the {whom}."
    how = "alone" if crowd == 1 else f"in a crowd of {crowd:,} or fewer, themselves included,"
    return (
        f"Subtracting one file from the other leaves {success.hits:,} of the {whom} {how} whom the file by itself "
        f"hides in a larger crowd."
    )


def _crowds(class_of: Int64, mine: Int64, theirs: Int64, who: Int64, gone: Bools) -> tuple[Int64, Int64]:
    """For each record of the first release, how many people of its class can be left (0 where its own cell is empty
    then), and how many the class has.
    """
    number, classes = int(max(mine.max(initial=0), theirs.max(initial=0))) + 1, int(class_of.max(initial=0)) + 1
    rest = np.maximum(np.bincount(mine, minlength=number) - np.bincount(theirs, minlength=number), 0)
    begin, to = group(class_of * number + mine)
    can_be = np.minimum(np.bincount(to, minlength=len(begin)), rest[mine[begin]])
    left = np.bincount(class_of[begin], weights=can_be, minlength=classes).astype(np.int64)
    dropped = np.bincount(class_of[gone], minlength=classes)
    # Several records of one person are no crowd; and fewer than were dropped are left only by chance.
    crowd = _people(class_of[gone], who[gone], classes) + np.maximum(left - dropped, 0)
    return np.where(rest[mine] > 0, crowd[class_of], 0), _people(class_of, who, classes)[class_of]


def _people(class_of: Int64, who: Int64, classes: int) -> Int64:
    """How many people each class has."""
    begin, _ = group(class_of * (int(who.max(initial=0)) + 1) + who)
    return np.bincount(class_of[begin], minlength=classes)


def _holes(second: Situation) -> Bools:
    """For each record of the original, whether the second release has nobody with its keys: that can be seen."""
    keys = [key for key in second.scenario.keys if key in second.known.column_names]
    if not keys:
        return np.zeros(second.known.num_rows, bool)
    everybody, released = codes_of([second.known, second.released], keys)
    number = second.known.num_rows
    both = [np.concatenate(parts) for parts in zip(everybody, released, strict=True)]
    cells = _numbered(both, number + second.released.num_rows)
    return ~np.isin(cells[:number], cells[number:])


def _either(known: list[str], shared: list[str]) -> list[list[str]]:
    """The keys by which a target is looked for: all that are known, and those of them that both releases tell."""
    both = [key for key in known if key in shared]
    return [known] if both == known else [known, both]


def _views(first: Situation, second: Situation, shared: Sequence[str], gone: Bools) -> Iterator[tuple[Int64, Int64]]:
    """Cells of the two releases: records that cannot be told apart have the same number.

    Labels are compared in three ways: equal ones and ranges; rounded numbers and other names as well (compatible.py);
    and by the dictionaries, which say which label of one file stands for which of the other. Columns: all that both
    tell; those that say the same of the people in both, mostly or always, as somebody would choose who knows which
    were perturbed; and the keys.
    """
    place = np.zeros(second.known.num_rows, np.int64)
    place[second.lines] = np.arange(len(second.lines))
    same = place[first.lines[~gone]]
    for reading in ("strict", "loose", "dictionary"):
        columns = {name: _compared(first, second, name, reading) for name in shared}
        agree = {
            name: float((mine[~gone] == theirs[same]).mean()) if len(same) else 1.0
            for name, (mine, theirs) in columns.items()
        }
        chosen = [
            tuple(shared),
            tuple(name for name in shared if agree[name] >= UNDERSTOOD),
            tuple(name for name in shared if agree[name] == 1.0),
            tuple(name for name in shared if name in first.keys),
        ]
        for names in dict.fromkeys(names for names in chosen if names):
            whole = [np.concatenate(columns[name]) for name in names]
            cells = _numbered(whole, len(gone) + len(second.lines))
            yield cells[: len(gone)], cells[len(gone) :]


def _compared(first: Situation, second: Situation, name: str, reading: str) -> tuple[Int64, Int64]:
    """One column of both: the same number for labels that can stand for the same."""
    tables = [first.released, second.released, first.known, second.known]
    if reading != "dictionary" or any(name not in table.column_names for table in tables):
        mine, theirs, _ = profiles(first.released, second.released, [name], reading == "strict")
        return mine, theirs
    (mine,), (theirs,), (here,), (there,) = codes_of(tables, [name])
    number = int(max(codes.max(initial=0) for codes in (mine, theirs, here, there))) + 1
    links = coo_array((np.ones(len(here)), (here, there)), shape=(number, number))
    to = connected_components(links, directed=False)[1].astype(np.int64)
    return to[mine], to[theirs]


def _numbered(columns: Sequence[Int64], rows: int) -> Int64:
    """The same number for the same codes; one for all without any column."""
    if not columns:
        return np.zeros(rows, np.int64)
    return group(pack(columns, [int(column.max(initial=0)) + 1 for column in columns]))[1]
