"""The file on the bench: opened and counted once, with the steps that stay done. Candidates are tried on it."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.attack.holding_out import BegunTrial, begin_trial
from incrowd.attack.knowledge import whole_of
from incrowd.attack.situation import fetch, lines_of
from incrowd.audit.earlier import find_earlier
from incrowd.audit.series import find_series
from incrowd.audit.workspace import Workspace, open_workspace
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.loss import lost_bits
from incrowd.keys.requirements import DistinctL
from incrowd.keys.table import KeyTable
from incrowd.pipeline.before import MeasuredBefore
from incrowd.pipeline.count import count_data
from incrowd.pipeline.gate import Judged, ask_gate
from incrowd.pipeline.job import Job
from incrowd.pipeline.open import context_of, open_data
from incrowd.pipeline.protect import Begun, begin_steps, do_steps, protect_data
from incrowd.pipeline.write import write_data
from incrowd.plan import Plan
from incrowd.proposals.candidate import Candidate
from incrowd.proposals.goal import with_parts
from incrowd.proposals.information import Given, Int64
from incrowd.proposals.recoding import Recoder
from incrowd.proposals.space import Space, fixed_steps, space_of
from incrowd.protect import Context, InEngineState, State, require_in_memory
from incrowd.risk.before_after import measure_start
from incrowd.rows import reopen
from incrowd.rows.frame import LINE
from incrowd.rows.lookup import read_hierarchy
from incrowd.secret import Secret


@dataclass(eq=False)
class Bench:
    """What all candidates share."""

    plan: Plan
    folder: Path
    secret: Secret
    work: Workspace
    measured: MeasuredBefore
    before: State  # after the steps that stay
    given: Mapping[str, Given]
    places: Int64  # for each line of the source its place in `given`, or -1
    space: Space
    begun: dict[str, Begun]  # by the steps after those that stay
    recoder: Recoder = field(init=False)
    trials: dict[str, BegunTrial] = field(default_factory=dict)
    tried: int = 0
    broken: Counter[tuple[str, str]] = field(default_factory=Counter)  # attack and scenario -> candidates

    def __post_init__(self) -> None:
        trees: dict[str, Hierarchy] = {}
        for requirement in self.plan.requirements:
            for name, file in requirement.trees().items():
                trees[name] = read_hierarchy(self.folder / file, name)
        self.recoder = Recoder(self.space, self.with_values, trees)

    @property
    def records(self) -> int:
        """How many records the custodian gives."""
        return int(self.before.table.records.sum())

    def detail(self, table: KeyTable) -> float:
        """The share of the keys' bits that these classes keep, since the file as it came (`keys/loss.py`)."""
        return 1.0 - lost_bits(require_in_memory(self.measured.start, "a proposal").table, table)

    def context(self, plan: Plan) -> Context:
        """What the steps of a plan may know."""
        known = self.measured.context
        return context_of(plan, self.folder, self.secret, known.book, known.prepared)

    def with_values(self, candidate: Candidate) -> State:
        """The records with their other variables treated, as far as that comes before the keys: what the recoding goes
        by. The same treatments are done once.
        """
        done = self._valued(candidate)
        state = require_in_memory(done.state, "a proposal")
        return replace(state, before=None, bound=(), original=None)

    def _valued(self, candidate: Candidate) -> Begun:
        steps = self._value_steps(candidate)
        key = json.dumps(steps, sort_keys=True)
        if key not in self.begun:
            plan = with_steps(self.plan, self.space.fixed, steps)
            known = self._measured(plan, self.work)
            done = do_steps(known, self.begun["[]"], len(plan.steps))
            self.begun[key] = replace(done, state=self._at_hand(done.state))
        return self.begun[key]

    def _value_steps(self, candidate: Candidate) -> list[Mapping[str, Any]]:
        treated = [self.space.treatments[name][way] for name, way in candidate.values if way]
        return [step for one in treated if not one.after_keys and not one.drops for step in one.steps]

    def _at_hand(self, state: State | InEngineState) -> State:
        """The same rows as a columnar file in the private folder: every candidate reads them again."""
        state = require_in_memory(state, "a proposal")
        return at_hand(state, self.work.private / f"begun-{len(self.begun)}.parquet")

    def trial(self, plan: Plan, candidate: Candidate, share: float) -> BegunTrial:
        """The first steps of a candidate's plan without a share of the people. The same treatments are done once."""
        first = len(self._valued(candidate).steps) - 1
        key = json.dumps([self._value_steps(candidate), share])
        if key not in self.trials:
            start = require_in_memory(self.measured.start, "a proposal")
            begun = begin_trial(plan, self.context(plan), start, share, first)
            path = self.work.private / f"trial-{len(self.trials)}.parquet"
            self.trials[key] = replace(begun, state=at_hand(begun.state, path))
        known = self.trials[key]
        return replace(known, state=self._as_asked(known.state, candidate))

    def _as_asked(self, state: State, candidate: Candidate) -> State:
        """The classes without the sensitive variables that are left out: no step counts them any more."""
        gone = {name for name, way in candidate.values if self.space.treatments[name][way].drops}
        left = {name: each for name, each in state.table.histograms.items() if name not in gone}
        return state if len(left) == len(state.table.histograms) else replace(
            state, table=replace(state.table, histograms=left))  # fmt: skip

    @contextmanager
    def carried_out(self, plan: Plan, candidate: Candidate) -> Iterator[Judged]:
        """A plan carried out up to the gate; what it wrote is thrown away at the end."""
        self.tried += 1
        place = Workspace(self.work.home, self.work.private / f"candidate-{self.tried}")
        place.release.mkdir(parents=True)
        try:
            protected = protect_data(self._measured(plan, place), self._begun(plan, candidate))
            yield ask_gate(write_data(protected))
        finally:
            shutil.rmtree(place.private, ignore_errors=True)

    def steps_done(self, plan: Plan, candidate: Candidate) -> State:
        """The rows after all steps of a plan, not yet computed: for a first look."""
        known = self._measured(plan, self.work)
        done = do_steps(known, self._begun(plan, candidate), len(plan.steps))
        return require_in_memory(done.state, "a proposal")

    def _begun(self, plan: Plan, candidate: Candidate) -> Begun:
        """The first steps of a candidate's plan, done; with the reasons that it has for them."""
        done = self._valued(candidate)
        logs = [replace(log, reason=step.reason) for log, step in zip(done.steps[1:], plan.steps, strict=False)]
        state = self._as_asked(require_in_memory(done.state, "a proposal"), candidate)
        return replace(done, state=state, steps=(done.steps[0], *logs))

    def _measured(self, plan: Plan, place: Workspace) -> MeasuredBefore:
        known = {**vars(self.measured), "plan": plan, "context": self.context(plan), "work": place}
        known["at_start"] = tuple(None for _ in plan.requirements)
        return MeasuredBefore(**known)


