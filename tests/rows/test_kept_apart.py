"""Two values that any common reader keeps apart are never one class, and go out as they came in, or are refused."""

import csv
import datetime
import gzip
import io
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from examples import examples, quick_only
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.rows import open_source
from incrowd.tasks.verify import verify

DAY = datetime.date(2020, 1, 2)
NOON = datetime.datetime(2020, 1, 2, 12)


def _refused(path: Path, code: str, *said: str) -> None:
    with pytest.raises(InputError) as caught:
        verify(path, ["a"])
    assert caught.value.code == code, caught.value
    assert all(text in str(caught.value) for text in said), caught.value


def _parts(folder: Path, *columns: pa.Array) -> Path:
    folder.mkdir(exist_ok=True)
    for number, column in enumerate(columns):
        order = pa.array(range(100 * number, 100 * number + len(column)), pa.int64())
        pq.write_table(pa.table({"a": column, "b": order}), folder / f"p{number}.parquet")
    return folder


# Folders of Parquet files

PARTS: dict[str, tuple[pa.Array, pa.Array]] = {
    "whole, then floating": (pa.array([2, 2]), pa.array([1.6, 2.4])),
    "floating, then whole": (pa.array([1.0]), pa.array([2**53, 2**53 + 1])),
    "single, then double": (pa.array([0.1], pa.float32()), pa.array([0.1, 0.1000000001])),
    "date, then time": (pa.array([DAY]), pa.array([NOON])),
    "micro, then nano": (pa.array([1], pa.timestamp("us")), pa.array([1001, 1002], pa.timestamp("ns"))),
    "micro, then nano of a day": (pa.array([1], pa.time64("us")), pa.array([1001, 1002], pa.time64("ns"))),
    "decimal, then floating": (pa.array([Decimal("1.5")], pa.decimal128(3, 1)), pa.array([1.49, 1.51])),
    "decimal of fewer places": (pa.array([Decimal("1.5")], pa.decimal128(3, 1)), pa.array([Decimal("1.46")])),
    "yes and no, then whole": (pa.array([True]), pa.array([1, 2])),
    "whole, then text": (pa.array([1]), pa.array(["1", "01"])),
    "text, then whole": (pa.array(["1"]), pa.array([1])),
    "whole of two widths": (pa.array([1], pa.int8()), pa.array([300], pa.int64())),
    "zone, then none": (pa.array([1], pa.timestamp("us", "UTC")), pa.array([1], pa.timestamp("us"))),
    "nothing, then text": (pa.nulls(1), pa.array(["x"])),
    "text, then bytes": (pa.array(["x"]), pa.array([b"x"])),
    "text, then lists": (pa.array(["x"]), pa.array([["x"]])),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_different_types_are_refused(tmp_path, name):
    _refused(_parts(tmp_path / "f", *PARTS[name]), "D272", "part 2 of 2")
    _refused(_parts(tmp_path / "g", *reversed(PARTS[name])), "D272", "part 2 of 2")


ALIKE = {
    "order of the columns": (pa.table({"a": [1], "b": ["x"]}), pa.table({"b": ["y"], "a": [2]})),
    "texts stored otherwise": (
        pa.table({"a": [1], "b": ["x"]}),
        pa.table({"a": [2], "b": pa.array(["y"]).dictionary_encode()}),
    ),
    "large texts": (pa.table({"a": [1], "b": ["x"]}), pa.table({"a": [2], "b": pa.array(["y"], pa.large_string())})),
    "never missing": (
        pa.table({"a": [1], "b": ["x"]}),
        pa.table([[2], ["y"]], pa.schema([pa.field("a", pa.int64(), False), pa.field("b", pa.string(), False)])),
    ),
}


@pytest.mark.parametrize("name", ALIKE)
def test_parts_that_differ_in_how_they_are_stored_are_read_by_name(tmp_path, name):
    for number, part in enumerate(ALIKE[name]):
        pq.write_table(part, tmp_path / f"p{number}.parquet")
    rows = open_source(tmp_path)
    assert sorted((r["a"], r["b"]) for r in rows.collect(rows.table).to_pylist()) == [(1, "x"), (2, "y")]


@pytest.mark.parametrize("second", [{"a": [1]}, {"a": [1], "b": [2], "c": [3]}, {"A": [1], "b": [2]}])
def test_parts_of_different_columns_are_refused(tmp_path, second):
    pq.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "p0.parquet")
    pq.write_table(pa.table(second), tmp_path / "p1.parquet")
    _refused(tmp_path, "D273", "part 2 of 2")


