"""Search on a bare file: which recoding of its keys costs least? No plan needed."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import InputError, NotReleasable
from incrowd.keys.hierarchies import automatic, require_valid
from incrowd.keys.hierarchy import Hierarchy, Levels
from incrowd.keys.local import recode_locally
from incrowd.keys.requirements import Requirement, where_name
from incrowd.keys.search.frontier import FrontierPoint, frontier_k, frontier_suppression
from incrowd.keys.search.lattice import search
from incrowd.keys.search.walk import Progress
from incrowd.keys.table import KeyTable
from incrowd.machine.writing import private_file
from incrowd.protect.search import apply_local, recode_to
from incrowd.protect.state import Context, State
from incrowd.protect.suppress_records import drop_failing
from incrowd.rows import Rows, open_source
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret, order_records
from incrowd.tasks.verify import parse_where

#: What the frontier asks for.
FRONTIER_K = (2, 3, 5, 10, 20, 50)
FRONTIER_SUPPRESSION = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class FoundRecoding:
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


def search_file(
    file: str | Path,
    keys: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    requirements: Sequence[Requirement],
    *,
    suppression: float = 0.0,
    objective: str = "geometric",
    weights: Mapping[str, float] | None = None,
    local: bool = False,
    auto: bool = False,
    seconds: float | None = None,
    out: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> FoundRecoding:
    """Find the recoding that costs least, and write the recoded file to `out`.

    A key without a hierarchy is a fault, unless `auto` lets one be built from its values. The written file is counted
    again before it gets its name, and its rows are in a random order. Columns that are not keys, identifiers among
    them, are written as they are: this is a tool for looking, `run` with a plan is the way to a release.
    """
    _need_sense(suppression, seconds)
    out = None if out is None else _free(Path(out), Path(file))
    rows = open_source(file)
    table = _counted(rows, keys, requirements)
    bound = [requirement.bind(table) for requirement in requirements]
    levels = bind_all(table, hierarchies, auto)
    state = State(rows, table, table, tuple(bound))
    context = Context(Path(), Secret(secrets.token_bytes(32)), ("search",), tuple(bound))
    common = (table.names, int(table.records.sum()))
    if local:
        best = recode_locally(table, levels, bound, suppression=suppression, seconds=seconds)
        if out is not None:
            _write(apply_local(rows, table, levels, best, context.order("parts")), out, keys, bound, context)
        return FoundRecoding(
            *common, None, best.loss_arithmetic, best.loss_geometric, best.suppressed, best.classes,
            None, None, False, None, str(out) if out else None,
        )  # fmt: skip
    found = search(
        table, levels, bound, suppression=suppression, objective=objective, weights=weights, time_limit=seconds,
        progress=progress,
    )  # fmt: skip
    if out is not None:
        after, _ = drop_failing(recode_to(state, levels, found), bound, context)
        _write(after.rows, out, keys, bound, context)
    return FoundRecoding(
        *common, found.levels, found.loss_arithmetic, found.loss_geometric, found.suppressed, found.classes,
        found.nodes, found.counted, found.proven, found.gap, str(out) if out else None,
    )  # fmt: skip


def frontier_of_file(
    file: str | Path,
    keys: Sequence[str],
    hierarchies: Mapping[str, Hierarchy],
    requirements: Sequence[Requirement],
    *,
    suppression: float = 0.0,
    objective: str = "geometric",
    auto: bool = False,
) -> tuple[tuple[FrontierPoint, ...], tuple[FrontierPoint, ...]]:
    """How the loss grows with k, and how it falls with the records that may be suppressed."""
    _need_sense(suppression)
    table = _counted(open_source(file), keys, requirements)
    bound = [requirement.bind(table) for requirement in requirements]
    levels = bind_all(table, hierarchies, auto)
    by_k = frontier_k(table, levels, bound, FRONTIER_K, suppression=suppression, objective=objective)
    return by_k, frontier_suppression(table, levels, bound, FRONTIER_SUPPRESSION, objective=objective)


def bind_all(table: KeyTable, hierarchies: Mapping[str, Hierarchy], auto: bool) -> list[Levels]:
    """The hierarchies of all keys, fitted to their values."""
    found = []
    for i, name in enumerate(table.names):
        one, _ = table.project([name])
        values = [one.domains[0].values[code] for code in one.codes[0]]
        hierarchy = hierarchies.get(name)
        if hierarchy is None and not auto:
            hint = f"Put {name}.csv into the folder of hierarchies, or let one be built with --auto."
            raise InputError("D060", f"the key {name!r} has no hierarchy.", hint)
        if hierarchy is None:
            hierarchy, _ = automatic(values, one.records.tolist(), name)
        found.append(require_valid(hierarchy, values).bind(table.domains[i]))
    return found


def _counted(rows: Rows, keys: Sequence[str], requirements: Sequence[Requirement]) -> KeyTable:
    """The table with the histograms and conditions that the requirements need."""
    conditions = {requirement.where for requirement in requirements if requirement.where is not None}
    for condition in conditions:
        rows = rows.flag(where_name(condition), parse_where(condition))
    return tabulate(rows, keys, sorted({name for r in requirements for name in r.needs_histograms}))


def _need_sense(suppression: float, seconds: float | None = None) -> None:
    if not 0 <= suppression <= 1:
        raise InputError("D283", "the share that may be suppressed is from 0 to 1.", "Say for example: 0.05")
    if seconds is not None and not seconds >= 0:
        raise InputError("D283", "the seconds of a search are 0 or more.")


def _free(out: Path, file: Path) -> Path:
    if out.suffix not in (".csv", ".parquet"):
        raise InputError("D075", f"{out} is neither a .csv nor a .parquet file.", "Name one with -o.")
    if out.exists() and out.samefile(file):
        raise InputError("D076", "the file would be written over itself.", "Choose another name with -o.")
    return out


def _write(rows: Rows, out: Path, keys: Sequence[str], bound: Sequence[Requirement], context: Context) -> None:
    """Write to a private folder, count again, and only then take the place of `out`: it holds records."""
    kind = out.suffix.removeprefix(".")
    with private_file(out) as draft:
        rows.shuffled(rows.columns, order_records(context.subkey("rows"))).write(draft, kind)
        again = _counted(open_source(draft, delimiter=",", encoding="utf-8"), keys, bound)
        if any(requirement.failing(again).any() for requirement in bound):
            raise NotReleasable("R008", "the written file does not satisfy the requirements; it was removed.")
