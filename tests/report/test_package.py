"""The release folder is a data package that others can read, and says no more than the release itself."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from frictionless import Package, system, validate
from people import plan_with, write_case

import incrowd as ic
from incrowd.audit.manifest import hash_file
from incrowd.pipeline.check import load_plan
from incrowd.rows import open_source
from incrowd.rows.columns import summarise

PUBLIC = {
    "licence": "OGL-UK-3.0", "publisher": "Department of Examples", "description": "People of an example.",
    "contact": "open-data@example.org", "version": "2026-03", "keywords": ["health", "survey"],
}  # fmt: skip


def _plan(**release: object) -> dict[str, Any]:
    plan = plan_with(release={"format": "csv", "name": "people", **PUBLIC, **release})
    plan["variables"]["sex"] |= {"label": "Sex, as told", "codes": {"f": "female", "m": "male", "x": "another"}}
    plan["variables"]["note"]["codes"] = {"000": "nothing"}
    return plan


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ic.Run:
    return ic.run(write_case(tmp_path_factory.mktemp("package"), _plan()))


def _descriptor(release: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((release / "datapackage.json").read_text())
    return content


def test_frictionless_finds_a_valid_package(made: ic.Run) -> None:
    report = validate(str(made.release / "datapackage.json"))
    assert report.valid, report.flatten(["title", "note"])
    package = Package(str(made.release / "datapackage.json"))
    assert package.name == "people"
    with (made.release / "people.csv").open() as file:
        assert [row.to_dict() for row in package.get_resource("people").read_rows()] == list(csv.DictReader(file))


def test_frictionless_would_find_a_changed_file(made: ic.Run, tmp_path: Path) -> None:
    for path in made.release.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    text = (tmp_path / "people.csv").read_text()
    (tmp_path / "people.csv").write_text(text.replace(",f,", ",w,", 1))
    with system.use_context(trusted=True):
        assert not validate(str(tmp_path / "datapackage.json")).valid


def test_the_descriptor_holds_what_a_portal_asks_for(made: ic.Run) -> None:
    found = _descriptor(made.release)
    # What the profile tabular-data-package of version 1 of the specification requires.
    assert found["profile"] == "tabular-data-package"
    assert re.fullmatch(r"[-a-z0-9._/]+", found["name"])
    assert found["licenses"] == [{
        "name": "OGL-UK-3.0", "title": "Open Government Licence v3.0",
        "path": "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/",
    }]  # fmt: skip
    assert found["contributors"] == [
        {"title": "Department of Examples", "role": "publisher", "email": "open-data@example.org"}
    ]
    assert (found["version"], found["keywords"]) == ("2026-03", ["health", "survey"])
    data = found["resources"][0]
    path = made.release / data["path"]
    assert (data["bytes"], data["hash"]) == (path.stat().st_size, f"sha256:{hash_file(path)}")
    assert (data["format"], data["mediatype"], data["encoding"]) == ("csv", "text/csv", "utf-8")
    assert data["profile"] == "tabular-data-resource"
    assert data["schema"]["missingValues"] == [""]
    assert "primaryKey" not in data["schema"]
    fields = {field["name"]: field for field in data["schema"]["fields"]}
    assert list(fields) == ["age", "sex", "ill", "note"]
    assert fields["sex"]["title"] == "Sex, as told"
    assert fields["sex"]["constraints"] == {"required": True, "enum": ["f", "m"]}
    # A code that does not occur is left out: that somebody has it in the source would be news.
    assert fields["sex"]["categories"] == [{"value": "f", "label": "female"}, {"value": "m", "label": "male"}]
    assert fields["note"]["type"] == "string"
    assert "another" not in (made.release / "datapackage.json").read_text()


def test_codes_are_in_the_dictionary_and_values_without_one_are_reported(made: ic.Run) -> None:
    with (made.release / "dictionary.csv").open() as file:
        lines = {line["variable"]: line for line in csv.DictReader(file)}
    assert lines["sex"]["codes"] == "f = female | m = male"
    assert lines["age"]["codes"] == ""
    assert made.notes == ("note: 6 released values have no entry in its codes",)


def test_without_a_licence_an_open_file_says_so(tmp_path: Path) -> None:
    run = ic.run(write_case(tmp_path))
    found = _descriptor(run.release)
    assert "licenses" not in found
    assert "No licence is named" in found["description"]
    assert any("licence" in note for note in run.notes)
    assert validate(str(run.release / "datapackage.json")).valid


def test_a_licence_is_known_or_given_in_full(tmp_path: Path) -> None:
    with pytest.raises(ic.PlanError, match=r"OGL-UK-3\.0"):
        load_plan(write_case(tmp_path, _plan(licence="OGL-9")))
    given = {"name": "EUL", "url": "https://example.org/licence", "title": "End User Licence"}
    plan = load_plan(write_case(tmp_path, _plan(licence=given)))
    assert plan.release.licence is not None
    assert plan.release.licence.url == given["url"]
    for name in ("datapackage", "manifest"):
        with pytest.raises(ic.PlanError, match="P004"):
            load_plan(write_case(tmp_path, _plan(name=name)))


def test_csv_on_the_web(made: ic.Run) -> None:
    found = json.loads((made.release / "people.csv-metadata.json").read_text())
    with (made.release / "people.csv").open() as file:
        lines = list(csv.reader(file))
    assert found["@context"][0] == "http://www.w3.org/ns/csvw"
    assert (made.release / found["url"]).is_file()
    columns = found["tableSchema"]["columns"]
    # Titles are the header; names are variables of URI templates, each once; cells match their datatype.
    assert [column["titles"] for column in columns] == lines[0]
    assert len({column["name"] for column in columns}) == len(columns)
    for number, column in enumerate(columns):
        assert re.fullmatch(r"(?:[A-Za-z0-9.]|%[0-9A-F]{2})(?:[A-Za-z0-9_.]|%[0-9A-F]{2})*", column["name"])
        cells = {line[number] for line in lines[1:]}
        if column["required"]:
            assert "" not in cells
        assert all(re.fullmatch(column["datatype"]["format"], cell) for cell in cells if cell)
    assert found["dc:license"]["@id"].startswith("https://")
    assert found["dialect"]["encoding"] == "utf-8"


def test_types_are_honest(tmp_path: Path) -> None:
    """Numbers only where every value is a number and reading them so loses nothing."""
    columns = {
        "code": ["007", "012", "100"], "whole": ["7", "-12", "0"], "money": ["1.50", "2.25", "-3.00"],
        "twice": ["1.1", "1.10", "2"], "long": ["12345678901234567890", "1", "2"], "minus": ["-0", "1", "2"],
        "exponent": ["1e5", "2", "3"], "plus": ["+1", "2", "3"], "gap": ["1", "", "3"], "nan": ["nan", "1", "2"],
        "spaced": [" 1", "2", "3"], "sector": ["1.", "2", "3"], "half": [".5", "2", "3"], "infinite": ["inf", "1", "2"],
    }  # fmt: skip
    path = tmp_path / "x.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([list(columns), *zip(*columns.values(), strict=True)])
    found = {name: summary.holds for name, summary in summarise(open_source(path)).items()}
    assert {name for name, holds in found.items() if holds == "integer"} == {"whole", "gap"}
    assert {name for name, holds in found.items() if holds == "number"} == {"money"}


TYPED = """\
title: Sizes
data: {source: sizes.csv, kind: survey}
tier: open
variables:
  group: {role: key, reason: seen, codes: {1: first, 2: second}}
  size: {role: other, reason: measured}
  money: {role: other, reason: measured}
  place code: {role: other, reason: 'it is long', label: 'Where, "exactly"'}
