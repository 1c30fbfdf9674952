"""sample, round, top and bottom coding, rank swap, small groups, rare records: what stays, and what changes."""

import csv
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import SECRET
from shared import SHARED, needs_shared
from steps import apply_step

import incrowd as ic
from incrowd.keys.codebook import Codebook

ages = st.sampled_from(["20", "30", "40", None])
person = st.tuples(ages, st.sampled_from("fm"), st.integers(0, 5))
people = st.lists(person, min_size=1, max_size=30)


def table(rows):
    columns = [*map(list, zip(*rows, strict=True))]
    return {"age": columns[0], "sex": columns[1], "who": [f"w{n}" for n in columns[2]]}


# sample


@settings(max_examples=examples(10))
@given(people, st.sampled_from([0.2, 0.5, 0.9]), st.booleans())
def test_a_sample_has_the_size_asked_for_in_every_stratum(rows, fraction, by_sex):
    columns = table(rows) | {"id": [str(i) for i in range(len(rows))]}
    step = {"step": "sample", "fraction": fraction, "by": ["sex"] if by_sex else []}
    if not round(fraction * len(rows)):
        with pytest.raises(ic.InputError, match="D113"):
            apply_step(step, columns, ["age", "sex"])
        return
    out, change, state = apply_step(step, columns, ["age", "sex"])
    assert len(out) == round(fraction * len(rows)) == len(rows) - change.records_removed
    was = {i: (a, s) for i, a, s in zip(columns["id"], columns["age"], columns["sex"], strict=True)}
    assert all(was[row["id"]] == (row["age"], row["sex"]) for row in out)
    assert len({row["id"] for row in out}) == len(out)
    assert state.sampled == len(out) / len(rows)
    if by_sex:
        before, after = Counter(columns["sex"]), Counter(row["sex"] for row in out)
        assert all(abs(after[sex] - Fraction(len(out) * n, len(rows))) < 1 for sex, n in before.items())


def test_a_sample_takes_all_records_of_a_person_or_a_household():
    rows = [(str(20 + i % 3), "fm"[i % 2], i % 10) for i in range(60)]
    columns = table(rows)
    for options in ({"unit": "who"}, {"household": "who"}):
        step = {"step": "sample", "count": 4, "households": "household" in options}
        out, _, state = apply_step(step, columns, ["age", "sex"], **options)
        assert Counter(row["who"] for row in out) == Counter({row["who"]: 6 for row in out})
        assert len({row["who"] for row in out}) == 4
        assert state.sampled == 0.4


def test_a_sample_depends_on_the_secret_and_not_on_the_order_of_the_records():
    rows = [("20", "f", 0)] * 5 + [(str(i), "m", i) for i in range(60)]
    step = {"step": "sample", "fraction": 0.3}

    def drawn(rows, secret=SECRET):
        return sorted(map(str, apply_step(step, table(rows), ["age"], secret=secret)[0]))

    assert drawn(rows) == drawn(rows[::-1])
    assert drawn(rows) != drawn(rows, SECRET[::-1])


@pytest.mark.slow
def test_every_record_has_the_same_chance_to_be_drawn():
    columns = {"id": [str(i) for i in range(20)]}
    hits = Counter()
    for i in range(20):
        secret = f"{i:02x}" * 31 + "a1"
        hits.update(row["id"] for row in apply_step({"step": "sample", "count": 10}, columns, ["id"], secret=secret)[0])
    assert all(1 <= hits[str(i)] <= 19 for i in range(20))  # 10 expected, 2.2 the deviation


def test_a_sample_that_cannot_be_drawn_is_refused():
    with pytest.raises(ic.InputError, match="D112"):
        apply_step({"step": "sample", "count": 9}, {"a": ["1", "2"]}, ["a"])
    with pytest.raises(ic.InputError, match="D110"):
        apply_step({"step": "sample", "count": 1, "households": True}, {"a": ["1", "2"], "h": ["x", None]}, ["a"],
                   household="h")  # fmt: skip


# round

numbers = st.lists(st.one_of(st.none(), st.integers(-50, 50).map(str), st.sampled_from(["2.5", "7.50", "007", "1e2"])),
                   min_size=1, max_size=25)  # fmt: skip


