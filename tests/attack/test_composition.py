"""Two files about the same people: composition of releases, differencing of partitions and of tables."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from situations import Record, crowd, situation, table

from incrowd.attack import composition as composing
from incrowd.attack.composition import compose, composition
from incrowd.attack.differencing import differencing
from incrowd.attack.matching.compatible import compatible
from incrowd.attack.matching.overlay import determined
from incrowd.attack.matching.spans import middle, span
from incrowd.attack.reconstruction import reconstruction
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.risk.value import Scenario

NOTHING = Auxiliary()


def test_ranges_are_read_as_people_write_them() -> None:
    read = {
        "30-39": (30, 39), "40+": (40, np.inf), "[20, 40]": (20, 40), "1,000 to 1,999": (1000, 1999), "£5": (5, 5),
        "65 or over": (65, np.inf), "-5 to -1": (-5, -1), "≤ 3": (-np.inf, 3),
    }  # fmt: skip
    assert {label: span(label) for label in read} == read
    for label in ("north", "2020-01", "", None, "a-b", "12 High Street"):
        assert span(label) is None
    low, high = span("[20, 40)") or (0, 0)
    assert (low, high < 40, high > 39.999) == (20, True, True)
    assert middle("16 to under 30") < 23.0001
    assert compatible(["37"], ["30-39", "40-49", None, "<37"]).tolist() == [[True, False, True, False]]


def _fits(one: str | None, other: str | None) -> bool:
    mine, theirs = span(one), span(other)
    if one == other or one is None or other is None:
        return True
    return bool(mine and theirs and mine[0] <= theirs[1] and theirs[0] <= mine[1])


PAIRS = st.lists(
    st.tuples(st.sampled_from(["20-29", "30-39"]), st.sampled_from(["20-24", "25-34", "35-39"]), st.sampled_from("fm"),
              st.sampled_from("xyz"), st.sampled_from("01")),
    min_size=1, max_size=18,
)  # fmt: skip


@settings(max_examples=examples(60), deadline=None)
@given(PAIRS)
def test_composition_is_what_going_through_all_pairs_gives(rows: list[tuple[str, str, str, str, str]]) -> None:
    """The other release has other bands of age; both tell sex and what somebody has."""
    rows = [row for row in rows if _fits(row[0], row[1])]
    if not rows:
        return
    people: list[Record] = [{"age": a, "sex": s, "has": v} for a, _, s, v, _ in rows]
    other = [{"age": b, "has": v} for _, b, _, v, there in rows if there == "1"]
    made = situation(people, ["age", "sex"], ["has"])
    found = composition(made, Auxiliary(others={"other": table(other, ["age", "has"])}))
    values, records = 0, 0
    alone_values, alone_records, in_both = 0, 0, 0
    for person in people:
        here = [p for p in people if (p["age"], p["sex"]) == (person["age"], person["sex"])]
        there = [o for o in other if _fits(o["age"], person["age"])]
        left = [p for p in here if any(o["has"] == p["has"] for o in there)]
        one = {p["has"] for p in here} == {person["has"]}
        two = {o["has"] for o in there} == {person["has"]}
        values += one or two or {p["has"] for p in left} == {person["has"]}
        alone_values += one or two
        records += len(here) == 1 or (len(left) == 1 and left[0] is person)
        alone_records += len(here) == 1
        in_both += bool(left)
    if found[0].success is None:  # nothing was put together, so there is no figure
        assert not in_both
        assert all(f.success is None and f.why for f in found)
        return
    assert [f.success.hits for f in found if f.success] == [values, records]
    assert np.allclose([f.baseline or 0 for f in found], [alone_values / len(people), alone_records / len(people)])


def test_two_harmless_releases_pin_people_down_together() -> None:
    """Two hospitals (Ganta et al. 2008): in each the target has two illnesses, and only one of them in both."""
    first: list[Record] = [{"age": "30-39", "ill": v, "n": "1"} for v in ("flu", "gout", "flu", "gout")]
    weak = situation(first, ["age"], ["ill"])
    other = table([{"age": "35-44", "ill": v} for v in ("flu", "measles", "mumps")], ["age", "ill"])
    found = composition(weak, Auxiliary(others={"clinic": other}))[0]
    assert found.success is not None
    assert (found.success.hits, found.success.tries, found.baseline) == (2, 4, 0.0)
    assert found.claimed is not None
    assert (found.claimed.hits, found.claimed.tries) == (2, 4)  # those with gout are not in the clinic's file
    assert set(found.worst) == {1, 3}
    strong = table([{"age": "35-44", "ill": v} for v in ("flu", "gout", "mumps")], ["age", "ill"])
    found = composition(weak, Auxiliary(others={"clinic": strong}))[0]
    assert found.success is not None
    assert found.success.hits == 0
    assert composition(weak, NOTHING)[0].success is None


def test_two_tiers_of_one_source_are_composed() -> None:
    people = crowd(
        600, age=[str(a) for a in range(20, 60)], town=[f"t{i}" for i in range(20)], ill=[f"i{i}" for i in range(300)],
        pay=["1", "2"],
    )  # fmt: skip

    def by_age(record: Record) -> Record:
        return record | {"town": "any"}

    def by_town(record: Record) -> Record:
        return record | {"age": "any"}

    one = situation(people, ["age", "town"], ["ill"], change=by_age, known=by_age)
    two = situation(people, ["age", "town"], ["ill", "pay"], change=by_town, known=by_town)
    found = compose(one, two)
    assert [f.attack for f in found] == ["composition"] * 3  # ill, the record, and pay
    assert found[0].success is not None
    assert found[0].success.tries == 600
    assert found[0].success.value > found[0].baseline + 0.05
    expected = 0
    for person in people:
        here = {p["ill"] for p in people if p["age"] == person["age"]}
        there = {p["ill"] for p in people if p["town"] == person["town"]}
        expected += len(here & there) == 1
    assert found[0].success.hits == expected > 50
    same = compose(one, one)
    assert same[0].success is not None
    assert same[0].success.value == same[0].baseline
    apart = compose(situation(people[:300] * 2, ["age"], ["ill"], keep=lambda r: False), one)
    assert apart[0].success is None


def _determined_by_hand(first: Any, second: Any, ones: Any, others: Any) -> set[int]:
    """Cells of the overlay that have the same number in every solution of the two sets of sums (rank of the system)."""
    number = len(first)
    matrix = np.zeros((len(ones) + len(others), number))
    for cell, (a, b) in enumerate(zip(first, second, strict=True)):
        matrix[a, cell] = matrix[len(ones) + b, cell] = 1
    rank = np.linalg.matrix_rank(matrix)
    unit = np.eye(number)
    return {c for c in range(number) if np.linalg.matrix_rank(np.vstack([matrix, unit[c]])) == rank}


@settings(max_examples=examples(80), deadline=None)
@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1), st.randoms(use_true_random=False))
def test_an_intersection_is_determined_when_every_solution_has_it(cells: set[tuple[int, int]], chance: Any) -> None:
    first, second = np.array(sorted(cells)).T
    people = np.array([chance.randrange(1, 9) for _ in first])
    ones = np.bincount(first, weights=people, minlength=5).astype(np.int64)
    others = np.bincount(second, weights=people, minlength=5).astype(np.int64)
    lines, numbers = determined(first, second, ones, others)
    assert set(lines.tolist()) == _determined_by_hand(first, second, ones, others)
    assert numbers.tolist() == people[lines].tolist()


def _ages(people: dict[int, int]) -> list[Record]:
    return [{"age": str(age), "sex": "f"} for age, number in people.items() for _ in range(number)]


def test_shifted_bands_give_a_sliver_away_and_independent_ones_do_not() -> None:
    source = _ages({22: 10, 27: 10, 31: 2, 36: 9, 44: 8})

    def bands(age: str | None, cuts: tuple[int, ...]) -> str:
        low = max(cut for cut in cuts if cut <= int(str(age)))
        high = min((cut for cut in cuts if cut > int(str(age))), default=None)
        return f"{low}+" if high is None else f"{low}-{high - 1}"

    def ours(record: Record) -> Record:
        return record | {"age": bands(record["age"], (20, 30, 40))}

    made = situation(source, ["age", "sex"], change=ours, known=ours)
    theirs = [record | {"age": bands(record["age"], (20, 35, 40))} for record in source]
    found = differencing(made, Auxiliary(others={"old": table(theirs, ["age", "sex"])}))[0]
    assert found.success is not None
    assert (found.success.hits, found.success.tries, found.baseline) == (2, len(source), 0.0)
    assert {source[line - 1]["age"] for line in found.worst} == {"31"}
    same = [record | {"age": bands(record["age"], (20, 30, 40))} for record in source]
    found = differencing(made, Auxiliary(others={"old": table(same, ["age", "sex"])}))[0]
    assert found.success is not None
    assert found.success.hits == 0


def test_two_geographies_are_laid_over_each_other() -> None:
    """Districts that lie in one county, but for a corner with two people."""
    source: list[Record] = [
        {"county": county, "district": district, "v": str(i)}
        for (county, district), n in {("A", "p"): 8, ("A", "q"): 2, ("B", "q"): 9, ("B", "r"): 7}.items()
        for i in range(n)
    ]
    made = situation(source, ["county"])
    other = table(source, ["district"])
    found = differencing(made, Auxiliary(others={"districts": other}))[0]
    assert found.success is not None
    assert found.success.hits == 2
    crossed: list[Record] = [
        {"county": c, "district": d} for c, d in product("AB", "pq") for _ in range(2 if (c, d) == ("A", "q") else 9)
    ]
    found = differencing(situation(crossed, ["county"]), Auxiliary(others={"districts": table(crossed, ["district"])}))[
        0
    ]
    assert found.success is not None
    assert found.success.hits == 0  # four unknowns, three sums: the corner could have any number
    strange = table([{"district": "somewhere else"}] * 5, ["district"])
    found = differencing(made, Auxiliary(others={"districts": strange}))[0]
    assert found.success is None


def test_a_published_table_minus_the_release_shows_who_was_left_out() -> None:
    people = crowd(300, place=list("abc"), sex=["f", "m"], ill=["y", "n"])
    extra: list[Record] = [{"place": "d", "sex": "f", "ill": "y"}, {"place": "a", "sex": "m", "ill": "y"}]
    source = [*people, *extra]
    marked = [*({**p, "in": "1"} for p in people), *({**p, "in": "0"} for p in extra)]
    made = situation(marked, ["place", "sex"], ["ill"], keep=lambda r: r["in"] == "1")

    def counted(records: list[Record], *columns: str) -> pa.Table:
        counts = Counter(tuple(r[c] for c in columns) for r in records)
        cells = [dict(zip(columns, cell, strict=True)) | {"Count": str(n)} for cell, n in counts.items()]
        total = dict.fromkeys(columns, "Total") | {"Count": str(len(records))}
        hidden = dict.fromkeys(columns, "c") | {"Count": "<5"}
        return table([*cells, total, hidden], [*columns, "Count"])

    found = differencing(made, Auxiliary(tables={"t": counted(source, "place", "ill")}))[0]
    assert found.success is not None
    assert (found.success.hits, found.success.tries) == (2, 302)
    assert found.worst == (301, 302)
    found = differencing(made, Auxiliary(tables={"t": counted(people, "place", "ill")}))[0]
    assert found.success is not None
    assert found.success.hits == 0
    no_counts = table([{"place": "a"}], ["place"])
    assert differencing(made, Auxiliary(tables={"t": no_counts}))[0].success is None
    assert differencing(made, NOTHING)[0].success is None


THREE_FILES = st.lists(
    st.tuples(st.sampled_from(["30", "40"]), st.sampled_from("xyz"), st.sampled_from("pq"), st.sampled_from("xyz"),
              st.sampled_from("123"), st.sampled_from("01"), st.sampled_from("01")),
    min_size=2, max_size=12,
)  # fmt: skip


@settings(max_examples=examples(80), deadline=None)
@given(THREE_FILES, st.booleans())
def test_three_releases_leave_what_going_through_all_triples_leaves(
    rows: list[tuple[str, str, str, str, str, str, str]], chained: bool
) -> None:
    """All three tell the illness; or this one shares it with the clinic, and the clinic its job with the firm."""
    with_firm = "job" if chained else "ill"
    people: list[Record] = [{"age": row[0], "ill": row[1]} for row in rows]
    clinic: list[Record] = [{"age": row[0], "ill": row[1], "job": row[4]} for row in rows if row[5] == "1"]
    firm: list[Record] = [{"age": row[0], with_firm: row[4 if chained else 3]} for row in rows if row[6] == "1"]
    made = situation(people, ["age"], ["ill"])
    others = {"clinic": table(clinic, ["age", "ill", "job"]), "firm": table(firm, ["age", with_firm])}
    found = [one for one in composition(made, Auxiliary(others=others)) if one.about == "ill"]
    pairs, both = (
        [one for one in found if " and firm" not in one.knows],
        [one for one in found if "and firm" in one.knows],
    )
    if not both or both[0].success is None:  # somebody's file is empty, or nobody is in all of them
        return
    values = by_two = 0
    for person in people:
        here, there, third = (
            [one for one in each if one["age"] == person["age"]] for each in (people, clinic, firm)
        )  # fmt: skip
        all_three = {
            h["ill"] for h in here for c in there for f in third
            if h["ill"] == c["ill"] and f[with_firm] == c[with_firm]
        }  # fmt: skip
        told = [here, there] if chained else [here, there, third]
        fewer = [{one["ill"] for one in each} for each in told]
        fewer += [{one["ill"] for one in here} & each for each in fewer[1:]]
        by_two += {person["ill"]} in fewer
        values += {person["ill"]} in [*fewer, all_three]
    assert both[0].success.hits == values
    assert np.isclose(both[0].baseline or 0, by_two / len(people)) or any(one.success is None for one in pairs)
    assert not chained or any("shares no column" in one.why for one in composition(made, Auxiliary(others=others)))


def test_three_harmless_releases_pin_somebody_down_and_no_two_of_them_do() -> None:
    people: list[Record] = [{"age": "30", "ill": ill} for ill in ("flu", "gout", "mumps", "rash")]
    first, second = (table([{"age": "30", "ill": ill} for ill in each], ["age", "ill"])
                     for each in (("flu", "gout", "lice"), ("flu", "mumps", "lice")))  # fmt: skip
    made = situation(people, ["age"], ["ill"])
    found = [one for one in composition(made, Auxiliary(others={"a": first, "b": second})) if one.about == "ill"]
    assert [one.success.hits for one in found if one.success] == [0, 0, 1]
    together = found[-1]
    assert together.knows.endswith("and has a and b")
    assert together.baseline == 0
    assert together.worst == (1,)
    assert "1 people are pinned down only by all of them" in together.sentence
    far = table([{"age": "30", "shoe": "9"}], ["age", "shoe"])  # nothing can be told by it: it leaves nobody out
    found = [one for one in composition(made, Auxiliary(others={"a": first, "b": second, "c": far}))
             if one.about == "ill"]  # fmt: skip
    assert [one.success.hits for one in found if one.success] == [0, 0, 1]


def test_targets_that_were_drawn_say_of_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(composing, "MOST_TARGETS", 3)
    people: list[Record] = [{"age": "30", "ill": ill} for ill in ("flu", "gout", "mumps", "rash", None)]
    other = table([{"age": "30", "ill": "flu"}, {"age": "30", "ill": "gout"}], ["age", "ill"])
    value, record = composition(situation(people, ["age"], ["ill"]), Auxiliary(others={"a": other}))
    assert record.tried == "3 of 5"
    assert value.drawn_of == 4


def _by_two_keys(change: Callable[[Record], Record] = lambda r: r, keys: Sequence[str] = ("h1",)) -> Situation:
    """Two hundred people, of whom h1 and h2 together tell the illness; the release tells h1 alone, or h2 coarsely."""
    people: list[Record] = [
        {"h1": f"a{i % 5}", "h2": str(i // 5 % 5), "ill": f"i{i % 5}{i // 5 % 5}"} for i in range(200)
    ]
    made = situation(people, keys, ["ill"], change=change, known=change)
    return made.within(Scenario("s", ("h1", "h2"), knows_who_is_in=True))


@pytest.mark.parametrize("coarse", [False, True])
def test_a_key_that_this_release_does_not_tell_finds_people_in_another(coarse: bool) -> None:
    """By hand: of five illnesses of h1 here and five of h2 there, one is in both. Neither file tells anything alone."""
    made = _by_two_keys(lambda r: r | {"h2": "0-4"}, ("h1", "h2")) if coarse else _by_two_keys()
    people = made.at_start(["h2", "ill"])
    ill, record = composition(made, Auxiliary(others={"b": people}))
    assert ill.success is not None
    assert (ill.success.hits, ill.success.tries, ill.baseline) == (200, 200, 0.0)
    assert ("h2 (not in this release)" in ill.knows) is not coarse
    assert record.success is not None
    assert record.success.hits == 0  # eight people share each illness
    # Who errs about it finds fewer; and another file that tells everything by itself is no news of this one.
    wrong = made.within(Scenario("s", ("h1", "h2"), {"h2": 0.5}, knows_who_is_in=True))
    ill, _ = composition(wrong, Auxiliary(others={"b": people}))
    assert ill.success is not None
    assert 60 < ill.success.hits < 140
    ill, _ = composition(made, Auxiliary(others={"b": made.at_start(["h1", "h2", "ill"])}))
    assert ill.baseline == 1.0


def test_a_key_that_only_the_other_tells_is_enough() -> None:
    people = _by_two_keys().at_start(["h1", "h2", "ill"]).to_pylist()
    made = situation(people, [], ["ill"]).within(Scenario("s", ("h1", "h2"), knows_who_is_in=True))
    ill, _ = composition(made, Auxiliary(others={"b": made.at_start(["h2", "ill"])}))
    assert ill.success is not None
    assert ill.success.hits == 0  # five illnesses are left of each
    (untried,) = composition(made, Auxiliary(others={"b": made.at_start(["ill"])}))
    assert untried.does_not_apply


def test_a_table_tells_by_a_key_that_this_release_does_not_tell() -> None:
    made = _by_two_keys()
    counted = Counter((r["h2"], r["ill"]) for r in made.at_start(["h2", "ill"]).to_pylist())
    cells: list[Record] = [{"h2": h2, "ill": ill, "count": str(n)} for (h2, ill), n in sorted(counted.items())]
    tables = {"t": table(cells, ["h2", "ill", "count"])}
    ill = next(one for one in reconstruction(made, Auxiliary(tables=tables)) if one.about == "ill")
    assert ill.success is not None
    assert ill.control is not None
    assert (ill.success.hits, ill.control.hits, ill.given_away) == (200, 0, 200)
    assert "h2 (not in this release)" in ill.knows
