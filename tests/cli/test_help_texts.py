"""The help of every command is shown as it is written: Rich makes nothing else of it."""

from collections.abc import Iterator

import click
import pytest
import typer
from rich.text import Text
from typer.testing import CliRunner

import incrowd.cli


def _commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, (*path, name))


COMMANDS = dict(_commands(typer.main.get_command(incrowd.cli.load())))


@pytest.mark.slow
@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_no_help_is_taken_for_markup_or_emoji(path):
    command = COMMANDS[path]
    texts = [command.help, *(getattr(parameter, "help", None) for parameter in command.params)]
    for text in filter(None, texts):
        assert Text.from_markup(text).plain == text
    shown = CliRunner().invoke(incrowd.cli.load(), [*path, "--help"]).output
    written = "".join(filter(None, texts)) + "".join(
        inner.help or "" for inner in getattr(command, "commands", {}).values()
    )
    assert not {letter for letter in shown if ord(letter) > 0x2600} - set(written)
