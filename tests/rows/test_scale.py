"""What must hold for large files: counting in parts, a cap that is kept, a disk that is full."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples import quick_only
from hypothesis import given
from hypothesis import strategies as st
from peak import PEAK
from people import SECRET, plan_with, write_case

import incrowd as ic
from incrowd.demo import write_demo
from incrowd.keys.packing import group
from incrowd.keys.sorting import merge_counts, sort_with_order
from incrowd.rows import open_source, packed
from incrowd.rows import tabulate as tabulation
from incrowd.rows.memory import engine_share, parse_memory

texts = st.one_of(st.none(), st.text("ab\u00e9\u4e2d\U0001f600 ", max_size=3))


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=60), st.integers(1, 9), st.integers(1, 20))
def test_counting_in_parts_is_counting(rows, size, waiting):
    """The oracle is a Counter. Fields are widened, parts merged and codes put in order on the way."""
    with patch.object(packed, "WAITING", waiting):
        counter = packed.PackedCounter(["a", "b", "s"])
        for start in range(0, len(rows), size):
            part = list(zip(*rows[start : start + size], strict=True))
            counter.add(pa.record_batch([pa.array(column, pa.string()) for column in part], names=["a", "b", "s"]))
        table = counter.table(2, "s")
    domains = [domain.values for domain in table.domains]
    for values in (*domains, table.histograms["s"].domain.values):
        assert list(values) == sorted(set(values), key=lambda v: (v is not None, (v or "").encode()))
    labels = [tuple(d[c] for d, c in zip(domains, codes, strict=True)) for codes in table.codes.T.tolist()]
    assert dict(zip(labels, table.records.tolist(), strict=True)) == Counter((a, b) for a, b, _ in rows)
    assert table.codes.T.tolist() == sorted(table.codes.T.tolist())
    h = table.histograms["s"]
    cells = zip(h.classes.tolist(), h.values.tolist(), h.people.tolist(), strict=True)
    assert {(*labels[c], h.domain.values[v]): n for c, v, n in cells} == Counter(rows)


@pytest.mark.parametrize(("bits", "values"), [(3, 1 << 18), (63, 4)])
def test_columns_that_do_not_fit_are_counted_all_the_same(tmp_path, bits, values):
    write_demo(tmp_path / "people.parquet", rows=400)
    keys, rows = ["area", "age", "occupation"], open_source(tmp_path / "people.parquet")
    expected = tabulation.tabulate(rows, keys, ["on_benefits"])
    with patch.object(packed, "_BITS", bits), patch.object(packed, "MOST_VALUES", values):
        found = tabulation.tabulate(rows, keys, ["on_benefits"])
    assert found.codes.tolist() == expected.codes.tolist()
    assert found.records.tolist() == expected.records.tolist()
    assert [d.values for d in found.domains] == [d.values for d in expected.domains]
    assert found.histograms["on_benefits"].people.tolist() == expected.histograms["on_benefits"].people.tolist()


@pytest.mark.parametrize("top", [5, 1 << 40, 1 << 62])
def test_sorting_with_the_order_is_argsort(top):
    import numpy as np

    numbers = np.random.default_rng(1).integers(0, top, 20_000)
    in_order, order = sort_with_order(numbers)
    assert (order == np.argsort(numbers, kind="stable")).all()
    assert (in_order == numbers[order]).all()
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    found = group(numbers)
    assert (found[0] == first).all()
    assert (found[1] == inverse).all()


@given(st.dictionaries(st.integers(0, 30), st.integers(1, 9)), st.dictionaries(st.integers(0, 30), st.integers(1, 9)))
def test_merging_adds_up(first, second):
    import numpy as np

    def listed(counts):
        return np.array(sorted(counts), np.int64), np.array([counts[n] for n in sorted(counts)], np.int64)

    numbers, amounts = merge_counts(*listed(first), *listed(second))
    total = Counter(first) + Counter(second)
    assert numbers.tolist() == sorted(total)
    assert amounts.tolist() == [total[n] for n in sorted(total)]


def test_memory_is_written_as_people_write_it():
    assert parse_memory("8GB") == parse_memory("8 gib") == parse_memory("8192M") == 8 << 30
    assert engine_share(8 << 30).endswith("MiB")
    for text, code in (("much", "D077"), ("-1GB", "D077"), ("10MB", "D078")):
        with pytest.raises(ic.InputError) as caught:
            parse_memory(text)
        assert caught.value.code == code


MEASURE = f"""{PEAK}
import json, sys
from benchmarks.scale_case import write_case
from pathlib import Path
import incrowd as ic
try:
    done = ic.run(write_case(Path(sys.argv[1]), Path(sys.argv[2])), memory=sys.argv[3])
    said = done.log.end.records
