"""Steps that make the columns which the plan speaks of: rename and derive.

They come first, and are done as the data are opened: whoever counts, measures, attacks or compares finds the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.errors import Fault
from incrowd.keys.expressions import Expression, ExpressionFault, parse
from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text

_CODES = {"unreadable": "P102", "function": "P103", "mismatch": "P104"}


class Rename(Step):
    """Give columns of the data other names. The plan, the release and every report know the new ones only."""

    step: Literal["rename"]
    variables: Annotated[dict[Text, Text], Field(min_length=1)] = Field(
        description="The name in the data, and the name in the plan: `marsta: marital_status`."
    )

    listed: ClassVar[int] = 0
    only_coarsens: ClassVar[bool] = True
    prepares: ClassVar[bool] = True

    def named(self) -> list[tuple[str, str]]:
        """The new names: these are variables of the plan."""
        return [(f"variables.{old}", new) for old, new in self.variables.items()]

    def faults(self, there: Sequence[str], keys: Sequence[str], identifiers: Sequence[str]) -> Iterator[Fault]:
        """Two columns never get one name, not even one that differs in capitals only: engines take those for one."""
        seen: set[str] = set()
        for old, new in self.variables.items():
            if new.lower() in seen:
                yield Fault("P101", f"variables.{old}", f"two columns would be called {new!r}.", "Choose another name.")
            seen.add(new.lower())
            if new.lower().startswith("incrowd_"):
                yield Fault("P014", f"variables.{old}", "incrowd uses names like this itself.", "Choose another.")


class Derive(Step):
    """Make a new column from others by an expression. It needs a role in the plan, as every column does."""

    step: Literal["derive"]
    into: Text = Field(description="The name of the new column. `variables` gives it its role.")
    expression: Text = Field(
        description="What it is: `weight / (height * height)`, `'child' if age < 16 else 'adult'`, `year(seen) - "
        "year(born)`. Columns with other signs in their names go in `backticks`."
    )
    unreadable: Literal["fault", "missing"] = Field(
        "fault", description="What becomes of records with a text where a number or date is needed."
    )
    weaker_role: Text | None = Field(
        None,
        description="Why a column that is made from an identifier may have the role key. Stays in the audit.",
    )

    listed: ClassVar[int] = 0
    only_coarsens: ClassVar[bool] = True
    prepares: ClassVar[bool] = True

    @cached_property
    def parsed(self) -> Expression:
        """The expression, read. Raises ExpressionFault."""
        return parse(self.expression)

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns that it is made from; none where the expression cannot be read."""
        try:
            return self.parsed.columns
        except ExpressionFault:
            return ()

    def named(self) -> list[tuple[str, str]]:
        """Those of the expression, and the new one."""
        return [("into", self.into), *(("expression", name) for name in self.sources)]

    def faults(self, there: Sequence[str], keys: Sequence[str], identifiers: Sequence[str]) -> Iterator[Fault]:
        """An expression that makes sense, of other columns."""
        if self.into.lower().startswith("incrowd_"):
            yield Fault("P014", "into", "incrowd uses names like this itself.", "Choose another.")
        try:
            if not self.parsed.columns:
                hint = "A column that is the same for everybody tells nothing."
                yield Fault("P102", "expression", "the expression names no column.", hint)
        except ExpressionFault as fault:
            yield Fault(_CODES[fault.kind], "expression", fault.message, fault.hint or None)
