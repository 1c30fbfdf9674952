"""Situations for attacks, put together by hand from small tables."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from incrowd.attack.situation import Situation
from incrowd.protect import Context
from incrowd.risk.value import EVERYTHING, Scenario
from incrowd.secret import Secret

Record = dict[str, str | None]


def table(records: Sequence[Record], columns: Sequence[str]) -> pa.Table:
    return pa.table({name: pa.array([record.get(name) for record in records], pa.string()) for name in columns})


def situation(
    source: Sequence[Record],
    keys: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    keep: Callable[[Record], bool] = lambda record: True,
    change: Callable[[Record], Record] = lambda record: record,
    known: Callable[[Record], Record] = lambda record: record,
    shuffled: bool = True,
    identifiers: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    **scenario: Any,
) -> Situation:
    """A release of the records that are kept, each changed; what is known of everybody is the source (or `known`)."""
    released = [(line, change(dict(record))) for line, record in enumerate(source) if keep(record)]
    if shuffled:
        random.Random(5).shuffle(released)
    told = list(columns or (*keys, *sensitive))
    context = Context(Path(), Secret(bytes(range(32))), ("t", "open", "r"), ())
    every = list(dict.fromkeys(name for record in source for name in record))
    return Situation(
        released=table([record for _, record in released], told),
        lines=np.array([line for line, _ in released], np.int64),
        known=table([known(dict(record)) for record in source], told),
        people=np.arange(len(source)),
        keys=tuple(keys),
        sensitive=tuple(sensitive),
        scenario=Scenario(**{"name": EVERYTHING, "keys": tuple(keys), **scenario}),
        at_start=lambda names: table(source, list(names)),
        draws=lambda *purpose: context.draws("attack", *purpose),
        identifiers=tuple(identifiers),
        columns=tuple(every),
    )


def crowd(number: int, seed: int = 1, **values: Any) -> list[Record]:
    """People whose columns are drawn from lists, or made by functions of the record so far."""
    chance = random.Random(seed)
    people: list[Record] = []
    for i in range(number):
        record: Record = {}
        for name, given in values.items():
            record[name] = given(record, chance, i) if callable(given) else chance.choice(given)
        people.append(record)
    return people