@settings(max_examples=examples(10))
@given(numbers, st.sampled_from(["5", "10", "0.25", "3"]), st.sampled_from(["nearest", "random"]))
def test_rounding_gives_multiples_nearby(values, base, how):
    columns = {"id": [str(i) for i in range(len(values))], "x": values}
    step = {"step": "round", "variable": "x", "base": base, "how": how}
    out, change, _ = apply_step(step, columns, ["x"])
    new = {row["id"]: row["x"] for row in out}
    off = Counter()
    for i, old in enumerate(values):
        got = new[str(i)]
        if old is None:
            assert got is None
            continue
        assert Decimal(got) % Decimal(base) == 0
        distance = Decimal(got) - Decimal(old)
        assert abs(distance) * (2 if how == "nearest" else 1) <= Decimal(base)
        off[old] += distance
        if how == "random":
            assert abs(distance) < Decimal(base)
    assert change.cells_changed == sum(new[str(i)] != old for i, old in enumerate(values))
    if how == "random":  # the total of those who share a value is off by less than one base
        assert all(abs(total) < Decimal(base) for total in off.values())


@pytest.mark.slow
def test_rounding_by_chance_is_right_on_average():
    columns = {"id": [str(i) for i in range(3)], "x": ["12", "12", "12"]}
    total = 0
    for i in range(30):
        secret = f"{i:02x}" * 31 + "b2"
        step = {"step": "round", "variable": "x", "base": "5", "how": "random"}
        total += sum(int(row["x"]) for row in apply_step(step, columns, ["id"], secret=secret)[0])
    assert abs(total / 90 - 12) < 0.6  # 6/5 of three go up: one for certain, a second with 0.2


# top and bottom coding


@settings(max_examples=examples(10))
@given(st.lists(st.one_of(st.none(), st.integers(0, 99)), min_size=1, max_size=30), st.sampled_from([None, "and more"]),
       st.booleans(), st.one_of(st.integers(0, 99), st.floats(1, 99)))  # fmt: skip
def test_coding_changes_only_what_lies_beyond(values, label, top, limit):
    columns = {"id": [str(i) for i in range(len(values))], "x": [None if v is None else str(v) for v in values]}
    where = {"at": limit} if isinstance(limit, int) else {"percentile": limit}
    step = {"step": "top_code" if top else "bottom_code", "variable": "x", "label": label, **where}
    filled = sorted(v for v in values if v is not None)
    if not filled and "percentile" in where:
        with pytest.raises(ic.InputError, match="D114"):
            apply_step(step, columns, ["id"])
        return
    if "percentile" in where:
        limit = next(v for v in filled if 100 * sum(w <= v for w in filled) >= Fraction(limit) * len(filled))
    out, change, _ = apply_step(step, columns, ["id"], sensitive=("x",))
    new = {row["id"]: row["x"] for row in out}
    for i, old in enumerate(values):
        beyond = old is not None and (old >= limit if top else old <= limit)
        wanted = (label or str(limit)) if beyond else (None if old is None else str(old))
        assert new[str(i)] == wanted
    assert change.cells_changed == sum(new[str(i)] != columns["x"][i] for i in range(len(values)))


@needs_shared
def test_coding_changes_as_many_as_the_peer():
    """sdcMicro: age above 80 becomes 81 (8 cells), below 5 becomes 4 (434 cells changed)."""
    with (SHARED / "data" / "sdcmicro" / "testdata.csv").open() as file:
        age = [row["age"] for row in csv.DictReader(file)]
    columns = {"age": age}
    _, change, _ = apply_step({"step": "top_code", "variable": "age", "at": 81}, columns, ["age"])
    assert change.notes[1].startswith("8 records")
    _, change, _ = apply_step({"step": "bottom_code", "variable": "age", "at": 4}, columns, ["age"])
    assert (change.cells_changed, change.notes[1].split()[0]) == (434, "562")


# rank swap


@settings(max_examples=examples(10))
@given(st.lists(st.one_of(st.none(), st.integers(0, 20)), min_size=2, max_size=40), st.sampled_from([0.1, 0.3, 1.0]))
def test_a_rank_swap_keeps_the_numbers_and_moves_them_no_further_than_asked(values, within):
    columns = {"id": [str(i) for i in range(len(values))], "x": [None if v is None else str(v) for v in values]}
    filled = sorted(v for v in values if v is not None)
    step = {"step": "rank_swap", "variable": "x", "within": within}
    reach = int(within * len(filled))
    if not reach:
        with pytest.raises(ic.InputError, match="D116"):
            apply_step(step, columns, ["id"])
        return
    out, change, _ = apply_step(step, columns, ["x"])
    new = {row["id"]: row["x"] for row in out}
    assert Counter(new.values()) == Counter(columns["x"])
    moved = 0
    for number, old in zip(columns["id"], columns["x"], strict=True):
        if old is None:
            assert new[number] is None
            continue
        low, high = sorted((int(old), int(new[number])))
        # Equal numbers share ranks: the nearest two of them count.
        assert max(filled.index(high) - (len(filled) - 1 - filled[::-1].index(low)), 0) <= reach
        moved += old != new[number]
    assert moved <= change.cells_changed <= len(filled)


