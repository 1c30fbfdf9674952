"""Steps on numbers: round, top_code and bottom_code."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Number, Text


class OneVariable(Step):
    """What steps on one variable share."""

    variable: Text

    listed: ClassVar[int] = 8

    def named(self) -> list[tuple[str, str]]:
        """One variable."""
        return [("variable", self.variable)]

    def alters(self) -> list[str]:
        """That variable."""
        return [self.variable]


class Round(OneVariable):
    """Round numbers to multiples of a base."""

    step: Literal["round"]
    base: Annotated[Number, Field(gt=0)] = Field(description="Numbers become multiples of it, such as 5.")
    how: Literal["nearest", "random"] = Field(
        "nearest",
        description="nearest: halves away from zero. random: up or down by the secret, so that means stay.",
    )

    plainly: ClassVar[str] = "{variable}: rounded"
    chance: ClassVar[bool] = True

    def amounts(self) -> list[tuple[str, str]]:
        """That variable."""
        return self.named()

    @property
    def perturbs(self) -> bool:
        """Where chance decides."""
        return self.how == "random"

    def randomises(self) -> list[str]:
        """Where chance decides."""
        return [self.variable] if self.how == "random" else []


class Coding(OneVariable):
    """What top and bottom coding share."""

    at: Number | None = Field(None, description="The number to stop at.")
    percentile: Annotated[float, Field(gt=0, lt=100)] | None = Field(
        None, description="Or the percentile of the file to stop at: a number that so many per cent do not exceed."
    )
    label: Text | None = Field(
        None, description="What stands for the rest, such as '65 and over'; the number itself when left out."
    )

    @model_validator(mode="after")
    def _one_end(self) -> Coding:
        if (self.at is None) == (self.percentile is None):
            raise ValueError("say where to stop: either at or percentile")
        return self

    def amounts(self) -> list[tuple[str, str]]:
        """That variable."""
        return self.named()

    def coarsens(self, keys: object) -> set[str]:
        """Where a percentile decides."""
        return {self.variable} if self.percentile is not None else set()


class TopCode(Coding):
    """Say all numbers from one on upwards as one value."""

    step: Literal["top_code"]

    plainly: ClassVar[str] = "{variable}: the largest values became one"


class BottomCode(Coding):
    """Say all numbers from one on downwards as one value."""

    step: Literal["bottom_code"]

    plainly: ClassVar[str] = "{variable}: the smallest values became one"


class MergeSmall(OneVariable):
    """Put the values of a variable that too few people have together, until every group is large enough."""

    plainly: ClassVar[str] = "{variable}: values that few have were put together"
    only_coarsens: ClassVar[bool] = True
    about_people: ClassVar[bool] = False

    step: Literal["merge_small"]
    fewer_than: Annotated[int, Field(ge=2)] = Field(description="Values with fewer people than this are merged.")
    into: Text | None = Field(None, description="The name of the one group that takes them all.")
    host: Text | None = Field(
        None,
        alias="with",
        description="A value that takes them in, however many people have it. The group keeps its name, unless `into` "
        "gives it another.",
    )
    hierarchy: Text | None = Field(
        None, description="Or a hierarchy file in ARX's format: each goes to its parent, and further up if need be."
    )

    @model_validator(mode="after")
    def _one_way(self) -> MergeSmall:
        if (self.into is None and self.host is None) == (self.hierarchy is None):
            raise ValueError("merge_small needs either a group (into, with) or a hierarchy")
        return self

    def files(self) -> dict[str, str]:
        """The hierarchy."""
        return {} if self.hierarchy is None else {"hierarchy": self.hierarchy}

    def coarsens(self, keys: object) -> set[str]:
        """The variable."""
        return {self.variable}
