"""Two tests beside each other: the same release again, or the next round on a changed one. What it shows, and not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from incrowd.intruder_test.score_parts import LUCK
from incrowd.intruder_test.value import Scores


@dataclass(frozen=True)
class Compared:
    """Two tests, one after the other."""

    before: Scores
    after: Scores
    same_release: bool
    chance: float | None  # that shares at least as different come from the same chances (Fisher's exact test)
    sentences: tuple[str, ...] = ()


def compare_scores(before: Scores, after: Scores) -> Compared:
    """A later test beside an earlier one, of the same release or of another."""
    from scipy.stats import fisher_exact

    same = before.release_sha256 == after.release_sha256
    tables = [(s.total.correct, s.total.claims - s.total.correct) for s in (before, after)]
    chance = float(fisher_exact(tables).pvalue) if all(s.total.claims for s in (before, after)) else None
    return Compared(before, after, same, chance, tuple(_told(before, after, same, chance)))


def compare_rounds(rounds: Sequence[Scores]) -> tuple[Compared, ...]:
    """Each test beside the one before it."""
    return tuple(compare_scores(before, after) for before, after in pairwise(rounds))


def _told(before: Scores, after: Scores, same: bool, chance: float | None) -> Iterator[str]:
    yield (
        "The same release was tested again: its bytes are the same."
        if same
        else f"Another release was tested than before: this is round {after.round}, on a changed file."
    )
    if after.earlier and after.earlier != before.release_sha256:
        yield "The later test was prepared as the round after another release than the earlier test is of."
    for scores, when in ((before, "before"), (after, "now")):
        total, back = scores.total, scores.taken_back.sure
        yield (
            f"Right claims: {total.correct} of {total.claims} {when} ({total.low:.1%} to {total.high:.1%}); sure "
            f"finds: {scores.sure_finds}{f'; taken back, right and sure: {back}' if back else ''}."
        )
    yield from _change(before, after, same, chance)
    if any(scores.undecided for scores in (before, after)):
        yield f"Not decided: {before.undecided} before, {after.undecided} now. The comparison leaves them out."
    if before.scenario != after.scenario:
        yield f"The cards told other things: {before.scenario} before, {after.scenario} now."
    if any(scores.dry_run for scores in (before, after)):
        yield "One of the two was a dry run: the comparison says nothing about a release."


def _change(before: Scores, after: Scores, same: bool, chance: float | None) -> Iterator[str]:
    if chance is None:
        yield "One of the tests has no judged claim, so nothing can be said about a change."
        return
    fewer = after.total.correct * before.total.claims < before.total.correct * after.total.claims
    if chance >= LUCK:
        yield "Luck alone explains a difference like this; it does not show that nothing has changed."
    elif same:
        yield "The difference is larger than luck explains: intruders, sources or time have changed."
    else:
        yield (
            f"The difference is larger than luck explains: {'fewer' if fewer else 'more'} claims are right on the "
            "changed file."
        )
    if not same:
        yield (
            "What it cannot show: that the change of the file did it alone. The cards are others, the intruders may be "
            "others too, and those who took part before have practised. Claims of one person hang together, so the "
            "chance of luck is said to be smaller than it is."
        )
        if after.finding:
            yield "The changed release has a finding of its own: it stands, however much less was found than before."
