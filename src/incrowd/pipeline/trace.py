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
from incrowd.audit.series import find_series
from incrowd.audit.workspace import open_workspace
from incrowd.errors import InputError
from incrowd.pipeline.after import Logged
from incrowd.pipeline.check import inspect
from incrowd.pipeline.job import Job
from incrowd.pipeline.trial import carry_out, open_and_count
from incrowd.plan import Plan, one_of, read_text, split_tier
from incrowd.protect import Context, State, require_in_memory
from incrowd.risk.value import Scenario
from incrowd.secret import Secret, secret_to_try


@dataclass(frozen=True)
class Traced:
    """A plan carried out, and whose record each released one is."""

    plan: Plan
    context: Context
    start: State
    state: State
    done: Logged

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
        job = Job(
            plan=plan, folder=folder, secret=secret, work=work, stack=stack, earlier=earlier,
            found=find_series(plan, home or folder), keep_lines=True, attacks=attacks,
        )  # fmt: skip
        counted = open_and_count(job)
        start = require_in_memory(counted.start, "an attack")
        done = carry_out(counted)
        yield Traced(plan, counted.context, start, require_in_memory(done.state, "an attack"), done)


@contextmanager
def trace_plan(path: Path, original: Path | None = None, folder: Path | None = None) -> Iterator[Traced]:
    """The release that a plan would make, with the project's secret."""
    folder = folder or split_tier(path)[0].resolve().parent
    plan = _at(original, path, folder)
    with trace(plan, folder, secret_to_try(folder)) as traced:
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


def _at(original: Path | None, path: Path, folder: Path) -> Plan:
    """The plan with the data where they are now."""
    file, tier = split_tier(path)
    found = inspect(read_text(file), folder)
    if original is None:
        return one_of(found.sound(), file, tier)
    if not original.exists():
        raise InputError("D000", f"there is no file {original}.")
    faults = [fault for fault in found.faults if fault.code != "P020" or fault.place != "data.source"]
    plan = one_of(replace(found, faults=faults).sound(), file, tier)
    return plan.model_copy(update={"data": plan.data.model_copy(update={"source": str(original.resolve())})})
