"""Tables in memory count as the file with the same content does: missing values, numbers, categories, dates."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import incrowd as ic
from incrowd.errors import InputError
from incrowd.rows import open_source

TEXT = """\
number,gaps,real,category,born,text,yes
1,1,1.5,a,1990-01-01,x,true
2,,2.25,b,1990-01-01,"",false
3,3,1.5,,,,true
1,1,1.5,a,1991-05-06,x,
"""
KINDS = {
    "number": pa.int64(), "gaps": pa.int64(), "real": pa.float64(), "category": pa.dictionary(pa.int32(), pa.string()),
    "born": pa.date32(), "text": pa.string(), "yes": pa.bool_(),
}  # fmt: skip
COLUMNS = {
    "number": [1, 2, 3, 1], "gaps": [1, None, 3, 1], "real": [1.5, 2.25, 1.5, 1.5], "category": ["a", "b", None, "a"],
    "born": ["1990-01-01", "1990-01-01", None, "1991-05-06"], "text": ["x", "", None, "x"],
    "yes": [True, False, True, None],
}  # fmt: skip


def arrow() -> pa.Table:
    days = pa.array(COLUMNS["born"], pa.string()).cast(pa.date32())
    return pa.table({n: days if n == "born" else pa.array(v).cast(KINDS[n]) for n, v in COLUMNS.items()})


def pandas() -> pd.DataFrame:
    frame = pd.DataFrame({**COLUMNS, "born": pd.to_datetime(COLUMNS["born"])})
    frame["category"] = frame["category"].astype("category")
    assert frame["gaps"].dtype == np.float64  # 1.0, where the file has 1
    return frame


def polars() -> Any:
    return pytest.importorskip("polars").from_arrow(arrow())


class Stream:
    """A table of somebody else's: all that is known of it is Arrow's C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return arrow().__arrow_c_stream__(requested_schema)


class Exporter:
    """A table that can only be asked for an Arrow table."""

    def to_arrow(self) -> pa.Table:
        return arrow()


@pytest.mark.slow
@pytest.mark.parametrize("make", [pandas, arrow, polars, Stream, Exporter])
def test_a_table_counts_as_its_file_does(tmp_path: Path, make: Any) -> None:
    file = tmp_path / "file.csv"
    file.write_text(TEXT)
    rows, wanted = open_source(make()), open_source(file)
    assert rows.columns == wanted.columns
    for name in rows.columns:
        assert rows.value_counts(name) == wanted.value_counts(name), name
    keys = list(COLUMNS)
    models = [ic.K(2), ic.DistinctL("text", 2)]
    assert ic.verify(make(), keys[:3], models) == ic.verify(file, keys[:3], models)
    assert ic.verify(make(), keys[:1], population=make()) == ic.verify(file, keys[:1], population=file)


def test_an_arrow_schema_of_large_and_of_seen_texts_is_read() -> None:
    table = arrow().cast(pa.schema([(n, pa.large_string() if n == "text" else k) for n, k in KINDS.items()]))
    assert open_source(table).value_counts("text") == {"x": 2, "": 1, None: 1}
    if hasattr(pa, "string_view"):
        seen = pa.table({"text": pa.array(["x", None], pa.string_view())})
        assert open_source(seen).value_counts("text") == {"x": 1, None: 1}


def test_a_missing_value_of_pandas_is_missing_however_it_is_written() -> None:
    for missing in (None, np.nan, pd.NA, float("nan")):
        frame = pd.DataFrame({"a": pd.Series(["x", missing], dtype=object), "b": [1, 2]})
        assert open_source(frame).value_counts("a") == {"x": 1, None: 1}
    assert open_source(pd.DataFrame({"a": [None, None], "b": [1, 2]})).value_counts("a") == {None: 2}


def test_numbers_that_are_not_whole_stay_as_they_are() -> None:
    frame = pd.DataFrame({"halves": [1.5, None, 2.0], "whole": [1.0, 2.0, 3.0], "large": [1e300, None, 2.0]})
    rows = open_source(frame)
    assert rows.value_counts("halves") == {"1.5": 1, None: 1, "2.0": 1}
    assert rows.value_counts("whole") == {"1.0": 1, "2.0": 1, "3.0": 1}  # nothing is missing: it was written so
    assert "2.0" in rows.value_counts("large")


UTC, PARIS = dt.UTC, dt.timezone(dt.timedelta(hours=1))
#: Values that Arrow or an engine makes alike, and pandas writes as they are.
APART: list[Any] = [
    [0.0, -0.0, None],
    [Decimal("1.10"), Decimal("1.1"), None],
    [dt.date(1990, 1, 1), dt.datetime(1990, 1, 1, 5)],
    [dt.datetime(2020, 1, 1, tzinfo=UTC), dt.datetime(2020, 1, 1, 1, tzinfo=PARIS), dt.datetime(2020, 1, 1)],
    pd.Series([pd.Timestamp(1), pd.Timestamp(2)], dtype=object),
    pd.Series([2**63, 2**70, 1, None], dtype=object),
    pd.cut([1, 2, 30, np.nan], [0, 5, 40]),
    pd.PeriodIndex(["2020-01", "2020-02"], freq="M"),
    pd.Categorical([Decimal("1.10"), Decimal("2.5"), None]),
]


@pytest.mark.parametrize("values", APART, ids=str)
def test_what_pandas_writes_apart_is_counted_apart(tmp_path: Path, values: Any) -> None:
    frame = pd.DataFrame({"x": values, "y": 1})
    frame.to_csv(tmp_path / "file.csv", index=False)
    assert open_source(frame).value_counts("x") == open_source(tmp_path / "file.csv").value_counts("x")


