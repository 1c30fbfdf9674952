"""What may be done: the keys with their ladders, the other variables with their treatments, and what must stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchy import Levels
from incrowd.keys.table import KeyTable
from incrowd.plan import Plan, released_columns
from incrowd.plan.propose import Propose
from incrowd.plan.steps.search import Search
from incrowd.proposals.candidate import Ending
from incrowd.proposals.information import Given
from incrowd.proposals.ladder import Ladder, ladder_of
from incrowd.proposals.values import Treatment, treatments_of
from incrowd.protect import Context, State


@dataclass(frozen=True, eq=False)
class Space:
    """Everything that a search may choose from."""

    plan: Plan
    asked: Propose
    fixed: int  # so many steps of the plan come before what is proposed, the others after it
    ladders: Mapping[str, Ladder]
    levels: Mapping[str, Levels]  # the ladders, fitted to the values of the file
    rungs: Mapping[str, tuple[int, ...]]  # those that may be chosen
    treatments: Mapping[str, tuple[Treatment, ...]]
    endings: tuple[Ending, ...]
    named: frozenset[str]  # the variables that use cases name

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """How much the detail of each variable counts."""
        names = (*self.ladders, *self.treatments)
        return {name: self.asked.weights.get(name, 1.0) for name in names}

    @property
    def nodes(self) -> int:
        """How many recodings of the keys there are."""
        return prod(len(rungs) for rungs in self.rungs.values())

    @property
    def plans(self) -> int:
        """How many plans there are, apart from larger crowds and other requirements."""
        return self.nodes * prod(len(each) for each in self.treatments.values()) * len(self.endings)

    def reached(self, name: str, rung: int) -> str:
        """A rung of a key in words."""
        return self.ladders[name].rungs[rung].words


def fixed_steps(plan: Plan) -> int:
    """How many steps come before what is proposed: nothing may change classes once something is decided by them."""
    return next((number for number, step in plan.active if step.decides_by_class), len(plan.steps))


def space_of(plan: Plan, state: State, given: Mapping[str, Given], context: Context, folder: Path) -> Space:
    """What may be chosen, for the records after the steps that stay."""
    asked = plan.propose or Propose()
    fixed = fixed_steps(plan)
    named, values = _named(plan)
    keep = set(asked.keep) | kept_anyway(plan)
    closed = {name for _, step in plan.active if isinstance(step, Search) for name in step.hierarchies}
    ladders = ladders_of(plan, state.table, folder, context.book)
    domains = {domain.name: domain for domain in state.table.domains}
    levels = {name: ladder.hierarchy.bind(domains[name]) for name, ladder in ladders.items()}
    rungs = {
        name: (0,) if name in closed else _allowed(ladder, asked, values.get(name, ()), name in keep)
        for name, ladder in ladders.items()
    }
    return Space(
        plan, asked, fixed, ladders, levels, rungs, _treatments(plan, asked, given, context, keep, fixed),
        _endings(plan, asked), frozenset(named),
    )  # fmt: skip


def ladders_of(plan: Plan, table: KeyTable, folder: Path, book: Codebook) -> dict[str, Ladder]:
    """How each released key can be said more coarsely; `table` are the classes after the steps that stay."""
    asked, released = plan.propose or Propose(), set(released_columns(plan))
    _, values = _named(plan)
    return {
        name: ladder_of(name, table, folder, book, asked.hierarchies.get(name), values.get(name, ()))
        for name in table.names
        if name in released
    }


def kept_anyway(plan: Plan) -> set[str]:
    """The variables that are never left out, whatever the block says: an analyst or a part of the plan needs them."""
    return _named(plan)[0] | _used_later(plan, fixed_steps(plan))


def _named(plan: Plan) -> tuple[set[str], dict[str, set[str]]]:
    """The variables that use cases and requirements name, and the values among them that must keep their names."""
    names = {name for case in plan.use_cases for _, name in case.named()}
    values: dict[str, set[str]] = {}
    for case in plan.use_cases:
        for name, value in case.values():
            values.setdefault(name, set()).add(value)
    for requirement in plan.requirements:
        for name, wanted in (requirement.where or {}).items():
            values.setdefault(name, set()).update(wanted)
    return names, values


def _used_later(plan: Plan, fixed: int) -> set[str]:
    """What steps that come after need, what requirements speak of, and what the plan weighs or groups people by."""
    later = {name for number, step in plan.active if number >= fixed for _, name in step.named()}
    if plan.data.population is not None:  # there a key that is left out is not counted, and earlier steps may go by it
        later |= {name for _, step in plan.active if not step.only_coarsens for _, name in step.named()}
    required = {name for r in plan.requirements for name in (*(r.keys or ()), *(r.where or {}))}
    sensitive = {getattr(r, "sensitive", None) for r in plan.requirements}
    return {name for name in (*later, *required, *sensitive, plan.data.weights, plan.data.household) if name}


def _allowed(ladder: Ladder, asked: Propose, values: Sequence[str] | set[str], keep: bool) -> tuple[int, ...]:
    """The rungs that limits, use cases and `keep` leave."""
    name, last = ladder.name, len(ladder.rungs) - 1
    low = _place(ladder, asked.finest.get(name), "finest", 0)
    high = _place(ladder, asked.coarsest.get(name), "coarsest", last)
    if low > high:
        message = f"the finest level of {name!r} is coarser than its coarsest."
        raise InputError("D394", message, "Exchange the two, or leave one out.")
    if keep and low == last > 0:
        message = f"{name!r} must stay in the file, and its finest level is that it is left out."
        raise InputError("D394", message, "Name a finer level, or let it go.")
    found = [rung for rung in range(low, high + 1) if not (keep and rung == last and last > 0)]
    wanted = set(values)
    if wanted and last:
        found = [rung for rung in found if wanted <= set(ladder.hierarchy.groups(rung))]
        if not found:
            message = f"a use case or requirement names a value of {name!r} that it has at no level that is allowed."
            hint = "Add the recoding that makes it to the plan's steps, or give its hierarchy (propose: hierarchies)."
            raise InputError("D395", message, hint)
    return tuple(found) or (low,)


def _place(ladder: Ladder, rung: str | None, field: str, otherwise: int) -> int:
    if rung is None:
        return otherwise
    names = [each.name for each in ladder.rungs]
    if rung not in names:
        message = f"{ladder.name!r} has no level {rung!r} (propose: {field})."
        raise InputError("D396", message, f"It has: {', '.join(names)}.")
    return names.index(rung)


def _treatments(
    plan: Plan, asked: Propose, given: Mapping[str, Given], context: Context, keep: set[str], fixed: int
) -> dict[str, tuple[Treatment, ...]]:
    """Of every released variable that is no key. What a later step of the plan changes is the custodian's."""
    later = {name for number, step in plan.active if number >= fixed for name in step.alters()}
    released, keys = set(released_columns(plan)), set(plan.with_role("key"))
    chance = asked.perturbation and plan.data.population is None
    found, (_, values) = {}, _named(plan)
    for name, one in given.items():
        if name in keys or name not in released or name in later or name in (plan.data.weights, plan.data.household):
            continue
        nominal = context.book.scales.get(name) in ("nominal", "ordinal")
        coded = bool(context.book.codes.get(name)) or nominal
        about = [r for r in plan.requirements if getattr(r, "sensitive", None) == name]
        counted = any(hasattr(r, "value") for r in about)
        kept = {*values.get(name, ()), *(value for r in about for value in r.values())}
        found[name] = treatments_of(
            one, perturb=chance, drop=name not in keep, book=context.book, strata=_strata(plan, name, keys & released),
            amount=not coded and not counted, named=kept,
        )  # fmt: skip
        if len(one.values) <= 1:
            found[name] = found[name][:1]
    return found


def _strata(plan: Plan, name: str, keys: set[str]) -> list[str]:
    """The keys by which use cases look at a variable."""
    found: dict[str, None] = {}
    for case in plan.use_cases:
        names = [each for _, each in case.named()]
        if name in names:
            found |= dict.fromkeys(each for each in names if each in keys)
    return list(found)


def _endings(plan: Plan, asked: Propose) -> tuple[Ending, ...]:
    """What may be done to classes that fail. A blank is coarser than any level: not where a key has a coarsest one."""
    found: list[Ending] = ["recode"]
    if asked.records_lost > 0:
        found.append("records")
    if plan.data.population is None and not any(step.per_record for _, step in plan.active):
        if not asked.coarsest:
            found.append("cells")
        if plan.data.unit is None:
            found.append("local")
    return tuple(found)
