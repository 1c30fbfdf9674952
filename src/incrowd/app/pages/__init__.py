"""The pages, one file each: `add(app, site)` gives the application its addresses."""

from __future__ import annotations

from importlib import import_module

from incrowd.app.site import PAGES

ALL = tuple(import_module(f"incrowd.app.pages.{name}").add for name, _ in PAGES)