@pytest.mark.parametrize("names", [["a", "a"], ["a", "A"], ["a", "b", "B"]])
@pytest.mark.parametrize("kind", ["parquet", "folder", "csv", "xlsx"])
def test_two_columns_of_one_name_are_refused(tmp_path, names, kind):
    path = tmp_path / f"f.{kind}"
    if kind == "xlsx":
        book = openpyxl.Workbook()
        book.active.append(names)
        book.active.append(list(range(len(names))))
        book.save(path)
    elif kind == "csv":
        path.write_text(",".join(names) + "\n" + ",".join("123"[: len(names)]) + "\n")
    else:
        path.mkdir() if kind == "folder" else None
        table = pa.Table.from_arrays([pa.array([i]) for i in range(len(names))], names=names)
        pq.write_table(table, path / "p.parquet" if kind == "folder" else path)
    _refused(path, "D011")


def test_a_column_of_a_folder_s_name_that_is_in_the_files_too_is_refused(tmp_path):
    (tmp_path / "a=1").mkdir()
    pq.write_table(pa.table({"a": ["2"], "b": ["x"]}), tmp_path / "a=1" / "p.parquet")
    _refused(tmp_path, "D011")


def test_data_that_a_folder_would_leave_out_is_refused(tmp_path):
    folder = _parts(tmp_path / "f", pa.array([1]))
    (folder / "more.csv").write_text("a,b\n1,2\n")
    _refused(folder, "D275", "1 other file")
    (folder / "more.csv").rename(folder / "_more.csv")
    assert verify(folder, ["a"]).records == 1
    pq.write_table(pa.table({"a": [1]}), folder / "p1.PARQUET")
    _refused(folder, "D275")


# One Parquet file


def test_numbers_that_an_engine_would_round_are_refused(tmp_path):
    many = pa.array([Decimal("1" * 60), Decimal("1" * 59 + "2")], pa.decimal256(60, 0))
    pq.write_table(pa.table({"b": [1, 2], "a": many}), tmp_path / "f.parquet")
    _refused(tmp_path / "f.parquet", "D274", "column 2")


def test_old_times_are_read_as_far_as_they_are_exact(tmp_path):
    path, old = tmp_path / "f.parquet", {"use_deprecated_int96_timestamps": True}
    pq.write_table(pa.table({"a": pa.array([1000, 2000], pa.timestamp("ns"))}), path, **old)
    assert verify(path, ["a"]).classes == 2
    pq.write_table(pa.table({"a": pa.array([1001, 1002], pa.timestamp("ns"))}), path, **old)
    _refused(path, "D274", "INT96")


TYPES: dict[str, tuple[pa.DataType, Any]] = {
    "whole": (pa.int64(), st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(2**53, 2**53 + 3))),
    "natural": (pa.uint64(), st.integers(2**64 - 4, 2**64 - 1)),
    "double": (pa.float64(), st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 0.1, 0.1 + 2**-55, 0.3, 0.1 + 0.2]))),
    "single": (pa.float32(), st.floats(width=32)),
    "decimal": (pa.decimal128(38, 9), st.decimals(-(10**28), 10**28, places=9)),
    "seconds": (pa.timestamp("s"), st.integers(-(10**9), 10**9)),
    "micro": (pa.timestamp("us"), st.integers(-(10**15), 10**15)),
    "nano": (pa.timestamp("ns"), st.integers(-1000, 1000)),
    "nano in a zone": (pa.timestamp("ns", "Europe/London"), st.integers(1635638400 * 10**9, 1635638400 * 10**9 + 999)),
    "an hour twice": (pa.timestamp("us", "Europe/London"), st.sampled_from([1635641999 * 10**6, 1635645599 * 10**6])),
    "nano of a day": (pa.time64("ns"), st.integers(0, 3000)),
    "span": (pa.duration("us"), st.integers(-1000, 1000)),
    "date": (pa.date32(), st.integers(-100_000, 100_000)),
    "yes and no": (pa.bool_(), st.booleans()),
    "text": (
        pa.string(),
        st.one_of(
            st.text(st.characters(blacklist_categories=["Cs"]), max_size=3),
            st.sampled_from(["", " ", "York", " York", "York ", "NULL", "\\N", "é", "e\u0301", "\ufeff", "1", "1."]),
        ),
    ),
}  # fmt: skip


def _same(one: Any, other: Any) -> bool:
    """As pyarrow and numpy tell values apart; -0.0 prints otherwise than 0.0, all that is no number alike."""
    if isinstance(one, float) and isinstance(other, float):
        return (math.isnan(one) and math.isnan(other)) or (
            one == other and math.copysign(1, one) == math.copysign(1, other)
        )
    return type(one) is type(other) and bool(one == other)


def _classes(values: list[Any]) -> int:
    different: list[Any] = []
    for value in values:
        if not any(_same(value, seen) for seen in different):
            different.append(value)
    return len(different)


