"""The release plan as types. A field is here only when something acts on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_core import PydanticCustomError

from incrowd.keys.codebook import Scale
from incrowd.plan.attack import Attack
from incrowd.plan.attest import Attest, is_placeholder
from incrowd.plan.data import Data
from incrowd.plan.earlier_form import in_present_form
from incrowd.plan.invalid import plan_error
from incrowd.plan.propose import Propose
from incrowd.plan.proposed import Proposed
from incrowd.plan.release import Release
from incrowd.plan.requirements import AnyRequirement
from incrowd.plan.scenarios import Exposure, PlannedScenario
from incrowd.plan.steps import AnyStep
from incrowd.plan.strict import Strict, Text
from incrowd.plan.tiers import Tier, TierName, Together
from incrowd.plan.use_cases import Alternative, AnyUseCase, Sweep

Role = Literal["identifier", "key", "sensitive", "other"]


class Variable(Strict):
    """What a column is, and why."""

    role: Role = Field(
        description="identifier: names a person; key: an intruder may know it; sensitive: what an intruder wants "
        "to learn; other: neither."
    )
    suggested: Text | None = Field(
        None,
        description="What `incrowd init` says for the role. The report counts it as missing until a reason stands "
        "beside it, or in its place.",
    )
    decide: Text | None = Field(
        None,
        description="Why `incrowd init` could not tell the role. A fault until a reason stands beside it, or in its "
        "place.",
    )
    reason: Text | None = Field(
        None,
        validate_default=True,
        description="Why it has this role, in the words of whoever decided it. Stays in the audit.",
    )
    label: Text | None = Field(None, description="What the column means, for the data dictionary of the release.")
    codes: Annotated[dict[str, Text], Field(min_length=1)] | Text | None = Field(
        None,
        description="What its values stand for, in the source and in the release: `1: married`; or a CSV file with a "
        "header, first column the code, second what it stands for. Whoever reads sees the words.",
    )
    scale: Scale | None = Field(
        None, description="Whether its values are names (nominal), names in an order (ordinal), or amounts (numeric)."
    )
    missing_codes: list[Text] = Field(
        default_factory=list,
        description="Values that say why there is none, such as -9: refused. They are never put into one group with "
        "others.",
    )
    exposure: Exposure | None = Field(None, description="Who could know it, to help decide whether it is a key.")

    @field_validator("reason")
    @classmethod
    def _says_why(cls, reason: str | None, others: ValidationInfo) -> str | None:
        if reason is None and not others.data.get("suggested") and not others.data.get("decide"):
            raise PydanticCustomError("missing", "Field required")
        return reason

    @property
    def why(self) -> str:
        """The reason for the role, or what stands in its place so far."""
        return self.reason or self.suggested or self.decide or ""

    @property
    def confirmed(self) -> bool:
        """Whether somebody has written the reason: what a profile suggests is nobody's word, and `tbc` is no reason."""
        return self.reason is not None and not is_placeholder(self.reason)


