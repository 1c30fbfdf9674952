"""Search on a bare file: which recoding of its keys costs least? No plan needed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies import level_in_words, require_valid
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.local import recode_locally
from incrowd.keys.requirements import Requirement, where_name
from incrowd.keys.search.frontier import FrontierPoint, frontier_k, frontier_suppression
from incrowd.keys.search.lattice import search as search_lattice
from incrowd.keys.search.walk import Progress
from incrowd.keys.table import KeyTable
from incrowd.machine.writing import private_file
from incrowd.protect.hierarchies import automatic_hierarchy, people_of, values_of
from incrowd.protect.search import apply_local, recode_to
from incrowd.protect.state import UNIT, Context, State
from incrowd.protect.suppress_records import drop_failing
from incrowd.rows import Reading, Rows, Source, open_source
from incrowd.rows.header import refuse_unknown
from incrowd.rows.result import Line, Result
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret, order_records
from incrowd.tasks.verify import parse_where

#: What the frontier asks for.
FRONTIER_K = (2, 3, 5, 10, 20, 50)
FRONTIER_SUPPRESSION = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Frontier:
    """How the loss grows with k, and how it falls with the records that may be suppressed."""

    k: tuple[FrontierPoint, ...]
    suppression: tuple[FrontierPoint, ...]


@dataclass(frozen=True, repr=False)
class FoundRecoding(Result):
    """What a search on a file found. `levels` is None for local recoding; `proven` is only said of a proven optimum."""

    keys: tuple[str, ...]
    records: int
    levels: Mapping[str, int] | None
    loss_arithmetic: float
    loss_geometric: float
    suppressed: int
    classes: int
    nodes: int | None
    counted: int | None
    proven: bool
    gap: float | None
    out: str | None = None
    frontier: Frontier | None = None
    holds: Mapping[str, str] | None = None  # what each key's level holds, in words

    def _told(self) -> str:
        levels = (
            "a recoding per class" if self.levels is None else ", ".join(f"{n} {i}" for n, i in self.levels.items())
        )
        proof = "proven optimal" if self.proven else "not proven optimal"
        dropped = f"{self.suppressed:,} of {self.records:,} records suppressed"
        return f"{levels}; loss {self.loss_arithmetic:.4f}, {dropped}, {self.classes:,} classes, {proof}"

    def _lines(self) -> Iterable[Line]:
        return [
            {
                "key": name,
                "level": None if self.levels is None else self.levels[name],
                "holds": None if self.holds is None else self.holds[name],
            }
            for name in self.keys
        ]


def search(
    file: Source,
    keys: Sequence[str],
    requirements: Sequence[Requirement],
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    suppression: float = 0.0,
    objective: str = "geometric",
    weights: Mapping[str, float] | None = None,
    local: bool = False,
    auto: bool = False,
    seconds: float | None = None,
    frontier: bool = False,
    out: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    unit: str | None = None,
    **reading: Unpack[Reading],
) -> FoundRecoding:
    """Find the recoding that costs least, and write the recoded file to `out`.

    A key without a hierarchy is a fault, unless `auto` lets one be built from its values. With `frontier` it also says
    how the loss grows with k, and falls with suppression. The written file is counted
    again before it gets its name, and its rows are in a random order. Columns that are not keys, identifiers among
    them, are written as they are: this is a tool for looking, `run` with a plan is the way to a release. Where a person
    may have several records, `unit` says whose they are; then people are counted, and suppressed with all their
    records. `delimiter`, `encoding`, `sheet` and `drop_index` say how it is read.

    >>> ic.search("people.csv", ["age", "gender", "occupation"], [ic.K(5)], suppression=0.02, auto=True).levels
    """
    _need_sense(suppression, seconds)
    out = None if out is None else _free(Path(out), file)
    rows = open_source(file, **reading)
    if unit is not None:
        refuse_unknown(rows, [unit])
        rows = rows.copy(unit, UNIT)
    table = _counted(rows, keys, requirements)
    bound = [requirement.bind(table) for requirement in requirements]
    trees = hierarchies_of(table, hierarchies or {}, auto, rows.book)
    levels = [trees[domain.name].bind(domain) for domain in table.domains]
    lines = None
    if frontier:
        by_k = frontier_k(table, levels, bound, FRONTIER_K, suppression=suppression, objective=objective)
        lines = Frontier(by_k, frontier_suppression(table, levels, bound, FRONTIER_SUPPRESSION, objective=objective))
    state = State(rows, table, table, tuple(bound))
    context = Context(Path(), Secret(secrets.token_bytes(32)), ("search",), tuple(bound), has_unit=unit is not None)
    common = (table.names, int(table.records.sum()))
    if local:
        best = recode_locally(table, levels, bound, suppression=suppression, seconds=seconds)
        if out is not None:
            _write(apply_local(rows, table, levels, best, context.order("parts")), out, keys, bound, context, unit)
        return FoundRecoding(
            *common, None, best.loss_arithmetic, best.loss_geometric, best.suppressed, best.classes,
            None, None, False, None, str(out) if out else None, lines,
        )  # fmt: skip
    found = search_lattice(
        table, levels, bound, suppression=suppression, objective=objective, weights=weights, time_limit=seconds,
        progress=progress,
    )  # fmt: skip
    if out is not None:
        after, _ = drop_failing(recode_to(state, levels, found), bound, context)
        _write(after.rows, out, keys, bound, context, unit)
    return FoundRecoding(
        *common, found.levels, found.loss_arithmetic, found.loss_geometric, found.suppressed, found.classes,
        found.nodes, found.counted, found.proven, found.gap, str(out) if out else None, lines,
        {n: level_in_words(trees[n], level, rows.book, people_of(table, n)) for n, level in found.levels.items()},
    )  # fmt: skip


def hierarchies_of(
    table: KeyTable, hierarchies: Mapping[str, Hierarchy], auto: bool, book: Codebook | None = None
) -> dict[str, Hierarchy]:
    """The hierarchies of all keys: those given, and those that are built from the values."""
    found = {}
    for name in table.names:
        values, counts = values_of(table, name)
        hierarchy = hierarchies.get(name)
        if hierarchy is None and not auto:
            hint = f"Put {name}.csv into the folder of hierarchies, or let one be built with --auto."
            raise InputError("D060", f"the key {name!r} has no hierarchy.", hint)
        if hierarchy is None:
            hierarchy, _ = automatic_hierarchy(values, counts, name, book)
        found[name] = require_valid(hierarchy, values)
    return found


def _counted(rows: Rows, keys: Sequence[str], requirements: Sequence[Requirement]) -> KeyTable:
    """The table with the histograms and conditions that the requirements need."""
    conditions = {requirement.where for requirement in requirements if requirement.where is not None}
    for condition in conditions:
        rows = rows.flag(where_name(condition), parse_where(condition))
    unit = UNIT if UNIT in rows.columns else None
    return tabulate(rows, keys, sorted({name for r in requirements for name in r.needs_histograms}), unit)


def _need_sense(suppression: float, seconds: float | None = None) -> None:
    if not 0 <= suppression <= 1:
        raise InputError("D283", "the share that may be suppressed is from 0 to 1.", "Say for example: 0.05")
    if seconds is not None and not seconds >= 0:
        raise InputError("D283", "the seconds of a search are 0 or more.")


def _free(out: Path, file: Source) -> Path:
    if out.suffix not in (".csv", ".parquet"):
        raise InputError("D075", f"{out} is neither a .csv nor a .parquet file.", "Name one with -o.")
    if isinstance(file, str | Path) and Path(file).exists() and out.exists() and out.samefile(file):
        raise InputError("D076", "the file would be written over itself.", "Choose another name with -o.")
    return out


def _write(
    rows: Rows, out: Path, keys: Sequence[str], bound: Sequence[Requirement], context: Context, unit: str | None
) -> None:
    """Write to a private folder, count again, and only then take the place of `out`: it holds records."""
    kind = out.suffix.removeprefix(".")
    with private_file(out) as draft:
        shuffled = rows.shuffled([name for name in rows.columns if name != UNIT], order_records(context.subkey("rows")))
        shuffled.drop([UNIT] if unit else []).write(draft, kind)
        told: Reading = {"delimiter": ",", "encoding": "utf-8"} if kind == "csv" else {}
        written = open_source(draft, **told)
        again = _counted(written if unit is None else written.copy(unit, UNIT), keys, bound)
        if any(requirement.failing(again).any() for requirement in bound):
            raise NotReleasable("R008", "the written file does not satisfy the requirements; it was removed.")
