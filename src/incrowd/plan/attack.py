"""The block attack: which simulated intruders try the written file, and how often they may be right."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from incrowd.plan.strict import Strict, Text

Limit = Annotated[float, Field(ge=0, le=1)]


class Attack(Strict):
    """Let simulated intruders try the written file. It changes nothing; with a limit it can refuse the release."""

    attacks: Annotated[list[Text], Field(min_length=1)] | None = Field(
        None,
        description="Which attacks, by their names, which are all in attacks.md. Left out: all but those that take "
        "long or say little.",
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
    tables: list[Text] = Field(
        default_factory=list,
        description="Published tables of counts of the same people, as files. The release is solved together with them "
        "(reconstruction) whatever attacks are named, and refused where both give somebody away for certain.",
    )
    salts: Text | None = Field(
        None,
        description="A text file with salts or keys of pseudonyms that may have leaked, one in each line: dictionary "
        "tries them. It is a secret, and never copied.",
    )
    thorough: bool = Field(
        False,
        description="Let attacks take longer than the run itself: more targets, larger models, larger blocks to solve.",
    )
    reason: Text | None = Field(None, description="Why these attacks, and this limit. Stays in the audit.")
    off: bool = Field(False, description="Leave it out, and keep it in the plan and in the audit.")

    def files(self) -> dict[str, str]:
        """The files it reads, by their place in it. All are about people."""
        named = {f"others.{i}": file for i, file in enumerate(self.others)}
        named |= {f"tables.{i}": file for i, file in enumerate(self.tables)}
        named |= {"salts": self.salts} if self.salts else {}
        return named | ({"register": self.register_file} if self.register_file else {})
