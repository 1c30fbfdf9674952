"""The step attack."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from incrowd.plan.steps.base import Step
from incrowd.plan.strict import Text

#: The words for attacks. The room `attack` has one for each; a plan is checked without opening it.
ATTACK_NAMES = (
    "linkage", "nearest", "probabilistic", "singling_out", "singling_out_any", "homogeneity", "skewness", "inference",
    "gap", "minimality", "composition", "differencing", "row_order", "dictionary",
)  # fmt: skip

#: The attacks whose control are people outside the release.
OUTSIDE = ("homogeneity", "skewness")

Limit = Annotated[float, Field(ge=0, le=1)]


class Attack(Step):
    """Let simulated intruders try the written file. It changes nothing; with a limit it can refuse the release."""

    step: Literal["attack"]
    attacks: Annotated[list[Text], Field(min_length=1)] | None = Field(
        None,
        description="Which attacks: " + ", ".join(ATTACK_NAMES) + ". Left out: all but probabilistic, inference and "
        "singling_out_any, which take long or say little.",
    )
    scenarios: Annotated[list[Text], Field(min_length=1)] | None = Field(
        None, description="In which scenarios of the plan; all when left out."
    )
    limit: Limit | None = Field(
        None, description="The largest acceptable success. The upper end of its 95% interval must not be above."
    )
    residual: Limit | None = Field(
        None,
        description="The largest acceptable residual, (success - control) / (1 - control), with the upper end of the "
        "success and the lower end of the control, and the baseline where there is no control.",
    )
    register_file: Text | None = Field(
        None,
        alias="register",
        description="A file of people with the keys, from the plan's folder: what an intruder could look people up in. "
        "Left out: data.population, where there is one.",
    )
    hold_out: Annotated[float, Field(gt=0, le=0.5)] | None = Field(
        None,
        description="Hold this share of the people out of a trial release, by keyed chance, as the control of "
        "homogeneity and skewness: people who were suppressed are not like those who stayed. Nobody is held out of the "
        "release itself. Where the plan draws a sample, those who fell out are the control without it.",
    )
    others: list[Text] = Field(default_factory=list, description="Data files of other releases about the same people.")
    tables: list[Text] = Field(default_factory=list, description="Published tables of counts, as files.")

    listed: ClassVar[int] = 10
    only_coarsens: ClassVar[bool] = True

    def files(self) -> dict[str, str]:
        """All that it names."""
        named = {f"others.{i}": file for i, file in enumerate(self.others)}
        named |= {f"tables.{i}": file for i, file in enumerate(self.tables)}
        return named | ({"register": self.register_file} if self.register_file else {})
