"""The block `propose` as a form: what a search may do to the file, and what it must spare, variable by variable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, first
from incrowd.plan import Plan, released_columns
from incrowd.plan.propose import Propose
from incrowd.proposals.ladder import Rung
from incrowd.proposals.space import kept_anyway

#: The fields of the block that are lists by variable.
BY_VARIABLE = ("weights", "finest", "coarsest", "hierarchies")


@dataclass(frozen=True)
class Limit:
    """A variable and what is asked for it; `levels` are those that it has, where they are known."""

    name: str
    label: str
    role: str
    needed: bool  # an analyst or a part of the plan needs it: it is kept without being asked for
    keep: bool
    weight: str
    finest: str
    coarsest: str
    hierarchy: str
    levels: tuple[Rung, ...] = ()

    @property
    def coarser(self) -> tuple[Rung, ...]:
        """The levels that may be the coarsest: none that is finer than the finest."""
        names = [level.name for level in self.levels]
        return self.levels[names.index(self.finest) :] if self.finest in names else self.levels


def limits_of(plan: Plan, levels: Mapping[str, Sequence[Rung]]) -> list[Limit]:
    """Every variable that may be released, with what the block says of it; keys first."""
    asked, needed = plan.propose or Propose(), kept_anyway(plan)
    there = set(released_columns(plan))
    found = [
        Limit(
            name, variable.label or "", variable.role, name in needed, name in asked.keep,
            f"{asked.weights[name]:g}" if name in asked.weights else "", asked.finest.get(name, ""),
            asked.coarsest.get(name, ""), _written(asked, name), tuple(levels.get(name, ())),
        )
        for name, variable in plan.variables.items()
        if name in there and variable.role != "identifier"
    ]  # fmt: skip
    return sorted(found, key=lambda one: one.role != "key")


def set_general(tree: Any, form: Form) -> None:
    """How many records may be lost, and whether chance may change values."""
    block = tree.get("propose") or {}
    block["records_lost"] = _share(first(form, "lost"))
    block["perturbation"] = first(form, "chance") == "yes"
    _put(tree, block)


def set_variable(tree: Any, name: str, form: Form) -> None:
    """What is asked for one variable."""
    block = tree.get("propose") or {}
    kept = [one for one in block.get("keep") or [] if one != name]
    block["keep"] = [*kept, name] if first(form, "keep") == "yes" else kept
    given = {
        "weights": _weight(first(form, "weight")), "finest": first(form, "finest") or None,
        "coarsest": first(form, "coarsest") or None, "hierarchies": _rule(first(form, "hierarchy")),
    }  # fmt: skip
    for field in BY_VARIABLE:
        rest = {one: value for one, value in (block.get(field) or {}).items() if one != name}
        block[field] = rest if given[field] is None else {**rest, name: given[field]}
    _put(tree, block)


def _put(tree: Any, block: Any) -> None:
    """The block in the plan, without what nobody asked for."""
    usual = Propose()
    for field in Propose.model_fields:
        if field in block and block[field] in (getattr(usual, field), None):
            del block[field]
    if block:
        tree["propose"] = block
    else:
        tree.pop("propose", None)


def _weight(text: str) -> float | int | None:
    if not text:
        return None
    number = _number(text)
    if number is None or number < 0:
        message = "how much a variable counts is a number, 0 or more."
        raise InputError("D426", message, "Write 1 for as much as others, 3 for three times as much, 0 to let it go.")
    return None if number == 1 else int(number) if number == int(number) else number


def _share(text: str) -> float:
    number = _number(text.removesuffix("%").strip()) if text else 100 * float(Propose().records_lost)
    if number is None or not 0 <= number <= 100:
        raise InputError("D427", "the records that may be lost are a share, from 0 to 100%.", "Write 10 for a tenth.")
    return round(number / 100, 6)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _written(asked: Propose, name: str) -> str:
    """A hierarchy as the plan writes it, on one line."""
    if name not in asked.hierarchies:
        return ""
    content = asked.hierarchies[name].model_dump(mode="json", by_alias=True, exclude_none=True)
    return yaml.safe_dump(
        content, default_flow_style=True, width=float("inf"), sort_keys=False, allow_unicode=True
    ).strip()


def _rule(text: str) -> Any:
    if not text:
        return None
    try:
        return YAML(typ="rt").load(text)
    except YAMLError:
        message = "what is written for a hierarchy cannot be read."
        raise InputError("D428", message, "Write it as in a plan: {widths: [5, 10]}, or the name of a file.") from None
