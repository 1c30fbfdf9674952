"""Steps that change values by chance or average them: pram, microaggregate, noise and shuffle.

Where people have several records (`data.unit`) all of them treat the person, not the record (rows/people.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from incrowd.keys.noise import LEAST, MOST
from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text

Share = Annotated[float, Field(gt=0, le=1)]
Decimals = Annotated[int, Field(ge=0, le=12)]
Strata = Annotated[
    list[Text], Field(default_factory=list, description="Only among records that are equal in these variables.")
]


class Perturbing(Step):
    """What these steps share: variables that they change, and perhaps strata that they stay within."""

    listed: ClassVar[int] = 9
    chance: ClassVar[bool] = True
    perturbs_records: ClassVar[bool] = True

    def named(self) -> list[tuple[str, str]]:
        """What it changes, and the strata."""
        changed = self.alters()
        places = ["variable"] if hasattr(self, "variable") else [f"variables.{i}" for i in range(len(changed))]
        strata = [(f"strata.{i}", name) for i, name in enumerate(self._strata())]
        return [*zip(places, changed, strict=True), *strata]

    def _strata(self) -> list[str]:
        return list(getattr(self, "strata", []))

    @model_validator(mode="after")
    def _once(self) -> Perturbing:
        names = [*self.alters(), *self._strata()]
        if len(set(names)) < len(names):
            raise ValueError("a variable is named twice, or is a stratum of itself")
        return self


class Pram(Perturbing):
    """Change the values of a category by chance, each as likely as a matrix says."""

    step: Literal["pram"]
    variable: Text
    rate: Share | None = Field(None, description="How likely a value changes, to each other value alike.")
    matrix: Annotated[Mapping[Text, Mapping[Text, Annotated[float, Field(ge=0, le=1)]]], Field(min_length=1)] | None = (
        Field(None, description="Instead of a rate: for each value, how likely it becomes which value.")
    )
    invariant: bool = Field(False, description="Make of it the matrix that keeps every value's expected count.")
    strata: Strata

    plainly: ClassVar[str] = "{variable}: some values were exchanged by chance"

    @model_validator(mode="after")
    def _one_matrix(self) -> Pram:
        if (self.rate is None) == (self.matrix is None):
            raise ValueError("pram needs either a rate or a matrix")
        for value, row in (self.matrix or {}).items():
            if abs(sum(row.values()) - 1) > 1e-9:
                raise ValueError(f"the probabilities of {value!r} do not add up to 1")
            if self.matrix is not None and (unknown := [name for name in row if name not in self.matrix]):
                raise ValueError(f"{unknown[0]!r} can be reached and has no row of its own")
        return self

    def alters(self) -> list[str]:
        """One variable."""
        return [self.variable]


class Numeric(Perturbing):
    """What steps on numbers share."""

    variables: Annotated[list[Text], Field(min_length=1)]
    decimals: Decimals | None = Field(None, description="How many decimals are released.")

    def amounts(self) -> list[tuple[str, str]]:
        """All its variables."""
        return [(f"variables.{i}", name) for i, name in enumerate(self.variables)]

    def alters(self) -> list[str]:
        """All its variables."""
        return self.variables

    def coarsens(self, keys: Sequence[str]) -> set[str]:
        """All its variables: no condition finds the old numbers."""
        return set(self.variables)


class Microaggregate(Numeric):
    """Replace numbers by the mean of a group of k to 2k - 1 similar records. All numbers are taken into memory."""

    step: Literal["microaggregate"]
    k: Annotated[int, Field(ge=2)] = Field(
        description="The fewest records in a group; people, where they have several records."
    )
    method: Literal["mdav", "univariate"] = Field(
        "mdav", description="mdav: groups by all variables together; univariate: each variable alone, the optimum."
    )
    strata: Strata

    plainly: ClassVar[str] = "{variables}: numbers were replaced by the mean of a small group"


class Noise(Numeric):
    """Add normal noise to numbers."""

    step: Literal["noise"]
    share: Annotated[float, Field(ge=1e-9, le=10)] | None = Field(
        None, description="The standard deviation of the noise, as a share of the variable's own."
    )
    sd: Annotated[float, Field(ge=LEAST, le=MOST)] | None = Field(
        None, description="Instead of a share: the standard deviation of the noise, in the variable's unit."
    )
    correlated: bool = Field(False, description="With share: noise that varies together as the variables do.")

    plainly: ClassVar[str] = "{variables}: some noise was added by chance"
    apart: bool = Field(
        False,
        description="Where people have several records: also noise of its own, as large again, for each value of a "
        "person. Without it, differences between their records stay exact.",
    )

    # One path of growing noise for each record and variable: the size says how far along it (keys/noise.py).
    nested: ClassVar[frozenset[str]] = frozenset({"share", "sd", "decimals", "variables", "apart"})

    @property
    def needs_unit(self) -> bool:
        """Where each value of a person has noise of its own."""
        return self.apart

    @model_validator(mode="after")
    def _one_size(self) -> Noise:
        if (self.share is None) == (self.sd is None):
            raise ValueError("noise needs either a share or an sd")
        if self.correlated and self.share is None:
            raise ValueError("correlated goes with share")
        if self.correlated and self.apart:
            raise ValueError("correlated does not go with apart: variables that stay would tell the noise of others")
        return self


class Shuffle(Perturbing):
    """Deal the values of some variables out anew among the records, within strata."""

    step: Literal["shuffle"]
    variables: Annotated[list[Text], Field(min_length=1)] = Field(description="They move together.")
    strata: Strata

    plainly: ClassVar[str] = "{variables}: values were dealt out anew among similar records"

    def alters(self) -> list[str]:
        """All its variables."""
        return self.variables
