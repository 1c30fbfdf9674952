"""Whose can a released record be? Records that can be anybody's, labels that fit nobody, and many labels."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case
from situations import Record, crowd, situation, table

import incrowd as ic
from incrowd.attack import ATTACKS
from incrowd.attack.composition import composition
from incrowd.attack.gap import gap
from incrowd.attack.homogeneity import homogeneity
from incrowd.attack.learning.features import features
from incrowd.attack.matching import meeting
from incrowd.attack.matching.fitting import ANY, fits_of
from incrowd.attack.matching.meeting import meet
from incrowd.attack.matching.spans import overlaps, span
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.skewness import skewness
from incrowd.attack.value import Attacked
from incrowd.errors import NotReleasable

NOTHING = Auxiliary()
LABELS = ["1", "2", "3", "1.0", "1-2", "2-3", "3+", "<2", "x", "y", ANY, None]


def _local(starred: int = 3) -> tuple[list[Record], Situation]:
    """People in bands of two years, which all have one value; a few records are given up altogether."""
    people = crowd(
        600, age=[str(a) for a in range(20, 60)], place=["a", "b"],
        ill=lambda r, c, i: "y" if int(str(r["age"])) < 32 else "n", who=lambda r, c, i: str(i),
    )  # fmt: skip

    def change(record: Record) -> Record:
        if int(str(record["who"])) < starred:
            return record | {"age": ANY, "place": ANY}
        low = int(str(record["age"])) // 2 * 2
        return record | {"age": f"{low}-{low + 1}"}

    return people, situation(people, ["age", "place"], ["ill"], change=change)


def test_a_few_records_that_can_be_anybodys_do_not_hide_the_others() -> None:
    people, made = _local()
    ill = sum(r["ill"] == "y" for r in people)
    for attack, least in ((homogeneity, 597), (skewness, ill - 3)):
        found = attack(made, NOTHING)[0]
        assert found.success is not None
        assert found.success.hits >= least
    auxiliary = Auxiliary(others={"other": table([{"age": "20-59", "ill": ill} for ill in "yn"], ["age", "ill"])})
    pinned = composition(made, auxiliary)[0]
    assert pinned.success is not None
    assert pinned.success.hits >= 597


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("1234"), st.sampled_from("xy"), st.sampled_from(["-band", "any", "blank"])),
             min_size=1, max_size=20),
)  # fmt: skip
def test_the_closest_classes_are_those_that_fit_the_fewest_people(rows: list[tuple[str, str, str]]) -> None:
    people: list[Record] = [{"a": a, "b": b, "how": how} for a, b, how in rows]
    band = {"1": "1-2", "2": "1-2", "3": "3-4", "4": "3-4"}
    behind = {"1-2": "12", "3-4": "34", ANY: "1234", None: "1234"}

    def change(record: Record) -> Record:
        changes: dict[str, Record] = {
            "-band": {"a": band[str(record["a"])]}, "any": {"a": ANY, "b": ANY}, "blank": {"a": None},
        }  # fmt: skip
        return record | changes[str(record["how"])]

    made = situation(people, ["a", "b"], change=change)
    met = meet(made)
    dense = met.closest.meets.toarray()
    released = [(r["a"], r["b"]) for r in made.released.to_pylist()]

    def fits(person: Record, label: tuple[str | None, str | None]) -> bool:
        return str(person["a"]) in behind[label[0]] and label[1] in (ANY, person["b"])

    cover = {label: sum(fits(person, label) for person in people) for label in released}
    for place, person in enumerate(people):
        fewest = min(cover[label] for label in released if fits(person, label))
        for at, label in enumerate(released):
            expected = fits(person, label) and cover[label] == fewest
            assert bool(dense[met.combination[place], met.class_of[at]]) == expected


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=20))
def test_whose_value_is_behind_a_label_is_what_going_through_all_pairs_gives(
    rows: list[tuple[str | None, str | None]],
) -> None:
    """Each row is a person's label and that of the released record."""
    true = np.array([LABELS.index(mine) for mine, _ in rows])
    released = np.array([LABELS.index(told) for _, told in rows])
    found = fits_of(LABELS, released, true, np.arange(len(rows)))
    blanked = any(told is None and mine is not None for mine, told in rows)
    here = set(true.tolist())
    near = overlaps(LABELS, LABELS)
    for code, label in enumerate(LABELS):
        if not (blanked and label is None) and (code in here or code not in released):
            assert code not in found
        elif label is None or label == ANY:
            assert set(found[code].tolist()) == set(range(len(LABELS)))
        elif span(label) is not None:
            assert sorted(found[code].tolist()) == [other for other in sorted(here) if near[code, other]]
        else:
            assert set(found[code].tolist()) == set(true[released == code].tolist())


