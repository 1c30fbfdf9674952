"""The steps swap and rank_swap."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Strict, Text


class Targets(Strict):
    """Whom to swap because they stand out."""

    keys: Annotated[list[Text], Field(min_length=1)] = Field(description="The keys whose classes are looked at.")
    fewer_than: Annotated[int, Field(ge=2)] = Field(
        2, description="Records in classes with fewer people than this are targets; 2 means the uniques."
    )
    among: Literal["file", "population"] = Field(
        "file", description="Where the people of a class are counted; with population, in data.population."
    )


class Swap(Step):
    """Exchange the geography of records that are alike otherwise: those who stand out, and others at random."""

    step: Literal["swap"]
    geography: Annotated[list[Text], Field(min_length=1)] = Field(
        description="The variables that say where, the coarsest first: [region, district]. All are exchanged."
    )
    targets: Targets | None = Field(None, description="Whom to swap because they stand out; nobody when left out.")
    rate: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="The share of the others that is swapped at random, so that a swap proves nothing."
    )
    similar: list[Text] = Field(
        default_factory=list, description="Donors have the same values here, so their counts by area stay the same."
    )
    households: bool | None = Field(
        None, description="Whether whole households move; they do where data.household is named."
    )

    plainly: ClassVar[str] = "{geography}: places of some similar records were exchanged by chance"
    listed: ClassVar[int] = 7
    chance: ClassVar[bool] = True

    @model_validator(mode="after")
    def _somebody(self) -> Swap:
        if self.targets is None and not self.rate:
            raise ValueError("a swap needs targets, a rate, or both")
        if len(set(self.geography)) < len(self.geography) or set(self.geography) & set(self.similar):
            raise ValueError("a variable is named twice; donors cannot be alike in where they live")
        return self

    def together(self, household: str | None) -> bool:
        """Where there are households, unless the plan says no."""
        return household is not None if self.households is None else self.households

    @property
    def needs_population(self) -> bool:
        """Where targets are counted there."""
        return self.targets is not None and self.targets.among == "population"

    def named(self) -> list[tuple[str, str]]:
        """Geography, what donors share, and the keys of the targets."""
        tables = {"geography": self.geography, "similar": self.similar, "targets.keys": self._keys()}
        return [(f"{field}.{i}", name) for field, names in tables.items() for i, name in enumerate(names)]

    def needs_keys(self) -> set[str]:
        """What targets are counted by."""
        return {f"targets.keys.{i}" for i, _ in enumerate(self._keys())}

    def alters(self) -> list[str]:
        """Where people live."""
        return self.geography

    def _keys(self) -> list[str]:
        return [] if self.targets is None else self.targets.keys


class RankSwap(Step):
    """Exchange the numbers of records that are close in rank."""

    step: Literal["rank_swap"]
    variable: Text
    within: Annotated[float, Field(gt=0, le=1)] = Field(
        description="How far apart two ranks may be, as a share of the records, or people, with a number: 0.05 is 5%."
    )

    plainly: ClassVar[str] = "{variable}: values close to each other were exchanged by chance"
    listed: ClassVar[int] = 7
    chance: ClassVar[bool] = True

    def ordered(self) -> list[tuple[str, str]]:
        """One variable."""
        return self.named()

    def named(self) -> list[tuple[str, str]]:
        """One variable."""
        return [("variable", self.variable)]

    def alters(self) -> list[str]:
        """That variable."""
        return [self.variable]

    def randomises(self) -> list[str]:
        """That variable."""
        return [self.variable]
