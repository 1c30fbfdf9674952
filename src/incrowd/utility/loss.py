"""What recoding and suppression cost, read from the KeyTables: the loss family, and whom suppression removed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from incrowd.keys.cells.blanks import Blanks, missing_cells
from incrowd.keys.loss import arithmetic, geometric, margin
from incrowd.keys.table import KeyTable
from incrowd.keys.tally import Tally
from incrowd.utility.measures import entropy
from incrowd.utility.outcome import share

#: For each key, how many values of the file as it came stand behind each value; 1 where a key is not listed.
Leaves = Mapping[str, Mapping[str | None, int]]


@dataclass(frozen=True)
class Loss:
    """What the release lost. `keys` is each key's mean loss; the two means are None, with the reason, where a recoding
    per class has no one answer.
    """

    records: int
    released: int
    arithmetic: float | None
    geometric: float | None
    keys: Mapping[str, float]
    discernibility: int
    average_class: float | None
    bits: Mapping[str, float]  # non-uniform entropy: bits about a key that a record lost by recoding
    why: str = ""

    @property
    def kept(self) -> float:
        """The share of the records that is released."""
        return self.released / self.records if self.records else 0.0


@dataclass(frozen=True)
class Subgroup:
    """A value of a variable: its records in the original, and the share that is gone, with Wilson's 95% interval."""

    variable: str
    value: str
    records: int
    lost: int
    share: float
    low: float
    high: float


def measure_loss(
    at_start: KeyTable,
    original: KeyTable,
    released: KeyTable,
    leaves: Leaves,
    blanks: Mapping[str, Blanks] = MappingProxyType({}),
) -> Loss:
    """How much of the keys is lost? A cell loses (leaves under its value - 1) / (leaves in all - 1), a dropped one 1.

    A cell that was blanked loses 1, one that was missing all along nothing. The leaves are the values that occur in the
    file as it came, since a recoding by hand has no hierarchy; a search reports its own loss, by its hierarchies. Keys
    that are dropped altogether are not in it. `blanks` is what steps have blanked: where some of these records may have
    been dropped afterwards, as many as possible of what is missing counts as blanked, and `why` says so.
    """
    total, left = int(original.records.sum()), int(released.records.sum())
    per_key: dict[str, float] = {}
    at_most = []
    for i, domain in enumerate(released.domains):
        at = original.names.index(domain.name)
        known = dict(leaves.get(domain.name) or dict.fromkeys(original.domains[at].values, 1))
        if not missing_cells(original, domain.name):  # then what is missing was blanked, and is no value of the file
            known.pop(None, None)
        span = sum(known.values()) - 1
        cells = np.array([_cell(known.get(value), value, span) for value in domain.values])
        if np.isnan(cells[margin(released, i) > 0]).any():
            continue
        lost = float((margin(released, i) * np.nan_to_num(cells)).sum()) + total - left
        least, most = _blanked(original, released, domain.name, blanks)
        lost += most * (1.0 - _cell(known.get(None), None, span))
        at_most += [domain.name] if least < most else []
        per_key[domain.name] = lost / max(total, 1)
    whole = len(per_key) == len(released.domains) and bool(per_key)
    losses = np.array(list(per_key.values()))
    why = [] if whole else ["a key has labels of its own in each class, and so no one loss"]
    if at_most:
        why.append(f"at most: records with blanked cells ({', '.join(at_most)}) may have been dropped afterwards")
    bits = {
        domain.name: max(
            entropy(margin(at_start, at_start.names.index(domain.name))) - entropy(margin(original, i)), 0.0
        )
        for i, domain in enumerate(original.domains)
        if domain.name in at_start.names and domain.name in per_key  # else its labels were made class by class
    }
    return Loss(
        total, left,
        float(arithmetic(losses)) if whole else None, float(geometric(losses)) if whole else None, per_key,
        _squares(released) + total * (total - left),
        left / released.classes if released.classes else None, bits,
        "; ".join(why),
    )  # fmt: skip


def _squares(table: KeyTable) -> int:
    """The sum of f^2, exactly: whole numbers of any size where 64 bits might not do."""
    records = table.records
    if int(records.sum()) < 3_000_000_000:
        return int(np.dot(records, records))
    return sum(number * number for number in records.tolist())


def _cell(leaves: int | None, value: str | None, span: int) -> float:
    if leaves is None:
        return 0.0 if value is None else np.nan  # missing, or blanked, which is counted apart; or a label of one class
    return (leaves - 1) / span if span else 0.0


def _blanked(original: KeyTable, released: KeyTable, name: str, blanks: Mapping[str, Blanks]) -> tuple[int, int]:
    """How many missing cells of a key were blanked: at least, and at most. More are missing than in the original only
    where some were blanked, whoever did it.
    """
    missing = missing_cells(released, name)
    least, most = blanks.get(name, Blanks(0, missing)).left(missing)
    more = missing - missing_cells(original, name)
    return max(least, more), max(most, more)


def lost_by_key(original: KeyTable, released: KeyTable) -> tuple[Subgroup, ...]:
    """Whom did suppression remove? Every value of every key, the hardest hit first.

    A key whose values in the release are others is left out: its people have other labels, and are not gone.
    """
    found = []
    for i, domain in enumerate(original.domains):
        before = zip(domain.values, margin(original, i).tolist(), strict=True)
        j = released.names.index(domain.name)
        after = dict(zip(released.domains[j].values, margin(released, j).tolist(), strict=True))
        if _relabelled(domain.values, after):
            continue
        found += [_subgroup(domain.name, value, records, after.get(value, 0)) for value, records in before if records]
    return _hardest_hit(found)


def lost_by_value(original: Tally, released: Tally, names: tuple[str, ...]) -> tuple[Subgroup, ...]:
    """The same for any columns."""
    found = []
    for name in names:
        one, other = original.by([name]), released.by([name])
        after = dict(zip(other.values(name), other.records.tolist(), strict=True))
        if _relabelled(one.values(name), after):
            continue
        before = zip(one.values(name), one.records.tolist(), strict=True)
        found += [_subgroup(name, value, records, after.get(value, 0)) for value, records in before]
    return _hardest_hit(found)


def _relabelled(before: Sequence[str | None], after: Mapping[str | None, int]) -> bool:
    """Whether the release has values that the original does not have."""
    return bool({value for value, records in after.items() if records and value is not None} - set(before))


def _subgroup(name: str, value: str | None, records: int, left: int) -> Subgroup:
    """A value with more records than before (after a swap, or where cells were blanked) lost nobody."""
    lost = max(records - left, 0)
    gone = share(lost, records)
    said = "(missing)" if value is None else value
    return Subgroup(name, said, records, lost, gone.value or 0.0, gone.low or 0.0, gone.high or 0.0)


def _hardest_hit(found: list[Subgroup]) -> tuple[Subgroup, ...]:
    return tuple(sorted(found, key=lambda group: (-group.share, group.variable, group.value)))
