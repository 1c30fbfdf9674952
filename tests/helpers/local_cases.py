"""Tables and hierarchies for local recoding, and the recount of what it gives."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.local import LocalRecoding
from incrowd.keys.table import KeyTable, from_records

AGE = tuple((str(age), f"{age // 5 * 5}+4", f"{age // 10 * 10}+9", "*") for age in range(20, 60))
TOWN = tuple((town, region, "*") for region, towns in {"N": "abc", "S": "defgh", "W": "i"}.items() for town in towns)
SEX = (("f", "*"), ("m", "*"))
HIERARCHIES = (Hierarchy("age", AGE), Hierarchy("town", TOWN), Hierarchy("sex", SEX))
REGION = tuple((f"r{i:02}", f"area{i // 6}", f"nation{i // 12}", "*") for i in range(24))
YEAR = tuple((str(year), f"{year // 2 * 2}+", "*") for year in range(2000, 2008))
JOB = tuple((f"job{i}", f"field{i // 4}", "*") for i in range(12))
SURVEY = (Hierarchy("year", YEAR), Hierarchy("region", REGION), HIERARCHIES[0], HIERARCHIES[2], Hierarchy("job", JOB))


def bound(table: KeyTable, hierarchies: tuple[Hierarchy, ...] = HIERARCHIES) -> list[Levels]:
    return [one.bind(domain) for one, domain in zip(hierarchies, table.domains, strict=True)]


def check(table: KeyTable, levels: list[Levels], result: LocalRecoding, hierarchies: tuple[Hierarchy, ...]) -> Counter:
    """Recount the release from its texts: who is in which class, are the values true, does the loss add up?"""
    texts = result.values(levels)
    classes: Counter[tuple[str | None, ...]] = Counter()
    given_out: Counter[int] = Counter()
    lost = np.zeros(len(levels))
    for one, to, records in zip(result.base.tolist(), result.to.tolist(), result.records.tolist(), strict=True):
        assert records > 0
        given_out[one] += records
        if to < 0:
            lost += records
            continue
        classes[texts[to]] += records
        for i, (hierarchy, domain) in enumerate(zip(hierarchies, table.domains, strict=True)):
            value, text = domain.values[table.codes[i, one]], texts[to][i]
            level = int(result.levels[i, to])
            if value is None:
                assert text is None or (text == "*" and level == hierarchy.height)
                leaves = len(hierarchy.rows) if text == "*" else 1
            else:
                row = next(row for row in hierarchy.rows if row[0] == value)
                assert row[level] == text
                leaves = sum(other[level] == text for other in hierarchy.rows)
            lost[i] += records * (leaves - 1) / max(len(hierarchy.rows) - 1, 1)
    assert dict(given_out) == {i: n for i, n in enumerate(table.records.tolist()) if n}
    total = int(table.records.sum())
    assert result.key_losses == pytest.approx(tuple(lost / total))
    assert result.loss_arithmetic == pytest.approx(lost.mean() / total)
    assert result.loss_geometric == pytest.approx(float(np.prod(1 + lost / total) ** (1 / len(lost)) - 1))
    assert result.classes == len(classes)
    assert result.suppressed == sum(result.records[result.to < 0].tolist())
    return classes


def survey(number: int, seed: int, *, uniform: bool = False) -> KeyTable:
    """A health survey, where region, age and job hang together, or keys drawn without any connection."""
    rng = random.Random(seed)
    columns: dict[str, list[str | None]] = {name: [] for name in ("year", "region", "age", "sex", "job")}
    for _ in range(number):
        place = rng.randrange(24) if uniform else min(int(rng.expovariate(0.2)), 23)
        age = rng.randrange(40) if uniform else max(0, min(39, int(rng.gauss(place + 8, 7))))
        job = rng.randrange(12) if uniform else min(11, max(0, int(rng.gauss(age / 4, 2))))
        sex = rng.choice("fm") if uniform or job > 3 else "f" if rng.random() < 0.8 else "m"
        row = (YEAR[rng.randrange(8)][0], REGION[place][0], AGE[age][0], sex, JOB[job][0])
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    return from_records(columns)
