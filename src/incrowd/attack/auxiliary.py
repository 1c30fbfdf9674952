"""What an intruder has beside a release: a register of people, other releases, published tables; read and coded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from incrowd.attack.situation import Auxiliary, Int64, Situation, codes_of, fetch
from incrowd.errors import InputError
from incrowd.keys.packing import group, pack
from incrowd.keys.saying import latest_runs
from incrowd.plan import Plan
from incrowd.plan.attest import Attestation
from incrowd.plan.data import Population
from incrowd.plan.steps.recode import Recode
from incrowd.protect import Context
from incrowd.protect.recode import new_names
from incrowd.rows import open_source

_DECIMAL = re.compile(r"[-+]?\d+\.\d*")


@dataclass(frozen=True)
class Files:
    """Where these are. Without a register, the plan's population is one."""

    register: Path | None = None
    others: tuple[Path, ...] = ()
    tables: tuple[Path, ...] = ()
    salts: Path | None = None  # one in each line
    linker: str = "duckdb"
    thorough: bool = False  # whether attacks may take longer than the run itself

    def __add__(self, more: Files) -> Files:
        return Files(
            more.register or self.register,
            (*self.others, *more.others),
            (*self.tables, *more.tables),
            more.salts or self.salts,
            more.linker if more.linker != "duckdb" else self.linker,
            self.thorough or more.thorough,
        )


def read_auxiliary(
    plan: Plan, context: Context, situation: Situation, files: Files, others_here: Sequence[str] = ()
) -> Auxiliary:
    """Everything in memory, as texts; the register at the release's categories. Nobody can say that there is no other
    release where one lies here.
    """
    register, lines = files.register, None
    people = None
    population = plan.data.population
    if register is None and population is not None:
        register = context.folder / population.source
    if register is not None:
        own = None if population is None else (context.folder / population.source).resolve()
        # The plan says how its own population is read; what somebody names beside it tells itself.
        told = population if population and register.resolve() == own else None
        people, lines = _register(plan, context, situation, register, told)
    return Auxiliary(
        people,
        lines,
        {str(path): _texts(_data_of(path)) for path in files.others},
        {str(path): _texts(path) for path in files.tables},
        files.linker,
        "" if others_here else _says(plan.attest.no_other_release),
        _says(plan.attest.no_tables),
        _unnamed(others_here),
        salts_of(files.salts),
        files.thorough,
    )


def salts_of(path: Path | None) -> tuple[str, ...]:
    """Salts that may have leaked: the lines of a file, each once."""
    if path is None:
        return ()
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(
            "D496", f"the salts in {path.name} cannot be read.", "Name a text file in UTF-8 with one in each line."
        ) from None
    return tuple(dict.fromkeys(line for line in lines if line))


def _unnamed(runs: Sequence[str]) -> str:
    return f"an earlier release of this source is here ({latest_runs(runs)}): name it in `others`." if runs else ""


def _says(attested: Attestation | None) -> str:
    """Who answers for it that there is nothing of the kind, and in which words; empty when nobody does."""
    return "" if attested is None else f"{attested.role}, {attested.date}: {attested.text}"


def _register(
    plan: Plan, context: Context, situation: Situation, path: Path, told: Population | None
) -> tuple[pa.Table, Int64 | None]:
    count = None if told is None else told.count
    rows = open_source(path, **({} if told is None else told.reading))
    keys = [name for name in situation.keys if name in rows.columns]
    shared = [name for name in plan.with_role("identifier") if name in rows.columns]
    if not keys:
        hint = "Rename its columns to those of the data."
        raise InputError("D194", f"the register {path.name} has none of the released keys.", hint)
    table = fetch(rows, [*keys, *shared, *([count] if count else [])])
    if count:
        number = table[count].cast(pa.int64()).to_numpy()
        table = table.take(pa.array(np.repeat(np.arange(len(number)), np.maximum(number, 0))))
    at_start = situation.at_start([*keys, *shared])
    lines = _lines(at_start, table, shared) if shared and not count else None
    said = {name: _said(plan, context, situation, name, at_start[name], table[name]) for name in keys}
    return pa.table(said), lines


