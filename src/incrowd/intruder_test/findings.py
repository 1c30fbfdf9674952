"""What the judged claims teach: by team, by how rare people are, by source; what they took; what the judges say."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median

from incrowd.intruder_test.custodian import Judged, Material
from incrowd.intruder_test.luck import finds_record, given_away, luck_of, set_aside, sure_find
from incrowd.intruder_test.score_parts import SURE, Effort, FoundClaim, Judging, ScoreLine, TeamScore, Used
from incrowd.intruder_test.verdicts import CORRECT, JUDGMENTS, LEARNED, PARTIAL, VERDICTS, WRONG_REASON, judges

NO_CARD = "no card: somebody whom the intruder knows"


def line_of(label: str, done: Sequence[Judged], material: Material | None = None) -> ScoreLine:
    """Some judged claims, counted, with an interval that knows whose they are; with `material` their luck."""
    found = ScoreLine.of(
        label,
        [str(each.verdict) for each in done],
        [each.claim.confidence for each in done],
        [each.intruder for each in done],
    )
    return found if material is None else replace(found, luck=luck_of(done, material))


def by_team(done: Sequence[Judged], material: Material) -> tuple[TeamScore, ...]:
    """Each team by itself: those who know who is in the file find more than those who do not."""
    found = []
    for place, team in enumerate(material.facts.teams):
        chosen = [each for each in done if material.teams.get(each.intruder, 0) == place]
        took_part = sum(material.teams.get(who, 0) == place for who in material.took_part)
        sure = sum(sure_find(each, material, SURE) for each in chosen)
        line = line_of(team.name, chosen, material)
        found.append(TeamScore(team.name, team.scenario, team.all_in_file, took_part, line, sure))
    return tuple(found)


def by_stratum(done: Sequence[Judged], material: Material) -> tuple[ScoreLine, ...]:
    """How rare the people on the cards are in the original."""

    def stratum(each: Judged) -> str:
        truth = material.truths.get(each.claim.target or 0)
        return NO_CARD if truth is None else truth.stratum or "(not known)"

    order = list(dict.fromkeys(truth.stratum or "(not known)" for _, truth in sorted(material.truths.items())))
    names = [name for name in (*sorted(order, key=_rarest_first), NO_CARD) if any(stratum(e) == name for e in done)]
    return tuple(line_of(name, [e for e in done if stratum(e) == name], material) for name in names)


def _rarest_first(name: str) -> tuple[int, str]:
    order = ("unique", "pair", "safe", "control")
    return (order.index(name) if name in order else len(order), name)


def by_variable(done: Sequence[Judged], columns: Sequence[str]) -> tuple[Used, ...]:
    """The variables that claims relied on, in the order of the file."""
    return _used(done, columns, [each.claim.used for each in done])


def by_source(done: Sequence[Judged]) -> tuple[Used, ...]:
    """The kinds of sources that claims relied on."""
    kinds = [each.claim.kinds for each in done]
    return _used(done, sorted({kind for each in kinds for kind in each}), kinds)


def _used(done: Sequence[Judged], names: Sequence[str], used: Sequence[Sequence[str]]) -> tuple[Used, ...]:
    lines = []
    for name in names:
        users = [each for each, its in zip(done, used, strict=True) if name in its]
        right = sum(each.verdict == CORRECT for each in users)
        lines.append(Used(name, right, len(users) - right, sum(each.claim.confidence > SURE for each in users)))
    return tuple(line for line in lines if line.correct or line.others)


def effort(done: Sequence[Judged], material: Material) -> Effort:
    """What the judged claims took: by the clock, as stated, and by the log."""
    timed = [each for each in done if each.intruder in material.started]
    taken = [_minutes(each, material) for each in timed]
    right = [one for one, each in zip(taken, timed, strict=True) if each.verdict == CORRECT]
    stated = [each.claim.minutes for each in done if each.claim.minutes is not None]
    searches = list(_searches(done, material)) if material.searches else []
    return Effort(
        len(timed), _median(taken), min(right, default=None), len(stated), _median(stated), _median(searches)
    )  # fmt: skip


def _minutes(each: Judged, material: Material) -> float:
    """Until the claim was written as it stands: what was changed later was not yet claimed before."""
    return max(each.claim.changed - material.started[each.intruder], 0) / 60


def _searches(done: Sequence[Judged], material: Material) -> Iterator[int]:
    """How often somebody searched before each claim, since their claim before."""
    for who in sorted({each.intruder for each in done}):
        at, before = material.searches.get(who, ()), 0
        for filed in sorted(each.claim.filed for each in done if each.intruder == who):
            yield max(bisect_right(at, filed) - bisect_left(at, before), 0)
            before = filed + 1


def _median(numbers: Sequence[float]) -> float | None:
    return float(median(numbers)) if numbers else None


def judging(judged: Sequence[Judged], material: Material) -> Judging:
    """How many people looked at the claims, and whether they agree."""
    many = [judges(each.judgments) for each in judged]
    two = [each for each, number in zip(judged, many, strict=True) if number > 1]
    said = [{one.judgment for one in each.judgments} for each in judged]
    return Judging(
        by_two=len(two),
        by_one=many.count(1),
        by_nobody=many.count(0),
        agreed=sum(not each.disputed for each in two),
        disputed=sum(each.disputed for each in judged),
        wrong_reason=sum(
            each.verdict == CORRECT and words == {WRONG_REASON} for each, words in zip(judged, said, strict=True)
        ),
        learned=sum(LEARNED in words for words in said),
        set_aside=sum(set_aside(each, material, SURE) for each in judged),
    )


def findings(judged: Sequence[Judged], material: Material) -> tuple[FoundClaim, ...]:
    """The claims that a board should hear of, the gravest first: right ones, what was learned, what the file gives
    away, disputes, and whatever a judge wrote a note on.
    """
    found = []
    for each in judged:
        notes = tuple(one.note for one in each.judgments if one.note.strip())
        learned = each.verdict == PARTIAL and any(one.judgment == LEARNED for one in each.judgments)
        told = learned or each.disputed or notes or given_away(each, material)
        if each.verdict != CORRECT and not told:
            continue
        found.append(
            FoundClaim(
                each.verdict or "not decided",
                each.claim.confidence,
                sure_find(each, material, SURE),
                each.known is not None,
                judges(each.judgments),
                tuple(JUDGMENTS[one.judgment][0] for one in each.judgments),
                each.disputed,
                notes,
                each.claim.used,
                each.claim.kinds,
                finds_record(each, material),
                given_away(each, material),
            )
        )
    return tuple(sorted(found, key=_gravest))


def _gravest(each: FoundClaim) -> tuple[bool, int, int]:
    place = VERDICTS.index(each.verdict) if each.verdict in VERDICTS else len(VERDICTS)
    return (not each.sure, place, -each.confidence)
