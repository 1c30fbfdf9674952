"""incrowd app: the workbench in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from incrowd.cli import root
from incrowd.cli._terminal import say


@root.command()
def app(
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on this machine.")] = 8501,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it where there is a screen.")] = True,
) -> None:
    """Start the workbench in the browser. It listens to this machine only, and sends nothing anywhere.

    It needs no terminal, asks nothing, and ends with this command: by Ctrl-C, or however that ends.
    """
    from incrowd.tasks.app import app as start

    raise typer.Exit(start(port, browser=browser, say=say))
