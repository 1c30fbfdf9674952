"""The gate: nothing is published before the written file itself was counted again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from incrowd.audit.manifest import FileEntry, data_entries
from incrowd.errors import NotReleasable
from incrowd.keys.unit_name import UnitName
from incrowd.plan import Plan
from incrowd.plan.verdict import Verdict
from incrowd.release.judge import judge
from incrowd.release.recount import GateInputs, read_back
from incrowd.secret import Secret


def gate(
    plan: Plan, file: Path, columns: Sequence[str], records: int, secret: Secret, units: Path | None, known: GateInputs
) -> tuple[tuple[Verdict, ...], NotReleasable | None, tuple[FileEntry, ...]]:
    """May this file leave? Gives a verdict per requirement, the refusal when it must stay, and which bytes it is that
    the verdicts speak of: no others may be published.

    Whatever goes wrong here is a refusal, and says nothing of what the file holds.

    Checked in the file as written: that it has the columns and the number of records it should have and no others,
    that no identifier is among them, that every requirement holds, and that the secret behind it is a secret.
    """
    problem = "Error"
    try:
        # Hashed before the first look and after the last: it is read more than once.
        before = _bytes(file, units)
        verdicts, refused = _judge_file(plan, file, columns, records, secret, units, known)
        if refused is None and _bytes(file, units) != before:
            refused = NotReleasable("R030", "the written file changed while it was counted.", "Run again.")
        return verdicts, refused, before[0]
    except NotReleasable as refusal:
        return (), refusal, ()
    except Exception as error:
        problem = type(error).__name__
    return (), NotReleasable("R009", f"the written file could not be counted again ({problem})."), ()


def _bytes(file: Path, units: Path | None) -> tuple[tuple[FileEntry, ...], tuple[FileEntry, ...]]:
    return data_entries(file), () if units is None else data_entries(units)


def _judge_file(
    plan: Plan, file: Path, columns: Sequence[str], records: int, secret: Secret, units: Path | None, known: GateInputs
) -> tuple[tuple[Verdict, ...], NotReleasable | None]:
    if (weakness := secret.weakness) is not None:
        message = f"the secret is too weak to release anything: {weakness}."
        return (), NotReleasable("R005", message, "Make one: openssl rand -hex 32")
    count = read_back(file, plan.release.kind, units)
    found = list(count.columns)
    if found != list(columns):
        return (), NotReleasable("R002", "the written file does not have the columns it should have.")
    if count.records != records:
        message = f"the written file has {count.records} records where {records} were expected."
        return (), NotReleasable("R003", message)
    if leaked := set(found) & set(plan.with_role("identifier")):
        return (), NotReleasable("R004", f"{len(leaked)} identifier(s) are in the written file.")
    if not records:
        return (), NotReleasable("R006", "no record is left to release.", "Recode more, or ask for less.")
    keys = [name for name in plan.with_role("key") if name in found]
    # Those on a sensitive variable first: their counts hold those of the keys alone.
    finest_first = sorted(plan.requirements, key=lambda r: getattr(r, "sensitive", None) is None)
    judged = {id(requirement): judge(count, keys, requirement, known) for requirement in finest_first}
    verdicts = []
    for requirement in plan.requirements:
        one, words = judged[id(requirement)], requirement.requirement().describe()
        about = getattr(requirement, "sensitive", None)
        verdicts.append(Verdict(words, requirement.model, one.passed, one.limit, one.achieved, about, one.lower))
    return tuple(verdicts), _refusal(verdicts, plan.data.called)


def _refusal(verdicts: Sequence[Verdict], called: UnitName) -> NotReleasable | None:
    """The error that tells which requirements fail and by how much, or None when all hold."""
    failed = [verdict for verdict in verdicts if not verdict.passed]
    if not failed:
        return None
    lines = [
        f"required: {called.say(v.requirement)}; the file has {v.achieved:g}" for v in failed if v.achieved is not None
    ]
    return NotReleasable(
        "R001",
        "the file does not satisfy its requirements: " + "; ".join(lines) + ".",
        "Recode more, or add a suppress_records or a search step.",
    )
