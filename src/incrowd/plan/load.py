"""Read a plan from YAML and show every fault at once, each with its line.

Scalars stay text as they are written (`Yes` is the text Yes, `007` is 007) until a field asks for a number: YAML's
own guesses have made too many people's Norway a boolean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from incrowd.errors import Fault, InputError, PlanError, did_you_mean
from incrowd.plan.check import check_plan
from incrowd.plan.codes import codes_notes
from incrowd.plan.earlier_form import Place, Present, in_present_form
from incrowd.plan.fields import fields_at
from incrowd.plan.invalid import in_words
from incrowd.plan.model import Plan
from incrowd.plan.salvage import salvage
from incrowd.plan.trees import Tangled, yaml_tree

#: Nobody mends more at once.
MOST_FAULTS = 500


@dataclass(frozen=True)
class Inspection:
    """A plan and all that is wrong with it. With faults, `plan` is what could be salvaged: to check, never to run."""

    plan: Plan | None
    faults: list[Fault]
    lines: Mapping[Place, int] = field(default_factory=dict)
    present: Present = field(default_factory=Present)  # what was read: it may have been written in an earlier form
    told: tuple[str, ...] = ()  # what its author should know of its files

    @property
    def notes(self) -> tuple[str, ...]:
        """What its author should know: of its files, and how to write what was written in an earlier form."""
        return (*self.present.notes, *self.told)

    def written(self, place: str) -> str:
        """Where a place of the plan stands in the text."""
        parts = _parts(place)
        old = self.present.written(parts)
        return place if old == parts else _dotted(old)

    def adding(self, faults: Iterable[Fault]) -> Inspection:
        """With faults that were found later, at their places and lines in the text; sorted by line."""
        found = [replace(fault, place=self.written(fault.place)) for fault in faults]
        more = [replace(fault, line=_line(_parts(fault.place), self.lines)) for fault in found]
        return replace(self, faults=sorted([*self.faults, *more], key=lambda fault: fault.line or 0))

    def sound(self) -> Plan:
        """The plan. Raises PlanError with all faults where it has any."""
        if self.faults or self.plan is None:
            raise PlanError(self.faults)
        return self.plan


def split_tier(path: str | Path) -> tuple[Path, str | None]:
    """The file of a plan, and the tier that is named after an @."""
    if Path(path).exists() or "@" not in Path(path).name:
        return Path(path), None
    file, _, tier = str(path).rpartition("@")
    return Path(file), tier


def is_plan(path: str | Path) -> bool:
    """Does this name a plan, and not data or a run? It is a YAML file, with or without a tier after it."""
    return split_tier(path)[0].suffix in (".yaml", ".yml")


def one_of(plan: Plan, path: Path, tier: str | None) -> Plan:
    """The plan of one file: the only one that it makes, or that of the named tier."""
    tiers = [one.tier for one in plan.tiers] or [plan.tier]
    if tier is not None and tier not in tiers:
        raise InputError("D251", f"{path} makes no file of the tier {tier!r}.", f"It has: {', '.join(tiers)}.")
    if not plan.tiers:
        return plan
    if tier is None:
        named = ", ".join(f"{path.name}@{one}" for one in tiers)
        raise InputError("D250", f"{path} makes several files, and this works on one.", f"Name one: {named}.")
    return plan.of_tier(tier)


def parse_plan(text: str, folder: Path) -> Plan:
    """The plan in a YAML text; files that it names are looked for in `folder`."""
    return inspect_plan(text, folder).sound()


def inspect_plan(text: str, folder: Path) -> Inspection:
    """All faults of a plan that show without its data, sorted by line."""
    try:
        node = yaml_tree(text)
    except Tangled as found_out:
        fault = Fault(found_out.code, "plan", found_out.message, found_out.hint, found_out.line)
        return Inspection(None, [fault])
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "this is not YAML"
        fault = Fault("P001", "plan", f"{problem}.", None, mark.line + 1 if mark else None)
        return Inspection(None, [fault])
    faults: list[Fault] = []
    lines: dict[Place, int] = {}
    content = _plain(node, (), lines, faults)
    if not isinstance(content, dict):
        fault = Fault("P001", "plan", "a plan is a list of fields, such as 'title: ...'.", None, 1)
        return Inspection(None, [fault], lines)
    present = in_present_form(content)
    plan: Plan | None = None
    more: list[Fault] = []
    try:
        plan = Plan.of_content(present.content)
        more = check_plan(plan, folder)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        faults += [_fault(dict(item), lines, present) for item in errors[:MOST_FAULTS]]
        if len(errors) > MOST_FAULTS:
            faults.append(Fault("P074", "plan", f"{len(errors) - MOST_FAULTS:,} more faults.", "Mend these first."))
        if (rest := salvage(present.content, [tuple(item["loc"]) for item in errors])) is not None:
            plan, more = rest.plan, rest.trusted(check_plan(rest.plan, folder))
    told = () if plan is None else tuple(codes_notes(plan, folder))
    return Inspection(plan, faults, lines, present, told).adding(more)


def dump_plan(plan: Plan) -> str:
    """The plan as YAML; reading it again gives the same plan."""
    return dump_content(plan.model_dump(mode="json", by_alias=True, exclude_none=True))


def dump_content(content: Mapping[str, Any], width: int = 100) -> str:
    """Plain values as YAML, in their order, equal parts written out."""
    return str(yaml.dump(content, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=width))


class _Plain(yaml.SafeDumper):
    """A dumper that writes equal parts out: no plan has aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _plain(node: yaml.Node | None, place: Place, lines: dict[Place, int], faults: list[Fault]) -> Any:
    """A YAML tree as dicts, lists and texts, with the line of every place."""
    if node is None:
        return None
    lines[place] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            inside = (*place, key)
            if key in result:
                line = key_node.start_mark.line + 1
                faults.append(Fault("P005", _dotted(inside), f"{key!r} is given twice.", "Keep one.", line))
            result[key] = _plain(value_node, inside, lines, faults)
            lines[inside] = key_node.start_mark.line + 1
        return result
    if isinstance(node, yaml.SequenceNode):
        return [_plain(child, (*place, number), lines, faults) for number, child in enumerate(node.value)]
    if node.tag == "tag:yaml.org,2002:null":
        return None
    return node.value


