"""The profile: what it recognises, what it suggests, and that it shows nobody's values."""

import csv
import json
import random
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from incrowd.errors import PlanError
from incrowd.keys import labels
from incrowd.plan import check_columns
from incrowd.plan.load import parse_plan
from incrowd.plan.steps.recode import Recode
from incrowd.profiling import Ending, patterns, profile, starter_plan
from incrowd.profiling.kinds import KINDS
from incrowd.profiling.phrases import PHRASES
from incrowd.profiling.words import hint_of
from incrowd.profiling.yamltext import key, scalar
from incrowd.rows import open_source
from incrowd.rows.summary import count_columns, rounded_percentiles, some_values

LOOKS = {
    patterns.is_email: (["a.b@c.org", "o'neil+x@mail.co.uk"], ["a@b", "a b@c.org", "@c.org", "x"]),
    patterns.is_nhs_number: (
        ["9434765919", "943 476 5919", "943-476-5919", "4010232137"],
        ["9434765918", "943476591", "1234567890", "1111111111", "0000000000", "94347659199"],
    ),
    # QQ is the example that HMRC prints because nobody has it; the shape is right.
    patterns.has_national_insurance_shape: (["QQ123456C", "ZZ 19 48 92 T", "AB 12 34 56 A"], ["AB12345C", "A1234567B"]),
    patterns.is_national_insurance_number: (
        ["AB123456A", "ab 12 34 56 d", "JG103759A"],
        ["QQ123456C", "ZZ 19 48 92 T", "AO123456A", "BG123456A", "TN123456A", "AB123456E", "DA123456A", "AB1234567"],
    ),
    patterns.is_postcode: (
        ["M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT", "W1A 1HQ", "EC1A 1BB", "GIR 0AA", "ec1a1bb", "LS5 8FN"],
        ["Q1 1AA", "M1", "M1 1AC", "M1 AAE", "AAA1 1AA", "EC1C1 1BB", "12345", "BI1 1AA", "W1I 1HQ"],
    ),
    patterns.is_phone_number: (
        ["(07700) 900876", "+447700 900148", "020 7946 0018", "0044 7700 900876", "+44 (0)20 7946 0018"],
        ["1984-07-05", "05/07/1984", "123456", "07700", "12.50", "call me", "051157818"],
    ),
    patterns.is_ip_address: (["192.0.2.1", "2001:db8::1"], ["192.0.2.256", "1.2.3", "12:30", "1.5"]),
    patterns.is_url: (["https://example.org/a", "www.example.org"], ["example", "http://", "a.b@c.org"]),
    patterns.is_sort_code: (["20-71-62", "40 47 84"], ["12-10-84", "84-10-12", "20-71", "207162"]),
    patterns.is_iban: (["GB82 WEST 1234 5698 7654 32", "DE89370400440532013000"], ["GB83WEST12345698765432", "GB82"]),
    patterns.is_card_number: (["4111 1111 1111 1111", "5500-0000-0000-0004"], ["4111111111111112", "4111"]),
    patterns.is_vehicle_registration: (["AB12 CDE", "A123 BCD", "ABC 123D"], ["AB1 2CD", "12 AB", "ABCDE"]),
    patterns.is_device_address: (["00:1B:44:11:3A:B7"], ["00:1B:44:11:3A", "12:30:00"]),
    patterns.is_machine_code: (["123e4567-e89b-12d3-a456-426614174000", "a" * 32], ["123e4567", "abc"]),
    patterns.is_address: (["12 High Street", "Flat 3, 7a Old Mill Lane, Leeds"], ["High Street", "12", "3 children"]),
    patterns.is_name: (["Lorraine", "Edward Williams", "Dr. Hannah O'Neil", "Turner, Hannah"], ["Leeds", "1"]),
    patterns.is_surname: (
        ["Smith", "jones", "O'Brien", "McKay", "Taylor-Joy", "Jones, A", "van der Berg", "De Souza", "El-Sayed"],
        ["Leeds", "Smith Ltd", "Mackerel", "Macaroni", "1", "Baker", "de luxe", "van", "el-nino", "North, A"],
    ),
    patterns.is_part_of_a_name: (["Lorraine", "Patel", "Edward Williams"], ["Leeds", "North Yorkshire", "1"]),
    patterns.is_written_as_a_name: (["Xylander", "Zq-Rt"], ["xylander", "North Yorkshire", "M1", "A", ""]),
}  # fmt: skip


