"""The same people in every engine: plans for them, files, a Spark and a database that hold them."""

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from people import SECRET
from servers import Cluster, need_spark

from incrowd.rows.engine import connect

COLUMNS = ("name", "age", "area", "ill", "note", "sex")
#: What must survive every engine: missing and empty are two things, quotes, line ends, leading zeros, other scripts.
NOTES = (None, "", "007", "1.50", "a,b", 'say "hi"', "two\nlines", "né", "漢字", "👩‍👩‍👧", " x ", "NULL", "\\N", "'")


def people(number=240):
    draw = random.Random(4)
    for i in range(number):
        area = draw.choice(["E1", "E2", "W1", "W2", None])
        yield (f"n{i // 2}", str(20 + draw.randrange(50)), area, draw.choice(["y", "n", "n", None, ""]),
               NOTES[i % len(NOTES)], "fm"[i % 2])  # fmt: skip


ROWS = list(people())
TABLE = pa.table({n: pa.array(c, pa.string()) for n, c in zip(COLUMNS, zip(*ROWS, strict=True), strict=True)})

ROLES = {"name": "identifier", "age": "key", "area": "key", "sex": "key", "ill": "sensitive", "note": "other"}
DROP = {"step": "drop", "variables": ["name"]}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "40", "55"]}
SEARCH = {"step": "search", "hierarchies": {"age": {"widths": ["10", "50"]}, "area": {"prefixes": ["1"]}}}
K = {"model": "k", "k": "3"}

PLANS = {
    "drop and recode": {"steps": [DROP, BANDS], "requirements": [{"model": "k", "k": "1"}]},
    "recode other columns": {
        "steps": [DROP, BANDS, {"step": "recode", "variable": "note", "prefix": 2},
                  {"step": "recode", "variable": "ill", "mapping": {"y": "yes"}, "others": "no"}],
        "requirements": [{"model": "k", "k": "1"}],
    },
    "suppress_records": {
        "steps": [DROP, BANDS, {"step": "suppress_records"}],
        "requirements": [K, {"model": "distinct_l", "sensitive": "ill", "l": "2"},
                         {"model": "k", "k": "6", "where": {"area": ["E1", "W2"]}}],
    },
    "pseudonymise": {
        "steps": [{"step": "pseudonymise", "variables": ["name", "area"], "into": "person"}, BANDS,
                  {"step": "suppress_records"}],
        "requirements": [K], "unit": "name",
    },
    "search": {"steps": [DROP, {**SEARCH, "suppression": "0.1"}],
               "requirements": [K, {"model": "t", "sensitive": "ill", "t": "0.6"}]},
    "local search": {"steps": [DROP, {**SEARCH, "local": "true", "suppression": "0.2"}], "requirements": [K]},
    "suppress_cells": {"steps": [DROP, BANDS, {"step": "suppress_cells", "k": "4"}], "requirements": [K]},
    "pram": {"steps": [DROP, BANDS, {"step": "pram", "variable": "area", "rate": "0.3", "invariant": "true",
                                     "strata": ["sex"]}, {"step": "pram", "variable": "note", "rate": "0.5"},
                       {"step": "suppress_records"}], "requirements": [K]},
    "microaggregate": {"steps": [DROP, {"step": "microaggregate", "variables": ["age"], "k": "3", "strata": ["sex"]},
                                 {"step": "suppress_records"}], "requirements": [K]},
    "noise": {"steps": [{"step": "noise", "variables": ["age"], "share": "0.4"}, DROP, BANDS,
                        {"step": "suppress_records"}], "requirements": [K]},
    "shuffle": {"steps": [DROP, {"step": "shuffle", "variables": ["ill", "note"], "strata": ["sex", "area"]}, BANDS,
                          {"step": "suppress_records"}], "requirements": [K]},
    "sample": {"steps": [DROP, BANDS, {"step": "sample", "fraction": "0.4", "by": ["area"]}],
               "requirements": [{"model": "k", "k": "1"}]},
    "sample people": {"steps": [{"step": "sample", "count": "50"}, DROP, BANDS],
                      "requirements": [{"model": "k", "k": "1"}], "unit": "name"},
    "swap": {
        "steps": [DROP, BANDS, {"step": "swap", "geography": ["sex", "area"], "similar": ["ill"], "rate": "0.1",
                                "targets": {"keys": ["age", "area", "sex"], "fewer_than": "5"}}],
        "requirements": [{"model": "k", "k": "1"}],
    },
    "numbers": {
        "steps": [DROP, {"step": "rank_swap", "variable": "age", "within": "0.1"},
                  {"step": "bottom_code", "variable": "age", "percentile": "5"},
                  {"step": "top_code", "variable": "age", "at": "65"},
                  {"step": "round", "variable": "age", "base": "5", "how": "random"},
                  {"step": "round", "variable": "age", "base": "10"}],
        "requirements": [{"model": "k", "k": "1"}],
    },
    "merge and suppress": {
        "steps": [DROP, BANDS, {"step": "merge_small", "variable": "area", "fewer_than": "50", "into": "rest"},
                  {"step": "suppress_records", "fewer_than": "6", "of": ["age", "ill"], "within": ["area"]}],
        "requirements": [{"model": "k", "k": "1"}],
    },
    "rename and derive": {
        "variables": {n: {"role": r, "reason": "as it is"} for n, r in (
            *((n, r) for n, r in ROLES.items() if n != "area"), ("place", "key"), ("half", "key"), ("long", "other"))},
        "steps": [{"step": "rename", "variables": {"area": "place"}},
                  {"step": "derive", "into": "half", "expression": "'?' if missing(age) else text(age / 30 // 1)"},
                  {"step": "derive", "into": "long", "expression": "note == '1.50' or missing(note)"},
                  DROP, BANDS, {"step": "suppress_records"}],
        "requirements": [K],
    },
    "unit": {"steps": [DROP, BANDS, {"step": "suppress_records"}], "requirements": [K], "unit": "name"},
    "numbers of people": {
        "steps": [{"step": "noise", "variables": ["age"], "share": "0.4", "apart": "true"},
                  {"step": "microaggregate", "variables": ["age"], "k": "3"},
                  {"step": "rank_swap", "variable": "age", "within": "0.1"},
                  {"step": "shuffle", "variables": ["age"]},
                  {"step": "round", "variable": "age", "base": "5", "how": "random"}, DROP, BANDS],
        "requirements": [{"model": "k", "k": "1"}], "unit": "name",
    },
    "cells of people": {
        "steps": [DROP, BANDS, {"step": "pram", "variable": "area", "rate": "0.3"},
                  {"step": "suppress_cells", "k": "4"}],
        "requirements": [{"model": "k", "k": "4"}], "unit": "name",
    },
    "linked cells of people": {
        "steps": [{"step": "pseudonymise", "variables": ["name"], "into": "person"}, BANDS,
                  {"step": "suppress_cells", "k": "4"}],
        "requirements": [{"model": "k", "k": "4"}], "unit": "name",
    },
}  # fmt: skip


