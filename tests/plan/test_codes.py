"""Files of codes: what is wrong with them is a fault of the plan, what they say too much is told."""

import pytest
from people import plan_with, write_case

import incrowd as ic


def plan_of(**data):
    plan = plan_with()
    plan["data"] |= data
    return plan


def test_a_variable_that_the_plan_does_not_have_is_told(tmp_path):
    (tmp_path / "all.csv").write_text("label,variable,code\nfemale,sex,f\nx,sexx,1\n")
    found = ic.check(write_case(tmp_path, plan_of(codes="all.csv")))
    assert found.ok
    assert "all.csv has codes of variables that the plan does not have: sexx" in found.notes[0]


def test_codes_that_are_given_twice_are_told(tmp_path):
    plan = plan_of(codes="all.csv")
    plan["variables"]["sex"]["codes"] = {"f": "female"}
    (tmp_path / "all.csv").write_text("variable,code,label\nsex,f,woman\n")
    found = ic.check(write_case(tmp_path, plan))
    assert found.ok
    assert found.notes == ("sex has codes of its own and in all.csv: its own go first",)


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "variable,code,label\nsex,f,one\nsex,f,two\n", "variable,code,label\nsex\n"]
)
def test_a_file_that_cannot_be_used_is_a_fault_at_its_place(tmp_path, text):
    (tmp_path / "all.csv").write_text(text)
    found = ic.check(write_case(tmp_path, plan_of(codes="all.csv")))
    assert [(fault.code, fault.place) for fault in found.faults] == [("P092", "data.codes")]
    assert "one" not in found.faults[0].message.split()


def test_codes_that_no_record_has_are_no_fault(tmp_path):
    plan = plan_of()
    plan["variables"]["sex"]["codes"] = {"zz": "nobody"}
    found = ic.check(write_case(tmp_path, plan))
    assert found.ok
    assert found.notes == ()


def test_a_variable_may_take_its_codes_from_the_file_of_all(tmp_path):
    plan = plan_of()
    plan["variables"]["sex"]["codes"] = "all.csv"
    (tmp_path / "all.csv").write_text("variable,code,label\nsex,f,female\nill,y,ill\n")
    done = ic.run(write_case(tmp_path, plan))
    assert done.log.book.codes == {"sex": {"f": "female"}}


def test_a_name_that_is_none_is_a_fault(tmp_path):
    found = ic.check(write_case(tmp_path, plan_of(unit_name="a/b/c")))
    assert [fault.place for fault in found.faults] == ["data.unit_name"]
