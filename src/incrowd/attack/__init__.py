"""Simulated intruders, one file per attack; each has a baseline, a control where there can be one, and an interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from incrowd.attack.situation import Beside, Situation
from incrowd.attack.value import Attacked

#: Every attack by its word in a plan and on the command line. An attack that cannot be tried here says why.
ATTACKS: Mapping[str, Callable[[Situation, Beside], list[Attacked]]] = {}
