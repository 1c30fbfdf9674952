"""Which columns has the data once they are renamed and derived, and may a derived one have the role that it has?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from incrowd.errors import Fault, did_you_mean
from incrowd.plan.model import Plan, Role
from incrowd.plan.steps.base import Step
from incrowd.plan.steps.columns import Pseudonymise
from incrowd.plan.steps.prepare import Derive, Rename

#: From what an intruder must never see to what does not matter.
STRICT: tuple[Role, ...] = ("identifier", "key", "sensitive", "other")


def renames(plan: Plan) -> list[tuple[int, Rename]]:
    """The steps that rename, with their numbers."""
    return [(number, step) for number, step in plan.active if isinstance(step, Rename)]


def derivations(plan: Plan) -> list[tuple[int, Derive]]:
    """The steps that derive, with their numbers, in the order in which they are carried out."""
    return [(number, step) for number, step in plan.active if isinstance(step, Derive)]


def check_preparation(plan: Plan, left: Sequence[str]) -> Iterator[Fault]:
    """What is wrong with steps that rename and derive; `left` are the columns of the release."""
    yield from _order(plan)
    made = [name for _, rename in renames(plan) for name in rename.variables.values()]
    made += [derive.into for _, derive in derivations(plan)]
    for number, rename in renames(plan):
        for old, new in rename.variables.items():
            if old in plan.variables and old not in made:
                message = f"{old!r} is called {new!r} from here on, and `variables` has both."
                yield Fault("P101", f"steps.{number}.variables.{old}", message, f"Keep {new!r} there.")
    there = [name for name in plan.variables if name not in [derive.into for _, derive in derivations(plan)]]
    for number, derive in derivations(plan):
        if derive.into in there:
            message = f"there is a variable {derive.into!r} already."
            yield Fault("P101", f"steps.{number}.into", message, "Choose another name.")
        for name in derive.sources:
            if name in plan.variables and name not in there:
                message = f"{name!r} is made by a later step."
                yield Fault("P100", f"steps.{number}.expression", message, "Derive it in a step before this one.")
        there.append(derive.into)
        yield from _role(plan, number, derive)
    yield from _renamed_keys(plan)
    yield from _uncounted(plan, left)
    yield from _undone(plan, left)


def source_columns(plan: Plan, columns: Sequence[str], source: str) -> tuple[list[str], list[str], list[Fault]]:
    """The columns of the data as the plan calls them, those that it derives, and what stands in the way.

    They are kept apart: that a line of the file is a header cannot be proven by names that it does not have.
    """
    found, faults = list(columns), []
    for number, rename in renames(plan):
        for old in rename.variables:
            if old not in found:
                place, hint = f"steps.{number}.variables.{old}", did_you_mean(old, rename.variables.values())
                faults.append(Fault("P010", place, f"{old!r} is not a column of {source}.", hint))
        found = [rename.variables.get(name, name) for name in found]
    made = [derive.into for _, derive in derivations(plan)]
    lower = [name.lower() for name in (*found, *made)]
    twice = [name for name in (*found, *made) if lower.count(name.lower()) > 1 and name in plan.variables]
    for name in dict.fromkeys(twice):
        message = f"two columns would be called {name!r}, or differ in capitals only."
        faults.append(Fault("P101", f"variables.{name}", message, "Rename one of them, or derive into another name."))
    return found, made, faults


def _order(plan: Plan) -> Iterator[Fault]:
    """First renamed, then derived, then all else: what is counted is there, and nothing finer comes back."""
    ranks = [(number, 0 if isinstance(s, Rename) else 1 if isinstance(s, Derive) else 2) for number, s in plan.active]
    latest = 0
    for number, rank in ranks:
        if rank < latest:
            hint = "Put rename before derive, and both before all other steps."
            yield Fault("P100", f"steps.{number}", "this step makes columns, and comes too late for that.", hint)
        latest = max(latest, rank)


def _role(plan: Plan, number: int, derive: Derive) -> Iterator[Fault]:
    """What is made from a key tells the key, and so on: it needs a role as strict."""
    if derive.into not in plan.variables:
        return  # told as a name that is no variable
    roles = {name: plan.variables[name].role for name in derive.sources if name in plan.variables}
    if not roles:
        return
    strictest = min(roles.values(), key=STRICT.index)
    source = next(name for name, role in roles.items() if role == strictest)
    if strictest == "identifier" and derive.weaker_role is not None:
        strictest = "key"
    role = plan.variables[derive.into].role
    if STRICT.index(role) > STRICT.index(strictest):
        message = f"{derive.into!r} is made from the {roles[source]} {source!r}, and has the role {role}."
        hint = f"Give it the role {strictest}"
        if roles[source] == "identifier":
            hint += " and drop it, or the role key and say why that is enough (weaker_role)"
        yield Fault(
            "P105", f"variables.{derive.into}.role", message, f"{hint}: else it would bring back what you hide."
        )


def _behind(plan: Plan) -> dict[str, set[str]]:
    """All that each derived column is made from, through others too."""
    found: dict[str, set[str]] = {}
    for _, derive in derivations(plan):
        found[derive.into] = {each for name in derive.sources for each in {name, *found.get(name, ())}}
    return found


def _renamed_keys(plan: Plan) -> Iterator[Fault]:
    """A pseudonym of what is made from a key is another name for the key: nobody would count it."""
    behind = _behind(plan)
    for number, step in plan.active:
        if not isinstance(step, Pseudonymise):
            continue
        for i, name in enumerate(step.variables):
            keys = sorted(each for each in behind.get(name, ()) if not _is_identifier(plan, each))
            if keys and _is_identifier(plan, name):
                message = f"{name!r} is made from {keys[0]!r}, and its pseudonym would be another name for that."
                hint = "Pseudonymise what names a person, or derive it from identifiers alone."
                yield Fault("P105", f"steps.{number}.variables.{i}", message, hint)


def _uncounted(plan: Plan, left: Sequence[str]) -> Iterator[Fault]:
    """A key that is made from an identifier is as good as one where no requirement asks who shares it."""
    for into, sources in _behind(plan).items():
        names = sorted(name for name in sources if _is_identifier(plan, name))
        if not names or into not in left or any(not asked.keys or into in asked.keys for asked in plan.requirements):
            continue
        message = f"{into!r} is made from the identifier {names[0]!r}, and no requirement counts who shares it."
        yield Fault("P105", f"variables.{into}.role", message, "Name it among the keys of a requirement, or drop it.")


def _is_identifier(plan: Plan, name: str) -> bool:
    return name in plan.variables and plan.variables[name].role == "identifier"


def _undone(plan: Plan, left: Sequence[str]) -> Iterator[Fault]:
    """A column that goes out as it was derived, although what it is made from is changed, undoes the change. So does
    one that is made from the same as another that is changed, where that itself does not go out as it is.
    """
    behind = _behind(plan)
    treated = [(number, step, {*step.alters(), *step.randomises()} - {*step.removes()}) for number, step in plan.active]
    touched = {name for _, _, names in treated for name in names}
    by_chance = {name for _, step, names in treated if _by_chance(step) for name in names}
    plain = {name for name in left if name not in touched}
    for into, sources in behind.items():
        if into not in left:
            continue
        hidden = sources - plain
        for number, step, names in treated:
            told = {name for name in names if name in sources or (name != into and behind.get(name, set()) & hidden)}
            # What is coarsened does not hide what was changed by chance: it is still true.
            if not told or into in (by_chance if _by_chance(step) else touched):
                continue
            # A key that is derived is counted by itself: it may be finer than another, and not truer than a lie.
            if _by_chance(step) or plan.variables[into].role != "key" or not _counted(plan, into, told):
                source = min(told)
                made = "made from" if source in sources else "made from the same as"
                message = f"{into!r} is {made} {source!r} before this step, and does not change with it."
                hint = f"Treat {into!r} as well, or drop it: it tells what this step hides."
                yield Fault("P106", f"steps.{number}", message, hint)
                break


def _counted(plan: Plan, into: str, told: set[str]) -> bool:
    """Is a derived key counted wherever what it is made from is? A requirement may name its keys, and leave it out."""
    return all(into in asked.keys for asked in plan.requirements if asked.keys and told & {*asked.keys})


def _by_chance(step: Step) -> bool:
    return step.perturbs or step.perturbs_records or bool(step.randomises())
