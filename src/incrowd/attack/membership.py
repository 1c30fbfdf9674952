"""membership: was this person in it? To be in a file of patients is itself something to hide."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from incrowd.attack.knowledge import NO_VALUES, RELEASE, Bools, has_values, joined, knows, untried, worst_of
from incrowd.attack.learning.closeness import auc, closeness, found_at
from incrowd.attack.learning.features import Floats, features
from incrowd.attack.learning.membership_model import judged_members
from incrowd.attack.matching.neighbours import Distinct
from incrowd.attack.registry import ASSUMES, attack
from incrowd.attack.situation import Auxiliary, Int64, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent
from incrowd.errors import IncrowdError

#: So many members and as many others by keyed chance, half of them to learn from; and so many of each there must be.
MOST, THOROUGH_MOST, FEWEST = 2_000, 20_000, 40
#: The share of the others who may be taken for members where it is told how many members are found all the same.
FALSE = 0.01
ACTS = "measures how close the release comes to what is known of the target, and says whether the target was in the \
data, by what it has seen of people of whom that was known"
SCENARIO = "the scenario"


@attack(
    "membership", ACTS, residual="Who took part", on_request=True, place=85, remedies=("larger_classes",),
    assumes=f"{ASSUMES} The intruder has learnt on other people, of whom it was known, how close the release comes to "
    "those who were in the data and to those who were not; half of the targets were in.",
)  # fmt: skip
def membership(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """Can somebody who knows the keys of a person tell whether that person was in the data?

    Members are people whom chance left in (also where their record was suppressed later), the others those whom chance
    alone left out: a sample of the plan, or where it draws none a trial release without a tenth of the people, who are
    drawn by the secret. So the two are alike but for having been in, and a guess is right for half. Of each target the
    intruder takes the distance to the nearest released record, how many records are as near, and how many lie around;
    what these say of having been in is learnt from half of the people, who are not asked about (boosted trees, or a
    threshold on the distance, whichever is right more often among them).

    Success: right answers, of as many members as others. Baseline: 0.5. Control: the same where nobody was in: of
    people who were left out, half are called members. The sentence has the area under the ROC curve, and how many
    members are found where 1% of the others may be accused. Misleads where the intruder knows more than the keys: the
    sentence also has one who knows all that the release tells. Reference: Shokri et al. (2017); for files of
    records Stadler, Oprisanu and Troncoso (2022).
    """
    if situation.scenario.knows_who_is_in:
        why = "the scenario's intruder knows who is in the file, so that there is nothing to find out."
        return [untried(situation, "membership", ACTS, why, says=SCENARIO)]
    if not situation.released.num_rows:
        return [untried(situation, "membership", ACTS, "the release holds no record.")]
    if not situation.scenario.keys:
        why = "the release has none of the keys that the scenario knows."
        return [untried(situation, "membership", ACTS, why, says=RELEASE)]
    if not any(has_values(situation, key) for key in situation.scenario.keys):
        return [untried(situation, "membership", ACTS, NO_VALUES)]
    there = situation
    if situation.by_chance is None or not situation.by_chance.any():
        if situation.trial is None:
            why = "chance left nobody out, and no release can be made on trial: there is nobody to compare with."
            return [untried(situation, "membership", ACTS, why)]
        try:
            there = situation.once(situation.trial, "trial").within(situation.scenario)
        except IncrowdError as error:
            return [untried(situation, "membership", ACTS, error.message)]
    if not there.released.num_rows:
        return [untried(situation, "membership", ACTS, "the trial release holds no record.")]
    groups = _groups(there, THOROUGH_MOST if auxiliary.thorough else MOST)
    if min(len(groups.members), len(groups.others)) < FEWEST:
        why = f"fewer than {FEWEST} people were left in by chance, or left out: nothing can be learnt from them."
        return [untried(situation, "membership", ACTS, why)]
    return [_attack(there, groups, on_trial=there is not situation)]


@dataclass(frozen=True)
class _Groups:
    """Numbers of records in `known`, one for each person: as many members as others."""

    members: Int64
    others: Int64
    spare: Int64  # more people who were left out, for the control; the others themselves where there are no more
    of: int  # how many they were drawn from
    suppressed: float  # the share of the members who have no released record


def _groups(situation: Situation, most: int) -> _Groups:
    assert situation.by_chance is not None
    order = np.argsort(situation.draws("membership", "people")(situation.known.num_rows), kind="stable")
    order = order[np.unique(situation.people[order], return_index=True)[1]]  # one record each
    order = order[np.argsort(situation.draws("membership", "order")(len(order)), kind="stable")]
    out = _persons(situation, situation.by_chance)[situation.people[order]]
    number = min(int(out.sum()), int((~out).sum()), most)
    members, others = order[~out][:number], order[out][:number]
    released = _persons(situation, situation.inside)[situation.people[members]]
    return _Groups(members, others, order[out][: 2 * number], len(order), float((~released).mean()) if number else 0.0)


def _persons(situation: Situation, which: Bools) -> Bools:
    """For each person whether it is true of a record of theirs."""
    found = np.zeros(int(situation.people.max(initial=-1)) + 1, bool)
    found[situation.people[which]] = True
    return found


@dataclass(frozen=True)
class _Told:
    """What is said of members and others by one kind of knowledge."""

    lines: Int64  # of those who were asked about
    member: Int64  # 1 for a member
    said: Bools
    scores: Floats  # the higher, the more like a member

    @property
    def rate(self) -> Rate:
        return Rate(int((self.said == (self.member == 1)).sum()), len(self.member))

    @property
    def auc(self) -> float:
        return auc(self.scores, self.member)


def _told(situation: Situation, members: Int64, others: Int64) -> _Told:
    """Every other one of each group is learnt from, the rest are asked about: both groups are in keyed order."""
    lines = np.concatenate([members, others])
    member = np.r_[np.ones(len(members), np.int64), np.zeros(len(others), np.int64)]
    learn = np.r_[np.arange(len(members)) % 2, np.arange(len(others)) % 2] == 0
    keys, believes, categories = features(situation, lines)
    measured = closeness(Distinct.among(keys), believes, categories)
    seed = int(situation.draws("membership", "model")(1)[0] % np.uint64(2**31))
    return _Told(lines[~learn], member[~learn], *judged_members(measured, member, learn, seed))


def _attack(situation: Situation, groups: _Groups, on_trial: bool) -> Attacked:
    told = _told(situation, groups.members, groups.others)
    success, few = told.rate, Rate(*found_at(told.scores, told.member, FALSE))
    nobody = _told(situation, groups.spare[::2], groups.spare[1::2])
    sentence = (
        f"Asked of {len(told.member):,} people, of whom half were in the data, whether they were, an intruder is right "
        f"for {percent(success.value)}; a guess is right for half (area under the ROC curve {told.auc:.3f}). "
    )
    if few.tries * FALSE >= 1:
        sentence += (
            f"Where at most {FALSE:.0%} of the others may be taken for members, {percent(few.value)} of the members "
            f"are found ({percent(few.low)} to {percent(few.high)})."
        )
    else:
        sentence += "They are too few to tell how many are found where hardly anybody is wrongly accused."
    whole = _knowing_all(situation)
    if whole is not None:
        more = _told(whole, groups.members, groups.others)
        sentence += (
            f" One who knows all that the release tells of them is right for {percent(more.rate.value)} "
            f"({percent(more.rate.low)} to {percent(more.rate.high)}; area {more.auc:.3f})."
        )
    hit = np.flatnonzero((told.member == 1) & told.said)
    where = (
        "Measured on a trial release without a tenth of the people, held out by chance: everybody is in the release."
        if on_trial
        else "The others are those whom the plan's sample left out."
    )
    gone = f"{percent(groups.suppressed)} of the members were suppressed, and count as members." * bool(
        groups.suppressed
    )
    return Attacked(
        "membership", situation.scenario.name, knows(situation), ACTS, success, 0.5, nobody.rate, sentence, None,
        worst_of(told.lines[hit], told.scores[hit]),
        joined(where, gone, "Control: people who were left out, half of them called members. That is right for half by "
               "design: the attack is set against half, and not against what chance made of the control."),
        drawn_of=groups.of if groups.of > success.tries else None, exact=True,
    )  # fmt: skip


def _knowing_all(situation: Situation) -> Situation | None:
    """The same for one who knows every column that release and source have; None where the keys are all there is."""
    known = set(situation.known.column_names)
    names = tuple(
        name for name in situation.released.column_names if name in known and has_values(situation, name)
    )  # fmt: skip
    if set(names) <= set(situation.scenario.keys):
        return None
    return replace(situation, keys=names, scenario=replace(situation.scenario, keys=names))
