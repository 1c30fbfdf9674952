"""The files that a plan names: one list for the check, for the manifest of an audit, and for running a plan again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd.plan.model import Plan

#: Where the records themselves are named, and what their codes stand for.
SOURCE, CODES = "data.source", "data.codes"
#: When a file was written, how long it is, and which one it is: another stamp, another file.
Stamp = tuple[int, ...]
#: Where the scores of a human intruder test are named.
TEST = "intruder_test"


@dataclass(frozen=True)
class NamedFile:
    """A file, and where the plan names it. One that may hold records about people is never copied."""

    place: str  # steps.2.lookup
    name: str  # as the plan writes it
    about_people: bool
    fixed: bool = False  # the plan cannot name it elsewhere: code is looked for beside the plan only

    @property
    def is_test(self) -> bool:
        """Whether it holds the scores of a human intruder test, or of one of its rounds."""
        return self.place.split(".")[0] == TEST


def named_files(plan: Plan) -> list[NamedFile]:
    """Every file that the plan reads, its records first; a table in a database is not one."""
    return list(_named(plan))


def _named(plan: Plan) -> Iterator[NamedFile]:
    data = plan.data
    if not data.database:
        yield NamedFile(SOURCE, data.source, True)
    if data.population is not None:
        yield NamedFile("data.population.source", data.population.source, True)
    if data.codes is not None:
        yield NamedFile(CODES, data.codes, False)
    for name, variable in plan.variables.items():
        if isinstance(variable.codes, str):
            yield NamedFile(f"variables.{name}.codes", variable.codes, False)
    for number, step in plan.active:
        for place, file in step.files().items():
            yield NamedFile(f"steps.{number}.{place}", file, step.about_people)
    for number, attack in plan.attacks:
        for place, file in attack.files().items():
            yield NamedFile(f"attack.{number}.{place}", file, True)
    for number, scenario in enumerate(plan.scenarios):
        if scenario.geography is not None and scenario.geography.hierarchy:
            yield NamedFile(f"scenarios.{number}.geography.hierarchy", scenario.geography.hierarchy, False)
    for number, requirement in enumerate(plan.requirements):
        for file in requirement.trees().values():
            yield NamedFile(f"requirements.{number}.hierarchy", file, False)
    for number, case in enumerate(plan.use_cases):
        for place, file in case.files().items():
            yield NamedFile(f"use_cases.{number}.{place}", file, False, fixed=True)
    if plan.propose is not None:
        for place, file in plan.propose.files().items():
            yield NamedFile(f"propose.{place}", file, False)
    if isinstance(plan.intruder_test, str):
        yield NamedFile(TEST, plan.intruder_test, False)
    else:
        for number, file in enumerate(plan.intruder_test or ()):
            yield NamedFile(f"{TEST}.{number}", file, False)


def tested_files(plan: Plan, folder: Path) -> list[Path]:
    """Where the scores of the human intruder tests are, the last round last."""
    return [folder / file.name for file in named_files(plan) if file.is_test]


def stamps(plan: Plan, folder: Path) -> dict[str, Stamp]:
    """Every file that the plan names as it is now, those of its tiers too, to see later whether one has changed; one
    that is not there has nothing to tell.
    """
    names = [file.name for file in named_files(plan)]
    for tier in plan.tiers:  # which `named_files` knows of the plan of one tier by itself
        names += [name for step in tier.steps for name in step.files().values()]
        names += [name for attack in tier.attack for name in attack.files().values()]
        names += [name for requirement in tier.requirements or () for name in requirement.trees().values()]
    return {name: stamp_of_file(folder / name) for name in names}


def changed_files(then: Mapping[str, Stamp], folder: Path) -> list[str]:
    """The names of those files that are no longer as they were stamped."""
    return [name for name, stamp in then.items() if stamp_of_file(folder / name) != stamp]


def stamp_of_file(path: Path) -> Stamp:
    """Which file it is now; of a folder, which files are in it. Nothing where there is none."""
    try:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        seen = [one.stat() for one in files]
    except (OSError, ValueError):
        return ()
    return tuple(part for now in seen for part in (now.st_mtime_ns, now.st_size, now.st_ino))


def with_files(plan: Plan, moved: Mapping[str, str]) -> Plan:
    """The plan with files elsewhere: place in the plan -> where the file is now."""
    content = plan.model_dump(mode="json", by_alias=True, exclude_none=True)
    names = {file.place: file.name for file in named_files(plan)}
    for place, file in moved.items():
        put_file(content, place, names[place], file)
    return Plan.model_validate(content)


def put_file(node: Any, place: str, old: str, new: str) -> bool:
    """Put a new name where the old one stands, at this place or right below it. Names of variables may hold dots."""
    keys = [str(key) for key in (range(len(node)) if isinstance(node, list) else node)]
    for key in keys:
        at: Any = int(key) if isinstance(node, list) else key
        if place == key and not isinstance(node[at], dict | list):
            node[at] = new
            return True
        if place == key:  # a hierarchy may name its file in one of two fields
            inside = node[at]
            for field, value in inside.items():
                if value == old:
                    inside[field] = new
                    return True
        if place.startswith(f"{key}.") and put_file(node[at], place[len(key) + 1 :], old, new):
            return True
    return False
