"""A hierarchy to look at: the tree as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from incrowd.keys.hierarchy import Hierarchy

Rows = list[tuple[str, ...]]


def tree_lines(
    hierarchy: Hierarchy, limit: int = 8, depth: int | None = None, words: Mapping[str, str] | None = None
) -> list[str]:
    """The tree from the top down, at most `limit` branches a node, `depth` levels deep (None: all).

    In brackets the leaves below a node. What is cut off is counted, so a tree of 100,000 leaves still fits on a
    screen; a value that keeps its name over several levels is shown once. `words` are what
    values stand for.

    >>> rows = (("31", "30-39", "*"), ("38", "30-39", "*"), ("40", "40", "*"))
    >>> print("\\n".join(tree_lines(Hierarchy("age", rows))))
    *  (3)
    ├── 30-39  (2)
    │   ├── 31
    │   └── 38
    └── 40
    """
    floor = 0 if depth is None else max(hierarchy.height - depth, 0)
    lines: list[str] = []
    for label, rows in _nodes(list(hierarchy.rows), hierarchy.height):
        lines += _drawn(label, rows, hierarchy.height, ("", ""), limit, floor, words or {})
    return lines


def _drawn(
    label: str, rows: Rows, level: int, indent: tuple[str, str], limit: int, floor: int, words: Mapping[str, str]
) -> Iterator[str]:
    """A node and what is below it down to a level; `indent` goes before its own line and before the lines below."""
    while level and all(row[level - 1] == label for row in rows):
        level -= 1
    said = f"{label} = {words[label]}" if label in words else label
    yield f"{indent[0]}{said}  ({len(rows)})" if level else f"{indent[0]}{said}"
    if level <= floor:
        return
    nodes = _nodes(rows, level - 1)
    shown = nodes if len(nodes) <= limit + 1 else nodes[:limit]  # '1 more' is as long as the one itself
    for number, (below, inner) in enumerate(shown, start=1):
        arms = ("└── ", "    ") if number == len(nodes) else ("├── ", "│   ")
        yield from _drawn(below, inner, level - 1, (indent[1] + arms[0], indent[1] + arms[1]), limit, floor, words)
    if len(shown) < len(nodes):
        yield f"{indent[1]}└── … {len(nodes) - len(shown)} more"


def _nodes(rows: Rows, level: int) -> list[tuple[str, Rows]]:
    """The labels of a level among some rows, in the order of the rows, with their rows."""
    nodes: dict[str, Rows] = {}
    for row in rows:
        nodes.setdefault(row[level], []).append(row)
    return list(nodes.items())
