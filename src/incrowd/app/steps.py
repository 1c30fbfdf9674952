"""What the page Protect does to the plan's tree: steps, requirements, levels and hierarchies."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies import automatic, format_arx, require_valid
from incrowd.keys.hierarchies.words import level_in_words
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.table import KeyTable
from incrowd.machine.writing import write_private
from incrowd.pipeline.live import Live
from incrowd.plan import Plan
from incrowd.plan.earlier_form import in_present_form
from incrowd.plan.steps import STEPS
from incrowd.plan.steps.recode import Recode
from incrowd.rows.lookup import read_hierarchy

Tree = Any
#: Where hierarchies are put that are made here, beside the plan.
FOLDER = "hierarchies"


def steps_of(tree: Tree) -> list[Any]:
    """The steps of the plan, to be changed."""
    _attacks_apart(tree)
    found = tree.get("steps")
    if found is None:
        found = tree["steps"] = []
    if not isinstance(found, list):
        raise InputError("D455", "the steps of plan.yaml are no list.", "Mend it in an editor, or undo.")
    return found


def _attacks_apart(tree: Tree) -> None:
    """Attacks were steps once: a plan that has them there counts its steps without them, and so do its forms."""
    steps = tree.get("steps")
    if not isinstance(steps, list) or not any(isinstance(one, dict) and one.get("step") == "attack" for one in steps):
        return
    present = in_present_form(json.loads(json.dumps(tree, default=str, skipkeys=True)))
    places = {new: old[1] for new, old in present.moved.items() if len(new) == 2}
    left = [int(old) for (part, _), old in places.items() if part == "steps"]
    for at_, old in enumerate(left):
        if isinstance(steps[old], dict) and "number" in present.content["steps"][at_]:
            steps[old]["number"] = present.content["steps"][at_]["number"]  # people keep their pseudonyms
    tree["steps"], tree["attack"] = [steps[old] for old in left], present.content["attack"]


def at(items: Sequence[Any], number: str, was: str = "") -> int:
    """The place of an item that a form names by its number, from 1, and by what it was when the page was made: a second
    click, or another tab, must not change the one that has taken its place.
    """
    there = re.fullmatch(r"[0-9]{1,4}", number) and 1 <= int(number) <= len(items)
    if not there or (was and was != digest(items[int(number) - 1])):
        raise InputError("D456", "that is no longer in the plan, or no longer there.", "Look at the page again.")
    return int(number) - 1


def digest(item: Any) -> str:
    """A short mark of what an item says."""
    return hashlib.sha256(json.dumps(item, default=str).encode()).hexdigest()[:12]


def insert_step(steps: list[Any], step: Mapping[str, Any]) -> int:
    """Put a new step where it belongs: what coarsens goes before the first that decides by the classes or by chance."""
    kind = STEPS.get(str(step.get("step")))
    place = len(steps)
    if kind is not None and kind.only_coarsens:
        kinds = [STEPS.get(str(one.get("step"))) if isinstance(one, dict) else None for one in steps]
        place = next((i for i, one in enumerate(kinds) if one is not None and not one.only_coarsens), place)
    steps.insert(place, dict(step))
    return place


def recoding_of(plan: Plan, variable: str) -> tuple[int, Recode] | None:
    """The step that recodes a variable, and its number; the first where there are several."""
    found = ((n, one) for n, one in enumerate(plan.steps) if isinstance(one, Recode) and one.variable == variable)
    return next(found, None)


def hierarchy_of(live: Live, folder: Path, plan: Plan, variable: str) -> Hierarchy:
    """The hierarchy that the plan names for a variable, or one made from its values."""
    found = recoding_of(plan, variable)
    if found is not None and found[1].hierarchy is not None:
        return read_hierarchy(folder / found[1].hierarchy, variable)
    table = live.by([variable])
    values = [table.domains[0].values[code] for code in table.codes[0].tolist()]
    return require_valid(automatic(values, table.sizes.tolist(), variable, live.opened.book)[0], values)


def people_of(table: KeyTable) -> dict[str | None, int]:
    """How many people have each value of the only key of a table."""
    values = (table.domains[0].values[code] for code in table.codes[0].tolist())
    return dict(zip(values, table.sizes.tolist(), strict=True))


def save_hierarchy(folder: Path, hierarchy: Hierarchy) -> str:
    """Write a hierarchy beside the plan, under a name of its own: an earlier state of the plan keeps its file, and so
    undo brings back the tree as it was.
    """
    text = format_arx(hierarchy)
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", hierarchy.name).strip("-")[:40] or "variable"
    name = f"{FOLDER}/{stem}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.csv"
    (folder / FOLDER).mkdir(exist_ok=True)
    if not (folder / name).exists():
        write_private(folder / name, text)
    return name


def set_level(tree: Tree, plan: Plan, variable: str, file: str, level: int, why: str) -> None:
    """Say a variable at a level of a hierarchy; level 0 takes the recoding back."""
    steps, found = steps_of(tree), recoding_of(plan, variable)
    if found is not None:
        number, step = found
        if step.hierarchy is None and level:
            message = f"{variable!r} is recoded otherwise in step {number + 1}."
            raise InputError("D457", message, "Remove that step first, or change it there.")
        if not level:
            del steps[number]
            return
        steps[number]["hierarchy"], steps[number]["level"] = file, level
        steps[number].pop("off", None)
    elif level:
        insert_step(steps, {"step": "recode", "variable": variable, "hierarchy": file, "level": level, "reason": why})


def levels_in_words(hierarchy: Hierarchy, book: Codebook, people: Mapping[str | None, int]) -> list[str]:
    """What each level of a hierarchy says, for a list to choose from."""
    return [level_in_words(hierarchy, level, book, people) for level in range(hierarchy.height + 1)]
