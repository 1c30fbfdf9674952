"""Does a plan make sense: in itself, and for the columns of the data?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from incrowd.errors import Fault, PlanError, did_you_mean
from incrowd.keys.names import prove
from incrowd.plan.attest import check_attest
from incrowd.plan.codes import check_codes, check_missing_codes
from incrowd.plan.distances import check_distances
from incrowd.plan.files import SOURCE, named_files
from incrowd.plan.formulas import check_formulas
from incrowd.plan.intruders import check_attacks
from incrowd.plan.model import Plan
from incrowd.plan.prepare import check_preparation, source_columns
from incrowd.plan.propose import check_propose
from incrowd.plan.scales import check_scales
from incrowd.plan.series import check_series
from incrowd.plan.steps.columns import Pseudonymise
from incrowd.plan.uses import check_use_cases


def check_plan(plan: Plan, folder: Path) -> list[Fault]:
    """Every fault that shows without opening the data."""
    if plan.tiers:
        return check_tiers(plan, folder)
    left = released_columns(plan)
    return [
        *_undecided(plan), *_files(plan, folder), *_steps(plan), *_numbers(plan), *_order(plan), *_released(plan, left),
        *_requirements(plan, left), *_population(plan), *_scenarios(plan), *_perturbed(plan), *check_attacks(plan),
        *check_use_cases(plan, left, folder), *check_attest(plan.attest), *check_formulas(plan, left),
        *check_distances(plan, folder), *check_codes(plan, folder), *check_scales(plan, folder),
        *check_preparation(plan, left), *check_series(plan), *check_missing_codes(plan),
        *check_propose(plan),
    ]  # fmt: skip


def check_tiers(plan: Plan, folder: Path) -> list[Fault]:
    """The same for a plan of several files: those of each, at their places; what they share once."""
    names = [tier.tier for tier in plan.tiers]
    twice = [i for i, name in enumerate(names) if name in names[:i]]
    faults = [Fault("P070", f"tiers.{i}.tier", "this tier is there already.", "Name each once.") for i in twice]
    for number, tier in enumerate(plan.tiers):
        for fault in check_plan(plan.of_tier(tier.tier), folder):
            head, _, rest = fault.place.partition(".")
            place, at = fault.place, int(rest.partition(".")[0]) if rest.partition(".")[0].isdigit() else 0
            shared = {"steps": len(plan.steps), "attack": len(plan.attack)}.get(head)
            if shared is not None and at >= shared:
                place = f"tiers.{number}.{head}.{at - shared}{rest.removeprefix(str(at))}"
            elif head == "requirements" and tier.requirements is not None:
                place = f"tiers.{number}.{fault.place}"
            moved = replace(fault, place=place)
            if moved not in faults and tier.tier not in names[:number]:
                faults.append(moved)
    return faults


def check_columns(plan: Plan, columns: Sequence[str], source: str) -> None:
    """Every column of the data, renamed and derived as the plan says, needs a role, and every role a column. Raises
    PlanError with all faults.
    """
    came, made, faults = source_columns(plan, columns, source)
    if not set(plan.variables) & set(came):
        # The first line may be somebody's record: its cells are not repeated.
        way_out = "The first line must name the columns; see that it does, and that this is the right file."
        raise PlanError([Fault("P067", "variables", f"no variable of the plan is a column of {source}.", way_out)])
    names = prove(came, plan.variables)
    for name in plan.variables:
        if name not in (*came, *made):
            hint = names.did_you_mean(name)
            faults.append(Fault("P010", f"variables.{name}", f"{name!r} is not a column of {source}.", hint))
    for name in came:
        if name not in plan.variables:
            hint = "Give it one; a column without a role is never released by accident."
            faults.append(Fault("P011", "variables", f"{names.say(name)} of {source} has no role.", hint))
    if faults:
        raise PlanError(faults)


def _undecided(plan: Plan) -> Iterator[Fault]:
    """A role that was only guessed is nobody's decision."""
    for name, variable in plan.variables.items():
        if variable.decide is not None and not variable.confirmed:
            hint = "Look at the role, change it where it is wrong, and write 'reason: ...' in place of 'decide: ...'."
            message = f"nothing told what {name!r} is, and nobody has decided it."
            yield Fault("P097", f"variables.{name}.decide", message, hint)


def _files(plan: Plan, folder: Path) -> Iterator[Fault]:
    for file in named_files(plan):
        path = folder / file.name
        if not file.fixed and not os.path.isfile(path) and not (file.place == SOURCE and os.path.isdir(path)):
            if file.is_test:
                hint = "Make it with: incrowd intruder-test score test.db --json > scores.json"
                yield Fault("P058", file.place, f"there is no file {file.name!r} beside the plan.", hint)
                continue
            yield Fault("P020", file.place, f"there is no file {file.name!r} beside the plan.")


