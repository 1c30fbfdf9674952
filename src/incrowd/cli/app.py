"""incrowd app: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli import root
from incrowd.cli._terminal import say


@root.command()
def app(
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port on this machine.")] = 8501,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it where there is a screen.")] = True,
    folder: Annotated[
        Path | None, typer.Option(help="Where the plans of files on this machine are put; here when left out.")
    ] = None,
    upload: Annotated[int, typer.Option(min=1, max=100_000, help="Megabytes that an uploaded file may have.")] = 2000,
    host: Annotated[
        str | None,
        typer.Option(
            help="The address to listen on, for other machines too: they need the token, and may only upload."
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="A name that others use, also through a proxy; may be repeated. They need the token, and only upload."
        ),
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="INCROWD_APP_TOKEN", help="Ask for this token also on this machine.")
    ] = None,
) -> None:
    """Start the workbench in the browser: from a file to a release, page by page. It sends nothing anywhere.

    It listens to this machine only, needs no terminal, asks nothing, and ends with this command: by Ctrl-C, or however
    that ends. What is edited is a plan.yaml; `incrowd run` does the same with it.
    """
    from incrowd.tasks.app import app as start

    code = start(port, host=host, token=token, names=name or (), upload=upload, folder=folder, browser=browser, say=say)
    raise typer.Exit(code)
