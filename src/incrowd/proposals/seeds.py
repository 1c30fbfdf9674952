"""Where a search for a plan begins: a few candidates that differ in kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from incrowd.errors import NotReleasable
from incrowd.proposals.candidate import Candidate, Ending, Favour
from incrowd.proposals.remedies import Clinic, few_classes


@dataclass(frozen=True)
class Seeds:
    """The first candidates, as they are asked for."""

    clinic: Clinic
    rule_out: Callable[[str], None]  # hears why one is none

    def first(self) -> Iterator[Candidate]:
        """Where the search begins: each ending, values coarsened or blurred, users' variables spared or all alike."""
        favours: tuple[Favour, ...] = (
            ("users", "users a little", "alike") if self.clinic.bench.space.named else ("alike",)
        )
        for favour in favours:
            yield from self._ways(Candidate(self.clinic.goal.k, "recode", favour))
        if "records" in self.clinic.bench.space.endings:
            yield from islice(self._ways(Candidate(self.clinic.goal.k, "records", favours[0])), 1)
        yield from islice(self._ways(Candidate(self.clinic.goal.k, "recode", "detail")), 1)

    def costly(self) -> Iterator[Candidate]:
        """The endings that decide about single cells and classes."""
        favours: tuple[Favour, ...] = ("users",) if self.clinic.bench.space.named else ("alike",)
        some: tuple[tuple[Ending, Favour], ...] = (("cells", favours[0]), ("cells", "detail"), ("local", favours[0]))
        for ending, favour in some:
            begun = Candidate(self.clinic.goal.k, ending, favour)
            if ending in self.clinic.bench.space.endings and few_classes(self.clinic.bench, begun):
                yield from islice(self._ways(begun), 1)

    def _ways(self, candidate: Candidate) -> Iterator[Candidate]:
        """The candidate with its other values coarsened, and with them blurred."""
        try:
            recoding = self.clinic.bench.recoder.recode(candidate)
            limit = 1.0 if self.clinic.goal.attack is None else self.clinic.goal.attack
            if self.clinic.goal.attack is None:  # nothing asks for other values
                yield candidate
            for found in (
                self.clinic.screen.coarsened(candidate, recoding, limit) or candidate,  # the attack says what is wrong
                self.clinic.screen.blurred(candidate, recoding, limit) if self.clinic.goal.attack is not None else None,
            ):
                if found is not None:
                    yield found
        except NotReleasable as refusal:
            self.rule_out(f"{candidate.ending}: {refusal.message}")
