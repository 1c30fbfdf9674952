"""Attacks on a run's release: what each works on, put together from the run; tried; and judged by the plan's limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from incrowd.attack.auxiliary import Files, read_auxiliary
from incrowd.attack.holding_out import Bools, left_out_by_chance, on_trial, with_control
from incrowd.attack.registry import ATTACKS
from incrowd.attack.situation import Auxiliary, Situation, fetch, lines_of
from incrowd.attack.value import Attacked
from incrowd.errors import Fault, InputError, NotReleasable, did_you_mean
from incrowd.plan import Plan
from incrowd.plan.attack import Attack
from incrowd.plan.verdict import Verdict
from incrowd.protect import UNIT, Context, State
from incrowd.risk.background import plan_scenarios
from incrowd.risk.value import EVERYTHING, Scenario
from incrowd.rows import Rows
from incrowd.rows.frame import LINE

#: Tried wherever tables are named, also where only other attacks are: what is certain needs no limit to be refused.
ALWAYS = ("reconstruction",)
#: The share of the people whom an attack holds out on trial, where it needs people outside and there is nobody.
HELD_OUT = 0.1
#: Called with the name of an attack and of its scenario before it begins.
Progress = Callable[[str, str], None]


def check_names(plan: Plan) -> Iterator[Fault]:
    """Does a plan name attacks that there are, and hold people out only for those that need it?"""
    parts = [("attack", plan.attack), *((f"tiers.{i}.attack", tier.attack) for i, tier in enumerate(plan.tiers))]
    for place, one in ((f"{part}.{i}", one) for part, block in parts for i, one in enumerate(block) if not one.off):
        for i, name in enumerate(one.attacks or []):
            if name not in ATTACKS:
                hint = did_you_mean(name, list(ATTACKS)) or f"There are: {', '.join(ATTACKS)}."
                yield Fault("P055", f"{place}.attacks.{i}", f"{name!r} is no attack.", hint)
        outside = [name for name, attack in ATTACKS.items() if attack.outside]
        if one.hold_out is not None and one.attacks is not None and not set(one.attacks) & set(outside):
            message = "nobody needs to be held out for these attacks."
            yield Fault("P081", f"{place}.hold_out", message, f"It is the control of {' and '.join(outside)}.")


def situation_of(
    plan: Plan,
    context: Context,
    start: State,
    state: State,
    traced: Rows,
    scenario: Scenario | None = None,
    by_chance: Bools | None = None,
) -> Situation:
    """What an attack in this scenario works on; without one, all keys are known. Of its keys those count that are
    released. `traced` are the written records with their lines in the source; `by_chance` says who was left out by
    chance alone (when left out: by the plan's own sample).
    """
    released = list(traced.told)
    keys = tuple(name for name in plan.with_role("key") if name in released)
    known = (state.original or state).rows
    told = fetch(known, [name for name in released if name in known.columns], LINE)
    if context.has_unit:
        texts = fetch(start.rows, [UNIT], LINE)[UNIT].combine_chunks()
        people = texts.dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
    else:
        people = np.arange(told.num_rows)
    whole = Situation(
        released=fetch(traced, released),
        lines=lines_of(traced),
        known=told,
        people=people.astype(np.int64),
        keys=keys,
        sensitive=tuple(name for name in plan.with_role("sensitive") if name in released),
        scenario=Scenario(EVERYTHING, keys),
        at_start=lambda columns: fetch(start.rows, columns, LINE),
        draws=lambda *purpose: context.draws("attack", *purpose),
        identifiers=tuple(plan.with_role("identifier")),
        columns=tuple(name for name in plan.variables if name in start.rows.columns),
        loose=_loose(plan, keys),
        hidden=tuple(name for name in plan.with_role("sensitive") if name not in released),
        by_chance=left_out_by_chance(plan, context, start) if by_chance is None else by_chance,
        trial=None if by_chance is not None else lambda: trial_of(plan, context, start, HELD_OUT),
    )
    return whole if scenario is None else in_scenario(whole, scenario)


def trial_of(plan: Plan, context: Context, start: State, share: float) -> Situation:
    """What an attack works on in a release without a share of the people, held out by chance."""
    made, rows, left = on_trial(plan, context, start, share)
    return situation_of(plan, context, start, made, rows, by_chance=left)


def in_scenario(situation: Situation, scenario: Scenario) -> Situation:
    """The same in another scenario; of its keys those count that are released."""
    return situation.within(scenario)


def _loose(plan: Plan, keys: Sequence[str]) -> frozenset[str]:
    """Keys whose cells may be blanked or recoded record by record."""
    return frozenset(keys) if any(step.per_record for _, step in plan.active) else frozenset()


def attack_names(asked: Sequence[str] | None) -> list[str]:
    """The attacks that are asked for, or all that cost little."""
    if asked is None:
        return [name for name, attack in ATTACKS.items() if not attack.on_request]
    if unknown := [name for name in asked if name not in ATTACKS]:
        raise InputError("D196", f"{unknown[0]!r} is no attack.", f"There are: {', '.join(ATTACKS)}.")
    return list(dict.fromkeys(asked))


def chosen_scenarios(plan: Plan, asked: Sequence[str] | None) -> list[Scenario]:
    """The scenarios that are asked for, or all of the plan's; one in which all keys are known, when it has none."""
    there = plan_scenarios(plan)
    if not asked:
        return there
    if unknown := [name for name in asked if name not in [scenario.name for scenario in there]]:
        hint = f"There are: {', '.join(scenario.name for scenario in there)}."
        raise InputError("D197", f"the plan has no scenario {unknown[0]!r}.", hint)
    return [scenario for scenario in there if scenario.name in asked]


def attack_all(
    situation: Situation,
    auxiliary: Auxiliary,
    scenarios: Sequence[Scenario],
    names: Sequence[str],
    progress: Progress = lambda attack, scenario: None,
) -> list[Attacked]:
    """Every attack in every scenario."""
    found = []
    for scenario in scenarios:
        there, with_them = in_scenario(situation, scenario), auxiliary
        if auxiliary.register is not None and (
            missing := [key for key in there.scenario.keys if key not in auxiliary.register.column_names]
        ):
            if not scenario.knows_who_is_in:
                hint = "Name another register, or leave the key out of the scenario."
                raise InputError("D198", f"the register has no column {missing[0]!r}.", hint)
            with_them = replace(auxiliary, register=None, register_lines=None)
        for name in names:
            progress(name, scenario.name)
            found += ATTACKS[name](there, with_them)
    return found


@dataclass(frozen=True)
class Decided:
    """One result, the entry of the plan that asked for it, and the verdicts on its limits."""

    one: Attacked
    asked: Attack
    verdicts: tuple[Verdict, ...]

    @property
    def untried(self) -> str:
        """Why nobody knows whether the file may leave; empty where it is known."""
        if any(verdict.achieved is None for verdict in self.verdicts):
            return self.one.incomplete or self.one.why
        return untold(self.one, self.asked)


@dataclass(frozen=True)
class AttackResults:
    """The attacks of a plan, with a verdict for each that has a limit, and the refusal when one of them fails."""

    attacks: tuple[Attacked, ...]
    verdicts: tuple[Verdict, ...]
    refusal: NotReleasable | None


def attack_run(
    plan: Plan, context: Context, start: State, state: State, traced: Rows, others_here: Sequence[str] = ()
) -> AttackResults:
    """Try what the plan asks for on the written file, and hold it against the plan's limits. `others_here` are runs
    that released this source, although the plan says that nobody has.
    """
    situation = situation_of(plan, context, start, state, traced)
    attacks: list[Attacked] = []
    judged: list[Decided] = []
    for _, asked in plan.attacks:
        files = Files(
            context.folder / asked.register_file if asked.register_file else None,
            tuple(context.folder / file for file in asked.others),
            tuple(context.folder / file for file in asked.tables),
            context.folder / asked.salts if asked.salts else None,
            thorough=asked.thorough,
        )
        auxiliary = read_auxiliary(plan, context, situation, files, others_here)
        names, scenarios = attack_names(asked.attacks), chosen_scenarios(plan, asked.scenarios)
        more = [name for name in unasked(asked) if name not in names]
        found = attack_all(situation, auxiliary, scenarios, [*names, *more])
        if asked.hold_out is not None and (outside := [name for name in names if ATTACKS[name].outside]):
            trial = trial_of(plan, context, start, asked.hold_out)
            found = with_control(found, attack_all(trial, auxiliary, scenarios, outside), asked.hold_out)
        attacks += found
        judged += [Decided(one, asked, () if one.attack in more else tuple(judge(one, asked))) for one in found]
    verdicts = tuple(verdict for each in judged for verdict in each.verdicts)
    return AttackResults(tuple(attacks), verdicts, _refusal(judged))


def unasked(asked: Attack) -> tuple[str, ...]:
    """The attacks that an entry of a plan has tried whatever it names, and that need no limit to refuse."""
    return ALWAYS if asked.tables else ()


def judge(one: Attacked, asked: Attack) -> list[Verdict]:
    """Is the upper end of the interval within the limits, a residual against the lower end of the control?

    What could not be tried, or not in full, fails: nobody knows whether it is within them. What does not apply gets no
    verdict where nobody asked for it by name.
    """
    if one.does_not_apply and asked.attacks is None:
        return []
    name = f"{one.name} ({one.scenario})"
    found = []
    if asked.limit is not None:
        words = f"the attack {name} succeeds for at most {asked.limit:.3g} of those it goes for"
        found.append(_verdict(words, asked.limit, one.most))
    if asked.residual is not None:
        words = f"the attack {name} adds at most {asked.residual:.3g} to what is possible without the file"
        found.append(_verdict(words, asked.residual, one.excess))
    return found


def _verdict(words: str, limit: float, found: float | None) -> Verdict:
    return Verdict(words, "attack", found is not None and found <= limit, limit, found)


def untold(one: Attacked, asked: Attack) -> str:
    """Why nobody knows whether the release and the tables of an entry give people away; empty where it is known."""
    if one.attack not in unasked(asked) or one.does_not_apply:
        return ""
    if one.success is None:
        return one.why
    return one.incomplete or (f"for {one.undecided:,} people it was not worked out. {one.why}" if one.undecided else "")


def _refusal(judged: Sequence[Decided]) -> NotReleasable | None:
    failed = [v for each in judged for v in each.verdicts if not v.passed and v.achieved is not None]
    found = [each.one for each in judged]
    certain = [f"{one.about}: {one.given_away:,} people ({one.scenario})" for one in found if one.given_away]
    untried: dict[str, list[str]] = {}
    for each in judged:
        if each.untried:
            untried.setdefault(each.untried.rstrip("."), []).append(f"{each.one.name} ({each.one.scenario})")
    if certain:
        return NotReleasable(
            "R046",
            f"the release and the published tables together give people away for certain: {'; '.join(certain)}.",
            "Say what both tell more coarsely, keep the people in the file, or withdraw a table; what is certain needs "
            "no limit.",
        )
    if failed:
        lines = [f"required: {v.requirement}; it may be {v.achieved:.3g}" for v in failed]
        return NotReleasable(
            "R022",
            "an attack succeeds too often: " + "; ".join(lines) + ".",
            "Recode or suppress more, or sample; the figures are upper ends of 95% intervals.",
        )
    if untried:
        told = "; ".join(f"{', '.join(names)}: {why}" for why, names in untried.items())
        return NotReleasable(
            "R023",
            f"an attack that decides over the release could not be tried, or not in full: {told}.",
            "Give it what it needs: a table a column of counts and labels of the source, a long search thorough: true. "
            "Or name the attacks that can be tried, withdraw the table, or let somebody say in the plan that there is "
            "nothing of the kind (attest: no_other_release, no_tables).",
        )
    return None
