"""Count a release again, from the files alone: what the plan promised must hold in them.

Which released record is whose is known where the table has a column of line numbers that no step touches. From it
follow the people, what each recoding did to which value, and how variables were spread before records were dropped.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

from fuzz.oracle import Cell, Records, Unjudged, judge
from fuzz.outcome import Outcome
from fuzz.promises import check_promises
from fuzz.reading import Row, parse_csv, read_release
from fuzz.tables import PROGRAMS

#: Steps that move values from record to record.
MOVES = ("shuffle", "swap", "rank_swap")
BESIDE = ("report.html", "manifest.json", "dictionary.csv", "datapackage.json")
INSIDE = ("report.html", "manifest.json", "log.json", "plan.yaml")
#: Steps that give each value a new name, the same in every record.
NAMES_ANEW = ("recode", "merge_small", "top_code", "bottom_code")


def check_release(case: Mapping[str, Any], release: Path, audit: Path, outcome: Outcome) -> None:
    """Everything that can be seen in the files of a run."""
    files = check_files(release, audit, outcome)
    if files is None:
        return
    names, rows = files
    plan, log = case["plan"], json.loads((audit / "log.json").read_text())
    steps = [step for step in plan["steps"] if step.get("off") != "true"]
    wanted, new = expected_columns(plan, steps)
    right = [n for n in names if n not in new] == wanted and all(name in names for name in new)
    if not outcome.check(right, "wrong", f"the columns are {names}"):
        return
    identifiers = [name for name, variable in plan["variables"].items() if variable["role"] == "identifier"]
    outcome.check(not set(names) & set(identifiers), "wrong", "an identifier is released")
    at_start, removed = len(next(iter(case["columns"].values()))), [s["records_removed"] for s in log["steps"]]
    outcome.check(len(rows) == at_start - sum(removed), "wrong", f"{at_start} - {sum(removed)} records are {len(rows)}")
    outcome.check(log["steps"][-1]["after"]["records"] == len(rows), "wrong", "the log counts other records")
    lines = _lines(case, rows, outcome)
    _untouched(case, steps, names, rows, lines, outcome)
    if lines is not None:
        check_promises(case, steps, rows, lines, sum(removed), outcome)
    records = _records(case, steps, names, rows, lines, sum(removed))
    for number, asked in enumerate(plan["requirements"]):
        words = f"requirement {number} ({asked['model']})"
        try:
            if records is None:
                raise Unjudged("people")
            judged = judge(records, _plain(asked))
        except Unjudged:
            outcome.unjudged += 1
            continue
        outcome.check(judged.passed or judged.close, "wrong", f"{words} does not hold: {judged.figure}")
        said = log["verdicts"][number]["achieved"]
        if asked["model"] != "delta_presence":
            outcome.check(_same(said, judged.figure), "wrong", f"{words} has {judged.figure}, and the log says {said}")


def check_files(release: Path, audit: Path, outcome: Outcome) -> tuple[list[str], list[Row]] | None:
    """All files are there and the manifest fits; gives the data."""
    for folder, wanted in ((release, BESIDE), (audit, INSIDE)):
        absent = [name for name in wanted if not (folder / name).is_file()]
        if not outcome.check(not absent, "half", f"{absent} are not in {folder.name}"):
            return None
    listed = json.loads((release / "manifest.json").read_text())
    entries = {entry["name"]: entry["sha256"] for entry in listed["files"]}
    there = {str(p.relative_to(release)) for p in release.rglob("*") if p.is_file()} - {
        "manifest.json",
        "manifest.json.sig",
    }
    outcome.check(there == set(entries), "half", "the manifest lists other files")
    for name, digest in entries.items():
        found = hashlib.sha256((release / name).read_bytes()).hexdigest()
        outcome.check(found == digest, "half", f"{name} is not what the manifest says")
    data = [p for p in release.iterdir() if p.name.split(".")[0] == "data" and not p.name.endswith(".json")]
    if not outcome.check(len(data) == 1, "half", "there is not one data file"):
        return None
    return read_release(data[0])


def expected_columns(plan: Mapping[str, Any], steps: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The columns that are left after the last step, in order; and those that are new."""
    there, new = list(plan["variables"]), []
    identifiers = [n for n, v in plan["variables"].items() if v["role"] == "identifier"]
    for step in steps:
        if step["step"] == "drop":
            there = [name for name in there if name not in step["variables"]]
        if step["step"] == "pseudonymise":
            there = [n for n in there if n not in step["variables"] or n not in identifiers]
            new.append(step["into"])
    return there, new


def touched(steps: list[dict[str, Any]], name: str, key: bool) -> list[dict[str, Any]]:
    """The steps that may change the values of a column."""
    found = []
    for step in steps:
        names = {step.get("variable"), *step.get("geography", [])}
        if step["step"] in ("noise", "microaggregate", "shuffle"):
            names |= set(step["variables"])
        if step["step"] == "search":
            names |= set(step["hierarchies"])
        if name in names or (step["step"] == "suppress_cells" and key):
            found.append(step)
    return found


def _lines(case: Mapping[str, Any], rows: list[Row], outcome: Outcome) -> list[int] | None:
    """For each released record its line in the source, where they can be told."""
    if case["trace"] is None:
        return None
    at = {value: number for number, value in enumerate(case["columns"][case["trace"]])}
    lines = [at.get(row.get(case["trace"]), -1) for row in rows]
    single = len(set(lines)) == len(lines) and -1 not in lines
    return lines if outcome.check(single, "wrong", "a line number is not released once") else None


