"""The truth behind a release: the plan carried out again with every record's line in the source.

It is stored nowhere: whoever has the source, the plan and the secret can always find it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.attack.on_run import situation_of
from incrowd.attack.situation import Situation
from incrowd.audit.archive import Archive
from incrowd.audit.checked import Trust
from incrowd.audit.earlier import Earlier, find_earlier
from incrowd.audit.manifest import hash_release
from incrowd.audit.workspace import open_workspace
from incrowd.errors import InputError, PlanError
from incrowd.pipeline import Done, carry_out, teller
from incrowd.pipeline.open import begin
from incrowd.plan import Plan, inspect_plan, one_of, parse_plan, read_text, split_tier
from incrowd.protect import Context, State, require_in_memory
from incrowd.risk.value import Scenario
from incrowd.secret import Secret, find_secret, has_secret, new_secret


@dataclass(frozen=True)
class Traced:
    """A plan carried out, and whose record each released one is."""

    plan: Plan
    context: Context
    start: State
    state: State
    done: Done

    def situation(self, scenario: Scenario | None = None) -> Situation:
        """What an attack in this scenario works on; without one, all keys are known."""
        assert self.done.traced is not None
        return situation_of(self.plan, self.context, self.start, self.state, self.done.traced, scenario)


@contextmanager
def trace(
    plan: Plan,
    folder: Path,
    secret: Secret,
    *,
    home: Path | None = None,
    attacks: bool = False,
    earlier: tuple[Earlier, ...] | None = None,
) -> Iterator[Traced]:
    """Carry a plan out up to the gate with the truth kept beside, and throw everything away at the end.

    `folder` is where the plan's files are, `home` where the work is done (the same). Whoever traces tries attacks of
    their own choice; `attacks` lets those of the plan be tried too. `earlier` are the releases that were here before
    (looked for when left out).
    """
    if earlier is None:
        earlier = find_earlier(plan, folder, home or folder)
    with open_workspace(home or folder) as work, ExitStack() as stack:
        at_start, context = begin(plan, folder, secret, work.spill, None, stack, trace=True)
        start = require_in_memory(at_start, "an attack")
        done = carry_out(plan, start, context, work, teller(None, 0), attacks, earlier)
        yield Traced(plan, context, start, require_in_memory(done.state, "an attack"), done)


@contextmanager
def trace_plan(path: Path, original: Path | None = None, folder: Path | None = None) -> Iterator[Traced]:
    """The release that a plan would make. Where there is no secret yet, one that nobody will know."""
    file, tier = split_tier(path)
    folder = folder or file.resolve().parent
    plan = one_of(_reading(read_text(file), folder, original), file, tier)
    with trace(plan, folder, find_secret(folder) if has_secret(folder) else new_secret()) as traced:
        yield traced


@contextmanager
def trace_release(
    release: Path | Archive, original: Path | None = None, folder: Path | None = None, trust: Trust | None = None
) -> Iterator[Traced]:
    """The release of a run, made again from its audit, and found to be the same byte by byte.

    `release` is a run's folder, its release folder, the pointer to it, or the run as it was found. `original` is the
    source where it is now, and `folder` where the other files of the plan are; left out, the audit's copies are used,
    and large files are looked for where the run was. `trust` says whose signature counts.
    """
    archive = release if isinstance(release, Archive) else Archive.find(release, folder, trust or Trust())
    found = archive.inputs(original, copies=folder is None)
    for file in found:
        if file.state == "missing":
            message = f"{file.name} ({file.place} of the plan) is not there."
            raise InputError("D239", message, "Name the data with --original, the folder of other files with --folder.")
    with archive.staged(found, original) as (plan, where, _), trace(plan, where, archive.secret) as traced:
        kept = None if archive.release is None else hash_release(archive.release / plan.release.file)
        if hash_release(traced.done.file) != kept:
            message = f"{archive.release or archive.audit} is not what its audit makes of this data."
            raise InputError("D193", message, "Name the data that it was made from, unchanged, with --original.")
        # What the run found beside itself: where it is made again, there is nothing.
        log = replace(traced.done.log, other_releases=tuple(archive.log.get("other_releases", ())))
        yield replace(traced, done=replace(traced.done, log=log))


def _reading(text: str, folder: Path, original: Path | None) -> Plan:
    """The plan with the data where they are now."""
    if original is None:
        return parse_plan(text, folder)
    if not original.exists():
        raise InputError("D000", f"there is no file {original}.")
    found = inspect_plan(text, folder)
    faults = [fault for fault in found.faults if fault.code != "P020" or fault.place != "data.source"]
    if faults or found.plan is None:
        raise PlanError(faults or found.faults)
    plan = found.plan
    return plan.model_copy(update={"data": plan.data.model_copy(update={"source": str(original.resolve())})})