except ic.IncrowdError as error:
    said = error.code
print(json.dumps([said, peak() << 10]))
"""


def in_its_own_process(folder, file, cap):
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(root), str(root / "src")])
    environment = {**os.environ, "PYTHONPATH": path, "INCROWD_SECRET": SECRET}
    command = [sys.executable, "-c", MEASURE, str(folder), str(file), cap]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_two_million_records_stay_below_a_cap_of_one_gigabyte(tmp_path):
    file = tmp_path / "people.parquet"
    write_demo(file, rows=2_000_000)
    released, peak = in_its_own_process(tmp_path / "case", file, "1GB")
    assert isinstance(released, int), released
    assert released == pq.read_metadata(tmp_path / "case" / "release" / "people.parquet").num_rows > 1_900_000
    assert peak < 1 << 30, f"{peak / 2**30:.2f} GB"


@pytest.mark.skipif(sys.platform != "linux", reason="the watch reads /proc")
def test_a_run_that_passes_its_cap_is_stopped_and_releases_nothing(tmp_path):
    with patch("incrowd.rows.memory.LEAST", 1), patch("incrowd.rows.memory.BASE", 0):
        plan = write_case(tmp_path, plan_with())
        with pytest.raises(ic.IncrowdError, match="X005"):
            ic.run(plan, memory="64MB")
    assert not (tmp_path / "release").exists()
    assert not list((tmp_path / "runs").glob("[!.]*"))


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 24 MB. Only root may mount one; where CI runs as root it must."""
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("only root may mount a tmpfs, and only on Linux")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", str(disk)], capture_output=True)
    if mounted.returncode:
        if os.environ.get("CI"):
            pytest.fail("root cannot mount a tmpfs in CI: run it with the capability SYS_ADMIN")
        pytest.skip("this root may not mount a tmpfs")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def _bytes(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    "share", quick_only([0.4], [0, 0.4, 0.97])
)  # before the data, in it, and after it: in the reports
def test_a_full_disk_leaves_no_half_release_and_a_second_run_succeeds(tmp_path, small_disk, kind, share):
    lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},{i * 7919 % 10**9}\n" for i in range(100_000))
    plan = write_case(tmp_path, plan_with(release={"name": "people", "format": kind}), lines)
    home = small_disk / "home"
    home.mkdir()
    first = ic.run(plan, out=home)
    pointed = os.readlink(home / "release")
    room, filler = os.statvfs(small_disk), small_disk / "filler"
    with filler.open("wb") as file:
        file.write(bytes(room.f_bavail * room.f_frsize - int(share * _bytes(first.folder))))
    with pytest.raises(ic.IncrowdError) as caught:
        ic.run(plan, out=home)
    assert caught.value.code == "X002"
    assert "disk" in str(caught.value)
    assert os.readlink(home / "release") == pointed
    assert [run.name for run in (home / "runs").iterdir() if not run.name.startswith(".")] == [first.folder.name]
    filler.unlink()
    second = ic.run(plan, out=home)
    name = f"people.{kind}"
    assert (second.release / name).read_bytes() == (first.release / name).read_bytes()
