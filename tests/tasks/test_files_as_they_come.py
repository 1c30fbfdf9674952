"""The same people in every format that is read: the same release, byte for byte, and the same counts in every task."""

import csv
import io
import json
import shutil
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
import yaml
from commands import incrowd_cli
from engine_cases import environment, spark  # noqa: F401
from people import plan_with, write_case

import incrowd as ic
from incrowd.errors import InputError

READING = {
    "semicolon.txt": {"delimiter": ";"},
    "cover.xlsx": {"sheet": "People"},
    "index.csv": {"drop_index": True},
    "index.parquet": {"drop_index": True},
    "old.csv": {"encoding": "cp1252"},
}
FORMATS = ["semicolon.txt", "cover.xlsx", "index.csv", "index.parquet", "old.csv", "p.sav", "p.zsav", "p.por", "p.dta",
           "p.xpt", "p.jsonl", "p.json", "p.jsonl.gz", "p.feather", "p.parquet", "p.csv.gz"]  # fmt: skip


def people(folder: Path) -> list[dict[str, str]]:
    text = (folder / "people.csv").read_text()
    return list(csv.DictReader(io.StringIO(text)))


def write_as(name: str, folder: Path) -> Path:
    """The people of people.csv in a file of this name."""
    path, lines = folder / name, people(folder)
    frame = pd.DataFrame(lines).astype({"age": int})
    frame["note"] = frame["note"].astype(str)
    ending = name.partition(".")[2]
    if ending in ("sav", "zsav", "por", "dta", "xpt"):
        stat = pytest.importorskip("pyreadstat", reason="the extra 'stat' is not installed")
        if ending == "por":
            frame.columns = frame.columns.str.upper()
        {"sav": stat.write_sav, "zsav": stat.write_sav, "por": stat.write_por, "dta": stat.write_dta,
         "xpt": stat.write_xport}[ending](frame, path)  # fmt: skip
    elif name == "semicolon.txt":
        frame.to_csv(path, sep=";", index=False)
    elif name == "cover.xlsx":
        book = openpyxl.Workbook()
        book.active.append(["Survey of 2024"])
        sheet = book.create_sheet("People")
        for line in ([*frame.columns], *frame.to_numpy().tolist()):
            sheet.append(line)
        book.save(path)
    elif name == "old.csv":
        shutil.copy(folder / "people.csv", path)
    elif ending in ("csv", "csv.gz"):
        frame.to_csv(path, index=name.startswith("index"))
    elif ending == "parquet":
        frame.index = pd.Index([i * i for i in range(len(frame))]) if name.startswith("index") else frame.index
        frame.to_parquet(path)
    elif ending == "feather":
        frame.to_feather(path)
    else:
        frame.to_json(path, orient="records", lines=ending != "json")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_the_release_is_the_same(tmp_path, name):
    plan = plan_with()
    wanted = ic.run(write_case(tmp_path, plan), out=tmp_path / "one")
    source = write_as(name, tmp_path)
    plan = plan_with(data={"source": source.name, "kind": "survey", **READING.get(name, {})})
    if name.endswith("por"):  # its names are capitals
        upper = ic.open_source(source).columns
        assert upper == ("NAME", "AGE", "SEX", "ILL", "NOTE")
        return
    done = ic.run(write_case(tmp_path, plan), out=tmp_path / "other")
    assert (done.release / "people.csv").read_bytes() == (wanted.release / "people.csv").read_bytes()
    if READING.get(name, {}).get("drop_index"):
        assert any("left out" in note for note in done.notes)
    assert not ic.audit_verify(done.folder).problems
    if name in ("p.sav", "cover.xlsx", "index.csv"):
        assert ic.reproduce(done.folder).data_same


@pytest.mark.slow
@pytest.mark.parametrize("name", ["p.sav", "p.jsonl", "cover.xlsx", "index.csv", "index.parquet"])
def test_on_spark_too(tmp_path, name, spark, environment):  # noqa: F811
    wanted = ic.run(write_case(tmp_path), out=tmp_path / "one")
    source = write_as(name, tmp_path)
    data = {"source": source.name, "kind": "survey", "engine": "spark", **READING.get(name, {})}
    done = ic.run(write_case(tmp_path, plan_with(data=data)), out=tmp_path / "other")
    assert (done.release / "people.csv").read_bytes() == (wanted.release / "people.csv").read_bytes()


