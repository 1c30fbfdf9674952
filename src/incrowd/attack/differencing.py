"""differencing: two sets of counts of the same people, one taken from the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from incrowd.attack.knowledge import Bools, joined, knows, untried
from incrowd.attack.matching.homes import homes_of
from incrowd.attack.matching.meeting import labels_of
from incrowd.attack.matching.overlay import determined
from incrowd.attack.matching.tables import difference
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation, codes_of
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent
from incrowd.keys.packing import group, pack

#: Fewer people than this in an intersection are a sliver.
LEAST = 3
#: A column of another release is compared when so many of its labels are understood.
UNDERSTOOD = 0.9
ACTS = f"subtracts the counts of one partition from those of another, and finds intersections of fewer than {LEAST} \
people although neither partition shows a cell that small"


@attack(
    "differencing", ACTS, residual="Other releases", needs=("others", "tables"), once=True, place=120,
    remedies=("coarser_shared",),
)  # fmt: skip
def differencing(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """Do other areas, other bands or published tables of the same people show groups that the release hides?

    For another release: its cells are laid over this one's, column by column and all together, and every intersection
    whose number of people follows from the two sets of counts is worked out (see overlay.py). Success: released people
    in such a sliver, counted rightly, of all. For a published table: its counts minus the release's; a difference of
    one or two is people who were left out. Success: they, where the difference is right, of all in the original.
    Baseline: none. Where a person lies in the other release's cells is worked out from the source. Misleads where that
    fails (names of areas that the source does not have; `why` says so), and for intersections that follow only because
    a count cannot be negative: they are not looked for.
    """
    found = [_overlaid(situation, name, other) for name, other in auxiliary.others.items()]
    found += [difference(situation, name, table) for name, table in auxiliary.tables.items()]
    if found:
        return found
    says = (
        "; ".join(dict.fromkeys([auxiliary.no_others, auxiliary.no_tables]))
        if auxiliary.no_others and auxiliary.no_tables
        else ""
    )
    why = auxiliary.unnamed or "no other release and no published table is given."
    return [untried(situation, "differencing", ACTS, why, says=says)]


def _overlaid(situation: Situation, name: str, other: pa.Table) -> Attacked:
    if not situation.released.num_rows or not other.num_rows:
        return untried(situation, "differencing", ACTS, f"this release or the release {name} holds no record.", name)
    columns, homes, unknown = _located(situation, other)
    if not columns or not situation.keys:
        why = f"no column of the release {name} could be compared with the source's values."
        return untried(situation, "differencing", ACTS, why, name)
    everybody, inside = np.arange(situation.known.num_rows), situation.inside
    hit, claims, right_claims, views = np.zeros(len(everybody), bool), 0, 0, 0
    for keys, theirs in _views(situation, columns, other):
        views += 1
        slivers, stated, right = _slivers(situation, other, keys, theirs, homes)
        hit |= slivers
        claims += stated
        right_claims += right
    success = Rate(int((hit & inside).sum()), int(inside.sum()))
    sentence = (
        f"Laid over the release {name}, this one gives away groups of one or two people: {success.hits:,} of "
        f"{success.tries:,} people ({percent(success.value)}) are in one."
        if success.hits
        else f"Laid over the release {name}, this one gives away no group of fewer than {LEAST} people."
    )
    return Attacked(
        "differencing", situation.scenario.name, knows(situation, f"; the counts of the release {name}"), ACTS, success,
        0.0, None, sentence, Rate(right_claims, claims),
        tuple(int(line) + 1 for line in np.flatnonzero(hit & inside)[:50]),
        joined(f"{views} pairs of partitions were compared.",
               f"Not understood in the other release: {', '.join(unknown)}." if unknown else "",
               "No control: the counts are of everybody."),
    )  # fmt: skip


def _located(situation: Situation, other: pa.Table) -> tuple[list[str], dict[str, Int64], list[str]]:
    """Columns of another release that are no sensitive ones, and for each person the code of the label (in labels_of of
    the other alone) that they have there, or -1; and columns that could not be understood.
    """
    columns, homes, unknown = [], {}, []
    wanted = [
        name for name in other.column_names
        if name in situation.columns and name not in (*situation.sensitive, *situation.identifiers)
        and (name in situation.keys or name not in situation.released.column_names)
    ]  # fmt: skip
    for name in wanted:
        found = homes_of(situation, name, labels_of([other], name))
        if (found >= 0).mean() < UNDERSTOOD:
            unknown.append(name)
        else:
            columns.append(name)
            homes[name] = found
    return columns, homes, unknown


def _views(
    situation: Situation, columns: list[str], other: pa.Table
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Pairs of partitions to compare: keys of the release, and columns of the other release."""
    told = {name: set(situation.released[name].unique().to_pylist()) for name in situation.keys}
    alike = [name for name in columns if name in told and told[name] == set(other[name].unique().to_pylist())]
    seen = set()
    for theirs in [name for name in columns if name not in alike]:
        for mine in [theirs] if theirs in told else [name for name in situation.keys if name not in alike]:
            seen |= {((mine,), (theirs,)), ((mine, *alike), (theirs, *alike))}
    seen.add((tuple(situation.keys), tuple(columns)))
    yield from sorted(seen)


def _slivers(
    situation: Situation, other: pa.Table, keys: tuple[str, ...], columns: tuple[str, ...], homes: dict[str, Int64]
) -> tuple[Bools, int, int]:
    """Who is in a sliver that is counted rightly; how many people slivers are said to hold, and how many rightly."""
    mine, released = codes_of([situation.known, situation.released], keys)
    spans = [len(labels_of([situation.known, situation.released], key)) for key in keys]
    whole = [np.concatenate(parts) for parts in zip(mine, released, strict=True)]
    cells, cell_of = group(pack(whole, spans))
    ones = np.bincount(cell_of[situation.known.num_rows :], minlength=len(cells))
    located = np.all([homes[name] >= 0 for name in columns], axis=0)
    there = codes_of([other], columns)[0]
    spans = [len(labels_of([other], name)) for name in columns]
    both = [np.concatenate([np.maximum(homes[n], 0), codes]) for n, codes in zip(columns, there, strict=True)]
    areas, area_of = group(pack(both, spans))
    others = np.bincount(area_of[situation.known.num_rows :], minlength=len(areas))
    first, second = cell_of[: situation.known.num_rows], area_of[: situation.known.num_rows]
    atoms, to = group(first[located] * len(areas) + second[located])
    atom_of = np.full(situation.known.num_rows, -1, np.int64)
    atom_of[located] = to
    at = np.flatnonzero(located)[atoms]
    lines, people = determined(first[at], second[at], ones, others)
    small = (people > 0) & (people < LEAST) & (ones[first[at[lines]]] >= LEAST) & (others[second[at[lines]]] >= LEAST)
    true = np.bincount(atom_of[situation.inside & located], minlength=len(at))
    right = lines[small & (true[lines] == people)]
    hit = np.zeros(len(at) + 1, bool)
    hit[right] = True
    return hit[atom_of] & situation.inside, int(people[small].sum()), int(true[right].sum())
