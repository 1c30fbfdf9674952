"""Count the judged claims: how often right, how sure, against a guess, by what; and what follows for the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from incrowd.errors import InputError
from incrowd.intruder_test.custodian import Judged, Material
from incrowd.intruder_test.findings import (
    by_source,
    by_stratum,
    by_team,
    by_variable,
    effort,
    findings,
    judging,
    line_of,
)
from incrowd.intruder_test.interval import HOW, interval
from incrowd.intruder_test.luck import blind, fitting, learned, luck_of, sure_find
from incrowd.intruder_test.score_parts import BANDS, SURE, ScoreLine, TakenBack
from incrowd.intruder_test.value import Scores
from incrowd.intruder_test.verdicts import CORRECT
from incrowd.keys.natural import in_order

NOT_RELEASED = "(not in the release)"
NOTES = (
    HOW,
    "A test measures these intruders, with their time and sources. Somebody with more of either may do better.",
)


def score(material: Material, now: int, by: str | None = None) -> Scores:
    """All figures of a test. `by` is the released key to split the claims by; the first one when left out."""
    facts, judged = material.facts, material.judged
    done = [each for each in judged if each.verdict is not None]
    right = sum(each.verdict == CORRECT for each in done)
    by = by or next((column.name for column in facts.columns if column.key), "")
    place = facts.column(by)
    if by and (place is None or not facts.columns[place].key):
        keys = ", ".join(column.name for column in facts.columns if column.key)
        raise InputError("D220", f"{by!r} is not a key of the release.", f"Its keys: {keys}.")
    share = right / len(done) if done else 0.0
    insiders = {number for number, truth in material.truths.items() if not truth.decoy}
    decoys = set(material.truths) - insiders
    found = [each for each in done if each.verdict == CORRECT and each.claim.target in insiders]
    truth_of = [(each, material.truths.get(each.claim.target or 0)) for each in done]
    bands = tuple(_band(low, high, done, material) for low, high in BANDS)
    fitting_decoys = {number for number in decoys if material.truths[number].fits}
    attributes = [
        _value_right(each, material) for each in done if each.claim.target in decoys and each.claim.record is None
    ]
    scores = Scores(
        title=facts.title,
        release_sha256=facts.sha256,
        records=facts.records,
        scenario=facts.scenario,
        judged_on=datetime.fromtimestamp(now, UTC).date().isoformat(),
        intruders=material.invited,
        took_part=len(material.took_part),
        hours=facts.hours,
        targets=len(insiders),
        decoys=len(decoys),
        decoy_note=material.decoy_note,
        claims=len(judged),
        undecided=len(judged) - len(done),
        total=line_of("all claims", done),
        worst_case=_worst_case(judged),
        by_chance=_mean([blind(each, material) for each in done]),
        by_fit=_mean([fitting(each, material) for each in done]),
        luck=luck_of(done, material),
        sure_finds=sum(sure_find(each, material, SURE) for each in done),
        brier=_mean([(each.claim.confidence / 100 - (each.verdict == CORRECT)) ** 2 for each in done]),
        brier_reference=share * (1 - share) if done else None,
        targets_identified=len({e.claim.target for e in found if e.claim.record is not None}),
        target_pairs=(_pairs(judged, insiders), len(insiders) * len(material.took_part)),
        decoy_pairs=(_pairs(judged, fitting_decoys), len(fitting_decoys) * len(material.took_part)),
        decoy_attributes=(sum(attributes), len(attributes)),
        by_kind=(
            line_of("a record", [e for e in done if e.claim.record is not None]),
            line_of("a value only", [e for e in done if e.claim.record is None]),
        ),
        bands=bands,
        by_intruder=tuple(_of_one(who, [e for e in done if e.intruder == who]) for who in material.took_part),
        by=by,
        by_region=_by_region(done, material, by),
        by_variable=by_variable(done, [column.name for column in facts.columns]),
        notes=(*NOTES, *_limits(material, len(decoys) - len(fitting_decoys))),
        most_sure=next((line for line in reversed(bands) if line.claims), None),
        values_learned=len({(e.claim.target, e.claim.attribute) for e, truth in truth_of if learned(e, truth)}),
        decoys_fitting=len(fitting_decoys),
        taken_back=_taken_back(material),
        by_team=by_team(done, material),
        by_stratum=by_stratum(done, material),
        by_source=by_source(done),
        effort=effort(done, material),
        judging=judging(judged, material),
        findings=findings(judged, material),
        round=facts.round,
        earlier=facts.earlier,
        dry_run=facts.dry_run,
    )
    return replace(scores, advice=advise(scores, sum(each.claim.confidence > SURE for each in done)))


def _taken_back(material: Material) -> TakenBack:
    """What was withdrawn: right and sure, right, or not known to be right."""
    sure = sum(sure_find(each, material, SURE) for each in material.taken_back)
    right = sum(each.verdict == CORRECT or sure_find(each, material, SURE) for each in material.taken_back)
    return TakenBack(len(material.taken_back), sure, right - sure, len(material.taken_back) - right)


def _worst_case(judged: Sequence[Judged]) -> float:
    """The upper bound if every undecided claim were right."""
    right = [each.verdict in (None, CORRECT) for each in judged]
    return interval(right, [each.intruder for each in judged])[1] if judged else 1.0


def _of_one(who: int, done: Sequence[Judged]) -> ScoreLine:
    """One intruder's claims; the interval is of this person's own claims alone."""
    return ScoreLine.of(f"intruder {who}", [str(e.verdict) for e in done], [e.claim.confidence for e in done])


def _limits(material: Material, easy: int) -> Iterator[str]:
    """What this test in particular cannot say."""
    people = {each.intruder for each in material.judged}
    if len(people) == 1:
        yield "All claims are of one person: they bound nothing about what others would claim."
    elif people and not any(each.verdict == CORRECT for each in material.judged):
        yield (
            "No claim is right, so how much the claims of one person hang together cannot be seen; the bound allows "
            f"for the number of people ({len(people)}) alone."
        )
    if (back := _taken_back(material)).claims:
        yield f"{back.words} The truth says so alone; they are in no share."
    if easy:
        yield (
            f"Decoys whose card fits no released record: {easy}. An intruder can see that they are not in the file, so "
            "claims about them say nothing about how often people claim to find who is not there."
        )
    if material.repeated:
        yield f"Claims that only repeat what the target card says: {material.repeated}. They are not counted."
    if any(each.claim.record is None for each in material.judged):
        yield (
            "Somebody without the file is taken to guess the most frequent value of the release. Where that is not "
            "publicly known, luck explains less than is said here."
        )


def advise(scores: Scores, sure: int) -> tuple[str, ...]:
    """What to change in the plan, in words: the variables that right claims used more often than the others.

    `sure` is the number of judged claims with a confidence above SURE.
    """
    right, others, used = scores.total.correct, scores.total.claims - scores.total.correct, scores.by_variable
    first = list(_found(scores))
    if not scores.total.claims:
        nothing = "No claim that stands was judged, so" if scores.taken_back.claims else "No claim was judged, so"
        return (*first, f"{nothing} the test says nothing about the plan. Ask what the intruders tried.")
    if right:
        gains = [(u.correct / right - (u.others / others if others else 0.0), u) for u in used]
        helped = sorted(((gain, u) for gain, u in gains if gain > 0 and others), key=lambda each: -each[0])[:3]
        sentences = [
            f"{u.name} was used in {u.correct} of {right} right claims and in {u.others} of {others} others: "
            "recode it more coarsely or drop it, run the plan again, and test the new release."
            for _, u in helped
        ]
        if not helped:
            most = max(used, key=lambda u: u.correct, default=None)
            what = f" Most used in them: {most.name}." if most is not None and most.correct else ""
            sentences.append(f"No variable was used more in right claims than in others.{what} Read their reasoning.")
        return (*first, *sentences)
    relied = sorted((u for u in used if u.sure), key=lambda u: (-u.sure, -u.others))[:2]
    sentences = [
        f"{u.name} was used in {u.sure} of the {sure} claims that intruders were sure of (above {SURE}): ask "
        "whether analysts need it in this detail."
        for u in relied
    ]
    return (*first, *sentences)


def _found(scores: Scores) -> Iterator[str]:
    """What the test found, the gravest first."""
    if records := scores.sure_finds - scores.sure_values:
        one = records == 1
        yield (
            f"{records} {'claim' if one else 'claims'} on a record {'is' if one else 'are'} right and "
            f"{'was' if one else 'were'} made with a confidence above {SURE}: somebody was found by somebody who knew "
            "it, however many other claims are wrong. Do not release this file as it is."
        )
    if values := scores.sure_values:
        yield (
            f"True values that were claimed with a confidence above {SURE}, where all records that fit the card have "
            f"the same: {values}. The file says them of these people to whoever has it, whichever record is theirs. Do "
            "not release this file as it is."
        )
    if back := scores.taken_back.sure:
        yield (
            f"Claims that were taken back, are right and were made with a confidence above {SURE}: {back}. Whoever "
            "takes a claim back knows what the file told them all the same. Do not release this file as it is."
        )
    line, all_ = scores.beyond, scores.luck
    if line is not None and line.luck is not None:
        luck = line.luck
        where = f"Of the claims {scores.beyond_where}: " if scores.beyond_where else ""
        classes = (
            f"more than guessing among the records that fit the cards gives, too (chance {luck.fitting:.2g})"
            if scores.beyond_classes
            else f"guessing among the records that fit the cards would do as well (chance {luck.fitting:.2g}): this is "
            "what the classes of the file give away"
        )
        yield (
            f"{where}{'m' if where else 'M'}ore is right than luck explains, {luck.right} of {luck.tries} where "
            f"somebody without the file would get {luck.expected:.2g} (chance {luck.chance:.2g}); {classes}. Do not "
            "release this file as it is."
        )
    elif all_ is not None and all_.right and not scores.finding:
        told = f"somebody without the file would get {all_.expected:.2g} (chance {all_.chance:.2g})"
        if given := scores.given_away:
            yield (
                f"Luck cannot be ruled out, {all_.right} of {all_.tries}: {told}. Yet the file gives {given} right "
                f"{'claim' if given == 1 else 'claims'} away: one record fits the card, or one value is left, and "
                "whoever has the file need not guess."
            )
        else:
            yield f"Luck explains what is right, {all_.right} of {all_.tries}: {told}. Read the reasoning all the same."
    if scores.total.claims and not scores.total.correct:
        yield f"No claim{' that stands' if scores.taken_back.right else ''} was right."


def _band(low: int, high: int, done: Sequence[Judged], material: Material) -> ScoreLine:
    """A band of confidence, with the luck of its claims alone."""
    chosen = [each for each in done if _in_band(each.claim.confidence, low, high)]
    return line_of(f"{low} to {high}", chosen, material)


def _in_band(confidence: int, low: int, high: int) -> bool:
    return low < confidence <= high or confidence == low == 0


def _by_region(done: Sequence[Judged], material: Material, by: str) -> tuple[ScoreLine, ...]:
    """By the key's value of the target where it is known, otherwise of the claimed record.

    A value that the release does not have is that of somebody who is not in it, and is not told.
    """
    place = material.facts.column(by)
    released = material.released.get(by, frozenset())

    def region(each: Judged) -> str:
        truth = material.truths.get(each.claim.target or 0)
        if truth is not None and by in truth.values:
            value = truth.values[by]
            return (value or "(missing)") if value in released else NOT_RELEASED
        record = material.records.get(each.claim.record or 0)
        return "(not known)" if record is None or place is None else record[place] or "(missing)"

    found = in_order({region(each) for each in done})
    said = (lambda value: value) if place is None else material.facts.columns[place].said
    return tuple(line_of(said(value), [each for each in done if region(each) == value]) for value in found)


def _value_right(each: Judged, material: Material) -> bool:
    return each.verdict == "partial" and each.claim.target in material.truths


def _pairs(judged: Sequence[Judged], targets: set[int]) -> int:
    """How many times an intruder claimed a record to be that of one of these targets."""
    return len(
        {(e.intruder, e.claim.target) for e in judged if e.claim.target in targets and e.claim.record is not None}
    )


def _mean(figures: Sequence[float]) -> float | None:
    return sum(figures) / len(figures) if figures else None
