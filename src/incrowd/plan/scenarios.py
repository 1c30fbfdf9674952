"""The scenarios of a plan: what intruders know; and what protects the file already."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from incrowd.plan.strict import Strict, Text

Share = Annotated[float, Field(ge=0, lt=1)]
Answer = Literal["no", "partly", "yes"]


class Exposure(Strict):
    """Who could know a variable: five questions, answered no, partly or yes, and why."""

    passer_by: Answer = Field("no", description="Can somebody see it who passes the person in the street?")
    neighbours: Answer = Field("no", description="Do neighbours know it?")
    colleagues: Answer = Field("no", description="Do colleagues know it?")
    public_sources: Answer = Field("no", description="Is it in registers, news or social media?")
    guess: Answer = Field("no", description="Can it be guessed well without any of these?")
    reason: Text = Field(description="Why these answers. Stays in the audit.")


class Geography(Strict):
    """The key that says where somebody lives, and how to say it more coarsely."""

    key: Text = Field(description="The key.")
    hierarchy: Text | None = Field(None, description="Its levels: a hierarchy file in ARX's format.")


class PlannedScenario(Strict):
    """What one intruder knows."""

    name: Text = Field(description="What the scenario is called, in the report.")
    keys: Annotated[list[Text], Field(min_length=1)] = Field(description="The keys that the intruder knows.")
    error: dict[Text, Share] = Field(
        default_factory=dict, description="For a key, the chance that what the intruder knows differs from the file."
    )
    knows_who_is_in: bool = Field(
        True, description="Response knowledge: whether the intruder knows that the person is in the file."
    )
    geography: Geography | None = Field(None, description="The key to measure at several levels.")


class Protection(Strict):
    """What protects the file before any step: the report says what it is worth."""

    sampling_fraction: Annotated[float, Field(ge=1e-10, le=1)] | None = Field(
        None, description="The share of the population that is in the file."
    )
    imputed_share: Share = Field(0.0, description="The share of records whose keys were imputed for non-response.")
    reason: Text | None = Field(None, description="Where these figures come from. Stays in the audit.")
