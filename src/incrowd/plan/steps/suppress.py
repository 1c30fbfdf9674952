"""Steps that take away: suppress_records and suppress_cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.plan.requirements import ModelName
from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text


class SuppressRecords(Step):
    """Drop the records in classes that fail requirements of the plan."""

    step: Literal["suppress_records"]
    models: Annotated[list[ModelName], Field(min_length=1)] | None = Field(
        None, alias="for", description="Which requirements; all of them when left out."
    )

    @property
    def decides(self) -> bool:
        """Class by class."""
        return True


class SuppressCells(Step):
    """Blank the fewest cells of the keys so that every class has at least k people, dropping no record."""

    step: Literal["suppress_cells"]
    k: Annotated[int, Field(ge=2)]
    importance: list[Text] | None = Field(None, description="Keys, the most important first: blanked last in a tie.")
    weights: dict[Text, Annotated[float, Field(gt=0)]] | None = Field(
        None, description="What a blank in a key costs; 1 when left out."
    )

    only_keys: ClassVar[bool] = True

    @property
    def decides(self) -> bool:
        """Which cells of which records."""
        return True

    @property
    def single(self) -> bool:
        """Record by record."""
        return True

    def named(self) -> list[tuple[str, str]]:
        """Keys with an importance or a weight."""
        named = [(f"importance.{i}", name) for i, name in enumerate(self.importance or [])]
        return [*named, *((f"weights.{name}", name) for name in self.weights or {})]

    def coarsens(self, keys: Sequence[str]) -> set[str]:
        """Any key."""
        return set(keys)
