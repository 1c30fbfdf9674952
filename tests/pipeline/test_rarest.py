"""The rarest combinations: what a counter counts, and never outside the audit."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

from commands import incrowd_cli
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case

import incrowd as ic
from incrowd.audit.rarest import rarest
from incrowd.keys.codebook import RARE
from incrowd.keys.table import from_records

NAMES = ("a", "b", "c")
records = st.lists(st.tuples(*(st.sampled_from([None, "x", "y", "z"]) for _ in NAMES)), min_size=1, max_size=30)


def _counted(rows: list[tuple[str | None, ...]]) -> dict[tuple[tuple[str, str | None], ...], int]:
    """People of every combination of values, of one to three keys."""
    return Counter(
        tuple((NAMES[i], row[i]) for i in at)
        for row in rows for size in (1, 2, 3) for at in combinations(range(len(NAMES)), size)
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(records, st.integers(0, 30))
def test_they_are_what_a_counter_counts(rows: list[tuple[str | None, ...]], kept: int) -> None:
    left = rows[:kept] or rows[:1]
    before, after = _counted(rows), _counted(left)
    rare = {one for one, people in before.items() if people < RARE}
    minimal = {
        one for one in rare
        if not any(part in rare for size in range(1, len(one)) for part in combinations(one, size))
    }  # fmt: skip
    found = rarest(*(from_records(dict(zip(NAMES, zip(*some, strict=True), strict=True))) for some in (rows, left)))
    several = {one for one in minimal if len(one) > 1}
    assert found.unnamed == len(minimal) - len(several)
    assert found.total == len(several)
    assert found.left == sum(after[one] > 0 for one in several)
    assert {one.values for one in found.combinations} <= several
    assert len(found.combinations) == min(len(several), 10)
    for one in found.combinations:
        assert (one.before, one.after) == (before[one.values], after[one.values])
    assert [one.after == 0 for one in found.combinations] == sorted(one.after == 0 for one in found.combinations)


def test_one_key_none_and_an_empty_file_have_none() -> None:
    one = from_records({"a": ["x", "y"]})
    empty = from_records({"a": [], "b": []})
    assert rarest(one, one).combinations == ()
    assert rarest(empty, empty).total == 0


def test_people_with_several_records_are_people() -> None:
    rows = {"a": list("xxxxxxyyy"), "b": list("ppppppppq"), "c": list("mmmmmmmmm")}
    table = from_records(rows, unit=list("112233445"))
    assert all(one.before <= 2 for one in rarest(table, table).combinations)


def test_they_are_in_the_internal_report_and_nowhere_else(tmp_path: Path) -> None:
    lines = "".join(f"n{i},{30 + 20 * (i % 2)},{'fm'[i % 2]},y,1\n" for i in range(60))
    lines += "odd,50,f,y,1\n"  # the one woman above 40
    path = write_case(tmp_path, plan_with(), lines)
    done = ic.run(path)
    (found,) = done.log.rarest.combinations
    assert (found.values, found.before, found.after) == ((("age", "40+"), ("sex", "f")), 1, 0)
    for name in ("report.html", "decision.html"):
        assert "age: 40+, sex: f" in (done.audit / name).read_text()
    for file in done.release.iterdir():
        assert b"age: 40+, sex: f" not in file.read_bytes()
    printed = incrowd_cli("run", path, "--json")
    assert "rarest" not in json.loads(printed.stdout)
