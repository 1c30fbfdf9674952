"""What the README's comparison says of incrowd is tied to a feature that runs here, row by row."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from people import PLAN, SECRET, write_case

import incrowd as ic
import incrowd.cli
from incrowd.audit.signing import find_signer

ROOT = Path(__file__).parents[2]
DROP = {"step": "drop", "variables": ["name"]}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "30", "45"]}
KEYS = ["age", "sex"]


def carried_out(folder: Path, *steps: dict[str, Any], k: str = "1", **more: Any) -> ic.Run:
    """A small run with these steps after the name was dropped."""
    return ic.run(write_case(folder, {**copy.deepcopy(PLAN), "steps": [DROP, *steps],
                                      "requirements": [{"model": "k", "k": k}], **more}))  # fmt: skip


def cells(done: ic.Run, step: str) -> int:
    return sum(one.cells_changed for one in done.log.steps if one.name == step)


def reads_many_formats(folder: Path) -> bool:
    """Excel, SPSS, Stata and JSON lines are read as the CSV file is; SAS and PostgreSQL have tests of their own."""
    import pandas
    import pyreadstat

    write_case(folder)
    people = pandas.read_csv(folder / "people.csv", dtype=str)
    people.to_excel(folder / "people.xlsx", index=False)
    people.to_parquet(folder / "people.parquet", index=False)
    people.to_json(folder / "people.jsonl", orient="records", lines=True)
    pyreadstat.write_sav(people, folder / "people.sav")
    pyreadstat.write_dta(people, folder / "people.dta")
    kinds = ("csv", "xlsx", "parquet", "jsonl", "sav", "dta")
    return len({ic.verify(folder / f"people.{kind}", KEYS).uniques for kind in kinds}) == 1


def compares_with_its_series(folder: Path) -> bool:
    """The same file again: nothing is new, and the run says what it was held against."""
    series = {"release": {"format": "csv", "name": "people", "series": {"name": "people", "people": ["name"]}}}
    carried_out(folder, BANDS, **series)
    again = carried_out(folder, BANDS, **series).log.series
    return again is not None and len(again.pairs) == 1


def measures(folder: Path) -> bool:
    write_case(folder)
    asked = [ic.K(2), ic.parse_model("distinct_l:ill:2"), ic.parse_model("t:ill:0.9")]
    return len(ic.verify(folder / "people.csv", KEYS, asked).findings) == 3


def finds_a_recoding(folder: Path) -> bool:
    write_case(folder)
    return ic.search(folder / "people.csv", KEYS, [ic.K(5)], auto=True).proven


def finds_a_plan(folder: Path) -> bool:
    """It is looked for, and one that is there was attacked."""
    found = ic.propose(write_case(folder), "controlled", most=1)
    return found.recommended is not None and found.recommended.attacks > 0


def suppresses_cells(folder: Path) -> bool:
    return cells(carried_out(folder, {"step": "suppress_cells", "k": "3"}), "suppress_cells") > 0


def risk_in_the_population(folder: Path) -> bool:
    write_case(folder)
    found = ic.risk(folder / "people.csv", KEYS, background=ic.Background(fraction=0.1)).measured[0]
    return any("population" in risk.name and risk.value is not None for risk in found.risks)


def microaggregates(folder: Path) -> bool:
    return cells(carried_out(folder, {"step": "microaggregate", "variables": ["age"], "k": "3"}), "microaggregate") > 0


def perturbs(folder: Path) -> bool:
    steps = [
        {"step": "noise", "variables": ["age"], "share": "0.5"},
        {"step": "pram", "variable": "ill", "rate": "0.5"},
        {"step": "swap", "geography": ["sex"], "rate": "0.2"},
    ]
    for number, step in enumerate(steps):
        place = folder / str(number)
        place.mkdir()
        if not cells(carried_out(place, step), str(step["step"])):
            return False
    return True


def weighs(folder: Path) -> bool:
    case = {"name": "share ill", "test": "proportion", "share": {"ill": ["y"]}, "within": "0.5"}
    plan = {**copy.deepcopy(PLAN), "use_cases": [case]}
    return len(ic.sweep(write_case(folder, plan), k="2,3").sweep.points) == 2


def simulates_intruders(folder: Path) -> bool:
    done = carried_out(folder, BANDS, attack=[{"attacks": ["linkage", "homogeneity"]}])
    tried = [one for one in done.log.attacks if one.success is not None]
    return bool(tried) and all(one.baseline is not None for one in tried)


def reports_twice(folder: Path) -> bool:
    done = carried_out(folder, BANDS)
    return (done.audit / "report.html").is_file() and (done.release / "report.html").is_file()


def counts_again_refuses_and_signs(folder: Path) -> bool:
    with pytest.raises(ic.NotReleasable):
        carried_out(folder, k="50")
    assert not (folder / "release").exists()
    done = carried_out(folder, BANDS)
    key = find_signer(folder).public
    signature = (done.release / "manifest.json.sig").read_bytes()
    return key.verifies(signature, (done.release / "manifest.json").read_bytes())


def makes_pseudonyms(folder: Path) -> bool:
    step = {"step": "pseudonymise", "variables": ["name"], "into": "person"}
    found = []
    for number, secret in enumerate((SECRET, SECRET[::-1])):
        place = folder / str(number)
        place.mkdir()
        plan = write_case(place, {**copy.deepcopy(PLAN), "steps": [step, BANDS]})
        done = ic.run(plan, secret=ic.Secret(bytes.fromhex(secret)))
        found.append({line.split(",")[0] for line in (done.release / "people.csv").read_text().splitlines()[1:]})
    return len(found[0]) == 60 and not found[0] & found[1]


def has_commands(*words: str) -> Callable[[Path], bool]:
    """Whether the command line has each of them."""
    group = incrowd.cli.load()
    known = {one.name or one.callback.__name__ for one in group.registered_commands if one.callback}
    known |= {one.name for one in group.registered_groups}
    return lambda folder: set(words) <= known


def nothing_in_a_plan_is_called(word: str) -> Callable[[Path], bool]:
    schema = yaml.safe_dump(ic.Plan.model_json_schema())
    return lambda folder: re.search(rf"\b{word}", schema, re.I) is not None


#: Each row of the table, and how it is seen to run. Where the cell says no, what is tried must not be there.
ROWS: dict[str, Callable[[Path], bool]] = {
    "what it is": has_commands("run", "verify"),
    "reads": reads_many_formats,
    "measures a file": measures,
    "finds a recoding by itself": finds_a_recoding,
    "finds a plan for a goal, attacked and judged": finds_a_plan,
    "suppresses cells": suppresses_cells,
    "risk in the population": risk_in_the_population,
    "microaggregation": microaggregates,
    "noise, swapping, PRAM": perturbs,
    "differential privacy": nothing_in_a_plan_is_called("epsilon"),
    "synthetic data": nothing_in_a_plan_is_called("synthesise"),
    "weighs protection against cost": weighs,
    "simulated intruders, with baseline and control": simulates_intruders,
    "a test with human intruders": has_commands("intruder-test"),
    "a release held against earlier ones of its series": compares_with_its_series,
    "graphical interface": has_commands("app"),
    "report": reports_twice,
    "the written file is counted again by other code, and refused; the evidence is signed":
        counts_again_refuses_and_signs,
    "pseudonyms under a secret": makes_pseudonyms,
}  # fmt: skip


def table() -> dict[str, str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("## How it compares\n", 1)[1].split("\n## ", 1)[0]
    lines = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {cells[0].strip(): cells[1].strip() for cells in lines[1:] if not cells[0].startswith(" ---")}


def test_every_row_is_tied_to_something() -> None:
    assert set(table()) - set(ROWS) == {"years of use in public bodies"}
    assert set(ROWS) <= set(table())


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split(",")[0])
def test_what_the_comparison_says_of_incrowd_runs(row: str, tmp_path: Path) -> None:
    says_no = table()[row] in ("no", "none")
    assert ROWS[row](tmp_path) != says_no
