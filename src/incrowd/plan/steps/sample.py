"""The step sample."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text


class Sample(Step):
    """Keep a random part of the people, drawn by the secret: of records, of people, or of whole households."""

    step: Literal["sample"]
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = Field(None, description="The share that stays.")
    count: Annotated[int, Field(ge=1)] | None = Field(None, description="Or how many stay.")
    by: list[Text] = Field(
        default_factory=list, description="Variables to stratify by: each stratum keeps its share of the sample."
    )
    households: bool = Field(False, description="Draw whole households (data.household).")

    plainly: ClassVar[str] = "a part of the records was drawn by chance, and only these stay"
    listed: ClassVar[int] = 6
    chance: ClassVar[bool] = True

    @model_validator(mode="after")
    def _one_size(self) -> Sample:
        if (self.fraction is None) == (self.count is None):
            raise ValueError("a sample needs either a fraction or a count")
        return self

    @property
    def samples(self) -> bool:
        """Every class gets smaller."""
        return True

    def together(self, household: str | None) -> bool:
        """When asked."""
        return self.households

    def named(self) -> list[tuple[str, str]]:
        """The strata."""
        return [(f"by.{i}", name) for i, name in enumerate(self.by)]
