"""The plan as a text that the pages edit: saved at every change, undone and redone, and read again when somebody has
changed the file in an editor. Comments and order stay where they are.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.representer import RoundTripRepresenter
from yaml import YAMLError as PyYAMLError

from incrowd.app.edits import as_written
from incrowd.errors import Fault, IncrowdError, InputError
from incrowd.machine.writing import write_private
from incrowd.plan import inspect_plan, read_text
from incrowd.plan.confined import refuse_outside
from incrowd.plan.files import stamps
from incrowd.plan.trees import Tangled, yaml_tree
from incrowd.tasks.check import PlanCheck, check

#: So many states of a plan can be undone.
MOST = 200
Tree = Any
Stamps = dict[str, tuple[int, ...]]


class Document:
    """A plan's file and the states that it has had here. A `confined` one names no file outside its folder."""

    def __init__(self, path: Path, confined: bool = False) -> None:
        self.path, self.confined = path, confined
        self.history: list[tuple[str, str]] = [(read_text(path), "opened")]  # text, and what made it
        self.at = 0
        self._checked: tuple[str, PlanCheck, Stamps] | None = None

    @property
    def text(self) -> str:
        """The plan as it is saved."""
        return self.history[self.at][0]

    @property
    def tree(self) -> Tree:
        """The plan as maps and lists, to look at; what is changed in it is not saved."""
        return _parsed(self.text)

    @property
    def checked(self) -> PlanCheck:
        """The plan and all that is wrong with it; checked again when a file that it names has come, gone or changed."""
        if self._checked is not None and self._checked[0] == self.text:
            _, found, seen = self._checked
            if seen == self._stamps(found):
                return found
        try:
            found = check(self.path)
        except IncrowdError as error:  # of the data: all pages show the plan, and none could be shown without it
            inspected = inspect_plan(self.text, self.path.parent)
            fault = Fault(error.code, "data", error.message, error.hint)
            found = PlanCheck(inspected.plan, (*inspected.faults, fault), tuple(inspected.notes))
        self._checked = self.text, found, self._stamps(found)
        return found

    def _stamps(self, found: PlanCheck) -> Stamps:
        return {} if found.plan is None else stamps(found.plan, self.path.parent)

    def refresh(self) -> bool:
        """Take over what somebody else has written to the file; says whether they have."""
        text = read_text(self.path)
        if text == self.text:
            return False
        self._push(text, "changed outside")
        return True

    def change(self, edit: Callable[[Tree], object], what: str) -> None:
        """Edit the plan and save it; `what` says in a few words what was done. A plan that is broken stays as it is."""
        self.refresh()
        tree = _parsed(self.text)
        try:
            edit(tree)
            text = _dumped(tree)
            yaml_tree(text)
        except (AttributeError, IndexError, KeyError, TypeError):  # a text where a block is meant, nothing in a list
            message = "a part of plan.yaml is not written as this form expects it: nothing was changed."
            raise InputError("D461", message, "Mend it in an editor, or undo.") from None
        except Tangled as error:
            raise InputError("D461", error.message, error.hint) from None
        except PyYAMLError:
            message = "what was typed cannot be written as YAML: nothing was changed."
            raise InputError("D461", message, "Write it otherwise.") from None
        self.write(text, what)

    def write(self, text: str, what: str) -> None:
        """Save another text as the plan."""
        if text == self.text:
            return
        if self.confined:
            refuse_outside(text, self.path.parent)
        _save(self.path, text)
        self._push(text, what)

    @property
    def undoes(self) -> str | None:
        """What undo would take back."""
        return self.history[self.at][1] if self.at else None

    @property
    def redoes(self) -> str | None:
        """What redo would do again."""
        return self.history[self.at + 1][1] if self.at + 1 < len(self.history) else None

    def undo(self) -> None:
        """Back to the state before the last change."""
        self._go(-1)

    def redo(self) -> None:
        """Forward again."""
        self._go(1)

    def _go(self, by: int) -> None:
        self.refresh()
        if 0 <= self.at + by < len(self.history):
            _save(self.path, self.history[self.at + by][0])
            self.at += by

    def _push(self, text: str, what: str) -> None:
        del self.history[self.at + 1 :]
        self.history.append((text, what))
        del self.history[:-MOST]
        self.at = len(self.history) - 1


def _yaml() -> YAML:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 120
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _parsed(text: str) -> Tree:
    try:
        yaml_tree(text)  # no larger and no more tangled than a person would write
        tree = _yaml().load(text)
    except (YAMLError, PyYAMLError, Tangled) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = "" if line is None else f" in line {line + 1}"
        raise InputError(
            "D411", f"plan.yaml cannot be read as YAML{where}.", "Mend it in an editor, or undo."
        ) from None
    if not isinstance(tree, dict):
        raise InputError("D411", "plan.yaml has no fields.", "Mend it in an editor, or undo.")
    return tree


def _dumped(tree: Tree) -> str:
    """The tree as a text. ruamel.yaml writes some texts within {} and [] so that PyYAML, which reads plans, takes them
    for something else, and breaks long lines within a name. Where that is so, all is written in quotes, unbroken.
    """
    text, sure = _written(tree, _yaml()), _written(tree, _in_quotes())
    return text if as_written(text) == as_written(sure) else sure


def _written(tree: Tree, yaml: YAML) -> str:
    out = io.StringIO()
    yaml.dump(tree, out)
    return out.getvalue()


def _in_quotes() -> YAML:
    yaml = _yaml()
    yaml.width, yaml.Representer = 1 << 30, _Quoting
    return yaml


class _Quoting(RoundTripRepresenter):
    """Writes texts that are more than a word in quotes."""

    def represent_text(self, text: str) -> Any:
        """A text, plain or in quotes."""
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=None if _WORD.fullmatch(text) else '"')


_WORD = re.compile(r"[^\W\d_]\w*")
_Quoting.add_representer(str, _Quoting.represent_text)


def _save(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    write_private(path, text)
    path.chmod(mode)
