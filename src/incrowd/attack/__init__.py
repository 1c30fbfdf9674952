"""Simulated intruders, one file per attack; each has a baseline, a control where there can be one, and an interval.

An attack registers itself when its file is imported (registry.py), and every file of this room is.
"""

from incrowd.attack.registry import ATTACKS as ATTACKS
from incrowd.machine.modules import import_all

import_all(__name__)
