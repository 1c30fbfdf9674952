"""Use cases about shares: which groups are on top, and does a share stay what it was?"""

from __future__ import annotations

from collections.abc import Sequence

from incrowd.keys.tally import Tally
from incrowd.plan.requirements import where_text
from incrowd.plan.use_cases import Proportion, Shared, TopOverlap
from incrowd.utility.groups import columns_of, difference, gone_groups, groups, in_every
from incrowd.utility.judging import unjudged
from incrowd.utility.needs import Need
from incrowd.utility.outcome import NOTHING, Estimate, Figure, Outcome, cohens_h, overlap, share
from incrowd.utility.registry import Around, Sides, use_case


def share_needs(case: Shared, around: Around) -> list[Need]:
    """Counts by group, condition and what is counted."""
    return [Need(columns_of(case, *case.share))]


def top_rule(case: TopOverlap) -> str:
    """Which groups must stay on top."""
    rule = f"at least {case.at_least} of the top {case.top} of {case.by} by share of {where_text(case.share)}"
    rule += f" among {where_text(case.among)}" if case.among else ""
    return rule + " stay on top" + (", in the same order" if case.order else "")


@use_case(TopOverlap, share_needs, top_rule)
def top_overlap(case: TopOverlap, sides: Sides) -> Outcome:
    """Are the same groups on top? The size of the intersection of the two tops; ties go by the groups' names.

    With `order` they must also stand in the same order. Cannot be judged where no group is below the top, or all have
    one share; fails where so many groups are gone that all others are on top. Misleads where shares move a lot and the
    ranking does not, so the shares stand beside it.
    """
    need = share_needs(case, sides.around)[0]
    before, after = _shares(case, sides.original.get(need)), _shares(case, sides.released.get(need))
    tops = [_top(found, case.top) for found in (before, after)]
    stay = [name for name in tops[0] if name in tops[1]]
    ranks = [{name: i + 1 for i, name in enumerate(_ranked(found))} for found in (before, after)]
    figures = [
        _figure(
            name,
            before[name],
            after.get(name, NOTHING),
            same=(name in tops[0]) == (name in tops[1]),
            more={"rank original": ranks[0][name], "rank released": ranks[1].get(name)},
        )
        for name in _ranked(before)
    ]
    found = f"{len(stay)} of {len(tops[0])} stay" + (f" ({', '.join(stay)})" if stay else "")
    moved, gone = _moved(*tops), sum(name not in after for name in before)
    found += (f"; {moved}" if moved else "") + gone_groups(gone)
    crowded = gone > 0 and len(after) <= case.top
    passed = len(stay) >= case.at_least and not crowded and not (case.order and moved)
    why = f"{len(after)} of {len(before)} groups are left, and all of them are on top" if crowded else ""
    outcome = Outcome(case.name, case.test, top_rule(case), passed, found, "Cohen's h", tuple(figures), why)
    if len(before) <= case.top:
        return unjudged(outcome, f"{case.by} has no more than {case.top} groups, and all of them are on top")
    if len({one.value for one in before.values()}) == 1:
        return unjudged(outcome, "all groups of the original have the same share, and none is on top")
    return outcome


def _moved(before: Sequence[str], after: Sequence[str]) -> str:
    """What changed in the order of the top, in words; empty when nothing did."""
    if after and before[0] != after[0]:
        return f"the first place changed, from {before[0]} to {after[0]}"
    if [name for name in before if name in after] != [name for name in after if name in before]:
        return "the order changed below the first place"
    return ""


def share_rule(case: Proportion) -> str:
    """How far the share may move."""
    rule = f"the share of {where_text(case.share)} moves by at most {case.within:g}"
    return rule + (f" among {where_text(case.among)}" if case.among else "") + in_every(case)


@use_case(Proportion, share_needs, share_rule)
def proportion(case: Proportion, sides: Sides) -> Outcome:
    """Does a share move, in any group? A group that is gone has no share, and does not pass."""
    need = share_needs(case, sides.around)[0]
    before, after = _shares(case, sides.original.get(need)), _shares(case, sides.released.get(need))
    figures = []
    for name, one in before.items():
        other = after.get(name, NOTHING)
        moved = difference(one, other)
        figures.append(_figure(name, one, other, same=moved is not None and abs(moved) <= case.within + 1e-12))
    moves = [abs(moved) for f in figures if (moved := difference(f.original, f.released)) is not None]
    gone = sum(figure.released.value is None for figure in figures)
    found = f"the largest move is {max(moves, default=0):.3f}" + gone_groups(gone)
    passed = all(f.same for f in figures)
    outcome = Outcome(case.name, case.test, share_rule(case), passed, found, "Cohen's h", tuple(figures))
    if {one.value for one in before.values()} <= {0.0} or {one.value for one in before.values()} <= {1.0}:
        return unjudged(outcome, "everybody in the original counts, or nobody does")
    return outcome


def _figure(
    name: str, before: Estimate, after: Estimate, *, same: bool, more: dict[str, float | None] | None = None
) -> Figure:
    return Figure(name, before, after, cohens_h(before, after), overlap(before, after), same, more or {})


def _shares(case: Shared, tally: Tally) -> dict[str, Estimate]:
    """The share in each group that has records."""
    return {
        name: share(int(rows.records[rows.where(case.share)].sum()), rows.total)
        for name, rows in groups(case, tally).items()
    }


def _ranked(found: dict[str, Estimate]) -> list[str]:
    return sorted(found, key=lambda name: (-(found[name].value or 0.0), name))


def _top(found: dict[str, Estimate], number: int) -> list[str]:
    return _ranked(found)[:number]
