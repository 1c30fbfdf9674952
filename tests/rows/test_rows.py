"""Files in, files out: nothing is changed that no step touches, and broken files are refused with their line."""

import gzip
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incrowd.rows.tabulate as counting
from incrowd.errors import InputError
from incrowd.rows import open_source
from incrowd.rows.columns import refuse_empty_columns
from incrowd.rows.tabulate import tabulate


def read(path: Path):
    rows = open_source(path)
    return rows.columns, sorted(map(tuple, (r.values() for r in rows.collect(rows.table).to_pylist())), key=str)


def test_values_come_out_as_they_went_in(tmp_path):
    source = tmp_path / "in.csv"
    source.write_bytes(b'id,price,note\n007,1.50,"a,b"\n008,,"say ""hi"""\n009,1e5,""\n010, x ,"two\nlines"\n')
    out = tmp_path / "out.csv"
    rows = open_source(source)
    rows.write(out, "csv")
    assert read(out) == read(source)
    text = out.read_text()
    assert "007,1.50" in text
    assert '009,1e5,""' in text  # empty stays empty
    assert "008,," in text  # missing stays missing


cell = st.one_of(st.none(), st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=6))


@given(st.lists(st.tuples(cell, cell), min_size=1, max_size=8))
def test_any_text_survives_a_round_trip(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("trip")
    table = pa.table(
        {"a": pa.array([a for a, _ in lines], pa.string()), "b": pa.array([b for _, b in lines], pa.string())}
    )
    pq.write_table(table, folder / "in.parquet")
    open_source(folder / "in.parquet").write(folder / "out.csv", "csv")
    rows = open_source(folder / "out.csv")
    back = rows.collect(rows.table).to_pylist()
    assert sorted(((r["a"], r["b"]) for r in back), key=str) == sorted(lines, key=str)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_delimiters_and_byte_order_marks(tmp_path, mark, start):
    path = tmp_path / "f.csv"
    path.write_bytes(start + f"a{mark}b\r\n1{mark}é\r\n".encode())
    assert read(path) == (("a", "b"), [("1", "é")])


def test_latin1_and_gzip(tmp_path):
    (tmp_path / "l.csv").write_bytes("name,age\nZoë,3\n".encode("latin-1"))
    assert read(tmp_path / "l.csv")[1] == [("Zoë", "3")]
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert read(tmp_path / "g.csv.gz")[1] == [("1", "2")]


def test_excel(tmp_path):
    book = openpyxl.Workbook()
    for line in (["id", "n", "x"], ["007", 7, 1.5], [None, 8.0, "y"]):
        book.active.append(line)
    book.save(tmp_path / "b.xlsx")
    assert set(read(tmp_path / "b.xlsx")[1]) == {("007", "7", "1.5"), (None, "8", "y")}


BROKEN = {
    "ragged short": (b"a,b\n1,2\nCANARY\n4,5\n", "D004", "line 3"),
    "ragged long": (b"a,b\n1,2\nCANARY,2,3\n", "D004", "line 3"),
    "not utf-8": ("a,b\nCANARY,é\nx,".encode() + b"\xe9\n", "D005", "line 3"),
    "cp1252": (b"a,b\nCANARY,\x93hm\x94\n", "D005", "line 2"),
    "utf-16": ("a,b\nCANARY,2\n".encode("utf-16"), "D005", ""),
    "empty": (b"", "D002", ""),
    "blank": (b"\n\n", "D002", ""),
    "header only": (b"a,b\n", "D014", ""),
    "twice": (b"a,b,a\nCANARY,2,3\n", "D011", "line 1"),
    "twice but for case": (b"a,b,A\nCANARY,2,3\n", "D011", "line 1"),
    "unnamed": (b"a,,b\nCANARY,2,3\n", "D010", "line 1"),
    "all missing": (b"a,b\n1,\nCANARY,\n", "D015", "'b'"),
    "10 MB cell": (b"a,b\n1," + b"CANARY" * 1_700_000 + b"\n", "D007", "line 2"),
    "NUL": (b"a,b\n1,2\nCANARY,\0\n", "D008", "line 3"),
    "open quote": (b'a,b\n1,2\n"CANARY,3\n4,5\n', "D006", "line 3"),
    "text after quote": (b'a,b\n1,"CANARY"x\n', "D006", "line 2"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_its_line_and_without_its_data(tmp_path, name):
    content, code, where = BROKEN[name]
    path = tmp_path / "broken.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        rows = open_source(path)
        refuse_empty_columns(rows, rows.columns)
        tabulate(rows, rows.columns[:1])
    assert caught.value.code == code
    assert where in str(caught.value)
    chain, seen = caught.value, ""
    while chain is not None:
        seen += str(chain) + str(chain.args)
        chain = chain.__cause__ or chain.__context__
    assert "CANARY" not in seen
    assert [p.name for p in tmp_path.iterdir()] == ["broken.csv"]


@pytest.mark.parametrize("name", ["cut.csv.gz", "bad.parquet", "bad.xlsx"])
def test_a_damaged_container_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"a,b\nCANARY,2\n" * 5000)[:40] if "gz" in name else b"CANARY" * 50)
    with pytest.raises(InputError) as caught:
        rows = open_source(tmp_path / name)
        tabulate(rows, rows.columns[:1])
    assert "CANARY" not in str(caught.value)


def test_an_unknown_key_gets_a_suggestion(tmp_path):
    (tmp_path / "p.csv").write_text("age,sex\n1,f\n")
    with pytest.raises(InputError, match="Did you mean 'age'"):
        tabulate(open_source(tmp_path / "p.csv"), ["agee"])


def test_typed_parquet_is_counted_as_text_and_kept_as_it_is(tmp_path):
    table = pa.table({"n": [1, 1, None], "x": [1.5, 1.5, 2.0], "flag": [True, True, False]})
    pq.write_table(table, tmp_path / "t.parquet")
    rows = open_source(tmp_path / "t.parquet")
    assert tabulate(rows, ["n", "x", "flag"]).sizes.tolist() == [1, 2]
    rows.write(tmp_path / "out.parquet", "parquet")
    back = pq.read_table(tmp_path / "out.parquet")
    assert back.schema.types == table.schema.types
    assert pq.read_metadata(tmp_path / "out.parquet").metadata is None


def test_a_record_without_a_unit_is_refused(tmp_path):
    (tmp_path / "u.csv").write_text("id,a\np,1\n,1\n")
    with pytest.raises(InputError, match="1 records have no 'id'"):
        tabulate(open_source(tmp_path / "u.csv"), ["a"], unit="id")


def test_counting_in_the_engine_and_by_sorting_agree(tmp_path, monkeypatch):
    lines = "".join(f"{i % 7},{'' if i % 5 else 'x'},{i % 3},p{i % 11}\n" for i in range(300))
    (tmp_path / "c.csv").write_text("a,b,s,u\n" + lines)
    monkeypatch.setattr(counting, "PEEK", 64)
    tables = []
    for share in (0.0, 2.0):  # never, always let the engine group
        monkeypatch.setattr(counting, "DISTINCT_ENOUGH", share)
        for unit in (None, "u"):
            tables.append(tabulate(open_source(tmp_path / "c.csv"), ["a", "b"], ["s"], unit))
    for one, other in ((tables[0], tables[2]), (tables[1], tables[3])):
        assert [d.values for d in one.domains] == [d.values for d in other.domains]
        assert one.codes.tolist() == other.codes.tolist()
        assert one.records.tolist() == other.records.tolist()
        assert one.sizes.tolist() == other.sizes.tolist()
        pairs = zip(one.histograms["s"].cells(), other.histograms["s"].cells(), strict=True)
        assert all(mine.tolist() == theirs.tolist() for mine, theirs in pairs)
