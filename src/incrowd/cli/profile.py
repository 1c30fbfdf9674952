"""incrowd profile: what is in a file."""

from __future__ import annotations

import json
from typing import Any

from incrowd.cli import root
from incrowd.cli._options import Codes, Data, Header, Json, name_of
from incrowd.cli._reading import Unit, reads
from incrowd.cli._terminal import say


@root.command()
@reads
def profile(
    data: Data,
    json_: Json = False,
    header: Header = False,
    codes: Codes = None,
    unit: Unit = None,
    **reading: Any,
) -> None:
    """What is in a file: types, distinct and missing values, and which role each column suggests.

    Names, e-mail addresses, NHS and National Insurance numbers, phone numbers, postcodes and dates of birth are
    recognised, and so are codes for missing values (-9, 99, not applicable). What an SPSS or Stata file says of itself,
    or a file of codes, is used. No value of the file is shown.
    """
    from incrowd.cli._show import show_profile
    from incrowd.tasks.profile import profile as measure

    found = measure(data, header=header, codes=codes, unit=unit, **reading)
    if json_:
        say(json.dumps(found.to_dict(), indent=1))
    else:
        show_profile(found, name_of(data))