class Plan(Strict):
    """From a raw file to a release: what is in the file, what is done to it, and what must hold at the end."""

    title: Text
    data: Data
    tier: TierName = Field(
        description="Who will get the file. The tier is part of what all randomness is derived from. Left out where "
        "the plan has `tiers`."
    )
    variables: Annotated[dict[str, Variable], Field(min_length=1)] = Field(
        description="Every column of the data, with its role."
    )
    steps: list[AnyStep] = Field(default_factory=list, description="Protection, in order.")
    requirements: Annotated[list[AnyRequirement], Field(min_length=1)] = Field(
        description="What the gate counts again in the written file. All must hold."
    )
    attack: list[Attack] = Field(
        default_factory=list,
        description="Simulated intruders who try the written file once the gate has counted it. With a limit they can "
        "refuse the release.",
    )
    scenarios: list[PlannedScenario] = Field(
        default_factory=list, description="What intruders know. The risk of each is measured before and after."
    )
    use_cases: list[AnyUseCase] = Field(
        default_factory=list, description="What the data is for. Each has a test and a pass rule; a run gives verdicts."
    )
    sweep: Sweep | None = Field(None, description="The values of k to try on the use cases; a run only reports them.")
    alternatives: list[Alternative] = Field(
        default_factory=list, description="Requirements that are not made; the report says what each would cost."
    )
    intruder_test: Text | Annotated[list[Text], Field(min_length=1)] | None = Field(
        None,
        description="The scores of a human intruder test of this release, from the plan's folder: what `incrowd "
        "intruder-test score --json` wrote. The reports show it. Of several rounds a list, the last one last: only "
        "that one must be of this release.",
    )
    release: Release = Release()
    attest: Attest = Field(Attest(), description="What only people can say: attestations, sign-offs, the next review.")
    propose: Propose | None = Field(
        None, description="What `incrowd propose` may do to find a plan for a goal, and what it must spare."
    )
    proposed: Proposed | None = Field(
        None, description="How `incrowd propose` came to this plan. The internal report shows it."
    )
    tiers: list[Tier] = Field(
        default_factory=list,
        description="Several files from one source, each with steps of its own after those above.",
    )
    together: Together = Field(Together(), description="With tiers: what the files may not do together.")

    def __init__(self, **content: Any) -> None:
        try:
            super().__init__(**content)
        except ValidationError as error:
            raise plan_error(error) from None

    # Not one of its own, for pydantic: a plan that is read is made without it.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Plan:
        """The plan that plain values make; a PlanError holds all that is wrong with them."""
        try:
            return super().model_validate(obj, **options)
        except ValidationError as error:
            raise plan_error(error) from None

    @classmethod
    def of_content(cls, content: Mapping[str, Any]) -> Plan:
        """The same for whoever knows where each part was written: what is wrong is told by pydantic."""
        return super().model_validate(content)

    @model_validator(mode="before")
    @classmethod
    def _first_tier(cls, content: Any) -> Any:
        """A plan with tiers has no tier of its own; until one is chosen it passes for the first."""
        content = in_present_form(content).content
        if not isinstance(content, dict) or not content.get("tiers"):
            return content
        if "tier" in content:
            raise ValueError("a plan has either tier or tiers")
        first = content["tiers"][0] if isinstance(content["tiers"], list) else None
        name = first.get("tier") if isinstance(first, dict) else None
        return {**content, "tier": name if name in get_args(TierName) else "controlled"}

    def of_tier(self, name: str) -> Plan:
        """The plan of one of its files alone."""
        one = next(tier for tier in self.tiers if tier.tier == name)
        mine = {
            "steps": [*self.steps, *one.steps],
            "attack": [*self.attack, *one.attack],
            "requirements": one.requirements or self.requirements,
        }
        return self.model_copy(update={"tier": name, "tiers": [], **mine})

    @property
    def active(self) -> list[tuple[int, AnyStep]]:
        """The steps that are not switched off, each with its number in the plan, from 0."""
        return [(number, step) for number, step in enumerate(self.steps) if not step.off]

    @property
    def attacks(self) -> list[tuple[int, Attack]]:
        """The attacks that are not switched off, each with its number in the plan, from 0."""
        return [(number, attack) for number, attack in enumerate(self.attack) if not attack.off]

    @property
    def recoding_steps(self) -> int:
        """How many steps come before the first that does more than say things more coarsely, for all records alike."""
        return next((number for number, step in self.active if not step.only_coarsens), len(self.steps))

    @property
    def unconfirmed(self) -> tuple[str, ...]:
        """The variables for whose role nobody has written a reason."""
        return tuple(name for name, variable in self.variables.items() if not variable.confirmed)

    def with_role(self, role: Role) -> list[str]:
        """The variables with a role, in the plan's order."""
        return [name for name, variable in self.variables.items() if variable.role == role]
