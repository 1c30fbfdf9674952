"""Any parameter of a plan by its path (requirements.0.k, steps.2.fraction), and the plan with another value there."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from incrowd.errors import InputError, PlanError, did_you_mean
from incrowd.plan import Plan
from incrowd.plan.check import check_plan
from incrowd.plan.invalid import in_words
from incrowd.utility.by_class import MOST_VALUES, parse_values


@dataclass(frozen=True)
class Setting:
    """A parameter, the places in the plan that it is written at, and the values to try."""

    name: str
    paths: tuple[str, ...]
    values: tuple[str, ...]


def k_setting(plan: Plan, values: str) -> Setting:
    """Every k of the plan: of its requirement, and of steps that blank cells."""
    paths = [f"requirements.{i}.k" for i, r in enumerate(plan.requirements) if r.model == "k"]
    paths += [f"steps.{i}.k" for i, step in plan.active if "k" in step.swept]
    if not any(path.startswith("requirements") for path in paths):
        raise InputError(
            "D154", "the plan has no requirement k to sweep.", "Name a parameter: --set requirements.0.l=2:5"
        )
    return Setting("k", tuple(paths), _values("--k", values))


def suppression_setting(plan: Plan, values: str) -> Setting:
    """The suppression limit of the searches of the plan."""
    paths = tuple(f"steps.{i}.suppression" for i, step in plan.active if "suppression" in step.swept)
    if not paths:
        raise InputError("D155", "the plan has no search, and so no suppression limit.", "Sweep k, or use --set.")
    return Setting("suppression", paths, _values("--suppression", values))


def parse_setting(text: str) -> Setting:
    """A setting as it is written on the command line: PATH=VALUES."""
    path, sign, values = text.partition("=")
    if not sign or not path.strip():
        raise InputError("D156", f"--set {text} has no '='.", "Say for example: --set requirements.0.k=2:11")
    return Setting(path.strip(), (path.strip(),), _values("--set", values))


def variants(plan: Plan, settings: Sequence[Setting], folder: Path) -> list[tuple[Mapping[str, str], Plan]]:
    """The plan with every combination of the values."""
    found: list[tuple[Mapping[str, str], Plan]] = []
    if (number := math.prod(len(setting.values) for setting in settings)) > MOST_VALUES:
        message = f"{number:,} combinations are more than the {MOST_VALUES:,} that can be tried."
        raise InputError("D283", message, "Name fewer values.")
    for values in product(*(setting.values for setting in settings)):
        changed = plan
        for setting, value in zip(settings, values, strict=True):
            for path in setting.paths:
                changed = with_value(changed, path, value)
        faults = check_plan(changed, folder)
        if faults:
            raise PlanError(faults)
        found.append(({s.name: value for s, value in zip(settings, values, strict=True)}, changed))
    return found


def with_value(plan: Plan, path: str, value: str) -> Plan:
    """The plan with another value at one place."""
    content = copy.deepcopy(plan.model_dump(mode="json", by_alias=True, exclude_none=True))
    *parents, last = path.split(".")
    node: Any = content
    for part in parents:
        node = _inside(node, part, path)
    if isinstance(node, list):
        _inside(node, last, path)
        node[int(last)] = value
    elif isinstance(node, dict):
        node[last] = value
    else:
        raise unknown(path)
    try:
        return Plan.of_content(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "extra_forbidden":
            raise unknown(path, did_you_mean(last, node)) from None
        raise InputError("D158", f"{path} cannot be {value}: {in_words(first)}.") from None


def _inside(node: Any, part: str, path: str) -> Any:
    if isinstance(node, list) and part.isdigit() and int(part) < len(node):
        return node[int(part)]
    if isinstance(node, dict) and part in node:
        return node[part]
    raise unknown(path)


def unknown(path: str, hint: str | None = None) -> InputError:
    """The error for a path that leads to no parameter of the plan."""
    counted = "Steps and requirements are counted from 0: requirements.0.k, steps.2.fraction."
    return InputError("D157", f"the plan has no parameter {path!r}.", hint or counted)


def _values(option: str, text: str) -> tuple[str, ...]:
    try:
        found = tuple(parse_values(text))
    except ValueError:
        found = ()
    if not found:
        raise InputError("D159", f"{option} {text}: no values to try.", "Say 2:11, 0:1:0.25, or 3,5,10.")
    return found
