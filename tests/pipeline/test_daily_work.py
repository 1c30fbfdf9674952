"""Daily work: files as they come (SPSS, Stata, Excel, the census), from `profile` to both reports, in words."""

from __future__ import annotations

import csv
import datetime
import html
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from census import CENSUS, write_codes
from commands import incrowd_cli
from examples import quick_only
from intruder_cases import Friend, make, serving
from shared import SHARED, needs_shared

import incrowd as ic

pandas, pyreadstat = pytest.importorskip("pandas"), pytest.importorskip("pyreadstat")
openpyxl = pytest.importorskip("openpyxl")

TENURE = {1: "Owned", 2: "Rented privately", 3: "Rented from the council", 10: "Rent free", -9: "Refused"}
FUEL = {1: "Gas", 2: "Electricity", 3: "Oil", 9: "Not known"}
SITE = {1: "St Mary", 2: "General", 3: "Riverside"}
DIAGNOSIS = {1: "Injury", 2: "Chest pain", 3: "Infection", 99: "Not recorded"}
MEALS = {0: "No", 1: "Free school meals"}
NEED = {0: "No special need", 1: "Support", 2: "Plan", -1: "Not known"}


@dataclass(frozen=True)
class Case:
    """A file, how it is read, what those in it are called; words and titles that a reader must meet."""

    file: str
    reading: tuple[str, ...]
    one: str
    title: str
    coded: str  # a released variable with codes
    labels: dict[int, str]
    share: str  # a variable and a code, for a use case
    number: str
    middle: tuple[float, float]  # where its mean must be: missing codes are no numbers


def homes(folder: Path) -> Case:
    """SPSS: value labels, user-missing codes; a record is a dwelling."""
    r, lines = random.Random(11), []
    for i in range(700):
        built = -9 if r.random() < 0.1 else r.randrange(1890, 2020)
        codes = [r.choices(list(TENURE), [50, 25, 20, 9, 5])[0], r.choices(list(FUEL), [70, 15, 10, 5])[0]]
        lines.append([f"UPRN{10_000_000 + 7 * i}", *codes, min(9, max(1, int(r.gauss(5, 2)))), built])
    columns = {
        "uprn": "Property reference",
        "tenure": "Tenure of the home",
        "fuel": "Heating fuel",
        "rooms": "Rooms",
        "built": "Year built",
    }
    pyreadstat.write_sav(
        pandas.DataFrame(lines, columns=list(columns)), str(folder / "homes.sav"), column_labels=list(columns.values()),
        variable_value_labels={"tenure": TENURE, "fuel": FUEL, "built": {-9: "Not known"}},
        missing_ranges={"tenure": [-9], "fuel": [9], "built": [-9]},
    )  # fmt: skip
    return Case(
        "homes.sav", (), "dwelling", "Tenure of the home", "tenure", TENURE, "fuel: ['1']", "built", (1890, 2020)
    )


def visits(folder: Path) -> Case:
    """Stata: labels, dates, several records per person."""
    r, lines = random.Random(5), []
    for i in range(260):
        who = [f"P{i:05}", r.choice([1, 2]), r.randrange(95), r.choice(list(SITE))]
        for _ in range(r.choice([1, 1, 2, 3, 6])):
            day = pandas.Timestamp(2024, 1, 1) + pandas.Timedelta(days=r.randrange(365))
            lines.append([*who, day, r.choices(list(DIAGNOSIS), [30, 25, 20, 5])[0], r.randrange(10, 700)])
    columns = {
        "patient_id": "Number of the patient", "sex": "Sex", "age": "Age at arrival", "site": "Hospital site",
        "arrival_date": "Date of arrival", "diagnosis": "Main diagnosis", "minutes": "Minutes in the department",
    }  # fmt: skip
    pyreadstat.write_dta(
        pandas.DataFrame(lines, columns=list(columns)),
        str(folder / "visits.dta"),
        column_labels=list(columns.values()),
        variable_value_labels={"sex": {1: "Male", 2: "Female"}, "site": SITE, "diagnosis": DIAGNOSIS},
    )  # fmt: skip
    return Case("visits.dta", (), "patient", "Hospital site", "site", SITE, "diagnosis: ['1']", "minutes", (10, 700))


