"""The releases of a series: found by their sealed audits, told beside each other, and their people known again.

Whatever was released here from columns like these counts as an earlier release, whatever it called its series: a new
name does not make other people of them. What cannot be read, or is gone although a later audit names it, is told, and
nothing is released until somebody says why it may be left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from incrowd.attack.matching.left_over import Exposed
from incrowd.audit.archive import Archive
from incrowd.audit.manifest import MANIFEST, hash_entries
from incrowd.audit.past import PastRun
from incrowd.audit.plan_changes import Difference
from incrowd.errors import IncrowdError
from incrowd.plan import Plan, inspect_plan, json_tree
from incrowd.plan.files import SOURCE, named_files
from incrowd.plan.series import Series
from incrowd.plan.tiers import TierName

#: What a release tells of itself as one of a series, in public.
SERIES_FACTS = "series.json"
#: A plan that shares so many of the variables of both is about the same source, whatever its series is called.
ALIKE = 0.5


@dataclass(frozen=True)
class SeriesRelease:
    """One release of a series, in figures."""

    run: str  # its name, after its tier where it lies in the folder of one; empty for the one that is being made
    date: str
    tier: str
    version: str | None
    records: int
    smallest: int
    lost: float  # share of the records that came
    requirements: Mapping[str, tuple[bool, float | None]] = field(default_factory=dict)
    risks: Mapping[str, float | None] = field(default_factory=dict)
    use_cases: Mapping[str, bool] = field(default_factory=dict)
    compared: bool = False
    note: str = ""  # why it was not


@dataclass(frozen=True)
class SeriesPair:
    """This release beside an earlier one: whom both give away together."""

    run: str
    linked: bool  # whether people are known again
    both: int | None  # how many people are in both; None where nobody can tell
    exposed: tuple[Exposed, ...] = ()
    same: bool = False  # the same bytes
    said: str = ""  # how it was compared, or why not


@dataclass(frozen=True)
class SeriesLog:
    """What a run found out about its series."""

    name: str
    last: int
    pseudonyms: str
    limit: float
    changed: float | None = None
    people: tuple[str, ...] = ()  # the columns by which people are known again
    keyed_by: str = ""  # which secret the digests of the people are keyed by
    overlap: str | None = None
    reason: str | None = None
    releases: tuple[SeriesRelease, ...] = ()  # all of the series, from the first on
    pairs: tuple[SeriesPair, ...] = ()
    together: SeriesPair | None = None  # this release and all that it was compared with, where those are several
    changes: tuple[Difference, ...] = ()  # of the plan since the last release
    before: tuple[str, ...] = ()  # every earlier release that was here
    without: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Member:
    """An earlier release of a series, as it was sealed."""

    run: str
    archive: Archive
    plan: Plan
    log: Mapping[str, Any]

    @property
    def data(self) -> str:
        """The hash of what it released."""
        file, manifest = self.plan.release.file, self.archive.manifest
        entries = () if manifest is None else manifest.release
        return hash_entries([e for e in entries if e.name == file or e.name.startswith(f"{file}/")])

    @property
    def own(self) -> Mapping[str, Any]:
        """What its own run found out about the series."""
        found: Mapping[str, Any] = self.log.get("series") or {}
        return found

    def in_figures(self) -> SeriesRelease:
        """The release beside others."""
        past = PastRun.of(self.log)
        return in_figures(past, self.run, date_of(self.run), self.plan)


@dataclass(frozen=True)
class Found:
    """The earlier releases of a series, and what stands in the way of comparing with them."""

    members: tuple[Member, ...] = ()  # from the first on
    unread: Mapping[str, str] = field(default_factory=dict)  # run -> why it cannot be compared
    there: tuple[str, ...] = ()  # every run here that released something


NONE_BEFORE = Found()


def find_series(plan: Plan, home: Path, folder: Path | None = None) -> Found:
    """The earlier releases of a plan's series in this home, in its tiers too; and in the plan's own `folder`, where
    the home is another. Nothing for a plan without a series.
    """
    series = plan.release.series
    if series is None:
        return NONE_BEFORE
    homes = list(dict.fromkeys(_root(one) for one in (home, folder) if one is not None))
    members, unread, runs = [], dict[str, str](), {name: run for one in homes for name, run in _runs(one)}
    for name, folder in runs.items():
        try:
            archive = Archive.find(folder, folder.parent.parent)
            member = Member(name, archive, archive.plan, archive.log)
            if _belongs(plan, member.plan):
                member.in_figures()  # a log that does not say what it should is none
                members.append(member)
        except (IncrowdError, OSError, ValueError, KeyError, TypeError, IndexError) as error:
            unread[name] = error.message.rstrip(".") if isinstance(error, IncrowdError) else "its audit cannot be read"
    pointed = [name for one in homes for name in _pointed(one)]
    for name in [*pointed, *(name for one in members for name in one.own.get("before", ()))]:
        if name not in runs:
            unread[name] = "it was released, and is not here any more"
    for name in (name for one in homes for name in _taken_away(plan, one)):
        unread[name] = "it was released, and only its audit is here"
    members.sort(key=lambda one: one.run.rpartition("/")[2])
    return Found(tuple(members), unread, tuple(runs))


def unnamed_series(plan: Plan, home: Path) -> tuple[str, ...]:
    """What the author of a plan without a series should know: that releases of one with such columns are here. Only a
    look at what they say of themselves in public: it decides nothing.
    """
    if plan.release.series is not None:
        return ()
    names = set()
    for _, folder in _runs(home):
        try:
            told = json_tree((folder / "release" / SERIES_FACTS).read_bytes())
            columns = set(told["columns"])
            if len(columns & set(plan.variables)) >= ALIKE * len(columns):
                names.add(str(told["series"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # of no series
    return tuple(
        f"releases of the series {name!r} are here and have columns like these; this plan names no series, so it was "
        "compared with none of them (release: series)"
        for name in sorted(names)
    )


def unexcused(found: Found, series: Series) -> dict[str, str]:
    """What cannot be compared and nobody has said why it need not be."""
    return {run: why for run, why in found.unread.items() if run not in series.without}


def chosen(found: Found, plan: Plan) -> tuple[tuple[Member, ...], dict[str, str]]:
    """The members that are compared, the last ones of each tier; and why the others are not."""
    series = plan.release.series
    assert series is not None
    left: dict[str, str] = {}
    by_tier: dict[str, list[Member]] = {}
    for one in found.members:
        other = one.plan.release.series
        excuse = series.without.get(one.run) or (series.without.get(other.name) if other is not None else None)
        if excuse is None or (other is not None and other.name == series.name and one.run not in series.without):
            by_tier.setdefault(one.plan.tier, []).append(one)
        else:
            left[one.run] = f"left out by the plan: {excuse}"
    for several in by_tier.values():
        left |= {one.run: f"older than the last {series.last}" for one in several[: -series.last]}
    return tuple(one for one in found.members if one.run not in left), left


def in_figures(past: PastRun, run: str, date: str, plan: Plan) -> SeriesRelease:
    """A release beside others, from the log of its run."""
    start, end = past.steps[0], past.steps[-1]
    return SeriesRelease(
        run, date, plan.tier, plan.release.version, end.records, end.smallest,
        1 - end.records / start.records if start.records else 0.0,
        {one.requirement: (one.passed, one.achieved) for one in past.verdicts},
        {f"{one.scenario}: {one.name} ({one.method})": one.value for one in past.risks},
        dict(past.use_cases),
    )  # fmt: skip


def date_of(run: str) -> str:
    """The day of a run, as its name tells it.

    >>> date_of("open/20260331-120000-a1b2c3")
    '2026-03-31'
    """
    day = run.rpartition("/")[2][:8]
    return f"{day[:4]}-{day[4:6]}-{day[6:]}" if day.isdigit() and len(day) == 8 else "unknown"


def _root(home: Path) -> Path:
    """The folder of a plan's runs: that of one of its tiers lies in it."""
    home = home.resolve()
    return home.parent if home.name in get_args(TierName) else home


