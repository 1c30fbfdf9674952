"""The protection steps as types. One file per family; each step says what a check of the plan has to know of it."""

from typing import Annotated

from pydantic import Field

from incrowd.plan.steps.base import Step
from incrowd.plan.steps.columns import Drop, Pseudonymise
from incrowd.plan.steps.numbers import BottomCode, MergeSmall, Round, TopCode
from incrowd.plan.steps.perturb import Microaggregate, Noise, Perturbing, Pram, Shuffle
from incrowd.plan.steps.recode import Recode
from incrowd.plan.steps.sample import Sample
from incrowd.plan.steps.search import Search
from incrowd.plan.steps.suppress import SuppressCells, SuppressRecords
from incrowd.plan.steps.swap import RankSwap, Swap, Targets

__all__ = [
    "AnyStep",
    "BottomCode",
    "Drop",
    "MergeSmall",
    "Microaggregate",
    "Noise",
    "Perturbing",
    "Pram",
    "Pseudonymise",
    "RankSwap",
    "Recode",
    "Round",
    "Sample",
    "Search",
    "Shuffle",
    "Step",
    "SuppressCells",
    "SuppressRecords",
    "Swap",
    "Targets",
    "TopCode",
]

AnyStep = Annotated[
    Drop | Pseudonymise | Recode | SuppressRecords | Search | SuppressCells
    | Sample | Swap | RankSwap | Round | TopCode | BottomCode | MergeSmall
    | Pram | Microaggregate | Noise | Shuffle,
    Field(discriminator="step"),
]  # fmt: skip
