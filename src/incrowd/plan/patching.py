"""Steps put into the text of a plan, so that every comment and line of its author stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from incrowd.plan.load import dump_content
from incrowd.plan.trees import Tangled, yaml_tree

#: Texts of a step fit on a line.
_WIDTH = 100


def with_steps_at(text: str, at: int, steps: Sequence[Mapping[str, Any]]) -> str | None:
    """The plan's text with these steps before the step number `at`, from 0, or behind the last; comments above a step
    stay with it. None where the steps are not written as a list down the page: then nothing can be put between them.

    >>> print(with_steps_at("steps:\\n  # why\\n  - {step: drop, variables: [a]}\\n", 0, [{"step": "drop"}]), end="")
    steps:
      - step: drop
      # why
      - {step: drop, variables: [a]}
    """
    there = _steps(text)
    if there is None:
        return None
    lines, column = text.splitlines(keepends=True), there.start_mark.column
    if at < len(there.value):
        line = there.value[at].start_mark.line
        while line and lines[line - 1].lstrip().startswith("#"):
            line -= 1
    else:
        last = there.value[-1]
        line = last.end_mark.line
        if getattr(last, "flow_style", False):
            line += 1  # one within {} ends on its own line, others where the next thing begins
        else:
            while not lines[line - 1].strip() or lines[line - 1].lstrip().startswith("#"):
                line -= 1
        if not lines[line - 1].endswith("\n"):
            lines[line - 1] += "\n"
    made = dump_content({"steps": [dict(step) for step in steps]}, _WIDTH).splitlines(keepends=True)[1:]
    new = "".join([*lines[:line], *(" " * column + each for each in made), *lines[line:]])
    return new if _same(text, new, at, steps) else None


def _steps(text: str) -> yaml.SequenceNode | None:
    try:
        tree = yaml_tree(text)
    except (Tangled, yaml.YAMLError):
        return None
    fields = tree.value if isinstance(tree, yaml.MappingNode) else ()
    found = next((value for key, value in fields if key.value == "steps"), None)
    usable = isinstance(found, yaml.SequenceNode) and not found.flow_style and found.value
    return found if usable else None


def _same(old: str, new: str, at: int, steps: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the new text says what the old one does, and these steps, and nothing else."""
    before, after = (yaml.load(text, yaml.BaseLoader) for text in (old, _loaded(new)))
    if not isinstance(after, dict):
        return False
    made = yaml.load(dump_content({"steps": [dict(step) for step in steps]}), yaml.BaseLoader)["steps"]
    before["steps"][at:at] = made
    return bool(before == after)


def _loaded(text: str) -> str:
    """The text where it can be read, and nothing where it cannot."""
    try:
        yaml_tree(text)
    except (Tangled, yaml.YAMLError):
        return ""
    return text