def _untouched(
    case: Mapping[str, Any], steps: list[dict[str, Any]], names: list[str], rows: list[Row], lines: list[int] | None,
    outcome: Outcome,
) -> None:  # fmt: skip
    """What no step names comes out as it went in; what only moves about keeps its values."""
    for name in set(names) & set(case["columns"]):
        key = case["plan"]["variables"][name]["role"] == "key"
        by = touched(steps, name, key)
        at_start, out = [_achieved_at_start(case, cell) for cell in case["columns"][name]], [row[name] for row in rows]
        if not by and lines is not None:
            same = all(cell == at_start[line] for cell, line in zip(out, lines, strict=True))
            outcome.check(same, "wrong", f"the untouched {name!r} is not byte for byte what came")
        elif all(step["step"] in MOVES for step in by) and case["unit"]:
            more = Counter({*out} - {*at_start})  # people move, and some have more records than others
            outcome.check(not more, "wrong", f"{name!r} has values that it did not have")
        elif all(step["step"] in MOVES for step in by):
            more = Counter(out) - Counter(at_start)
            outcome.check(not more, "wrong", f"{name!r} has values that it did not have, or more of them")
        elif lines is not None and all(step["step"] in NAMES_ANEW for step in by):
            pairs = {(at_start[line], cell) for cell, line in zip(out, lines, strict=True)}
            outcome.check(len(pairs) == len(dict(pairs)), "wrong", f"a value of {name!r} has two new names")


def _achieved_at_start(case: Mapping[str, Any], cell: Cell) -> Cell:
    """A cell as its file can hold it: Excel has no empty texts."""
    return None if case["style"]["form"] in ("xlsx", *PROGRAMS) and cell == "" else cell


def _records(
    case: Mapping[str, Any], steps: list[dict[str, Any]], names: list[str], rows: list[Row], lines: list[int] | None,
    removed: int,
) -> Records | None:  # fmt: skip
    """The released records, with all that can be known about them."""
    variables = case["plan"]["variables"]
    keys = tuple(name for name, v in variables.items() if v["role"] == "key" and name in names)
    people: list[Hashable] = list(range(len(rows)))
    if case["unit"] and lines is not None:
        people = [case["columns"][case["unit"]][line] for line in lines]
    elif case["unit"] and "pseudo" in names:
        people = [row["pseudo"] for row in rows]
    elif case["unit"]:
        return None  # whose records they are is not known
    spread: dict[str, Mapping[Cell, int] | None] = {}
    for name, variable in variables.items():
        if variable["role"] == "sensitive" and name in names:
            spread[name] = _spread(case, steps, name, rows, people, lines, removed)
    population = None if case["population"] is None else _population(case, steps, keys, rows, lines)
    return Records(rows, people, keys, spread, population, _paths(case))


def _spread(
    case: Mapping[str, Any], steps: list[dict[str, Any]], name: str, rows: list[Row], people: list[Hashable],
    lines: list[int] | None, removed: int,
) -> Mapping[Cell, int] | None:  # fmt: skip
    """How a variable was spread before anything was suppressed."""
    if not removed:
        return Counter(value for _, value in {(p, row[name] or None) for p, row in zip(people, rows, strict=True)})
    if any(step["step"] == "sample" for step in steps) or (case["unit"] and lines is None):
        return None
    at_start = [_achieved_at_start(case, cell) for cell in case["columns"][name]]
    by = touched(steps, name, key=False)
    if all(step["step"] in MOVES for step in by) and not (case["unit"] and by):
        new: dict[Cell, Cell] = {cell: cell for cell in at_start}
    elif lines is not None and all(step["step"] in NAMES_ANEW for step in by):
        new = {at_start[line]: row[name] for row, line in zip(rows, lines, strict=True)}
    else:
        return None
    if any(cell not in new for cell in at_start):
        return None
    persons = case["columns"][case["unit"]] if case["unit"] else range(len(at_start))
    return Counter(value for _, value in {(p, new[cell] or None) for p, cell in zip(persons, at_start, strict=True)})


def _population(
    case: Mapping[str, Any],
    steps: list[dict[str, Any]],
    keys: tuple[str, ...],
    rows: list[Row],
    lines: list[int] | None,
) -> Mapping[tuple[Cell, ...], int] | None:
    """The population by the released keys, where it is seen in the file what becomes of each of its values."""
    columns = []
    for key in keys:
        new: dict[Cell, Cell] = {}
        if not touched(steps, key, key=True):
            new = {cell: cell for cell in case["population"][key]}
        elif lines is not None:
            new = {case["columns"][key][line]: row[key] for row, line in zip(rows, lines, strict=True)}
        cells = case["population"][key]
        if any(cell not in new for cell in cells):
            return None
        columns.append([new[cell] for cell in cells])
    return Counter(zip(*columns, strict=True))


def _paths(case: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    found = {}
    for asked in case["plan"]["requirements"]:
        if asked.get("hierarchy"):
            lines = parse_csv(case["files"][asked["hierarchy"]], ";")
            found[asked["sensitive"]] = {str(line[0] or ""): [str(cell) for cell in line] for line in lines}
    return found


def _plain(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {**asked, "skip_zeros": asked.get("skip_zeros") == "true"}


def _same(said: float | str | None, figure: float | None) -> bool:
    if said is None or figure is None:
        return said is None and figure is None
    said = float(said)  # JSON may hold infinity as a text
    return said == figure or abs(said - figure) <= 1e-6 * max(1.0, abs(figure))
