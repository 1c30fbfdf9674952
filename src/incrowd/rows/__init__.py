"""Where rows live: the only room that knows the engine."""

from incrowd.rows.frame import Rows
from incrowd.rows.source import Source, open_source, reopen

__all__ = ["Rows", "Source", "open_source", "reopen"]
