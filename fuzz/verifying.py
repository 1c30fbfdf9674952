"""The figures of `verify` on random tables, compared with the oracle's."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from fuzz import tables, twists
from fuzz.oracle import Judged, Records, Unjudged, judge
from fuzz.outcome import UNEXPLAINED, Outcome

NAME = "verify"
KEYS, SENSITIVE = ["age", "sex", "region"], "illness"


def make(rng: Random) -> dict[str, Any]:
    """A small table of three keys and one sensitive variable, and many requirements on it."""
    many = rng.choice([rng.randint(1, 6), rng.randint(6, 40), rng.randint(40, 150)])
    sorts = {name: rng.choice(tables.SORTS) for name in KEYS}
    sorts[SENSITIVE] = rng.choice(["number", "category", "odd"])
    columns = {name: tables.column(rng, sort, many) for name, sort in sorts.items()}
    unit = None
    if rng.random() < 0.3:
        unit = "person"
        columns[unit] = [f"p{rng.randrange(max(1, many // 2))}" for _ in range(many)]
    style = tables.style_of(rng, columns, sorts)
    style["twist"] = twists.twist(rng, columns, style)
    population = None
    if rng.random() < 0.3:
        lines = [i for i in range(many) for _ in range(rng.randint(1, 3))]
        population = {key: [columns[key][i] for i in lines] for key in KEYS}
    values = sorted({cell for cell in columns[SENSITIVE] if cell} - {"*"})
    asked = [_ask(rng, values, sorts[SENSITIVE], population is not None) for _ in range(8)]
    return {"columns": columns, "style": style, "unit": unit, "population": population, "asked": [*filter(None, asked)]}


def _ask(rng: Random, values: list[str], sort: str, outside: bool) -> dict[str, Any] | None:
    """One requirement, as a mapping; its text is made from it."""
    model = rng.choice(
        ["k", "weak_k", "distinct_l", "entropy_l", "recursive_l", "one_sided", "alpha_k", "t", "t", "beta",
         "enhanced_beta", "delta_disclosure", *(["k_map", "delta_presence"] * 2 if outside else [])]
    )  # fmt: skip
    found: dict[str, Any] = {"model": model}
    match model:
        case "k" | "k_map" | "weak_k":
            found["k"] = rng.randint(1, 6)
        case "delta_presence":
            found |= {"dmin": rng.choice(["0", "0.1"]), "dmax": rng.choice(["0.4", "0.7", "1"])}
        case "distinct_l":
            found["l"] = rng.randint(1, 4)
        case "entropy_l":
            found["l"] = rng.choice(["1.3", "1.9", "2.6"])
        case "recursive_l":
            found |= {"c": rng.choice(["0.7", "1.1", "2.3"]), "l": rng.randint(1, 4)}
        case "one_sided":
            plain = [value for value in values if value.isalnum()]
            if not plain:
                return None
            found |= {"value": rng.choice(plain), "alpha": rng.choice(["1", "0.37", "0.71"])}
        case "alpha_k":
            found |= {"alpha": rng.choice(["0.37", "0.71"]), "k": rng.randint(1, 4)}
        case "t":
            ways = ["equal", "ordered-text", *(["ordered"] if sort == "number" else [])]
            found |= {"t": rng.choice(["0.13", "0.37", "0.61"]), "distance": rng.choice(ways)}
        case "beta" | "enhanced_beta":
            found["beta"] = rng.choice(["0.37", "1.3", "3.1"])
        case _:
            found |= {"delta": rng.choice(["0.7", "1.9"]), "skip_zeros": rng.choice([True, False])}
    if model not in ("k", "weak_k", "k_map", "delta_presence"):
        found["sensitive"] = SENSITIVE
    if model == "weak_k" or rng.random() < 0.2:
        found["keys"] = rng.sample(KEYS, rng.randint(1, 3))
    return found


def text_of(asked: dict[str, Any]) -> str:
    """A requirement as it is written on the command line."""
    fields = {
        "k": ["k"], "weak_k": ["k"], "k_map": ["k"], "delta_presence": ["dmin", "dmax"],
        "distinct_l": ["sensitive", "l"], "entropy_l": ["sensitive", "l"], "recursive_l": ["sensitive", "c", "l"],
        "one_sided": ["sensitive", "value", "alpha"], "alpha_k": ["sensitive", "alpha", "k"],
        "t": ["sensitive", "t", "distance"], "beta": ["sensitive", "beta"], "enhanced_beta": ["sensitive", "beta"],
        "delta_disclosure": ["sensitive", "delta"],
    }[asked["model"]]  # fmt: skip
    parts = [asked["model"], *(str(asked[name]) for name in fields)]
    if asked.get("skip_zeros"):
        parts.append("skip-zeros")
    if asked.get("keys"):
        parts.append(f"on={','.join(asked['keys'])}")
    return ":".join(parts)


def play(case: dict[str, Any], folder: Path) -> Outcome:
    """Each requirement alone, so that one that is refused does not hide the others."""
    from incrowd import IncrowdError, parse_model, verify

    outcome = Outcome()
    name = twists.write(folder, case["columns"], case["style"])
    if case["population"] is not None:
        (folder / "population.csv").write_text(tables.to_csv(case["population"]))
    outside = folder / "population.csv" if case["population"] is not None else None
    records = _records(case)
    for asked in case["asked"]:
        text = text_of(asked)
        try:
            found = verify(folder / name, KEYS, [parse_model(text)], case["unit"], outside)
        except IncrowdError as error:
            outcome.code = error.code
            continue
        except Exception as error:
            frames = [f"{f.filename.rsplit('/', 1)[-1]}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)]
            outcome.fault(UNEXPLAINED, f"{text}: {type(error).__name__} in {' < '.join(reversed(frames[-4:]))}")
            outcome.code = "X001"
            continue
        outcome.released = True
        outcome.check(case["style"]["twist"] != "twice", "wrong", "a file with two columns of one name is read")
        sizes = [records.size(members) for members in records.classes(KEYS).values()]
        counted = (found.records, found.people, found.k, found.classes, found.uniques)
        ours = (len(records.rows), len(set(records.people)), min(sizes), len(sizes), sizes.count(1))
        outcome.check(counted == ours, "wrong", f"records, people, k, classes, uniques {counted}, counted again {ours}")
        try:
            judged = judge(records, asked)
        except (Unjudged, ValueError):
            outcome.unjudged += 1
            continue
        _compare(outcome, text, found, judged, asked, records)
    return outcome


def _compare(outcome: Outcome, text: str, found: Any, judged: Judged, asked: dict[str, Any], records: Records) -> None:
    (finding,) = found.findings
    outcome.check(finding.passed == judged.passed or judged.close, "wrong", f"{text}: passed is {finding.passed}")
    if asked["model"] == "delta_presence":
        return
    ours, said = judged.figure, finding.achieved
    same = ours == said or (ours is not None and said is not None and abs(ours - said) <= 1e-9 * max(1, abs(ours)))
    outcome.check(same, "wrong", f"{text}: {said}, and by its definition {ours}")
    own = tuple(asked.get("keys") or KEYS)
    if not judged.close:
        at = [KEYS.index(key) for key in own]
        failing = [c for c in records.classes(KEYS) if tuple(c[i] for i in at) in judged.failing]
        outcome.check(found.failing_classes == len(failing), "wrong", f"{text}: {found.failing_classes} classes fail")


def _records(case: dict[str, Any]) -> Records:
    columns = case["columns"]
    if case["style"]["form"] == "xlsx":
        columns = {name: [cell or None for cell in cells] for name, cells in columns.items()}
    rows = [dict(zip(columns, record, strict=True)) for record in zip(*columns.values(), strict=True)]
    people = columns[case["unit"]] if case["unit"] else range(len(rows))
    everything = Records(rows, list(people), tuple(KEYS))
    spread = {SENSITIVE: everything.values(range(len(rows)), SENSITIVE)}
    outside = None
    if case["population"] is not None:
        outside = {}
        for line in zip(*case["population"].values(), strict=True):
            outside[line] = outside.get(line, 0) + 1
    return Records(rows, list(people), tuple(KEYS), spread, outside)


def smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Fewer requirements, fewer records."""
    for number in range(len(case["asked"])):
        if len(case["asked"]) > 1:
            yield {**case, "asked": case["asked"][:number] + case["asked"][number + 1 :]}
    many = len(case["columns"]["age"])
    size = many // 2
    while size >= 1 and case["style"]["form"] != "parts":
        for start in range(0, many, size):
            kept = [i for i in range(many) if not start <= i < start + size]
            if kept:
                yield {**case, "columns": {n: [cells[i] for i in kept] for n, cells in case["columns"].items()}}
        size //= 3
    if case["style"]["form"] not in ("csv", "parts") and case["style"]["twist"] is None:
        yield {**case, "style": {"form": "csv", "twist": None}}