@pytest.mark.parametrize("name", ["semicolon.txt", "cover.xlsx", "index.csv", "p.sav", "p.jsonl"])
def test_every_task_that_names_a_file_reads_it_so(tmp_path, name):
    write_case(tmp_path)
    plain, path, reading = tmp_path / "people.csv", write_as(name, tmp_path), READING.get(name, {})
    keys = ["age", "sex"]
    assert ic.verify(path, keys, **reading).uniques == ic.verify(plain, keys).uniques
    found, wanted = (ic.profile(one, header=True, **how) for one, how in ((path, reading), (plain, {})))
    assert found.columns == wanted.columns
    best = ic.search(plain, keys, [ic.K(3)], auto=True).levels
    assert ic.search(path, keys, [ic.K(3)], auto=True, **reading).levels == best
    built, other = (ic.hierarchy_build(one, "age", **how).hierarchy for one, how in ((path, reading), (plain, {})))
    assert built.rows == other.rows
    assert ic.hierarchy_validate(built, data=path, **reading).ok
    figures = [ic.risk(one, keys, measures=["tables"], **how).measured[0].tables for one, how in
               ((path, reading), (plain, {}))]  # fmt: skip
    assert figures[0] == figures[1]


def test_init_writes_what_was_said_into_the_plan(tmp_path):
    write_case(tmp_path)
    for name in ("semicolon.txt", "cover.xlsx", "index.csv"):
        path = write_as(name, tmp_path)
        out = tmp_path / f"{name}.yaml"
        ic.init(path, out, header=True, **READING[name])
        data = yaml.safe_load(out.read_text())["data"]
        assert {**READING[name], "source": path.name}.items() <= data.items()
        out.write_text(out.read_text().replace("    decide:", "    reason:"))
        assert ic.check(out).ok, ic.check(out)


def test_the_command_line_takes_the_same_words(tmp_path):
    write_case(tmp_path)
    for name, options in (
        ("semicolon.txt", ["--delimiter", ";"]), ("cover.xlsx", ["--sheet", "2"]),
        ("cover.xlsx", ["--sheet", "People"]), ("old.csv", ["--encoding", "cp1252"]),
    ):  # fmt: skip
        done = incrowd_cli("verify", write_as(name, tmp_path), "--keys", "sex", *options)
        assert done.returncode == 0, (options, done.stderr)
    path = write_as("index.csv", tmp_path)
    for command in (
        ["profile", path, "--header"], ["init", path, "--header", "-o", tmp_path / "new.yaml"],
        ["risk", path, "--keys", "age,sex", "--measures", "tables"], ["hierarchy", "build", path, "--key", "age"],
        ["search", path, "--keys", "age,sex", "--auto", "--k", "3"],
    ):  # fmt: skip
        done = incrowd_cli(*command, "--drop-index")
        assert done.returncode == 0, (command, done.stderr)
    (tmp_path / "tabs.csv").write_text("a,b\tc\n1,2\t3\n")
    found = incrowd_cli("profile", tmp_path / "tabs.csv", "--delimiter", "\\t", "--header", "--json")
    assert [one["name"] for one in json.loads(found.stdout)["columns"]] == ["a,b", "c"]
    help_ = incrowd_cli("verify", "--help").stdout
    assert "SPSS, Stata, SAS or JSON lines" in " ".join(help_.replace("│", " ").split())


def test_the_question_on_the_command_line(tmp_path):
    write_case(tmp_path)
    done = incrowd_cli("profile", write_as("cover.xlsx", tmp_path))
    assert done.returncode == 2
    assert "--sheet 2" in done.stderr
    assert "2 'People'" in done.stderr
    assert "--drop-index" in incrowd_cli("verify", write_as("index.csv", tmp_path), "--keys", "sex").stderr


def test_a_population_is_read_as_the_plan_says(tmp_path):
    write_case(tmp_path)
    crowd = pd.DataFrame({"age": [str(a) for a in range(20, 60)] * 20, "sex": (["f"] * 40 + ["m"] * 40) * 10})
    crowd.to_csv(tmp_path / "crowd.txt", sep=";", index=True)
    told = {"source": "crowd.txt", "delimiter": ";", "drop_index": True}
    data = {"source": "people.csv", "kind": "survey", "population": told}
    scenarios = [{"name": "neighbour", "keys": ["age", "sex"]}]
    models = [{"model": "k", "k": "3"}, {"model": "k_map", "k": "3"}]
    plan = plan_with(data=data, scenarios=scenarios, requirements=models)
    done = ic.run(write_case(tmp_path, plan), out=tmp_path / "out")
    assert (done.release / "people.csv").exists()
    assert ic.risk(tmp_path / "plan.yaml").measured
    plan["data"]["population"] = {**told, "drop_index": False}
    with pytest.raises(InputError, match="D333"):
        ic.run(write_case(tmp_path, plan), out=tmp_path / "none")


