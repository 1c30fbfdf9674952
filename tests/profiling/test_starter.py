"""Starter plans: they lose few records on any file, teach by examples that hold, and leave decisions to people."""

import csv
import random
from pathlib import Path

import pytest
import yaml
from shared import SHARED, needs_shared

import incrowd as ic
from incrowd.errors import PlanError
from incrowd.keys.codebook import Codebook
from incrowd.plan import inspect_plan
from incrowd.profiling import profile, starter_plan
from incrowd.rows import open_source


def write(path: Path, head: list[str], lines: list[list[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *lines])
    return path


def visits(path: Path, people: int = 200) -> Path:
    """Several records per person, with a date each."""
    r, lines = random.Random(5), []
    for i in range(people):
        who = [f"P{i:05d}", r.choice("MF"), r.randrange(95), r.choice(["North", "South"]), r.choice("WWWWWWABC")]
        lines += [
            [*who, f"202{r.randrange(4)}-{r.randrange(1, 13):02d}-17", r.choice(["flu", "cold"]), r.randrange(10, 500)]
            for _ in range(r.choice([1, 2, 3, 9]))
        ]
    head = ["patient_id", "sex", "age", "region", "ethnicity", "admission_date", "diagnosis", "minutes"]
    return write(path, head, lines)


def wide(path: Path) -> Path:
    r = random.Random(3)
    lines = [[r.choices("12345", [5, 4, 3, 2, 1])[0] for _ in range(40)] for _ in range(600)]
    return write(path, [f"q{i}" for i in range(40)], lines)


def tiny(path: Path) -> Path:
    lines = [[20 + 7 * i, "MF"[i % 2], f"job{i}", f"town{i % 3}"] for i in range(8)]
    return write(path, ["age", "sex", "job", "town"], lines)


def gaps(path: Path) -> Path:
    r = random.Random(6)
    lines = [[r.choice(["", r.randrange(90)]), r.choice("MF"), r.choice(["", "A"])] for _ in range(60)]
    return write(path, ["age", "sex", "town"], lines)


def fine(path: Path) -> Path:
    r = random.Random(7)
    lines = [[f"E0{6_000_000 + r.randrange(300)}", r.randrange(16, 90), f"job {r.randrange(300)}"] for _ in range(900)]
    return write(path, ["lad", "age", "occupation"], lines)


GENERATED = [visits, tiny, gaps, fine, pytest.param(wide, marks=pytest.mark.slow)]
REAL = [
    "adult/adult.csv", "fars/fars_subset.csv", "messy/customer_information.csv", "sdcmicro/testdata.csv",
    "sdcmicro/testdata2.csv", "sdcmicro/CASCrefmicrodata.csv", "sdcmicro/Tarragona.csv", "sdcmicro/casc1.csv",
    "sdcmicro/francdat.csv", "sdcmicro/microData.csv",
]  # fmt: skip
CENSUS = ["census2011/teaching_file_10k.csv", "census2011/teaching_file_50k.csv"]


def untouched(data: Path, folder: Path):
    """The run of a starter plan with nothing changed but that somebody has decided what could not be told."""
    text = ic.init(data, folder / "plan.yaml", header=True)
    (folder / "plan.yaml").write_text(text.replace("\n    decide: ", "\n    reason: "))
    done = ic.run(folder / "plan.yaml", out=folder / "out")
    lost = 1 - done.log.end.records / done.log.start.records
    assert f"it loses {lost:.1%} of the records" in text  # what the plan says is what happens
    assert f"; k = {done.log.end.smallest:,}." in text
    return lost, done


@pytest.mark.slow
@pytest.mark.parametrize("make", GENERATED, ids=lambda make: make.__name__)
def test_an_untouched_starter_plan_loses_few_records(tmp_path, make):
    lost, done = untouched(make(tmp_path / "people.csv"), tmp_path)
    assert lost <= 0.1
    assert done.log.end.smallest >= 3


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_an_untouched_starter_plan_loses_few_records_of_real_files(tmp_path, name):
    source = tmp_path / Path(name).name
    source.write_bytes((SHARED / "data" / name).read_bytes())
    assert untouched(source, tmp_path)[0] <= 0.1


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize("name", CENSUS)
def test_an_untouched_starter_plan_loses_few_records_of_the_census(tmp_path, name):
    with (SHARED / "data" / name).open(newline="") as file:
        head, *lines = csv.reader(file)
    first = 0 if head[0] else 1  # the smaller file has a nameless index column
    source = write(tmp_path / "census.csv", head[first:], [line[first:] for line in lines])
    lost, done = untouched(source, tmp_path)
    assert lost <= 0.1
    assert done.log.utility.loss.arithmetic < 0.6  # not every key is gone


def test_the_most_a_single_record_can_be(tmp_path):
    text = ic.init(write(tmp_path / "one.csv", ["age", "sex"], [[33, "F"]]), header=True)
    assert "nothing can be released" in text


def test_people_with_several_records_are_counted_as_people(tmp_path):
    plan = inspect_plan(ic.init(visits(tmp_path / "people.csv"), tmp_path / "plan.yaml"), tmp_path).plan
    assert plan.data.unit == "patient_id"
    head, lines = ["household_id", "person_no", "age", "weight_final"], []
    lines = [[f"H{i // 3}", i % 3 + 1, i % 70, 1 + i % 9 / 10] for i in range(300)]
    homes = inspect_plan(ic.init(write(tmp_path / "homes.csv", head, lines), header=True), tmp_path).plan
    assert (homes.data.unit, homes.data.household, homes.data.weights) == (None, "household_id", "weight_final")


def test_what_nothing_told_is_a_fault_until_somebody_decides(tmp_path):
    r = random.Random(8)
    data = write(tmp_path / "people.csv", ["sex", "v17"], [[r.choice("MF"), r.choice("123")] for _ in range(100)])
    plan = tmp_path / "plan.yaml"
    text = ic.init(data, plan, header=True)
    (fault,) = ic.check(plan).faults
    assert (fault.code, fault.place) == ("P097", "variables.v17.decide")
    assert text.splitlines()[fault.line - 1].startswith("    decide: ")
    assert "reason" in fault.hint
    with pytest.raises(PlanError, match="P097"):
        ic.run(plan, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    plan.write_text(text.replace("\n    decide: ", "\n    reason: tbc\n    decide: "))  # a placeholder is no decision
    assert [fault.code for fault in ic.check(plan).faults] == ["P097"]
    plan.write_text(text.replace("\n    decide: ", "\n    reason: Answers that only we know.\n    decide: "))
    assert ic.check(plan).ok


def test_a_reason_that_nobody_wrote_is_missing_in_the_report(tmp_path):
    data = write(tmp_path / "people.csv", ["sex", "age"], [["MF"[i % 2], 20 + i % 5] for i in range(100)])
    plan = tmp_path / "plan.yaml"
    text = ic.init(data, plan, header=True)
    done = ic.run(plan, out=tmp_path / "out")
    assert done.log.unconfirmed == ("sex", "age")
    page = (done.audit / "report.html").read_text()
    assert "Suggested by the profile, nobody has confirmed it." in page
    assert "confirmed by somebody, for the role of: sex, age" in page
    plan.write_text(text.replace("    suggested: ", "    reason: "))
    done = ic.run(plan, out=tmp_path / "out")
    assert done.log.unconfirmed == ()
    page = (done.audit / "report.html").read_text()
    assert "nobody has confirmed" not in page
    assert "confirmed by somebody" not in page


@pytest.mark.parametrize("make", [visits, fine], ids=lambda make: make.__name__)
def test_the_examples_hold_once_they_are_uncommented(tmp_path, make):
    text = ic.init(make(tmp_path / "people.csv"), tmp_path / "plan.yaml", header=True)
    text = text.replace("\n    decide: ", "\n    reason: ")
    assert inspect_plan(text, tmp_path).faults == []
    lines, on = [], False
    for line in text.splitlines():
        on = line.startswith(("#scenarios:", "#use_cases:")) or (on and line.startswith("#  "))
        lines.append(line[1:] if on else line)
    found = inspect_plan("\n".join(lines), tmp_path)
    assert found.faults == []
    assert found.plan.scenarios
    assert found.plan.use_cases
    assert {key for one in found.plan.scenarios for key in one.keys} <= set(found.plan.with_role("key"))
    attest = yaml.safe_load("\n".join(line[1:] for line in text[text.index("#attest:") :].splitlines()))["attest"]
    assert set(attest) == {*ic.check(tmp_path / "plan.yaml").plan.attest.missing()}


def test_what_the_file_says_stands_in_the_plan(tmp_path):
    from dataclasses import replace

    lines = [[f"p{i}@example.org", i % 3 + 1] for i in range(60)]
    rows = open_source(write(tmp_path / "people.csv", ["mail", "v1"], lines))
    codes = {"v1": {"1": "single: #1", "2": 'a "b"', "3": "refused"}, "mail": {"p1@example.org": "Anna"}}
    book = Codebook(titles={"v1": "Marital status"}, codes=codes)
    text = starter_plan(profile(replace(rows, book=book)), "people.csv", book=book)
    assert "Anna" not in text  # an identifier's codes are people
    variable = inspect_plan(text, tmp_path).plan.variables["v1"]
    assert variable.codes == codes["v1"]
    assert (variable.label, variable.missing_codes, variable.scale) == ("Marital status", ["3"], "nominal")


def test_a_starter_plan_keeps_the_delimiter(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("sex|age\n" + "".join(f"{'MF'[i % 2]}|{20 + i % 4}\n" for i in range(60)))
    plan = inspect_plan(ic.init(path, tmp_path / "plan.yaml", delimiter="|", header=True), tmp_path).plan
    assert plan.data.delimiter == "|"


def test_a_starter_plan_names_the_keys_that_it_empties_and_weight_keeps_them(tmp_path):
    r = random.Random(8)
    everybody = range(900)
    lines = [
        [r.randrange(16, 90), r.choice("MF"), f"town {r.randrange(12)}", f"job {r.randrange(9)}"] for _ in everybody
    ]
    data = write(tmp_path / "p.csv", ["age", "sex", "town", "occupation"], lines)
    plan = tmp_path / "plan.yaml"
    ic.init(data, plan, header=True)
    text = plan.read_text()
    line = next(line for line in text.splitlines() if "left with one value" in line)
    done = ic.run(plan, out=tmp_path / "out")
    emptied = done.log.one_value
    assert emptied
    assert all(name in line for name in emptied)
    assert not any(name in line for name in {"age", "sex", "town", "occupation"} - set(emptied))
    weights = f"    weights: {{{emptied[0]}: 20}}\n    suppression:"
    plan.write_text(text.replace("    suppression:", weights, 1))
    assert emptied[0] not in ic.run(plan, out=tmp_path / "kept").log.one_value
