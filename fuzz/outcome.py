"""What a case came to, and the sums over many cases."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

#: The sorts of faults. `unexplained` is an error without a code of its own; everything else counts as wrong.
UNEXPLAINED = "unexplained"

#: What a run may leave where it runs: the folder of runs, and the key that seals them.
KEPT = {"runs", "incrowd.signing", "incrowd.signing.pub"}


@dataclass(frozen=True)
class Fault:
    """One thing that must not be: its sort (wrong, leak, slow, memory, half, unexplained ...) and what happened."""

    sort: str
    text: str


@dataclass
class Outcome:
    """A case that was played: released, refused (by which code) or neither; and every fault that it showed."""

    released: bool = False
    code: str | None = None
    faults: list[Fault] = field(default_factory=list)
    checks: int = 0  # how many comparisons were made
    unjudged: int = 0  # how many could not be

    def fault(self, sort: str, text: str) -> None:
        """Note one."""
        self.faults.append(Fault(sort, text))

    def check(self, holds: bool, sort: str, text: str) -> bool:
        """Count a comparison; a fault where it does not hold."""
        self.checks += 1
        if not holds:
            self.fault(sort, text)
        return holds

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @staticmethod
    def from_json(content: dict[str, Any]) -> Outcome:
        """And back."""
        faults = [Fault(**one) for one in content["faults"]]
        return Outcome(content["released"], content["code"], faults, content["checks"], content["unjudged"])


@dataclass
class Tally:
    """The sums over the cases of one kind."""

    kind: str
    tried: int = 0
    released: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    wrong: int = 0  # cases with a fault that is not only unexplained
    unexplained: int = 0
    checks: int = 0
    unjudged: int = 0
    seconds: float = 0.0
    found: list[dict[str, Any]] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """One more case."""
        self.tried += 1
        self.released += outcome.released
        if outcome.code is not None:
            self.refused[outcome.code] += 1
        sorts = {fault.sort for fault in outcome.faults}
        self.wrong += bool(sorts - {UNEXPLAINED})
        self.unexplained += UNEXPLAINED in sorts
        self.checks += outcome.checks
        self.unjudged += outcome.unjudged

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {**asdict(self), "refused": dict(sorted(self.refused.items()))}
