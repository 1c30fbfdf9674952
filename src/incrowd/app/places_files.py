"""The files of the page of postcodes: how one is opened and counted, and whether it is still the same one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from incrowd.app.data_work import refuse_foreign
from incrowd.app.looking import in_source
from incrowd.app.sessions import Project
from incrowd.errors import InputError
from incrowd.plan.files import Stamp, stamp_of_file
from incrowd.postcodes import Places, count_places, read_adjacency
from incrowd.postcodes.shapes import Shapes, read_shapes
from incrowd.rows import open_source
from incrowd.rows.header import refuse_records_as_names, refuse_unknown
from incrowd.rows.postcodes import count_columns, postcode_column

#: Refusals of a file whose first line may be a record: only somebody who knows the file can say that it is none.
DOUBTS = ("D244", "D265")
DOUBTED = "If it names the columns, press 'Line 1 names the columns'; else put a line with their names before it."


@dataclass(frozen=True)
class Given:
    """A file as it was given: where it is, how it is read, and what is known of it.

    `names` are the variables of the plan whose data it is; `header` is what somebody has said of its first line. An
    upload (`own`) is in a folder of its own, which goes with it.
    """

    source: str | Path
    name: str
    reading: Mapping[str, Any] = field(default_factory=dict)
    unit: str | None = None
    names: tuple[str, ...] | None = None
    header: bool = False
    own: bool = False

    @property
    def stamp(self) -> Stamp:
        """Which file it is now. A database has none: it was read once, when it was opened."""
        return stamp_of_file(self.source) if isinstance(self.source, Path) else ()

    def is_in(self, folder: Path) -> bool:
        """Whether it is a file in this folder, and not a database."""
        return isinstance(self.source, Path) and self.source.resolve().is_relative_to(folder.resolve())

    def remove(self) -> None:
        """An upload is not kept when it is not shown any more."""
        if self.own:
            shutil.rmtree(Path(self.source).parent, ignore_errors=True)


@dataclass(frozen=True)
class File:
    """A file that is open: its columns, and which of them are taken for what. No column counts people unless told."""

    given: Given
    stamp: Stamp
    columns: tuple[str, ...]
    numbers: tuple[str, ...]  # columns of whole numbers, which could be counts
    column: str | None  # of postcodes
    unit: str | None = None  # tells people apart, where they have several rows
    counts: tuple[str, ...] = ()
    repair: bool = False


@dataclass(frozen=True)
class Beside:
    """A file that is shown beside the figures: shapes, or pairs of neighbours."""

    given: Given
    stamp: Stamp
    shapes: Shapes | None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.given.name


def of_plan(project: Project) -> Given:
    """The data of the plan that is open: read as the plan says, its people told apart as there."""
    data = project.plan.data
    name = "the database" if data.database else Path(data.source).name
    unit = in_source(project, data.unit)
    return Given(data.place(project.home), name, data.reading, unit, tuple(project.plan.variables))


def open_file(given: Given) -> File:
    """Open a file, and see which columns could be what. At first each row is one person, or each unit of the plan."""
    stamp = given.stamp  # before it is read: what changes meanwhile is seen later
    rows = open_source(given.source, **given.reading)
    try:
        if given.names is not None:
            refuse_foreign(rows, given.names)
        elif not given.header:
            refuse_records_as_names(rows)
        if given.unit is not None:
            refuse_unknown(rows, [given.unit])
        columns = tuple(rows.columns)
        return File(given, stamp, columns, tuple(count_columns(rows)), postcode_column(rows), given.unit)
    except InputError as error:
        if error.code in DOUBTS:
            raise InputError(error.code, error.message, DOUBTED) from None
        raise
    finally:
        rows.close()


def open_again(file: File, given: Given) -> File:
    """The file as it is now, with what was chosen on the page; what is not there any more is told by its count."""
    opened = open_file(given)
    column = opened.column if file.column is None else file.column
    unit = file.unit if given == file.given else given.unit  # the plan says otherwise by now
    return replace(opened, column=column, unit=unit, counts=file.counts, repair=file.repair)


def count_file(file: File) -> Places | None:
    """The people of a file by place; nothing while nobody has said which column holds the postcodes."""
    if file.column is None:
        return None
    rows = open_source(file.given.source, **file.given.reading)
    try:
        return count_places(rows, file.column, file.counts, repair=file.repair, unit=file.unit)
    finally:
        rows.close()


def open_beside(what: str, given: Given) -> Beside:
    """Shapes or pairs; a fault in them is told now."""
    stamp, path = given.stamp, Path(given.source)
    if what == "shapes":
        return Beside(given, stamp, read_shapes(path))
    read_adjacency(path)
    return Beside(given, stamp, None)