def _steps(plan: Plan) -> Iterator[Fault]:
    """Each step may only name variables that are still there when it runs; a search only keys."""
    there = list(plan.variables)
    keys = plan.with_role("key")
    dropped = {name for _, step in plan.active for name in step.removes()}
    uncounted = dropped if plan.data.population is not None else set()
    for number, step in plan.active:
        only_keys = step.needs_keys()
        for place, name in step.named():
            known = [n for n in there if n in keys] if place in only_keys else there
            if name in known:
                if place in only_keys and name in uncounted:
                    message = f"{name!r} is not released, and where a population is counted only released keys are."
                    yield Fault("P115", f"steps.{number}.{place}", message, "Name released keys here, or release it.")
                continue
            where = f"steps.{number}.{place}"
            if name in plan.variables and name not in there:
                yield Fault("P013", where, f"{name!r} is gone before this step.", "Change the order of the steps.")
            else:
                what = "a key" if place in only_keys else "a variable"
                yield Fault("P012", where, f"{name!r} is not {what} of the plan.", did_you_mean(name, known))
        for fault in step.faults(there, [name for name in there if name in keys], plan.with_role("identifier")):
            yield replace(fault, place=f"steps.{number}.{fault.place}")
        if step.together(plan.data.household) and plan.data.household not in there:
            message = "households move together here, and the variable that tells them apart is not there."
            yield Fault("P036", f"steps.{number}", message, "Name it (data: household), and drop it after this step.")
        there = step.after(there, plan.with_role("identifier"))


def _numbers(plan: Plan) -> Iterator[Fault]:
    """Two columns of pseudonyms have keys of their own, or they would tell that one person's parent is another."""
    taken: set[int] = set()
    for place, step in plan.active:
        if isinstance(step, Pseudonymise):
            number = step.number or place + 1
            if number in taken:
                message = f"another step keys its pseudonyms by the number {number}."
                yield Fault("P087", f"steps.{place}.number", message, "Give each a number of its own, or leave it out.")
            taken.add(number)


def released_columns(plan: Plan) -> list[str]:
    """The columns that are there after the last step."""
    there = list(plan.variables)
    for _, step in plan.active:
        there = step.after(there, plan.with_role("identifier"))
    return there


def _order(plan: Plan) -> Iterator[Fault]:
    """What decides about records looks at classes, so nothing may change the classes after it."""
    decided = False
    conditions = {name for requirement in plan.requirements for name in requirement.where or {}}
    counted = {*plan.with_role("key"), *plan.with_role("sensitive"), *conditions}
    for number, step in plan.active:
        if decided:
            for name in step.alters():
                if name in counted:
                    message = f"{name!r} is changed after records were decided on by the classes it made."
                    yield Fault("P017", f"steps.{number}", message, "Put it before search and suppression.")
        if decided and step.samples:
            message = "this step takes records out of classes that were decided on before."
            yield Fault("P035", f"steps.{number}", message, "Put it before search and suppression.")
        decided = decided or step.decides_by_class
        if step.one_record_each and plan.data.unit is not None:
            message = "this step counts records, and here people have several."
            yield Fault("P025", f"steps.{number}", message, "Use search without local, or suppress_cells.")
        if step.per_record and plan.data.population is not None:
            message = "this step makes labels that the population cannot be counted by."
            yield Fault("P025", f"steps.{number}", message, "Use recode, search without local, suppress_records.")


def _released(plan: Plan, left: list[str]) -> Iterator[Fault]:
    for name in plan.with_role("identifier"):
        if name in left:
            hint = "Drop it, or pseudonymise it."
            yield Fault("P015", f"variables.{name}", f"the identifier {name!r} would be released as it is.", hint)
    if not [name for name in plan.with_role("key") if name in left]:
        hint = "Give the role key to what an intruder knows."
        yield Fault("P016", "variables", "no key is left in the release.", hint)
    unit = plan.data.unit
    if unit is not None and (unit not in plan.variables or plan.variables[unit].role != "identifier"):
        known = unit in plan.variables
        nearest = f"Give {unit!r} the role identifier." if known else did_you_mean(unit, list(plan.variables))
        yield Fault("P018", "data.unit", "the unit must be a variable with the role identifier.", nearest)


