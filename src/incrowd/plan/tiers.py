"""Several files from one source: what each tier gets, and what all of them together may not do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from incrowd.plan.attack import Attack
from incrowd.plan.requirements import AnyRequirement
from incrowd.plan.steps import AnyStep
from incrowd.plan.strict import Strict, Text

TierName = Literal["open", "safeguarded", "controlled"]


class Tier(Strict):
    """One of several files that a plan makes."""

    tier: TierName = Field(description="Who will get this file.")
    steps: list[AnyStep] = Field(default_factory=list, description="What is done for it, after the plan's steps.")
    attack: list[Attack] = Field(default_factory=list, description="What is tried on it, after the plan's attacks.")
    requirements: Annotated[list[AnyRequirement], Field(min_length=1)] | None = Field(
        None, description="What must hold for this file, instead of the plan's requirements."
    )
    reason: Text | None = Field(None, description="Why this tier gets this file. Stays in the audit.")


class Together(Strict):
    """What the files may not do together: somebody may hold more than one."""

    limit: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0,
        description="The largest share of the people whom two of the files pin down together and neither alone: of the "
        "people in both, and of those in only one.",
    )
