"""Files that cannot be read are refused with a code and a way out, and nothing of a file is left out in silence."""

import gzip
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from peak import PEAK
from people import plan_with, write_case

from incrowd.errors import InputError, SecretError
from incrowd.pipeline.check import load_plan
from incrowd.rows import open_source
from incrowd.rows.dialect import sniff
from incrowd.rows.lookup import read_hierarchy, read_lookup
from incrowd.secret import FILE, find_secret
from incrowd.tasks.verify import verify

needs_user = pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")


def refused(path: Path, code: str, *said: str) -> None:
    with pytest.raises(InputError) as caught:
        verify(path, ["a"])
    assert caught.value.code == code, caught.value
    assert caught.value.hint, caught.value
    assert all(text in str(caught.value) for text in said), caught.value


# Lines

LAST = {
    "70 MB in the last line": (b"a,b\n1,2\n3," + b"z" * 70_000_000, "D007", "line 3"),
    "70 MB and a line end": (b"a,b\n1,2\n3," + b"z" * 70_000_000 + b"\n", "D007", "line 3"),
    "3 MB": (b"a,b\n1,2\n3," + b"z" * 3_000_000, "D007", "line 3"),
    "many short lines in quotation marks": (b'a,b\n1,2\n3,"' + b"zzz\n" * 1_000_000 + b'"', "D007", "line 3"),
    "in the middle": (b"a,b\n3," + b"z" * 3_000_000 + b"\n1,2\n", "D007", "line 2"),
    "a field too many at the end": (b"a,b\n1,2\n3,4,", "D004", "line 3"),
    "a field too few at the end": (b"a,b\n1,2\n3", "D004", "line 3"),
    "fields too many in every line": (b"a,b\n1,2,\n3,4,\n", "D004", "line 2"),
    "an open quotation mark in the last line": (b'a,b\n1,2\n3,"4', "D006", "line 3"),
    "an open quotation mark in the header": (b'a,"b\n1,2\n3,4\n', "D006", "line 1"),
    "LF after CR LF": (b"a,b\r\n1,2\n3,4\r\n", "D267", "line 2"),
    "CR LF after LF": (b"a,b\n1,2\r\n3,4\n", "D267", "line 2"),
    "CR in a line": (b"a,b\n1\r,2\n3,4\n", "D267", "line 2"),
    "CR at the end": (b"a,b\n1,2\n3,4\r", "D267", "line 3"),
    "LF in a name, CR LF elsewhere": (b'"a\nx",b\r\n1,2\r\n3,4\r\n', "D268", "line 1"),
    "a byte order mark before a name with a delimiter": (b'\xef\xbb\xbf"a,x",b\n1,2\n3,4\n', "D305", "line 1"),
    "a byte order mark before a name with a line end": (b'\xef\xbb\xbf"a\nx",b\n1,2\n3,4\n', "D305", "line 1"),
    "CR in a name, LF elsewhere": (b'"a\rx",b\n1,2\n3,4\n', "D268", "line 1"),
    "CR LF in a name, LF elsewhere": (b'"a\r\nx",b\n1,2\n3,4\n', "D268", "line 1"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", LAST)
def test_no_line_is_left_out_in_silence(tmp_path, name, packed):
    content, code, where = LAST[name]
    path = tmp_path / ("f.csv.gz" if packed else "f.csv")
    path.write_bytes(gzip.compress(content, 1) if packed else content)
    refused(path, code, where)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_is_read_and_may_be_in_a_name_and_in_a_value(tmp_path, end):
    path = tmp_path / "f.csv"
    path.write_bytes(f'"a{end}x",b{end}1,"2{end}3"{end}4,5'.encode())
    rows = open_source(path)
    assert rows.columns == (f"a{end}x", "b")
    assert [tuple(r.values()) for r in rows.collect(rows.table).to_pylist()] == [("1", f"2{end}3"), ("4", "5")]


def test_a_byte_order_mark_before_a_quoted_name_is_no_part_of_it(tmp_path):
    (tmp_path / "f.csv").write_bytes(b'\xef\xbb\xbf"a","b,c"\n1,2\n')
    rows = open_source(tmp_path / "f.csv")
    assert (rows.columns, rows.count()) == (("a", "b,c"), 1)


def test_the_pieces_in_which_a_file_is_read_do_not_matter(tmp_path, monkeypatch):
    path = tmp_path / "f.csv"
    path.write_bytes('a,"b"\r\n"x""y\r\nz",é\r\n ,""\r\n\r\n"",5"'.encode())
    whole = sniff(path)
    for size in range(1, 12):
        monkeypatch.setattr("incrowd.rows.dialect._CHUNK", size)
        monkeypatch.setattr("incrowd.rows.dialect._head", lambda path: path.read_bytes())
        assert sniff(path) == whole


def test_many_columns_are_looked_at_once_each(tmp_path):
    path = tmp_path / "f.csv"

    def seconds(columns: int) -> float:
        path.write_text(",".join(f"c{i}" for i in range(columns)) + "\n" + ",".join(["1"] * columns) + "\n")
        start = time.process_time()
        assert len(sniff(path).columns) == columns
        return time.process_time() - start

    seconds(10)
    assert seconds(100_000) < 3


@pytest.mark.parametrize("delimiter", [",,", "", "§", '"', "\n"])
def test_a_delimiter_that_is_none_is_refused(tmp_path, delimiter):
    (tmp_path / "f.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="D269"):
        open_source(tmp_path / "f.csv", delimiter=delimiter)


# Packed files

WHOLE = gzip.compress(b"a,b\n" + b"".join(b"%d,CANARY%d\n" % (i % 9, i * i) for i in range(5000)))
DAMAGED = {
    "cut": WHOLE[: len(WHOLE) // 2],
    "without its end": WHOLE[:-8],
    "another sum": WHOLE[:-8] + bytes([WHOLE[-8] ^ 1]) + WHOLE[-7:],
    "another length": WHOLE[:-1] + b"\x01",
    "damaged in the middle": WHOLE[:500] + bytes(byte ^ 255 for byte in WHOLE[500:540]) + WHOLE[540:],
    "no packed file": b"a,b\n1,2\n",
    "something behind it": WHOLE + b"CANARY",
    "the beginning of a second one": WHOLE + WHOLE[:30],
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("ask", [lambda path: verify(path, ["a"]), read_lookup])
def test_a_damaged_packed_file_is_refused(tmp_path, name, ask):
    path = tmp_path / "f.csv.gz"
    path.write_bytes(DAMAGED[name])
    with pytest.raises(InputError) as caught:
        ask(path)
    assert caught.value.code == "D003"
    assert "CANARY" not in str(caught.value)


def test_a_packed_lookup_is_read(tmp_path):
    (tmp_path / "l.csv.gz").write_bytes(gzip.compress(b"value,name\nx,y\n"))
    assert read_lookup(tmp_path / "l.csv.gz") == {"x": "y"}


@pytest.mark.slow
def test_a_packed_file_that_unpacks_to_much_takes_little_memory(tmp_path):
    path = tmp_path / "f.csv.gz"
    with gzip.open(path, "wb", 9) as out:
        out.write(b"a,b\n")
        for _ in range(200):
            out.write(b"1,2\n" * 262_144)
    assert path.stat().st_size < 2_000_000
    code = PEAK + (
        "import sys; from incrowd.rows.dialect import sniff; from incrowd.rows import open_source\n"
        "before = peak()\n"
        "sniff(__import__('pathlib').Path(sys.argv[1]))\n"
        "print(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert int(done.stdout) * (1 if sys.platform == "linux" else 1 / 1024) < 150_000


# What is no file


def _answered(work) -> BaseException | None:
    """What a call raises; a failure where it hangs."""
    raised: list[BaseException | None] = []

    def call() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)
        else:
            raised.append(None)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(30)
    assert raised, "it hangs"
    return raised[0]


READERS = {
    "data": lambda path: open_source(path),
    "lookup": lambda path: read_lookup(path),
    "hierarchy": lambda path: read_hierarchy(path, "a"),
    "plan": lambda path: load_plan(path),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "xlsx"])
def test_a_pipe_and_a_device_are_refused_and_nobody_waits(tmp_path, name, ending):
    pipe = tmp_path / f"p.{ending}"
    os.mkfifo(pipe)
    fault = _answered(lambda: READERS[name](pipe))
    assert isinstance(fault, InputError)
    assert (fault.code, bool(fault.hint)) == ("D270", True)
    fault = _answered(lambda: READERS[name](Path("/dev/zero")))
    assert isinstance(fault, InputError)
    assert fault.code == "D270"


@pytest.mark.parametrize("name", ["lookup", "hierarchy", "plan"])
def test_a_folder_is_no_file(tmp_path, name):
    with pytest.raises(InputError, match="D270"):
        READERS[name](tmp_path)


def test_a_pipe_is_no_secret_and_no_part(tmp_path, monkeypatch):
    monkeypatch.delenv("INCROWD_SECRET", raising=False)
    os.mkfifo(tmp_path / FILE, 0o600)
    assert isinstance(_answered(lambda: find_secret(tmp_path)), (InputError, SecretError))
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(pa.table({"a": [1]}), folder / "p0.parquet")
    os.mkfifo(folder / "p1.parquet")
    fault = _answered(lambda: verify(folder, ["a"]))
    assert isinstance(fault, InputError)


@pytest.mark.slow
def test_every_file_that_a_plan_names_may_be_a_pipe_and_nobody_waits(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    steps = plan_with()["steps"]
    for change in (
        {"data": {"source": "pipe.csv", "kind": "survey"}},
        {"data": {"source": "people.csv", "kind": "survey", "population": {"source": "pipe.csv"}}},
        {"steps": [*steps[:1], {"step": "recode", "variable": "note", "lookup": "pipe.csv"}, *steps[1:]]},
        {"steps": [{**steps[0]}, {"step": "search", "keys": {"age": {"hierarchy": "pipe.csv"}}}]},
    ):
        plan = write_case(tmp_path, plan_with(**change))
        done = subprocess.run(
            [sys.executable, "-m", "incrowd", "run", plan], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 2, done.stderr
        assert "X001" not in done.stderr


def test_a_file_that_is_not_there_or_no_path_at_all(tmp_path):
    with pytest.raises(InputError, match="D000"):
        open_source(tmp_path / "none.csv")
    (tmp_path / "f.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="D000"):
        open_source(tmp_path / "f.csv" / "g.csv")
    with pytest.raises(InputError, match="D271"):
        open_source(tmp_path / ("x" * 300))
    with pytest.raises(InputError, match="D271"):
        open_source(tmp_path / "a\0b.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(InputError, match="D271"):
        open_source(tmp_path / "loop.csv")


@needs_user
@pytest.mark.parametrize("name", READERS)
def test_a_file_that_may_not_be_read_is_refused(tmp_path, name):
    for ending in ("csv", "csv.gz", "parquet", "xlsx"):
        path = tmp_path / f"f.{ending}"
        path.write_bytes(b"a,b\n1,2\n")
        path.chmod(0)
        with pytest.raises(InputError, match="D271"):
            READERS[name](path)
        path.chmod(stat.S_IRUSR)


def test_a_file_that_goes_away_or_may_not_be_read_is_said_to(tmp_path, monkeypatch):
    """As root every file can be read, so the system's answer is given here."""
    (tmp_path / "f.csv").write_text("a,b\n1,2\n")
    open_one = Path.open

    def no(path: Path, *arguments: Any, **named: Any) -> Any:
        if path.name == "f.csv":
            raise PermissionError(13, "Permission denied", "CANARY")
        return open_one(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", no)
    for name, ask in READERS.items():
        with pytest.raises(InputError, match="D271") as caught:
            ask(tmp_path / "f.csv")
        assert "CANARY" not in str(caught.value), name
