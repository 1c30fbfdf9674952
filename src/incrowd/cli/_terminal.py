"""The one door to the terminal: whatever comes from a plan, a file or its data goes through here, and cannot act on it.

Texts are shown as they are written: `[red]` in a title is no colour. What we colour ourselves is put together by
`marked`. Light, so that --help stays quick; the consoles of Rich are in `cli/_consoles.py`.
"""

from __future__ import annotations

import sys

import typer

from incrowd.errors import visible


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """A line for people, on standard output or standard error."""
    typer.echo(visible(text), err=err, nl=nl)


def give(text: str) -> None:
    """A result for programs: byte for byte into a file or a pipe, without acting characters on a terminal."""
    typer.echo(visible(text) if sys.stdout.isatty() else text, nl=False)
