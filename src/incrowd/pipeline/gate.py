"""Ask the gate: may the written file leave?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from incrowd.audit.earlier import other_releases
from incrowd.audit.manifest import FileEntry, hash_entries
from incrowd.errors import NotReleasable
from incrowd.keys.requirements import Likeness
from incrowd.pipeline.write import Written
from incrowd.plan.verdict import Verdict
from incrowd.protect import Context, InEngineState, State, refuse_absent_values
from incrowd.release import GateInputs, gate


@dataclass(frozen=True, kw_only=True)
class Judged(Written):
    """The written file, what the gate found in it, and why it must stay, if it must."""

    verdicts: tuple[Verdict, ...]
    refusal: NotReleasable | None
    entries: tuple[FileEntry, ...]  # the bytes that the gate counted
    others: tuple[str, ...]  # runs that released this source, where the plan says that nobody has

    @property
    def sha256(self) -> str:
        """Which bytes the gate counted."""
        return hash_entries(self.entries)


def ask_gate(written: Written) -> Judged:
    """Let the gate count the written file again, with code of its own."""
    written.progress("gate: count the written file again")
    plan, steps = written.plan, written.steps
    verdicts, refusal, entries = gate(
        plan, written.file, written.columns, steps[-1].after.records, written.secret, written.units,
        _gate_inputs(written.state, written.context),
    )  # fmt: skip
    others = other_releases(plan, written.earlier, steps[0].after.records, hash_entries(entries))
    return Judged(**vars(written), verdicts=verdicts, refusal=refusal, entries=entries, others=others)


def _gate_inputs(state: State | InEngineState, context: Context) -> GateInputs:
    """What the gate is told beside the file: the spread before suppression, the population, the hierarchies."""
    if isinstance(state, InEngineState):
        refuse_absent_values(state, context)
        # Classes in the engine are never suppressed when something compares with the whole file: it is as it came.
        names = {r.sensitive for r in context.requirements if isinstance(r, Likeness)}
        whole = {name: Counter[str | None]() for name in names}
        for name, counts in whole.items():
            for value, number in state.rows.value_counts(name).items():
                counts[value or None] += number
        return GateInputs(whole, None, context.paths)
    state = context.bind(state)
    spread = {
        r.sensitive: dict(zip(r.reference.values, r.reference.counts.tolist(), strict=True))
        for r in state.bound
        if isinstance(r, Likeness) and r.reference is not None
    }
    before, population = state.before, None
    if before is not None and before.population is not None:
        labels = [[d.values[c] for c in codes] for d, codes in zip(before.domains, before.codes.tolist(), strict=True)]
        counted = zip(zip(*labels, strict=True), before.population.tolist(), strict=True)
        population = {combination: people for combination, people in counted if people}
    return GateInputs(spread, population, context.paths)
