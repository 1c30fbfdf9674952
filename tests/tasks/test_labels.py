"""Words in what tasks give: risk, tables, hierarchies; and the census teaching file with its own list of codes."""

import csv
import json

import pytest
from census import CENSUS, write_codes
from commands import call, incrowd_cli
from people import plan_with, write_case
from shared import needs_shared

import incrowd as ic


@pytest.fixture
def homes(tmp_path):
    """A plan of homes with codes; in the data two combinations are rare though their values are not."""
    plan = plan_with()
    plan["data"] |= {"unit_name": "dwelling"}
    plan["variables"]["sex"] |= {"label": "Building", "codes": {"1": "house", "2": "flat", "3": "nobody has it"}}
    plan["variables"]["age"] |= {"codes": {"10": "old", "9": "new"}}
    plan["steps"][0]["variables"] = ["name", "note"]
    plan["scenarios"] = [{"name": "neighbour", "keys": ["age", "sex"]}]
    kinds = [("10", "1")] * 30 + [("9", "2")] * 30 + [("10", "2")] + [("9", "1")] * 2
    lines = "".join(f"n{i},{age},{sex},{'yn'[i % 2]},{i % 3}\n" for i, (age, sex) in enumerate(kinds))
    return write_case(tmp_path, plan, lines)


def test_risk_names_keys_and_rare_combinations_in_words(homes):
    found = ic.risk(homes, rarest=True, measures=["tables"])
    assert [(one.values, one.before) for one in found.rarest["neighbour"].combinations] == [
        ((("age", "10"), ("sex", "2")), 1),
        ((("age", "9"), ("sex", "1")), 2),
    ]
    said = call(f"incrowd risk {homes} --measures tables --rarest")[1]
    assert "Building" in said
    assert "age: old, Building: flat (1 dwelling)" in said
    assert "dwellings in" in said.replace("\n", " ")
    figures = incrowd_cli("risk", homes, "--measures", "tables,record").stdout
    assert "share of dwellings with" in figures  # the methods of figures, too
    assert "share of people" not in figures
    quiet = call(f"incrowd risk {homes} --measures tables")[1]
    assert "flat" not in quiet
    assert "old" not in quiet  # no value is shown, unless somebody asks
    told = json.loads(call(f"incrowd risk {homes} --measures tables --json")[1])
    assert told["book"]["codes"]["sex"]["2"] == "flat"
    assert told["rarest"] == {}


def test_a_table_has_words_beside_its_values(homes):
    done = ic.table(homes, ["sex", "note"], threshold=0).published
    assert done.words == {"sex": {"1": "house", "2": "flat"}}  # of listed values only
    head = done.csv().splitlines()[0]
    assert head == "sex,note,sex (in words),count"


def test_a_hierarchy_is_shown_in_words(tmp_path):
    (tmp_path / "sex.csv").write_text("1;home;*\n2;home;*\n3;firm;*\n")
    (tmp_path / "codes.csv").write_text("variable,code,label\nsex,1,house\nage,1,young\nsex,2,flat\n")
    said = ic.hierarchy_show(tmp_path / "sex.csv", codes=tmp_path / "codes.csv")
    assert "1 = house" in said
    assert "2 = flat" in said
    assert "young" not in said
    assert "1 = house" in ic.hierarchy_show(tmp_path / "sex.csv", codes={"1": "house"})
    assert "=" not in ic.hierarchy_show(tmp_path / "sex.csv")


@needs_shared
def test_the_census_file_with_its_list_of_codes(tmp_path):
    lines = (CENSUS / "teaching_file_10k.csv").read_text().splitlines()[:2001]
    (tmp_path / "people.csv").write_text("\n".join([f"row{lines[0]}", *lines[1:]]) + "\n")
    columns = f"row{lines[0]}".split(",")
    write_codes(tmp_path / "codes.csv", columns)
    keys = ("Region", "Age", "Marital Status")
    roles = {name: "key" if name in keys else "other" for name in columns} | {"Person ID": "identifier"}
    plan = plan_with(
        data={"source": "people.csv", "kind": "census", "codes": "codes.csv", "unit_name": "resident"},
        variables={name: {"role": role, "reason": "x"} for name, role in roles.items()},
        steps=[
            {"step": "drop", "variables": ["row", "Person ID", "Residence Type"]},
            {"step": "recode", "variable": "Marital Status", "mapping": {"3": "was", "4": "was", "5": "was"}},
            {"step": "recode", "variable": "Age", "bands": ["1", "2", "7"]},
            {"step": "suppress_records"},
        ],
    )
    path = tmp_path / "plan.yaml"
    path.write_text(json.dumps(plan))
    done = ic.run(path)
    rows = {row["variable"]: row for row in csv.DictReader((done.release / "dictionary.csv").open())}
    assert "W92000004 = Wales" in rows["Region"]["codes"]
    assert "7+ = 65 to 74, 75 and over" in rows["Age"]["codes"]
    assert "was = Separated" in rows["Marital Status"]["codes"]
    assert rows["Industry"]["values"].startswith("-9 | 1 | 2 | 3")
    assert rows["Industry"]["values"].endswith("9 | 10 | 11 | 12")
    inside = (done.audit / "report.html").read_text()
    assert "Yorkshire and the Humber" in inside
    assert "every class has at least 3 residents" in inside
