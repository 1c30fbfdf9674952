"""The step recode."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from incrowd.keys.labels import is_date_format
from incrowd.keys.postcodes import Component
from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Number, Text

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
    date_part: Literal["decade", "year", "quarter", "month"] | None = None
    date_format: Text | None = Field(None, description="With date_part: how dates are written, e.g. %d/%m/%Y.")
    prefix: Annotated[int, Field(ge=1)] | None = Field(None, description="How many first characters to keep.")
    lookup: Text | None = Field(
        None, description="A CSV file with a header: first column the value, second its new name."
    )
    hierarchy: Text | None = Field(None, description="A hierarchy file in ARX's format.")
    postcode: Component | None = Field(None, description="Which component of a UK postcode to keep.")
    level: Annotated[int, Field(ge=1)] | None = Field(None, description="With hierarchy: which column of it.")

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
        if self.date_format is not None and not is_date_format(self.date_format):
            raise ValueError("date_format is no pattern of a date, such as %d/%m/%Y")
        if self.bands is not None and any(a >= b for a, b in zip(self.bands, self.bands[1:], strict=False)):
            raise ValueError("bands must rise")
        if self.labels is not None and self.bands is not None and len(self.labels) != len(self.bands):
            raise ValueError("bands need as many labels as there are bands")
        return self

    def named(self) -> list[tuple[str, str]]:
        """One variable."""
        return [("variable", self.variable)]

    def alters(self) -> list[str]:
        """That variable."""
        return [self.variable]

    def files(self) -> dict[str, str]:
        """A lookup or a hierarchy."""
        return {way: file for way in ("lookup", "hierarchy") if (file := getattr(self, way)) is not None}
