"""How a plan names the hierarchy of a key: a file, or a rule that builds it from the values."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from incrowd.keys.hierarchies.nesting import (
    DATE_PARTS,
    components_nest,
    cuts_nest,
    numbers_fall,
    parts_nest,
    widths_nest,
)
from incrowd.keys.hierarchies.postcodes import LEVELS
from incrowd.keys.labels import is_date_format
from incrowd.keys.postcodes import COMPONENTS, Component
from incrowd.plan.strict import Number, Strict, Text

Rising = Annotated[list[Number], Field(min_length=1)]


class HierarchyRule(Strict):
    """Exactly one way to coarsen a key, level by level. A text alone is a file; `auto` looks at the data, `postcode`
    knows UK postcodes.
    """

    file: Text | None = Field(None, description="A CSV file in ARX's format: no header, first column the leaf.")
    auto: bool | None = Field(None, description="Build it from how the values are distributed.")
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
    order: Annotated[list[Text], Field(min_length=2)] | None = Field(None, description="The values in their order.")
    groups: Annotated[list[Annotated[int, Field(ge=2)]], Field(min_length=1)] | None = Field(
        None, description="With order: how many neighbours are put together, level by level."
    )

    postcode: Annotated[list[Component], Field(min_length=1)] | None = Field(
        None, description="Components of UK postcodes, the finest first. The text `postcode` alone takes them all."
    )
    regions: Text | None = Field(
        None, description="With postcode: a CSV file with the region of each code of the last component."
    )
    others: Text | None = Field(None, description="With postcode: the name of values that are no postcodes.")

    @property
    def way(self) -> str:
        """Which rule is used."""
        return next(way for way in _WAYS if getattr(self, way) is not None)

    @model_validator(mode="after")
    def _one_way(self) -> HierarchyRule:
        if sum(getattr(self, way) is not None for way in _WAYS) != 1:
            raise ValueError(f"a hierarchy needs exactly one of {', '.join(_WAYS)}")
        if (self.order is None) != (self.groups is None):
            raise ValueError("order and groups go together")
        if self.date_format is not None and self.date_parts is None:
            raise ValueError("date_format goes with date_parts")
        if self.postcode is None and (self.regions is not None or self.others is not None):
            raise ValueError("regions and others go with postcode")
        if self.auto is False:
            raise ValueError("auto can only be true")
        if not self._nests():
            raise ValueError(f"the levels of {self.way} do not nest: {_NESTED[self.way]}")
        if self.date_format is not None and not is_date_format(self.date_format):
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
}
_WAYS = ("file", "auto", "cuts", "widths", "quantiles", "prefixes", "date_parts", "mappings", "order", "postcode")


def _short(value: Any) -> Any:
    if isinstance(value, str):
        short: dict[str, Any] = {"auto": {"auto": "true"}, "postcode": {"postcode": list(LEVELS)}}
        return short.get(value, {"file": value})
    return value


AnyHierarchy = Annotated[HierarchyRule, BeforeValidator(_short)]
