"""Simulated intruders, one file per attack; each has a baseline, a control where there can be one, and an interval.

An attack registers itself when its file is imported (registry.py), and every file of this room is.
"""

from importlib import import_module
from pkgutil import iter_modules

from incrowd.attack.registry import ATTACKS as ATTACKS

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")
