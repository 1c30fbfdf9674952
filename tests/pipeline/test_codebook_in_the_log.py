"""What values stand for goes with the run: from the plan, from files of codes, into the log of the audit."""

import json

from people import plan_with, write_case

import incrowd as ic

LABELS = "variable,code,label\nsex,f,female\nsex,m,man\nill,y,ill\nweather,1,rain\n"


def test_the_log_has_the_codebook(tmp_path):
    plan = plan_with()
    plan["data"] = {**plan["data"], "codes": "labels.csv", "unit_name": "patient"}
    plan["variables"]["sex"] |= {"label": "Sex", "codes": {"m": "male"}}
    (tmp_path / "labels.csv").write_text(LABELS)
    done = ic.run(write_case(tmp_path, plan))
    log = json.loads((done.audit / "log.json").read_text())
    # A variable's own codes go first; a variable that the plan does not have is left out.
    assert log["book"]["codes"] == {"sex": {"f": "female", "m": "male"}, "ill": {"y": "ill"}}
    assert log["book"]["titles"] == {"sex": "Sex"}
    assert log["called"] == {"one": "patient", "many": "patients"}
    assert done.log.book.word("sex", "f") == "female"


def test_a_release_with_codes_in_files_is_made_again_from_its_audit(tmp_path):
    plan = plan_with()
    plan["data"] = {**plan["data"], "codes": "labels.csv"}
    (tmp_path / "labels.csv").write_text(LABELS)
    done = ic.run(write_case(tmp_path, plan))
    (tmp_path / "labels.csv").unlink()  # the audit has a copy
    assert ic.reproduce(done.audit).same