def test_a_rank_swap_exchanges_in_pairs():
    columns = {"id": [str(i) for i in range(101)], "x": [str(i) for i in range(101)]}
    out, change, _ = apply_step({"step": "rank_swap", "variable": "x", "within": 0.1}, columns, ["id"])
    new = {row["id"]: row["x"] for row in out}
    assert all(new[new[i]] == i for i in new)
    assert sum(i != x for i, x in new.items()) == change.cells_changed >= 90
    with pytest.raises(ic.InputError, match="D115"):
        apply_step({"step": "rank_swap", "variable": "x", "within": 0.5}, {"x": ["1", "two", "3"]}, ["x"])


# small groups


def expected_refusal(counts, fewer_than, into):
    """What merging into one group must end in, by plain counting: None, or a code."""
    small = [v for v, n in counts.items() if n < fewer_than]
    if not small:
        return None
    together = sum(counts[v] for v in {*small, into} if v in counts)
    # The largest of all stays out, whichever of several largest it is
    largest = max(counts, key=lambda v: (counts[v], v))
    others = sorted(counts[v] for v in counts if v not in (*small, into, largest) and counts[v] < 2 * fewer_than)
    while together < fewer_than and others:
        together += others.pop(0)
    if together >= fewer_than:
        return None
    return "D118" if sum(counts.values()) < fewer_than else "D365"


@settings(max_examples=examples(20))
@given(st.lists(st.sampled_from(["a", "b", "c", "d", None, "rest"]), min_size=1, max_size=30), st.integers(2, 8))
def test_no_group_is_small_after_merging(values, fewer_than):
    columns = {"id": [str(i) for i in range(len(values))], "x": values}
    step = {"step": "merge_small", "variable": "x", "fewer_than": fewer_than, "into": "rest"}
    counts = Counter(v for v in values if v is not None)
    if (code := expected_refusal(counts, fewer_than, "rest")) is not None:
        with pytest.raises(ic.InputError, match=code):
            apply_step(step, columns, ["x"])
        return
    out, change, _ = apply_step(step, columns, ["x"])
    after = Counter(row["x"] for row in out if row["x"] is not None)
    assert all(n >= fewer_than for n in after.values())
    assert sum(row["x"] is None for row in out) == values.count(None)
    new = {row["id"]: row["x"] for row in out}
    kept = {v for v, n in counts.items() if n >= fewer_than}
    assert change.cells_changed == sum(new[str(i)] != v for i, v in enumerate(values))
    if sum(n for v, n in counts.items() if v not in kept) >= fewer_than:  # then nobody else had to join
        assert all(new[str(i)] == v for i, v in enumerate(values) if v in kept)


TREE = {"E1": ("E", "*"), "E2": ("E", "*"), "E3": ("E", "*"), "W1": ("W", "*"), "W2": ("W", "*")}


@settings(max_examples=examples(20))
@given(st.lists(st.sampled_from([*TREE, None]), min_size=1, max_size=40), st.integers(2, 9))
def test_small_values_go_to_their_parents_and_no_group_is_small(tmp_path_factory, values, fewer_than):
    folder = tmp_path_factory.mktemp("tree")
    (folder / "areas.csv").write_text("".join(f"{leaf};{';'.join(up)}\n" for leaf, up in TREE.items()))
    columns = {"id": [str(i) for i in range(len(values))], "x": values}
    step = {"step": "merge_small", "variable": "x", "fewer_than": fewer_than, "hierarchy": "areas.csv"}
    there = Counter(v for v in values if v is not None)
    if 0 < there.total() < fewer_than:
        with pytest.raises(ic.InputError, match="D118"):
            apply_step(step, columns, ["x"], folder=folder)
        return
    try:
        out, _, _ = apply_step(step, columns, ["x"], folder=folder)
    except ic.InputError as error:  # the small ones are too few together, and the others large
        assert error.code == "D365"
        assert 0 < sum(n for n in there.values() if n < fewer_than) < fewer_than
        assert any(n >= 2 * fewer_than for n in there.values())
        return
    after = Counter(row["x"] for row in out if row["x"] is not None)
    assert all(n >= fewer_than for n in after.values())
    counts = Counter(values)
    families = defaultdict(set)
    for i, old in enumerate(values):
        if old is not None:
            new = {row["id"]: row["x"] for row in out}[str(i)]
            assert new in (old, *TREE[old])
            families[TREE[old][0]].add((old, new))
    for members in families.values():  # who is large enough stays, where nobody of the family is small
        if all(counts[old] >= fewer_than for old, _ in members):
            assert all(new in (old, "*") for old, new in members)


