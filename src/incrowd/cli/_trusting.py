"""The options of every command that reads an audit: whose signature counts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from incrowd.audit.checked import Trust

Trusted = Annotated[
    list[Path] | None,
    typer.Option("--trust", help="A public key whose signature counts, and no other one. May be given several times."),
]
Unsigned = Annotated[
    bool,
    typer.Option("--unsigned", help="Also an audit without a signature, of an earlier version: nobody vouches for it."),
]
SigningKey = Annotated[
    Path | None,
    typer.Option(help="The key that signs audit and release (default: incrowd.signing beside the secret)."),
]


def trusting(keys: list[Path] | None, unsigned: bool = False) -> Trust:
    """Whose signatures count, as it was said on the command line."""
    from incrowd.audit.checked import Trust

    return Trust(tuple(keys or ()), unsigned)