def _runs(home: Path) -> Iterator[tuple[str, Path]]:
    """Every run here that released something, after its tier."""
    root = _root(home)
    for tier in ("", *get_args(TierName)):
        for run in released_runs(root / tier):
            yield f"{tier}/{run.name}" if tier else run.name, run


def released_runs(home: Path) -> list[Path]:
    """The runs of one folder that released something."""
    return sorted(path.parent for path in home.glob("runs/*/release") if path.is_dir())


def _pointed(home: Path) -> Iterator[str]:
    """The runs that the pointers name: the last release is known even when it is deleted."""
    for tier in ("", *get_args(TierName)):
        pointer = _root(home) / tier / "release"
        if pointer.is_symlink() and not pointer.exists():
            name = Path(os.readlink(pointer)).parent.name
            yield f"{tier}/{name}" if tier else name


def _taken_away(plan: Plan, home: Path) -> Iterator[str]:
    """The runs whose audit says that they released something that is not there: whoever took it away has not taken it
    from those who have it. Refused runs have released nothing.
    """
    for tier in ("", *get_args(TierName)):
        for audit in sorted((home / tier).glob("runs/*/audit")):
            run = audit.parent
            if (run / "release").is_dir():
                continue
            try:
                released = bool(json_tree((audit / MANIFEST).read_bytes())["release"])
                known = inspect_plan((audit / "plan.yaml").read_text(), run).plan if released else None
            except (IncrowdError, OSError, ValueError, KeyError, TypeError):
                released, known = not run.name.endswith("-refused"), None
            if released and (known is None or _belongs(plan, known)):
                yield f"{tier}/{run.name}" if tier else run.name


def _belongs(plan: Plan, before: Plan) -> bool:
    """Whether an earlier plan is of the same series: by its name, or by its source and its variables."""
    ours, theirs = plan.release.series, before.release.series
    assert ours is not None
    if theirs is not None and theirs.name == ours.name:
        return True
    mine, then = set(plan.variables), set(before.variables)
    return len(mine & then) >= ALIKE * len(mine | then) or bool(_sources(plan) & _sources(before))


def _sources(plan: Plan) -> set[str]:
    if plan.data.database:
        return {plan.data.source}
    return {Path(file.name).name for file in named_files(plan) if file.place == SOURCE}
