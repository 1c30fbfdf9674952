"""A sweep: the same plan with other values of a parameter, side by side, and what to conclude from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from incrowd.keys.requirements import Requirement
from incrowd.keys.table import KeyTable
from incrowd.utility.evaluate import broken
from incrowd.utility.outcome import Outcome

#: The parameters of which more, or less, protects better. For others a sweep recommends nothing.
MORE_PROTECTS = ("k", "l", "rate")
LESS_PROTECTS = ("t", "alpha", "beta", "delta", "dmax", "fraction")


@dataclass(frozen=True)
class SweepPoint:
    """What the release would be at one setting: records dropped by model, loss, risk, and the use cases.

    `risk_max` is 1 / the smallest class, `risk_mean` classes / records: an intruder who knows who is in the file
    finds a person with these chances. `why` says why the setting gives no release.
    """

    label: str
    setting: Mapping[str, str]
    records: int
    released: int
    dropped: Mapping[str, int]  # model -> records dropped for it
    loss: float | None
    smallest: int
    risk_max: float | None
    risk_mean: float | None
    outcomes: tuple[Outcome, ...] = ()
    why: str = ""

    @property
    def broken(self) -> tuple[str, ...]:
        """The use cases that do not pass."""
        return broken(self.outcomes)

    @property
    def kept(self) -> float:
        """The share of the records that is released."""
        return self.released / self.records if self.records else 0.0

    @property
    def fine(self) -> bool:
        """Whether there is a release, and no use case breaks."""
        return not self.why and not self.broken and self.released > 0


@dataclass(frozen=True)
class Sweep:
    """All points, which one the plan has chosen itself, and which one is recommended; `advice` says it in words."""

    parameter: str
    points: tuple[SweepPoint, ...]
    chosen: str | None = None
    recommended: str | None = None
    advice: str = ""
    candidates: tuple[SweepPoint, ...] = field(default=())

    @property
    def models(self) -> tuple[str, ...]:
        """The models that records were dropped for, at any point."""
        return tuple(dict.fromkeys(model for point in (*self.points, *self.candidates) for model in point.dropped))

    @property
    def use_cases(self) -> tuple[str, ...]:
        """The names of the use cases."""
        every = (outcome for point in (*self.points, *self.candidates) for outcome in point.outcomes)
        return tuple(dict.fromkeys(outcome.use_case for outcome in every))


def conclude(parameter: str, points: Sequence[SweepPoint], chosen: str | None) -> Sweep:
    """The strictest value at which nothing breaks, and what breaks next.

    Points come in the order of the values. Where a use case breaks, and holds again at a stricter value, the advice
    says that it is not stable. Use cases that are not there cannot break: then nothing is recommended.
    """
    found = Sweep(parameter, tuple(points), chosen)
    name = parameter.rpartition(".")[2]
    if not found.use_cases:
        return _advised(found, None, "The plan has no use cases, so nothing can be said to break.")
    if name not in (*MORE_PROTECTS, *LESS_PROTECTS):
        return _advised(found, None, "What is stricter here is not known, so nothing is recommended.")
    if any(len(point.setting) > 1 or not _is_number(point.label) for point in points):
        return _advised(
            found, None, "Several parameters change here, so none is the strictest: nothing is recommended."
        )
    strict = sorted(points, key=lambda point: _number(point.label), reverse=name in MORE_PROTECTS)
    best = next((point for point in strict if point.fine), None)
    if best is None:
        return _advised(
            found, None, f"At every {name} something breaks: {_breaks(strict[-1])} even at {strict[-1].label}."
        )
    at = strict.index(best)
    advice = f"{name} = {best.label} is the strictest value tried at which no conclusion changes."
    advice += f" It releases {best.kept:.1%} of the records."
    if at:
        advice += f" Next, at {strict[at - 1].label}: {_breaks(strict[at - 1])}."
    else:
        advice += " Nothing breaks up to the end of the sweep: a stricter value may do as well."
    weak = [point.label for point in strict[at + 1 :] if not point.fine]
    if weak:
        advice += f" But conclusions also change at {', '.join(reversed(weak))}: they are not stable here."
    return _advised(found, best.label, advice)


def why_not(table: KeyTable, requirements: Sequence[Requirement]) -> str:
    """Why there would be no release: the requirements that do not hold; empty when all do."""
    broken = dict.fromkeys(r.model for r in requirements if bool(r.failing(table).any()))
    return f"{', '.join(broken)} does not hold" if broken else ""


def exposure(table: KeyTable) -> tuple[int, float | None, float | None]:
    """The smallest class, and the largest and mean chance to find a person in the file."""
    if not table.classes:
        return 0, None, None
    people = max(table.people, 1)
    return table.smallest, 1 / table.smallest, table.classes / people


def _breaks(point: SweepPoint) -> str:
    if point.why:
        return f"there is no release ({point.why})"
    if not point.released:
        return "no record is left"
    open_ones = [repr(outcome.use_case) for outcome in point.outcomes if not outcome.judged]
    broken = [repr(outcome.use_case) for outcome in point.outcomes if outcome.judged and not outcome.passed]
    told = [f"breaks {', '.join(broken)}"] if broken else []
    told += [f"{', '.join(open_ones)} cannot be judged"] if open_ones else []
    return ", and ".join(told)


def _advised(found: Sweep, best: str | None, advice: str) -> Sweep:
    return Sweep(found.parameter, found.points, found.chosen, best, advice, found.candidates)


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def _number(label: str) -> float:
    try:
        return float(label)
    except ValueError:
        return 0.0
