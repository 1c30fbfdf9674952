"""One body for all engines: the same plan on the same records gives the same bytes, wherever the records are."""

import csv
import io
import json

import pyarrow.parquet as pq
import pytest
import yaml
from engine_cases import PLANS, ROWS, K, address, write_plan
from examples import quick_only

import incrowd as ic
from incrowd.pipeline import report
from incrowd.rows import open_source
from incrowd.rows.tabulate import tabulate
from incrowd.rows.tallying import tally

pytestmark = [pytest.mark.usefixtures("environment"), pytest.mark.xdist_group("engines")]


@pytest.fixture(params=["duckdb", "spark", "postgres"])
def data(request, sources):
    """Where the records are and who works on them, as a plan says it."""
    match request.param:
        case "duckdb":
            return {"source": str(sources / "people")}
        case "spark":
            request.getfixturevalue("spark")
            return {"source": str(sources / "people"), "engine": "spark"}
        case _:
            return {"source": address(request.getfixturevalue("cluster"))}


@pytest.fixture(scope="module")
def expected(sources, tmp_path_factory):
    """The releases that DuckDB makes of the CSV file."""
    made = {}

    def release(name):
        if name not in made:
            folder = tmp_path_factory.mktemp("expected")
            made[name] = ic.run(write_plan(folder, name, {"source": str(sources / "people.csv")}))
        return made[name]

    return release


@pytest.mark.parametrize("name", quick_only(["search"], PLANS))
def test_every_engine_releases_the_same_bytes(tmp_path, data, expected, name):
    done = ic.run(write_plan(tmp_path, name, data))
    wanted = expected(name)
    assert (done.release / "people.csv").read_bytes() == (wanted.release / "people.csv").read_bytes()
    for file in ("dictionary.csv", "manifest.json"):
        assert (done.release / file).read_bytes() == (wanted.release / file).read_bytes()
    for ours, theirs in zip(done.log.steps, wanted.log.steps, strict=True):
        assert (ours.records_removed, ours.cells_changed, ours.notes) == (
            theirs.records_removed, theirs.cells_changed, theirs.notes,
        )  # fmt: skip


@pytest.mark.slow
def test_tables_beside_a_release_have_the_same_cell_keys(tmp_path, data, sources):
    PLANS["without ill"] = {"steps": [{"step": "drop", "variables": ["name", "ill"]}], "requirements": [K]}
    (tmp_path / "other").mkdir()
    plans = [write_plan(tmp_path, "without ill", data),
             write_plan(tmp_path / "other", "without ill", {"source": str(sources / "people.csv")})]  # fmt: skip
    del PLANS["without ill"]
    found, wanted = (ic.table(plan, ["ill", "note"], threshold=0) for plan in plans)
    assert found.published == wanted.published
    assert (found.inside.cell_keys == wanted.inside.cell_keys).all()
    assert sum(wanted.inside.counts) == len(ROWS)


@pytest.mark.slow
def test_nothing_is_changed_that_no_step_touches(tmp_path, data):
    done = ic.run(write_plan(tmp_path, "drop and recode", data))
    text = (done.release / "people.csv").read_text()
    found = sorted(row["note"] for row in csv.DictReader(io.StringIO(text, newline="")))
    assert found == sorted(note or "" for *_, note, _ in ROWS)
    assert text.count(',"",') >= sum(note == "" for *_, note, _ in ROWS)


@pytest.mark.slow
def test_spark_takes_a_csv_file_too(tmp_path, sources, spark, expected):
    done = ic.run(write_plan(tmp_path, "suppress_records", {"source": str(sources / "people.csv"), "engine": "spark"}))
    wanted = expected("suppress_records").release / "people.csv"
    assert (done.release / "people.csv").read_bytes() == wanted.read_bytes()


