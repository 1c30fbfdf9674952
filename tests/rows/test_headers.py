"""The names in a file are data until something proves that they are names: no first line is told by an error."""

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from examples import examples, quick_only
from hypothesis import given, settings
from hypothesis import strategies as st
from people import SECRET, plan_with, write_case

from incrowd.cli import main
from incrowd.errors import InputError, PlanError
from incrowd.keys.names import prove, speaks_for
from incrowd.pipeline.check import load_plan
from incrowd.plan import check_columns
from incrowd.rows import open_source
from incrowd.rows.header import refuse_records_as_names
from incrowd.rows.tabulate import tabulate

CANARIES = ("Xanthippe-Canary", "97531", "Sexcanary", "Illcanary", "Notecanary", "Firstborn", "2001-02-03")
FIRST = "Xanthippe-Canary,97531,Sexcanary,Illcanary,Notecanary\n"
WORDS = "Xanthippe-Canary,Firstborn,Sexcanary,Illcanary,Notecanary\n"
LINES = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},w{i % 7}\n" for i in range(60))
RECORDS = FIRST + LINES
HEADERS = {
    "no header": RECORDS,
    "no header, words only": WORDS + LINES.replace("1", "one").replace("2", "two"),
    "no header, one record": WORDS,
    "a date for a name": "name,2001-02-03,sex,ill,note\n" + LINES,
    "two names and three values": "name,age,Sexcanary,Illcanary,Notecanary\n" + LINES,
    "an open quotation mark": 'name,age,"sex,ill,note\n' + RECORDS,
    "an open quotation mark that a quoted cell ends": 'name,age,"sex,ill,note\n' + RECORDS + 'n,1,"f",y,z\n',
    "an open quotation mark that an inch ends": 'name,age,"sex,ill\n97531,Firstborn,5",Illcanary,Notecanary\n' + LINES,
    "a header that runs into the first record": "name,age,sex,ill,note" + RECORDS,
    "another delimiter": "name;age;sex;ill;note\n" + RECORDS,
    "carriage returns": RECORDS.replace("\n", "\r"),
    "line ends that change": "name,age,sex,ill,note\n" + RECORDS.replace("\n", "\r"),
    "escape characters": "name,age,\x1b[31mSexcanary,ill,no\x1b\n" + RECORDS,
    "a name too many": "name,age,sex,ill\n" + RECORDS,
}

Called = Callable[..., tuple[int, str]]


