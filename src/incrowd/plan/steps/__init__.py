"""The protection steps as types. One file per family; each step says what a check of the plan has to know of it."""

from typing import Annotated

from pydantic import Field

from incrowd.plan.steps.base import Step
from incrowd.plan.steps.columns import Drop, Pseudonymise
from incrowd.plan.steps.perturb import Microaggregate, Noise, Perturbing, Pram, Shuffle
from incrowd.plan.steps.recode import Recode
from incrowd.plan.steps.search import Search
from incrowd.plan.steps.suppress import SuppressCells, SuppressRecords

__all__ = [
    "AnyStep",
    "Drop",
    "Microaggregate",
    "Noise",
    "Perturbing",
    "Pram",
    "Pseudonymise",
    "Recode",
    "Search",
    "Shuffle",
    "Step",
    "SuppressCells",
    "SuppressRecords",
]

AnyStep = Annotated[
    Drop | Pseudonymise | Recode | SuppressRecords | Search | SuppressCells | Pram | Microaggregate | Noise | Shuffle,
    Field(discriminator="step"),
]
