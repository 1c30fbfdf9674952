"""Find the modules of a package, so that what a new one registers is known and no list has to name it."""

from __future__ import annotations

import importlib
import pkgutil


def import_all(package: str) -> None:
    """Import every module of a package that is being imported: each registers what it has."""
    paths = importlib.import_module(package).__path__
    for module in pkgutil.iter_modules(paths):
        importlib.import_module(f"{package}.{module.name}")
