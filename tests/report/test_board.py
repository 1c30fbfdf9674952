"""The fifteen points of a review board: each is traced to the audit, or says that it is missing."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import yaml
from board import ATTEST, WHOLE, Sections, nothing_missing, run
from hypothesis import given
from hypothesis import strategies as st
from logs import small_log

import incrowd as ic
from incrowd.audit.groups import Seen, by_group
from incrowd.audit.log import RunLog
from incrowd.audit.manifest import hash_file
from incrowd.keys.codebook import RARE
from incrowd.keys.table import from_records
from incrowd.pipeline import FileRun
from incrowd.plan.attest import ASKED as ATTESTED
from incrowd.report import sections
from incrowd.report.board.advice import advise
from incrowd.report.board.crosswalk import ASKED, crosswalk
from incrowd.report.internal import internal_report, points

NAMES = tuple(section.name for section in sections.internal())


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileRun, str]:
    return run(tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileRun, str]:
    return run(tmp_path_factory.mktemp("whole"), **WHOLE, attest=ATTEST)


@pytest.fixture(scope="module")
def full(whole: tuple[FileRun, str]) -> RunLog:
    return nothing_missing(whole[0].log)


def number(text: int) -> str:
    return f"{text:,}"


def expected(done: Any) -> dict[str, list[str]]:
    """What each point must show, read from the files of the audit and not from the program."""
    log = json.loads((done.audit / "log.json").read_text())
    plan = yaml.safe_load((done.audit / "plan.yaml").read_text())
    inputs = json.loads((done.audit / "manifest.json").read_text())["inputs"]
    manifest = json.loads((done.release / "manifest.json").read_text())
    start, end, steps = log["steps"][0]["after"], log["steps"][-1]["after"], log["steps"][1:]
    said = {n: [one["role"], one["date"], one["text"]] for n, one in plan["attest"].items() if n in ATTESTED}
    review = plan["attest"].get("review")
    signs = [one[field] for one in plan["attest"].get("sign_off", []) for field in ("role", "date", "text")]
    data = next(file for file in manifest["files"] if file["name"] == plan["release"]["name"] + ".csv")
    utility = log["utility"]
    return {
        "decision": [*(v["requirement"] for v in log["verdicts"]), f"{log['verdicts'][0]['achieved']:g}", *signs,
                     *plan["attest"]["conditions"], *([review["next"], *review["triggers"]] if review else [])],
        "situation": [plan["data"]["source"], plan["data"]["kind"], number(start["records"]), number(end["records"]),
                      str((plan["data"].get("protection") or {}).get("sampling_fraction", "not known")),
                      *said.get("data_situation", []), *said.get("lawful_basis", [])],
        "consultation": [*(use["name"] for use in plan["use_cases"]), *said.get("consultation", []),
                         *said.get("transparency", [])],
        "variables": [t for n, v in plan["variables"].items() for t in (n, v["role"], v["reason"])],
        "scenarios": [*(text for risk in log["risks"] for text in (risk["before"]["scenario"]["name"], "knows who")),
                      *(risk["before"]["scenario"]["keys"][0] for risk in log["risks"]),
                      *said.get("scenarios", []), *said.get("external_data", [])],
        "before-after": [*(number(snap[what]) for snap in (start, end) for what in ("classes", "uniques", "smallest")),
                         *(f"{log['verdicts'][i]['requirement']} {had:g}" for i, had in enumerate(log["at_start"])),
                         *(f"{g['variable']} {g['value']} {number(g['before']['people'])}" for g in log["groups"])],
        "risk": [f"{one['value']:.4g}" for risk in log["risks"] for one in risk["after"]["risks"]
                 if one["value"] is not None],
        "treatment": [*(s["title"] for s in steps), *(number(s["cells_changed"]) for s in steps),
                      *(s["reason"] for s in steps if s["reason"]), "bands: 0, 40",
                      inputs[0]["sha256"], hash_file(done.audit / "plan.yaml"), data["sha256"]],
        "attacks": [], "intruder-test": [],
        "utility": [o[field] for o in utility["outcomes"] for field in ("use_case", "rule", "found")],
        "alternatives": [t for p in utility["prices"] for t in (p["name"], number(p["dropped"]))],
        "residual": [*said.get("impact", []), *said.get("residual_risk", [])],
        "crosswalk": [t for n in ("dpia", "governance", "access") for t in said.get(n, [])],
        "incidents": [*said.get("incident_plan", []), *said.get("monitoring", []), ic.__version__,
                      *([review["next"], review["role"], *review["triggers"]] if review else [])],
    }  # fmt: skip


@pytest.mark.slow
def test_fifteen_points_in_order_each_with_its_number_and_status(whole: tuple[FileRun, str]) -> None:
    found = Sections(whole[1])
    assert tuple(found.texts) == NAMES
    assert len(NAMES) == 15
    for at, name in enumerate(NAMES, start=1):
        assert re.match(rf"{at} .+ (filled|attested|missing)\b", found.texts[name]), found.texts[name][:80]


@pytest.mark.parametrize("name", NAMES)
def test_a_point_is_traced_to_the_audit_or_says_that_it_is_missing(
    name: str, whole: tuple[FileRun, str], bare: tuple[FileRun, str]
) -> None:
    for done, page in (whole, bare):
        text = Sections(page).texts[name]
        for value in expected(done)[name]:
            assert str(value) in text, (name, value)
        status = points(done.log)[name]
        assert status.status in text[:120]
        if status.status == "missing":
            assert "Missing" in text
            for lacking in status.missing if name != "decision" else ():
                assert lacking in text
        elif name not in ("attacks", "intruder-test"):
            assert expected(done)[name]


def test_what_a_plan_leaves_out_is_missing_and_what_it_fills_in_is_not(
    whole: tuple[FileRun, str], bare: tuple[FileRun, str]
) -> None:
    lacks = {name for name, point in points(bare[0].log).items() if point.status == "missing"}
    assert lacks == set(NAMES) - {"variables"}
    lacks = {name for name, point in points(whole[0].log).items() if point.status == "missing"}
    # These need attacks and people. The release has no uniques, so there are none to be estimated: the table says so.
    assert lacks == {"attacks", "intruder-test", "residual", "crosswalk"}


@pytest.mark.parametrize("name", [*ATTESTED, "review", "sign_off"])
def test_an_attestation_changes_its_point_and_no_other_makes_up_for_it(name: str, whole: tuple[FileRun, str]) -> None:
    log = whole[0].log
    about = log.about
    if name == "review":
        without = replace(about, review=None)
    elif name == "sign_off":
        without = replace(about, sign_offs=())
    else:
        without = replace(about, attested={**about.attested, name: None})
    before, after = points(replace(log, about=without)), points(log)
    changed = {point for point in NAMES if before[point] != after[point]}
    assert changed
    for point in changed:
        assert before[point].status == "missing"
        assert len(before[point].missing) >= len(after[point].missing)
    assert len(advise(replace(log, about=without)).reasons) >= len(advise(log).reasons)


def test_crosswalk_has_every_point_once_and_all_ten_of_ukan(whole: tuple[FileRun, str], full: RunLog) -> None:
    rows = crosswalk(whole[0].log)
    assert len({(row.guide, row.point) for row in rows}) == len(rows) == len(ASKED)
    assert [row.point.split()[0] for row in rows if row.guide == "UKAN"] == [str(n) for n in range(1, 11)]
    assert {row.section for row in rows} <= set(NAMES)
    assert {row.status for row in rows} == {"automated", "attested", "missing"}
    assert all(row.missing for row in rows if row.status == "missing")
    assert not [row.point for row in crosswalk(full) if row.status == "missing" and "price" not in row.point]
    nothing = crosswalk(small_log(verdicts=(), variables={}))
    assert sum(row.status == "missing" for row in nothing) > len(ASKED) / 2
    text = Sections(whole[1]).texts["crosswalk"]
    assert all(row.point in text for row in rows)


def test_residual_risks_are_tied_to_what_measured_them(full: RunLog, bare: tuple[FileRun, str]) -> None:
    text = Sections(internal_report(full)).texts["residual"]
    for attack in full.attacks:
        assert attack.sentence in text
    assert "Not measured." not in text
    assert Sections(bare[1]).texts["residual"].count("Not measured.") == 10


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), min_size=1, max_size=40),
    st.integers(0, 39),
)
def test_groups_are_what_a_counter_counts(records: list[tuple[str, str]], kept: int) -> None:
    left = records[: kept + 1]
    tables = [from_records({"one": [r[0] for r in rows], "other": [r[1] for r in rows]}) for rows in (records, left)]
    found = {(g.variable, g.value): g for g in by_group(*tables)}
    for at, name in enumerate(("one", "other")):
        people = Counter(record[at] for record in records)
        label = {value: value if number >= RARE else "(rare values)" for value, number in people.items()}
        values = set(label.values())
        assert {value for variable, value in found if variable == name} == (values if len(values) > 1 else set())
        for value in values if len(values) > 1 else ():
            for rows, seen in ((records, found[name, value].before), (left, found[name, value].after)):
                sizes = [n for record, n in Counter(rows).items() if label[record[at]] == value]
                assert seen == (Seen(sum(sizes), sizes.count(1), min(sizes)) if sizes else None)
