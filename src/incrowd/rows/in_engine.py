"""Classes that stay in the engine, because there are more of them than may be held here: counted there, dropped there.

What comes back is small: how many classes there are of each size, and how many records went.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import ibis

from incrowd.errors import InputError
from incrowd.keys.requirements import ClassTest
from incrowd.keys.table import KeyTable
from incrowd.rows.engine import TOO_MANY
from incrowd.rows.frame import Rows
from incrowd.rows.tabulate import tabulate

PEOPLE = "incrowd_people"


@dataclass(frozen=True)
class InEngineClasses:
    """The combinations of keys and sensitive variables with their people: a KeyTable that the engine keeps."""

    cells: Rows
    keys: tuple[str, ...]

    def people(self) -> int:
        """All of them."""
        table = self.cells.table
        return int(self.cells.collect(table.aggregate(n=table[PEOPLE].sum()))["n"][0].as_py() or 0)

    def sizes(self) -> dict[int, int]:
        """How many classes there are of each size."""
        classes = self._classes(ClassTest(self.keys))
        sizes = classes.group_by("n").aggregate(classes=classes.count())
        found = self.cells.collect(sizes, "the sizes of the classes")
        return dict(zip(map(int, found["n"].to_pylist()), found["classes"].to_pylist(), strict=True))

    def without_failing(self, test: ClassTest) -> tuple[InEngineClasses, int]:
        """The classes without those that fail, and how many people these had."""
        classes = self._classes(test)
        if test.k is not None:
            fails = classes["n"] < test.k
        elif test.l is not None:
            fails = classes["values"] < test.l
        elif test.share >= 1:
            fails = classes["having"] == classes["n"]
        else:
            fails = classes["having"] / classes["n"] > test.share
        failing = classes.filter(fails)
        removed = int(self.cells.collect(failing.aggregate(n=failing["n"].sum()))["n"][0].as_py() or 0)
        if not removed:
            return self, 0
        coded = self.cells.table.mutate(incrowd_class=self.cells.encoded(test.keys))
        left = coded.anti_join(failing.select("incrowd_class"), "incrowd_class").drop("incrowd_class")
        return replace(self, cells=_kept(self.cells, left)), removed

    def rows_of(self, rows: Rows) -> Rows:
        """The rows that are in one of these classes."""
        here = self.cells.table.select(incrowd_class=self.cells.encoded(self.keys)).distinct()
        coded = rows.table.mutate(incrowd_class=rows.encoded(self.keys))
        return replace(rows, table=coded.semi_join(here, "incrowd_class").drop("incrowd_class"))

    def _classes(self, test: ClassTest) -> ibis.Table:
        """Rolled up to the keys of a test: people in n and, of a sensitive variable, its values and who has the one."""
        cells = self.cells
        columns = {"incrowd_class": cells.encoded(test.keys), "m": cells.table[PEOPLE]}
        if test.sensitive is None:
            coded = cells.table.select(**columns)
            return coded.group_by("incrowd_class").aggregate(n=coded["m"].sum())
        coded = cells.table.select(**columns, s=cells.text(test.sensitive))
        blank, has = coded["s"].isnull(), (coded["s"] == test.value).fill_null(False)
        return coded.group_by("incrowd_class").aggregate(
            n=coded["m"].sum(),
            values=coded["s"].nunique() + blank.ifelse(1, 0).max(),
            having=has.ifelse(coded["m"], 0).sum(),
        )


def count_classes(
    rows: Rows, keys: Sequence[str], sensitive: Sequence[str], unit: str | None
) -> KeyTable | InEngineClasses:
    """The classes as a KeyTable; or, where they are too many to be fetched, left in the engine."""
    try:
        return tabulate(rows, keys, sensitive, unit)
    except InputError as error:
        if error.code != TOO_MANY or unit is not None:  # whose record it is only a KeyTable knows
            raise
    return count_in_engine(rows, keys, sensitive)


def count_in_engine(rows: Rows, keys: Sequence[str], sensitive: Sequence[str]) -> InEngineClasses:
    """Count the classes, and leave them where they are. Missing and empty are one value of a sensitive variable."""
    columns = {key: rows.text(key) for key in keys} | {name: rows.text(name).nullif("") for name in sensitive}
    picked = rows.table.select(**columns)
    counted = picked.group_by(list(columns)).aggregate(**{PEOPLE: picked.count()})
    return InEngineClasses(_kept(rows, counted), tuple(keys))


def _kept(rows: Rows, table: ibis.Table) -> Rows:
    """Kept as it is now: what refers to it twice would otherwise work twice, and what refers to that four times."""
    return replace(rows, table=rows.engine.keep(table, rows.place))
