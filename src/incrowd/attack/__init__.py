"""Simulated intruders, one file per attack; each has a baseline, a control where there can be one, and an interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from incrowd.attack.composition import composition
from incrowd.attack.dictionary import dictionary
from incrowd.attack.differencing import differencing
from incrowd.attack.gap import gap
from incrowd.attack.homogeneity import homogeneity
from incrowd.attack.inference import inference
from incrowd.attack.linkage import exact_linkage, nearest_linkage
from incrowd.attack.minimality import minimality
from incrowd.attack.probabilistic import probabilistic_linkage
from incrowd.attack.row_order import row_order
from incrowd.attack.singling_out import singling_out, singling_out_any
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.skewness import skewness
from incrowd.attack.value import Attacked

#: Every attack by its word in a plan and on the command line. An attack that cannot be tried here says why.
ATTACKS: Mapping[str, Callable[[Situation, Auxiliary], list[Attacked]]] = {
    "linkage": exact_linkage,
    "nearest": nearest_linkage,
    "probabilistic": probabilistic_linkage,
    "singling_out": singling_out,
    "singling_out_any": singling_out_any,
    "homogeneity": homogeneity,
    "skewness": skewness,
    "inference": inference,
    "gap": gap,
    "minimality": minimality,
    "composition": composition,
    "differencing": differencing,
    "row_order": row_order,
    "dictionary": dictionary,
}

#: Their control are people outside the release: somebody may be held out of a trial release for them.
CONTROL_OUTSIDE = ("homogeneity", "skewness")

#: They take long, or say little of an intruder who knows only keys: tried when they are asked for.
ON_REQUEST = frozenset({"inference", "probabilistic", "singling_out_any"})
