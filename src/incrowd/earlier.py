"""Was this source perturbed before? Two files that chance has changed differently say more together than each alone.

Read from the audits of the same home, for those who decide: that there was an earlier file, made otherwise, is nothing
that a public report may tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from incrowd.archive import Archive
from incrowd.errors import IncrowdError
from incrowd.evidence.inputs import Taken
from incrowd.plan import Plan
from incrowd.plan.files import SOURCE
from incrowd.protect.drawing import canonical
from incrowd.secret import Secret

#: So many runs are named, the latest ones.
SHOWN = 3


def perturbed_before(plan: Plan, folder: Path, home: Path, secret: Secret, inputs: Sequence[Taken]) -> tuple[str, ...]:
    """What the custodian must know of earlier releases: those of this source whose draws were others.

    A run with the same secret, names and steps has the same draws, so that its file tells nothing that this one does
    not tell. Refused runs have released nothing.
    """
    if not any(step.perturbs for _, step in plan.active):
        return ()
    now = next((taken.entry for taken in inputs if taken.file.place == SOURCE), None)
    same, changed, unknown = list[str](), list[str](), list[str]()
    for run in sorted((path.parent for path in home.glob("runs/*/release") if path.is_dir()), reverse=True):
        name = run.name
        try:
            archive = Archive.find(run, home)
            before, manifest = archive.plan, archive.manifest
            if not any(step.perturbs for _, step in before.active):
                continue
            entry = next((each for each in manifest.inputs if each.place == SOURCE), None) if manifest else None
            if plan.data.database or before.data.database:
                like, equal = before.data.source == plan.data.source, True  # a table has no hash
            else:
                if now is None or entry is None:
                    raise ValueError("no hash to compare")
                equal = (now.sha256, dict(now.parts)) == (entry.sha256, dict(entry.parts))
                like = equal or now.name == entry.name
            if like and not equal:
                changed.append(name)
            elif like and _drawn_by(before, home, _secret(archive, secret)) != _drawn_by(plan, folder, secret):
                same.append(name)
        except (IncrowdError, OSError, ValueError, KeyError):
            unknown.append(name)
    return tuple(
        sentence.format(_listed(runs))
        for runs, sentence in ((same, _OTHERWISE), (changed, _EDITION), (unknown, _UNREADABLE))
        if runs
    )


_OTHERWISE = (
    "this source was perturbed before, by other parameters ({}): both files together say more than each alone; "
    "withdraw the earlier one, or attack the two together (composition)"
)
_EDITION = "an earlier edition of this source was perturbed before ({}): who compares the two files sees what changed"
_UNREADABLE = "audits here cannot be read ({}), so nobody can tell whether this source was perturbed before"


def _drawn_by(plan: Plan, folder: Path, secret: Secret) -> tuple[object, ...]:
    """What the draws depend on beside the records: equal where two runs have drawn the same."""
    active = [step for _, step in plan.active if step.step != "attack"]
    last = max(i for i, step in enumerate(active) if step.perturbs)
    made = tuple(canonical(step, folder) for step in active[: last + 1])
    return plan.title, plan.tier, plan.release.name, secret.material, made


def _secret(archive: Archive, now: Secret) -> Secret:
    """The secret behind an earlier run; one that was deleted is taken for the same."""
    return archive.secret if (archive.audit / "secret").is_file() else now


def _listed(runs: Sequence[str]) -> str:
    more = f" and {len(runs) - SHOWN} more" if len(runs) > SHOWN else ""
    return f"run{'s' if len(runs) > 1 else ''} {', '.join(runs[:SHOWN])}{more}"
