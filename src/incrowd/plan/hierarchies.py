"""How a plan names the hierarchy of a key: a file, or a rule that builds it from the values."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from incrowd.keys.dates import tells
from incrowd.keys.hierarchies.nesting import (
    DATE_PARTS,
    components_nest,
    cuts_nest,
    numbers_fall,
    parts_nest,
    widths_nest,
)
from incrowd.keys.hierarchies.postcodes import LEVELS
from incrowd.keys.postcodes import COMPONENTS, Component
from incrowd.plan.lookups import KNOWN, AnyLookup, Lookup, lookup_file
from incrowd.plan.strict import Number, Strict, Text
from incrowd.rows.areas import LEVELS as AREAS
from incrowd.rows.areas import AreaLevel

Rising = Annotated[list[Number], Field(min_length=1)]


class HierarchyRule(Strict):
    """Exactly one way to coarsen a key, level by level. A text alone is a file; `auto` looks at the data, `postcode`
    knows UK postcodes, `itl` the regions of UK local authorities.
    """

    file: Text | None = Field(
        None,
        description="A CSV file in ARX's format: no header, first column the leaf. With to: a CSV file with a header.",
    )
    from_: Text | None = Field(
        None, alias="from", description="With file and to: the column with the values; the first when left out."
    )
    to: Annotated[list[Text], Field(min_length=1)] | None = Field(
        None, description="With file: the columns with their coarser names, the finest first."
    )
    auto: bool | None = Field(
        None, description="Build it from the variable's scale, its codes, and how its values are distributed."
    )
    cuts: Annotated[list[Rising], Field(min_length=1)] | None = Field(
        None, description="Bands by cut points, a list for each level, the finest first."
    )
    widths: Rising | None = Field(None, description="Bands of equal width, a width for each level.")
    quantiles: Annotated[list[Annotated[int, Field(ge=2)]], Field(min_length=1)] | None = Field(
        None, description="Bands with equally many people, a number of bands for each level, the largest first."
    )
    prefixes: list[Annotated[int, Field(ge=1)]] | None = Field(
        None, description="Lengths of the beginnings to keep, falling; an empty list takes every useful length."
    )
    date_parts: list[Literal["month", "quarter", "year", "decade"]] | None = None
    date_format: Text | None = Field(None, description="With date_parts: how dates are written.")
    mappings: Annotated[list[dict[str, str]], Field(min_length=1)] | None = Field(
        None, description="New names for values, then new names for those, and so on."
    )
    order: Annotated[list[Text], Field(min_length=2)] | None = Field(
        None, description="With groups: the values in their order."
    )
    groups: Annotated[list[Annotated[int, Field(ge=2)]], Field(min_length=1)] | None = Field(
        None,
        description="How many neighbours are put together, level by level: in the order given, or that of an ordinal "
        "variable (as its codes are listed, or by number).",
    )

    postcode: Annotated[list[Component], Field(min_length=1)] | None = Field(
        None, description="Components of UK postcodes, the finest first. The text `postcode` alone takes them all."
    )
    regions: AnyLookup | None = Field(
        None,
        description="With postcode: a CSV file with the region of each code of the last component; with its columns as "
        "`{file: ..., from: column, to: column}`.",
    )
    itl: Annotated[list[AreaLevel], Field(min_length=1)] | None = Field(
        None,
        description="Regions of UK local authorities, by code or name, the finest first. The text `itl` alone: all.",
    )
    others: Text | None = Field(
        None, description="With postcode or itl: the name of values that are no postcodes, or no local authorities."
    )

    @property
    def way(self) -> str:
        """Which rule is used."""
        return next(way for way in _WAYS if getattr(self, way) is not None)

    @property
    def takes_neighbours(self) -> bool:
        """Whether values go together that are neighbours by their number, or in the order of the variable."""
        return self.way in ("cuts", "widths", "quantiles") or (self.groups is not None and self.order is None)

    @property
    def region_table(self) -> Lookup | None:
        """The file of the regions of postcodes, with its columns."""
        return Lookup(file=self.regions) if isinstance(self.regions, str) else self.regions

    def files(self, place: str) -> dict[str, str]:
        """The file that it reads, by its place in the plan."""
        if isinstance(self.regions, Lookup):
            return {f"{place}.regions": self.regions.file}
        file = self.file or lookup_file(self.regions)
        return {} if file is None else {place: file}

    @model_validator(mode="after")
    def _one_way(self) -> HierarchyRule:
        if sum(getattr(self, way) is not None for way in _WAYS) != 1:
            raise ValueError(f"a hierarchy needs exactly one of {', '.join(_WAYS)}")
        if self.order is not None and self.groups is None:
            raise ValueError("order goes with groups")
        if self.to is not None and self.file is None:
            raise ValueError("to goes with file")
        if self.from_ is not None and self.to is None:
            raise ValueError("from needs to: the columns with the coarser names")
        if self.date_format is not None and self.date_parts is None:
            raise ValueError("date_format goes with date_parts")
        if self.postcode is None and self.regions is not None:
            raise ValueError("regions go with postcode")
        if self.postcode is None and self.itl is None and self.others is not None:
            raise ValueError("others goes with postcode or itl")
        if self.regions in KNOWN:
            raise ValueError("regions of postcodes need a file: itl1 to itl3 are those of local authorities")
        if self.auto is False:
            raise ValueError("auto can only be true")
        if not self._nests():
            raise ValueError(f"the levels of {self.way} do not nest: {_NESTED[self.way]}")
        if self.date_format is not None and not tells(self.date_format, "year"):
            raise ValueError("date_format is no pattern of a date, such as %d/%m/%Y")
        return self

    def _nests(self) -> bool:
        match self.way:
            case "cuts":
                return cuts_nest(self.cuts or [])
            case "widths":
                return widths_nest(self.widths or [])
            case "quantiles":
                return numbers_fall(self.quantiles or [], 2)
            case "prefixes":
                return numbers_fall(self.prefixes or [], 1)
            case "date_parts":
                return parts_nest(self.date_parts or [])
            case "postcode":
                return components_nest(self.postcode or [])
            case "itl":
                return (self.itl or []) == [level for level in AREAS if level in (self.itl or [])]
            case _:
                return True


#: What a coarser level may be, by the way.
_NESTED = {
    "cuts": "a coarser level may only leave cut points out",
    "widths": "each must be above 0 and a multiple of the one before, such as 5, 10, 20",
    "quantiles": "they must fall",
    "prefixes": "they must fall",
    "date_parts": f"their order is {', '.join(DATE_PARTS)}",
    "postcode": f"their order is {', '.join(reversed(COMPONENTS))}",
    "itl": f"their order is {', '.join(AREAS)}",
}
_WAYS = (
    "file", "auto", "cuts", "widths", "quantiles", "prefixes", "date_parts", "mappings", "groups", "postcode", "itl",
)  # fmt: skip


def _short(value: Any) -> Any:
    if isinstance(value, str):
        short: dict[str, Any] = {
            "auto": {"auto": "true"}, "postcode": {"postcode": list(LEVELS)}, "itl": {"itl": list(AREAS)},
        }  # fmt: skip
        return short.get(value, {"file": value})
    return value


AnyHierarchy = Annotated[HierarchyRule, BeforeValidator(_short)]
