"""The block propose: what a search for a plan may do, and what it must spare. A run ignores it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from incrowd.errors import Fault, did_you_mean
from incrowd.plan.hierarchies import AnyHierarchy
from incrowd.plan.strict import Strict, Text

if TYPE_CHECKING:
    from incrowd.plan.model import Plan

Share = Annotated[float, Field(ge=0, le=1)]
Rung = Text


class Propose(Strict):
    """What `incrowd propose` may do to the file, beside what the steps of the plan do: those stay."""

    weights: dict[Text, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict,
        description="How much the detail of a variable counts; 1 when left out, 0: it may go. The larger, the finer "
        "it stays.",
    )
    keep: list[Text] = Field(
        default_factory=list,
        description="Variables that are never left out, nor left with one value. Those that a use case names are kept "
        "anyway.",
    )
    finest: dict[Text, Rung] = Field(
        default_factory=dict,
        description="The finest that a key may be said: `area: itl1`, `dob: year`, `age: 10`. By the names of its "
        "levels, which `incrowd propose` lists when one is unknown.",
    )
    coarsest: dict[Text, Rung] = Field(
        default_factory=dict, description="The coarsest that a key may be said, by the names of its levels."
    )
    hierarchies: dict[Text, AnyHierarchy] = Field(
        default_factory=dict,
        description="Ways to coarsen keys, as in the step search. Where a key has none, one is built from its values.",
    )
    records_lost: Share = Field(0.1, description="The largest share of the records that may be dropped.")
    perturbation: bool = Field(
        True, description="Whether values that are not keys may be changed by chance: noise, pram, shuffle."
    )

    def files(self) -> dict[str, str]:
        """The hierarchies that are files, by their place in the block."""
        named = [rule.files(f"hierarchies.{name}") for name, rule in self.hierarchies.items()]
        return {place: file for one in named for place, file in one.items()}


def check_propose(plan: Plan) -> Iterator[Fault]:
    """Does the block speak of variables that may be treated?"""
    asked = plan.propose
    if asked is None:
        return
    keys = plan.with_role("key")
    open_ = [name for name, variable in plan.variables.items() if variable.role != "identifier"]
    fields: tuple[tuple[str, Mapping[str, object] | list[str], list[str], str], ...] = (
        ("weights", asked.weights, open_, "a variable of the plan that may be released"),
        ("keep", asked.keep, open_, "a variable of the plan that may be released"),
        ("finest", asked.finest, keys, "a key of the plan"),
        ("coarsest", asked.coarsest, keys, "a key of the plan"),
        ("hierarchies", asked.hierarchies, keys, "a key of the plan"),
    )
    for field, names, known, what in fields:
        for i, name in enumerate(names):
            if name not in known:
                place = f"propose.{field}.{i if isinstance(names, list) else name}"
                yield Fault("P114", place, f"{name!r} is not {what}.", did_you_mean(name, known))
