"""A file of codes: words in the dictionary, the package, both reports; homes are called homes; no code is lost."""

import csv
import json
import re

import pytest
from people import plan_with, write_case

import incrowd as ic

LABELS = "code,label\n1,detached house\n2,terraced house\n10,flat\n-9,not known\n"


@pytest.fixture
def case(tmp_path):
    """Eighty homes: the type of building in codes of a file, heating in codes of the plan, some cells empty."""
    plan = plan_with(
        title="Energy of homes",
        steps=[
            {"step": "drop", "variables": ["name"]},
            {"step": "recode", "variable": "age", "bands": ["0", "40"]},
            {"step": "suppress_records"},
        ],
        scenarios=[{"name": "neighbour", "keys": ["age", "sex"]}],
        use_cases=[{"name": "ill", "test": "proportion", "by": "sex", "share": {"ill": ["y"]}, "within": "0.2"}],
        attack=[{"attacks": ["linkage"]}],
    )
    plan["data"] |= {"unit_name": "dwelling", "codes": "all.csv"}
    plan["variables"]["sex"] |= {"label": "Type of building", "codes": "types.csv"}
    plan["variables"]["ill"] |= {"codes": {"y": "gas", "n": "oil"}}
    (tmp_path / "types.csv").write_text(LABELS)
    (tmp_path / "all.csv").write_text("variable,code,label\nnote,001,first\nnote,999,nobody has it\n")
    codes = ["10", "2", "1", "-9"]
    lines = "".join(
        f"n{i},{20 + i % 40},{codes[i % 4]},{'yn'[i % 3 == 0]},{'' if i % 9 == 0 else '001'}\n" for i in range(80)
    )
    return ic.run(write_case(tmp_path, plan, lines))


def test_the_dictionary_explains_codes_and_blanks(case):
    rows = {row["variable"]: row for row in csv.DictReader((case.release / "dictionary.csv").open())}
    assert rows["sex"]["values"] == "-9 | 1 | 2 | 10"  # numbers as numbers
    assert rows["sex"]["codes"] == "-9 = not known | 1 = detached house | 2 = terraced house | 10 = flat"
    assert rows["sex"]["label"] == "Type of building"
    assert rows["note"]["codes"] == "001 = first"  # what does not occur is not named
    assert rows["note"]["missing_means"] == "no value was collected, or it is not released"
    assert rows["sex"]["missing_means"] == ""
    package = json.loads((case.release / "datapackage.json").read_text())
    fields = {field["name"]: field for field in package["resources"][0]["schema"]["fields"]}
    assert {"value": "10", "label": "flat"} in fields["sex"]["categories"]
    assert fields["sex"]["type"] == "string"


def test_both_reports_speak_in_words_and_of_homes(case):
    public, internal = (case.release / "report.html").read_text(), (case.audit / "report.html").read_text()
    assert "Type of building" in public
    for word in ("detached house", "terraced house", "flat", "ill = gas"):
        assert word in internal
    assert "ill = gas" in public
    assert "dwellings in the smallest class" in public
    assert "very class has at least 3 dwellings" in public
    said = re.sub(r"<style>.*?</style>", "", public, flags=re.DOTALL)
    assert not re.search(r"\b(people|person)\b", said, re.IGNORECASE)
    # Inside, people are those who try, who are asked and who sign.
    text = re.sub(r"<style>.*?</style>|people\.csv[\w.-]*", "", internal, flags=re.DOTALL)
    inside = re.findall(r"[^.<>]*\b(?:people|person)\b[^.<>]*", text)
    about = ("intruder", "test with", "Clever", "how people are told", "How people are told", "People use")
    guides = (
        "names a person",
        "same person",
        "one person",
        "about a person",
        "Names and numbers",
        "people can find out",
    )
    assert [one for one in inside if not any(word in one for word in (*about, *guides))] == []


def test_values_in_files_stay_as_they_are(case):
    with (case.release / "people.csv").open() as file:
        assert {row["sex"] for row in csv.DictReader(file)} == {"1", "2", "10", "-9"}
    log = json.loads((case.audit / "log.json").read_text())
    assert {group["value"] for group in log["groups"] if group["variable"] == "sex"} == {"1", "2", "10", "-9"}


def test_the_plan_says_people_when_nothing_is_said(tmp_path):
    done = ic.run(write_case(tmp_path))
    assert "people in the smallest class" in (done.release / "report.html").read_text()


def test_a_neutralised_code_is_explained(tmp_path):
    plan = plan_with(release={"format": "csv", "name": "people", "formulas": "neutralise"})
    plan["variables"]["sex"]["codes"] = {"-9": "not known", "1": "known"}
    lines = "".join(f"n{i},{20 + i % 40},{('-9', '1')[i % 2]},y,001\n" for i in range(60))
    done = ic.run(write_case(tmp_path, plan, lines))
    rows = {row["variable"]: row for row in csv.DictReader((done.release / "dictionary.csv").open())}
    assert "'-9 = not known" in rows["sex"]["codes"]
    assert not [note for note in done.notes if "no entry in its codes" in note]


def test_labels_of_the_data_file_are_told_to_be_read():
    from incrowd.keys.codebook import Codebook
    from incrowd.plan import Plan
    from incrowd.report.dictionary import DictionaryRow
    from incrowd.report.files import _notes

    plan = plan_with()
    plan["variables"]["sex"]["codes"] = {"f": "female"}
    book = Codebook(titles={"age": "Age"}, codes={"sex": {"f": "female"}, "ill": {"y": "Smith and Sons"}})
    columns = [DictionaryRow(name, None, "text", 2) for name in ("age", "sex", "ill")]
    notes = [note for note in _notes(Plan.model_validate(plan), columns, book) if "data file itself" in note]
    assert len(notes) == 1
    assert "(age, ill)" in notes[0]
    assert "Smith" not in notes[0]
