"""Classes that are too many to be fetched stay in the engine: the same release, or a clear refusal."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import SECRET

import incrowd as ic
from incrowd.keys.requirements import K, OneSided
from incrowd.keys.requirements.diversity import DistinctL
from incrowd.keys.table import KeyTable, from_records
from incrowd.protect import InEngineState
from incrowd.rows import open_source
from incrowd.rows.engine import connect
from incrowd.rows.in_engine import ClassTest, InEngineClasses, count_classes, count_in_engine

pytestmark = pytest.mark.xdist_group("engines")
LIMIT = 50
ROLES = {"a": "key", "b": "key", "c": "key", "ill": "sensitive", "note": "other"}
HALVED = {"step": "recode", "variable": "a", "mapping": {"0": "low", "1": "low", "2": "low"}}
SUPPRESS = {"step": "suppress_records"}
REQUIREMENTS = [
    {"model": "k", "k": "4"},
    {"model": "one_sided", "sensitive": "ill", "value": "y", "alpha": "0.5"},
    {"model": "distinct_l", "sensitive": "ill", "l": "2"},
    {"model": "weak_k", "k": "40", "keys": ["b"]},
]


def write_plan(folder, steps, requirements=None, **data):
    draw = random.Random(8)
    folder.mkdir(parents=True, exist_ok=True)
    columns = {name: [str(int(6 * draw.random() ** 1.5)) for _ in range(900)] for name in "abc"}
    columns["ill"] = [draw.choice(["y", "n", "n", "", None]) for _ in range(900)]
    columns["note"] = [str(i) for i in range(900)]
    pq.write_table(pa.table({n: pa.array(v, pa.string()) for n, v in columns.items()}), folder / "people.parquet")
    plan = {
        "title": "Distant", "tier": "open", "data": {"source": "people.parquet", "kind": "survey", **data},
        "variables": {name: {"role": role, "reason": "as it is"} for name, role in ROLES.items()},
        "steps": steps, "requirements": requirements or REQUIREMENTS, "release": {"name": "people"},
    }  # fmt: skip
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    return folder / "plan.yaml"


@pytest.fixture(params=["duckdb", "spark"])
def engine(request):
    if request.param == "spark":
        request.getfixturevalue("spark")
    return request.param


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("INCROWD_SECRET", SECRET)


def same(ours, theirs):
    assert (ours.release / "people.csv").read_bytes() == (theirs.release / "people.csv").read_bytes()
    assert ours.log.verdicts == theirs.log.verdicts
    for mine, other in zip(ours.log.steps, theirs.log.steps, strict=True):
        assert mine.after == other.after
        assert (mine.records_removed, mine.cells_changed, mine.notes) == (
            other.records_removed, other.cells_changed, other.notes,
        )  # fmt: skip
        assert dict(mine.removed_for) == dict(other.removed_for)


@pytest.mark.slow
def test_distant_to_the_end(tmp_path, engine, monkeypatch):
    """More classes than may be held from the first step to the last: never a KeyTable, and the same release."""
    wanted = ic.run(write_plan(tmp_path / "near", [HALVED, SUPPRESS]))
    assert wanted.log.end.classes > LIMIT
    states = []
    protect = ic.protect.protect
    monkeypatch.setattr("incrowd.pipeline.protect.protect", lambda *given: states.append(given[2]) or protect(*given))
    done = ic.run(write_plan(tmp_path / "far", [HALVED, SUPPRESS], engine=engine, limit=str(LIMIT)))
    assert [type(state) for state in states] == [InEngineState, InEngineState]
    same(done, wanted)


@pytest.mark.slow
def test_classes_are_fetched_once_they_fit(tmp_path, engine):
    search = {"step": "search", "suppression": "0.3", "hierarchies": {"b": {"widths": ["2", "6"]}}}
    steps = [HALVED, {"step": "drop", "variables": ["c"]}, search]
    wanted = ic.run(write_plan(tmp_path / "near", steps, REQUIREMENTS[:1]))
    same(ic.run(write_plan(tmp_path / "far", steps, REQUIREMENTS[:1], engine=engine, limit=str(LIMIT))), wanted)


@pytest.mark.parametrize(
    ("step", "requirement"),
    [
        ({"step": "search", "hierarchies": {"b": {"widths": ["2", "6"]}}}, {"model": "k", "k": "2"}),
        ({"step": "suppress_cells", "k": "3"}, {"model": "k", "k": "2"}),
        (SUPPRESS, {"model": "t", "sensitive": "ill", "t": "0.9"}),
        (SUPPRESS, {"model": "k", "k": "2", "where": {"a": ["0"]}}),
    ],
)
def test_what_needs_the_classes_is_refused(tmp_path, step, requirement):
    plan = write_plan(tmp_path, [step], [requirement], limit=str(LIMIT))
    with pytest.raises(ic.InputError, match="D080"):
        ic.run(plan)
    assert not (tmp_path / "release").exists()


def test_a_slip_of_the_pen_is_found_far_away_too(tmp_path):
    wrong = [{"model": "one_sided", "sensitive": "ill", "value": "yes"}]
    with pytest.raises(ic.InputError, match="D046"):
        ic.run(write_plan(tmp_path, [SUPPRESS], wrong, limit=str(LIMIT)))


def test_likeness_is_judged_against_the_whole_file(tmp_path):
    asked = [{"model": "t", "sensitive": "ill", "t": "1"}]
    wanted = ic.run(write_plan(tmp_path / "near", [], asked))
    same(ic.run(write_plan(tmp_path / "far", [], asked, limit=str(LIMIT))), wanted)


cell = st.sampled_from(["x", "y", "", None])
TESTS = [
    (ClassTest(("a", "b"), k=2), K(2)),
    (ClassTest(("a",), k=4), K(4, keys=("a",))),
    (ClassTest(("a", "b"), sensitive="s", l=2), DistinctL("s", 2)),
    (ClassTest(("a", "b"), sensitive="s", value="x"), OneSided("s", "x")),
    (ClassTest(("a", "b"), sensitive="s", value="x", share=0.5), OneSided("s", "x", 0.5)),
]


@pytest.mark.parametrize(("test", "requirement"), TESTS)
@settings(max_examples=examples(20))
@given(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=12))
def test_the_engine_and_the_key_table_agree(tmp_path_factory, test, requirement, lines):
    columns = {name: [line[i] for line in lines] for i, name in enumerate("abs")}
    file = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pq.write_table(pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}), file)
    rows = open_source(file)
    table = from_records({"a": columns["a"], "b": columns["b"]}, {"s": columns["s"]})
    classes = count_in_engine(rows, ["a", "b"], ["s"])
    assert classes.sizes() == table.size_histogram()
    left, removed = classes.without_failing(test)
    after = table.suppress(requirement.failing(table))
    assert removed == int(table.records.sum() - after.records.sum())
    assert left.sizes() == after.size_histogram()
    assert left.rows_of(rows).count() == left.people() == int(after.records.sum())


def test_a_limit_is_a_limit(tmp_path):
    pq.write_table(pa.table({"a": [str(i) for i in range(100)]}), tmp_path / "a.parquet")
    for limit, kind in ((99, InEngineClasses), (100, KeyTable)):
        rows = open_source(tmp_path / "a.parquet", engine=connect(limit=limit))
        assert isinstance(count_classes(rows, ("a",), (), None), kind)


@pytest.mark.slow
def test_a_value_that_suppression_took_away_is_no_slip(tmp_path):
    """Everybody with the value is gone, rightly: the same release far away as here."""
    folder = tmp_path / "far"
    asked = [{"model": "one_sided", "sensitive": "ill", "value": "y", "alpha": "0.01"}]
    wanted = ic.run(write_plan(tmp_path / "near", [SUPPRESS], asked))
    assert wanted.log.end.classes > 5
    same(ic.run(write_plan(folder, [SUPPRESS], asked, limit="5")), wanted)
