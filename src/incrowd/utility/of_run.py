"""The release beside the original: use cases and their verdicts, general measures, the sweep, alternatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from incrowd.keys.population import attach_histogram
from incrowd.keys.table import KeyTable
from incrowd.plan import Plan
from incrowd.plan.requirements import K
from incrowd.protect import UNIT, Context, Original, State
from incrowd.rows import Rows
from incrowd.rows.tabulate import tabulate
from incrowd.utility.by_class import Progress, parse_values, sweep_classes
from incrowd.utility.evaluate import Question
from incrowd.utility.general import General, column_needs, measure_general
from incrowd.utility.loss import Loss, Subgroup, lost_by_key, measure_loss
from incrowd.utility.needs import Fetched, Need, fetch, tally_of
from incrowd.utility.outcome import Outcome
from incrowd.utility.points import Sweep, conclude
from incrowd.utility.price import Price, price


@dataclass(frozen=True)
class UtilityLog:
    """What an analyst keeps. Without use cases only what the KeyTables tell: loss, and whom suppression removed."""

    loss: Loss
    subgroups: tuple[Subgroup, ...]
    outcomes: tuple[Outcome, ...] = ()
    general: General | None = None
    sweep: Sweep | None = None
    prices: tuple[Price, ...] = ()


def measure_utility(plan: Plan, context: Context, start: State, state: State, released: Rows) -> UtilityLog:
    """What does an analyst keep? `start` is the file as it came, `state` what became of it, `released` as written.

    What the KeyTables tell is measured always. Use cases, and the measures that need the rows again, only where the
    plan has use cases: each costs a query or two.
    """
    original = state.original or Original(state.rows, state.table)
    loss = measure_loss(start.table, original.table, state.table, state.leaves, state.blanks)
    prices = prices_of(plan, context, original) if plan.alternatives else ()
    subgroups = lost_by_key(original.table, state.table)
    if not plan.use_cases and plan.sweep is None:
        return UtilityLog(loss, subgroups, prices=prices)
    question = question_of(plan, context, state)
    needs = question.needs()
    if plan.use_cases:
        needs = list(dict.fromkeys([*needs, *column_needs(question.columns, question.keys)]))
    by_class = original.table if plan.sweep is not None else None
    before = fetch(original.rows, needs, by_class)
    at_start, sweep = fetch_at_start(question, start, before), None
    if plan.sweep is not None:
        ks = [int(value) for value in parse_values(plan.sweep.k)]
        sweep = sweep_k(question, context, original, ks, before, (start.table, at_start), state)
    if not plan.use_cases:
        return UtilityLog(loss, subgroups, sweep=sweep, prices=prices)
    released = replace(released, book=context.book)
    after = fetch(released, needs)
    general = measure_general(question.columns, question.keys, (before, after), (original.rows, released))
    return UtilityLog(loss, general.subgroups, question.evaluate(before, after, at_start), general, sweep, prices)


def question_of(plan: Plan, context: Context, state: State) -> Question:
    """The use cases of the plan with the columns of its release."""
    columns = tuple(name for name in plan.variables if name in state.rows.columns)
    return Question(plan, state.table.names, columns, context.folder, context.subkey("utility"))


def fetch_at_start(question: Question, start: State, original: Fetched) -> Fetched:
    """What is needed of the file before any step: of keys its KeyTable knows it, of columns that no step recodes the
    original does.
    """
    recoded = {name for _, step in question.plan.active for name in step.alters()}
    classes = tally_of(start.table)
    found, rest = {}, list[Need]()
    for need in question.needs_at_start():
        if set(need.by) <= set(classes.names):
            found[need] = classes
        elif not set(need.by) & recoded:
            found[need] = original.tallies[need]
        else:
            rest.append(need)
    return Fetched({**found, **fetch(start.rows, rest).tallies})


def sweep_k(
    question: Question,
    context: Context,
    original: Original,
    ks: Sequence[int],
    before: Fetched,
    at_start: tuple[KeyTable, Fetched],
    state: State,
    progress: Progress | None = None,
) -> Sweep:
    """Every k from one count of classes."""
    bound = context.bind(State(original.rows, original.table))
    points = sweep_classes(question, bound.table, bound.bound, ks, before, at_start, state.leaves, progress)
    own = next(str(r.k) for r in question.plan.requirements if isinstance(r, K))
    return conclude("k", points, own)


def prices_of(plan: Plan, context: Context, original: Original) -> tuple[Price, ...]:
    """What the plan's requirements cost, and what each alternative would have cost, by dropping records alone."""
    bound = context.bind(State(original.rows, original.table))
    table = bound.table
    asked = {r.sensitive for a in plan.alternatives for r in a.requirements if hasattr(r, "sensitive")}
    for name in sorted(asked - set(table.histograms)):
        counted = tabulate(original.rows, table.names, [name], UNIT if context.has_unit else None)
        table = attach_histogram(table, counted, name)
    found = [price("the plan", table, bound.bound, chosen=True)]
    for alternative in plan.alternatives:
        kept = [r for r in bound.bound if r.model not in alternative.instead_of]
        found.append(price(alternative.name, table, [*kept, *(r.requirement() for r in alternative.requirements)]))
    return tuple(found)
