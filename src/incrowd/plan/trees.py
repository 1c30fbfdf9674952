"""YAML and JSON of unknown origin as trees: no larger, deeper or more tangled than a person would write.

A few hundred bytes of YAML whose parts point at each other can stand for billions of values, and brackets in brackets
exhaust any reader. Both are refused before anything is made of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from incrowd.errors import InputError
from incrowd.machine.paths import must_be_file

#: A plan with 20,000 variables is within all three.
MOST_BYTES = 2 << 20
MOST_NODES = 200_000
DEEPEST = 40


class Tangled(Exception):
    """A tree that is not read further: the code, why, the way out and the line."""

    def __init__(self, code: str, message: str, hint: str, line: int) -> None:
        super().__init__(message)
        self.code, self.message, self.hint, self.line = code, message, hint, line


class _Tree(yaml.SafeLoader):
    """A loader that counts while it composes."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = self._nodes = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            message = "anchors (&) and aliases (*) are not read: a part that stands for others can stand for too many."
            raise Tangled("P071", message, "Write the part out where it is needed.", line)
        self._depth, self._nodes = self._depth + 1, self._nodes + 1
        if self._depth > DEEPEST:
            raise Tangled("P072", f"more than {DEEPEST} levels inside each other.", "A plan needs ten.", line)
        if self._nodes > MOST_NODES:
            raise Tangled("P073", f"more than {MOST_NODES:,} values.", "Put long lists into files: lookup.", line)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def yaml_tree(text: str) -> yaml.Node | None:
    """The nodes of a YAML text. Raises Tangled, or yaml.YAMLError."""
    node: yaml.Node | None = yaml.compose(text, Loader=_Tree)
    return node


def json_tree(text: str | bytes) -> Any:
    """What a JSON text says. Raises ValueError, also where its brackets are too deep to be meant."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("too deep") from None


def read_text(path: Path) -> str:
    """The text of a plan's file, or of another small one that people write."""
    must_be_file(path)
    try:
        with path.open("rb") as file:
            found = file.read(MOST_BYTES + 1)
        if len(found) > MOST_BYTES:
            raise InputError("D282", f"{path} has more than {MOST_BYTES >> 20} MiB, and is no plan.", "Name another.")
        return found.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError):
        raise InputError("D000", f"the plan {path} cannot be read as UTF-8 text.") from None
