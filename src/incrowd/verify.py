"""Does a file, any file, satisfy a requirement? No plan needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys.requirements import Requirement, failing_any
from incrowd.rows import Rows, open_source
from incrowd.rows.tabulate import tabulate


@dataclass(frozen=True)
class Finding:
    """One requirement measured in a file."""

    requirement: str
    model: str
    passed: bool
    achieved: float | None


@dataclass(frozen=True)
class Verification:
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


def verify(
    file: str | Path, keys: Sequence[str], requirements: Sequence[Requirement] = (), unit: str | None = None
) -> Verification:
    """Count the classes of a CSV or Parquet file and measure requirements on them.

    >>> import incrowd as ic
    >>> ic.verify("people.csv", ["age", "sex"], [ic.K(5)]).passed  # doctest: +SKIP
    True
    """
    return verify_rows(open_source(file), keys, requirements, unit)


def verify_rows(
    rows: Rows, keys: Sequence[str], requirements: Sequence[Requirement] = (), unit: str | None = None
) -> Verification:
    """The same for rows that are open already."""
    if not keys:
        raise InputError("D016", "no keys are named.", "Say which columns an intruder may know: --keys age,sex")
    sensitive = sorted({r.sensitive_name for r in requirements if r.sensitive_name is not None})
    table = tabulate(rows, keys, sensitive, unit)
    if not table.classes:
        raise InputError("D014", f"{rows.place} has a header line but no records.")
    masks = [requirement.failing(table) for requirement in requirements]
    findings = tuple(
        Finding(requirement.describe(), requirement.model, not mask.any(), requirement.achieved(table))
        for requirement, mask in zip(requirements, masks, strict=True)
    )
    failing = failing_any(table, requirements)
    left = table.suppress(failing)
    return Verification(
        tuple(keys),
        int(table.records.sum()),
        table.people,
        table.smallest,
        table.classes,
        table.uniques,
        int(failing.sum()),
        table.people - left.people,
        findings,
    )
