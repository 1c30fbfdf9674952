"""A candidate tried: its plan carried out up to the gate, attacked, and judged as a run of it would be.

The costly part. Attacks that are likely to break it come first; where one does, the rest is not tried, unless the
candidate is to be shown all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from incrowd.attack.auxiliary import Files, read_auxiliary
from incrowd.attack.holding_out import on_trial, with_control
from incrowd.attack.knowledge import whole_of
from incrowd.attack.on_run import HELD_OUT, attack_all, judge, situation_of, untold
from incrowd.attack.registry import ATTACKS
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked
from incrowd.audit.log import RunLog
from incrowd.errors import InputError, NotReleasable
from incrowd.keys.loss import margin
from incrowd.keys.table import KeyTable
from incrowd.pipeline.after import write_log
from incrowd.pipeline.attack import AttackedFile
from incrowd.pipeline.gate import Judged
from incrowd.pipeline.series import compare_series
from incrowd.plan import Plan
from incrowd.plan.attack import Attack as AskedAttack
from incrowd.proposals.bench import Bench
from incrowd.proposals.candidate import Candidate
from incrowd.proposals.goal import Goal
from incrowd.proposals.information import bits_kept, entropy, kept_of, weighted
from incrowd.proposals.plans import hold_out, plan_of, strongest
from incrowd.proposals.recoding import Recoding
from incrowd.protect import Original, State, require_in_memory
from incrowd.report.board.advice import Advice, Reason, advise, most
from incrowd.risk.background import plan_scenarios
from incrowd.risk.value import Scenario
from incrowd.rows import Rows, open_released
from incrowd.utility.needs import fetch
from incrowd.utility.of_run import fetch_at_start, question_of
from incrowd.utility.outcome import Outcome

#: What breaks most candidates and costs little is tried first; what costs most, at last.
_FIRST = ("singling_out_any", "gap", "minimality")
_LAST = ("inference", "skewness", "homogeneity", "probabilistic")


@dataclass(frozen=True, eq=False)
class Tried:
    """What became of a candidate. With `refusal` there is no release; without `complete` some attacks were not tried,
    since one was above its limit already.
    """

    candidate: Candidate
    plan: Plan
    recoding: Recoding
    records: int
    given: int
    smallest: int
    kept: Mapping[str, float]
    information: float
    outcomes: tuple[Outcome, ...]
    detail: float = 0.0  # the share of the keys' bits that is kept, since the file as it came
    attacks: tuple[Attacked, ...] = ()
    advice: Advice | None = None
    refusal: str = ""
    complete: bool = False
    log: RunLog | None = None
    end: KeyTable | None = None  # the classes as they leave
    above: tuple[Attacked, ...] = field(default=())  # the attacks above their limit, the worst first
    over: str = ""  # how many records it drops, where those are more than the plan lets go

    @property
    def cases(self) -> int:
        """How many use cases hold."""
        return sum(outcome.passed for outcome in self.outcomes)

    @property
    def risk(self) -> float:
        """The most that anybody may be found or told: 1 over the smallest class, or what an attack may add at most."""
        figures = [worst for attack in self.attacks if (worst := most(attack)) is not None]
        return max([1 / self.smallest if self.smallest else 1.0, *figures])

    def obstacles(self, goal: Goal) -> tuple[Reason, ...]:
        """What stands between it and the goal, apart from what only people can remove."""
        return tuple(reason for reason in self._against(goal) if not reason.by_people)

    def left_to_do(self, goal: Goal) -> tuple[Reason, ...]:
        """What only people can remove."""
        return tuple(reason for reason in self._against(goal) if reason.by_people)

    def _against(self, goal: Goal) -> tuple[Reason, ...]:
        return () if self.advice is None else self.advice.against(goal.tier)

    def reaches(self, goal: Goal) -> bool:
        """Whether a machine has nothing against it."""
        return self.complete and not (self.refusal or self.above or self.over or self.obstacles(goal))


def glance(bench: Bench, candidate: Candidate, goal: Goal) -> Tried:
    """A first look: the recoding, what it keeps by estimate, and the use cases on rows that nobody has written."""
    recoding = bench.recoder.recode(candidate)
    plan = plan_of(bench.space, candidate, recoding, goal)
    kept = {**recoding.kept}
    for name, ways in bench.space.treatments.items():
        kept[name] = ways[candidate.treated(name)].kept * (1 - recoding.lost / max(bench.records, 1))
    outcomes: tuple[Outcome, ...] = ()
    smallest = recoding.smallest
    if plan.use_cases or candidate.ending in ("cells", "local"):
        state = bench.steps_done(plan, candidate)
        outcomes, smallest = _use_cases(bench, plan, state), state.table.smallest
    return Tried(
        candidate, plan, recoding, bench.records - recoding.lost, bench.records, smallest, kept,
        weighted(kept, bench.space.weights), outcomes, bench.detail(recoding.table),
    )  # fmt: skip


def try_candidate(
    bench: Bench, seen: Tried, goal: Goal, *, whole: bool = False, begins: Callable[[str], None] = lambda what: None
) -> Tried:
    """Carry it out, attack it, and judge it by the rules of the tier. `whole` tries every attack, whatever is found."""
    plan = seen.plan
    try:
        with bench.carried_out(plan, seen.candidate) as judged:
            return _tried(bench, seen, judged, goal, whole, begins)
    except NotReleasable as refusal:
        return _refused(seen, refusal)
    except InputError as error:
        return _refused(seen, error)


def _refused(seen: Tried, why: NotReleasable | InputError) -> Tried:
    return Tried(
        seen.candidate, seen.plan, seen.recoding, 0, seen.given, 0, {}, 0.0, (), refusal=f"{why.code}: {why.message}"
    )


def _tried(bench: Bench, seen: Tried, judged: Judged, goal: Goal, whole: bool, begins: Callable[[str], None]) -> Tried:
    plan, state = judged.plan, require_in_memory(judged.state, "a proposal")
    start = require_in_memory(judged.start, "a proposal")
    if judged.refusal is not None:
        return _refused(seen, judged.refusal)
    assert judged.traced is not None
    situation = situation_of(plan, judged.context, start, state, judged.traced)
    released = open_released(judged.file, spill=judged.work.spill)
    try:
        outcomes = _use_cases(bench, plan, state, released)
    finally:
        released.close()
    kept = _kept(bench, situation)
    found = list(_attacks(bench, seen.candidate, judged, situation, goal, whole, begins))
    complete = not found or found[-1] is not None
    attacks = [one for one in found if one is not None]
    attacks = _in_order(plan, attacks)
    logged = write_log(compare_series(AttackedFile(**vars(judged), attacks_tried=tuple(attacks))))
    return Tried(
        seen.candidate, plan, seen.recoding, situation.released.num_rows, bench.records, logged.log.end.smallest, kept,
        weighted(kept, bench.space.weights), outcomes, _detail(bench, situation), tuple(attacks), advise(logged.log),
        str(logged.refusal or ""), complete, logged.log, state.table, above_limit(bench.plan, goal, attacks),
        _over(bench, plan, logged.log),
    )  # fmt: skip


def _over(bench: Bench, plan: Plan, log: RunLog) -> str:
    """What the limit of the plan says of the records that were dropped, whichever step did it; a sample is another
    matter.
    """
    first = bench.space.fixed  # after the last step of the plan a run may have entries of its own
    late = zip(plan.steps[first:], log.steps[1 + first : 1 + len(plan.steps)], strict=True)
    lost, limit = sum(log.records_removed for step, log in late if not step.samples), bench.space.asked.records_lost
    if lost <= limit * bench.records + 1e-9:
        return ""
    return (
        f"{lost:,} of {bench.records:,} records are dropped, and {100 * limit:g}% is the limit (propose: records_lost)"
    )


def _kept(bench: Bench, situation: Situation) -> dict[str, float]:
    places = bench.places[situation.lines]
    found = {}
    for name in (*bench.space.ladders, *bench.space.treatments):
        released = name in situation.released.column_names
        found[name] = kept_of(bench.given[name], places, whole_of(situation.released[name])) if released else 0.0
    return found


def _detail(bench: Bench, situation: Situation) -> float:
    """The share of the keys' bits that is kept, as `Bench.detail` of a recoding; blanks and local labels are seen
    through.
    """
    places, start = bench.places[situation.lines], require_in_memory(bench.measured.start, "a proposal").table
    whole = float(start.records.sum()) * sum(entropy(margin(start, i)) for i in range(len(start.names)))
    names = [name for name in bench.space.ladders if name in situation.released.column_names]
    told = sum(bits_kept(bench.given[name], places, whole_of(situation.released[name])) for name in names)
    return told / whole if whole else 1.0


def _use_cases(bench: Bench, plan: Plan, state: State, released: Rows | None = None) -> tuple[Outcome, ...]:
    if not plan.use_cases:
        return ()
    context = bench.context(plan)
    question = question_of(plan, context, state)
    needs = question.needs()
    original = state.original or Original(state.rows, state.table)
    before = fetch(original.rows, needs)
    after = fetch(replace(released or state.rows, book=context.book), needs)
    start = bench.measured.start
    assert isinstance(start, State)
    return question.evaluate(before, after, fetch_at_start(question, start, before))


def _attacks(
    bench: Bench,
    candidate: Candidate,
    judged: Judged,
    situation: Situation,
    goal: Goal,
    whole: bool,
    begins: Callable[[str], None],
) -> Iterator[Attacked | None]:
    """One attack after the other; None at the end where the rest is left, since one is above its limit."""
    plan, start = judged.plan, require_in_memory(judged.start, "a proposal")
    auxiliary = read_auxiliary(plan, judged.context, situation, _files(bench), judged.others)
    hardest = strongest(plan)

    def held_out() -> Situation:
        begun = bench.trial(plan, candidate, HELD_OUT)
        made, rows, left = on_trial(plan, judged.context, start, HELD_OUT, begun)
        return situation_of(plan, judged.context, start, made, rows, by_chance=left)

    situation = replace(situation, trial=held_out)  # one for all attacks, and begun where other candidates' is
    for scenario, word in _pairs(bench, plan, hardest):
        attack = ATTACKS[word]
        begins(f"{word.replace('_', ' ')} ({scenario.name})")
        found = attack_all(situation, auxiliary, [scenario], [word])
        if attack.outside and hold_out(plan):
            trial = situation.once(held_out, "trial")
            found = with_control(found, _again(trial, auxiliary, scenario, word), HELD_OUT)
        yield from found
        if above_limit(bench.plan, goal, found):
            bench.broken[word, scenario.name] += 1
            if not whole:
                yield None
                return


def _pairs(bench: Bench, plan: Plan, hardest: Scenario) -> list[tuple[Scenario, str]]:
    """Every attack in every scenario: what broke other candidates first, what costs much at last."""
    scenarios = [hardest, *(one for one in plan_scenarios(plan) if one.name != hardest.name)]
    words = [*_FIRST, *(word for word in ATTACKS if word not in (*_FIRST, *_LAST)), *_LAST]
    pairs = [
        (scenario, word)
        for costly in (False, True)
        for scenario in scenarios
        for word in words
        if word in ATTACKS and (word in _LAST) is costly and (scenario is hardest or not ATTACKS[word].once)
    ]
    return sorted(pairs, key=lambda pair: -bench.broken[pair[1], pair[0].name])


def _in_order(plan: Plan, attacks: Sequence[Attacked]) -> list[Attacked]:
    """As a run has them, however they were tried."""
    places = {name: place for place, name in enumerate([*(one.name for one in plan_scenarios(plan)), *ATTACKS])}
    return sorted(attacks, key=lambda one: (places.get(one.scenario, -1), places[one.attack]))


def _again(trial: Situation, auxiliary: Auxiliary, scenario: Scenario, word: str) -> list[Attacked]:
    return attack_all(trial, auxiliary, [scenario], [word])


def _files(bench: Bench) -> Files:
    """What the attacks of the plan may use beside the release."""
    named = [one for _, one in bench.plan.attacks]
    register = next((one.register_file for one in named if one.register_file), None)
    salts = next((one.salts for one in named if one.salts), None)
    return Files(
        None if register is None else bench.folder / register,
        tuple(bench.folder / file for one in named for file in one.others),
        tuple(bench.folder / file for one in named for file in one.tables),
        None if salts is None else bench.folder / salts,
    )


def above_limit(plan: Plan, goal: Goal, attacks: Sequence[Attacked]) -> tuple[Attacked, ...]:
    """The attacks that may be right too often, by the tier or by the plan's own limits; and those that give people away
    beside the plan's tables, or may do so for all that is known, which no run would release. The worst first.
    """
    found = []
    for one in attacks:
        worst = most(one)
        own = [verdict for asked in _asked(plan, one) for verdict in judge(one, asked)]
        away = bool(one.given_away) or any(untold(one, asked) for _, asked in plan.attacks)
        tier = goal.attack is not None and worst is not None and worst > goal.attack
        if away or (one.success is not None and (tier or not all(verdict.passed for verdict in own))):
            found.append((worst or 0.0, one))
    return tuple(one for _, one in sorted(found, key=lambda each: -each[0]))


def _asked(plan: Plan, one: Attacked) -> Iterator[AskedAttack]:
    """The entries of the plan that speak of an attack."""
    for _, asked in plan.attacks:
        words = asked.attacks or [word for word, attack in ATTACKS.items() if not attack.on_request]
        if one.attack in words and (asked.scenarios is None or one.scenario in asked.scenarios):
            yield asked
