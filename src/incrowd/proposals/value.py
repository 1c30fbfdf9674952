"""What a search for a plan gives back: proposals with what each keeps and risks; or what stands in the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from incrowd.plan import Plan
from incrowd.plan.tiers import TierName
from incrowd.proposals.prices import Price
from incrowd.rows.result import Line, Listing


@dataclass(frozen=True)
class KeptCase:
    """A use case, and whether its conclusion stays."""

    use_case: str
    passed: bool
    judged: bool


@dataclass(frozen=True)
class Proposal:
    """A plan that was found for a goal: carried out up to the gate, attacked, and judged by the use cases.

    `risk` is the most that anybody may be found or told: 1 over the smallest class, or the upper end of what an attack
    may add to a guess. `information` is the share that is kept, over all variables; `loss` that of the keys' bits that
    is gone, as `incrowd compare` has it. `left_to_do` is what only people can do.
    """

    name: str
    recommended: bool
    why: str
    records_in: int
    records_kept: int
    k: int
    risk: float
    strongest: str  # the attack that finds most, with what it may add
    attacks: int  # how many were tried
    information: float
    loss: float
    kept: Mapping[str, float]
    use_cases: tuple[KeptCase, ...]
    changes: tuple[str, ...]  # what is done to each variable, in words
    left_to_do: tuple[str, ...]
    plan: Plan = field(repr=False)
    file: Path | None = None

    @property
    def held(self) -> int:
        """How many use cases keep their conclusion."""
        return sum(case.passed for case in self.use_cases)


@dataclass(frozen=True)
class Obstacle:
    """What stands between the best that was found and the goal, and what it would cost to give the variable up."""

    what: str
    variable: str
    cost: str


@dataclass(frozen=True, repr=False)
class Proposals(Listing[Proposal]):
    """Proposals on the frontier between risk and utility, none beaten by another in everything: that with most risk
    first. Without any, `obstacles` say what stands in the way.
    """

    items: tuple[Proposal, ...]
    tier: TierName
    goal: tuple[str, ...]  # what was to be reached, in words
    optimised: str  # what was made as large as possible
    search: tuple[str, ...]  # what was looked at, what is proven, what was ruled out and why
    added: tuple[str, ...]  # what the plan lacked
    prices: tuple[Price, ...]
    obstacles: tuple[Obstacle, ...] = ()
    stopped: bool = False
    out: Path | None = None
    home: Path | None = None  # the folder of the plan that was given: its earlier releases are there

    @property
    def recommended(self) -> Proposal | None:
        """The one to take, where there is one."""
        return next((one for one in self.items if one.recommended), None)

    def _told(self) -> str:
        best = self.recommended
        if best is None:
            return f"no plan for {self.tier}: {'; '.join(one.what for one in self.obstacles) or 'none was found'}"
        return f"{len(self.items)} for {self.tier}; recommended: {best.why}"

    def _lines(self) -> Iterable[Line]:
        return [
            {
                "name": one.name, "recommended": one.recommended, "risk": one.risk, "k": one.k,
                "information": one.information, "use_cases": f"{one.held} of {len(one.use_cases)}",
                "records_kept": one.records_kept, "loss": one.loss, "changes": "; ".join(one.changes),
            }
            for one in self.items
        ]  # fmt: skip

    def _charts(self) -> Iterable[str]:
        from incrowd.proposals.write import points
        from incrowd.report.charts.look import to_svg
        from incrowd.report.charts.proposals import frontier_chart

        return [to_svg(frontier_chart(points(self)))] if self.items else []