def _noisy(share: float, number: int = 200) -> Situation:
    """Incomes that are all different, moved a little in a share of the records; the place tells the value."""
    people = crowd(
        number, place=["a", "b"], pay=lambda r, c, i: str(1000 + 10 * i), ill=lambda r, c, i: "yn"[r["place"] == "a"],
        who=lambda r, c, i: str(i),
    )  # fmt: skip
    moved = int(share * number)
    return situation(
        people, ["place", "pay"], ["ill"],
        change=lambda r: r | {"pay": f"{r['pay']}.5"} if int(str(r["who"])) < moved else r,
    )  # fmt: skip


@pytest.mark.parametrize("word", ["homogeneity", "skewness", "gap", "minimality"])
def test_keys_with_noise_are_not_called_safe(word: str) -> None:
    for share in (1.0, 0.6):
        found = ATTACKS[word](_noisy(share), NOTHING)[0]
        assert found.success is None
        assert "fits nobody" in found.why or (word, share) == ("minimality", 1.0)  # then no class is there as it was


@pytest.mark.parametrize("attack", [homogeneity, skewness])
def test_a_few_keys_with_noise_are_counted(attack: Callable[..., list[Attacked]]) -> None:
    found = attack(_noisy(0.3), NOTHING)[0]
    assert found.success is not None
    assert found.success.tries == 200
    assert "60 released records have a key that fits nobody" in found.why


@pytest.mark.slow
def test_a_limit_refuses_keys_with_noise(tmp_path: Path) -> None:
    steps = [
        {"step": "drop", "variables": ["name"]},
        {"step": "noise", "variables": ["age"], "share": "0.3"},
    ]
    attack = [{"attacks": ["homogeneity"], "limit": 0.9}]
    lines = "".join(f"n{i},{20 + i % 50}.{i},{'fm'[i % 2]},{'yn'[i % 4 > 0]},{i % 7}\n" for i in range(120))
    path = write_case(tmp_path, plan_with(steps=steps, attack=attack, requirements=[{"model": "k", "k": "1"}]), lines)
    with pytest.raises(NotReleasable, match="could not be tried, or not in full: homogeneity"):
        ic.run(path)


def test_labels_that_fit_nobody_take_no_room_and_no_share_of_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    number = 5_000
    labels: list[str | None] = [str(i) for i in range(number)] + [f"{i}.5" for i in range(number)]
    found = fits_of(labels, np.arange(number) + number, np.arange(number), np.arange(number))
    assert len(found) == number
    assert sum(whom.nbytes for whom in found.values()) == 0
    monkeypatch.setattr(meeting, "MOST_PAIRS", 100)
    monkeypatch.setattr(meeting, "MOST_PEOPLE", 10)
    assert len(meet(_noisy(1.0)).people) == 200
    there = _local()[1]
    assert len(meet(there).people) == 10
    for attack in (homogeneity, skewness):
        found = attack(there, NOTHING)[0]
        assert found.success is not None
        assert found.tried == f"{found.success.tries} of 600"


def test_records_that_can_be_anybodys_close_no_gap() -> None:
    people = crowd(
        900, work=[str(i) for i in range(6)], town=list("abcdef"),
        poor=lambda r, c, i: "yn"[int(str(r["work"])) > 2], who=lambda r, c, i: str(i),
    )  # fmt: skip
    gone = {("5", "a"), ("1", "c")}
    plain = situation(people, ["work", "town"], ["poor"], keep=lambda r: (r["work"], r["town"]) not in gone)
    starred = situation(
        people, ["work", "town"], ["poor"], keep=lambda r: (r["work"], r["town"]) not in gone,
        change=lambda r: r | {"work": ANY, "town": ANY} if int(str(r["who"])) < 4 else r,
    )  # fmt: skip
    first, second = gap(plain, NOTHING)[0].success, gap(starred, NOTHING)[0].success
    assert first is not None
    assert second is not None
    assert first.tries == second.tries > 0
    assert second.hits > 0
    given_up = situation(people, ["work", "town"], ["poor"], change=lambda r: r | {"work": ANY, "town": None})
    assert gap(given_up, NOTHING)[0].success is None


def test_a_number_that_was_given_up_leaves_the_others_numbers() -> None:
    _, made = _local()
    released, aims, categories = features(made, np.arange(600))
    assert categories == [1]  # the place
    assert np.isnan(released[:, 0]).sum() == 3
    assert set(aims[:, 0]) == set(range(20, 60))