def several(folder: Path) -> Path:
    """Forty people with three records each, in three classes of twenty."""
    lines = [f"p{i // 3},{30 + i % 3},{'fm'[i // 60]}\n" for i in range(120)]
    (folder / "visits.csv").write_text("person,age,sex\n" + "".join(lines))
    return folder / "visits.csv"


def test_people_who_have_several_records_are_counted(tmp_path):
    path = several(tmp_path)
    assert ic.verify(path, ["sex"]).k == 60
    assert ic.verify(path, ["sex"], unit="person").k == 20
    told = ic.risk(path, ["sex"], background=ic.Background(unit="person"), measures=["tables"])
    assert told.measured[0].people == 40
    found = ic.profile(path, unit="person", header=True)
    assert found.columns[0].role == "identifier"
    assert any("40 people" in note for note in found.notes)
    built = ic.hierarchy_build(path, "sex", unit="person")
    assert built.hierarchy.height
    out = tmp_path / "plan.yaml"
    ic.init(path, out, unit="person", header=True)
    assert yaml.safe_load(out.read_text())["data"]["unit"] == "person"
    assert ic.check(out).ok
    for command in (["profile", path, "--header"], ["risk", path, "--keys", "sex", "--measures", "tables"],
                    ["verify", path, "--keys", "sex"], ["search", path, "--keys", "sex", "--auto"]):  # fmt: skip
        assert incrowd_cli(*command, "--unit", "person").returncode == 0
    assert incrowd_cli("profile", path, "--header", "--unit", "nobody").returncode == 2


def test_a_search_counts_people_and_drops_them_with_all_their_records(tmp_path):
    path = tmp_path / "visits.csv"
    # a: 5 records of one person; b: one record each of five; and the person of a is in b as well
    lines = ["x,a\n"] * 5 + [f"p{i},b\n" for i in range(5)] + ["x,b\n"]
    path.write_text("person,town\n" + "".join(lines))
    free = ic.search(path, ["town"], [ic.K(5)], auto=True)
    assert free.levels == {"town": 0}  # five records look like five people
    people = ic.search(path, ["town"], [ic.K(5)], auto=True, unit="person")
    assert people.levels == {"town": 1}
    out = tmp_path / "kept.csv"
    kept = ic.search(path, ["town"], [ic.K(5)], auto=True, unit="person", suppression=0.6, out=out)
    written = ic.open_source(out)
    assert written.columns == ("person", "town")
    if kept.levels == {"town": 0}:
        assert "x" not in written.value_counts("person")
    assert ic.verify(out, ["town"], [ic.K(5)], unit="person").passed
    with pytest.raises(InputError):
        ic.search(path, ["town"], [ic.K(5)], auto=True, unit="person", local=True)


def test_a_population_of_the_command_line_is_read_by_options_of_its_own(tmp_path):
    write_case(tmp_path)
    crowd = write_as("semicolon.txt", tmp_path)
    asked = ["verify", tmp_path / "people.csv", "--keys", "age,sex", "--model", "k_map:1", "--population", crowd]
    told = incrowd_cli(*asked, "--population-reading", "delimiter=;")
    assert "holds" in told.stdout, told.stderr
    assert ic.verify(
        tmp_path / "people.csv", ["age", "sex"], [ic.KMap(1)], population=crowd, population_reading={"delimiter": ";"}
    ).passed
    risks = ["risk", *asked[1:4], "--population", crowd, "--measures", "tables", "--population-reading", "delimiter=;"]
    assert incrowd_cli(*risks).returncode == 0
    for wrong in ("colour=red", "delimiter", "drop_index=yes", "sheet="):
        assert "D341" in incrowd_cli(*asked, "--population-reading", wrong).stderr
    assert "D341" in incrowd_cli(*asked[:6], "--population-reading", "delimiter=;").stderr
