"""incrowd app: the workbench in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from incrowd.cli import app


@app.command("app")
def workbench(
    port: Annotated[int, typer.Option(help="The port on this machine.")] = 8501,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in the browser.")] = True,
) -> None:
    """Start the workbench in the browser. It listens to this machine only, and sends nothing anywhere."""
    from incrowd.app import start

    raise typer.Exit(start(port, browser))
