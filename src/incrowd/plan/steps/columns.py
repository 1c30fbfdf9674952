"""Steps on whole columns: drop and pseudonymise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text


class Drop(Step):
    """Remove whole columns."""

    step: Literal["drop"]
    variables: Annotated[list[Text], Field(min_length=1)]

    only_coarsens: ClassVar[bool] = True

    def named(self) -> list[tuple[str, str]]:
        """The dropped columns."""
        return [(f"variables.{i}", name) for i, name in enumerate(self.variables)]

    def alters(self) -> list[str]:
        """All of them."""
        return self.variables

    def after(self, there: list[str], identifiers: Sequence[str]) -> list[str]:
        """The others."""
        return [name for name in there if name not in self.variables]


class Pseudonymise(Step):
    """Replace identifiers by HMAC-SHA3-256 of them under the secret, in one new column."""

    step: Literal["pseudonymise"]
    variables: Annotated[list[Text], Field(min_length=1, description="Columns that name a person together.")]
    into: Text = Field(description="The name of the new column. The old identifiers among the variables go.")
    number: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="The number that the pseudonyms are keyed by; left out, the step's place among the steps, from 1. "
        "Written down, it keeps people's pseudonyms as they are when steps before this one come or go.",
    )

    only_coarsens: ClassVar[bool] = True

    def named(self) -> list[tuple[str, str]]:
        """The columns that name a person."""
        return [(f"variables.{i}", name) for i, name in enumerate(self.variables)]

    def after(self, there: list[str], identifiers: Sequence[str]) -> list[str]:
        """Without the identifiers it used, with the pseudonym."""
        gone = set(self.variables) & set(identifiers)
        return [name for name in [*there, self.into] if name not in gone]
