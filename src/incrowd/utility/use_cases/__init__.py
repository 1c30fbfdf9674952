"""The use cases, one file for those that go together. Each registers itself when its file is imported (registry.py)."""

from importlib import import_module
from pkgutil import iter_modules

from incrowd.utility.registry import USE_CASES as USE_CASES

for _file in iter_modules(__path__):
    if _file.name != "python_child":  # a program of its own, run in another process
        import_module(f"{__name__}.{_file.name}")
