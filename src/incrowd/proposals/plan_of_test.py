"""Which plan made the release that people tested? Found among the runs of its folder, by the bytes of the release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from incrowd.audit.archive import Archive
from incrowd.audit.checked import Trust
from incrowd.audit.manifest import hash_release
from incrowd.audit.plan_changes import plan_differences
from incrowd.audit.runs import kept_runs
from incrowd.errors import IncrowdError
from incrowd.plan import Plan

#: What may differ without the release being another: what people say, and which test is named.
SAID = ("attest", "intruder_test", "proposed", "sweep", "alternatives", "propose")


@dataclass(frozen=True)
class PlanOfTest:
    """Whether the tested release is of a plan, and in words how that is known."""

    same: bool | None  # None where nobody can tell
    words: str


def plan_of_test(plan: Plan, folder: Path, sha256: str, trust: Trust | None = None) -> PlanOfTest:
    """Is the tested release one of this plan?"""
    for run in kept_runs(folder):
        try:
            archive = Archive.find(run.folder, folder, trust or Trust())
            if archive.release is None or hash_release(archive.release / archive.plan.release.file) != sha256:
                continue
            changed = [one for one in plan_differences(archive.plan, plan) if one.what.split(".")[0] not in SAID]
        except (IncrowdError, OSError):
            continue  # another run may be the one
        if not changed:
            return PlanOfTest(True, f"The tested release is of this plan (run {run.name}).")
        what = ", ".join(one.what for one in changed[:5]) + (" and more" if len(changed) > 5 else "")
        return PlanOfTest(
            False, f"The tested release (run {run.name}) is not of this plan as it is now: {what} changed."
        )
    return PlanOfTest(
        None, "No run in the plan's folder made the tested release: nobody can tell whether it is of this plan."
    )
