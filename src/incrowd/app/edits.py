"""Small edits of a plan's tree that keep its comments: ruamel.yaml ties the lines below a field to that field.

A field that is taken out would take the comment of the next block with it, and one that is added at the end of a block
would come behind the comment of the next.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import CommentMark
from ruamel.yaml.tokens import CommentToken
from yaml import MappingNode, Node, SequenceNode, YAMLError

from incrowd.errors import InputError
from incrowd.plan.trees import Tangled, yaml_tree

Tree = Any


def part(tree: Tree, *path: Any, kind: type = CommentedMap) -> Tree:
    """A block of the plan, or a list (`kind`), to be edited."""
    for number, name in enumerate(path, 1):
        try:
            tree = tree[name]
        except (KeyError, IndexError, TypeError):
            tree = None
        if not isinstance(tree, kind if number == len(path) else CommentedMap | CommentedSeq):
            where = ".".join(str(one) for one in path[:number])
            raise InputError("D419", f"{where!r} of the plan is not as it should be.", "Mend it in an editor, or undo.")
    return tree


def put(block: CommentedMap, name: str, value: Any, after: Sequence[str] = ()) -> None:
    """Set a field. A new one stands behind the last of `after` that is there, else at the end."""
    if name in block:
        if block[name] != value:
            # Not by its own way, which would write the new text as the old one was: folded, literal, in quotes.
            OrderedDict.__setitem__(block, name, _made(value))
        return
    places = [place for place, known in enumerate(block) if known in after]
    at = places[-1] + 1 if places else len(block)
    tail = _cut(block, list(block)[-1]) if block and at == len(block) else ""
    block.insert(at, name, _made(value))
    if tail:
        _hang(block, name, tail)


def append(block: CommentedSeq, value: Any) -> None:
    """One more of a list; what is written below the last one comes behind the new one."""
    tail = _cut(block, len(block) - 1) if block else ""
    block.append(_made(value))
    if tail:
        _hang(block, len(block) - 1, tail)


def space_below(block: CommentedMap, name: str) -> None:
    """An empty line behind a field that was added between two blocks."""
    if list(block)[-1] != name:
        _hang(block, name, "\n")


def take_out(block: Any, name: Any) -> None:
    """Remove a field, or one of a list; what is written above and below it stays."""
    names = list(block) if isinstance(block, CommentedMap) else list(range(len(block)))
    if name not in names:
        return
    at = names.index(name)
    before = (block.ca.items.get(name) or [None, None])[1] or []
    tail = "".join(token.value for token in before) + _cut(block, name)
    if isinstance(block, CommentedMap):
        block.ca.items.pop(name, None)
    del block[name]  # a list moves what is tied to later ones by itself
    if tail and at:
        _hang(block, names[at - 1], tail)
    elif tail and len(block):
        following = names[1] if isinstance(block, CommentedMap) else 0
        found = block.ca.items.setdefault(following, [None, None, None, None])
        found[1] = [*_tokens(tail), *(found[1] or [])]


def set_or_remove(block: CommentedMap, name: str, value: Any, after: Sequence[str] = ()) -> None:
    """Set a field, or remove it where there is nothing to say."""
    if value in (None, ""):
        take_out(block, name)
    else:
        put(block, name, value, after)


def as_written(text: str) -> dict[str, Any]:
    """A plan to look at, as it is written: `007` is no number, though YAML's readers take it for one. What cannot be
    read is an empty one.
    """
    try:
        found = _texts(yaml_tree(text))
    except (YAMLError, Tangled):
        return {}
    return found if isinstance(found, dict) else {}


def named(block: CommentedMap, names: Iterable[str], name: str) -> Any:
    """The key of a block under which a field stands that is written so (`names` are its fields as they are written);
    None where there is none.
    """
    return next((key for key, written in zip(block, names, strict=False) if written == name), None)


def _texts(node: Node | None) -> Any:
    if isinstance(node, MappingNode):
        return {str(key.value): _texts(value) for key, value in node.value}
    if isinstance(node, SequenceNode):
        return [_texts(child) for child in node.value]
    return None if node is None or node.tag == "tag:yaml.org,2002:null" else node.value


def _made(value: Any) -> Any:
    """Plain maps and lists as those that comments can be tied to."""
    if isinstance(value, dict) and not isinstance(value, CommentedMap):
        return CommentedMap((name, _made(inside)) for name, inside in value.items())
    if isinstance(value, list) and not isinstance(value, CommentedSeq):
        return CommentedSeq([_made(inside) for inside in value])
    return value


def _way(block: Any, name: Any) -> list[tuple[Any, Any]]:
    """From a field down to its last line: there, or at the end of a block on the way, what is written below is tied."""
    way = [(block, name)]
    value = block[name]
    while isinstance(value, CommentedMap | CommentedSeq) and len(value) and not value.fa.flow_style():
        way.append((value, list(value)[-1] if isinstance(value, CommentedMap) else len(value) - 1))
        value = way[-1][0][way[-1][1]]
    return way


def _cut(block: Any, name: Any) -> str:
    """The lines below a field, taken from it; what stands beside it stays with it."""
    way = _way(block, name)
    ends = [token.value for inner, _ in reversed(way[1:]) for token in inner.ca.end]
    for inner, _ in way[1:]:
        del inner.ca.end[:]
    return _cut_leaf(*way[-1]) + "".join(ends)


def _cut_leaf(block: Any, name: Any) -> str:
    found, place = block.ca.items.get(name), 2 if isinstance(block, CommentedMap) else 0
    token = None if found is None else found[place]
    if token is None or isinstance(token, list):
        return ""
    beside, end, below = token.value.partition("\n")
    if not below:
        return ""
    token.value = beside + end
    if not beside:
        found[place] = None
    return str(below)


def _hang(block: Any, name: Any, below: str) -> None:
    way = _way(block, name)
    for inner, _ in way[1:]:
        if inner.ca.end:
            inner.ca.end.extend(_tokens(below))
            return
    block, name = way[-1]
    place = 2 if isinstance(block, CommentedMap) else 0
    found = block.ca.items.setdefault(name, [None, None, None, None])
    token = found[place]
    if token is None:
        found[place] = CommentToken(f"\n{below}", CommentMark(0), None)
    else:
        token.value = f"{token.value.rstrip(chr(10))}\n{below}"


def _tokens(lines: str) -> list[CommentToken]:
    return [CommentToken(f"{line}\n", CommentMark(0), None) for line in lines.splitlines()]
