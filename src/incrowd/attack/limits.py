"""What a plan demands of an attack that was tried by itself, outside a run."""

from __future__ import annotations

from incrowd.attack.on_run import attack_names, chosen_scenarios, judge
from incrowd.attack.value import Attacked
from incrowd.plan import Plan
from incrowd.plan.verdict import Verdict


def limits_of(plan: Plan, one: Attacked) -> tuple[Verdict, ...]:
    """Is the attack within the limits of the plan? A verdict for each limit that speaks of it; none where none does.

    What could not be tried fails a limit, as in a run.
    """
    return tuple(
        verdict
        for _, asked in plan.attacks
        if one.attack in attack_names(asked.attacks)
        and one.scenario in {scenario.name for scenario in chosen_scenarios(plan, asked.scenarios)}
        for verdict in judge(one, asked)
    )
