"""Any postcode or part of one, looked up: its format, its components, and how many people are in each.

What is not counted is *not known*, and that is never enough: the census inside ends at sectors and at the borders of
England and Wales, and a file of yours ends where it ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from incrowd.errors import InputError
from incrowd.keys.postcodes import (
    COMPONENTS,
    NAMES,
    NATIONS,
    Component,
    Kind,
    NoPostcode,
    Postcode,
    coarsen,
    format_of,
    kind_of,
    parse,
    read_component,
)
from incrowd.postcodes.census import Authority, area_names
from incrowd.postcodes.count import Groups, Places

#: Where a group stands: fewer than the threshold, at least so many, or nobody counted there.
Standing = Literal["below", "enough", "not known"]
_NATION = {"E": "England", "W": "Wales", "S": "Scotland", "N": "Northern Ireland", "C": "the Crown dependencies"}


@dataclass(frozen=True)
class Part:
    """One component of what was looked up: the people in it and where they stand, by population.

    `people` is empty where nobody was counted. `clipped`: the figures may be a part of it only. `note` says why.
    """

    component: Component
    code: str
    people: Mapping[str, int]
    standing: Mapping[str, Standing]
    clipped: bool
    note: str

    def same_as(self, other: Part) -> bool:
        """Whether it is the same group of people under the same name."""
        return (self.code, self.people) == (other.code, other.people)


@dataclass(frozen=True)
class Inside:
    """The groups of a finer component that lie in what was looked up, and how many of them are below the threshold."""

    component: str
    groups: int
    below: Mapping[str, int]


@dataclass(frozen=True)
class Lookup:
    """What was looked up, component by component, the coarsest first.

    `also` are other readings of the text: NE31 is a district, NE3 1 a sector. `real` and `authority` are known only
    where a directory of real postcodes was asked; `authority_code` may be one that the list of authorities lacks.
    """

    text: str
    code: str
    component: Component
    format: str
    kind: Kind
    area_name: str | None
    source: str
    threshold: int
    populations: tuple[str, ...]
    parts: tuple[Part, ...]
    inside: tuple[Inside, ...]
    also: tuple[str, ...]
    real: bool | None = None
    authority_code: str | None = None
    authority: Authority | None = None

    def part(self, component: str) -> Part | None:
        """One of its components, if it has it."""
        return next((part for part in self.parts if part.component == component), None)

    def finest(self, population: str) -> Part | None:
        """The finest of its components that is large enough. A sub-district that is all of a district is that."""
        enough = [part for part in self.parts if part.standing[population] == "enough"]
        if len(enough) > 1 and enough[-1].component == "subdistrict" and enough[-1].same_as(enough[-2]):
            enough.pop()
        return enough[-1] if enough else None

    @property
    def notes(self) -> dict[str, list[str]]:
        """What is to be said of its components, and of which."""
        found: dict[str, list[str]] = {}
        for part in self.parts:
            if part.note:
                found.setdefault(part.note, []).append(f"{NAMES.get(part.component, part.component)} {part.code}")
        return found

    def told(self, population: str) -> str:
        """The verdict in a sentence."""
        best = self.finest(population)
        if best is not None:
            word = NAMES.get(best.component, best.component)
            which = "" if best.code == self.code else f", the finest of {self.code} that is known to be large enough"
            return f"The {word} {best.code} has {best.people[population]:,} {population}{which}."
        if any(part.people for part in self.parts):
            return f"Nothing of {self.code} that is counted has {self.threshold:,} {population}."
        return f"How many {population} are in {self.code} is not known."

    def to_dict(self) -> dict[str, object]:
        """Everything that is shown, for JSON."""
        return {**asdict(self), "finest": {name: _code(self.finest(name)) for name in self.populations}}


def look_up(places: Places, text: str, threshold: int = 1_000) -> Lookup | NoPostcode:
    """How many people share this postcode, its sector, district and area? Any case and spacing, any part of one.

    The figures are those of `places`: the census inside, or a file of yours. It misleads where people moved since they
    were counted, and where a code of good form was never given out: then nobody is counted there.

    >>> from incrowd.postcodes.census import read_census
    >>> found = look_up(read_census(), "ne3 1ed")
    >>> found.format, [(part.code, part.people.get("people")) for part in found.parts]
    ('AA9 9AA', [('NE', 1162976), ('NE3', 53772), ('NE3', 53772), ('NE3 1', 9178), ('NE3 1ED', None)])
    """
    if threshold < 1:
        raise InputError("D173", "the threshold must be 1 or more.")
    if places.finest not in COMPONENTS:
        raise InputError("D400", f"{places.source} is not counted by UK postcode.", "Only UK postcodes are looked up.")
    read = parse(text)
    readings: tuple[tuple[Component, str], ...]
    if isinstance(read, Postcode):
        readings = (("unit", read.unit),)
    elif not (readings := read_component(text)):
        return read
    component, code = readings[0]
    area = coarsen(code, component, "area")
    parts = tuple(_parts(places, component, code, threshold))
    return Lookup(
        text, code, component, format_of(code), kind_of(area), area_names().get(area), places.source, threshold,
        places.populations, parts, tuple(_inside(places, component, code, threshold)),
        tuple(other for _, other in readings[1:]),
    )  # fmt: skip


def _parts(places: Places, finest: Component, code: str, threshold: int) -> Iterator[Part]:
    for component in COMPONENTS[: COMPONENTS.index(finest) + 1]:
        yield _part(places, component, coarsen(code, finest, component), threshold)


def _part(places: Places, component: Component, code: str, threshold: int) -> Part:
    groups = places.at(component) if component in places.components else None
    if groups is None or code not in groups.codes:
        standing: dict[str, Standing] = dict.fromkeys(places.populations, "not known")
        return Part(component, code, {}, standing, False, _why_not(places, component, code))
    people = _people(groups, code)
    clipped = code in places.clipped(component)
    standing = {name: "enough" if number >= threshold else "below" for name, number in people.items()}
    note = _clipping(places, component, code) if clipped else ""
    if component == "subdistrict" and code == coarsen(code, component, "district"):
        whole = people == _people(places.at("district"), code)
        note = note or ("it has no letter: the district" if whole else "what of the district has no letter")
    return Part(component, code, people, standing, clipped, note)


def _people(groups: Groups, code: str) -> dict[str, int]:
    at = groups.codes.index(code)
    return {name: int(values[at]) for name, values in groups.sizes.items()}


def _why_not(places: Places, component: Component, code: str) -> str:
    """Why nobody is counted there."""
    nations = NATIONS.get(coarsen(code, component, "area"), "")
    if not nations:
        return "it is no place where people live"
    if component not in places.components:
        return f"{places.source} ends at {NAMES.get(places.finest, places.finest)}s"
    if places.covered and not set(nations) & places.covered:
        covered = "".join(nation for nation in _NATION if nation in places.covered)
        return f"it lies in {_names(nations)}, and {places.source} covers {_names(covered)}"
    return f"{places.source} has nobody there: it is newer, without residents, or was never given out"


def _clipping(places: Places, component: Component, code: str) -> str:
    area = coarsen(code, component, "area")
    beyond = "".join(nation for nation in NATIONS[area] if nation not in places.covered)
    return f"perhaps a part only: {area} reaches into {_names(beyond)}, which {places.source} leaves out"


def _names(nations: str) -> str:
    return " and ".join(_NATION[nation] for nation in nations)


def _inside(places: Places, component: Component, code: str, threshold: int) -> Iterator[Inside]:
    finer = COMPONENTS[COMPONENTS.index(component) + 1 :]
    for name in (name for name in finer if name in places.components):
        groups = places.at(name)
        own = [i for i, one in enumerate(groups.codes) if coarsen(one, name, component) == code]
        if own and [groups.codes[i] for i in own] != [code]:
            below = {each: int((values[own] < threshold).sum()) for each, values in groups.sizes.items()}
            yield Inside(name, len(own), below)


def _code(part: Part | None) -> str | None:
    return part.code if part else None