@pytest.mark.parametrize("name", quick_only(["text", "whole", "double", "date"], TYPES))
@settings(max_examples=examples(25), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_arrow_keeps_apart_is_kept_apart_and_written_as_it_came(tmp_path, name, data):
    kind, values = TYPES[name]
    drawn = data.draw(st.lists(st.one_of(st.none(), values), min_size=1, max_size=8))
    column = pa.array(drawn, kind)
    cut = data.draw(st.integers(0, len(drawn)))
    for path in (_parts(tmp_path / "parts", column[:cut], column[cut:]), _parts(tmp_path / "one", column)):
        at_start = _exact(pq.read_table(path).sort_by("b")["a"])
        assert verify(path, ["a"]).classes == _classes(at_start), drawn
        open_source(path).write(tmp_path / "out.parquet", "parquet")
        assert all(map(_same, _exact(pq.read_table(tmp_path / "out.parquet").sort_by("b")["a"]), at_start)), drawn


def _exact(column: pa.ChunkedArray) -> list[Any]:
    """The values, times as numbers of nanoseconds: Python's own times do not hold them."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp("ns", kind.tz)).cast(pa.int64())
    elif pa.types.is_time(kind) or pa.types.is_duration(kind):
        column = column.cast(pa.int64())
    return column.to_pylist()


# CSV

cells = st.one_of(
    st.sampled_from(
        ["York", " York", "York ", '"York"', ' "York"', '"York" ', '" York"', '""', "", " ", "5'", '5"', "NULL"]
    ),
    st.sampled_from(
        ['"a""b"', '"a,b"', '"a\nb"', '"a\r\nb"', '"a\rb"', '\t"a"', '"a"\t', '"a"b', '"', "a\rb", "#a", "\\N"]
    ),
    st.text('ab ",\t\r\n', max_size=4),
)


@pytest.mark.slow
@settings(max_examples=examples(300), suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.booleans(),
)
@example([("York", "1"), (' "York"', "1"), ('"York" ', "1")], "\n", True, False)
@example([("a", "b"), ("c", "d,")], "\n", True, False)
def test_a_csv_file_is_read_as_python_reads_it_or_refused(tmp_path, lines, end, last, packed):
    text = "x,y" + end + end.join(",".join(line) for line in lines) + (end if last else "")
    path = tmp_path / ("f.csv.gz" if packed else "f.csv")
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    try:
        rows = open_source(path)
        found = [tuple(row.values()) for row in rows.collect(rows.table).to_pylist()]
    except InputError as fault:
        assert fault.code in ("D004", "D006", "D266", "D267")
        return
    wanted = [tuple(line) for line in csv.reader(io.StringIO(text, newline="")) if line][1:]
    assert [tuple(cell or "" for cell in line) for line in found] == wanted
    if wanted:
        assert verify(path, ["x", "y"]).classes == len(set(found)) >= len(set(wanted))


def _written(text: str, delimiter: str, quoted: bool) -> str:
    needed = quoted or any(sign in text for sign in f'"\r\n{delimiter}')
    return '"' + text.replace('"', '""') + '"' if needed else text


ends = st.sampled_from(["\n", "\r\n", "\r"])
signs = st.lists(st.sampled_from([*"ab é'\"\\,;|\t#\n\r", "\r\n", "\u2028"]), max_size=3).map("".join)


@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(signs, st.booleans()), min_size=2, max_size=2),
    st.lists(st.tuples(*[st.tuples(signs, st.booleans())] * 2), max_size=4),
    st.sampled_from(",;\t|"), ends, st.sampled_from(["utf-8", "utf-8-sig"]), st.booleans(),
)  # fmt: skip
@example([("a,", True), ("b", False)], [(("1", False), ("2", False))], ",", "\n", "utf-8-sig", True)
@example([("a\n", True), ("b", False)], [(("1", False), ("2", False))], ",", "\r\n", "utf-8", True)
def test_names_and_records_are_those_that_python_reads(tmp_path, names, lines, mark, end, encoding, last):
    header = [(f"n{i}{name}", quoted) for i, (name, quoted) in enumerate(names)]
    text = end.join(mark.join(_written(*cell[:1], mark, cell[1]) for cell in line) for line in [header, *lines])
    (tmp_path / "f.csv").write_bytes((text + (end if last else "")).encode(encoding))
    try:
        rows = open_source(tmp_path / "f.csv", delimiter=mark)
        found = [
            rows.columns,
            *(tuple(cell or "" for cell in r.values()) for r in rows.collect(rows.table).to_pylist()),
        ]
    except InputError as fault:
        assert fault.code in ("D268", "D305")
        return
    assert found == [tuple(line) for line in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if line]


@pytest.mark.parametrize("cell", [' "York"', '"York" ', '  "York"', '"York"  '])
def test_a_blank_beside_a_quotation_mark_is_refused_with_its_line(tmp_path, cell):
    path = tmp_path / "f.csv"
    path.write_text(f"a,b\nYork,1\n{cell},1\n")
    _refused(path, "D266", "line 3")
    path.write_text(f"a,b\nYork,1\n1,{cell}\n")
    _refused(path, "D266", "line 3")


def test_parts_of_a_packed_file_that_lie_one_after_the_other_are_all_read(tmp_path):
    path = tmp_path / "f.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\nYork,1\n") + gzip.compress(b"Leeds,2\n"))
    assert verify(path, ["a"]).classes == 2
