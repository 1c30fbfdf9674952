"""The gate: nothing is published before the written file itself was counted again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from incrowd.errors import NotReleasable
from incrowd.evidence.log import Verdict
from incrowd.plan import Plan
from incrowd.release.judge import judge
from incrowd.release.recount import Known, read_back
from incrowd.secret import Secret


def gate(
    plan: Plan, file: Path, columns: Sequence[str], records: int, secret: Secret, units: Path | None, known: Known
) -> tuple[Verdict, ...]:
    """May this file leave? Gives a verdict per requirement; raises NotReleasable when it must stay.

    Checked in the file as written: that it has the columns and the number of records it should have and no others,
    that no identifier is among them, that every requirement holds, and that the secret behind it is a secret.
    """
    if (weakness := secret.weakness) is not None:
        raise NotReleasable(
            "R005",
            f"the secret is too weak to release anything: {weakness}.",
            "Make one: openssl rand -hex 32",
        )
    count = read_back(file, plan.release.format, units)
    found = list(count.columns)
    if found != list(columns):
        raise NotReleasable("R002", "the written file does not have the columns it should have.")
    if count.records != records:
        raise NotReleasable("R003", f"the written file has {count.records} records where {records} were expected.")
    if leaked := set(found) & set(plan.with_role("identifier")):
        raise NotReleasable("R004", f"{len(leaked)} identifier(s) are in the written file.")
    if not records:
        raise NotReleasable("R006", "no record is left to release.", "Recode more, or ask for less.")
    keys = [name for name in plan.with_role("key") if name in found]
    verdicts = []
    for requirement in plan.requirements:
        judged = judge(count, keys, requirement, known)
        words = requirement.requirement().describe()
        verdicts.append(Verdict(words, requirement.model, judged.passed, judged.limit, judged.achieved))
    return tuple(verdicts)


def refuse(verdicts: Sequence[Verdict]) -> NotReleasable | None:
    """The error that tells which requirements fail and by how much, or None when all hold."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if not failed:
        return None
    lines = [f"required: {v.requirement}; the file has {v.achieved:g}" for v in failed if v.achieved is not None]
    return NotReleasable(
        "R001", "the file does not satisfy its requirements: " + "; ".join(lines) + ".",
        "Recode more, or add a suppress_records step.",
    )  # fmt: skip
