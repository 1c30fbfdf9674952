"""Requirements on what a class tells beyond the whole file: t-closeness, beta-likeness, delta-disclosure.

All compare q, the distribution in a class, with p, the distribution in the file before suppression: `bind` fixes p.
Unbound, they take the table's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self, cast, get_args
from weakref import WeakKeyDictionary

import numpy as np

from incrowd.errors import Fault, PlanError
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.requirements.base import Numbers, Requirement, refuse, within
from incrowd.keys.requirements.convex import Convex
from incrowd.keys.requirements.figures import Comparison, figures_of
from incrowd.keys.requirements.form import Form, Spelled
from incrowd.keys.requirements.kernels import TOLERANCE, Float64
from incrowd.keys.requirements.reference import Reference
from incrowd.keys.table import Domain, Histogram, KeyTable, Mask

#: A larger delta forbids no more than this one does: no share is so small.
MOST_DELTA = 700.0
Distance = Literal["equal", "ordered", "ordered-text", "hierarchical"]


def _t(default: Distance) -> Callable[[Sequence[str], Spelled], Requirement]:
    """What makes t-closeness of a text that may name no distance."""

    def make(f: Sequence[str], given: Spelled) -> Requirement:
        chosen = cast(Distance, f[2]) if len(f) > 2 else default
        order = given.order if chosen == "ordered" else None
        hierarchy = given.hierarchy if chosen == "hierarchical" else None
        return TCloseness(f[0], float(f[1]), chosen, order=order, hierarchy=hierarchy)

    return make


def _delta_disclosure(f: Sequence[str], _: Spelled) -> Requirement:
    if len(f) > 2 and f[2] != "skip-zeros":
        message = "its third field can only be skip-zeros."
        raise PlanError([Fault("P061", "model delta_disclosure", message)])
    return DeltaDisclosure(f[0], float(f[1]), len(f) > 2)


@dataclass(frozen=True)
class Likeness(Requirement):
    """A requirement that compares each class with the whole file."""

    sensitive: str
    reference: Reference | None = field(default=None, kw_only=True, compare=False, repr=False)
    compares_with_file: ClassVar[bool] = True
    limits_disclosure: ClassVar[bool] = True
    residual: ClassVar[str | None] = "Skewness"

    def bind(self, table: KeyTable) -> Self:
        """Fix p from this table, which should be the one before suppression."""
        return replace(self, reference=figures_of(table, self.sensitive).own)

    def _compared(self, table: KeyTable) -> Comparison:
        return self._figures(table).against(self.reference)

    def _alone(self, table: KeyTable) -> KeyTable:
        """A class for each value, with nobody else in it: where a convex figure is largest."""
        reference = self.reference or self._figures(table).own
        if reference not in _corners:
            each, ones = np.arange(len(reference.values)), np.ones(len(reference.values), np.int64)
            alone = Histogram(Domain(self.sensitive, reference.values), each, each.astype(np.int32), ones)
            classes = Domain("class", tuple(map(str, each)))
            _corners[reference] = KeyTable((classes,), each.astype(np.int32)[None, :], ones, {self.sensitive: alone})
        return _corners[reference]


_corners: WeakKeyDictionary[Reference, KeyTable] = WeakKeyDictionary()


@dataclass(frozen=True)
class TCloseness(Likeness):
    """t-closeness: is the distribution in every class close to that of the file? distance(p, q) <= t.

    *equal*: 1/2 sum |p - q|. *ordered*: sum_i |P_i - Q_i| / (m - 1), cumulative, in the order of the numbers or the
    declared `order`; *ordered-text*: in the order of the texts, as ARX. *hierarchical*: sum over inner nodes of
    (height / H) * min(positive flow, negative flow). m counts the values that occur in the file.
    Misleads with *equal* where values are near or far from each other in meaning, and with *ordered* where m is
    large: then even a class of one value may be near. Reference: Li, Li and Venkatasubramanian 2007. Of nine
    salaries 3..11 thousand the class {3, 4, 5} has an ordered distance of 0.375, {6, 8, 11} of 0.1667.
    """

    t: float
    distance: Distance = "equal"
    order: tuple[str, ...] | None = field(default=None, kw_only=True)
    hierarchy: Hierarchy | None = field(default=None, kw_only=True, repr=False)
    model: ClassVar[str] = "t"
    forms: ClassVar[Mapping[str, Form]] = {
        "t": Form("A:T:[equal|ordered|ordered-text|hierarchical]", _t("equal")),
        "te": Form("A:T", _t("equal")),
        "to": Form("A:T", _t("ordered-text")),
        "th": Form("A:T", _t("hierarchical")),
    }
    measured: ClassVar[str] = "largest distance of any class"

    def __post_init__(self) -> None:
        within(self, "t", 0, 1)
        if self.distance not in get_args(Distance):
            known = ", ".join(get_args(Distance))
            raise refuse(self.model, f"there is no distance {self.distance!r}.", f"There are {known}.")
        if self.order is not None and self.distance != "ordered":
            raise refuse(self.model, "a declared order goes with the ordered distance.", "Say ordered.")

    def measure(self, table: KeyTable) -> Numbers:
        """The distance of each class from p."""
        compared = self._compared(table)
        if self.distance == "equal":
            return compared.equal_distance
        reference = self.reference or self._figures(table).own
        if self.distance != "hierarchical":
            return compared.distance(reference.order(self.distance, self.order))
        if self.hierarchy is None:
            message = f"the hierarchical distance of {self.sensitive!r} needs its hierarchy."
            raise refuse(self.model, message, "Name its file.")
        return compared.distance(reference.tree(self.hierarchy))

    def convex(self, table: KeyTable) -> Sequence[Convex]:
        """The distance from p is a norm of q - p, or a cost of transport: both are convex."""
        return [Convex(self.measure(table), self.t + TOLERANCE, float(self.measure(self._alone(table)).max(initial=0)))]

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Further away than t."""
        return figures > self.t + TOLERANCE

    def words(self) -> str:
        """In words."""
        spread = f"in every class {self.sensitive} is spread as in the file"
        return f"{spread}, up to a distance ({self.distance}) of {self.t:g}"


