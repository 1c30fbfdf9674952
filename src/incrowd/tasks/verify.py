"""Does a file, any file, satisfy a requirement? No plan needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Unpack

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.population import join_population
from incrowd.keys.requirements import Requirement, is_met, refuse_unmet, where_name
from incrowd.keys.table import KeyTable, Mask
from incrowd.rows import Reading, Rows, Source, open_source
from incrowd.rows.result import Line, Result, plain_fields
from incrowd.rows.tabulate import tabulate, tabulate_population


@dataclass(frozen=True)
class Finding:
    """One requirement measured in a file."""

    requirement: str
    model: str
    passed: bool
    achieved: float | None
    nearest: str = ""  # the bound that the figure is nearest to, where there are two


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """What was counted in a file: its classes by the keys, and each requirement."""

    keys: tuple[str, ...]
    records: int
    people: int
    k: int
    classes: int
    uniques: int
    failing_classes: int
    failing_people: int
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether every requirement holds."""
        return all(finding.passed for finding in self.findings)

    def _told(self) -> str:
        asked = "; ".join(f"{one.requirement} {'holds' if one.passed else 'fails'}" for one in self.findings)
        counted = f"{self.records:,} records in {self.classes:,} classes by {', '.join(self.keys)}"
        return f"{counted}, k = {self.k:,}, {self.uniques:,} unique" + (f"; {asked}" if asked else "")

    def _names(self) -> Sequence[str]:
        return [one.name for one in fields(Finding)]

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(one) for one in self.findings]


def verify(
    file: Source,
    keys: Sequence[str],
    requirements: Sequence[Requirement] = (),
    unit: str | None = None,
    population: Source | None = None,
    population_count: str | None = None,
    population_reading: Reading | None = None,
    **reading: Unpack[Reading],
) -> Verification:
    """Count the classes of a file, or of a table, and measure requirements on them.

    `population` is a file or table of the people the file is about, a line each, or with a column of counts. Where a
    person may have several records, `unit` says whose they are; then k counts people. `delimiter`, `encoding`,
    `sheet` and `drop_index` say how it is read; `population_reading` says the same of the population, which is read
    by itself: `{"delimiter": ";"}`.

    >>> found = ic.verify("people.csv", ["area", "age", "gender"], [ic.K(5)])
    >>> found.passed, found.uniques
    (False, 4253)
    """
    rows = open_source(file, **reading)
    outside = None
    if population is not None:
        crowd = open_source(population, engine=rows.engine, **(population_reading or {}))
        outside = tabulate_population(crowd, keys, population_count)
    return verify_rows(rows, keys, requirements, unit, outside)


def verify_rows(
    rows: Rows,
    keys: Sequence[str],
    requirements: Sequence[Requirement] = (),
    unit: str | None = None,
    population: KeyTable | None = None,
) -> Verification:
    """Measure rows that are open already. The file's own distribution is what t and its relatives compare with."""
    if not keys:
        raise InputError("D016", "no keys are named.", "Say which columns an intruder may know: --keys age,sex")
    conditions = {r.where for r in requirements if r.where is not None}
    for condition in conditions:
        rows = rows.flag(where_name(condition), parse_where(condition))
    table = tabulate(rows, keys, sorted({name for r in requirements for name in r.needs_histograms}), unit)
    if not table.classes:
        raise InputError("D014", f"{rows.place} has a header line but no records.")
    for condition in conditions:
        refuse_unmet(is_met(table, where_name(condition)), where_name(condition))
    if population is not None:
        table = join_population(table, population)
    checks = [requirement.bind(table).check(table) for requirement in requirements]
    findings = tuple(
        Finding(
            check.requirement.describe(), check.requirement.model, check.holds, check.achieved,
            "" if check.achieved is None else check.requirement.nearest(check.achieved),
        )
        for check in checks
    )  # fmt: skip
    failing = np.any([check.failing for check in checks], axis=0) if checks else np.zeros(len(table.records), bool)
    return Verification(
        tuple(keys),
        int(table.records.sum()),
        table.people,
        table.smallest,
        table.classes,
        table.uniques,
        int((failing & (table.records > 0)).sum()),
        _people_in(table, failing),
        findings,
    )


def parse_where(text: str) -> dict[str, list[str]]:
    """A condition of the command line, 'area=Wales|London,sex=f', as variables and the values they may have."""
    where = {}
    for part in text.split(","):
        name, sign, values = part.partition("=")
        if not sign or not name.strip() or not values.strip():
            raise InputError("D062", "a condition cannot be read.", "Write it as where=area=Wales|London,sex=f")
        where[name.strip()] = [value.strip() for value in values.split("|")]
    return where


def _people_in(table: KeyTable, classes: Mask) -> int:
    if table.pairs is None:
        return int(table.records[classes].sum())
    return len(np.unique(table.pairs.units[classes[table.pairs.classes]]))
