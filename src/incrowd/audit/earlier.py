"""Was this source released before? Two files of the same people say more together than each alone, above all where
chance has changed them differently.

Read from the audits of the same home, for those who decide: that there was an earlier file, made otherwise, is nothing
that a public report may tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from incrowd.audit.archive import Archive
from incrowd.audit.inputs import Taken, take_inputs
from incrowd.audit.manifest import InputEntry, hash_entries
from incrowd.errors import IncrowdError
from incrowd.keys.saying import latest_runs
from incrowd.plan import Plan
from incrowd.plan.files import SOURCE, named_files
from incrowd.plan.tiers import TierName

#: How an earlier run's source is related to this one's: the same bytes; other bytes by the same name; the same columns
#: and as many records; nobody can tell.
SAME, EDITION, ALIKE, UNKNOWN = "same", "edition", "alike", "unknown"


@dataclass(frozen=True)
class Earlier:
    """An earlier run that released a file of this source, or may have done."""

    run: str  # its name, after its tier where it lies in the folder of one
    kin: str
    records: int | None = None  # of its source
    data: str | None = None  # the hash of what it released
    perturbs: bool = True
    drawn_by: str | None = None  # None in an audit of a version that did not keep it


def find_earlier(plan: Plan, folder: Path, home: Path, inputs: Sequence[Taken] | None = None) -> tuple[Earlier, ...]:
    """The earlier releases in this home, of this plan's tiers too; looked for only where somebody must know.

    To be called before anything of this run is published: files of one plan are tried together elsewhere. Refused runs
    have released nothing.
    """
    if not plan.attest.no_other_release and not any(step.perturbs for _, step in plan.active):
        return ()
    tiers = get_args(TierName)
    root = home.resolve().parent if home.resolve().name in tiers else home
    runs = [(f"{tier}/" if tier else "", path.parent) for tier in ("", *tiers) for path in _releases(root / tier)]
    if not runs:
        return ()
    taken = take_inputs(named_files(plan), folder) if inputs is None else inputs
    now = next((each.entry for each in taken if each.file.place == SOURCE), None)
    latest = sorted(runs, key=lambda each: each[1].name, reverse=True)
    return tuple(found for tier, run in latest if (found := _read(plan, now, run, tier + run.name)) is not None)


def _releases(home: Path) -> Iterator[Path]:
    return (path for path in home.glob("runs/*/release") if path.is_dir())


def _read(plan: Plan, now: InputEntry | None, run: Path, name: str) -> Earlier | None:
    """One earlier run, or None where its source is another one."""
    try:
        archive = Archive.find(run, run.parent.parent)
        before, manifest, log = archive.plan, archive.manifest, archive.log
        kin = _kin(plan, before, now, None if manifest is None else manifest.inputs)
        if kin is None or manifest is None:
            return None if kin is None else Earlier(name, UNKNOWN)
        file = before.release.file
        data = [entry for entry in manifest.release if entry.name == file or entry.name.startswith(f"{file}/")]
        perturbs = any(step.perturbs for _, step in before.active)
        records = int(log["steps"][0]["after"]["records"])
        return Earlier(name, kin, records, hash_entries(data), perturbs, log.get("drawn_by"))
    except (IncrowdError, OSError, ValueError, KeyError, TypeError, IndexError):
        return Earlier(name, UNKNOWN)


def _kin(plan: Plan, before: Plan, now: InputEntry | None, inputs: Iterable[InputEntry] | None) -> str | None:
    if plan.data.database and before.data.database:
        if before.data.source == plan.data.source:
            return SAME  # a table has no hash
    elif not plan.data.database and not before.data.database:
        then = next((each for each in inputs or () if each.place == SOURCE), None)
        if now is None or then is None:
            return UNKNOWN
        if (now.sha256, dict(now.parts)) == (then.sha256, dict(then.parts)):
            return SAME
        if now.name == then.name:
            return EDITION
    return ALIKE if set(plan.variables) == set(before.variables) else None


def related(earlier: Sequence[Earlier], records: int) -> list[Earlier]:
    """Those that count: equal columns alone say nothing, where the number of records is another one."""
    return [each for each in earlier if each.kin != ALIKE or each.records == records]


def other_releases(plan: Plan, earlier: Sequence[Earlier], records: int, data: str) -> tuple[str, ...]:
    """The runs that speak against a plan which says that there is no other release; the same bytes are no other one."""
    if plan.attest.no_other_release is None:
        return ()
    return tuple(each.run for each in related(earlier, records) if each.data != data)


def said_of_others(runs: Sequence[str]) -> str:
    """What the custodian must know of them."""
    return (
        f"the plan says that there is no other release, and of this source, or of one that may be the same, there is "
        f"one here ({latest_runs(runs)}): name it in `others`, or delete the run if its file never left"
    )


def perturbed_before(plan: Plan, earlier: Sequence[Earlier], records: int, drawn_by: str) -> tuple[str, ...]:
    """What the custodian must know of earlier releases: those of this source whose draws were others.

    A run with the same draws has released a file that tells nothing which this one does not tell.
    """
    if not any(step.perturbs for _, step in plan.active):
        return ()
    found: dict[str, list[str]] = {sentence: [] for sentence in (_OTHERWISE, _EDITION, _ALIKE, _UNTOLD, _UNREADABLE)}
    for each in related(earlier, records):
        if each.kin == UNKNOWN:
            found[_UNREADABLE].append(each.run)
        elif not each.perturbs:
            continue
        elif each.kin == EDITION:
            found[_EDITION].append(each.run)
        elif each.drawn_by is None:
            found[_UNTOLD].append(each.run)
        elif each.drawn_by != drawn_by:
            found[_OTHERWISE if each.kin == SAME else _ALIKE].append(each.run)
    return tuple(sentence.format(latest_runs(runs)) for sentence, runs in found.items() if runs)


_TOGETHER = (
    "both files together say more than each alone; withdraw the earlier one, or attack the two together (composition)"
)
_OTHERWISE = f"this source was perturbed before, by other parameters ({{}}): {_TOGETHER}"
_EDITION = "an earlier edition of this source was perturbed before ({}): who compares the two files sees what changed"
_ALIKE = (
    "what may be the same source was perturbed before, by other parameters ({}): it has the same columns and as many "
    f"records; if it is, {_TOGETHER}"
)
_UNTOLD = (
    "this source, or one that may be the same, was perturbed before, and the audit is of a version that does not say "
    f"by which draws ({{}}): if they were others, {_TOGETHER}"
)
_UNREADABLE = "audits here cannot be read ({}), so nobody can tell whether this source was perturbed before"
