"""What is told of a release that was made elsewhere: roles, scenarios, and what its labels stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from incrowd.errors import InputError, did_you_mean
from incrowd.keys.hierarchy import TOP, Hierarchy
from incrowd.pipeline.check import inspect
from incrowd.pipeline.prepare import prepare
from incrowd.plan import Plan, is_plan, one_of, read_text, split_tier
from incrowd.plan.steps.recode import Recode
from incrowd.plan.steps.search import Search
from incrowd.protect import Context
from incrowd.protect.hierarchies import make_hierarchy
from incrowd.protect.recode import new_names
from incrowd.rows import Rows
from incrowd.rows.lookup import find_hierarchies
from incrowd.rows.tabulate import tabulate

#: For each column, labels that stand for several values: label -> the values.
Sayings = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class ForeignRelease:
    """What a custodian tells of a release that was made by another tool. A plan tells roles, scenarios, codes and
    hierarchies; its steps are not carried out.

    >>> ic.ForeignRelease(keys=("age", "area"), sensitive=("income",)).keys
    ('age', 'area')
    """

    keys: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    plan: Path | None = None
    hierarchies: Path | None = None  # a folder with a hierarchy for each column: KEY.csv
    id: str | None = None  # a column of both files that is the same for the same person
    same_order: bool = False  # the records of both files are in the same order

    @property
    def told(self) -> bool:
        """Whether anything is told that only such a release needs."""
        return self != ForeignRelease()


def is_foreign(source: Path, told: ForeignRelease | None) -> bool:
    """Whether it is a file of records that another tool made: no plan, and no folder of a run."""
    ours = is_plan(source) or (source.is_dir() and any((source / part).exists() for part in ("audit", "plan.yaml")))
    ours |= source.is_dir() and source.name in ("release", "audit")
    if ours and told is not None:
        raise InputError(
            "D477", f"{source} says itself what its keys are.", "Leave out what is told of another's file."
        )
    return not ours and (source.is_file() or told is not None)


def foreign_plan(told: ForeignRelease, release: Path, columns: Sequence[str]) -> tuple[Plan, Path]:
    """The plan that says what the columns are, without its steps, and the folder of its files. `columns` are those of
    the release and of the original.
    """
    if told.plan is not None:
        file, tier = split_tier(told.plan)
        found = inspect(read_text(file), file.resolve().parent)
        # The data are named elsewhere, and what the plan would release is not asked.
        there = [fault for fault in found.faults if fault.code != "P015"]
        faults = [fault for fault in there if fault.code != "P020" or fault.place != "data.source"]
        return one_of(replace(found, faults=faults).sound(), file, tier), file.resolve().parent
    if not told.keys:
        hint = "Name them: --keys age,sex,area; or name a plan that has the roles: --plan plan.yaml."
        raise InputError("D477", "nobody says which columns of the release an intruder may know.", hint)
    for name in (*told.keys, *told.sensitive, *([told.id] if told.id else [])):
        if name not in columns:
            hint = did_you_mean(name, columns) or f"There are: {', '.join(sorted(columns))}."
            raise InputError("D475", f"neither file has a column {name!r}.", hint)
    roles = dict.fromkeys(columns, "other") | dict.fromkeys(told.sensitive, "sensitive")
    roles |= dict.fromkeys(told.keys, "key") | ({told.id: "identifier"} if told.id else {})
    # A plan has a requirement; nothing here is released, so that nobody ever judges this one.
    content = {
        "title": release.stem, "tier": "open", "data": {"source": release.name, "kind": "administrative"},
        "variables": {name: {"role": role, "reason": "named by whoever asks"} for name, role in roles.items()},
        "requirements": [{"model": "k", "k": 2}],
    }  # fmt: skip
    return Plan.model_validate(content), release.resolve().parent


def prepared(told: ForeignRelease, plan: Plan, folder: Path, rows: Rows) -> Rows:
    """The original with the columns that the plan speaks of, and what their values stand for."""
    return rows if told.plan is None else prepare(plan, folder, rows).rows


def sayings(told: ForeignRelease, plan: Plan, context: Context, rows: Rows, original: pa.Table) -> Sayings:
    """What labels of the release may stand for: by the hierarchies and the codes that are named."""
    found: dict[str, dict[str, list[str]]] = {name: {} for name in original.column_names}
    if told.hierarchies is not None:
        for name, hierarchy in find_hierarchies(told.hierarchies, original.column_names).items():
            _add(found[name], hierarchy)
    for name, words in rows.book.codes.items():
        for code, said in words.items() if name in found else ():
            found[name].setdefault(said, []).append(code)
    for _, step in plan.active:
        if isinstance(step, Search):
            for name, rule in step.hierarchies.items():
                if name in found:
                    _add(found[name], make_hierarchy(rule, name, tabulate(rows, [name]), context.folder, rows.book))
        if isinstance(step, Recode) and step.variable in found:
            _recode(found[step.variable], step, context, original[step.variable].unique().to_pylist())
    return found


def _add(said: dict[str, list[str]], hierarchy: Hierarchy) -> None:
    for level in range(1, hierarchy.height + 1):
        for label, leaves in hierarchy.groups(level).items():
            if label != TOP:
                said.setdefault(label, []).extend(leaves)


def _recode(said: dict[str, list[str]], step: Recode, context: Context, values: Sequence[str | None]) -> None:
    """The names that a recode gives, also to what recodes before it made; a value that it refuses has none."""
    before = {leaf: label for label, leaves in said.items() for leaf in leaves}
    for value in values:
        if value is None:
            continue
        for now in dict.fromkeys((value, before.get(value, value))):
            with suppress(InputError):
                new = new_names(step, {now: 1}, context)[0][now]
                if new is not None and new != value and value not in said.get(new, ()):
                    said.setdefault(new, []).append(value)