@pytest.mark.parametrize("looks", LOOKS, ids=lambda f: f.__name__)
def test_each_pattern_knows_its_own(looks):
    right, wrong = LOOKS[looks]
    assert [value for value in right if not looks(value)] == []
    assert [value for value in wrong if looks(value)] == []


def test_every_pattern_of_a_kind_is_tested_and_every_phrase_has_a_kind():
    assert {kind.looks for kind in KINDS if kind.looks} <= set(LOOKS)
    assert {kind.name for kind in KINDS} == set(PHRASES)


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ("given_name, surname, forename, FirstName, Last name, full-name, maiden_name, lname", "name"),
        ("email, E-Mail, email_address, emailAddress, Email1", "e-mail address"),
        ("mobile, tel, phone_number, Telephone, phone2, contact_number, telNo", "phone number"),
        ("nhs_no, NHSNumber, nhs, nhs_number", "NHS number"),
        ("nino, NI_number, national_insurance_number, NINO", "National Insurance number"),
        ("post_code, Postcode, zip, postal_code, homePostcode", "postcode"),
        ("dob, birthdate, date_of_birth, DateOfBirth, DOB, dateofbirth, birth_date", "date of birth"),
        ("person_id, id, hhid, patient_number, ref", "record number"),
        ("age, Age, ageGroup", "age"),
        ("sex, gender", "sex"),
        ("region, district, lsoa11, local_authority, region_name, area_code", "area"),
        ("country_of_birth, nationality, native-country", "country"),
        ("income, salary-class, gross_pay, annualIncome", "income"),
        ("credit_score, debt", "credit or debt"),
        ("on_benefits", "benefits"),
        ("Health, diagnosis, blood_group", "health"),
        ("Approximated Social Grade, occupation", "occupation"),
        ("grade, exam_score", "grade"),
        ("convictions", "conviction"),
    ],
)
def test_names_of_columns_in_many_spellings(names, kind):
    for name in names.split(", "):
        assert hint_of(name) is not None, name
        assert hint_of(name).kind.name == kind, name


def test_words_that_turn_a_name_make_it_weak():
    assert hint_of("email_consent").weak
    assert hint_of("phone_type").weak
    assert not hint_of("phone_number").weak
    assert not hint_of("given_name").weak
    assert hint_of("v17") is None


def write(folder: Path, columns: dict[str, list[str]], name: str = "people.csv") -> Path:
    path = folder / name
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def people(number: int, seed: int = 1) -> dict[str, list[str]]:
    r = random.Random(seed)
    first = ["Anna", "Ben", "Chloe", "David", "Emma", "Zoltan", "Quirin"]

    def many(make):
        return [make() for _ in range(number)]

    return {
        "Who": [
            f"{r.choice(first)} {r.choice('BDFGH')}{r.choice('aeiou')}rn{'abcdefg'[i % 7]}s" for i in range(number)
        ],
        "contact": [f"p{i}@example.org" for i in range(number)],
        "no": [str(1000 + i) for i in range(number)],
        "home": many(lambda: f"LS{r.randrange(1, 30)} {r.randrange(1, 10)}{r.choice('ABDE')}{r.choice('ABDE')}"),
        "dob": many(lambda: f"{r.randrange(1, 29):02d}/{r.randrange(1, 13):02d}/{r.randrange(1930, 2005)}"),
        "sex": many(lambda: r.choice("MF")),
        "region": many(lambda: r.choice(["North", "South"])),
        "n_rooms_seen": many(lambda: str(r.randrange(3))),
        "income": many(lambda: f"{r.gauss(30000, 9000):.2f}"),
        "on_benefits": many(lambda: r.choice(["Yes", "No"])),
        "seen": many(lambda: f"202{r.randrange(4)}-0{r.randrange(1, 10)}-1{r.randrange(10)}"),
    }


def by_name(path: Path):
    return {column.name: column for column in profile(open_source(path)).columns}