def _requirements(plan: Plan, left: list[str]) -> Iterator[Fault]:
    sensitive = plan.with_role("sensitive")
    keys = [name for name in plan.with_role("key") if name in left]
    for number, requirement in enumerate(plan.requirements):
        place = f"requirements.{number}"
        name = getattr(requirement, "sensitive", None)
        if name is not None and name not in sensitive:
            hint = did_you_mean(name, sensitive) or "Give the variable the role sensitive."
            yield Fault("P019", f"{place}.sensitive", f"{name!r} is not a sensitive variable of the plan.", hint)
        elif name is not None and name not in left:
            yield Fault("P013", f"{place}.sensitive", f"{name!r} is dropped, so there is nothing to require of it.")
        for i, key in enumerate(requirement.keys or []):
            if key not in keys:
                nearest = did_you_mean(key, keys)
                yield Fault("P022", f"{place}.keys.{i}", f"{key!r} is not a key of the release.", nearest)
        for variable in requirement.where or {}:
            if variable not in left:
                nearest = did_you_mean(variable, left)
                yield Fault("P023", f"{place}.where.{variable}", f"{variable!r} is not in the release.", nearest)
            elif variable in _coarsened(plan):
                message = f"{variable!r} may be coarsened by a search or blanked, and then the condition finds nobody."
                yield Fault("P026", f"{place}.where.{variable}", message, "Use a variable that stays as it is.")
    models = {requirement.model for requirement in plan.requirements}
    for number, step in plan.active:
        for where, name in step.named_models():
            if name not in models:
                hint = f"The plan requires: {', '.join(sorted(models))}."
                yield Fault("P021", f"steps.{number}.{where}", f"the plan has no requirement {name!r}.", hint)


def _coarsened(plan: Plan) -> set[str]:
    """Keys that a step may change in a way that only the data decide."""
    keys = plan.with_role("key")
    return {name for _, step in plan.active for name in step.coarsens(keys)}


def _population(plan: Plan) -> Iterator[Fault]:
    for number, requirement in enumerate(plan.requirements):
        if requirement.needs_population and plan.data.population is None:
            hint = "Name it: data: population: source."
            yield Fault("P024", f"requirements.{number}", f"{requirement.model} needs a population.", hint)
    keys = plan.with_role("key")
    for number, step in plan.active:
        if step.needs_population and plan.data.population is None:
            yield Fault("P037", f"steps.{number}", "this step counts in a population.", "Name it: data: population.")
        if plan.data.population is not None and set(step.randomises()) & set(keys):
            message = "this step changes a key by chance, and the population cannot be counted by that."
            yield Fault("P038", f"steps.{number}", message, "Recode the key instead.")


def _scenarios(plan: Plan) -> Iterator[Fault]:
    """Scenarios speak of keys, each once; weights and households are variables."""
    keys, names = plan.with_role("key"), [scenario.name for scenario in plan.scenarios]
    for number, scenario in enumerate(plan.scenarios):
        place = f"scenarios.{number}"
        if scenario.name in names[:number] or len(set(scenario.keys)) < len(scenario.keys):
            yield Fault("P028", place, "a scenario or one of its keys is named twice.", "Name each once.")
        for i, key in enumerate(scenario.keys):
            if key not in keys:
                yield Fault("P029", f"{place}.keys.{i}", f"{key!r} is not a key of the plan.", did_you_mean(key, keys))
        others = [(f"error.{key}", key) for key in scenario.error]
        if scenario.geography is not None:
            others.append(("geography.key", scenario.geography.key))
        for where, key in others:
            if key not in scenario.keys:
                hint = did_you_mean(key, scenario.keys)
                yield Fault("P030", f"{place}.{where}", f"{key!r} is not a key of this scenario.", hint)
    for field in ("weights", "household"):
        name = getattr(plan.data, field)
        if name is not None and name not in plan.variables:
            hint = did_you_mean(name, list(plan.variables))
            yield Fault("P031", f"data.{field}", f"{name!r} is not a variable of the plan.", hint)


def _perturbed(plan: Plan) -> Iterator[Fault]:
    """Chance works on records or people: not where a population is matched."""
    for number, step in plan.active:
        if step.needs_unit and plan.data.unit is None:
            message = "this step tells people's records apart, and the plan does not say whose they are."
            yield Fault("P107", f"steps.{number}.apart", message, "Name the unit (data: unit), or leave it out.")
        counted = [name for name in step.alters() if name in plan.variables and plan.variables[name].role != "other"]
        if step.perturbs_records and plan.data.population is not None and counted:
            message = f"{counted[0]!r} is changed by chance, and then its classes do not match the population's."
            yield Fault("P041", f"steps.{number}", message, "Perturb other variables, or leave out the population.")
