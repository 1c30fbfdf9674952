"""How a plan names a licence: by an identifier that open-data portals know, or by name and address."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from incrowd.plan.strict import Strict, Text


class Licence(Strict):
    """Under which terms a release may be used."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")] = Field(
        description="Its short name, without spaces."
    )
    url: Annotated[str, Field(pattern=r"^https?://\S+$")] = Field(description="Where its text is.")
    title: Text | None = Field(None, description="Its full name.")


_OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
_COMMONS = "https://creativecommons.org"
_DATA = "https://opendatacommons.org/licenses"

#: Licences that an identifier is enough for.
KNOWN: dict[str, Licence] = {
    licence.name: licence
    for licence in (
        Licence(name="OGL-UK-3.0", url=_OGL, title="Open Government Licence v3.0"),
        Licence(name="CC-BY-4.0", url=f"{_COMMONS}/licenses/by/4.0/", title="Creative Commons Attribution 4.0"),
        Licence(name="CC0-1.0", url=f"{_COMMONS}/publicdomain/zero/1.0/", title="Creative Commons Zero 1.0"),
        Licence(name="ODC-By-1.0", url=f"{_DATA}/by/1-0/", title="Open Data Commons Attribution License 1.0"),
        Licence(name="ODbL-1.0", url=f"{_DATA}/odbl/1-0/", title="Open Database License 1.0"),
    )
}


def _full(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value not in KNOWN:
        raise ValueError(f"the licences known by name are {', '.join(KNOWN)}; give others as name and url")
    return KNOWN[value]


AnyLicence = Annotated[Licence, BeforeValidator(_full)]
