"""The gate's own formulas against the KeyTable's: two ways to count, one answer."""

import math
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.population import attach_histogram, join_population
from incrowd.keys.requirements import where_name
from incrowd.keys.table import from_records
from incrowd.plan import requirements as asked
from incrowd.release import recount
from incrowd.release.judge import judge
from incrowd.release.recount import GateInputs

TREE = Hierarchy("s", (("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("4", "high", "*")))
MODELS = [
    {"model": "k", "k": 2},
    {"model": "weak_k", "k": 2, "keys": ["a"]},
    {"model": "weak_k", "k": 2, "where": {"s": ["1", "3"]}},
    {"model": "distinct_l", "sensitive": "s", "l": 2},
    {"model": "distinct_l", "sensitive": "s", "l": 2, "keys": ["b"], "where": {"a": ["x"]}},
    {"model": "entropy_l", "sensitive": "s", "l": 1.5},
    {"model": "recursive_l", "sensitive": "s", "c": 2, "l": 2},
    {"model": "one_sided", "sensitive": "s", "value": "1"},
    {"model": "one_sided", "sensitive": "s", "value": "1", "alpha": 0.5},
    {"model": "alpha_k", "sensitive": "s", "alpha": 0.6, "k": 2},
    {"model": "t", "sensitive": "s", "t": 0.3},
    {"model": "t", "sensitive": "s", "t": 0.3, "distance": "ordered"},
    {"model": "t", "sensitive": "s", "t": 0.3, "distance": "ordered", "order": ["2", "1", "4", "3"]},
    {"model": "t", "sensitive": "s", "t": 0.3, "distance": "ordered-text"},
    {"model": "t", "sensitive": "s", "t": 0.3, "distance": "hierarchical", "hierarchy": "s.csv"},
    {"model": "beta", "sensitive": "s", "beta": 1},
    {"model": "enhanced_beta", "sensitive": "s", "beta": 1},
    {"model": "delta_disclosure", "sensitive": "s", "delta": 1},
    {"model": "delta_disclosure", "sensitive": "s", "delta": 1, "skip_zeros": True},
    {"model": "k_map", "k": 3},
    {"model": "k_map", "k": 4, "keys": ["b"]},
    {"model": "delta_presence", "dmin": 0.2, "dmax": 0.8},
]
row = st.tuples(
    st.sampled_from(["x", "y", None]), st.sampled_from(["p", "q", ""]), st.sampled_from(["1", "2", "3", "4", "", None]),
    st.sampled_from(["u", "v", "w"]),
)  # fmt: skip
crowd = st.tuples(st.sampled_from(["x", "y", None]), st.sampled_from(["p", "q", ""]))


def requirement_of(content):
    from pydantic import TypeAdapter

    return TypeAdapter(asked.AnyRequirement).validate_python(content)


def both(content, rows, unit, more, dropped):
    """The requirement measured by the gate and by the KeyTable, on the rows that are left."""
    requirement = requirement_of(content)
    plain = requirement.requirement({"s": TREE})
    population = [(a, b) for a, b, *_ in rows] + more

    def table_of(lines):
        a, b, s, u = ([line[i] for line in lines] for i in range(4))
        table = from_records({"a": a, "b": b}, {"s": s}, u if unit else None)
        for name, where in [] if requirement.where is None else [(where_name(plain.where), requirement.where)]:
            columns = {"a": a, "b": b, "s": s}
            met = ["1" if all(columns[c][i] in v for c, v in where.items()) else "0" for i in range(len(lines))]
            flagged = from_records({"a": a, "b": b}, {name: met}, u if unit else None)
            table = attach_histogram(table, flagged, name)
        pa_, pb = ([line[i] for line in population] for i in range(2))
        return join_population(table, from_records({"a": pa_, "b": pb}))

    left = [line for line in rows if (line[0], line[1]) != dropped] or rows
    original = table_of(rows)
    plain = plain if content["model"] == "one_sided" else plain.bind(original)
    mine = plain.check(table_of(left))
    spread = {}
    if (reference := getattr(plain, "reference", None)) is not None:
        spread["s"] = dict(zip(reference.values, reference.counts.tolist(), strict=True))
    arrow = pa.table({name: pa.array([line[i] for line in left], pa.string()) for i, name in enumerate("abs")})
    known = GateInputs(spread, Counter(population), {"s": dict(zip(TREE.leaves, TREE.rows, strict=True))})
    # A few records at a time, so that parts are counted together even here.
    with TemporaryDirectory() as folder, patch.multiple(recount, BATCH=3, MOST_WAITING=4):
        file, units = Path(folder) / "people.parquet", Path(folder) / "units.parquet"
        pq.write_table(arrow, file, row_group_size=5)
        pq.write_table(pa.table({"u": [line[3] for line in left]}), units, row_group_size=2)
        count = recount.read_back(file, "parquet", units if unit else None)
        assert count.records == len(left)
        return judge(count, ["a", "b"], requirement, known), mine


@pytest.mark.parametrize("content", MODELS, ids=lambda m: "-".join(map(str, m.values()))[:40])
@given(st.lists(row, min_size=1, max_size=14), st.booleans(), st.lists(crowd, max_size=12), crowd)
def test_the_gate_and_the_key_table_agree(content, rows, unit, more, dropped):
    theirs, mine = both(content, rows, unit, more, dropped)
    assert theirs.passed == mine.holds
    if mine.achieved is None or theirs.achieved is None:
        assert mine.achieved == theirs.achieved
    else:
        assert math.isclose(theirs.achieved, mine.achieved, rel_tol=1e-9, abs_tol=1e-9)


@given(st.lists(row, min_size=1, max_size=14), st.booleans())
def test_a_count_that_is_added_up_from_a_finer_one_is_the_count(rows, unit):
    arrow = pa.table({name: pa.array([line[i] for line in rows], pa.string()) for i, name in enumerate("abs")})
    with TemporaryDirectory() as folder:
        file, units = Path(folder) / "people.parquet", Path(folder) / "units.parquet"
        pq.write_table(arrow, file)
        pq.write_table(pa.table({"u": [line[3] for line in rows]}), units)
        fresh, used = (recount.read_back(file, "parquet", units if unit else None) for _ in range(2))
        list(used.spread(["a", "b"], "s"))
        assert used.people(["a", "b"]) == fresh.people(["a", "b"])
        assert used.smallest(["a", "b"]) == fresh.smallest(["a", "b"])
        kept = used.where({"a": ["x"]})
        assert kept.people(["a", "b"]) == fresh.where({"a": ["x"]}).people(["a", "b"])
