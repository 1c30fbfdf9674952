"""How many people share a postcode, its sector, district and area? By the census inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from incrowd.keys.postcodes import NoPostcode
from incrowd.postcodes import Lookup, look_up, read_census
from incrowd.postcodes.census import authorities
from incrowd.postcodes.directory import read_directory
from incrowd.rows.result import Line, Listing

Population = Literal["people", "males", "females", "households"]


@dataclass(frozen=True, repr=False)
class PostcodeLookups(Listing[Lookup | NoPostcode]):
    """What each text is, and how many people are in each of its components; or why it is no postcode."""

    texts: tuple[str, ...]
    items: tuple[Lookup | NoPostcode, ...]
    threshold: int
    population: Population

    @property
    def good(self) -> tuple[Lookup, ...]:
        """Those that could be looked up."""
        return tuple(one for one in self.items if isinstance(one, Lookup))

    def _told(self) -> str:
        if len(self.items) == len(self.good) == 1:
            return self.good[0].told(self.population)
        return f"{len(self.good)} of {len(self.items)} texts are postcodes or parts of one"

    def _names(self) -> Sequence[str]:
        return ("text", "component", "code", *read_census().populations, "standing", "why not")

    def _lines(self) -> Iterable[Line]:
        return [line for text, one in zip(self.texts, self.items, strict=True) for line in self._of(text, one)]

    def _of(self, text: str, one: Lookup | NoPostcode) -> list[Line]:
        names = read_census().populations
        if isinstance(one, NoPostcode):
            return [{**dict.fromkeys(self._names()), "text": text, "why not": one.words}]
        return [
            {
                "text": text, "component": part.component, "code": part.code,
                **{name: part.people.get(name) for name in names}, "standing": part.standing[self.population],
                "why not": None if part.people else part.note,
            }
            for part in one.parts
        ]  # fmt: skip


def postcode_lookup(
    texts: str | Sequence[str],
    *,
    threshold: int = 1_000,
    population: Population = "people",
    real: bool = False,
) -> PostcodeLookups:
    """Look up postcodes, or areas, districts and sectors, in the census of England and Wales 2011, which is inside.

    Each gives its format, its components and the people in them; `standing` says of the `population` whether a
    component has at least `threshold`. What is not counted (whole postcodes, other nations) is 'not known', never
    enough. With `real` a whole postcode is looked up among all real ones, for its local authority and regions (needs
    the extra `postcodes`).

    >>> ic.postcode_lookup("ne3 1ed").to_pandas()[["component", "code", "people", "standing"]]
    """
    given = (texts,) if isinstance(texts, str) else tuple(texts)
    places = read_census()
    found = tuple(look_up(places, text, threshold) for text in given)
    if real:
        codes = _authority_codes([one.code for one in found if isinstance(one, Lookup) and one.component == "unit"])
        found = tuple(_placed(one, codes) for one in found)
    return PostcodeLookups(given, found, threshold, population)


def _authority_codes(units: Sequence[str]) -> dict[str, str | None]:
    """The local authority of each unit: an empty text where it has none, None where there is no such postcode."""
    directory = read_directory("".join(sorted({unit[0] for unit in units}))) if units else None
    return {unit: directory.authority(unit) for unit in units} if directory else {}


def _placed(one: Lookup | NoPostcode, codes: Mapping[str, str | None]) -> Lookup | NoPostcode:
    if isinstance(one, NoPostcode) or one.code not in codes:
        return one
    code = codes[one.code]
    return replace(one, real=code is not None, authority_code=code or None, authority=authorities().get(code or ""))
