"""What a class may give away about a sensitive variable: the requirements that a proposal can make, loosest first.

Where the plan has none of its own, the strictest that costs nothing is promised: the gate then counts it again, and a
later change of the data cannot silently break it. An attack that succeeds all the same asks for a stricter one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from incrowd.plan import Plan
from incrowd.proposals.candidate import Candidate
from incrowd.proposals.goal import limits_disclosure
from incrowd.proposals.information import Given
from incrowd.proposals.recoding import Recoder
from incrowd.proposals.values import is_amount

#: The distances of t-closeness that are promised, loosest first.
DISTANCES = (0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1)


def promises_of(given: Given) -> list[str]:
    """Requirements of a sensitive variable, loosest first, as content of a plan. Closeness goes by the order of numbers
    where they have one; two different values are the least that can be asked.
    """
    order = "ordered" if is_amount(given) and not given.apart else "equal"
    close = [{"model": "t", "sensitive": given.name, "t": t, "distance": order} for t in DISTANCES]
    content: list[dict[str, Any]] = [{"model": "distinct_l", "sensitive": given.name, "l": 2}, *close]
    return [json.dumps(one, sort_keys=True) for one in content]


def open_variables(plan: Plan, released: Sequence[str]) -> list[str]:
    """The released sensitive variables for which the plan itself limits nothing."""
    limited = {getattr(r, "sensitive", None) for r in plan.requirements if limits_disclosure(r.model)}
    return [name for name in plan.with_role("sensitive") if name in released and name not in limited]


def strictest_free(recoder: Recoder, candidate: Candidate, name: str, promises: Sequence[str]) -> str:
    """The strictest promise that holds already at a candidate's recoding; the loosest where none does."""
    rungs = recoder.recode(candidate).rungs
    for text in reversed(promises):
        if recoder.holds(candidate.with_required(name, text), rungs, name):
            return text
    return promises[0]


def stricter(recoder: Recoder, candidate: Candidate, name: str, promises: Sequence[str]) -> str | None:
    """The next promise beyond what a candidate's recoding reaches already; None when there is none. What it requires so
    far may be another model.
    """
    rungs = recoder.recode(candidate).rungs
    held = [recoder.holds(candidate.with_required(name, text), rungs, name) for text in promises]
    asked = [text == dict(candidate.required).get(name) for text in promises]
    beyond = 1 + max((at for at in range(len(promises)) if held[at] or asked[at]), default=-1)
    return promises[beyond] if beyond < len(promises) else None
