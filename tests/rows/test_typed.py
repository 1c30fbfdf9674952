"""Types in a Parquet release: whoever reads them as texts reads what was there, letter by letter."""

import datetime as dt
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case
from steps import rows_of

import incrowd as ic
from incrowd.release.recount import read_back
from incrowd.rows import open_source
from incrowd.rows.typed import as_types, exact_types

TEXTS = st.one_of(
    st.integers(-(10**19), 10**19).map(str),
    st.integers(-3, 12).map(str),
    st.decimals(-1000, 1000, places=2).map(str),
    st.decimals(-1, 1, places=6).map(lambda d: format(d, "f")),
    st.dates().map(str),
    st.sampled_from(["007", "+5", " 3", "3 ", "1e3", "-0", "-0.00", "0.00", "1.50", "1.5", ".5", "5.", "NaN", "inf", "",
                     "2024-02-30", "2024-2-3", "0001-01-01", "1_000", "٣", "9223372036854775807", "2024-05-31T00:00:00",
                     "1\\n", "0x1F", "999999999999999999", "-999999999999999999", "123456789012345.25", "*"]),
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.lists(st.none() | TEXTS, min_size=4, max_size=4), min_size=1, max_size=3), st.data())
def test_no_reader_sees_another_text(tmp_path_factory, columns, data):
    if data.draw(st.booleans()):  # columns of one kind are rare among drawn ones
        kind = data.draw(
            st.sampled_from(
                [st.integers(-5, 10**6).map(str), st.dates().map(str), st.decimals(-9, 9, places=2).map(str)]
            )
        )
        columns[0] = data.draw(st.lists(st.none() | kind, min_size=4, max_size=4))
    given_columns = {f"c{i}": cells for i, cells in enumerate(columns)}
    rows = rows_of(given_columns)
    kinds = exact_types(rows, rows.columns)
    file = tmp_path_factory.mktemp("typed") / "data.parquet"
    as_types(rows, kinds).write(file, "parquet")
    again = open_source(file)
    count = read_back(file, "parquet")
    assert count.one_text(rows.columns)
    for name, cells in given_columns.items():
        assert again.value_counts(name) == Counter(cells), "the engine"
        assert count.people([name]) == {(value,): n for value, n in Counter(cells).items()}, "the gate"
        arrow = pq.read_table(file)[name]
        assert Counter(arrow.cast(pa.string()).to_pylist()) == Counter(cells), "anybody"
        # pandas makes floating point numbers of integers where one is missing.
        assert arrow.to_pandas().nunique() == len({*cells} - {None}), "pandas"


@pytest.mark.parametrize(
    ("cells", "kind", "first"),
    [
        (["1", "-20", None], "int64", 1),
        (["2024-05-31", "1999-01-01"], "date32[day]", dt.date(2024, 5, 31)),
        (["1.50", "-2.25"], "decimal128(18, 2)", Decimal("1.50")),
        (["1", "007"], "string", "1"),
        (["1", ""], "string", "1"),
        (["1.5", "2"], "string", "1.5"),
        (["1.5", "2.25"], "string", "1.5"),
        (["-0"], "string", "-0"),
        (["-0.00", "1.00"], "string", "-0.00"),
        (["900719925474099312", None], "string", "900719925474099312"),
        (["900719925474099312", "1"], "int64", 900719925474099312),
        (["9223372036854775807"], "string", "9223372036854775807"),
        (["2024-02-30"], "string", "2024-02-30"),
        ([None, None], "string", None),
        (["1.1234567"], "string", "1.1234567"),
    ],
)
def test_what_becomes_of_a_column(tmp_path, cells, kind, first):
    rows = rows_of({"x": cells})
    as_types(rows, exact_types(rows, ["x"])).write(tmp_path / "x.parquet", "parquet")
    table = pq.read_table(tmp_path / "x.parquet")
    assert str(table.schema.field("x").type) == kind
    assert table["x"][0].as_py() == first


@pytest.mark.parametrize("parts", [False, True])
def test_a_release_keeps_its_types_and_the_gate_counts_them(tmp_path, parts):
    lines = "".join(
        f"n{i},{20 + i % 4},{'fm'[i % 2]},{i % 3}.50,2024-05-{10 + i % 9}\n" if i % 7 else f"n{i},,f,,\n"
        for i in range(60)
    )
    plan = write_case(tmp_path, plan_with(
        steps=[{"step": "drop", "variables": ["name"]}, {"step": "suppress_records"}],
        requirements=[{"model": "k", "k": 3},
                      {"model": "distinct_l", "sensitive": "ill", "l": 2, "where": {"age": ["21"]}}],
        release={"format": "parquet", "name": "people", "parts": parts},
    ), lines)  # fmt: skip
    run = ic.run(plan)
    table = pq.read_table(Path(run.release) / ("people" if parts else "people.parquet"))
    kinds = [str(field.type) for field in table.schema]
    assert kinds == ["int64", "string", "decimal128(18, 2)", "date32[day]"]
    assert table["age"].null_count == sum(i % 7 == 0 for i in range(60))
    package = (Path(run.release) / "datapackage.json").read_text()
    types = [field["type"] for field in yaml.safe_load(package)["resources"][0]["schema"]["fields"]]
    assert types == ["integer", "string", "number", "date"]
    assert ic.reproduce(run.release).same
    assert ic.review(run.release).requirements


def test_the_gate_refuses_a_typed_file_that_holds_too_few(tmp_path):
    """Integers are counted as what they are: 20 and 21 are two values, and each is one person's."""
    lines = "".join(f"n{i},{20 + i},f,y,1\n" for i in range(9))
    plan = write_case(tmp_path, plan_with(
        steps=[{"step": "drop", "variables": ["name"]}], release={"format": "parquet", "name": "people"},
    ), lines)  # fmt: skip
    with pytest.raises(ic.NotReleasable, match="R001"):
        ic.run(plan)
