"""Hierarchies: built, bound, read, written, checked, shown."""

from __future__ import annotations

import csv
import time
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from incrowd.errors import InputError
from incrowd.keys.hierarchies import (
    automatic,
    cut_bands,
    date_parts,
    equal_bands,
    format_arx,
    mapped,
    ordered_groups,
    parse_arx,
    prefixes,
    quantile_bands,
    require_valid,
    tree_lines,
    validate,
)
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.table import Domain

AGES = [str(age) for age in range(100)]


def row(hierarchy: Hierarchy, leaf: str) -> tuple[str, ...]:
    return next(one for one in hierarchy.rows if one[0] == leaf)


# -- bind


def slow_bind(hierarchy: Hierarchy, domain: Domain) -> tuple[list[list[str | None]], list[list[float]]]:
    """For each level, each base code's value and its loss, from the definition."""
    rows = {one[0]: one for one in hierarchy.rows}
    labels, losses = [], []
    for level in range(hierarchy.height + 1):
        top = 0 < level == hierarchy.height
        names = [rows[v][level] if v is not None else hierarchy.rows[0][-1] if top else None for v in domain.values]
        under = Counter(one[level] for one in hierarchy.rows)
        span = max(len(hierarchy.rows) - 1, 1)
        labels.append(names)
        losses.append([0.0 if name is None else (under[name] - 1) / span for name in names])
    return labels, losses


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Properly nested ones, with names that are used again at other levels."""
    number = draw(st.integers(1, 7))
    columns: list[list[str]] = [[f"v{i}" for i in range(number)]]
    for _ in range(draw(st.integers(0, 3))):
        above = {label: f"v{draw(st.integers(0, 3))}" for label in dict.fromkeys(columns[-1])}
        columns.append([above[label] for label in columns[-1]])
    columns.append(["*"] * number)
    return Hierarchy("x", tuple(zip(*columns, strict=True)))


@given(hierarchies(), st.data())
def test_bind_is_what_the_rows_say(hierarchy: Hierarchy, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.sampled_from([None, *hierarchy.leaves]), min_size=1, unique=True))
    domain = Domain("x", tuple(values))
    levels = hierarchy.bind(domain)
    labels, losses = slow_bind(hierarchy, domain)
    for level, (recode, loss) in enumerate(zip(levels.recodes, levels.losses, strict=True)):
        assert [recode.domain.values[code] for code in recode.codes] == labels[level]
        assert [loss[code] for code in recode.codes] == losses[level]
        assert list(recode.domain.values) == sorted(set(labels[level]), key=lambda v: (v is not None, v or ""))
        assert recode.domain.name == "x"
    assert validate(hierarchy, domain.values) == []


def test_a_value_outside_is_counted_and_not_named() -> None:
    with pytest.raises(InputError, match=r"D030: 2 of the 4 values") as caught:
        equal_bands(AGES, "age", [10]).bind(Domain("age", (None, "1", "secret", "666")))
    assert "secret" not in str(caught.value)


def test_bind_is_fast_for_many_leaves() -> None:
    leaves = [f"{i:06d}" for i in range(100_000)]
    hierarchy = prefixes(leaves, "code")
    begun = time.process_time()
    levels = hierarchy.bind(Domain("code", tuple(leaves)))
    assert levels.height == 5
    assert time.process_time() - begun < 2  # about 0.3 s: a guard against loops over loops, not a benchmark


# -- builders


def test_equal_bands() -> None:
    ages = equal_bands(AGES, "age", [5, 10, 20], bottom=16, top=60)
    assert row(ages, "15") == ("15", "<16", "<16", "<16", "*")
    assert row(ages, "17") == ("17", "16-19", "16-19", "16-19", "*")
    assert row(ages, "44") == ("44", "40-44", "40-49", "40-59", "*")
    assert row(ages, "99") == ("99", "60+", "60+", "60+", "*")
    assert validate(ages, [*AGES, None]) == []
    assert row(equal_bands(AGES, "age", [15], origin=1), "99") == ("99", "91-105", "*")
    assert row(equal_bands(["0.5", "7"], "x", [Decimal("2.5")]), "7") == ("7", "5 to under 7.5", "*")
    assert row(equal_bands(["-3", "4"], "x", [5, 10], top=0), "4") == ("4", "0+", "0+", "*")
    with pytest.raises(InputError, match="D052"):
        equal_bands(AGES, "age", [10, 15])
    with pytest.raises(InputError, match="D021"):
        equal_bands([*AGES, "unknown"], "age", [10])
    with pytest.raises(InputError, match="D055"):
        equal_bands([None], "age", [10])


def test_cut_bands() -> None:
    ages = cut_bands([*AGES, None], "age", [[16, 30, 45, 60], [30, 60], [60]])
    assert row(ages, "29") == ("29", "16-29", "<30", "<60", "*")
    assert row(ages, "60") == ("60", "60+", "60+", "60+", "*")
    assert row(ages, "0") == ("0", "<16", "<30", "<60", "*")
    assert validate(ages, AGES) == []
    with pytest.raises(InputError, match="D052"):
        cut_bands(AGES, "age", [[16, 30], [18]])
    with pytest.raises(InputError, match="D056"):
        cut_bands(AGES, "age", [[]])


@given(st.dictionaries(st.integers(-50, 50), st.integers(1, 20), min_size=1), st.booleans())
def test_quantile_bands_nest_and_are_even(counts: dict[int, int], missing: bool) -> None:
    values: list[str | None] = [str(v) for v in counts] + ([None] if missing else [])
    built = quantile_bands(values, [*counts.values(), 9][: len(values)], "x", [8, 4, 2])
    assert validate(built, values) == []
    people: Counter[str] = Counter()
    for one in built.rows:
        people[one[1]] += counts[int(one[0])]
    # A cut is off its quantile by less than one value's people; two levels may have become one.
    if built.height > 1:
        assert max(people.values()) <= 2 * sum(counts.values()) / 8 + 2 * max(counts.values())


def test_quantile_bands_have_equally_many_people() -> None:
    built = quantile_bands(AGES, [3] * 100, "age", [10, 5, 2])
    assert set(Counter(one[1] for one in built.rows).values()) == {10}
    assert set(Counter(one[3] for one in built.rows).values()) <= {40, 60}
    assert row(built, "0")[1:] == ("<10", "<20", row(built, "0")[3], "*")
    assert row(built, "99")[1] == "90+"
    with pytest.raises(InputError, match="D052"):
        quantile_bands(AGES, [1] * 100, "age", [2, 4])


def test_ordered_groups() -> None:
    days = ordered_groups(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], "day", [2, 2])
    assert row(days, "Tue") == ("Tue", "Mon to Tue", "Mon to Thu", "*")
    assert row(days, "Sun") == ("Sun", "Sun", "Fri to Sun", "*")
    assert validate(days) == []
    assert ordered_groups(["a", "b"], "x", [2, 2]).rows == (("a", "*"), ("b", "*"))
    with pytest.raises(InputError, match="D056"):
        ordered_groups(["a", "b"], "x", [1])


def test_date_parts() -> None:
    births = date_parts(["1984-07-05", None, "1991-12-31"], "birth", ["quarter", "year", "decade"])
    assert row(births, "1984-07-05") == ("1984-07-05", "1984-Q3", "1984", "1980s", "*")
    assert validate(births) == []
    assert date_parts(["05/07/1984"], "birth", pattern="%d/%m/%Y").rows[0][1] == "1984-07"
    # one decade only: a missing date at the top is not said to be in it
    assert births.bind(Domain("birth", (None,))).recodes[-1].domain.values == ("*",)
    with pytest.raises(InputError, match="D052"):
        date_parts(["1984-07-05"], "birth", ["year", "month"])
    with pytest.raises(InputError, match="D021"):
        date_parts(["July"], "birth")


def test_prefixes() -> None:
    codes = prefixes(["E01001", "E01002", "E02001", "W01001"], "area")
    assert row(codes, "E01002") == ("E01002", "E01", "E", "*")
    assert row(prefixes(["AB1", "AB2", "CD1"], "x", [2, 1]), "AB1") == ("AB1", "AB", "A", "*")
    assert validate(prefixes(["A", "AB", "ABC", "B"], "x")) == []
    with pytest.raises(InputError, match="D052"):
        prefixes(["AB1"], "x", [1, 2])


def test_mapped() -> None:
    continents = {"England": "Europe", "France": "Europe", "Peru": "America"}
    chained = mapped(["England", "France", "Peru", None], "country", [continents, {"Europe": "Old", "America": "New"}])
    assert row(chained, "France") == ("France", "Europe", "Old", "*")
    assert mapped(["England", "Atlantis"], "country", [continents]).rows[1] == ("Atlantis", "Atlantis", "*")
    assert mapped(["England", "Peru"], "country", [dict.fromkeys(continents, "World")]).height == 1
    with pytest.raises(InputError, match="D023"):
        mapped(["Atlantis"], "country", [continents], others="fault")


# -- automatic


@given(
    st.one_of(
        st.dictionaries(st.integers(-5000, 5000).map(str), st.integers(1, 9), min_size=1),
        st.dictionaries(st.decimals(-1000, 1000, places=2).map(str), st.integers(1, 9), min_size=1),
        st.dictionaries(st.dates().map(str), st.integers(1, 9), min_size=1),
        st.dictionaries(st.text(min_size=0, max_size=4), st.integers(1, 1000), min_size=1),
        st.dictionaries(st.from_regex(r"[A-D][0-9]{3}", fullmatch=True), st.integers(1, 9), min_size=1),
    ),
    st.booleans(),
)
def test_automatic_is_always_sound(counts: dict[str, int], missing: bool) -> None:
    values: list[str | None] = [*counts, *([None] if missing else [])]
    built, how = automatic(values, [*counts.values(), 3][: len(values)], "x")
    assert validate(built, values) == []
    assert set(built.leaves) == set(counts)
    assert how
    sizes = [len({one[level] for one in built.rows}) for level in range(built.height + 1)]
    assert sizes[-1] == 1
    if not how.startswith("dates"):
        assert sizes == sorted(set(sizes), reverse=True) or len(counts) == 1  # no level that puts nothing together


def test_automatic_says_what_it_took_them_for() -> None:
    assert automatic(["2001-02-03", "2004-05-06"], [1, 1], "x")[1].startswith("dates")
    ages, how = automatic(AGES, [1] * 100, "age")
    assert how == "numbers: 32, 16, 8, 4, 2 bands with about equally many people"
    assert row(ages, "99")[-2] == "50+"
    assert automatic(["1", "2"], [1, 1], "x")[1].startswith("names")
    assert automatic([f"K{i:03d}" for i in range(50)], [1] * 50, "x")[1].startswith("codes")
    assert row(automatic(["a", "other", "b"], [1, 1, 500], "x")[0], "a")[1] == "a|other"


def test_automatic_cuts_at_round_numbers() -> None:
    incomes = [f"{10_000 + 37 * i}.{i % 100:02d}" for i in range(2000)]
    built, _ = automatic(incomes, [1] * 2000, "income")
    cuts = {one[1] for one in built.rows}
    assert len(cuts) == 32
    assert all(label.rstrip("+").split()[-1].endswith("00") for label in cuts)


# -- ARX's format


@given(hierarchies(), st.sampled_from([";", ","]))
def test_arx_text_comes_back(hierarchy: Hierarchy, delimiter: str) -> None:
    assert parse_arx(format_arx(hierarchy, delimiter), "x").rows == hierarchy.rows


def test_arx_reads_what_people_write() -> None:
    text = '\ufeff"a;b";x;*\r\n\r\nc; x ;*\r\nc; x ;*\r\n'
    assert parse_arx(text, "v").rows == (("a;b", "x", "*"), ("c", " x ", "*"))
    assert parse_arx("a,x,*\nb,x,*", "v").rows == (("a", "x", "*"), ("b", "x", "*"))
    assert parse_arx(";none;*\n1;some;*", "v").rows[0] == ("", "none", "*")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "D055"),
        ("\n\n", "D055"),
        ("secret;x;*\nb;*\n", "D050"),
        ("secret;x;*\nsecret;y;*\n", "D051"),
        ('secret;"x;*\n', "D050"),
    ],
)
def test_arx_faults_name_no_value(text: str, code: str) -> None:
    with pytest.raises(InputError, match=code) as caught:
        parse_arx(text, "v")
    assert "secret" not in str(caught.value)


# -- validate


def test_validate_tells_every_fault_at_once() -> None:
    broken = Hierarchy("x", (("a", "p", "q", "*"), ("b", "p", "r", "*"), ("b", "p", "r", "!"), ("c", "s", "q", "*")))
    faults = validate(broken, ["a", "z", None])
    assert [fault.code for fault in faults] == ["D053", "D052", "D052", "D054", "D030"]
    assert "level 1" in faults[1].message
    with pytest.raises(InputError, match=r"more than once.*different values"):
        require_valid(broken)
    assert [fault.code for fault in validate(Hierarchy("x", (("a", "*"), ("b",))))] == ["D050"]
    assert [fault.code for fault in validate(Hierarchy("x", ()))] == ["D055"]


@needs_shared
@pytest.mark.parametrize(("dataset", "file"), [("adult", "adult.csv"), ("fars", "fars_subset.csv")])
def test_the_peers_hierarchies_are_sound(dataset: str, file: str) -> None:
    folder = SHARED / "data" / dataset
    with (folder / file).open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter=";"))
    files = sorted(folder.glob("*hierarchy*.csv"))
    assert len(files) >= 8
    for path in files:
        key = path.stem.partition("hierarchy_")[2]
        hierarchy = parse_arx(path.read_text(encoding="utf-8"), key)
        assert validate(hierarchy, sorted({one[key] for one in rows})) == [], key
        assert format_arx(hierarchy) == path.read_text(encoding="utf-8").replace("\r\n", "\n").rstrip("\n") + "\n"


# -- tree


def test_tree() -> None:
    ages = equal_bands(AGES, "age", [5, 20], top=60)
    assert tree_lines(ages, limit=2) == [
        "*  (100)",
        "├── 0-19  (20)",
        "│   ├── 0-4  (5)",
        "│   │   ├── 0",
        "│   │   ├── 1",
        "│   │   └── … 3 more",
        "│   ├── 5-9  (5)",
        "│   │   ├── 5",
        "│   │   ├── 6",
        "│   │   └── … 3 more",
        "│   └── … 2 more",
        "├── 20-39  (20)",
        "│   ├── 20-24  (5)",
        "│   │   ├── 20",
        "│   │   ├── 21",
        "│   │   └── … 3 more",
        "│   ├── 25-29  (5)",
        "│   │   ├── 25",
        "│   │   ├── 26",
        "│   │   └── … 3 more",
        "│   └── … 2 more",
        "└── … 2 more",
    ]
    arms = ["├── 0-19  (20)", "├── 20-39  (20)", "├── 40-59  (20)", "└── 60+  (40)"]
    assert tree_lines(ages, depth=1) == ["*  (100)", *arms]
    assert tree_lines(Hierarchy("x", (("a",), ("b",))), depth=3) == ["a", "b"]
