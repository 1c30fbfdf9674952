"""A release and tables of the same source, solved: against brute force over all populations that fit both."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case
from situations import Record, situation, table

import incrowd as ic
from incrowd.attack import reconstruction as reconstructing
from incrowd.attack.on_run import judge
from incrowd.attack.reconstruction import CELLS, LEFT, RECORD, reconstruction
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.solving import budget
from incrowd.attack.solving.certain import Certain, work_out
from incrowd.attack.solving.unknown import Unknown
from incrowd.attack.value import Attacked
from incrowd.errors import NotReleasable
from incrowd.plan.attack import Attack as AskedAttack
from incrowd.report.review import AttackThenNow

AGES, AREAS, ILLS = ("30", "31", "40", "41"), ("x", "y"), ("flu", "gout")
Person = tuple[str, str, str]  # area, age, ill
COLUMNS = ("area", "age", "ill")


def banded(age: str) -> str:
    return f"{age[0]}0-{age[0]}9"


def coarse(record: Record) -> Record:
    return record | {"age": banded(str(record["age"]))}


def counted(people: Sequence[Person], by: Sequence[str]) -> dict[tuple[str, ...], int]:
    return Counter(tuple(person[COLUMNS.index(name)] for name in by) for person in people)


def published(people: Sequence[Person], by: Sequence[str]) -> pa.Table:
    rows = [{**dict(zip(by, cell, strict=True)), "count": str(n)} for cell, n in sorted(counted(people, by).items())]
    return table(rows, [*by, "count"])


def made(people: Sequence[Person], keep: Sequence[bool], **more: object) -> Situation:
    source = [dict(zip(COLUMNS, person, strict=True), n=str(i)) for i, person in enumerate(people)]
    kept = {str(i) for i, one in enumerate(keep) if one}
    return situation(source, ["area", "age"], ["ill"], keep=lambda r: r["n"] in kept, change=coarse, known=coarse,
                     **more)  # type: ignore[arg-type]  # fmt: skip


def worlds(
    people: Sequence[Person], keep: Sequence[bool], bys: Sequence[Sequence[str]]
) -> Iterator[tuple[list[Person], list[Person]]]:
    """All that the released people and those left out can be, by the release and the tables."""
    asked = [counted(people, by) for by in bys]
    released = [person for person, one in zip(people, keep, strict=True) if one]
    choices = [[(area, age, ill) for age in AGES if banded(age) == banded(mine)] for area, mine, ill in released]
    everybody = list(product(AREAS, AGES, ILLS))
    for inside in product(*choices):
        for outside in combinations_with_replacement(everybody, len(people) - len(released)):
            if all(counted([*inside, *outside], by) == want for by, want in zip(bys, asked, strict=True)):
                yield list(inside), list(outside)


PEOPLE = st.lists(st.tuples(st.sampled_from(AREAS), st.sampled_from(AGES), st.sampled_from(ILLS), st.booleans()),
                  min_size=3, max_size=6)  # fmt: skip
BYS = st.lists(st.sampled_from([("area", "age"), ("age", "ill"), ("area", "ill"), ("age",), ("area", "age", "ill")]),
               min_size=1, max_size=3, unique=True)  # fmt: skip


@settings(max_examples=examples(60), deadline=None)
@given(PEOPLE, BYS, st.booleans())
def test_what_is_certain_is_what_holds_in_every_population_that_fits(
    rows: list[tuple[str, str, str, bool]], bys: list[tuple[str, ...]], knows: bool
) -> None:
    people, keep = [row[:3] for row in rows], [row[3] for row in rows]
    if any(keep) and keep.count(False) <= 2:
        tables = {"-".join(by): published(people, by) for by in bys}
        _check(people, keep, bys, knows, tables, list(worlds(people, keep, bys)))


HIDDEN = st.lists(st.sampled_from(["", "<3", "told", "told"]), min_size=30, max_size=30)


@settings(max_examples=examples(40), deadline=None)
@given(PEOPLE.filter(lambda rows: len(rows) < 6), BYS, st.booleans(), HIDDEN)
def test_it_holds_where_counts_are_not_told_or_only_small(
    rows: list[tuple[str, str, str, bool]], bys: list[tuple[str, ...]], knows: bool, hidden: list[str]
) -> None:
    """Then nobody knows how many were left out: up to three are tried."""
    people, keep = [row[:3] for row in rows], [row[3] for row in rows]
    if not any(keep) or keep.count(False) > 2:
        return
    tables, limits = {}, {}
    signs = iter(hidden)
    for by in bys:
        cells = sorted(counted(people, by).items())
        said = ["told" if sign == "<3" and n > 2 else sign for (_, n), sign in zip(cells, signs, strict=False)]
        counts = [str(n) if sign == "told" else sign or None for (_, n), sign in zip(cells, said, strict=True)]
        limits[by] = {cell: (n, n) if sign == "told" else (0, 2 if sign else len(people) + 3)
                      for (cell, n), sign in zip(cells, said, strict=True)}  # fmt: skip
        tables["-".join(by)] = published(people, by).set_column(len(by), "count", pa.array(counts, pa.string()))
    _check(people, keep, bys, knows, tables, list(_within(people, keep, limits)))


def _within(
    people: Sequence[Person], keep: Sequence[bool], limits: Mapping[tuple[str, ...], Mapping[tuple[str, ...], Any]]
) -> Iterator[tuple[list[Person], list[Person]]]:
    """The same for counts between limits; cells that are not listed hold nobody."""
    released = [person for person, one in zip(people, keep, strict=True) if one]
    choices = [[(area, age, ill) for age in AGES if banded(age) == banded(mine)] for area, mine, ill in released]
    everybody = list(product(AREAS, AGES, ILLS))
    outsides = [each for number in range(4) for each in combinations_with_replacement(everybody, number)]
    for inside in product(*choices):
        for outside in outsides:
            whole = [*inside, *outside]
            if all(
                all(low <= found.get(cell, 0) <= high for cell, (low, high) in want.items())
                and not set(found) - set(want)
                for by, want in limits.items()
                for found in [counted(whole, by)]
            ):
                yield list(inside), list(outside)


def _check(
    people: Sequence[Person], keep: Sequence[bool], bys: Sequence[Sequence[str]], knows: bool,
    tables: dict[str, pa.Table], every: Sequence[tuple[list[Person], list[Person]]],
) -> None:  # fmt: skip
    """What the attack calls certain is what holds in all these."""
    here = made(people, keep, knows_who_is_in=knows)
    found = reconstruction(here, Auxiliary(tables=tables))
    by_about = {one.about: one for one in found}
    lines = [i for i, one in enumerate(keep) if one]
    finely = any("age" in by for by in bys)
    ages = {person[1] for person in people}  # those that a table lists; a band with one of them hides nothing
    open_bands = {banded(age) for age in ages if len([1 for other in ages if banded(other) == banded(age)]) > 1}
    areas = any("area" in by for by in bys)

    def alike(one: Person, other: Person) -> bool:
        """Whether two are the same in what the tables tell of the keys."""
        return (not finely or one[1] == other[1]) and (not areas or one[0] == other[0])

    hits: Counter[str] = Counter()
    tries = 0
    for i, person in enumerate(people):
        released = [place for place, line in enumerate(lines)
                    if people[line][0] == person[0] and banded(people[line][1]) == banded(person[1])]  # fmt: skip
        mine = {place for inside, _ in every for place in released if alike(inside[place], person)}
        out = {other[2] for _, outside in every for other in outside if alike(other, person)}
        ills = {people[lines[place]][2] for place in mine}
        values = (ills | out if not knows else ills) if keep[i] else (out if knows else ills | out)
        if any("ill" in by for by in bys):
            hits["ill"] += values == {person[2]}
        elif keep[i]:
            hits["ill"] += ills == {person[2]} and (knows or not out)
        hits[RECORD] += keep[i] and mine == {lines.index(i)} and (knows or not out)
        if not keep[i]:
            hits[LEFT] += all(any(alike(other, person) for other in outside) for _, outside in every)
        if keep[i] and finely and banded(person[1]) in open_bands:
            tries += 1
            hits[CELLS] += len({inside[lines.index(i)][1] for inside, _ in every}) == 1
    for about in by_about:
        one = by_about[about]
        assert one.success is not None, one
        assert one.success.hits == hits[about], (about, one)
        assert not one.not_tried
    assert (LEFT in by_about) == (not all(keep))
    assert (by_about[CELLS].success.tries if CELLS in by_about else 0) == tries  # type: ignore[union-attr]


def by_name(found: Sequence[Attacked]) -> dict[str, Attacked]:
    return {one.about: one for one in found}


def five_alike() -> tuple[list[Person], list[bool]]:
    """Two classes of five with both illnesses and both ages, and four people who were left out."""
    people = [("x", age, ill) for age, ill in zip(("30", "31", "31", "31", "31"), ("flu", *["gout"] * 4), strict=True)]
    people += [("y", "30", "gout")] * 3 + [("y", "31", "flu")] * 2
    people += [("x", "41", "flu"), ("x", "41", "flu"), ("x", "40", "gout"), ("x", "40", "gout")]
    return people, [True] * 10 + [False] * 4


#: area, age, job, illness: everybody is released by area, age in bands and illness, in two classes of five.
TEN = [
    ("x", "30", "p", "gout"), ("x", "31", "q", "gout"), ("x", "31", "q", "gout"), ("x", "31", "q", "flu"),
    ("x", "30", "p", "gout"), ("y", "30", "p", "flu"), ("y", "30", "p", "flu"), ("y", "30", "q", "flu"),
    ("y", "30", "p", "gout"), ("y", "30", "p", "flu"),
]  # fmt: skip
NAMES = ("area", "age", "job", "ill")
THREE = (("area", "age"), ("age", "job"), ("job", "ill"))


def tallied(people: Sequence[tuple[str, ...]], by: Sequence[str]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(person[NAMES.index(name)] for name in by) for person in people)


def three_tables() -> dict[str, pa.Table]:
    return {
        "-".join(by): table([{**dict(zip(by, cell, strict=True)), "count": str(n)} for cell, n in
                             sorted(tallied(TEN, by).items())], [*by, "count"])
        for by in THREE
    }  # fmt: skip


def ten_alike() -> Situation:
    source: list[Record] = [dict(zip(NAMES, person, strict=True)) for person in TEN]
    return situation(source, ["area", "age"], ["ill"], change=coarse, known=coarse)


def test_a_release_at_five_and_three_harmless_tables_give_somebody_away() -> None:
    """Brute force: whoever is 30 in x has gout in every population that fits all three, and in none of two of them."""
    here, tables = ten_alike(), three_tables()
    found = by_name(reconstruction(here, Auxiliary(tables=tables)))
    assert found["ill"].success is not None
    assert found["ill"].control is not None
    assert (found["ill"].success.hits, found["ill"].control.hits, found["ill"].given_away) == (2, 0, 2)
    assert found["ill"].worst == (1, 5)
    finer = [[(area, age, job, ill) for age in ("30", "31") for job in "pq"]
             for (area, ill), n in sorted(tallied(TEN, ("area", "ill")).items())]  # fmt: skip
    sizes = [n for _, n in sorted(tallied(TEN, ("area", "ill")).items())]
    fitting: dict[int, set[str]] = {3: set(), 0: set(), 1: set(), 2: set()}
    for parts in product(*(combinations_with_replacement(kinds, n) for kinds, n in zip(finer, sizes, strict=True))):
        people = [person for part in parts for person in part]
        fits = [tallied(people, by) == tallied(TEN, by) for by in THREE]
        ills = {person[3] for person in people if person[:2] == ("x", "30")}
        for without in fitting:
            if all(one for i, one in enumerate(fits) if i != without):
                fitting[without] |= ills
    assert fitting[3] == {"gout"}
    assert all(fitting[without] == {"flu", "gout"} for without in range(3))
    for name in tables:
        two = {other: each for other, each in tables.items() if other != name}
        one = by_name(reconstruction(here, Auxiliary(tables=two)))
        assert not any(each.given_away for each in one.values()), name


@pytest.mark.parametrize("hidden", ["", "c", "<3"])
def test_a_suppressed_count_is_worked_out_from_the_totals(hidden: str) -> None:
    people: list[Person] = [("x", "30", "flu")] * 4 + [("x", "30", "gout")] + [("y", "30", "flu")] * 5
    keep = [True] * 4 + [False] + [True] * 5
    rows: list[Record] = [
        {"area": "x", "ill": "flu", "count": "4"}, {"area": "x", "ill": "gout", "count": hidden or None},
        {"area": "y", "ill": "flu", "count": "5"}, {"area": "x", "ill": "Total", "count": "5"},
        {"area": "y", "ill": "Total", "count": "5"},
    ]  # fmt: skip
    one = by_name(reconstruction(made(people, keep), Auxiliary(tables={"t": table(rows, ["area", "ill", "count"])})))
    assert one["ill"].success is not None
    assert one["ill"].success.hits == 10  # the one with gout was left out, and can have nothing else
    assert one[LEFT].success is not None
    assert one[LEFT].success.hits == 1
    assert "1 of its counts are not told" in one["ill"].why
    assert one["ill"].given_away == 1  # that gout is in x a table tells; that it is theirs, only both
    without = table(rows[:3], ["area", "ill", "count"])
    assert by_name(reconstruction(made(people, keep), Auxiliary(tables={"t": without})))[LEFT].success.hits == 0  # type: ignore[union-attr]


def test_rounded_and_perturbed_counts_are_no_exact_limits() -> None:
    people, keep = five_alike()
    here, by = made(people, keep), ("area", "ill")
    exact = published(people, by)
    counts = [int(value) for value in exact["count"].to_pylist()]
    for words, change in (
        ("rounded to 5", lambda n: 5 * round(n / 5)),
        ("perturbed", lambda n: max(n + (n % 3) - 1, 0)),
    ):
        said = exact.set_column(2, "count", pa.array([str(change(n)) for n in counts]))
        one = by_name(reconstruction(here, Auxiliary(tables={"t": said})))
        assert words in one["ill"].why
        assert one[LEFT].success is not None
        assert one[LEFT].success.hits == 0  # up to four more may be the rounding
    assert "is taken for exact" in by_name(reconstruction(here, Auxiliary(tables={"t": exact})))["ill"].why


@pytest.mark.parametrize("late", [False, True])
def test_one_wrong_count_leaves_the_others_exact(late: bool) -> None:
    """A slip in one cell, or a total with a late return: the ten are given away as by the right counts."""
    tables = three_tables()
    counts: list[Record] = tables["job-ill"].to_pylist()
    if late:
        counts.append({"job": "Total", "ill": "Total", "count": "11"})
    else:
        counts[0]["count"] = str(int(str(counts[0]["count"])) + 1)
    said = tables | {"job-ill": table(counts, ["job", "ill", "count"])}
    ill = by_name(reconstruction(ten_alike(), Auxiliary(tables=said)))["ill"]
    assert ill.given_away == 2
    assert f"is taken for exact but for 1 of its {len(counts)} counts, which are at most 1 from the source's" in ill.why
    for count in counts[:3]:
        count["count"] = str(int(str(count["count"])) + 1)
    said = tables | {"job-ill": table(counts, ["job", "ill", "count"])}
    assert "was perturbed" in by_name(reconstruction(ten_alike(), Auxiliary(tables=said)))["ill"].why


def test_a_block_that_is_not_solved_is_not_tried_and_counts_as_found(monkeypatch: pytest.MonkeyPatch) -> None:
    people, keep = five_alike()
    tables = {"-".join(by): published(people, by) for by in [("area", "age"), ("age", "ill")]}
    monkeypatch.setattr(budget, "LARGEST", 0)
    found = reconstruction(made(people, keep), Auxiliary(tables=tables))
    assert any(one.not_tried for one in found)
    for one in found:
        if one.not_tried and one.success is not None:
            assert one.most is not None
            assert one.most >= one.not_tried / (one.not_tried + one.success.tries)
            assert "not solved" in one.why


def test_a_search_that_takes_longer_than_the_run_is_given_up_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    people, keep = five_alike()
    tables = {"-".join(by): published(people, by) for by in [("area", "age"), ("age", "ill")]}
    monkeypatch.setattr(budget, "REPORTS", 0.0)
    monkeypatch.setattr(budget, "RECORD", 0.0)
    quick = reconstruction(made(people, keep), Auxiliary(tables=tables))
    assert any(one.not_tried or one.success is None for one in quick)
    assert all("--thorough takes longer" in one.why for one in quick)
    thorough = reconstruction(made(people, keep), Auxiliary(tables=tables, thorough=True))
    assert not any(one.not_tried or one.success is None for one in thorough)


def test_tables_that_are_too_much_together_are_solved_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    here, tables = ten_alike(), three_tables()
    whole = by_name(reconstruction(here, Auxiliary(tables=tables)))
    monkeypatch.setattr(reconstructing, "MOST", 12)
    fewer = by_name(reconstruction(ten_alike(), Auxiliary(tables=tables)))
    assert "Left out, as with them there are more unknowns than can be written down: " in fewer["ill"].why
    assert fewer["ill"].success is not None
    assert whole["ill"].success is not None
    assert fewer["ill"].success.hits < whole["ill"].success.hits
    monkeypatch.setattr(reconstructing, "MOST", 1)
    (none,) = reconstruction(ten_alike(), Auxiliary(tables=tables))
    assert none.success is None
    assert "--thorough" in none.why
    thorough = by_name(reconstruction(ten_alike(), Auxiliary(tables=tables, thorough=True)))
    assert thorough["ill"].success == whole["ill"].success


def test_what_cannot_be_tried_says_why() -> None:
    people, keep = five_alike()
    here = made(people, keep)
    assert "no published table" in reconstruction(here, Auxiliary())[0].why
    assert reconstruction(here, Auxiliary(no_tables="x"))[0].does_not_apply == "x"
    strange = table([{"age": "old", "count": "14"}], ["age", "count"])
    (one,) = reconstruction(here, Auxiliary(tables={"t": strange}))
    assert one.success is None
    assert "does not know" in one.why
    means = table([{"age": "30", "mean": "3.4"}], ["age", "mean"])
    (one,) = reconstruction(here, Auxiliary(tables={"t": means}))
    assert one.success is None
    assert "column of counts" in one.why


def write_ten(folder: Path, attack: dict[str, object]) -> Path:
    """The ten with their tables, as files of a plan that releases them at five."""
    for name, counts in three_tables().items():
        rows = [",".join(row.values()) for row in counts.to_pylist()]
        (folder / f"{name}.csv").write_text("\n".join([",".join(counts.column_names), *rows]) + "\n")
    roles = {"area": "key", "age": "key", "job": "other", "ill": "sensitive"}
    steps = [{"step": "drop", "variables": ["job"]}, {"step": "recode", "variable": "age", "bands": ["20", "30", "40"]}]
    plan = plan_with(
        title="Ten people", data={"source": "people.csv", "kind": "census"},
        variables={name: {"role": role, "reason": "a test"} for name, role in roles.items()},
        steps=steps, requirements=[{"model": "k", "k": 5}], attack=[attack],
    )  # fmt: skip
    path = write_case(folder, plan)
    (folder / "people.csv").write_text("\n".join([",".join(NAMES), *(",".join(person) for person in TEN)]) + "\n")
    return path


def test_a_plan_that_publishes_both_is_refused_without_a_limit(tmp_path: Path) -> None:
    files = [f"{'-'.join(by)}.csv" for by in THREE]
    path = write_ten(tmp_path, {"attacks": ["linkage"], "tables": files})
    with pytest.raises(NotReleasable, match=r"R046.*ill: 2 people"):
        ic.run(path)
    (refused,) = (tmp_path / "runs").glob("*-refused")
    assert "Given away for certain: ill of 2 people" in (refused / "audit" / "report.html").read_text()
    ill = next(one for one in ic.attack(path, attacks=["reconstruction"], tables=[tmp_path / f for f in files]).attacks
               if one.about == "ill")  # fmt: skip
    assert ill.given_away == 2
    assert "same people as the source" in ill.assumed


def _rename_the_counts(table: Path) -> None:
    """'persons' is no word for a column of counts, so that nobody can read the table."""
    table.write_text(table.read_text().replace(",count", ",persons"))


@pytest.mark.parametrize("attack", [{"attacks": ["linkage"]}, {"attacks": ["reconstruction"], "limit": 0.5}])
@pytest.mark.parametrize("unread", [1, 3])
def test_tables_that_were_not_laid_beside_refuse_with_or_without_a_limit(
    tmp_path: Path, attack: dict[str, object], unread: int
) -> None:
    files = [f"{'-'.join(by)}.csv" for by in THREE]
    path = write_ten(tmp_path, {**attack, "tables": files})
    for name in files[-unread:]:
        _rename_the_counts(tmp_path / name)
    with pytest.raises(NotReleasable, match=r"R023.*job-ill\.csv needs a column of counts.*withdraw the table"):
        ic.run(path)
    (refused,) = (tmp_path / "runs").glob("*-refused")
    assert "not tried in full" in (refused / "audit" / "report.html").read_text() or unread == 3


def test_what_was_not_laid_beside_is_no_figure_anywhere() -> None:
    here, tables = ten_alike(), three_tables()
    last = tables["job-ill"].rename_columns(["job", "ill", "persons"])
    for one in reconstruction(here, Auxiliary(tables=tables | {"job-ill": last})):
        assert one.success is not None
        assert not one.in_full
        assert (one.most, one.excess) == (None, None)
        limit = AskedAttack(attacks=["reconstruction"], limit=1.0, tables=["job-ill"])
        assert not any(verdict.passed for verdict in judge(one, limit))
        assert AttackThenNow(replace(one, incomplete=""), one, 0.1).lost
    assert all(one.in_full for one in reconstruction(here, Auxiliary(tables=tables)))  # a name is not remembered


def test_people_of_whom_it_was_not_worked_out_refuse_although_a_limit_allows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reconstructing, "work_out", _nothing_worked_out)
    files = [f"{'-'.join(by)}.csv" for by in THREE]
    path = write_ten(tmp_path, {"attacks": ["reconstruction"], "limit": 1.0, "tables": files})
    with pytest.raises(NotReleasable, match=r"R023.*not solved.*thorough: true"):
        ic.run(path)


def _nothing_worked_out(unknown: Unknown, known: Any, budget: Any, true: Any = None) -> Certain:
    """As if no block had been solved: what the truth shows to be possible, and nothing else."""
    found = work_out(unknown, known, budget, true)
    return replace(found, can=known, cannot=np.zeros(len(known), bool), unsolved=1)


def test_with_two_of_the_tables_it_is_released_and_told(tmp_path: Path) -> None:
    path = write_ten(tmp_path, {"attacks": ["linkage"], "tables": [f"{'-'.join(by)}.csv" for by in THREE[:2]]})
    run = ic.run(path)
    told = [one for one in run.log.attacks if one.attack == "reconstruction"]
    assert {one.about for one in told} >= {"ill", RECORD, CELLS}
    assert not any(one.given_away for one in told)
    report = (run.audit / "report.html").read_text()
    assert "Assumed: The tables count the same people as the source" in report
    assert "Given away for certain" not in report
