"""Ways to make a file look safe that must not work."""

import csv

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import incrowd_cli
from people import PLAN, plan_with, write_case

import incrowd as ic

NO_SUPPRESSION = PLAN["steps"][:2]


def typed_case(folder, ill, **changes):
    plan = plan_with(data={"source": "people.parquet", "kind": "survey"}, **changes)
    path = write_case(folder, plan)
    rows = len(ill)
    table = {"name": [f"n{i}" for i in range(rows)], "age": [30] * rows, "sex": ["f"] * rows, "ill": ill, "note": ill}
    pq.write_table(pa.table(table), folder / "people.parquet")
    path.write_text(path.read_text().replace("people.csv", "people.parquet"))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_numbers_in_parquet_are_counted_as_the_engine_writes_them(tmp_path, kind):
    asked = [{"model": "one_sided", "sensitive": "ill", "value": "1.0"}]
    release = {"format": kind, "name": "people"}
    with pytest.raises(ic.NotReleasable, match="R001"):
        ic.run(typed_case(tmp_path, [1.0] * 6, requirements=asked, steps=NO_SUPPRESSION, release=release))
    equal = [{"model": "t", "sensitive": "ill", "t": "0"}]
    done = ic.run(typed_case(tmp_path, [1.0, 2.5] * 3, requirements=equal, steps=NO_SUPPRESSION, release=release))
    assert done.log.verdicts[0].achieved == 0
    if kind == "parquet":  # what nobody counts keeps its type
        assert pq.read_schema(done.release / "people.parquet").field("note").type == pa.float64()


def test_a_condition_that_nobody_meets_is_a_fault(tmp_path):
    asked = [{"model": "k", "k": "100", "where": {"sex": ["female"]}}]
    with pytest.raises(ic.InputError, match="D068"):
        ic.run(write_case(tmp_path, plan_with(requirements=asked, steps=NO_SUPPRESSION)))
    renamed = [
        *NO_SUPPRESSION,
        {"step": "recode", "variable": "sex", "mapping": {"f": "x", "m": "x"}},
        PLAN["steps"][2],
    ]
    asked = [{"model": "k", "k": "3", "where": {"sex": ["f"]}}]
    with pytest.raises(ic.InputError, match="D068"):
        ic.run(write_case(tmp_path, plan_with(requirements=asked, steps=renamed)))
    for model in ("weak_k:3:where=sex=female", "one_sided:ill:maybe"):
        done = incrowd_cli("verify", tmp_path / "people.csv", "--keys", "age", "--model", model)
        assert done.returncode == 2, done.stdout


def test_a_condition_on_a_key_that_may_be_coarsened_is_a_fault(tmp_path):
    steps = [PLAN["steps"][0], {"step": "search", "hierarchies": {"sex": "auto", "age": "auto"}}]
    asked = [{"model": "weak_k", "k": "3", "where": {"sex": ["f"]}}]
    with pytest.raises(ic.PlanError, match="P026"):
        ic.run(write_case(tmp_path, plan_with(requirements=asked, steps=steps)))


@pytest.mark.parametrize(
    "step",
    [
        {"step": "search", "hierarchies": {"age": "auto"}, "local": "true"},
        {"step": "search", "hierarchies": {"age": "auto"}},
    ],
)
def test_a_condition_on_another_variable_goes_with_a_search(tmp_path, step):
    asked = [{"model": "k", "k": "2"}, {"model": "weak_k", "k": "4", "where": {"ill": ["n"]}}]
    done = ic.run(write_case(tmp_path, plan_with(requirements=asked, steps=[PLAN["steps"][0], step])))
    assert all(verdict.passed for verdict in done.log.verdicts)


def test_empty_lines_are_nobody(tmp_path):
    with pytest.raises(ic.InputError, match="D067"):
        ic.run(write_case(tmp_path, None, "a,,,y,\n" + ",,,,\n" * 4))
    book = openpyxl.Workbook()
    for line in (["a", "b"], ["1", "2"], [None, None], ["3", None], [None, None]):
        book.active.append(line)
    book.save(tmp_path / "b.xlsx")
    assert ic.open_source(tmp_path / "b.xlsx").count() == 2


def test_a_pseudonym_does_not_show_that_a_crowd_is_one_person(tmp_path):
    lines = "".join(f"{name},30,f,y,{i}\n" for i, name in enumerate(["ann"] * 3 + ["b", "c", "d"]))
    steps = [{"step": "pseudonymise", "variables": ["name"], "into": "pid"}, *PLAN["steps"][1:]]
    with pytest.raises(ic.InputError, match="D069"):
        ic.run(write_case(tmp_path, plan_with(steps=steps), lines))
    for into, variables, code in (
        ("Age", ["name"], "P014"),
        ("incrowd_unit", ["name"], "P014"),
        ("pid", ["age"], "P027"),
    ):
        steps[0] = {"step": "pseudonymise", "variables": variables, "into": into}
        with pytest.raises(ic.PlanError, match=code):
            ic.run(write_case(tmp_path, plan_with(steps=steps), lines))


def test_names_that_arrow_or_a_csv_sniffer_might_misread(tmp_path):
    odd = [".a", "[b", "x;y;z"]
    variables = {**PLAN["variables"], **{name: {"role": "key", "reason": "x"} for name in odd}}
    path = write_case(tmp_path, plan_with(variables=variables))
    with (tmp_path / "people.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*PLAN["variables"], *odd])
        writer.writerows([f"n{i}", 20, "f", "yn"[i % 2], i, "p;q", "r", "s|t"] for i in range(9))
    path.write_text(path.read_text().replace("kind: survey", "kind: survey\n  delimiter: ','"))
    done = ic.run(path)
    assert (done.release / "dictionary.csv").read_text().count("\n") == 8


def test_a_file_of_one_column(tmp_path):
    plan = plan_with(variables={"age": PLAN["variables"]["age"]}, steps=[])
    path = write_case(tmp_path, plan)
    (tmp_path / "people.csv").write_text("age\n30\n30\n30\n" + "\n" * 3)
    assert ic.run(path).log.end.records == 6


def test_nested_columns_are_refused(tmp_path):
    pq.write_table(pa.table({"a": [[1], [2]]}), tmp_path / "n.parquet")
    with pytest.raises(ic.InputError, match="D066"):
        ic.open_source(tmp_path / "n.parquet")


def test_search_does_not_write_over_its_source(tmp_path):
    write_case(tmp_path)
    before = (tmp_path / "people.csv").read_bytes()
    for out, code in (("people.csv", "D076"), ("out.csv.gz", "D075")):
        done = incrowd_cli("search", "people.csv", "--keys", "age", "--auto", "-o", out, folder=tmp_path)
        assert done.returncode == 2
        assert code in done.stderr
    assert (tmp_path / "people.csv").read_bytes() == before
