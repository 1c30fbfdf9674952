"""What released values stand for: from the plan's rules and the codes, and nothing that only the data know."""

from pathlib import Path

from people import plan_with, write_case

import incrowd as ic
from incrowd.keys.codebook import Codebook
from incrowd.plan import Plan
from incrowd.protect import Context
from incrowd.protect.meaning import ANY, REST, released_book
from incrowd.secret import Secret

BOOK = Codebook(
    codes={"sex": {"1": "single", "2": "married", "3": "divorced", "4": "widowed", "-9": "refused"}},
    missing={"sex": ("-9",)},
)


def told(steps, there=(), book=BOOK, folder=Path()):
    plan = Plan.model_validate(plan_with(steps=[{"step": "drop", "variables": ["name"]}, *steps]))
    return released_book(plan, Context(folder, Secret(b"x" * 32), (), ()), book, {"sex": there}).codes.get("sex", {})


def test_a_code_that_stays_keeps_its_words():
    assert told([]) == dict(sorted(BOOK.codes["sex"].items(), key=lambda each: int(each[0])))


def test_a_merged_label_is_explained_by_all_that_the_rule_sends_there():
    found = told([{"step": "recode", "variable": "sex", "mapping": {"3": "was", "4": "was"}}])
    assert found["was"] == "divorced, widowed"
    assert found["1"] == "single"


def test_a_code_that_others_were_merged_into_does_not_keep_its_old_words():
    found = told([{"step": "recode", "variable": "sex", "mapping": {"3": "2", "4": "2"}}])
    assert found["2"] == "married, divorced, widowed"


def test_two_recodings_after_each_other():
    steps = [
        {"step": "recode", "variable": "sex", "mapping": {"3": "was", "4": "was"}},
        {"step": "recode", "variable": "sex", "mapping": {"was": "ever", "2": "ever"}},
    ]
    assert told(steps)["ever"] == "married, divorced, widowed"


def test_bands_of_codes_and_missing_codes_apart():
    found = told([{"step": "recode", "variable": "sex", "bands": ["1", "2"]}], ["1", "2+", "<1"])
    assert found["2+"] == "married, divorced, widowed"
    assert found["<1"] == "refused"


def test_others_hold_every_code_that_the_mapping_does_not_mention():
    found = told([{"step": "recode", "variable": "sex", "mapping": {"1": "1"}, "others": "else"}])
    assert found["else"] == "refused, married, divorced, widowed"


def test_codes_of_the_release_keep_working():
    """A plan whose codes are about the values that its recoding makes: the source has values without a code."""
    book = Codebook(codes={"sex": {"1": "young", "2": "old"}})
    found = told([{"step": "recode", "variable": "sex", "mapping": {"1": "1", "2": "1", "3": "2"}}], book=book)
    assert found == {"1": "young", "2": "old"}


def test_what_was_small_is_not_told():
    step = {"step": "merge_small", "variable": "sex", "fewer_than": "5", "into": "other"}
    found = told([step], ["1", "other"])
    assert found["other"] == REST
    assert told([{**step, "into": "2"}], ["1", "2"])["2"] == f"married, and {REST}"


def test_the_top_and_labels_that_the_data_make():
    search = {"step": "search", "hierarchies": {"sex": {"auto": "true"}}}
    found = told([search], ["1", "all others", "1-3", "*"])
    assert (found["*"], found["all others"], found["1-3"]) == (ANY, REST, "single, married, divorced")
    assert "*" not in told([], ["*"])  # nothing has made it: it is a value of the source


def test_a_hierarchy_that_the_plan_gives_is_a_rule():
    search = {
        "step": "search",
        "hierarchies": {"sex": {"mappings": [{"3": "was", "4": "was"}, {"was": "any", "2": "any"}]}},
    }
    found = told([search], ["was", "any", "1"])
    assert (found["was"], found["any"], found["1"]) == ("divorced, widowed", "married, divorced, widowed", "single")


def test_a_lookup_of_many_codes_is_read_once(tmp_path):
    codes = {str(i): f"place {i}" for i in range(4_000)}
    (tmp_path / "areas.csv").write_text("code,area\n" + "".join(f"{i},{'ns'[i % 2]}\n" for i in range(3_990)))
    book = Codebook(codes={"sex": codes})
    found = told([{"step": "recode", "variable": "sex", "lookup": "areas.csv"}], book=book, folder=tmp_path)
    assert found["n"].startswith("place 0, place 2, place 4")
    assert found["n"].endswith("and 1975 more")
    assert found["3999"] == "place 3999"  # the lookup does not have it: nothing is made of it


def test_long_lists_are_cut_and_commas_told_apart():
    book = Codebook(codes={"sex": {str(i): f"a{i}, b" for i in range(1, 31)}})
    found = told([{"step": "recode", "variable": "sex", "mapping": {str(i): "all" for i in range(1, 31)}}], book=book)
    assert found["all"].startswith("a1, b; a2, b; ")
    assert found["all"].endswith("and 10 more")


def test_the_same_is_told_whoever_is_in_the_data(tmp_path):
    """The words of a label do not depend on which of its codes occur: two sources, one dictionary line."""
    texts = []
    for codes in ("fm", "fx"):  # in the second nobody is m, and x has no code
        folder = tmp_path / codes
        folder.mkdir()
        plan = plan_with(requirements=[{"model": "k", "k": "2"}])
        plan["variables"]["sex"]["codes"] = {"f": "female", "m": "male", "x": "other"}
        plan["steps"].insert(1, {"step": "recode", "variable": "sex", "mapping": {"f": "any", "m": "any", "x": "any"}})
        lines = "".join(f"n{i},{20 + i % 40},{codes[i % 2]},y,001\n" for i in range(60))
        done = ic.run(write_case(folder, plan, lines))
        texts.append((done.release / "dictionary.csv").read_text())
    assert texts[0] == texts[1]
    assert "any = female, male, other" in texts[0]
