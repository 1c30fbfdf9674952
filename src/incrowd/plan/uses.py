"""Does it make sense what a plan says about utility: its use cases, its sweep, its alternatives?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from incrowd.errors import Fault, did_you_mean
from incrowd.plan.model import Plan


def check_use_cases(plan: Plan, left: list[str], folder: Path) -> Iterator[Fault]:
    """A use case speaks of what is released; `left` are the columns of the release."""
    names = [case.name for case in plan.use_cases]
    there = [name for name in left if name in plan.variables]
    for number, case in enumerate(plan.use_cases):
        place = f"use_cases.{number}"
        for where, name in case.named():
            if name not in there:
                hint = did_you_mean(name, there) or "It can ask only for what came and is released."
                yield Fault("P045", f"{place}.{where}", f"{name!r} is not in the release.", hint)
        if case.name in names[:number]:
            yield Fault("P046", f"{place}.name", "another use case has this name.", "Name each once.")
        for where, file in case.files().items():
            if not _beside(folder, file):
                hint = "Only files in the plan's folder are used."
                yield Fault("P047", f"{place}.{where}", f"there is no file {file!r} beside the plan.", hint)
    yield from _alternatives(plan, left)
    if plan.sweep is not None and (why := not_by_class(plan)) is not None:
        hint = "Leave sweep out here, and run: incrowd sweep."
        yield Fault("P049", "sweep", f"k cannot be swept class by class: {why}.", hint)


def not_by_class(plan: Plan) -> str | None:
    """Why the values of k cannot all be read from one count of classes; None when they can.

    They can where all that takes records away is suppress_records: then k decides about whole classes, and about
    nothing else.
    """
    if not any(requirement.model == "k" for requirement in plan.requirements):
        return "the plan has no requirement k"
    if plan.data.unit is not None:
        return "people have several records, and leave with all of them"
    later = [step for number, step in plan.active if number >= plan.recoding_steps]
    others = [step.step for step in later if not step.drops_classes]
    if others:
        return f"{others[0]} comes with or after what takes records away"
    if own := [step.step for step in later if step.counted()]:
        return f"{own[0]} counts rare values, whatever k is"
    return None if later else "the plan has no step suppress_records"


def _alternatives(plan: Plan, left: list[str]) -> Iterator[Fault]:
    sensitive = [name for name in plan.with_role("sensitive") if name in left]
    if plan.alternatives and any(step.samples for _, step in plan.active):
        message = "alternatives are priced on the file before a sample is drawn, and would look too cheap."
        yield Fault("P048", "alternatives", message, "Price them in a plan on the sample itself.")
    for number, alternative in enumerate(plan.alternatives):
        for i, requirement in enumerate(alternative.requirements):
            name, place = getattr(requirement, "sensitive", None), f"alternatives.{number}.requirements.{i}"
            if name is not None and name not in sensitive:
                hint = did_you_mean(name, sensitive)
                yield Fault("P048", f"{place}.sensitive", f"{name!r} is not a released sensitive variable.", hint)
            outside = requirement.where is not None or requirement.needs_population
            if outside or requirement.trees():
                message = "an alternative is priced from the classes of the file alone."
                yield Fault("P048", place, message, "Leave out where, hierarchy, k_map and delta_presence.")


def _beside(folder: Path, file: str) -> bool:
    path = (folder / file).resolve()
    return path.is_file() and path.is_relative_to(folder.resolve())
