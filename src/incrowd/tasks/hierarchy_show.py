"""Show a hierarchy as a tree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies import describe, tree_lines
from incrowd.keys.hierarchy import Hierarchy
from incrowd.plan.codebook import read_variable_codes
from incrowd.rows.lookup import read_hierarchy


def hierarchy_show(
    hierarchy: Hierarchy | str | Path,
    *,
    depth: int | None = None,
    limit: int = 8,
    codes: Mapping[str, str] | str | Path | None = None,
) -> str:
    """A hierarchy, or a file of one in ARX's format, in words level by level, and as a tree: `depth` levels from the
    top, `limit` branches a node.

    `codes` says what values stand for: a mapping, or a CSV file of codes.

    >>> built = ic.hierarchy_build("people.csv", "gender")
    >>> print(ic.hierarchy_show(built.hierarchy))
    """
    if not isinstance(hierarchy, Hierarchy):
        hierarchy = read_hierarchy(Path(hierarchy), Path(hierarchy).stem)
    words = read_variable_codes(Path(codes), hierarchy.name) if isinstance(codes, str | Path) else codes
    book = Codebook(codes={} if words is None else {hierarchy.name: words})
    return "\n".join([*describe(hierarchy, book), "", *tree_lines(hierarchy, limit=limit, depth=depth, words=words)])
