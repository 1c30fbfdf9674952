"""incrowd profile: what is in a file."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from incrowd.cli import root
from incrowd.cli._options import Data, Header, Json
from incrowd.cli._terminal import say


@root.command()
def profile(
    data: Data,
    json_: Json = False,
    delimiter: Annotated[str | None, typer.Option(help="For CSV files.")] = None,
    header: Header = False,
) -> None:
    """What is in a file: types, distinct and missing values, and which role each column suggests.

    Names, e-mail addresses, NHS and National Insurance numbers, phone numbers, postcodes and dates of birth are
    recognised. No value of the file is shown.
    """
    from incrowd.cli._show import show_profile
    from incrowd.tasks.profile import profile as measure

    found = measure(data, delimiter=delimiter, header=header)
    if json_:
        say(json.dumps(found.to_dict(), indent=1))
    else:
        show_profile(found, data.name)