def test_roles_on_people(tmp_path):
    found = by_name(write(tmp_path, people(600)))
    said = {name: (column.type, column.kind, column.role, column.certain) for name, column in found.items()}
    assert said == {
        "Who": ("text", "name", "identifier", True),
        "contact": ("text", "e-mail address", "identifier", True),
        "no": ("whole number", "record number", "identifier", True),
        "home": ("text", "postcode", "key", True),
        "dob": ("date", "date of birth", "key", True),
        "sex": ("category", "sex", "key", True),
        "region": ("category", "area", "key", True),
        "n_rooms_seen": ("whole number", "housing", "key", True),
        "income": ("number", "income", "sensitive", True),
        "on_benefits": ("yes/no", "benefits", "sensitive", True),
        "seen": ("date", None, "key", False),
    }
    assert found["dob"].date_format == "%d/%m/%Y"
    assert found["contact"].share_unique == 1
    assert found["contact"].reason.startswith("Almost every value is different, and 100% of its values look like e-")
    assert found["sex"].distinct == 2
    assert found["income"].low is not None
    assert 10_000 <= found["income"].low < found["income"].high <= 50_000


def test_values_that_contradict_a_name(tmp_path):
    r = random.Random(2)
    columns = {
        "email": [r.choice(["yes", "no"]) for _ in range(300)],
        "drug_name": [r.choice(["aspirin", "codeine", "insulin"]) for _ in range(300)],
        "age": [f"0770090{i:04d}" for i in range(300)],
        "remark_x": ["ask a.b@example.org" if i % 2 else f"p{i}@example.org" for i in range(300)],
        "nhs_no": ["12345" + str(i) for i in range(300)],
    }
    found = by_name(write(tmp_path, columns))
    assert found["email"].role == "key"
    assert found["drug_name"].role == "sensitive"
    assert (found["age"].kind, found["age"].role) == ("phone number", "identifier")
    assert (found["remark_x"].kind, found["remark_x"].role) == ("e-mail address", "identifier")
    assert found["nhs_no"].role == "identifier"  # its name is enough
    assert "only 0%" in found["nhs_no"].reason


def test_what_nothing_tells_is_careful_and_says_so(tmp_path):
    columns = {
        "v1": [f"token number {i}" for i in range(100)],
        "v2": [str(i % 3) for i in range(100)],
        "v3": [f"{i * 1.37:.2f}" for i in range(100)],
        "v4": ["same"] * 100,
        "v5": [""] * 100,
        "v6": [f"{i:04d}" for i in range(100)],
    }
    found = by_name(write(tmp_path, columns))
    assert {name: column.role for name, column in found.items()} == {
        "v1": "identifier", "v2": "key", "v3": "sensitive", "v4": "other", "v5": "other", "v6": "identifier",
    }  # fmt: skip
    assert not any(found[name].certain for name in ("v1", "v2", "v3", "v4", "v5"))


