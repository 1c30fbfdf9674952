"""The command line: one command per step, plus `run`."""

from __future__ import annotations

import json
import sys
import traceback
from importlib import import_module

import typer

from incrowd.errors import IncrowdError, PlanError

app = typer.Typer(
    name="incrowd",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="From a file of records about people to a file that can be opened to the public, with the evidence "
    "that it can. Start with: incrowd profile people.csv, then incrowd init people.csv -o plan.yaml, then "
    "incrowd run plan.yaml.",
)

#: They register the commands, in the order of `incrowd --help`.
MODULES = (
    "commands",
    "reporting",
    "risking",
    "attacking",
    "auditing",
    "sealing",
    "sweeping",
    "comparing",
    "searching",
    "hierarchies",
    "tables",
    "postcodes",
    "intruding",
    "workbench",
)


def main() -> None:
    """Run the command line; every fault becomes a message with a code and an exit code, never a record."""
    for name in MODULES:
        import_module(f"incrowd.cli.{name}")
    try:
        app()
    except IncrowdError as error:
        _say(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        typer.echo("Stopped. Nothing half-done was released.", err=True)
        sys.exit(130)
    except Exception as error:
        _say_unexpected(error)
        sys.exit(1)


def _say(error: IncrowdError) -> None:
    if "--json" in sys.argv:
        faults = error.faults if isinstance(error, PlanError) else []
        content = {
            "error": error.code,
            "message": error.message,
            "hint": error.hint,
            "faults": [vars(fault) for fault in faults],
        }
        typer.echo(json.dumps(content))
    typer.echo(str(error), err=True)


def _say_unexpected(error: Exception) -> None:
    """Where it happened, not what the exception says: its text may quote a record."""
    typer.echo(f"X001: an unexpected {type(error).__name__}. Nothing half-done was released. It happened in:", err=True)
    for frame in traceback.extract_tb(error.__traceback__)[-6:]:
        typer.echo(f"  {frame.name} ({frame.filename.rsplit('/', 2)[-1]}:{frame.lineno})", err=True)
    typer.echo("Please report it with these lines; they hold no data.", err=True)