def _lines(at_start: pa.Table, register: pa.Table, shared: Sequence[str]) -> Int64 | None:
    """Whose record of the original each one's is, or -1; None where the identifiers do not tell."""
    mine, theirs = codes_of([_plain(table.select(shared)) for table in (at_start, register)], shared)
    spans = [1 + max(int(a.max(initial=0)), int(b.max(initial=0))) for a, b in zip(mine, theirs, strict=True)]
    both = [np.concatenate(pair) for pair in zip(mine, theirs, strict=True)]
    first, place = group(pack(both, spans))
    own, others = place[: len(at_start)], place[len(at_start) :]
    in_came, in_register = (np.bincount(part, minlength=len(first)) for part in (own, others))
    if ((in_came > 0) & (in_register > 0) & ((in_came > 1) | (in_register > 1))).any():
        return None
    at = np.full(len(first), -1)
    at[own] = np.arange(len(at_start))
    return at[others]


def _plain(table: pa.Table) -> pa.Table:
    """The same with every number written in the shortest way."""
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks().dictionary_encode()
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        short = pa.array([plain(value) for value in column.dictionary.to_pylist()], pa.string())
        columns[name] = short.take(column.indices)
    return pa.table(columns)


def plain(value: str | None) -> str | None:
    """A decimal number without the zeros that say nothing; anything else as it is. Leading zeros may be a code's.

    >>> plain("34.0"), plain(" 34.50"), plain("034"), plain("a.0")
    ('34', '34.5', '034', 'a.0')
    """
    if value is None or not _DECIMAL.fullmatch(value.strip()):
        return value
    return value.strip().rstrip("0").rstrip(".")


def _said(
    plan: Plan, context: Context, situation: Situation, name: str, at_start: pa.ChunkedArray, asked: pa.ChunkedArray
) -> pa.Array:
    """The register's values of a key as the release would say them.

    What the original has is said as the run said it, also where the number is written in another way (34.0). Any other
    value goes through the plan's recodes of the key, and
    then as the run said what came out of them; what no recode knows stays as it is.
    """
    pairs = pa.table({"old": at_start, "new": situation.known[name]}).group_by(["old", "new"]).aggregate([])
    said = dict(zip(pairs["old"].to_pylist(), pairs["new"].to_pylist(), strict=True))
    values = pc.unique(asked).to_pylist()
    written = {plain(old): new for old, new in said.items()}
    said |= {value: written[plain(value)] for value in values if value not in said and plain(value) in written}
    if strange := [value for value in values if value not in said]:
        halfway = _recoded(plan, context, name, [*said, *strange])
        later = {halfway[old]: new for old, new in said.items()}
        said |= {value: later.get(halfway[value], halfway[value]) for value in strange}
    new = pa.array([said[value] for value in values], pa.string())
    return new.take(pc.index_in(asked, pa.array(values, pa.string())).combine_chunks())


def _recoded(plan: Plan, context: Context, name: str, values: Sequence[str | None]) -> Mapping[str | None, str | None]:
    """Values after the recode steps of a variable, one by one: a step may refuse a value that the data do not have."""
    now: dict[str | None, str | None] = {value: value for value in values}
    for _, step in plan.active:
        if isinstance(step, Recode) and step.variable == name:
            for value, label in now.items():
                with suppress(InputError):
                    now[value] = new_names(step, {label: 1}, context)[0][label]
    return now


def _data_of(path: Path) -> Path:
    """The data file of another release: the file itself, or that of a run or a release folder."""
    if not path.is_dir():
        return path
    folder = path / "release" if (path / "release").is_dir() else path
    found = [
        f for f in sorted(folder.iterdir()) if f.suffix in (".csv", ".parquet", ".xlsx") and f.name != "dictionary.csv"
    ]
    if len(found) != 1:
        raise InputError("D195", f"{path} is no release with one data file.", "Name the data file itself.")
    return found[0]


def _texts(path: Path) -> pa.Table:
    rows = open_source(path)
    return fetch(rows, rows.columns)