@pytest.mark.slow
def test_households_move_alike_on_spark(tmp_path, spark):
    """Members are put together by the engine: sorted texts, joined."""
    lines = [f"p{i},h{i // 3},{'NSE'[i // 3 % 3]},{20 + i % 4},{i % 5}\n" for i in range(120)]
    (tmp_path / "homes.csv").write_text("name,home,area,age,note\n" + "".join(lines))
    made = []
    for engine in ("duckdb", "spark"):
        plan = {
            "title": "Homes", "tier": "open",
            "data": {"source": "../homes.csv", "kind": "survey", "household": "home", "engine": engine},
            "variables": {n: {"role": r, "reason": "-"} for n, r in (
                ("name", "other"), ("home", "other"), ("area", "key"), ("age", "key"), ("note", "other"))},
            "steps": [{"step": "sample", "fraction": "0.8", "households": "true"},
                      {"step": "swap", "geography": ["area"], "similar": ["age"], "rate": "0.3",
                       "targets": {"keys": ["area", "age"], "fewer_than": "9"}}],
            "requirements": [{"model": "k", "k": "1"}],
        }  # fmt: skip
        (tmp_path / engine).mkdir()
        (tmp_path / engine / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
        done = ic.run(tmp_path / engine / "plan.yaml")
        assert done.log.steps[2].cells_changed
        made.append((done.release / "data.csv").read_bytes())
    assert made[0] == made[1]


@pytest.mark.slow
def test_a_parquet_release_holds_the_same_rows(tmp_path, data, sources):
    release = {"name": "people", "format": "parquet"}
    done = ic.run(write_plan(tmp_path, "suppress_records", data, release))
    (tmp_path / "other").mkdir()
    other = ic.run(write_plan(tmp_path / "other", "suppress_records", {"source": str(sources / "people.csv")}, release))
    found, wanted = (pq.read_table(run.release / "people.parquet") for run in (done, other))
    assert found.schema.types == wanted.schema.types
    assert found.to_pylist() == wanted.to_pylist()
    assert pq.read_metadata(done.release / "people.parquet").metadata is None


@pytest.mark.slow
def test_a_release_in_parts_holds_the_same_rows_in_the_same_order(tmp_path, data, expected, monkeypatch):
    monkeypatch.setattr("incrowd.rows.parts.RECORDS", 50)
    if "engine" in data:  # so few rows would otherwise become one partition
        from incrowd.rows.engines import spark

        monkeypatch.setitem(spark._SESSION, "spark.sql.adaptive.coalescePartitions.enabled", "false")
    release = {"name": "people", "format": "parquet", "parts": "true"}
    done = ic.run(write_plan(tmp_path, "suppress_records", data, release))
    parts = sorted((done.release / "people").iterdir())
    assert [path.name for path in parts][:1] == ["part-00000.parquet"]
    if "engine" in data:
        assert len(parts) > 1
    assert all(pq.read_metadata(path).metadata is None for path in parts)
    rows = [row for path in parts for row in pq.read_table(path).to_pylist()]
    with (expected("suppress_records").release / "people.csv").open(newline="") as file:
        wanted = list(csv.DictReader(file))
    assert [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows] == wanted
    manifest = json.loads((done.release / "manifest.json").read_text())
    assert {f"people/{path.name}" for path in parts} < {entry["name"] for entry in manifest["files"]}


@pytest.mark.slow
def test_a_release_in_a_table_of_the_database(tmp_path, cluster, sources, monkeypatch):
    """The same rows as in the file, seen by everybody at once or not at all."""
    import psycopg

    cluster.execute(
        "CREATE ROLE publisher LOGIN PASSWORD 'writes'", "GRANT CONNECT ON DATABASE postgres TO publisher",
        "CREATE SCHEMA open AUTHORIZATION publisher",
    )  # fmt: skip
    monkeypatch.setenv("PGUSER", "publisher")
    monkeypatch.setenv("PGPASSWORD", "writes")
    source, place = {"source": str(sources / "people")}, address(cluster, "open.people")
    done = ic.run(write_plan(tmp_path, "suppress_records", source, {"name": "people", "table": place}))
    with psycopg.connect(**cluster.owner()) as connection:
        found = connection.execute("SELECT * FROM open.people").fetchall()
    with (done.release / "people.csv").open(newline="") as file:
        wanted = [tuple(row) for row in csv.reader(file)]
    assert [tuple(value or "" for value in row) for row in found] == wanted[1:]
    assert {None, ""} <= {value for row in found for value in row}
    for path in done.audit.iterdir():
        assert b"writes" not in path.read_bytes()

    def again(folder, table, code):
        (tmp_path / folder).mkdir()
        release = {"name": "people", "table": address(cluster, table)}
        with pytest.raises(ic.IncrowdError, match=code):
            ic.run(write_plan(tmp_path / folder, "suppress_records", source, release))
        assert not (tmp_path / folder / "release").exists()

    # A file that changes after the gate leaves no table either.
    with monkeypatch.context() as meanwhile:
        real = report.write_release_files

        def rewritten(folder, *given):
            found = real(folder, *given)
            with (folder / "people.csv").open("a") as out:
                csv.writer(out, lineterminator="\n").writerow(wanted[1])
            return found

        meanwhile.setattr(report, "write_release_files", rewritten)
        again("rewritten", "open.rewritten", "R031")
    with psycopg.connect(**cluster.owner()) as connection:
        assert connection.execute("SELECT to_regclass('open.rewritten')").fetchone() == (None,)

    again("second", "open.people", "D086")
    again("elsewhere", "data.people2", "D087")
    monkeypatch.setattr("incrowd.rows.engines.postgres_table._pieces", lambda batches: iter([id(batches)]))
    again("changed", "open.other", "X024")
    with psycopg.connect(**cluster.owner()) as connection:
        assert connection.execute("SELECT to_regclass('open.other')").fetchone() == (None,)


def test_key_tables_are_the_same(data, sources, request):
    keys, sensitive = ["age", "area", "sex"], ["ill"]
    engine = request.getfixturevalue("spark") if "engine" in data else None
    found = tabulate(open_source(data["source"], engine=engine), keys, sensitive, "name")
    wanted = tabulate(open_source(sources / "people.csv"), keys, sensitive, "name")
    assert [(d.name, d.values) for d in found.domains] == [(d.name, d.values) for d in wanted.domains]
    assert (found.codes == wanted.codes).all()
    assert (found.records == wanted.records).all()
    ours, theirs = (table.histograms["ill"] for table in (found, wanted))
    assert ours.domain.values == theirs.domain.values
    for field in ("classes", "values", "people"):
        assert (getattr(ours, field) == getattr(theirs, field)).all()


@pytest.mark.slow
def test_tallies_for_use_cases_are_the_same(data, sources, request):
    engine = request.getfixturevalue("spark") if "engine" in data else None
    pairs = [("age", "age"), ("age", "note")]
    found = tally(open_source(data["source"], engine=engine), ["area", "ill"], pairs)
    wanted = tally(open_source(sources / "people.csv"), ["area", "ill"], pairs)
    at = {pair: i for i, pair in enumerate(zip(found.values("area"), found.values("ill"), strict=True))}
    order = [at[pair] for pair in zip(wanted.values("area"), wanted.values("ill"), strict=True)]
    assert len(order) == len(at)
    assert found.records[order].tolist() == wanted.records.tolist()
    for pair in pairs:
        for field in ("n", "mean_x", "mean_y", "xx", "yy", "xy"):
            ours, theirs = getattr(found.moments[pair], field)[order], getattr(wanted.moments[pair], field)
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