@pytest.fixture
def called(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Called:
    """The command line in this process: its exit code, and all that it printed."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["incrowd", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        monkeypatch.setenv("INCROWD_SECRET", SECRET)
        capfd.readouterr()
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        printed = capfd.readouterr()
        return code, printed.out + printed.err

    return call


def _silent(printed: str) -> bool:
    return not any(canary in printed for canary in CANARIES)


@pytest.mark.slow
@pytest.mark.parametrize("name", quick_only(["no header", "an open quotation mark"], HEADERS))
def test_no_command_shows_a_first_line_that_is_not_proven_to_be_a_header(
    tmp_path: Path, called: Called, name: str
) -> None:
    plan = write_case(tmp_path, plan_with(scenarios=[{"name": "nosy", "keys": ["age", "sex"]}]))
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv"
    good.write_text((tmp_path / "people.csv").read_text())
    bad.write_text(HEADERS[name], newline="")
    (tmp_path / "people.csv").write_text(HEADERS[name], newline="")
    keys = ("--keys", "age,nosuch")
    for arguments in (
        ("profile", bad), ("profile", bad, "--json"), ("init", bad, "-o", tmp_path / "new.yaml"), ("run", plan),
        ("check", plan), ("check", plan, "--json"), ("verify", bad, "--keys", "sexx"), ("verify", bad, *keys, "--json"),
        ("verify", good, "--keys", "age", "--model", "k_map:2", "--population", bad), ("search", bad, *keys, "--auto"),
        ("risk", bad, *keys), ("risk", bad, "--keys", "age", "--weights", "nosuch", "--json"),
        ("risk", good, "--keys", "age", "--population", bad, "--measures", "record"),
        ("hierarchy", "build", bad, "--key", "nosuch"), ("postcode", "analyse", bad, "--postcode", "nosuch"),
    ):  # fmt: skip
        code, printed = called(*arguments)
        assert code == 2 or arguments[0] not in ("profile", "init", "check", "run"), (arguments, printed)
        assert "X001" not in printed, (arguments, printed)
        assert _silent(printed), (arguments, printed)
    assert not (tmp_path / "new.yaml").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", HEADERS)
def test_nor_does_a_command_that_carries_out_a_plan(tmp_path: Path, called: Called, name: str) -> None:
    plan = write_case(tmp_path, plan_with(scenarios=[{"name": "nosy", "keys": ["age", "sex"]}]))
    (tmp_path / "people.csv").write_text(HEADERS[name], newline="")
    for arguments in (("risk", plan), ("attack", plan), ("compare", plan, plan), ("sweep", plan, "--k", "2:3"),
                      ("table", plan, "--by", "sex")):  # fmt: skip
        for more in ((), ("--json",)):
            _, printed = called(*arguments, *more)
            assert "X001" not in printed, (arguments, printed)
            assert _silent(printed), (arguments, printed)


@pytest.mark.slow
@pytest.mark.parametrize("name", HEADERS)
def test_no_file_beside_the_data_is_told_either(tmp_path: Path, called: Called, name: str) -> None:
    step = {"step": "recode", "variable": "note", "lookup": "bad.csv"}
    steps = plan_with()["steps"]
    plan = write_case(tmp_path, plan_with(steps=[*steps[:1], step, *steps[1:]]))
    bad = tmp_path / "bad.csv"
    bad.write_text(HEADERS[name], newline="")
    commands = [("run", plan), ("hierarchy", "validate", bad, "--data", "people.csv", "--key", "age")]
    people = write_case(tmp_path / "whole", None) if (tmp_path / "whole").mkdir() is None else plan
    assert called("run", people)[0] == 0
    run = (people.parent / "release").resolve().parent
    commands += [
        ("attack", people, "--register", bad), ("attack", people, "--other", bad), ("attack", people, "--table", bad),
        ("review", run, "--external", bad, "--out", tmp_path / "seen"),
        ("table", people, "--by", "name", "--ptable", bad),
    ]  # fmt: skip
    for arguments in commands:
        _, printed = called(*arguments)
        assert _silent(printed), (arguments, printed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["xlsx", "parquet", "csv.gz", "folder"])
def test_neither_does_a_file_of_another_kind(tmp_path: Path, called: Called, kind: str) -> None:
    lines = [line.split(",") for line in RECORDS.splitlines()]
    plan = write_case(tmp_path, plan_with(data={"source": f"bad.{kind}", "kind": "survey"}))
    path = tmp_path / f"bad.{kind}"
    table = pa.table({name: [line[i] for line in lines[1:]] for i, name in enumerate(lines[0])})
    if kind == "xlsx":
        book = openpyxl.Workbook()
        for line in lines:
            book.active.append(line)
        book.save(path)
    elif kind == "csv.gz":
        path.write_bytes(gzip.compress(RECORDS.encode()))
    else:
        path.mkdir() if kind == "folder" else None
        pq.write_table(table, path / "part-0.parquet" if kind == "folder" else path)
    for arguments in (("verify", path, "--keys", "age"), ("run", plan), ("check", plan, "--json"), ("profile", path)):
        code, printed = called(*arguments)
        assert code == 2, printed
        assert _silent(printed), (arguments, printed)


def test_a_header_that_most_of_the_plan_is_in_is_shown(tmp_path: Path, called: Called) -> None:
    plan = write_case(tmp_path)
    path = tmp_path / "people.csv"
    path.write_text("name,agee,sex,ill,note,extra\n" + LINES.replace("\n", ",1\n"))
    _, printed = called("check", plan, "--json")
    faults = json.loads(printed.splitlines()[0])["faults"]
    assert sorted(fault["code"] for fault in faults) == ["P010", "P011", "P011"]
    assert "Did you mean 'agee'?" in printed
    assert "the column 'extra' of people.csv has no role" in printed
    assert "Did you mean 'agee'?" in called("verify", path, "--keys", "age")[1]
    assert "Its columns are: name, agee, sex, ill, note, extra." in called("verify", path, "--keys", "zzzzz,sex,ill")[1]


def test_a_header_that_is_not_proven_is_told_by_place(tmp_path: Path) -> None:
    plan = load_plan(write_case(tmp_path))
    with pytest.raises(PlanError) as caught:
        check_columns(plan, ["name", "Sexcanary", "97531"], "people.csv")
    assert [f.message for f in caught.value.faults if f.code == "P011"] == [
        "column 2 of 3 of people.csv has no role.",
        "column 3 of 3 of people.csv has no role.",
    ]
    assert _silent(str(caught.value))


def test_profile_and_init_believe_whoever_says_that_there_is_a_header(tmp_path: Path, called: Called) -> None:
    path = tmp_path / "texts.csv"
    path.write_text("who,where\nAnna,York\nBen,Leeds\n")
    for command in (("profile", path), ("init", path, "-o", tmp_path / "p.yaml")):
        code, printed = called(*command)
        assert (code, "D265" in printed, "--header" in printed) == (2, True, True)
        assert "who" not in printed.replace(str(path), "").replace("whether", "")
        assert called(*command, "--header")[0] == 0
    path.write_text("who,12\nAnna,York\n")
    assert "D244" in called("profile", path)[1]
    assert called("profile", path, "--header")[0] == 0


def test_a_column_speaks_for_its_header_or_against_it() -> None:
    assert speaks_for("town", ["York", "Leeds"] * 30) == 0  # a rare record looks the same
    assert speaks_for("York", ["York", "Leeds"]) == -1
    assert speaks_for("age", ["34"] * 60 + ["unknown"]) == 1  # one in sixty-one is odd
    assert speaks_for("age", ["34"] * 30 + ["unknown"]) == 0
    assert speaks_for("home", ["AL1 1AA", "YO10 5DD"]) == 1
    assert speaks_for("born", ["2001-02-03", "1/2/1990"]) == 1
    assert speaks_for("age", ["34", None, ""]) == 1
    assert speaks_for("age", []) == 0
    assert speaks_for("1980", ["1981", "1982"]) == 0  # a year may be a name, and may be a record's


words = st.text("abcdefgh", min_size=1, max_size=6)


@settings(max_examples=examples(20))
@given(st.lists(st.tuples(*[words] * 4), min_size=1, max_size=40))
def test_a_record_of_words_never_proves_itself(tmp_path_factory: pytest.TempPathFactory, lines) -> None:
    """Whatever the records, their first one is not shown for a header when every value is as likely there as below."""
    if len(set(lines[0])) < 4:
        return
    path = tmp_path_factory.mktemp("h") / "f.csv"
    path.write_text("".join(",".join(line) + "\n" for line in lines * 2))
    with pytest.raises(InputError) as caught:
        tabulate(open_source(path), ["nosuch-name"])
    assert caught.value.code == "D012"
    assert "are not shown" in str(caught.value)
    with pytest.raises(InputError):
        refuse_records_as_names(open_source(path))


@given(st.lists(st.text(max_size=8), min_size=1, max_size=8, unique=True), st.lists(st.text(max_size=8), max_size=8))
def test_only_proven_names_are_ever_said(columns, written) -> None:
    names = prove(columns, written)
    for column in columns:
        if column not in written and 2 * len(set(written) & set(columns)) <= len(set(written)):
            assert names.say(column) == f"column {columns.index(column) + 1} of {len(columns)}"
    assert all("\x1b" not in names.say(column) and "\n" not in names.say(column) for column in columns)
