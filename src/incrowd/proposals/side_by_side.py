"""Two proposals side by side: what each does to each variable, and what it keeps of it."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import unified_diff

from incrowd.plan import Plan
from incrowd.proposals.goal import with_parts
from incrowd.proposals.value import Proposal
from incrowd.proposals.write import in_order

AS_IT_IS = "as it is"


@dataclass(frozen=True)
class Treated:
    """One variable in two proposals: what is done to it in words, and the share of its information that is kept."""

    variable: str
    first: str
    second: str
    first_kept: float
    second_kept: float

    @property
    def differs(self) -> bool:
        """Whether the two do not treat it alike."""
        return self.first != self.second


def side_by_side(first: Proposal, second: Proposal) -> list[Treated]:
    """Every variable that one of them measures, in the order of the plan."""
    names = dict.fromkeys([*first.kept, *second.kept])
    return [
        Treated(name, _done(first, name), _done(second, name), first.kept.get(name, 0.0), second.kept.get(name, 0.0))
        for name in names
    ]


def _done(one: Proposal, name: str) -> str:
    """What a proposal does to a variable. A name may begin with another one and a colon: the longest is meant."""
    begins = [(change, [each for each in one.kept if change.startswith(f"{each}: ")]) for change in one.changes]
    mine = [change for change, names in begins if name == max(names, key=len, default=None)]
    return "; ".join(change.removeprefix(f"{name}: ") for change in mine) or AS_IT_IS


def plan_lines(first: Plan, second: Plan) -> list[str]:
    """What one plan says otherwise than the other, line by line as `diff` writes it; not how a proposal was found."""
    one, other = (in_order(with_parts(plan, proposed=None)).splitlines() for plan in (first, second))
    return list(unified_diff(one, other, n=2, lineterm=""))[2:]
