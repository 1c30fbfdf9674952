"""Show a hierarchy as a tree."""

from __future__ import annotations

from pathlib import Path

from incrowd.keys.hierarchies import tree_lines
from incrowd.keys.hierarchy import Hierarchy
from incrowd.rows.lookup import read_hierarchy


def hierarchy_show(hierarchy: Hierarchy | str | Path, *, depth: int | None = None, limit: int = 8) -> str:
    """A hierarchy, or a file of one in ARX's format, as a tree: `depth` levels from the top, `limit` branches a node.

    >>> built = ic.hierarchy_build("people.csv", "gender")
    >>> print(ic.hierarchy_show(built.hierarchy))
    """
    if not isinstance(hierarchy, Hierarchy):
        hierarchy = read_hierarchy(Path(hierarchy), Path(hierarchy).stem)
    return "\n".join(tree_lines(hierarchy, limit=limit, depth=depth))
