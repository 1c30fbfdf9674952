"""The use case entropy_ratio: how much information is left in the columns?"""

from __future__ import annotations

from collections.abc import Sequence

from incrowd.plan.use_cases import EntropyRatio
from incrowd.utility.judging import unjudged
from incrowd.utility.measures import entropy
from incrowd.utility.needs import Fetched, Need
from incrowd.utility.outcome import Estimate, Figure, Outcome
from incrowd.utility.registry import Around, Sides, use_case

JOINT = "keys together"
NO_BITS = "every column has one value in the file as it came"


def entropy_needs(case: EntropyRatio, around: Around) -> list[Need]:
    """Each column's counts, and the keys' together. A column that is no key may have many values."""
    columns = case.columns or around.columns
    together = tuple(name for name in columns if name in around.keys)
    return [
        *(Need((name,), alone=name not in around.keys) for name in columns),
        *([Need(together)] if len(together) > 1 else []),
    ]


def entropy_rule(case: EntropyRatio) -> str:
    """How much must be left."""
    return f"the {'joint ' if case.joint else ''}entropy of the release is at least {case.at_least:g} of the original's"


@use_case(EntropyRatio, entropy_needs, entropy_rule, at_start=True, judges_itself=True)
def entropy_ratio(case: EntropyRatio, sides: Sides) -> Outcome:
    """(sum of H released) / (sum of H as it came) over the columns; for the keys also their joint H, beside their sum.

    Here the release is compared with the file as it came, with its fine categories: recoding is the loss that is asked
    for. A missing value counts as a value. A column cannot keep more than it had: noise adds bits, and no information.
    Fails where a column that the use case names has one value left. Cannot be judged where a key has values that are no
    category of the original: after a recoding per class, 31 and 30-39 stand side by side, and their bits say nothing
    about how fine they are. Misleads in both directions: a number with very many values has the most bits and hardly
    loses any, and bits say nothing of what they are good for.
    """
    needs, keys = entropy_needs(case, sides.around), sides.around.keys
    figures = tuple(_figure(need, sides.at_start, sides.released) for need in needs)
    single = [figure for figure, need in zip(figures, needs, strict=True) if len(need.by) == 1]
    of_keys = [figure for figure in single if figure.name in keys]
    summed, among_keys = _ratio(single), _ratio(of_keys)
    joint = _ratio([figure for figure in figures if figure.name == JOINT]) if len(of_keys) > 1 else among_keys
    decides = joint if case.joint else summed
    found = f"{_said(summed)} summed over {len(single)} columns"
    if len(of_keys) > 1:
        beside = "" if len(of_keys) == len(single) else f"; of the {len(of_keys)} keys {_said(among_keys)} summed"
        found += f"{beside}, {_said(joint)} jointly"
    emptied = [f.name for f in single if f.original.value and not f.released.value]
    found += f"; one value is left of {', '.join(emptied)}" if emptied else ""
    lost = [name for name in emptied if name in (case.columns or ())]
    why = f"one value is left of {', '.join(lost)}, which the use case names" if lost else ""
    passed = decides is not None and decides >= case.at_least - 1e-12 and not lost
    outcome = Outcome(
        case.name,
        case.test,
        entropy_rule(case),
        passed,
        found,
        "relative change",
        figures,
        why,
        beside="the file as it came",
    )
    if decides is None:
        return unjudged(outcome, "no key is among the columns" if case.joint and not of_keys else NO_BITS)
    if mixed := [need.by[0] for need in needs if need.by[0] in keys and len(need.by) == 1 and _mixed(
        need, sides.original, sides.released)]:  # fmt: skip
        return unjudged(outcome, f"{', '.join(mixed)} has values in the release that are no category of the original")
    return outcome


def _figure(need: Need, at_start: Fetched, released: Fetched) -> Figure:
    before, after = at_start.get(need), released.get(need)
    h, left = entropy(before.records), entropy(after.records)
    sides = Estimate(h, records=before.total), Estimate(left, records=after.total)
    name = need.by[0] if len(need.by) == 1 else JOINT
    return Figure(name, *sides, min(left / h, 1.0) - 1 if h else None, None, None)


def _ratio(figures: Sequence[Figure]) -> float | None:
    """What is left of the bits of some columns; None where they had none."""
    had = sum(figure.original.value or 0.0 for figure in figures)
    kept = sum(min(figure.original.value or 0.0, figure.released.value or 0.0) for figure in figures)
    return kept / had if had else None


def _said(ratio: float | None) -> str:
    return "nothing" if ratio is None else f"{ratio:.3f}"


def _mixed(need: Need, original: Fetched, released: Fetched) -> bool:
    """Whether the release has values of a key that the original at its categories does not have."""
    name = need.by[0]
    return bool({value for value in released.get(need).values(name) if value is not None} - set(
        original.get(need).values(name)))  # fmt: skip