def _fault(error: dict[str, Any], lines: dict[Place, int], present: Present) -> Fault:
    place = _real(present.written(tuple(error["loc"])), lines)
    line, where = _line(place, lines), _dotted(place) or "plan"
    kind = error["type"]
    if kind == "extra_forbidden":
        return Fault("P002", where, "no such field.", did_you_mean(str(place[-1]), fields_at(error["loc"])), line)
    if kind == "missing":
        return Fault("P003", _dotted((*place, error["loc"][-1])), "this field is missing.", None, line)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        name = str(error["ctx"]["discriminator"]).strip("'")
        known = error["ctx"].get("expected_tags", "")
        hint = f"Known: {known}." if known else f"Say which one with '{name}: ...'."
        return Fault("P006", where, f"there is no such {name}.", hint, line)
    return Fault("P004", where, f"{in_words(error)}.", None, line)


def _real(loc: Place, lines: dict[Place, int]) -> Place:
    """Where in the YAML a fault is: pydantic puts the chosen kind of step into the path, and names absent fields."""
    place: Place = ()
    for part in loc:
        if (*place, part) in lines:
            place = (*place, part)
    return place


def _line(place: Place, lines: Mapping[Place, int]) -> int | None:
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place)


def _dotted(place: Place) -> str:
    return ".".join(str(part) for part in place)


def _parts(dotted: str) -> Place:
    return tuple(int(part) if part.isdigit() else part for part in dotted.split("."))