def test_counts(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('x,y\na,1\na,2\n"",2\n" ",NA\n,3\nbb,4\n')
    found = by_name(path)
    x, y = found["x"], found["y"]
    assert (x.distinct, x.unique, x.missing, x.empty, x.shortest, x.longest) == (2, 1, 1, 2, 1, 2)
    assert x.share_unique == round(1 / 3, 4)
    assert (y.type, y.misfits, y.distinct) == ("whole number", 1, 5)


TYPES = [
    (["1984-07-05", "1984-02-29"], "date", "%Y-%m-%d"),
    (["1984-07-05", "1983-02-29"], "text", None),  # no such day
    (["05/07/1984", "12/01/1990"], "date", "%d/%m/%Y"),  # the day first where both fit
    (["07/25/1984", "01/12/1990"], "date", "%m/%d/%Y"),
    (["05.07.1984", "31.12.1990"], "date", "%d.%m.%Y"),
    (["2020-01-01 10:00:00"] * 2, "date", "%Y-%m-%d %H:%M:%S"),
    ([f"198407{day}" for day in range(11, 18)], "date", "%Y%m%d"),
    (["19840705", "55555555"], "whole number", None),
    (["007", "012", "113"], "code", None),
    (["1.5", "2", "-3e2"], "number", None),
    (["E12000001", "W92000004"], "code", None),
    (["true", "FALSE", "true"], "yes/no", None),
    (["0", "1", "1"], "yes/no", None),
    (["1", "2", "1"], "whole number", None),
]


def test_types(tmp_path):
    longest = max(len(values) for values, _, _ in TYPES)
    columns = {f"v{i}": values + [""] * (longest - len(values)) for i, (values, _, _) in enumerate(TYPES)}
    found = by_name(write(tmp_path, columns))
    assert [(column.type, column.date_format) for column in found.values()] == [(t, form) for _, t, form in TYPES]


def test_no_value_of_anybody_in_the_profile(tmp_path):
    columns = people(500)
    columns["Who"][3] = "Canary Wharfbird"
    columns["region"][5] = "CanaryIsland"
    columns["income"][7] = "98765432.10"
    columns["v9"] = [f"canaryword{i}" for i in range(500)]
    columns["age"] = [str(20 + i % 40) for i in range(499)] + ["117"]
    path = write(tmp_path, columns)
    found = profile(open_source(path))
    text = json.dumps(found.to_dict()) + repr(found) + starter_plan(found, path.name)
    assert "anary" not in text
    assert "987654" not in text
    assert "117" not in text
    for name, values in columns.items():
        if name not in ("sex", "n_rooms_seen", "on_benefits", "region", "age"):
            assert not [value for value in values if value in text], name
    assert "North" not in text


def test_ranges_only_where_many_lie_beyond(tmp_path):
    few, many = [str(i) for i in range(60)], [str(i) for i in range(1000)]
    assert by_name(write(tmp_path, {"income": few}, "few.csv"))["income"].high is None
    column = by_name(write(tmp_path, {"income": many}, "many.csv"))["income"]
    assert (column.low, column.high) == (50, 900)
    rows = open_source(tmp_path / "many.csv")
    assert rounded_percentiles(rows, ["income"], beyond=500) == {"income": (None, None)}
    assert rounded_percentiles(rows, []) == {}


def test_the_values_tried_depend_on_the_values_alone(tmp_path):
    values = [f"value {i}" for i in range(3000)]
    chosen = []
    for seed in (1, 2):
        random.Random(seed).shuffle(values)
        rows = open_source(write(tmp_path, {"a": values, "b": ["x"] * 3000}, f"{seed}.csv"))
        chosen.append(some_values(rows, count_columns(rows), most=200))
    assert chosen[0] == chosen[1]
    assert 120 < len(chosen[0][0]) < 300
    assert chosen[0][1] == ("x",)


AWKWARD = [
    "a: b", "# hash", "it's", 'say "so"', "1st", "two words", "größe", "Yes", "~", "null", "- dash", "{x}", "[y]",
    "&a", "*b", "!t", "%p", "@at", "`tick`", " lead", "trail ", "a\\b", "💙", "line\nend", "tab\there", "?", "?q", ":",
    "|", ">", "<<", "0x1F", "1e3", "2020-01-01", "a,b", "=", "variables.role", "nbsp\u00a0x", "\u2028sep", "'",
    "''", "No", "x" * 1500,
]  # fmt: skip


def loaded(path: Path, **options):
    """The starter plan of a file, checked as `incrowd check` does, and its recodes tried on every value."""
    rows = open_source(path)
    found = profile(rows)
    json.dumps(found.to_dict(), allow_nan=False)
    text = starter_plan(found, path.name, **options)
    plan = parse_plan(text.replace("\n    decide: ", "\n    reason: "), path.parent)
    check_columns(plan, rows.columns, path.name)
    for step in plan.steps:
        if isinstance(step, Recode):
            values = list(rows.value_counts(step.variable))
            if step.bands:
                labels.bands(values, [Decimal(cut) for cut in step.bands], step.variable)
            elif step.date_part:
                labels.date_part(values, step.date_part, step.variable, step.date_format or "%Y-%m-%d")
    return plan


def test_starter_plan_of_awkward_names(tmp_path):
    columns = {name: [f"{i}@x.org" for i in range(8)] for name in AWKWARD} | {"sex": ["f"] * 8}
    pq.write_table(pa.table(columns), tmp_path / "identifiers.parquet")
    plan = loaded(tmp_path / "identifiers.parquet")
    assert plan.with_role("key") == ["sex"]
    assert plan.with_role("identifier") == plan.steps[0].variables == AWKWARD
    in_one_line = [name for name in AWKWARD if len(name.splitlines()) == 1]
    plan = loaded(write(tmp_path, {name: ["1", "2"] for name in in_one_line}))
    assert list(plan.variables) == in_one_line
    assert plan.tier == "safeguarded"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_survives_yaml(name):
    node = yaml.compose(f"{key(name)} [{scalar(name)}]", Loader=yaml.SafeLoader)
    name_node, list_node = node.value[0]
    assert name_node.value == list_node.value[0].value == name
    assert list_node.value[0].tag == "tag:yaml.org,2002:str"


def test_starter_plan_of_people(tmp_path):
    plan = loaded(write(tmp_path, people(600)), kind="census", ending=Ending(7))
    assert plan.data.kind == "census"
    assert [step.step for step in plan.steps] == ["drop", "drop", "recode", "recode", "search"]
    assert plan.steps[0].variables == ["Who", "contact", "no"]
    assert plan.steps[1].variables == ["home"]
    assert (plan.steps[2].date_part, plan.steps[2].date_format) == ("year", "%d/%m/%Y")
    assert plan.requirements[0].k == 7
    columns = people(600) | {"age": [str(20 + i % 60) for i in range(600)]}
    columns["seen"][3] = "unknown"
    plan = loaded(write(tmp_path, columns))
    assert plan.steps[2].variables == ["dob"]  # the age is there
    assert not [step for step in plan.steps if step.step == "recode"]
    assert plan.steps[-1].hierarchies["age"].widths == [5, 10, 20, 40]


@pytest.mark.parametrize(
    "text",
    [
        "name,age\n",
        "a\n1\n",
        "email,age,sex\nx@y.org,,f\n",
        "income\n5\n6\n",
        "postcode\nM1 1AE\nM1 1AE\n",
        "dob,v1\nsoon,a\nlater,b\n",
        'a,b,c\n"",,\n"",,\n',
        "x;y\n1;\n2;\n",
        "age\n" + "".join(f"{i}\n" for i in range(50)) + '""\n',
    ],
)
def test_edge_files(tmp_path, text):
    path = tmp_path / "edge.csv"
    path.write_text(text)
    assert loaded(path).with_role("key")


@pytest.mark.parametrize("text", ["email\na@x.org\nb@x.org\n", "email,age\na@x.org,\n"])
def test_a_file_of_identifiers_has_nothing_to_release(tmp_path, text):
    path = tmp_path / "nothing.csv"
    path.write_text(text)
    assert "nothing to release" in starter_plan(profile(open_source(path)), path.name)
    with pytest.raises(PlanError, match="P016"):
        loaded(path)


def test_notes(tmp_path):
    columns = people(60) | {"person_id": [f"p{i % 20}" for i in range(60)]}
    notes = " ".join(profile(open_source(write(tmp_path, columns))).notes)
    assert "'person_id' repeats" in notes
    path = tmp_path / "headless.csv"
    path.write_text("Anna,anna@example.org\nBen,ben@example.org\n")
    found = profile(open_source(path))
    assert "column 2 looks like" in found.notes[0]


def test_parquet_with_types(tmp_path):
    path = tmp_path / "typed.parquet"
    pq.write_table(pa.table({"age": [30, 40, None], "w": [1.5, 2.5, float("nan")], "ok": [True, False, True]}), path)
    found = by_name(path)
    assert [column.type for column in found.values()] == ["whole number", "number", "yes/no"]
    assert found["age"].missing == 1


@needs_shared
def test_messy_customers():
    path = SHARED / "data/messy/customer_information.csv"
    found = by_name(path)
    assert [n for n, c in found.items() if c.role == "identifier"] == [
        "given_name", "surname", "phone_number", "national_insurance_number", "bank_account_number",
    ]  # fmt: skip
    assert {"gender", "birthdate", "country_of_birth", "postcode", "education_level"} <= {
        n for n, c in found.items() if c.role == "key"
    }
    assert {"blood_group", "avg_n_drinks_per_week", "avg_n_cigret_per_week"} <= {
        n for n, c in found.items() if c.role == "sensitive"
    }
    assert loaded(path).with_role("identifier")


@needs_shared
def test_adult_and_census():
    adult = by_name(SHARED / "data/adult/adult.csv")
    assert [n for n, c in adult.items() if c.role == "sensitive"] == ["salary-class"]
    assert sum(c.role == "key" for c in adult.values()) == 8
    plan = loaded(SHARED / "data/census2011/teaching_file_50k.csv")
    assert plan.with_role("identifier") == ["Person ID"]
    assert plan.with_role("sensitive") == ["Health"]
    assert not [step for step in plan.steps if step.step == "recode"]  # coded ages are no numbers to band