@dataclass(frozen=True)
class BetaLikeness(Likeness):
    """beta-likeness: does a class not make any value much more likely than it is in the file? max (q - p)/p <= beta.

    Speaks of gains only: a value that a class lacks tells something too (see delta-disclosure). Misleads for frequent
    values, which a large beta lets rise to 1: that is what the enhanced form is for.
    Reference: Cao and Karras 2012.
    """

    beta: float
    model: ClassVar[str] = "beta"
    forms: ClassVar[Mapping[str, Form]] = dict.fromkeys(
        ("beta", "bl"), Form("A:BETA", lambda f, _: BetaLikeness(f[0], float(f[1])))
    )
    measured: ClassVar[str] = "largest gain of a value in any class"

    def __post_init__(self) -> None:
        within(self, "beta", 0, open_low=True)

    def measure(self, table: KeyTable) -> Numbers:
        """The largest relative gain of each class."""
        return self._compared(table).most - 1

    def convex(self, table: KeyTable) -> Sequence[Convex]:
        """What all values have beyond their largest shares."""
        compared = self._compared(table)
        caps = self._caps(compared.p)
        return [Convex(compared.above(caps), 0.0, float((1 - caps).max(initial=0)))]

    def _caps(self, p: Float64) -> Float64:
        """The largest share that a class may have of each value."""
        return p * (self.beta + 1) * (1 + TOLERANCE)

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """A gain above beta."""
        return figures + 1 > (self.beta + 1) * (1 + TOLERANCE)

    def words(self) -> str:
        """In words."""
        return f"in no class has a value of {self.sensitive} more than {1 + self.beta:g} times its share in the file"