def pupils(folder: Path) -> Case:
    """Excel: a cover, dates, coded columns, and a file of codes beside it."""
    r, book = random.Random(3), openpyxl.Workbook()
    book.active.title, book.active["A1"] = "Cover", "School census extract"
    sheet = book.create_sheet("Pupils")
    sheet.append(["pupil name", "date of birth", "gender", "sen", "fsm", "attendance"])
    for i in range(700):
        born = datetime.datetime(2010, 1, 1) + datetime.timedelta(days=r.randrange(1800))
        codes = [r.choice([1, 2]), r.choices(list(NEED), [80, 14, 4, 4])[0], r.choices(list(MEALS), [75, 25])[0]]
        sheet.append([f"Pupil {i}", born, *codes, 999 if i % 20 == 0 else r.randrange(70, 101)])
    book.create_sheet("Notes").append(["as of", "autumn"])
    book.save(folder / "pupils.xlsx")
    with (folder / "codes.csv").open("w", newline="") as file:
        named = {"gender": {1: "Boy", 2: "Girl"}, "sen": NEED, "fsm": MEALS, "attendance": {999: "Not recorded"}}
        rows = [[name, code, label] for name, codes in named.items() for code, label in codes.items()]
        csv.writer(file).writerows([["variable", "code", "label"], *rows])
    reading = ("--sheet", "Pupils", "--codes", "codes.csv")
    return Case("pupils.xlsx", reading, "pupil", "sen", "sen", NEED, "fsm: ['1']", "attendance", (70, 101))


REAL = [
    *("census2011/teaching_file_10k.csv", "census2011/teaching_file_50k.csv"),
    *("sdcmicro/testdata.csv", "sdcmicro/CASCrefmicrodata.csv"),
]
CASES: list[Callable[[Path], Case]] = [homes, visits, pupils]


def said(*arguments: object, folder: Path, code: int = 0) -> str:
    """What a command says, on one line; it must end as expected."""
    done = incrowd_cli(*arguments, folder=folder)
    assert done.returncode == code, done.stdout + done.stderr
    return " ".join((done.stdout + done.stderr).split())


def decided(text: str) -> str:
    """The starter plan once somebody has written reasons."""
    return re.sub(r"(?m)^    (decide|suggested): ", "    reason: ", text)


