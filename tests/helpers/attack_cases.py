"""Small situations for attacks: a release made of known people by hand, and brute force as plain as possible."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from incrowd.attack.situation import Situation
from incrowd.risk.value import Scenario

Record = Sequence[str | None]


def draws(*purpose: str) -> Callable[[int], np.ndarray]:
    """Keyed numbers for tests."""
    seed = int.from_bytes(hashlib.sha256("/".join(purpose).encode()).digest()[:8], "big")
    generator = np.random.default_rng(seed)
    return lambda many: generator.integers(0, 2**64, many, dtype=np.uint64)


def situation(
    known: Sequence[Record],
    lines: Sequence[int],
    released: Sequence[Record] | None = None,
    *,
    names: Sequence[str] | None = None,
    people: Sequence[int] | None = None,
    scenario: Scenario | None = None,
    loose: Sequence[str] = (),
) -> Situation:
    """Everybody in `known`, of whom the records of these lines are released (as they are, when not given)."""
    names = list(names or [f"k{i}" for i in range(len(known[0]))])
    released = [known[line] for line in lines] if released is None else released
    return Situation(
        released=table(released, names),
        lines=np.array(lines, np.int64),
        known=table(known, names),
        people=np.arange(len(known)) if people is None else np.array(people, np.int64),
        keys=tuple(names),
        sensitive=(),
        scenario=scenario or Scenario("test", tuple(names)),
        at_start=lambda columns: table(known, names).select(list(columns)),
        draws=draws,
        loose=frozenset(loose),
    )


def table(records: Sequence[Record], names: Sequence[str]) -> pa.Table:
    columns = list(zip(*records, strict=True)) if records else [[] for _ in names]
    return pa.table({name: pa.array(list(column), pa.string()) for name, column in zip(names, columns, strict=True)})


def differing(one: Record, other: Record) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def candidates(released: Sequence[Record], target: Record, most: int) -> list[int]:
    """The released records that differ in the fewest keys, and in at most so many."""
    least = min((differing(record, target) for record in released), default=most + 1)
    return [i for i, r in enumerate(released) if differing(r, target) == least] if least <= most else []
