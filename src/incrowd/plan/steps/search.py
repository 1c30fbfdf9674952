"""The step search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from incrowd.errors import Fault
from incrowd.plan.hierarchies import AnyHierarchy
from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text


class Search(Step):
    """Find the recoding of the keys that costs least, so that all requirements of the plan hold."""

    step: Literal["search"]
    hierarchies: Annotated[dict[Text, AnyHierarchy], Field(min_length=1)] = Field(
        description="The keys that may be recoded, each with its hierarchy: a file, 'auto', 'postcode', 'itl', or "
        "a rule. Others stay."
    )
    suppression: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="The share of the records that may be suppressed."
    )
    objective: Literal["arithmetic", "geometric", "discernibility", "class_size", "entropy", "precision"] = Field(
        "geometric", description="What is to be least."
    )
    weights: dict[Text, Annotated[float, Field(ge=0)]] | None = Field(
        None, description="How much a key's loss counts; 1 when left out."
    )
    local: bool = Field(
        False, description="A recoding per class instead of one level per key: less loss, mixed labels."
    )
    levels: dict[Text, Annotated[int, Field(ge=0)]] | None = Field(
        None, description="Pinned levels, as an earlier run wrote them to its audit: nothing is searched."
    )
    seconds: Annotated[float, Field(gt=0)] | None = Field(
        None, description="Stop after so long with the best so far; the result then depends on the machine."
    )

    @model_validator(mode="after")
    def _belongs(self) -> Search:
        if self.local and (self.levels or self.weights or self.objective != "geometric"):
            raise ValueError("local goes with neither levels nor weights nor another objective: its loss is arithmetic")
        return self

    plainly: ClassVar[str] = "keys were put into the coarser groups that cost least"
    listed: ClassVar[int] = 4
    only_keys: ClassVar[bool] = True
    chance: ClassVar[bool] = True
    finds: ClassVar[tuple[str, ...]] = ("levels",)
    searched: ClassVar[frozenset[str]] = frozenset({"levels", "seconds", "objective", "weights"})
    swept: ClassVar[frozenset[str]] = frozenset({"suppression"})
    about_people: ClassVar[bool] = False

    @property
    def perturbs(self) -> bool:
        """Where records of one class get different labels."""
        return self.local

    @property
    def decides_by_class(self) -> bool:
        """It may suppress."""
        return True

    @property
    def per_record(self) -> bool:
        """Where each class has its own recoding."""
        return self.local

    @property
    def one_record_each(self) -> bool:
        """Where each class has its own recoding."""
        return self.local

    def named(self) -> list[tuple[str, str]]:
        """Keys with a hierarchy, a weight or a level."""
        tables = {
            "hierarchies": list(self.hierarchies),
            "weights": list(self.weights or {}),
            "levels": list(self.levels or {}),
        }
        return [(f"{field}.{name}", name) for field, names in tables.items() for name in names]

    def faults(self, there: Sequence[str], keys: Sequence[str], identifiers: Sequence[str]) -> Iterator[Fault]:
        """Some key must cost something."""
        weights = self.weights or {}
        if keys and not any(weights.get(name, 1) for name in keys):
            message = "every key has the weight 0, so that no recoding costs anything."
            yield Fault("P084", "weights", message, "Leave a key out to give it the weight 1.")

    def ordered(self) -> list[tuple[str, str]]:
        """Where bands or groups of neighbours are made."""
        return [(f"hierarchies.{name}", name) for name, rule in self.hierarchies.items() if rule.takes_neighbours]

    def files(self) -> dict[str, str]:
        """The hierarchies that are files, and the regions above postcodes."""
        named = [rule.files(f"hierarchies.{name}") for name, rule in self.hierarchies.items()]
        return {place: file for one in named for place, file in one.items()}

    def coarsens(self, keys: Sequence[str]) -> set[str]:
        """What it has a hierarchy for."""
        return set(self.hierarchies)
