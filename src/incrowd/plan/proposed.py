"""The block proposed: how `incrowd propose` came to a plan. The internal report shows it; a run does not act on it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from incrowd.plan.strict import Strict, Text
from incrowd.plan.tiers import TierName

Share = Annotated[float, Field(ge=0, le=1)]


class PricedPromise(Strict):
    """What one promise of the plan costs: what would come back without it."""

    promise: Text = Field(description="What is promised, or demanded: k, the diversity of a variable, an attack's end.")
    instead: Text = Field(description="What would be in its place.")
    back: float = Field(description="How much of the information would come back, as a share of all.")
    how: Text = Field(description="What would be finer then.")


class Proposed(Strict):
    """Written by `incrowd propose`: the goal, what was measured, how it was looked for, and what each promise costs."""

    goal: TierName
    name: Text = Field(description="Which of the proposals this is.")
    recommended: bool = False
    why: Text = Field(description="Why it is recommended, or what it is better in than the recommended one.")
    optimised: Text = Field(description="What the search made as large as possible.")
    search: list[Text] = Field(
        default_factory=list, description="What was looked at, what is proven, what was ruled out."
    )
    risk: float = Field(description="The most that anybody may be found or told, by the upper ends of intervals.")
    kept: Share = Field(description="The share of the information that is kept.")
    prices: list[PricedPromise] = Field(default_factory=list)
    left_to_do: list[Text] = Field(default_factory=list, description="What only people can do before the release.")
