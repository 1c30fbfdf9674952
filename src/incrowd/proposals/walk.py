"""The search: from the first candidates, by the remedies of the attacks that break them, to those that nothing breaks.

Where there are few plans, all of them are tried, and the frontier is exact. Otherwise a candidate is glanced at on the
KeyTable and its use cases first; the best is carried out and attacked; an attack above its limit leads to candidates
with its remedies. A remedy that did not lower the attack is not tried against it again. What cannot be better than what
was found is ruled out without looking.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from incrowd.errors import IncrowdError, InputError, NotReleasable
from incrowd.machine import stopping
from incrowd.plan import released_columns
from incrowd.proposals.bench import Bench
from incrowd.proposals.candidate import Candidate, next_crowd
from incrowd.proposals.frontier import frontier
from incrowd.proposals.goal import Goal
from incrowd.proposals.plans import none_left
from incrowd.proposals.promises import open_variables, promises_of, strictest_free
from incrowd.proposals.remedies import Clinic
from incrowd.proposals.screen import Screen
from incrowd.proposals.seeds import Seeds
from incrowd.proposals.trying import Tried, glance, try_candidate
from incrowd.report.board.advice import most as most_of

#: Up to so many plans all are tried.
ALL = 64
#: So many candidates are attacked at most, for each proposal that is asked for.
ATTACKED = 4
#: As long as none reaches the goal, as many as for so many proposals: whether there is one depends on no wish.
FIRST = 7
#: A larger crowd for a safer proposal: so many times the one before.
SAFER = 2
SAFER_ONE = "a safer one"
#: Crowds that are tried where nothing else is enough: so many times the one that came nearest.
FAR = (3, 10)

#: An attack, the variable that it is after, and what is done against it.
Against = tuple[str, str, str]


@dataclass(eq=False)
class Walk:
    """What was looked at so far, and what of it reaches the goal."""

    bench: Bench
    goal: Goal
    most: int
    deadline: float | None = None
    begins: Callable[[str], None] = lambda what: None
    within: Callable[[str], None] = lambda what: None
    good: list[Tried] = field(default_factory=list)  # reach the goal
    failed: list[Tried] = field(default_factory=list)  # were attacked, and do not
    ruled_out: dict[str, int] = field(default_factory=dict)  # why -> how many
    glanced: int = 0
    exhaustive: bool = False
    late: bool = False
    stopped: bool = False
    _seen: set[Candidate] = field(default_factory=set)
    _made: set[str] = field(default_factory=set)  # releases that candidates would make
    _useless: set[Against] = field(default_factory=set)
    _waiting: list[tuple[Tried, Tried | None, Against | None]] = field(default_factory=list)  # parent and remedy

    def run(self) -> None:
        """Search until enough is found, nothing is left, the time is over, or somebody stops it."""
        clinic = Clinic(self.bench, Screen(self.bench), self.goal)
        seeds = Seeds(clinic, self._rule_out)
        try:
            if self.bench.space.plans <= ALL:
                self.exhaustive = True
                self._try_all()
                return
            # To choose cells to blank, or a recoding for each class, takes long, and intruders rarely forgive it in an
            # open file: there it is looked at only where the others are not enough.
            early = [] if self.goal.tier == "open" else [*seeds.costly()]
            for candidate in (*seeds.first(), *early):
                self._look(candidate)
            self._steps(clinic)
            if not early and not self._enough():
                for candidate in seeds.costly():
                    self._look(candidate)
                self._steps(clinic)
            self._at_last()
        except stopping.Stopped:
            if not stopping.heeded():
                raise
            self.stopped = True
        except KeyboardInterrupt:
            self.stopped = True

    # -- all of them --------------------------------------------------------------------------------------------------

    def _try_all(self) -> None:
        space = self.bench.space
        names = list(space.rungs)
        ways = [range(len(each)) for each in space.treatments.values()]
        for ending in space.endings:
            for rungs in product(*space.rungs.values()):
                for chosen in product(*ways):
                    if self._out_of_time():
                        return
                    values = tuple(sorted(zip(space.treatments, chosen, strict=True)))
                    levels = tuple(sorted(zip(names, rungs, strict=True)))
                    self._try_one(Candidate(self.goal.k, ending, values=values, levels=levels))

    def _try_one(self, candidate: Candidate) -> None:
        seen = self._glance(self._promised(candidate))
        if seen is not None:
            self._file(try_candidate(self.bench, seen, self.goal, begins=self.within))

    # -- guided by attacks --------------------------------------------------------------------------------------------

    def _look(self, candidate: Candidate, parent: Tried | None = None, remedy: Against | None = None) -> None:
        """Glance at a candidate, once, and let it wait for its turn."""
        candidate = self._promised(candidate)
        if candidate in self._seen:
            return
        self._seen.add(candidate)
        seen = self._glance(candidate)
        if seen is None:
            return
        made = _release_of(seen)
        if made in self._made:
            self._rule_out("the same release as another candidate's")
            return
        self._made.add(made)
        self._waiting.append((seen, parent, remedy))

    def _steps(self, clinic: Clinic) -> None:
        while self._waiting and not self._enough():
            self._step(clinic)

    def _step(self, clinic: Clinic) -> None:
        """The most promising candidate that waits: tried, and where it is broken, its remedies."""
        at = max(range(len(self._waiting)), key=lambda i: self._promise(self._waiting[i][0]))
        seen, parent, remedy = self._waiting.pop(at)
        if any(_as_good(good, seen) for good in self.good):
            self._rule_out("cannot be better than a proposal that was found")
            return
        tried = try_candidate(self.bench, seen, self.goal, begins=self.within)
        self._file(tried)
        if parent is not None and remedy is not None:
            self._remember(parent, tried, remedy)
        if tried.reaches(self.goal):
            self._look(replace(seen.candidate, k=_safer(tried.smallest)).because(SAFER_ONE))
            if tried.cases < len(tried.outcomes) and seen.candidate.favour != "users most":
                self._look(replace(seen.candidate, favour="users most").because("for the use cases that break"))
            return
        for one in tried.above[:2]:
            for way, candidate in clinic.against(one, tried):
                if (one.attack, one.about, way) not in self._useless:
                    self._look(candidate, tried, (one.attack, one.about, way))

    def _at_last(self) -> None:
        """Where nothing was found: the candidate that came nearest with crowds far larger, and without the variables
        that attacks are about, where they may be left out. A file with less in it may be better than none.
        """
        ways = self.bench.space.treatments
        last = {name: len(each) - 1 for name, each in ways.items() if each[-1].drops}
        nearest = self._nearest(last)
        if self.good or nearest is None:
            return
        for times in FAR:
            if not self.good:
                crowd = next_crowd(times * nearest.smallest)
                self._once(replace(nearest.candidate, k=crowd).because("far larger classes"))
        for _ in last:
            if nearest is None:
                return
            candidate = nearest.candidate
            for name in sorted({one.about for one in nearest.above} & {*last}):
                candidate = candidate.with_value(name, last[name]).because(f"without {name}")
            self._once(candidate)
            nearest = self._nearest(last, candidate.values)

    def _nearest(self, last: Mapping[str, int], without: tuple[tuple[str, int], ...] = ()) -> Tried | None:
        """Of those that were attacked, the one nearest to the goal; before others, where all that speaks against
        it is about variables that may be left out, and are not yet. What is left out already stays so.
        """
        gone = {pair for pair in without if last.get(pair[0]) == pair[1]}
        open_ = [one for one in self.failed if one.above and not one.refusal and gone <= set(one.candidate.values)]
        found = [t for t in open_ if all(t.candidate.treated(a.about) < last.get(a.about, 0) for a in t.above)]
        return min(found or open_, key=lambda one: (one.risk, len(one.above)), default=None)

    def _once(self, candidate: Candidate) -> None:
        """Carry a candidate out and attack it, unless that was done."""
        candidate = self._promised(candidate)
        if candidate in self._seen or self._out_of_time():
            return
        self._seen.add(candidate)
        seen = self._glance(candidate)
        if seen is not None:
            self._file(try_candidate(self.bench, seen, self.goal, begins=self.within))

    def _promise(self, seen: Tried) -> tuple[bool, int, float, int]:
        """What is tried first: other ways before the same with a larger crowd; then most use cases, most information,
        the smallest crowd.
        """
        return SAFER_ONE not in seen.candidate.remedies, seen.cases, round(seen.information, 9), -seen.candidate.k

    def _remember(self, parent: Tried, child: Tried, remedy: Against) -> None:
        """Did the remedy lower the attack it was for? If not, it is not tried against it again."""
        attack, about, _ = remedy
        before, after = (_worst(tried, attack, about) for tried in (parent, child))
        if after is not None and before is not None and after >= before - 1e-9:
            self._useless.add(remedy)

    # -- both ---------------------------------------------------------------------------------------------------------

    def _promised(self, candidate: Candidate) -> Candidate:
        """With a limit to what a class gives away for every sensitive variable that has none, where the tier asks for
        it: the strictest that costs nothing.
        """
        if not self.goal.diverse:
            return candidate
        dropped = {n for n, way in candidate.values if self.bench.space.treatments[n][way].drops}
        candidate = replace(candidate, required=tuple(each for each in candidate.required if each[0] not in dropped))
        for name in open_variables(self.bench.plan, released_columns(self.bench.plan)):
            if name in dropped or name in dict(candidate.required) or name not in self.bench.given:
                continue
            promises = promises_of(self.bench.given[name])
            try:
                candidate = candidate.with_required(name, strictest_free(self.bench.recoder, candidate, name, promises))
            except NotReleasable:
                candidate = candidate.with_required(name, promises[0])
        return candidate

    def _glance(self, candidate: Candidate) -> Tried | None:
        self.glanced += 1
        self.begins(f"candidate {self.glanced}")
        try:
            if none_left(self.bench.space, self.bench.recoder.recode(candidate)):
                self._rule_out("no key would be left")
                return None
            seen = glance(self.bench, candidate, self.goal)
        except (NotReleasable, InputError) as error:
            self._rule_out(f"{error.code}: {_short(error)}")
            return None
        if self.goal.mean is not None and seen.recoding.mean > self.goal.mean and not self.exhaustive:
            larger = next_crowd(max(candidate.k, seen.smallest))
            self._rule_out("the mean chance to find somebody is too large: a larger crowd is tried")
            return self._glance(replace(candidate, k=larger)) if larger <= self.bench.records else None
        return seen

    def _file(self, tried: Tried) -> None:
        if tried.refusal:
            self._rule_out(tried.refusal.split(":")[0] + ": the gate, or a step, refuses it")
        (self.good if tried.reaches(self.goal) else self.failed).append(tried)

    def _rule_out(self, why: str) -> None:
        self.ruled_out[why] = self.ruled_out.get(why, 0) + 1

    def _enough(self) -> bool:
        attacked = len(self.good) + len(self.failed)
        wanted = self.most if self.good else max(self.most, FIRST)
        there = len(frontier(self.good)) >= self.most and not self._more_cases()
        return self._out_of_time() or there or attacked >= ATTACKED * wanted

    def _more_cases(self) -> bool:
        """Whether one that waits keeps more conclusions than any proposal, by the first look."""
        most = max((good.cases for good in self.good), default=0)
        return any(seen.cases > most for seen, _, _ in self._waiting)

    def _out_of_time(self) -> bool:
        self.late = self.deadline is not None and time.monotonic() > self.deadline
        return self.late


def _as_good(good: Tried, seen: Tried) -> bool:
    """Whether what was found is at least as good as a candidate could be: its risk is at least 1 over its smallest
    class.
    """
    least = 1 / seen.smallest if seen.smallest else 1.0
    return (
        good.risk <= least + 1e-12
        and good.cases >= seen.cases
        and good.information >= seen.information - 1e-12
        and good.detail >= seen.detail - 1e-12
    )  # fmt: skip


def _release_of(seen: Tried) -> str:
    """What a candidate's plan makes, as a text: its steps, and what is required where steps decide by it."""
    steps = [step.model_dump(mode="json", exclude={"reason"}) for step in seen.plan.steps]
    decides = any(step.decides_by_class for _, step in seen.plan.active)
    required = [one.model_dump(mode="json") for one in seen.plan.requirements] if decides else []
    return json.dumps([steps, required], sort_keys=True)


def _safer(smallest: int) -> int:
    return next_crowd(int(SAFER * smallest) - 1)


def _worst(tried: Tried, attack: str, about: str) -> float | None:
    figures = [most_of(one) for one in tried.attacks if one.attack == attack and one.about == about]
    return max((figure for figure in figures if figure is not None), default=None)


def _short(error: IncrowdError) -> str:
    return error.message.split(". ")[0]
