"""Steps that take away: suppress_records and suppress_cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from incrowd.errors import Fault
from incrowd.plan.requirements import ModelName
from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text


class SuppressRecords(Step):
    """Drop the records in classes that fail requirements of the plan; or those with rare values of chosen variables."""

    step: Literal["suppress_records"]
    models: Annotated[list[ModelName], Field(min_length=1)] | None = Field(
        None, alias="for", description="Which requirements; all of them when left out."
    )
    fewer_than: Annotated[int, Field(ge=2)] | None = Field(
        None, description="With of: drop records that share their values with fewer people than this; 2: the uniques."
    )
    of: Annotated[list[Text], Field(min_length=1)] | None = Field(
        None, description="With fewer_than: the variables whose combinations are counted."
    )
    within: list[Text] = Field(
        default_factory=list, description="With of: count within each of these, such as [region]."
    )

    plainly: ClassVar[str] = "records in too small a crowd, or in one that gives too much away, were taken out"
    listed: ClassVar[int] = 3
    drops_classes: ClassVar[bool] = True

    @model_validator(mode="after")
    def _one_way(self) -> SuppressRecords:
        if (self.of is None) != (self.fewer_than is None) or (self.within and self.of is None):
            raise ValueError("fewer_than and of go together, and within goes with them")
        if self.of is not None and self.models is not None:
            raise ValueError("for goes with the plan's requirements, not with fewer_than")
        if len(set(self.counted())) < len(self.counted()):
            raise ValueError("a variable is named twice in of and within")
        return self

    def named_models(self) -> list[tuple[str, str]]:
        """Those that it is for."""
        return [(f"for.{i}", name) for i, name in enumerate(self.models or [])]

    def counted(self) -> list[str]:
        """The chosen variables, where it is not the requirements' classes."""
        return [*(self.of or []), *self.within]

    def named(self) -> list[tuple[str, str]]:
        """What is counted."""
        tables = {"of": self.of or [], "within": self.within}
        return [(f"{field}.{i}", name) for field, names in tables.items() for i, name in enumerate(names)]

    @property
    def decides_by_class(self) -> bool:
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

    plainly: ClassVar[str] = "single cells were blanked where a combination of values was too rare"
    listed: ClassVar[int] = 5
    swept: ClassVar[frozenset[str]] = frozenset({"k"})
    only_keys: ClassVar[bool] = True
    chance: ClassVar[bool] = True

    @property
    def decides_by_class(self) -> bool:
        """Which cells of which records."""
        return True

    @property
    def per_record(self) -> bool:
        """Record by record."""
        return True

    def named(self) -> list[tuple[str, str]]:
        """Keys with an importance or a weight."""
        named = [(f"importance.{i}", name) for i, name in enumerate(self.importance or [])]
        return [*named, *((f"weights.{name}", name) for name in self.weights or {})]

    def faults(self, there: Sequence[str], keys: Sequence[str], identifiers: Sequence[str]) -> Iterator[Fault]:
        """An order of importance is one of all keys."""
        if self.importance is not None and sorted(self.importance) != sorted(keys):
            hint = f"They are: {', '.join(keys)}."
            yield Fault("P083", "importance", "importance must name each key that is there once.", hint)

    def coarsens(self, keys: Sequence[str]) -> set[str]:
        """Any key."""
        return set(keys)
