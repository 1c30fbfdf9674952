"""How a CSV file encodes its text: a named encoding is what the file is read in, exactly, or the file is refused."""

import gzip
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.plan.data import Data
from incrowd.rows import open_source

DEFINED = {
    "cp1252": bytes(b for b in range(0x80, 0x100) if b not in b"\x81\x8d\x8f\x90\x9d"),
    "latin-1": bytes(range(0x80, 0x100)),
}


def read(path: Path, encoding: str | None, spill: Path | None = None) -> list[tuple[str | None, ...]]:
    named = Data(source=path.name, kind="survey", encoding=encoding).encoding
    rows = open_source(path, encoding=named, spill=spill)
    return [tuple(rows.columns), *(tuple(row.values()) for row in rows.collect(rows.table).to_pylist())]


@pytest.mark.parametrize("spilled", [True, False])
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("name", ["c.csv", "c.csv.gz"])
def test_every_character_of_a_named_encoding_is_read_as_it_is(tmp_path, encoding, name, spilled):
    lines = [b"%d,x%cy" % (i, byte) for i, byte in enumerate(DEFINED[encoding])]
    content = b"id,na\xefve\x96\n" + b"\n".join(lines) + b'\n"",\n'
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    spill = tmp_path / "spill"
    spill.mkdir()
    found = read(path, encoding, spill if spilled else None)
    expected = [tuple(line.split(",")) for line in content.decode(encoding).split("\n")[:-2]]
    assert found == [*expected, ("", None)]
    assert sorted(p.name for p in tmp_path.iterdir()) == [name, "spill"]


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@settings(max_examples=examples(20))
@given(values=st.lists(st.lists(st.integers(0, 200), min_size=1, max_size=5), min_size=1, max_size=6))
def test_a_named_encoding_keeps_values_apart(tmp_path_factory, encoding, values):
    letters = [bytes(DEFINED[encoding][i % len(DEFINED[encoding])] for i in value) for value in values]
    path = tmp_path_factory.mktemp("e") / "c.csv"
    path.write_bytes(b"a,b\n" + b"".join(b"1," + value + b"\n" for value in letters))
    assert [b for _, b in read(path, encoding)[1:]] == [value.decode(encoding) for value in letters]


def test_a_windows_file_is_refused_with_a_way_out_that_works(tmp_path):
    path = tmp_path / "c.csv"
    path.write_bytes(b"a,b\nO\x92Neil,\x80 5\n")
    with pytest.raises(InputError, match="encoding: cp1252") as caught:
        read(path, None)
    assert caught.value.code == "D005"
    assert read(path, "cp1252") == [("a", "b"), ("O\u2019Neil", "€ 5")]


@pytest.mark.parametrize(("encoding", "bad"), [("cp1252", b"\x81"), ("utf-8", b"\x93"), ("utf-8", b"\xe9")])
def test_what_is_not_in_the_named_encoding_is_refused_with_its_line(tmp_path, encoding, bad):
    path = tmp_path / "c.csv"
    path.write_bytes(b"a,b\n1,x\n2,ok\nCANARY," + bad + b"\n")
    with pytest.raises(InputError) as caught:
        read(path, encoding)
    assert (caught.value.code, "line 4" in str(caught.value)) == ("D005", True)
    assert "CANARY" not in str(caught.value)


def test_faults_of_a_recoded_file_have_its_name_and_line(tmp_path):
    path = tmp_path / "c.csv"
    path.write_bytes(b"a,b\n\x93,1\nCANARY\n")
    with pytest.raises(InputError, match=r"line 3 of c\.csv"):
        read(path, "cp1252")
