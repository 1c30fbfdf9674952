"""What must be reached: the rules of the tier advice, turned into what a plan has to require.

The rules themselves are in docs/tier-advice.md and report/board/advice.py: a finalist is judged by them, whatever is
said here. Here is what of them can be asked for before anything is tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import yaml

from incrowd.audit.about import about
from incrowd.errors import InputError, PlanError
from incrowd.keys.requirements import MODELS
from incrowd.plan import Plan, inspect_plan, read_text, released_columns, split_tier
from incrowd.plan.check import check_plan
from incrowd.plan.requirements import AnyRequirement
from incrowd.plan.steps.search import Search
from incrowd.plan.tiers import TierName
from incrowd.plan.trees import Tangled, yaml_tree
from incrowd.report.board.advice import ONE_IN_THREE
from incrowd.risk.background import plan_scenarios

#: The fewest in a class, where neither the tier nor the plan asks for more: no uniques and no pairs.
FEWEST = 3
#: Somebody who knows everything that can be known: open files must stand that (docs/tier-advice.md).
STRONGEST = "somebody who knows all keys"


@dataclass(frozen=True)
class Goal:
    """What a plan must reach to be fit for a tier, as far as a machine can see to it."""

    tier: TierName
    k: int  # the fewest people in a class
    mean: float | None  # the largest mean chance to find somebody
    attack: float | None  # the most that any attack may add to a guess, by the upper end
    diverse: bool  # every sensitive variable has a limit to what a class gives away

    @staticmethod
    def of(tier: TierName, plan: Plan) -> Goal:
        """The goal of a tier; limits that somebody answers for in the plan count (attest: accepted_risk)."""
        said = about(plan)
        own = max((r.crowd for r in plan.requirements if for_everybody(r)), default=0)
        match tier:
            case "open":
                return Goal(tier, max(own, _classes_of(said.risk_open)), said.risk_safeguarded, said.risk_open, True)
            case "safeguarded":
                return Goal(tier, max(own, FEWEST), said.risk_safeguarded, ONE_IN_THREE, False)
            case "controlled":
                return Goal(tier, max(own, FEWEST), None, None, False)

    def words(self) -> list[str]:
        """What is asked for, in words."""
        told = [f"every class has at least {self.k} people"]
        if self.mean is not None:
            told.append(f"the mean chance to find somebody is at most {self.mean:g}")
        if self.attack is not None:
            told.append(f"no attack may be right for more than {self.attack:.2g} beyond a guess (upper end of 95%)")
        if self.diverse:
            told.append("what a class gives away is limited for each sensitive variable")
        return told


def _classes_of(risk: float) -> int:
    """The smallest class whose 1/f is within the limit."""
    size = ceil(1 / risk)
    return size if 1 / size <= risk else size + 1


def for_everybody(requirement: AnyRequirement) -> bool:
    """Whether it is the crowd that everybody is in, by all keys. One with `keys` or `where` speaks of some of them."""
    return requirement.model == "k" and requirement.keys is None and requirement.where is None


def limits_disclosure(model: str) -> bool:
    """Whether a requirement with this model limits what a class gives away."""
    return model in MODELS and MODELS[model].limits_disclosure


def read_goal_plan(path: Path, tier: TierName) -> tuple[Plan, list[str]]:
    """A plan that may be unfinished: without a tier, requirements, or steps for its identifiers. Gives it finished, for
    this tier, and what was added in words. Faults that only a person can mend are raised, all at once.
    """
    file, named = split_tier(path)
    text, added = read_text(file), []
    missing = _absent(text)
    if "requirements" in missing:
        text += f"\nrequirements:\n  - {{model: k, k: {FEWEST}}}\n"
    if "tier" in missing and "tiers" in missing:
        text += f"\ntier: {tier}\n"
    found = inspect_plan(text, file.parent)
    plan = found.plan
    # An identifier that no step takes away is left out below, and a sweep belongs to another plan.
    faults = [fault for fault in found.faults if fault.code != "P015" and not fault.place.startswith("sweep")]
    if faults or plan is None:
        raise PlanError(faults or found.faults)
    if plan.tiers:
        if named is None:
            there = ", ".join(f"{file.name}@{one.tier}" for one in plan.tiers)
            raise InputError("D250", f"{file} makes several files, and this works on one.", f"Name one: {there}.")
        plan = plan.of_tier(named)
    plan = plan.model_copy(update={"tier": tier, "proposed": None, "sweep": None})
    plan, searched = _without_search(plan)
    plan, more = _without_identifiers(plan)
    plan, scenario = _with_strongest(plan, tier)
    added += searched + more + scenario
    if faults := check_plan(plan, file.resolve().parent):
        raise PlanError(faults)
    return plan, added


def _absent(text: str) -> set[str]:
    """Which of the fields that a goal can do without are not there."""
    try:
        node = yaml_tree(text)
    except (Tangled, yaml.YAMLError):
        return set()
    there = {str(key.value) for key, _ in node.value} if isinstance(node, yaml.MappingNode) else set()
    return {"requirements", "tier", "tiers"} - there


def _without_search(plan: Plan) -> tuple[Plan, list[str]]:
    """A step that looks for a recoding itself, as a starter plan has it, gives way to this search. Its hierarchies are
    those of the block `propose`, as far as that has none. Pinned levels are somebody's decision, and stay.
    """
    given = [step for step in plan.steps if isinstance(step, Search) and not step.levels]
    if not given:
        return plan, []
    asked = _plain([plan.propose])[0] if plan.propose else {}
    rules = {name: rule for step in _plain(given) for name, rule in step["hierarchies"].items()}
    own = {name: rule for name, rule in rules.items() if rule not in ("auto", {"auto": True})}
    block = {**asked, "hierarchies": {**own, **asked.get("hierarchies", {})}}
    steps = _plain([step for step in plan.steps if step not in given])
    told = f"the step search over {', '.join(rules)} is left to this search"
    return with_parts(plan, steps=steps, propose=block), [told]


def _without_identifiers(plan: Plan) -> tuple[Plan, list[str]]:
    left = [name for name in plan.with_role("identifier") if name in released_columns(plan)]
    if not left:
        return plan, []
    step: dict[str, Any] = {
        "step": "drop",
        "variables": left,
        "reason": "They name a person. Nothing in the plan says that somebody must link the records.",
    }
    return with_parts(plan, steps=[step, *_plain(plan.steps)]), [f"{', '.join(left)}: left out, as identifiers"]


def _with_strongest(plan: Plan, tier: TierName) -> tuple[Plan, list[str]]:
    """Of an open or safeguarded file somebody must be thought of who knows all keys and who is in it."""
    keys = [name for name in plan.with_role("key") if name in released_columns(plan)]
    # Without a scenario none is measured, whatever the attacks take as known.
    there = plan_scenarios(plan) if plan.scenarios else []
    strong = [s for s in there if s.knows_who_is_in and not any(s.error.values())]
    if tier == "controlled" or any(set(keys) <= set(one.keys) for one in strong):
        return plan, []
    added = {"name": STRONGEST, "keys": keys}
    scenarios = [*_plain(plan.scenarios), added]
    return with_parts(plan, scenarios=scenarios), [f"a scenario: {STRONGEST}, and who is in the file"]


def with_parts(plan: Plan, **parts: Any) -> Plan:
    """The plan with some of its parts written anew; read like any plan."""
    content = plan.model_dump(mode="json", by_alias=True, exclude_none=True)
    for name, part in parts.items():
        if part is None:
            content.pop(name, None)
        else:
            content[name] = part
    return Plan.model_validate(content)


def _plain(parts: Sequence[Any]) -> list[Mapping[str, Any]]:
    return [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in parts]