@dataclass(frozen=True)
class EnhancedBeta(BetaLikeness):
    """Enhanced beta-likeness: (q - p)/p <= min(beta, -ln p), so that no value becomes certain?

    The figure is the largest gain, infinite where one is above its -ln p: then no beta is enough.
    Reference: Cao and Karras 2012.
    """

    model: ClassVar[str] = "enhanced_beta"
    forms: ClassVar[Mapping[str, Form]] = dict.fromkeys(
        ("enhanced_beta", "ebl"), Form("A:BETA", lambda f, _: EnhancedBeta(f[0], float(f[1])))
    )
    measured: ClassVar[str] = "largest gain of a value in any class"

    def measure(self, table: KeyTable) -> Numbers:
        """The largest relative gain of each class, or infinity."""
        compared = self._compared(table)
        return np.where(compared.beyond_cap, np.inf, compared.most - 1)

    def _caps(self, p: Float64) -> Float64:
        return np.minimum(super()._caps(p), p * (1 - np.log(p) * (1 + TOLERANCE)))

    def words(self) -> str:
        """In words."""
        return super().words() + ", and less where it is frequent"


@dataclass(frozen=True)
class DeltaDisclosure(Likeness):
    """delta-disclosure: does a class change the odds of no value much, up or down? |ln(q/p)| < delta for all values.

    Strict: a value that a class lacks breaks it, and equality does too. `skip_zeros` leaves lacking values out, as
    ARX and pycanon do; then it is not monotone, because a value that comes in can be too rare. ARX's delta is in
    log2: its 1 is our ln 2. Misleads where the variable has many values: hardly any class has them all.
    Reference: Brickell and Shmatikov 2008.
    """

    delta: float
    skip_zeros: bool = False
    model: ClassVar[str] = "delta_disclosure"
    forms: ClassVar[Mapping[str, Form]] = {
        "delta_disclosure": Form("A:DELTA:[skip-zeros]", _delta_disclosure),
        "dd": Form("A:DELTA", lambda f, _: DeltaDisclosure(f[0], float(f[1]) * math.log(2), skip_zeros=True)),
    }
    measured: ClassVar[str] = "largest change of a value's share, as a logarithm"

    def __post_init__(self) -> None:
        within(self, "delta", 0, open_low=True)

    @classmethod
    def is_strict(cls, limit: float) -> bool:
        """By definition."""
        return True

    @property
    def survives_merging(self) -> bool:
        """Shares of merged classes lie between theirs, unless a 0 was skipped."""
        return not self.skip_zeros

    def measure(self, table: KeyTable) -> Numbers:
        """The largest |ln(q/p)| of each class."""
        compared = self._compared(table)
        full = compared.most > 0
        if not self.skip_zeros:
            full &= self._figures(table).distinct == compared.m
        factor = np.maximum(compared.most[full], 1 / compared.least[full])
        figures = np.full(len(full), np.inf)
        figures[full] = np.log(factor)
        return figures

    def convex(self, table: KeyTable) -> Sequence[Convex]:
        """What all values have beyond their largest shares; and how far the one that is lacking most is below its
        least. A value that is skipped as 0 bends it.
        """
        if self.skip_zeros:
            return ()
        compared, most = self._compared(table), math.exp(min(self.delta, MOST_DELTA) - TOLERANCE)
        least = np.where(self._figures(table).distinct == compared.m, compared.least, 0.0)
        caps = compared.p * most
        return [Convex(compared.above(caps), 0.0, float((1 - caps).max(initial=0))), Convex(1 - least * most, 0.0, 1.0)]

    def breaks(self, table: KeyTable, figures: Numbers) -> Mask:
        """Not below delta."""
        return figures >= self.delta - TOLERANCE

    def words(self) -> str:
        """In words."""
        some = " that it has" if self.skip_zeros else ""
        factor = f"{np.exp(self.delta):.4g}"
        return f"no class has {factor} times, or 1/{factor} of, the file's share of a value of {self.sensitive}{some}"