def test_times_that_last_and_halves_stay_apart_to_the_last_digit() -> None:
    for values in (
        pa.array([1, 2, None], pa.duration("ns")),
        pa.array([1, 2, 86_400_000], pa.date64()),
        pa.array([np.float16(1), np.float16(2), None], pa.float16()),
        pa.array([Decimal(1), Decimal(2), None], pa.decimal256(30, 3)),
        pa.array([Decimal(100), Decimal(200), None], pa.decimal128(9, -2)),
    ):
        assert len(open_source(pa.table({"x": values})).value_counts("x")) == 3
    lasting = pd.DataFrame({"x": pd.to_timedelta([1, 2, 3])})
    assert len(open_source(lasting).value_counts("x")) == 3


def test_a_number_that_is_none_is_one_value() -> None:
    """An engine writes nan and -nan: a class would look more diverse than it is."""
    table = pa.table({"x": pa.array(np.array([np.nan, -np.nan])), "y": ["a", "a"]})
    assert open_source(table).value_counts("x") == {"nan": 2}
    assert ic.verify(table, ["y"], [ic.DistinctL("x", 2)]).findings[0].achieved == 1


def test_a_class_made_from_a_data_frame_is_one() -> None:
    Mine: Any = type("Mine", (pd.DataFrame,), {})
    assert open_source(Mine({"a": [1, None]}, index=[3, 4])).columns == ("a",)
    assert open_source(Mine({"a": [1, None]})).value_counts("a") == {"1": 1, None: 1}
    with pytest.raises(InputError, match="D314"):
        open_source(Mine({"a": [1]}, index=pd.Index([7], name="person")))


def test_what_is_open_shows_no_value_of_anybody() -> None:
    rows = open_source(pd.DataFrame({"name": ["SECRET", "\x1b[2J"], "SECRET2": [1, 2]}))
    assert repr(rows) == "Rows: 2 columns of the table"
    table = ic.tabulate(rows, ["name"])
    assert repr(table) == "KeyTable: 2 records in 2 classes by name"
    assert "SECRET" not in repr(table.domains)


def test_a_moment_that_is_no_midnight_keeps_its_time() -> None:
    rows = open_source(pd.DataFrame({"at": pd.to_datetime(["1990-01-01 00:00", "1990-01-01 12:30"])}))
    assert set(rows.value_counts("at")) == {"1990-01-01 00:00:00", "1990-01-01 12:30:00"}


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (pd.DataFrame({"a": [1, "SECRET"]}), "D315"),
        (pd.DataFrame({"a": pd.Series([1.5, True], dtype=object)}), "D315"),
        (pd.DataFrame({"a": pd.Series([1, 1.0], dtype=object)}), "D315"),
        (pd.DataFrame({"": [1], "b": [1]}), "D010"),
        (pd.DataFrame({"a": [b"SECRET"]}), "D066"),
        (pa.table({"a": pa.array([b"SECRET"], pa.binary(6))}), "D066"),
        (pa.table({"a": pa.RunEndEncodedArray.from_arrays([1], ["SECRET"])}), "D066"),
        (pd.DataFrame(), "D315"),
        (pd.DataFrame({"a": [1]}, index=pd.Index([7], name="person")), "D314"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "D"),
        (pa.table([[1], [2]], names=["a", "a"]), "D"),
        (pa.table({"incrowd_x": [1]}), "D065"),
        (pa.table({"a": [[1]]}), "D066"),
        (3, "D316"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_without_its_values(table: Any, code: str) -> None:
    with pytest.raises(InputError, match=code) as refused:
        open_source(table)
    assert "SECRET" not in str(refused.value)
    assert refused.value.__context__ is None


def test_an_index_without_a_name_is_no_column() -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]})
    assert open_source(frame[frame["a"] > 1]).columns == ("a",)


@pytest.mark.slow
def test_every_task_that_reads_records_takes_a_table(tmp_path: Path) -> None:
    frame = pd.DataFrame({
        "age": [30, 30, 40, 40], "sex": ["f", "f", "m", "m"], "postcode": ["NE3 1ED"] * 4, "people": [5, 6, 7, 8],
    })  # fmt: skip
    frame.to_csv(tmp_path / "people.csv", index=False)
    file = tmp_path / "people.csv"
    assert ic.verify(frame, ["age"], [ic.K(2)]).passed
    assert ic.risk(frame, ["age", "sex"]).to_arrow() == ic.risk(file, ["age", "sex"]).to_arrow()
    known = ic.Background(population=frame)
    assert ic.risk(frame, ["age"], background=known).measured[0].records == 4
    assert ic.search(frame, ["age", "sex"], [ic.K(2)], auto=True, out=tmp_path / "out.csv").records == 4
    assert ic.profile(frame).columns == ic.profile(file).columns
    assert ic.init(frame, source="people.csv") == ic.init(file, tmp_path / "plan.yaml")
    with pytest.raises(InputError, match="D318"):
        ic.init(frame)
    built = ic.hierarchy_build(frame, "age", widths=[5, 10])
    assert ic.hierarchy_validate(built.hierarchy, data=frame).ok
    ours, theirs = (ic.postcode_analyse(one, "postcode", ["people"], threshold=2) for one in (frame, file))
    assert ours.to_arrow() == theirs.to_arrow()
    assert ic.postcode_merge(frame, "postcode", ["people"], threshold=2).passes
    rows = ic.open_source(frame)
    assert ic.open_source(rows) is rows
