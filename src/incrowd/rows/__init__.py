"""Where rows live: the only room that knows the engine."""

from incrowd.rows.frame import Rows
from incrowd.rows.source import open_source, reopen

__all__ = ["Rows", "open_source", "reopen"]
