"""Write the records in an order that a keyed hash decides: the order of the source says who is who."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.pipeline.protect import Protected
from incrowd.protect import UNIT
from incrowd.rows import Rows, reopen
from incrowd.rows.excel_out import refuse_for_excel, whole_numbers, write_excel
from incrowd.rows.frame import LINE
from incrowd.rows.typed import as_types, exact_types
from incrowd.secret import order_records


@dataclass(frozen=True, kw_only=True)
class Written(Protected):
    """The file as it would leave, in the private folder, and what only the gate and attacks may look at beside it."""

    file: Path
    columns: tuple[str, ...]
    units: Path | None  # whose record each line is, where people have several
    traced: Rows | None  # the written records and their lines in the source, where the rows have them


def write_data(protected: Protected) -> Written:
    """Write the file, and what is known of each of its lines."""
    protected.progress("write")
    plan, rows, work = protected.plan, protected.state.rows, protected.work
    context = protected.context.ended(protected.state.history)
    columns = [name for name in rows.columns if name not in (UNIT, LINE)]
    ordered = rows.shuffled(columns, order_records(context.subkey("order")))
    file = work.release / plan.release.file
    traced = units = None
    if LINE in rows.columns:
        # For attacks only, in the private folder: where each line came from.
        private = work.private / "traced.parquet"
        ordered.write(private, "parquet")
        known = reopen(private, rows.engine)
        traced = known.select([*columns, LINE])
        if rows.engine.scans and known.types == ordered.types:
            # In its order: nothing is worked out and sorted twice.
            rows = ordered = replace(ordered, table=known.table)
    if context.has_unit:
        # For the gate only, in the private folder: whose record each line is. Equal lines may trade places between the
        # two files, which changes no count.
        units = work.private / "units.parquet"
        ordered.select([UNIT]).write(units, "parquet")
    if plan.release.format == "xlsx":
        told = rows.select(columns)
        refuse_for_excel(told)
        write_excel(ordered.select(columns), whole_numbers(told), file)
    else:
        types = exact_types(rows, columns) if plan.release.format == "parquet" else {}
        as_types(ordered.select(columns), types).write(file, plan.release.kind)
    return Written(**vars(protected), file=file, columns=tuple(columns), units=units, traced=traced)
