"""The options of every command that names a file of records: how it is read, where it does not tell itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast, get_type_hints

import typer

if TYPE_CHECKING:
    from incrowd.rows import Reading

#: What the file may be, for a command's help.
FORMATS = (
    "A CSV (also .gz), Parquet, Excel, SPSS, Stata, SAS or JSON lines file, or postgresql://host/database?table=name."
)

Unit = Annotated[str | None, typer.Option(help="The column that tells whose record it is, where people have several.")]

#: Each option of `incrowd.rows.Reading`, with its default.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "delimiter": (
        Annotated[str | None, typer.Option(help="What separates the fields of a CSV file; a tab is written \\t.")],
        None,
    ),
    "encoding": (
        Annotated[Literal["utf-8", "latin-1", "cp1252"] | None, typer.Option(help="How the file encodes its texts.")],
        None,
    ),
    "sheet": (Annotated[str | None, typer.Option(help="The sheet of an Excel file: its name, or its number.")], None),
    "drop_index": (
        Annotated[
            bool, typer.Option("--drop-index", help="Leave out a first column without a name, which pandas writes.")
        ],
        False,
    ),
}


PopulationReading = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OPTION=VALUE",
        help="How the population is read, which --delimiter and its like do not speak of: delimiter=; or "
        "encoding=cp1252 or sheet=2 or drop_index; several may be given.",
    ),
]


def population_reading(given: list[str] | None, population: object) -> Reading | None:
    """What `--population-reading` says, as the options of a file would."""
    from incrowd.errors import InputError

    if given and population is None:
        raise InputError("D341", "--population-reading is given without --population.", "Name the population too.")
    said: dict[str, Any] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        name = name.strip().replace("-", "_")
        if name not in _OPTIONS or bool(equals) == (name == "drop_index") or (equals and not value):
            options = "delimiter=; encoding=cp1252, sheet=2 or drop_index"
            raise InputError("D341", "a --population-reading says nothing of a file.", f"Write one of {options}.")
        said[name] = value if equals else True
    return _read(said) or None


def _read(said: dict[str, Any]) -> Reading:
    """Options as they are written on a command line, as the values that they stand for."""
    if said.get("delimiter") == "\\t":
        said["delimiter"] = "\t"
    if (sheet := said.get("sheet", "")).isdecimal():
        said["sheet"] = int(sheet)
    return cast("Reading", said)


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """A command that reads a file of records: its `**reading` are these options, those that somebody gave."""

    @wraps(command)
    def with_options(**given: Any) -> None:
        reading = {name: value for name in _OPTIONS if (value := given.pop(name)) not in (None, False)}
        command(**given, **_read(reading))

    hints = get_type_hints(command, include_extras=True)
    asked = [
        one.replace(annotation=hints[one.name])
        for one in inspect.signature(command).parameters.values()
        if one.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    kind = inspect.Parameter.KEYWORD_ONLY
    options = [inspect.Parameter(n, kind, default=d, annotation=a) for n, (a, d) in _OPTIONS.items()]
    with_options.__signature__ = inspect.Signature([*asked, *options])  # type: ignore[attr-defined]
    return with_options
