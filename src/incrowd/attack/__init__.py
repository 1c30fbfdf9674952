"""Simulated intruders, one file per attack; each has a baseline, a control where there can be one, and an interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from incrowd.attack.linkage import exact_linkage, nearest_linkage
from incrowd.attack.probabilistic import probabilistic_linkage
from incrowd.attack.singling_out import singling_out, singling_out_any
from incrowd.attack.situation import Beside, Situation
from incrowd.attack.value import Attacked

#: Every attack by its word in a plan and on the command line. An attack that cannot be tried here says why.
ATTACKS: Mapping[str, Callable[[Situation, Beside], list[Attacked]]] = {
    "linkage": exact_linkage,
    "nearest": nearest_linkage,
    "probabilistic": probabilistic_linkage,
    "singling_out": singling_out,
    "singling_out_any": singling_out_any,
}

#: They take long, or say little of an intruder who knows only keys: tried when they are asked for.
ON_REQUEST = frozenset({"inference", "probabilistic", "singling_out_any"})