def words_of(page: Path) -> str:
    """A page as it is read."""
    text = re.sub(r"<style>.*?</style>|<script.*?</script>", "", page.read_text(), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


@pytest.mark.parametrize("write", quick_only(CASES[:1], CASES), ids=lambda write: write.__name__)
def test_from_profile_to_both_reports(tmp_path, write):
    case = write(tmp_path)
    if case.file.endswith("xlsx"):  # which sheet is asked, not guessed
        assert "2 'Pupils'" in said("profile", case.file, folder=tmp_path, code=2)
    found = said("profile", case.file, *case.reading, folder=tmp_path)
    assert case.title in found
    assert f"{len(case.labels)} codes with labels" in found
    said("init", case.file, *case.reading, "-o", "plan.yaml", folder=tmp_path)
    text = (tmp_path / "plan.yaml").read_text()
    assert "P097" in said("check", "plan.yaml", folder=tmp_path, code=2)  # what nobody has decided

    # Untouched but for the reasons.
    (tmp_path / "plan.yaml").write_text(decided(text))
    assert "no faults" in said("check", "plan.yaml", folder=tmp_path)
    done = ic.run(tmp_path / "plan.yaml", out=tmp_path / "untouched")
    lost = 1 - done.log.end.records / done.log.start.records
    assert lost <= 0.1
    assert f"it loses {lost:.1%} of the records" in text
    assert done.log.end.classes > 1  # not every key is gone

    # As somebody would go on: what they are called, an intruder, what the data is for.
    plan = decided(text).replace("  # unit_name: dwelling", f"  unit_name: {case.one}")
    plan += f"scenarios:\n  - {{name: neighbour, keys: [{case.coded}]}}\nuse_cases:\n"
    plan += f"  - {{name: 'How many?', test: proportion, share: {{{case.share}}}, within: 0.05}}\n"
    plan += f"  - {{name: 'The mean?', test: mean, of: {case.number}, within: 0.05}}\n"
    plan += f"  - {{name: 'What goes with it?', test: regression, outcome: {case.number}, features: [{case.coded}]}}\n"
    plan += "attack:\n  - {attacks: [linkage, homogeneity]}\n"
    (tmp_path / "go.yaml").write_text(plan)
    told = said("run", "go.yaml", folder=tmp_path)
    many = {"dwelling": "dwellings", "patient": "patients", "pupil": "pupils"}[case.one]
    assert f"every class has at least 5 {many}" in told
    assert not re.search(rf"\b{case.coded}=-?\d", told)  # a term of the regression by its words
    run = (tmp_path / "release").resolve().parent
    words_everywhere(case, run, many)
    assert any(label in said("risk", "go.yaml", "--rarest", folder=tmp_path) for label in case.labels.values()) or (
        case.title in said("risk", "go.yaml", folder=tmp_path)
    )
    if case.one == "dwelling":  # the file has its own words
        levels = said("hierarchy", "build", case.file, "--key", case.coded, "-o", "h.csv", folder=tmp_path)
        assert "Rent free" in levels
        assert "releases: 0 became worse" in said("review", "runs", "--all", folder=tmp_path)


def words_everywhere(case: Case, run: Path, many: str) -> None:
    """Both reports, the paper and the dictionary of a run."""
    with (run / "release" / "dictionary.csv").open() as file:
        rows = {row["variable"]: row for row in csv.DictReader(file)}
    coded = rows[case.coded]
    assert coded["label"] in (case.title, "")
    for code in {*coded["values"].split(" | ")} & {str(code) for code in case.labels}:
        assert f"{code} = {case.labels[int(code)]}" in coded["codes"]
    variable, code = re.findall(r"\w+", case.share)
    public, internal = words_of(run / "release" / "report.html"), words_of(run / "audit" / "report.html")
    paper = words_of(run / "audit" / "decision.html")
    condition = next(part for part in rows[variable]["codes"].split(" | ") if part.startswith(f"{code} = "))
    for page in (public, internal):
        assert f"{variable} = {condition.removeprefix(f'{code} = ')}" in page
        assert f"{variable} = {code}" not in page
        assert many in page
    assert not re.search(r"\bpeople\b", public, re.IGNORECASE)
    assert not re.search(rf"\b{case.coded}=-?\d", internal)
    assert f"at least 5 {many}" in paper
    assert "at least 5 people" not in paper
    for number, whole in re.findall(r"([\d,]+) of ([\d,]+) (?:\w+ )?stood alone", f"{paper} {internal}"):
        assert int(number.replace(",", "")) <= int(whole.replace(",", ""))
    figure = re.search(r"The mean of \w+ moves by .*? all ([\d,.]+) ", internal)
    assert figure is not None
    assert case.middle[0] < float(figure[1].replace(",", "")) < case.middle[1]


def test_friendly_intruders_read_words(tmp_path):
    case = homes(tmp_path)
    text = decided(ic.init(tmp_path / case.file, tmp_path / "plan.yaml"))
    text = text.replace("  # unit_name: dwelling", "  unit_name: dwelling")
    (tmp_path / "plan.yaml").write_text(text + "scenarios:\n  - {name: neighbour, keys: [tenure, fuel]}\n")
    place = tmp_path / "test.db"
    test = make(ic.run(tmp_path / "plan.yaml").folder, place, intruders="1")
    with serving(place) as address, Friend(address, test.invitations[0].token) as friend:
        friend.accept()
        cards, records = friend.get("/targets").text, friend.get("/records").text
    assert "You know of this dwelling" in cards
    assert any(label in cards for label in {**TENURE, **FUEL}.values())
    assert any(f"{label} ({code})" in records for code, label in TENURE.items())


def real(folder: Path, name: str) -> tuple[Path, dict[str, object]]:
    """A file of the shared data, and how it is read."""
    source = folder / Path(name).name
    source.write_bytes((SHARED / "data" / name).read_bytes())
    if "census" not in name:
        return source, {}
    with source.open(newline="") as file:
        head = next(csv.reader(file))
    write_codes(folder / "codes.csv", head)
    return source, {"codes": folder / "codes.csv", "drop_index": not head[0]}


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    REAL,
)
def test_real_files_from_profile_to_both_reports(tmp_path, name):
    assert CENSUS.exists()
    source, reading = real(tmp_path, name)
    text = decided(ic.init(source, tmp_path / "plan.yaml", header=True, **reading))
    (tmp_path / "plan.yaml").write_text(text)
    done = ic.run(tmp_path / "plan.yaml")
    assert 1 - done.log.end.records / done.log.start.records <= 0.1
    assert done.log.end.classes > 1
    internal, paper = words_of(done.audit / "report.html"), words_of(done.audit / "decision.html")
    assert "records are left" in paper
    if "census" in name:
        with (done.release / "dictionary.csv").open() as file:
            rows = {row["variable"]: row for row in csv.DictReader(file)}
        assert "1 = Male | 2 = Female" in rows["Sex"]["codes"]
        assert re.search(r"Sex Female [\d,]+", internal)
        assert not re.search(r"Sex 2 [\d,]+", internal)