def with_steps(plan: Plan, fixed: int, steps: Sequence[Mapping[str, Any]]) -> Plan:
    """The steps that stay, and these after them."""
    content = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in plan.steps[:fixed]]
    return with_parts(plan, steps=[*content, *steps])


def at_hand(state: State, path: Path) -> State:
    """The rows of a state, computed and kept as a columnar file. What they are compared with stays what it is."""
    if state.rows.told == ():
        return state
    state.rows.write(path, "parquet")
    return replace(state, rows=replace(reopen(path, state.rows.engine), book=state.rows.book))


@contextmanager
def open_bench(
    plan: Plan, folder: Path, secret: Secret, home: Path, progress: Callable[[str], None] = lambda what: None
) -> Iterator[Bench]:
    """Open and count the data of a plan, and do the steps that stay."""
    with open_workspace(home) as work, ExitStack() as stack:
        job = Job(
            plan=plan, folder=folder, secret=secret, work=work, stack=stack,
            earlier=find_earlier(plan, folder, home), found=find_series(plan, home, folder), keep_lines=True,
        )  # fmt: skip
        progress("read and count")
        opened = open_data(job)
        # Every sensitive variable is counted: which of them need a requirement shows later.
        sensitive = [DistinctL(name, 1) for name in plan.with_role("sensitive")]
        context = opened.context
        required = (*context.requirements, *sensitive)
        counted = count_data(replace(opened, context=replace(context, requirements=required)))
        counted = replace(counted, context=context)
        start = require_in_memory(counted.start, "a proposal")
        start = at_hand(start, work.private / "start.parquet")
        measured = MeasuredBefore(
            **{**vars(counted), "start": start}, risk_before=measure_start(plan, start), at_start=(),
        )  # fmt: skip
        progress("the steps that stay")
        done = do_steps(measured, begin_steps(start), fixed_steps(plan))
        before = at_hand(require_in_memory(done.state, "a proposal"), work.private / "fixed.parquet")
        given, places = _given(plan, start, before)
        space = space_of(plan, before, given, context, folder)
        begun = {"[]": replace(done, state=before)}
        yield Bench(plan, folder, secret, work, measured, before, given, places, space, begun)


def _given(plan: Plan, start: State, before: State) -> tuple[dict[str, Given], Int64]:
    """All columns that the custodian gives, in the order of the source."""
    identifiers = set(plan.with_role("identifier"))
    names: Sequence[str] = [n for n in plan.variables if n in before.rows.columns and n not in identifiers]
    table = fetch(before.rows, names, LINE)
    lines = np.sort(lines_of(before.rows))
    places = np.full(int(start.rows.count()), -1, np.int64)
    places[lines] = np.arange(len(lines))
    return {
        name: Given.of(name, whole_of(table[name]), before.rows.book.missing.get(name, ())) for name in names
    }, places
