"""Requirements as short texts, for the command line: `t:occupation:0.2:ordered`.

    k:K                            distinct_l:A:L              alpha_k:A:ALPHA:K
    k_map:K                        entropy_l:A:L               t:A:T[:equal|ordered|ordered-text|hierarchical]
    weak_k:K:on=KEY,KEY            recursive_l:A:C:L           beta:A:BETA        enhanced_beta:A:BETA
    delta_presence:DMIN:DMAX       one_sided:A:VALUE[:ALPHA]   delta_disclosure:A:DELTA[:skip-zeros]

A is a sensitive variable. Any of them may end in `:on=KEY,KEY` (its own keys) and then `:where=CONDITION` (the rest of
the text). A name that holds a colon goes into double quotes. ARX's short names are understood with ARX's meaning:
dl, el, rl, te (equal), to (order of the texts), th (hierarchical), bl, ebl, dd (log2, zeros skipped).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from incrowd.errors import Fault, PlanError, did_you_mean
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.requirements.base import Requirement
from incrowd.keys.requirements.crowd import DeltaPresence, K, KMap, WeakK
from incrowd.keys.requirements.diversity import AlphaK, DistinctL, EntropyL, OneSided, RecursiveL
from incrowd.keys.requirements.likeness import BetaLikeness, DeltaDisclosure, Distance, EnhancedBeta, TCloseness


@dataclass(frozen=True)
class _Given:
    """What comes with the fields: the subset, and what is known of the sensitive variable."""

    keys: tuple[str, ...] | None
    where: str | None
    order: tuple[str, ...] | None
    hierarchy: Hierarchy | None


@dataclass(frozen=True)
class _Grammar:
    """How one model is written: its fields (optional ones in brackets), and what makes it of them."""

    fields: str
    make: Callable[[Sequence[str], _Given], Requirement]

    @property
    def most(self) -> int:
        return len(self.fields.split(":"))

    @property
    def fewest(self) -> int:
        return self.most - self.fields.count("[")


def _t(f: Sequence[str], given: _Given, distance: Distance = "equal") -> Requirement:
    chosen = cast(Distance, f[2]) if len(f) > 2 else distance
    order = given.order if chosen == "ordered" else None
    hierarchy = given.hierarchy if chosen == "hierarchical" else None
    return TCloseness(f[0], float(f[1]), chosen, order=order, hierarchy=hierarchy)


def _delta_disclosure(f: Sequence[str], _: _Given) -> Requirement:
    if len(f) > 2 and f[2] != "skip-zeros":
        raise _fault("P061", "delta_disclosure", "its third field can only be skip-zeros.")
    return DeltaDisclosure(f[0], float(f[1]), len(f) > 2)


_GRAMMARS: dict[str, _Grammar] = {
    "k": _Grammar("K", lambda f, _: K(int(f[0]))),
    "weak_k": _Grammar("K", lambda f, o: WeakK(int(f[0]), keys=o.keys, where=o.where)),
    "k_map": _Grammar("K", lambda f, _: KMap(int(f[0]))),
    "delta_presence": _Grammar("DMIN:DMAX", lambda f, _: DeltaPresence(float(f[0]), float(f[1]))),
    "distinct_l": _Grammar("A:L", lambda f, _: DistinctL(f[0], int(f[1]))),
    "entropy_l": _Grammar("A:L", lambda f, _: EntropyL(f[0], float(f[1]))),
    "recursive_l": _Grammar("A:C:L", lambda f, _: RecursiveL(f[0], float(f[1]), int(f[2]))),
    "one_sided": _Grammar("A:VALUE:[ALPHA]", lambda f, _: OneSided(f[0], f[1], *map(float, f[2:]))),
    "alpha_k": _Grammar("A:ALPHA:K", lambda f, _: AlphaK(f[0], float(f[1]), int(f[2]))),
    "t": _Grammar("A:T:[equal|ordered|ordered-text|hierarchical]", _t),
    "beta": _Grammar("A:BETA", lambda f, _: BetaLikeness(f[0], float(f[1]))),
    "enhanced_beta": _Grammar("A:BETA", lambda f, _: EnhancedBeta(f[0], float(f[1]))),
    "delta_disclosure": _Grammar("A:DELTA:[skip-zeros]", _delta_disclosure),
    # ARX's short names
    "te": _Grammar("A:T", _t),
    "to": _Grammar("A:T", lambda f, o: _t(f, o, "ordered-text")),
    "th": _Grammar("A:T", lambda f, o: _t(f, o, "hierarchical")),
    "dd": _Grammar("A:DELTA", lambda f, _: DeltaDisclosure(f[0], float(f[1]) * math.log(2), skip_zeros=True)),
}
for _short, _long in {
    "dl": "distinct_l",
    "el": "entropy_l",
    "rl": "recursive_l",
    "bl": "beta",
    "ebl": "enhanced_beta",
}.items():
    _GRAMMARS[_short] = _GRAMMARS[_long]

#: The names a model can have, long and short.
MODEL_NAMES = tuple(_GRAMMARS)


def parse_model(
    text: str,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
) -> Requirement:
    """What requirement does a text mean? Hierarchies and declared orders of sensitive variables are handed in.

    >>> ic.parse_model("distinct_l:occupation:3").describe()
    'every class has at least 3 different values of occupation'
    """
    head, _, where = text.partition(":where=")
    try:
        name, *given = next(csv.reader([head], delimiter=":"), None) or [""]
    except csv.Error:
        raise _fault("P061", "", "it cannot be taken apart at its colons.", "Write it on one line.") from None
    keys = None
    if given and given[-1].startswith("on="):
        keys = tuple(key.strip() for key in given.pop()[3:].split(","))
    name = name.strip()
    if name not in _GRAMMARS:
        hint = did_you_mean(name, MODEL_NAMES) or f"The models are: {', '.join(MODEL_NAMES)}."
        raise _fault("P060", name, "there is no such model.", hint)
    grammar = _GRAMMARS[name]
    form = f"Write it as {name}:{grammar.fields.replace(':[', '[:')}."
    if not grammar.fewest <= len(given) <= grammar.most or not all(given):
        raise _fault("P061", name, f"it has {len(given)} fields after its name, or an empty one.", form)
    order = (orders or {}).get(given[0])
    known = _Given(keys, where or None, None if order is None else tuple(order), (hierarchies or {}).get(given[0]))
    try:
        requirement = grammar.make(given, known)
    except ValueError:
        raise _fault("P061", name, "a field that should be a number is not one.", form) from None
    return replace(requirement, keys=known.keys, where=known.where)


def _fault(code: str, model: str, message: str, hint: str | None = None) -> PlanError:
    return PlanError([Fault(code, f"model {model}", message, hint)])
