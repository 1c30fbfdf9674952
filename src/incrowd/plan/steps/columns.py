"""Steps on whole columns: drop and pseudonymise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.errors import Fault
from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text


class Drop(Step):
    """Remove whole columns."""

    step: Literal["drop"]
    variables: Annotated[list[Text], Field(min_length=1)]

    plainly: ClassVar[str] = "{variables}: left out altogether"
    listed: ClassVar[int] = 1
    only_coarsens: ClassVar[bool] = True
    done_to_original: ClassVar[bool] = True

    def named(self) -> list[tuple[str, str]]:
        """The dropped columns."""
        return [(f"variables.{i}", name) for i, name in enumerate(self.variables)]

    def alters(self) -> list[str]:
        """All of them."""
        return self.variables

    def removes(self) -> list[str]:
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

    plainly: ClassVar[str] = "{variables}: replaced by a code that only the secret can make ({into})"
    listed: ClassVar[int] = 1
    only_coarsens: ClassVar[bool] = True

    def named(self) -> list[tuple[str, str]]:
        """The columns that name a person."""
        return [(f"variables.{i}", name) for i, name in enumerate(self.variables)]

    def after(self, there: list[str], identifiers: Sequence[str]) -> list[str]:
        """Without the identifiers it used, with the pseudonym."""
        gone = set(self.variables) & set(identifiers)
        return [name for name in [*there, self.into] if name not in gone]

    def faults(self, there: Sequence[str], keys: Sequence[str], identifiers: Sequence[str]) -> Iterator[Fault]:
        """The new column needs a name of its own, and an identifier to stand for."""
        into = self.into.lower()
        if into in [name.lower() for name in there]:
            yield Fault("P014", "into", f"there is a variable {self.into!r} already.")
        if into.startswith("incrowd_"):
            yield Fault("P014", "into", "incrowd uses names like this itself.", "Choose another.")
        if not set(self.variables) & set(identifiers):
            hint = "Without one the pseudonym is another name for keys, and undoes their recoding."
            yield Fault("P027", "variables", "an identifier must be among the variables.", hint)
