"""The command line: one command per step, plus `run`."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from incrowd import __version__
from incrowd.cli._terminal import say
from incrowd.errors import IncrowdError, PlanError, places
from incrowd.machine import stopping

root = typer.Typer(
    name="incrowd",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="From a file of records about people to a file that can be opened to the public, with the evidence "
    "that it can. Start with: incrowd profile people.csv, then incrowd init people.csv -o plan.yaml, then "
    "incrowd run plan.yaml.",
)

#: A file for each command, or group of commands, in the order of `incrowd --help`.
COMMANDS = (
    "demo", "demo_data", "profile", "init", "check", "risk", "search", "propose", "run", "verify", "sweep", "compare",
    "attack", "intruder_test", "intruder_test_office", "intruder_test_score", "report", "table", "reproduce", "review",
    "audit", "hierarchy", "postcode", "app",
)  # fmt: skip


def _show_version(asked: bool) -> None:
    if asked:
        say(f"incrowd {__version__}")
        raise typer.Exit


@root.callback()
def _about(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    pass


def load() -> typer.Typer:
    """The commands, all of them: a file registers its own when it is imported."""
    for name in COMMANDS:
        import_module(f"incrowd.cli.{name}")
    return root


def main() -> None:
    """Run the command line; every fault becomes a message with a code and an exit code, never a record."""
    stopping.listen()
    try:
        stopping.check()  # it may have been asked before there was anybody to say so
        ended = load()(standalone_mode=False)
        sys.stdout.flush()
        code = ended if isinstance(ended, int) else 0
    except BaseException as error:
        # Whatever comes out once a stop was asked is the echo of it.
        code = 0 if stopping.asked() else _explain(error)
    stopping.deafen()
    if number := stopping.asked():
        with suppress(OSError):  # the terminal may be gone
            _say(_stopped(number))
        code = 128 + number
    _let_go()
    sys.exit(code)


def _let_go() -> None:
    """What cannot be written any more, since the terminal is gone or the disk full, must not change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _explain(error: BaseException) -> int:
    """Say what happened; gives the exit code."""
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    if isinstance(error, IncrowdError):
        _say(error)
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        _say(_stopped(signal.SIGINT))
        return 130
    if isinstance(error, typer.Abort):
        say("Left as it was.", err=True)
        return 1
    if hasattr(error, "format_message"):  # of the command line itself, as Typer found it
        return _say_usage(error)
    if isinstance(error, OSError) and error.strerror:
        return _explain(_refused(error))
    _say_unexpected(error)
    return 1


def _stopped(number: int) -> IncrowdError:
    """What came of it: a stop may come after the release."""
    told = "; ".join(f"it was released before: {place}" for place in stopping.published())
    return IncrowdError("X032", f"stopped by {signal.Signals(number).name}; {told or 'nothing was released'}.")


def _refused(error: OSError) -> IncrowdError:
    """What the system says, and of which file: never of a record."""
    place = f"{error.filename} " if isinstance(error.filename, str | Path) else ""
    return IncrowdError("X033", f"the system refused a file: {place}({error.strerror}).", "Is it there, and yours?")


def _say_usage(error: Any) -> int:
    """What is wrong with the command line, and how it is used. Names of files can stand in it."""
    if message := error.format_message():
        if context := getattr(error, "ctx", None):
            say(context.get_usage(), err=True)
        say(f"Error: {message}", err=True)
    return int(error.exit_code)


def _say(error: IncrowdError) -> None:
    if "--json" in sys.argv:
        faults = error.faults if isinstance(error, PlanError) else []
        content = {
            "error": error.code,
            "message": error.message,
            "hint": error.hint,
            "faults": [vars(fault) for fault in faults],
        }
        say(json.dumps(content))
    say(str(error), err=True)


def _say_unexpected(error: BaseException) -> None:
    """Where it happened, not what the exception says: its text may quote a record."""
    say(f"X001: an unexpected {type(error).__name__}. Nothing half-done was released. It happened in:", err=True)
    for place in places(error):
        say(f"  {place}", err=True)
    say("Please report it with these lines; they hold no data.", err=True)
