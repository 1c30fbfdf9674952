"""Which released records can be a person's? By what an intruder believes of the keys, blanks and coarser labels too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array, diags_array

from incrowd.attack.knowledge import Bools, Sensitive, believed
from incrowd.attack.matching.fitting import agreeing, fits_of
from incrowd.attack.situation import Int64, Situation, coded
from incrowd.keys.packing import group, pack

#: What is said of a control whose people were not left out by chance.
UNFAIR = "The people of the control were left out for what they are, not by chance: it excuses nothing."
#: Above so many comparisons of a combination with a class only some of the people are gone for.
MOST_PAIRS = 2_000_000_000
MOST_PEOPLE = 20_000


@dataclass(frozen=True)
class Meeting:
    """People's combinations of keys, as believed, against the classes of the release.

    `meets` has a row for each combination and a column for each class, with a 1 where no key says otherwise. A released
    key that is blank although the person has one can be anybody's; a label that nobody in the original has stands for
    the numbers in its range, or for the values that were released under it.
    """

    people: Int64  # numbers of records in `known`
    combination: Int64  # for each of the people
    class_of: Int64  # for each released record
    meets: csr_array
    codes: Int64  # for each key (row) the code of each combination
    class_codes: Int64  # for each key the code of each class, by the same numbers
    exact: Int64  # for each combination the class with the very same labels, or -1
    loose: Bools  # for each class, whether a key of it is blank or coarser than the original's
    stray: Bools  # for each class, whether a key of it fits nobody, as a number with noise does
    sizes: Int64  # for each combination, how many records of the original have it in truth
    coarse: int  # released records in loose classes
    note: str = ""

    @property
    def classes(self) -> int:
        """How many classes the release has on these keys."""
        return int(self.class_codes.shape[1])

    @cached_property
    def readings(self) -> list[Meeting]:
        """The ways in which an intruder can take blank and coarser keys: an attack reports the one that serves best."""
        return [self, self.narrow, self.closest] if self.coarse else [self]

    @property
    def narrow(self) -> Meeting:
        """The second reading: where a class has the very same labels, no other record is thought of."""
        there = np.flatnonzero(self.exact >= 0)
        same = csr_array((np.ones(len(there)), (there, self.exact[there])), shape=self.meets.shape)
        return replace(self, meets=csr_array(same + diags_array((self.exact < 0).astype(float)) @ self.meets))

    @property
    def closest(self) -> Meeting:
        """The third reading: of the classes that fit, only those that fit the fewest people are thought of.

        One record that can be anybody's is otherwise among everybody's candidates, and no class looks uniform.
        """
        covered = self.meets.T @ np.bincount(self.combination, minlength=self.meets.shape[0])
        cover, filled = covered[self.meets.indices], np.diff(self.meets.indptr)
        least = np.full(len(filled), np.inf)
        np.minimum.at(least, np.repeat(np.arange(len(filled)), filled), cover)
        meets = self.meets.copy()
        meets.data = (cover == np.repeat(least, filled)).astype(float)
        meets.eliminate_zeros()
        return replace(self, meets=meets)

    def counts(self, released: Int64, values: int) -> csr_array:
        """For each combination, how many of the records that it meets have each value. Missing (-1) is left out."""
        return csr_array(self.meets @ self.histogram(released, values))

    def histogram(self, released: Int64, values: int) -> csr_array:
        """For each class, how many of its records have each value."""
        there = released >= 0
        pairs = (self.class_of[there], released[there])
        return csr_array((np.ones(int(there.sum())), pairs), shape=(self.classes, values))


def meet(situation: Situation, people: Int64 | None = None) -> Meeting:
    """People of the original against the release, on the scenario's keys: those who are named, or everybody; some of
    them, chosen by chance, where all would cost too much.
    """
    if people is None:
        return situation.once(lambda: _meet_all(situation), "meeting", situation.believes)
    found = _meet(situation, people, limited=False)
    assert found is not None
    return found


def _meet_all(situation: Situation) -> Meeting:
    people = np.arange(situation.known.num_rows)
    found = _meet(situation, people)
    if found is None:
        people = situation.chosen(MOST_PEOPLE, "meeting")
        found = _meet(situation, people, limited=False)
        assert found is not None
        chosen = f"{len(people):,} people chosen by chance stand for all."
        found = replace(found, note=" ".join(part for part in (chosen, found.note) if part))
    return found


@dataclass(frozen=True)
class Gone:
    """Of the people who meet the release, who are judged, whom the intruder looks up, and who serve as control.

    Judged are the people in the file, whoever else is looked up: that a sample is small makes nobody in it safer.
    Somebody who knows who is in the file looks up nobody else; otherwise everybody, which may make claims wrong.
    Control are the people who are not in the release but have a class in it: without one nothing can be said, which
    would make the control look good. Where a sample left people out, they alone are the control: chance does not
    choose. People who were left out for their class are others than those who stayed, and such a control is not `fair`.
    Who has no value is in neither.
    """

    aimed: Bools
    looked_up: Bools
    outside: Bools
    fair: bool
    out_of_reach: str  # why what classes give away about the variable cannot be measured; empty when it can
    drawn_of: int | None  # of how many they were drawn by chance, where not all are gone for

    @property
    def note(self) -> str:
        """What the control is worth."""
        if not self.outside.any():
            return "No control: nobody outside the release has a class in it."
        return "" if self.fair else UNFAIR


def gone_for(situation: Situation, met: Meeting, sensitive: Sensitive) -> Gone:
    """Whom the intruder goes for to learn this variable, and who of them are in the file."""
    told, inside = sensitive.true[met.people] >= 0, situation.inside[met.people]
    here = (np.diff(met.meets.indptr) > 0)[met.combination]
    aimed = told & inside
    looked_up = aimed if situation.scenario.knows_who_is_in else told
    drawn_of = None
    if len(met.people) < situation.known.num_rows:
        drawn_of = int(((sensitive.true >= 0) & situation.inside).sum())
    outside = told & ~inside & here
    drawn = outside if situation.by_chance is None else outside & situation.by_chance[met.people]
    fair = situation.by_chance is not None and bool(drawn.any())
    if not (sensitive.released >= 0).any():
        why = "no released record has a value."
    elif not (why := blurred(situation, met, aimed)) and not (aimed & here).any():
        why = "nobody with a value whom the intruder could go for has a class in the release."
    return Gone(aimed, looked_up, drawn if fair else outside, fair, why, drawn_of)


def blurred(situation: Situation, met: Meeting, aimed: Bools) -> str:
    """Why nothing can be said of these people: more than half of them were released under a key that fits nobody."""
    lost = np.zeros(situation.known.num_rows, bool)
    lost[situation.lines] = met.stray[met.class_of]
    number, of = int(lost[met.people[aimed]].sum()), int(aimed.sum())
    if 2 * number <= of:
        return ""
    return f"{number:,} of {of:,} people were released with a key that fits nobody in the original, as after noise or \
averaging. This attack does not look for the nearest, so that it finds nothing would not show that they are safe."


def _meet(situation: Situation, people: Int64, limited: bool = True) -> Meeting | None:
    keys = situation.scenario.keys
    if not keys:  # whoever knows none looks at the whole release
        return _whole(situation, people)
    tables = [believed(situation, people), situation.released.select(keys), situation.known.select(keys)]
    columns = [coded(tables, key) for key in keys]
    mine, theirs, true = (np.array([codes[i] for codes, _ in columns]) for i in range(len(tables)))
    labels = [values.to_pylist() for _, values in columns]
    spans = [len(names) for names in labels]
    begun, together = group(pack(list(np.concatenate([mine, theirs, true], axis=1)), spans))
    ends = mine.shape[1], mine.shape[1] + theirs.shape[1]
    codes, combination, places = _distinct(mine, together[: ends[0]])
    class_codes, class_of, at = _distinct(theirs, together[ends[0] : ends[1]])
    sizes = np.bincount(together[ends[1] :], minlength=len(begun))[places]
    exact = _find(at, places)
    fits = [fits_of(*each, situation.lines) for each in zip(labels, theirs, true, strict=True)]
    coarse, stray = np.zeros(class_codes.shape[1], bool), np.zeros(class_codes.shape[1], bool)
    for fit, column in zip(fits, class_codes, strict=True):
        coarse |= np.isin(column, list(fit))
        stray |= np.isin(column, [code for code, whom in fit.items() if not len(whom)])
    loose = np.flatnonzero(coarse & ~stray)
    if limited and codes.shape[1] * len(loose) > MOST_PAIRS:
        return None
    sure = np.flatnonzero(exact >= 0)
    sure = sure[~coarse[exact[sure]]]
    row, column = agreeing(codes, class_codes[:, loose], fits)
    pairs = (np.concatenate([sure, row]), np.concatenate([exact[sure], loose[column]]))
    meets = csr_array((np.ones(len(pairs[0])), pairs), shape=(codes.shape[1], class_codes.shape[1]))
    note = (
        f"{int(stray[class_of].sum()):,} released records have a key that fits nobody in the original, as after noise: \
this attack does not look for the nearest."
        if stray.any()
        else ""
    )
    records = int(coarse[class_of].sum())
    return Meeting(people, combination, class_of, meets, codes, class_codes, exact, coarse, stray, sizes, records, note)


def _whole(situation: Situation, people: Int64) -> Meeting:
    """People of whom no key is known that the release tells: every record can be theirs."""
    nobody, none = np.zeros((0, 1), np.int64), np.zeros(1, bool)
    of_people, of_records = (np.zeros(size, np.int64) for size in (len(people), situation.released.num_rows))
    one, everybody = np.zeros(1, np.int64), np.array([situation.known.num_rows])
    meets = csr_array(np.ones((1, 1)))
    return Meeting(people, of_people, of_records, meets, nobody, nobody, one, none, none, everybody, 0)


def labels_of(tables: Sequence[pa.Table], key: str) -> list[str | None]:
    """The labels of a key in the order of their codes (see codes_of)."""
    found: list[str | None] = coded(tables, key)[1].to_pylist()
    return found


def _distinct(columns: Int64, numbers: Int64) -> tuple[Int64, Int64, Int64]:
    """Distinct combinations: their codes, each row's number among them, and their common numbers."""
    places, first, to = np.unique(numbers, return_index=True, return_inverse=True)
    return columns[:, first], to.astype(np.int64), places


def _find(sorted_places: Int64, wanted: Int64) -> Int64:
    """Where each wanted number is among sorted ones, or -1."""
    if not len(sorted_places):
        return np.full(len(wanted), -1, np.int64)
    at = np.minimum(np.searchsorted(sorted_places, wanted), len(sorted_places) - 1)
    return np.where(sorted_places[at] == wanted, at, -1).astype(np.int64)
