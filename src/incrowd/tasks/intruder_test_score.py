"""Judge the claims of a test and count them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from incrowd.intruder_test.rounds import Compared, compare_scores
from incrowd.intruder_test.value import Scores, load_scores
from incrowd.machine.writing import place_to_write
from incrowd.machine.writing import write_private as write_page
from incrowd.plan import read_text
from incrowd.report.tested import intruder_report
from incrowd.rows.result import Line, Result, plain_fields
from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test import custodian, deciding
    from incrowd.intruder_test.erasing import remember
    from incrowd.intruder_test.making import write_private
    from incrowd.intruder_test.reading import ToldClaim, read_claims
    from incrowd.intruder_test.scoring import score as count
    from incrowd.intruder_test.store import Store


@dataclass(frozen=True, repr=False)
class ScoredTest(Result):
    """A test, counted; `compared` with an earlier one where one was named, and in `notes` what became of `decide`."""

    scores: Scores
    compared: Compared | None = None
    notes: tuple[str, ...] = ()

    def _told(self) -> str:
        total = self.scores.total
        return f"{self.scores.title}: {total.correct} of {total.claims} claims right; {self.scores.undecided} undecided"

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(line, "luck") for line in (*self.scores.bands, self.scores.total)]


def intruder_test_score(
    test: str,
    *,
    by: str | None = None,
    decide: str | Path | None = None,
    before: str | None = None,
    report: str | Path | None = None,
) -> ScoredTest:
    """Judge the claims of a test and count them. The counts are kept in the test when the rest is deleted.

    `by` is the released key to split the claims by. `decide` is a CSV file with the claims that only people can judge:
    written when it is not there; read, with their verdicts, when it is. `before` is an earlier test, or its scores: of
    the same release, or of the one before it was changed. `report` is a file for the report, with every claim and its
    reasoning: it stays inside, and is deleted with the test.

    >>> ic.intruder_test_score("test.sqlite").scores.claims
    0
    """
    if report is not None:
        place_to_write(Path(report))  # before it is remembered: what cannot be written is not ours to delete
    notes: list[str] = []
    earlier = None if before is None else scores_of(before)
    claims: tuple[ToldClaim, ...] | None = None
    with custodian.opened(test) as store:
        if store.erased:
            scores = custodian.kept_scores(store)
            if scores is None or decide is not None:
                custodian.need_alive(store)
        else:
            if decide is not None:
                notes.append(_decide(store, Path(decide)))
            found = custodian.material(store)
            scores = count(found, store.now, by)
            custodian.keep_scores(store, scores)
            if report is not None:
                claims = read_claims(store, found)
                remember(store, Path(report))
        assert scores is not None
    compared = None if earlier is None else compare_scores(earlier, scores)
    if report is not None:
        write_page(Path(report), intruder_report(scores, () if earlier is None else (earlier,), claims))
    return ScoredTest(scores, compared, tuple(notes))


def _decide(store: Store, file: Path) -> str:
    """Take verdicts over from a file, or write the claims that need one."""
    judged = custodian.material(store).judged
    if file.exists():
        return f"{deciding.decide(store, file, judged)} verdicts taken over from {file}."
    remember(store, file)
    write_private(file, deciding.undecided_csv(judged))
    words = "Write correct, partial or wrong into its last column, and run this again."
    return f"The claims that only you can judge are in {file}. {words}"


def scores_of(test: str) -> Scores:
    """The scores of a test: those that were written to a file (.json), or those of the test as it stands now."""
    if test.endswith(".json"):
        return load_scores(read_text(Path(test)), test)
    with custodian.opened(test) as store:
        if not store.erased:
            return count(custodian.material(store), store.now)
        kept = custodian.kept_scores(store)
        if kept is None:
            custodian.need_alive(store)
        assert kept is not None
        return kept
