"""The promise of ladders: steps give the labels of their level, levels nest, and what is named keeps its label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import SECRET
from steps import STEP, rows_of

from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchies import validate
from incrowd.plan.hierarchies import HierarchyRule
from incrowd.proposals.ladder import Ladder, ladder_of
from incrowd.protect import UNIT, Context, State, protect
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret

NOTHING_SAID = Codebook()
#: Texts that tempt: empty, with commas, codes, what labels look like, words for no value.
TEXTS = st.sampled_from(
    ["", "A", "B", "A or B", "B or C", "C", "A, B or C", "Other", "other", "*", "|", "1|2", "1", "2", "Not stated",
     "-9", "a, b", "0 to 15", "16 to 24", "very good", "good", "bad", "x" * 70, "y" * 70, "10", "007", "NE3 1ED", "E11"]
)  # fmt: skip
DIGITS = st.sampled_from("123456789")


def climbed(
    values: Sequence[str | None],
    *,
    book: Codebook = NOTHING_SAID,
    named: Collection[str] = (),
    rule: HierarchyRule | None = None,
    folder: Path = Path("."),
    unit: list[str] | None = None,
) -> Ladder:
    """The ladder of some values, after each of its promises was seen to hold."""
    columns: dict[str, list[str | None]] = {"x": list(values), "was": list(values)}
    rows = rows_of(columns if unit is None else {**columns, "who": [*unit]})
    rows = rows if unit is None else rows.copy("who", UNIT)
    table = tabulate(rows, ["x"], unit=UNIT if unit else None)
    made = ladder_of("x", table, folder, book, rule, named)
    assert validate(made.hierarchy, values) == [] or made.hierarchy.height == 0
    assert len(made.rungs) == made.hierarchy.height + 1
    assert len({rung.name for rung in made.rungs}) == len(made.rungs)
    made.hierarchy.bind(table.domains[0])
    context = Context(folder, Secret(bytes.fromhex(SECRET)), ("test",), (), has_unit=unit is not None, book=book)
    paths = {row[0]: row for row in made.hierarchy.rows}
    for level, rung in enumerate(made.rungs):
        state = State(rows, table)
        for number, step in enumerate(rung.steps, start=1):
            state, _ = protect(STEP.validate_python(dict(step)), number, state, context)
        out = state.rows.collect(state.rows.table).to_pylist()
        if 0 < level == made.hierarchy.height:
            assert all("x" not in row for row in out)
            continue
        said = {row["was"]: row["x"] for row in out}
        assert said == {value: None if value is None else paths[value][level] for value in set(values)}
        assert Counter(row["was"] for row in out) == Counter(values)
        assert all(said[value] == value for value in named if value in said and rule is None)
    return made


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.integers(-20, 130).map(str)), min_size=1, max_size=80),
    st.sets(st.integers(-20, 130).map(str), max_size=3),
    st.booleans(),
)
def test_whole_numbers_become_bands_that_nest(values: list[str | None], named: set[str], declared: bool) -> None:
    book = Codebook(scales={"x": "numeric"}, missing={"x": ("-9", "99")} if declared else {})
    climbed(values, book=book, named=named)


@settings(max_examples=examples(80), deadline=None)
@given(
    st.lists(st.decimals(-1000, 100_000, places=2).map(str), min_size=1, max_size=80),
    st.integers(0, 2),
    st.booleans(),
)
def test_numbers_with_decimals_become_bands_that_nest(values: list[str], named: int, declared: bool) -> None:
    book = Codebook(scales={"x": "numeric"} if declared else {})
    climbed(values, book=book, named=values[:named])


@settings(max_examples=examples(80), deadline=None)
@given(st.lists(st.one_of(st.none(), TEXTS, st.text(max_size=4)), min_size=1, max_size=60), st.sets(TEXTS, max_size=3))
def test_names_are_merged_whatever_they_are(values: list[str | None], named: set[str]) -> None:
    made = climbed(values, named=named)
    alike: dict[str, set[frozenset[str]]] = {}
    if "mapping" in str(made.rungs):
        for level in range(made.hierarchy.height + 1):
            for label, leaves in made.hierarchy.groups(level).items():
                alike.setdefault(label, set()).add(frozenset(leaves))
        if all("mapping" in step or step["step"] == "drop" for rung in made.rungs for step in rung.steps):
            assert all(len(groups) == 1 for groups in alike.values())


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(1, 6)), min_size=62, max_size=90),
    st.sets(st.integers(0, 90), max_size=2),
    st.integers(0, 1),
)
def test_very_many_names_have_the_rare_ones_merged(pairs: list[tuple[int, int]], named: set[int], other: int) -> None:
    values: list[str | None] = [f"town {'abcdefghij'[n % 10]} no {n}" for n, many in pairs for _ in range(many)]
    values += [f"village {n}" for n in range(70)] + ["Other", "Not stated"] * other + [None]
    made = climbed(values, named={f"town {'abcdefghij'[n % 10]} no {n}" for n in named})
    assert all("mapping" not in step or "others" in step for rung in made.rungs for step in rung.steps)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.sampled_from("123456789"), min_size=1, max_size=40), st.sets(st.sampled_from("123456789"), max_size=2)
)
def test_names_in_an_order_go_with_their_neighbours(values: list[str], named: set[str]) -> None:
    words = {str(n): f"{10 * n} to {10 * n + 9}" for n in range(1, 10)}
    made = climbed(values, book=Codebook(codes={"x": words}, scales={"x": "ordinal"}), named=named)
    for level in range(1, made.hierarchy.height):
        for leaves in made.hierarchy.groups(level).values():
            inside = [leaf for leaf in sorted(set(values)) if min(leaves) <= leaf <= max(leaves)]
            assert inside == sorted(leaves)  # nothing lies between those that are together