steps: []
requirements: [{model: k, k: 2}]
release: {format: csv, name: sizes, licence: CC0-1.0}
"""


def _sizes(folder: Path, plan: str) -> ic.Run:
    lines = [(1 + i % 2, i, f"{i}.{i % 10}5", f"{i:03}") for i in range(120)]
    lines[7] = (2, "", "", "")  # type: ignore[assignment]
    with (folder / "sizes.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("group", "size", "money", "place code"), *lines])
    write_case(folder)
    (folder / "sizes.yaml").write_text(plan)
    return ic.run(folder / "sizes.yaml")


def test_pandas_reads_it_back_with_these_types(tmp_path: Path) -> None:
    run = _sizes(tmp_path, TYPED)
    assert validate(str(run.release / "datapackage.json")).valid
    fields = {f["name"]: f for f in _descriptor(run.release)["resources"][0]["schema"]["fields"]}
    assert {name: field["type"] for name, field in fields.items()} == {
        "group": "string", "size": "integer", "money": "number", "place code": "string",
    }  # fmt: skip
    assert "required" not in fields["size"].get("constraints", {})
    kinds = {"string": "string", "integer": "Int64", "number": "Float64"}
    read = pd.read_csv(run.release / "sizes.csv", dtype={name: kinds[f["type"]] for name, f in fields.items()})
    plain = pd.read_csv(run.release / "sizes.csv", dtype="string")
    assert read["size"].isna().sum() == 1
    assert list(read["place code"].dropna()) == list(plain["place code"].dropna())
    assert [str(value) for value in read["size"].dropna()] == list(plain["size"].dropna())
    assert [f"{value:.2f}" for value in read["money"].dropna()] == list(plain["money"].dropna())
    web = json.loads((run.release / "sizes.csv-metadata.json").read_text())["tableSchema"]["columns"]
    assert [(c["name"], c["titles"]) for c in web][-1] == ("place%20code", "place code")
    assert web[1]["datatype"] == "integer"


@pytest.mark.parametrize("parts", [False, True])
def test_a_parquet_release_is_a_package_with_the_types_of_its_file(tmp_path: Path, parts: bool) -> None:
    plan = yaml.safe_load(TYPED)
    plan["release"] |= {"format": "parquet", "parts": parts}
    plan["requirements"][0]["k"] = "2"
    run = _sizes(tmp_path, yaml.safe_dump(plan))
    found = _descriptor(run.release)
    assert found["profile"] == "data-package"
    assert not list(run.release.glob("*-metadata.json"))
    data = [resource for resource in found["resources"] if resource["format"] == "parquet"]
    assert len(data) == (len(list((run.release / "sizes").iterdir())) if parts else 1)
    for resource in data:
        schema = pq.read_schema(run.release / resource["path"])
        for field, column in zip(resource["schema"]["fields"], schema, strict=True):
            assert (field["type"] == "string") == pa.types.is_string(column.type)
        assert resource["hash"] == f"sha256:{hash_file(run.release / resource['path'])}"
    Package.from_descriptor(found)


def test_it_tells_nothing_of_the_way_there(tmp_path: Path) -> None:
    """No count of the source, no step, no reason: a source ten times as long gives the same words."""
    told = []
    for name, times in (("one", 1), ("ten", 10)):
        (tmp_path / name).mkdir()
        lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},00{i % 7}\n" for i in range(60 * times))
        run = ic.run(write_case(tmp_path / name, _plan(), lines))
        texts = [(run.release / file).read_text() for file in ("datapackage.json", "people.csv-metadata.json")]
        told.append([re.sub(r'"(bytes|hash)": .*', "", text) for text in texts])
    assert told[0] == told[1]
    words = "\n".join(told[0])
    assert not re.search(r"suppress|recode|drop|names a person|visible|harmless|\bsecret\b", words)
    assert str(tmp_path) not in words