def write_plan(folder, name, data, release=None):
    chosen = dict(PLANS[name])
    unit = {"unit": chosen.pop("unit")} if "unit" in chosen else {}
    plan = {
        "title": "Engines", "data": {"kind": "survey", **data, **unit}, "tier": "open",
        "variables": {n: {"role": ROLES[n], "reason": "as it is"} for n in COLUMNS}, **chosen,
        "release": release or {"name": "people"},
    }  # fmt: skip
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    return path


def csv_text():
    def cell(value):
        return "" if value is None else '"' + value.replace('"', '""') + '"'

    return "".join(",".join(map(cell, line)) + "\n" for line in [COLUMNS, *ROWS])


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    """The same records as a CSV file, and as partitioned Parquet in several files."""
    folder = tmp_path_factory.mktemp("sources")
    (folder / "people.csv").write_text(csv_text(), newline="")
    for i in range(3):
        pq.write_to_dataset(TABLE.slice(i * 80, 80), folder / "people", partition_cols=["sex"],
                            basename_template=f"part-{i}-{{i}}.parquet")  # fmt: skip
    (folder / "people" / "_SUCCESS").touch()
    return folder


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """One Spark for all tests: starting it takes longer than a test."""
    need_spark()
    engine = connect("spark", spill=tmp_path_factory.mktemp("spark"))
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def cluster():
    """A database with the table `data.people`, and a role that may read it and nothing else."""
    server = Cluster()
    try:
        server.execute(
            "CREATE SCHEMA data", "CREATE ROLE reader LOGIN PASSWORD 'reads'", "GRANT USAGE ON SCHEMA data TO reader",
            "REVOKE ALL ON DATABASE postgres FROM public", "GRANT CONNECT ON DATABASE postgres TO reader",
            f"CREATE TABLE data.people ({', '.join(f'{name} text' for name in COLUMNS)})",
            "CREATE TABLE data.closed (x text)", "GRANT SELECT ON data.people TO reader",
        )  # fmt: skip
        import psycopg

        with (
            psycopg.connect(**server.owner()) as connection,
            connection.cursor().copy("COPY data.people FROM STDIN") as out,
        ):
            for row in ROWS:
                out.write_row(row)
        yield server
    finally:
        server.stop()


@pytest.fixture
def environment(monkeypatch):
    """What a run needs to know: the secret, and who reads from the database."""
    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    monkeypatch.setenv("PGUSER", "reader")
    monkeypatch.setenv("PGPASSWORD", "reads")


def address(cluster, table="data.people"):
    return f"postgresql://127.0.0.1:{cluster.port}/postgres?table={table}"
