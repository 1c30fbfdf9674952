"""The lattice by brute force: every node counted from its definition, with Python's own containers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import log2, prod

import numpy as np

from incrowd.keys.hierarchy import Levels
from incrowd.keys.requirements import Requirement, failing_any
from incrowd.keys.table import KeyTable


def scores(
    base: KeyTable,
    levels: Sequence[Levels],
    requirements: Sequence[Requirement],
    suppression: float,
    objective: str,
    weights: Mapping[str, float] | None = None,
) -> dict[tuple[int, ...], tuple[float, int]]:
    """Score and suppressed records of every node that satisfies the requirements."""
    bound = [requirement.bind(base) for requirement in requirements]
    total = int(base.records.sum())
    found = {}
    for node in product(*[range(key.height + 1) for key in levels]):
        kept = kept_records(base, levels, bound, node)
        suppressed = total - sum(kept.values())
        if kept and suppressed <= suppression * total + 1e-9:
            found[node] = (score(base, levels, node, kept, objective, weights), suppressed)
    return found


def kept_records(
    base: KeyTable, levels: Sequence[Levels], requirements: Sequence[Requirement], node: tuple[int, ...]
) -> Counter[tuple[int, ...]]:
    """Records by base combination that stay when failing classes are suppressed, until nothing fails."""
    table, to = base.recode_with_map({k.domain.name: k.recodes[level] for k, level in zip(levels, node, strict=True)})
    if base.pairs is None:
        failing = failing_any(table, requirements)
        assert not failing_any(table.suppress(failing), requirements).any()
        return Counter({tuple(base.codes[:, j].tolist()): int(base.records[j]) for j in np.flatnonzero(~failing[to])})
    gone: set[int] = set()
    while True:
        stay = np.array([unit not in gone for unit in base.pairs.units.tolist()], bool)
        left = _without(base, stay)
        rolled, where = left.recode_with_map({k.domain.name: k.recodes[v] for k, v in zip(levels, node, strict=True)})
        failing = failing_any(rolled, requirements)[where]
        assert left.pairs is not None
        more = set(left.pairs.units[failing[left.pairs.classes]].tolist())
        if not more:
            kept: Counter[tuple[int, ...]] = Counter()
            for j in np.flatnonzero(left.records):
                kept[tuple(left.codes[:, j].tolist())] += int(left.records[j])
            return kept
        gone |= more


def _without(base: KeyTable, stay: np.ndarray) -> KeyTable:
    """The base table with only these (class, unit) pairs."""
    assert base.pairs is not None
    pairs = type(base.pairs)(base.pairs.classes[stay], base.pairs.units[stay], base.pairs.records[stay])
    records = np.bincount(pairs.classes, weights=pairs.records, minlength=len(base.records)).astype(np.int64)
    return replace(base, pairs=pairs, records=records)


def score(
    base: KeyTable,
    levels: Sequence[Levels],
    node: tuple[int, ...],
    kept: Counter[tuple[int, ...]],
    objective: str,
    weights: Mapping[str, float] | None,
) -> float:
    """One objective, from its definition in METHODS.md."""
    everyone = {tuple(base.codes[:, j].tolist()): int(base.records[j]) for j in range(base.codes.shape[1])}
    total = sum(everyone.values())
    classes: Counter[tuple[int, ...]] = Counter()
    for combination, number in kept.items():
        classes[tuple(int(k.recodes[v].codes[c]) for k, v, c in zip(levels, node, combination, strict=True))] += number
    suppressed = total - sum(kept.values())
    if objective == "discernibility":
        return float(sum(f * f for f in classes.values()) + total * suppressed)
    if objective == "class_size":
        return total / (len(classes) + (suppressed > 0))
    per_key = []
    for i, (key, level) in enumerate(zip(levels, node, strict=True)):
        fine: Counter[int] = Counter()
        coarse: Counter[int] = Counter()
        for combination, number in everyone.items():
            fine[combination[i]] += number
            coarse[int(key.recodes[level].codes[combination[i]])] += number
        price = 0.0
        for combination, number in everyone.items():
            code = int(key.recodes[level].codes[combination[i]])
            if objective == "entropy":
                cell, gone = log2(coarse[code] / fine[combination[i]]), log2(total / fine[combination[i]])
            elif objective == "precision":
                cell, gone = level / max(key.height, 1), 1.0
            else:
                cell, gone = float(key.losses[level][code]), 1.0
            stays = kept[combination]
            price += stays * cell + (number - stays) * gone
        per_key.append(price if objective == "entropy" else price / total)
    raw = [(weights or {}).get(name, 1.0) for name in base.names]
    share = [w / sum(raw) for w in raw]
    if objective == "entropy":
        return sum(p * w * len(share) for p, w in zip(per_key, share, strict=True))
    if objective == "geometric":
        return prod((1 + p) ** w for p, w in zip(per_key, share, strict=True)) - 1
    return sum(p * w for p, w in zip(per_key, share, strict=True))
