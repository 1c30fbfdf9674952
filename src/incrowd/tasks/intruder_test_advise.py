"""From what intruders found people by to a changed plan, with what the change costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from incrowd.errors import InputError
from incrowd.intruder_test.score_parts import SURE
from incrowd.intruder_test.value import Scores
from incrowd.machine.writing import write_private
from incrowd.pipeline.check import Checked
from incrowd.pipeline.check import check as check_plan
from incrowd.pipeline.live import Live, open_live
from incrowd.pipeline.progress import Progress
from incrowd.pipeline.trial import try_out
from incrowd.plan import read_text, split_tier
from incrowd.plan.check import released_columns
from incrowd.plan.patching import with_steps_at
from incrowd.proposals.coarser_variable import VariableChange, changes_to, put_in, taken_away, with_reason
from incrowd.proposals.plan_of_test import plan_of_test
from incrowd.proposals.write import in_order
from incrowd.rows.result import Line, Listing, plain_fields
from incrowd.secret import Secret, secret_to_try
from incrowd.tasks.compare import PlanFigures, plan_figures
from incrowd.tasks.intruder_test_score import scores_of

#: So many variables are looked at, those that carried most claims first.
MOST = 3


@dataclass(frozen=True)
class AdvisedChange:
    """One change of the plan: what it does, why, how much of what claims used it takes away, and what it costs."""

    variable: str
    change: str
    reason: str
    claims: int  # right ones that used the variable; of sure ones, where none is right
    of: int
    taken_away: float  # of what these claims used: the share of claims, times the share of the variable that is gone
    use_cases_lost: tuple[str, ...]  # that keep their conclusion before it and not after
    after: PlanFigures


@dataclass(frozen=True, repr=False)
class IntruderAdvice(Listing[AdvisedChange]):
    """Changes that the findings of a test ask for, the best first. `before` is the plan as it is, `out` where the plan
    with the first of them is.
    """

    items: tuple[AdvisedChange, ...]
    before: PlanFigures
    notes: tuple[str, ...]
    out: Path | None = None

    def _told(self) -> str:
        first = self.items[0]
        return f"{first.variable}: {first.change} ({len(self.items)} changes tried)"

    def _lines(self) -> Iterable[Line]:
        return [
            {**plain_fields(one, "after", "use_cases_lost"), "use_cases_lost": len(one.use_cases_lost),
             "records_kept": one.after.records_kept, "k": one.after.k, "loss": one.after.loss}
            for one in self.items
        ]  # fmt: skip


def intruder_test_advise(
    test: str,
    plan: str | Path,
    *,
    out: str | Path | None = None,
    secret: Secret | None = None,
    progress: Progress | None = None,
) -> IntruderAdvice:
    """What to change in a plan after a test, with what it costs by the use cases of the plan.

    `test` is the test, or its scores. The variables that right claims used, or sure ones where none is right, are made
    to tell less: the next coarser values, wider bands, cells blanked, or left out. Every change is carried out up to
    the gate, and nothing is released. `out` is a new file beside the plan: the plan with the first change and its
    reason, every comment kept. `progress` hears what begins.

    >>> ic.intruder_test_advise("test.sqlite", "plan.yaml").before.k
    Traceback (most recent call last):
    incrowd.errors.InputError: D497: no claim of this test is right or sure: it says nothing about a variable. ...
    """
    path = Path(plan)
    place = None if out is None else _free(Path(out), path)
    scores = scores_of(test)
    carried = _carried(scores)
    if split_tier(path)[1] is not None:
        raise InputError("D499", "one file of several cannot be changed by itself.", "Name the whole plan.")
    checked = check_plan(path)
    secret = secret or secret_to_try(checked.folder)
    notes = [plan_of_test(checked.plan, checked.folder, scores.release_sha256).words, *_said(scores)]
    before = _tried("as it is", checked, secret, progress)
    with open_live(checked.plan, checked.folder, checked.folder, secret) as live:
        found: list[tuple[AdvisedChange, VariableChange]] = []
        for name, claims in carried:
            if name not in released_columns(checked.plan):
                notes.append(f"{name}: the plan does not release it (any more).")
                continue
            changes = changes_to(live, checked.plan, checked.folder, name)
            if not changes:
                notes.append(f"{name}: nothing coarser can be made of it, and other parts of the plan need it.")
            for change in changes:
                made = _advised(live, checked, change, claims, scores, before, secret, progress)
                found += [] if made is None else [(made, change)]
    if not found:
        message = "none of the variables that claims used can be made to tell less in this plan."
        raise InputError("D497", message, " ".join(notes))
    found.sort(key=lambda each: _cost(each[0], before))
    if place is not None:
        notes += _write(path, checked, *found[0], place)
    return IntruderAdvice(tuple(one for one, _ in found), before, tuple(notes), place)


def _carried(scores: Scores) -> list[tuple[str, int]]:
    """The variables that claims used which must not be possible, with how many of these used each."""
    right = bool(scores.total.correct)
    # Of those that carried as many, the one that other claims used least says most.
    lines = sorted(scores.by_variable, key=lambda used: used.others)
    counted = [(used.name, used.correct if right else used.sure) for used in lines]
    found = sorted((each for each in counted if each[1]), key=lambda each: -each[1])[:MOST]
    if not found:
        what = "names a variable" if right else "is right or sure: it says nothing about a variable"
        message = f"no {'right claim' if right else 'claim'} of this test {what}."
        raise InputError("D497", message, "Read the reasoning: incrowd intruder-test score --report")
    return found


def _of(scores: Scores) -> int:
    """How many claims those are of."""
    if scores.total.correct:
        return scores.total.correct
    return sum(line.claims for line in scores.bands if int(line.label.split(" ")[0]) >= SURE)


def _said(scores: Scores) -> list[str]:
    notes = []
    if scores.dry_run:
        notes.append("The test was a dry run: this is practice, and says nothing about a release.")
    if not scores.total.correct:
        notes.append(f"No claim was right. The changes go by the claims that intruders were sure of (above {SURE}).")
    if scores.undecided:
        notes.append(f"{scores.undecided} claims are not decided yet: the advice may change.")
    return notes


def _advised(
    live: Live, checked: Checked, change: VariableChange, claims: int, scores: Scores, before: PlanFigures,
    secret: Secret, progress: Progress | None,
) -> AdvisedChange | None:  # fmt: skip
    """A change, carried out; None where it would change nothing."""
    reason = _reason(change.variable, claims, scores)
    changed = put_in(checked.plan, change, reason)
    gone = taken_away(live, checked.plan, changed, change.variable)
    if not gone:
        return None
    after = _tried(f"{change.variable}: {change.words}", Checked(changed, checked.folder), secret, progress)
    return AdvisedChange(
        change.variable, change.words, reason, claims, _of(scores), gone * claims / max(_of(scores), 1),
        _lost(before, after), after,
    )  # fmt: skip


def _reason(name: str, claims: int, scores: Scores) -> str:
    kind = "right" if scores.total.correct else "sure"
    day = date.fromisoformat(scores.judged_on)
    of = _of(scores)
    return f"{claims} of {of} {kind} {'claim' if of == 1 else 'claims'} used {name}; intruder test of {day:%-d %B %Y}."


def _tried(what: str, checked: Checked, secret: Secret, progress: Progress | None) -> PlanFigures:
    said = None if progress is None else _of_change(what, progress)
    return plan_figures(what, try_out(checked, secret=secret, progress=said))


def _of_change(change: str, progress: Progress) -> Progress:
    return lambda what, number, total: progress(f"{change}: {what}", number, total)


def _lost(before: PlanFigures, after: PlanFigures) -> tuple[str, ...]:
    """The use cases that keep their conclusion before a change, and not surely after it."""
    kept = {case.use_case for case in after.use_cases if case.passed and case.judged}
    return tuple(c.use_case for c in before.use_cases if c.passed and c.judged and c.use_case not in kept)


def _cost(one: AdvisedChange, before: PlanFigures) -> tuple[object, ...]:
    """For sorting: what is refused comes last, then what analysts lose, then how little it takes away from claims."""
    worse = one.after.refusal is not None and before.refusal is None
    lost = one.after.records_in - one.after.records_kept
    return (worse, len(one.use_cases_lost), -round(one.taken_away, 9), lost, one.after.loss)


def _free(out: Path, plan: Path) -> Path:
    """A new file beside the plan: its files are found from there, and nothing is overwritten."""
    if out.exists() or out.is_symlink():
        raise InputError("D498", f"there is something at {out} already.", "Nothing is overwritten: name another.")
    if out.resolve().parent != split_tier(plan)[0].resolve().parent:
        raise InputError("D498", f"{out} is not beside the plan, whose files are named from there.", "Write it there.")
    return out


def _write(path: Path, checked: Checked, one: AdvisedChange, change: VariableChange, place: Path) -> Sequence[str]:
    """Write the plan with the change; it must be as sound as the plan was."""
    text = with_steps_at(read_text(path), change.at, with_reason(change, one.reason))
    notes = []
    if text is None:
        text = in_order(put_in(checked.plan, change, one.reason))
        notes.append(
            "The steps of the plan are not written as a list down the page: it was written anew, without comments."
        )
    write_private(place, text)
    try:
        same = check_plan(place).plan == put_in(checked.plan, change, one.reason)
    except BaseException:
        place.unlink()
        raise
    assert same
    return notes