MANY = {"x": [*["white"] * 60, *["asian"] * 30, *["roma"] * 2, "traveller", *["-9"] * 3]}


def test_a_large_value_is_never_merged_unasked():
    step = {"step": "merge_small", "variable": "x", "fewer_than": 10, "into": "other"}
    with pytest.raises(ic.InputError, match=r"D365.*with") as refusal:
        apply_step(step, MANY, ["x"])
    assert "asian" not in str(refusal.value)
    step |= {"with": "asian", "into": None}
    out, change, _ = apply_step(step, MANY, ["x"])
    assert Counter(row["x"] for row in out) == {"white": 60, "asian": 36}
    assert "asian: -9, asian, roma, traveller (36 people)" in change.notes
    out, _, _ = apply_step(step | {"into": "asian or other"}, MANY, ["x"])
    assert Counter(row["x"] for row in out) == {"white": 60, "asian or other": 36}
    with pytest.raises(ic.InputError, match="D366"):
        apply_step(step | {"with": "martian"}, MANY, ["x"])


def test_missing_codes_are_merged_with_nobody():
    book = Codebook(missing={"x": ("-9",)})
    step = {"step": "merge_small", "variable": "x", "fewer_than": 10, "with": "asian"}
    out, change, _ = apply_step(step, MANY, ["x"], book=book)
    assert Counter(row["x"] for row in out) == {"white": 60, "asian": 33, "-9": 3}
    assert "the 3 with a missing value are fewer than that, and stay" in change.notes
    with pytest.raises(ic.InputError, match="D367"):
        apply_step(step | {"into": "-9"}, MANY, ["x"], book=book)


def test_with_a_hierarchy_small_values_go_up_rather_than_take_a_large_sibling(tmp_path):
    (tmp_path / "areas.csv").write_text("".join(f"{leaf};{';'.join(up)}\n" for leaf, up in TREE.items()))
    columns = {"x": [*["E1"] * 3, *["E2"] * 50, *["W1"] * 2, *["W2"] * 40]}
    step = {"step": "merge_small", "variable": "x", "fewer_than": 5, "hierarchy": "areas.csv"}
    out, change, _ = apply_step(step, columns, ["x"], folder=tmp_path)
    assert Counter(row["x"] for row in out) == {"*": 5, "E2": 50, "W2": 40}
    assert "*: E1, W1 (5 people)" in change.notes
    with pytest.raises(ic.InputError, match="D365"):
        apply_step(step, {"x": [*["E1"] * 3, *["E2"] * 50]}, ["x"], folder=tmp_path)


def test_a_value_that_the_hierarchy_does_not_know_is_refused(tmp_path):
    (tmp_path / "areas.csv").write_text("E1;E\nE2;E\n")
    step = {"step": "merge_small", "variable": "x", "fewer_than": 2, "hierarchy": "areas.csv"}
    with pytest.raises(ic.InputError, match="D117"):
        apply_step(step, {"x": ["E1", "W1"]}, ["x"], folder=tmp_path)


# rare records


@settings(max_examples=examples(10))
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("NS"), st.integers(0, 6)),
                min_size=1, max_size=30), st.integers(2, 4), st.booleans(), st.booleans())  # fmt: skip
def test_rare_records_go_and_no_others(rows, fewer_than, aim_is_key, several):
    columns = dict(zip(("aim", "age", "region", "who"), map(list, zip(*rows, strict=True)), strict=True))
    columns["who"] = [str(n) for n in columns["who"]]
    keys = ["age", "region", *(["aim"] if aim_is_key else [])]
    step = {"step": "suppress_records", "of": ["aim"], "within": ["region"], "fewer_than": fewer_than}
    out, change, _ = apply_step(step, columns, keys, unit="who" if several else None)
    assert change.records_removed == len(rows) - len(out)
    left = [*zip(columns["aim"], columns["region"], columns["who"], strict=True)]

    def people(rows):
        found = defaultdict(set)
        for at, (aim, region, who) in enumerate(rows):
            found[aim, region].add(who if several else at)
        return found

    while rare := set().union(*(members for members in people(left).values() if len(members) < fewer_than)):
        left = [row for at, row in enumerate(left) if (row[2] if several else at) not in rare]
    assert Counter((row["aim"], row["region"], row["who"]) for row in out) == Counter(left)
