"""The step recode."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from incrowd.keys.dates import MomentPart, tells
from incrowd.keys.postcodes import Component
from incrowd.plan.lookups import KNOWN, AnyLookup, Lookup, lookup_file
from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Number, Text
from incrowd.rows.areas import AreaLevel

_WAYS = ("bands", "mapping", "date_part", "prefix", "lookup", "hierarchy", "postcode")


class Recode(Step):
    """Say a variable more coarsely. Exactly one of the ways below."""

    step: Literal["recode"]
    variable: Text
    bands: Annotated[list[Number], Field(min_length=1)] | None = Field(
        None, description="Where each band starts: [16, 30, 45] gives 16-29, 30-44, 45+."
    )
    labels: list[Text] | None = Field(None, description="With bands: their names, as many as there are bands.")
    mapping: Annotated[dict[str, str], Field(min_length=1)] | None = Field(
        None, description="New names of values; values that are not mentioned stay, unless others is given."
    )
    others: Text | None = Field(
        None, description="With mapping, lookup or postcode: the name of all other values, or 'fault' to refuse them."
    )
    date_part: MomentPart | None = Field(
        None,
        description="decade (1980s), year, quarter (1984-Q3), month (1984-07), week (1984-W27, as ISO 8601 counts "
        "them); or what comes round again: month_of_year (July), weekday (Thursday), hour (17).",
    )
    date_format: Text | None = Field(
        None,
        description="With date_part: how dates are written, e.g. %d/%m/%Y or %d/%m/%Y %H:%M. Left out: 1984-07-05, "
        "with or without a time of day.",
    )
    prefix: Annotated[int, Field(ge=1)] | None = Field(None, description="How many first characters to keep.")
    lookup: AnyLookup | None = Field(
        None,
        description="A CSV file with a header: first column the value, second its new name; or `{file: ..., from: "
        "column, to: column}`; or itl1, itl2 or itl3: the region of a UK local authority, by its code or its name.",
    )
    hierarchy: Text | None = Field(None, description="A hierarchy file in ARX's format.")
    postcode: Component | None = Field(None, description="Which component of a UK postcode to keep.")
    level: Annotated[int, Field(ge=1)] | None = Field(None, description="With hierarchy: which column of it.")

    plainly: ClassVar[str] = "{variable}: put into coarser groups"
    listed: ClassVar[int] = 2
    only_coarsens: ClassVar[bool] = True
    done_to_original: ClassVar[bool] = True
    about_people: ClassVar[bool] = False

    @property
    def way(self) -> str:
        """Which way of recoding is used."""
        return next(way for way in _WAYS if getattr(self, way) is not None)

    @model_validator(mode="after")
    def _one_way(self) -> Recode:
        given = [way for way in _WAYS if getattr(self, way) is not None]
        if len(given) != 1:
            raise ValueError(f"a recode needs exactly one of {', '.join(_WAYS)}")
        belongs = {"labels": "bands", "date_format": "date_part", "level": "hierarchy"}
        for extra, way in belongs.items():
            if getattr(self, extra) is not None and given != [way]:
                raise ValueError(f"{extra} goes with {way}")
        if self.others is not None and given[0] not in ("mapping", "lookup", "postcode"):
            raise ValueError("others goes with mapping, lookup or postcode")
        if self.hierarchy is not None and self.level is None:
            raise ValueError("hierarchy needs a level")
        if self.date_format is not None and self.date_part is not None and not tells(self.date_format, self.date_part):
            raise ValueError(f"date_format is no pattern that tells the {self.date_part} of a date, such as %d/%m/%Y")
        if self.bands is not None and any(a >= b for a, b in zip(self.bands, self.bands[1:], strict=False)):
            raise ValueError("bands must rise")
        if self.labels is not None and self.bands is not None and len(self.labels) != len(self.bands):
            raise ValueError("bands need as many labels as there are bands")
        return self

    @property
    def regions(self) -> AreaLevel | None:
        """Which level of regions a lookup without a file names."""
        return self.lookup if self.lookup in KNOWN else None  # type: ignore[return-value]

    @property
    def table(self) -> Lookup | None:
        """The file of a lookup, with its columns."""
        if self.lookup is None or self.regions is not None:
            return None
        return self.lookup if isinstance(self.lookup, Lookup) else Lookup(file=self.lookup)

    def named(self) -> list[tuple[str, str]]:
        """One variable."""
        return [("variable", self.variable)]

    def ordered(self) -> list[tuple[str, str]]:
        """Where bands are made."""
        return [] if self.bands is None else [("bands", self.variable)]

    def alters(self) -> list[str]:
        """That variable."""
        return [self.variable]

    def files(self) -> dict[str, str]:
        """A lookup or a hierarchy."""
        named = {"lookup": lookup_file(self.lookup), "hierarchy": self.hierarchy}
        return {way: file for way, file in named.items() if file is not None}
