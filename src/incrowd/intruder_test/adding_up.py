"""Can these scores be? Counts that contradict each other were not counted by a test: nothing is read from them.

Whoever writes all counts anew, in step, is not found out: scores are as good as the place where they are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from incrowd.attack.value import Rate
from incrowd.intruder_test.score_parts import SURE, Luck, ScoreLine, Used

if TYPE_CHECKING:
    from incrowd.intruder_test.value import Scores

#: What rounding may do to a share.
CLOSE = 1e-9


def not_adding_up(scores: Scores) -> str:
    """What does not add up, in words; empty where everything does."""
    if not _finite(asdict(scores)):
        return "a figure is no number"
    return next(_faults(scores), "")


def _faults(scores: Scores) -> Iterator[str]:
    total, lines = scores.total, list(_lines(scores))
    if _negative(asdict(scores)):
        yield "a figure is below 0"
    if scores.claims != total.claims + scores.undecided:
        yield "claims are not those that are judged and those that are not"
    if scores.took_part > scores.intruders:
        yield "more took part than were invited"
    if scores.claims and not scores.took_part:
        yield "there are claims, and nobody took part"
    for where, line in lines:
        if fault := _line_fault(line):
            yield f"{where}, {line.label}: {fault}"
    for name, parts in _partitions(scores):
        if [sum(each) for each in zip(*map(_counts, parts), strict=True)] != _counts(total):
            yield f"the claims by {name} are not all claims"
    upper = Rate(total.correct + scores.undecided, scores.claims).high
    if scores.worst_case < upper - CLOSE:
        yield "the bound for undecided claims is below what so many claims can show"
    yield from _used_faults("variable", scores.by_variable, total)
    yield from _used_faults("source", scores.by_source, total)
    for share in (scores.by_chance, scores.by_fit, scores.brier, scores.brier_reference):
        if share is not None and share > 1 + CLOSE:
            yield "a share is above 1"
    for part, whole in (scores.target_pairs, scores.decoy_pairs, scores.decoy_attributes):
        if part > whole:
            yield "more chances were taken than there were"
    back = scores.taken_back
    if back.claims != back.sure + back.unsure + back.others:
        yield "right claims that were taken back and the others are not all of them"
    yield from _find_faults(scores)


def _lines(scores: Scores) -> Iterator[tuple[str, ScoreLine]]:
    yield "all claims", scores.total
    for name, parts in (*_partitions(scores), ("stratum", scores.by_stratum)):
        for line in parts:
            yield f"by {name}", line


def _partitions(scores: Scores) -> Iterator[tuple[str, Sequence[ScoreLine]]]:
    """The ways in which all judged claims are divided. Older scores, or a test without claims, lack some of them."""
    teams = tuple(team.line for team in scores.by_team)
    parts = {"confidence": scores.bands, "kind": scores.by_kind, "intruder": scores.by_intruder,
             "place": scores.by_region, "team": teams, "stratum": scores.by_stratum}  # fmt: skip
    for name, lines in parts.items():
        if lines or (name in ("confidence", "kind", "intruder") and scores.total.claims):
            yield name, lines or (ScoreLine("nothing", 0, 0, 0, 0),)


def _counts(line: ScoreLine) -> list[int]:
    return [line.claims, line.correct, line.partial, line.wrong]


def _line_fault(line: ScoreLine) -> str:
    if line.claims != line.correct + line.partial + line.wrong:
        return "right, partial and wrong ones are not all"
    rate = Rate(line.correct, line.claims)
    if line.low > rate.low + CLOSE or not rate.high - CLOSE <= line.high <= 1:
        return "the interval is narrower than so many claims can show"
    if line.stated is not None and line.stated > 1:
        return "a confidence is above 100"
    return "" if line.luck is None else _luck_fault(line.luck)


def _luck_fault(luck: Luck) -> str:
    if luck.right > luck.tries or luck.expected > luck.tries + CLOSE:
        return "more is right than was tried"
    return "a chance is above 1" if max(luck.chance, luck.fitting) > 1 + CLOSE else ""


def _used_faults(what: str, used: Sequence[Used], total: ScoreLine) -> Iterator[str]:
    for each in used:
        if each.correct > total.correct or each.correct + each.others > total.claims:
            yield f"a {what} was used in more claims than there are"
        if each.sure > each.correct + each.others:
            yield f"a {what} was used in more sure claims than claims"


def _find_faults(scores: Scores) -> Iterator[str]:
    """Sure finds are what counts most: they must fit every count beside them."""
    sure = [
        line for line in scores.bands if line.label.split(" ")[0].isdecimal() and int(line.label.split(" ")[0]) >= SURE
    ]
    # A true value beside a wrong record is partial, and may be a sure find.
    values = scores.sure_values
    if sure and scores.sure_finds - values > sum(line.correct for line in sure):
        yield "there are more sure finds than right claims that are sure"
    if sure and scores.sure_finds > sum(line.correct + line.partial for line in sure):
        yield "there are more sure finds of values than claims that could be"
    if scores.sure_finds - values > scores.total.correct:
        yield "there are more sure finds than right claims"
    if scores.luck is not None and (fault := _luck_fault(scores.luck)):
        yield fault
    if scores.luck is not None and scores.total.correct and not scores.luck.right:
        yield "claims are right, and nothing that was tried is"
    if scores.by_team and scores.sure_finds != sum(team.sure_finds for team in scores.by_team):
        yield "the sure finds of the teams are not all of them"
    if (scores.findings or scores.judging) and scores.sure_finds != sum(each.sure for each in scores.findings):
        yield "the sure finds are not those that are listed"
    if scores.findings and sum(each.verdict == "correct" for each in scores.findings) != scores.total.correct:
        yield "the right claims are not those that are listed"
    said = scores.judging
    if said is not None and said.by_two + said.by_one + said.by_nobody != scores.claims:
        yield "claims that people judged and that nobody judged are not all"
    if said is not None and said.agreed + said.disputed > said.by_two + said.by_one:
        yield "more judgments agree or differ than there are"


def _finite(value: object) -> bool:
    """Whether no number in it is NaN or infinite: a comparison with those says nothing, or yes to everything."""
    if isinstance(value, Mapping):
        return all(_finite(each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return all(_finite(each) for each in value)
    return not isinstance(value, float) or math.isfinite(value)


def _negative(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_negative(each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(_negative(each) for each in value)
    return isinstance(value, (int, float)) and value < 0
