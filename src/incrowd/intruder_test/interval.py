"""How sure is a share of claims? Claims of one person are not independent tries, and that counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from incrowd.risk.value import Z95, wilson

HOW = (
    "Intervals are Wilson's, for as many claims as independent ones would have to be to tell as much: the design "
    "effect of claims within intruders, and Student's t for the number of intruders (Korn and Graubard's effective "
    "sample size). They are never narrower than those of independent claims."
)


def interval(right: Sequence[bool], who: Sequence[Hashable]) -> tuple[float, float]:
    """The 95% interval of the share of claims that is right; `who` made each of them.

    What one person claims hangs together, so claims count for less than independent ones would: divided by the design
    effect, as far as it can be seen (not where all or none are right), and by how much wider Student's t is than the
    normal for so few people (Korn, Graubard 1998). One person says nothing about others.

    >>> interval([False] * 20, list("abcdefghij") * 2)[1] > wilson(0, 20)[1], interval([False] * 50, "a" * 50)
    (True, (0.0, 1.0))
    """
    from scipy.special import stdtrit

    people, hits = Counter(who), Counter(one for one, is_right in zip(who, right, strict=True) if is_right)
    if len(people) < 2:
        return 0.0, 1.0
    tries, share = len(right), sum(right) / len(right)
    effect = 1.0
    if 0 < share < 1:
        spread = sum((hits[one] - share * many) ** 2 for one, many in people.items())
        effect = max(spread * len(people) / (len(people) - 1) / (tries * share * (1 - share)), 1.0)
    wider = max(float(stdtrit(len(people) - 1, 0.975)) / Z95, 1.0) ** 2
    worth = tries / (effect * wider)
    return wilson(share * worth, worth)
