"""Random plans for random tables: mostly such that could be meant, now and then anything."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz import deriving, tables
from fuzz.makesteps import TRACE, Columns, Steps

#: What each canary has in it, so that it is found in any output and occurs nowhere by chance.
CANARY = "Qzx{}Canary"


def make_case(rng: Random) -> dict[str, Any]:
    """A table, its file's style, a plan and the files it names."""
    many = tables.rows_of(rng)
    columns, sorts = tables.table(rng, rng.randint(2, 6), many)
    names = list(columns)
    roles = {name: rng.choice(["key", "key", "sensitive", "other"]) for name in names}
    roles[names[0]] = "key"
    case: dict[str, Any] = {"files": {}, "unit": None, "trace": None, "population": None, "canaries": {}}
    _add_person(rng, case, columns, sorts, roles, many)
    if rng.random() < 0.6:
        case["trace"] = TRACE
        columns[TRACE] = [f"r{i}" for i in range(many)]
        roles[TRACE], sorts[TRACE] = "other", "trace"
    if rng.random() < 0.08:
        columns["weight"] = [f"{rng.uniform(1, 50):.2f}" for _ in range(many)]
        roles["weight"], sorts["weight"] = "other", "weight"
    _add_canaries(rng, case, columns, roles, many)
    style = tables.style_of(rng, columns, sorts)
    prepared = deriving.derive(rng, case, columns, sorts, roles)
    prepared = [*deriving.rename(rng, case, columns, style["form"] in tables.PROGRAMS), *prepared]
    chance = Steps(rng, case, columns, sorts, roles)
    steps = [*prepared, *chance.steps()]
    plan: dict[str, Any] = {
        "title": "A fuzzed plan",
        "data": {"source": "people", "kind": rng.choice(["survey", "administrative", "census"])},
        "tier": rng.choice(["open", "safeguarded", "controlled"]),
        "variables": {name: _variable(rng, case, role, columns[name], sorts[name]) for name, role in roles.items()},
        "steps": steps,
        "requirements": requirements(chance),
        "release": {"format": rng.choice(["csv", "csv", "parquet", "xlsx"])},
    }
    if plan["release"]["format"] == "parquet" and rng.random() < 0.3:
        plan["release"]["parts"] = "true"
    if style.get("delimiter", ",") != "," and rng.random() < 0.7:
        plan["data"]["delimiter"] = style["delimiter"]
    if "weight" in columns and "weight" not in case["canaries"]:
        plan["data"]["weights"] = "weight"
    if case["unit"]:
        plan["data"]["unit"] = case["unit"]
    if rng.random() < 0.1:
        plan["data"]["unit_name"] = rng.choice(["dwelling", "company/companies", "person"])
    _add_series(rng, case, plan, many)
    if case["population"] is not None:
        plan["data"]["population"] = {"source": "population.csv"}
    if rng.random() < 0.15:
        keys = [name for name, role in roles.items() if role == "key"]
        plan["scenarios"] = [{"name": "nosy", "keys": rng.sample(keys, rng.randint(1, len(keys)))}]
    return {**case, "columns": columns, "style": style, "plan": plan}


def _add_person(
    rng: Random, case: dict[str, Any], columns: Columns, sorts: dict[str, str], roles: dict[str, str], many: int
) -> None:
    """An identifier, with a canary for each person; with a unit, people have several records."""
    draw = rng.random()
    if draw < 0.15:
        return
    people = list(range(many))
    if draw < 0.35:
        people = [rng.randrange(max(1, many // 2)) for _ in people]
        case["unit"] = "person"
        for cells in columns.values():  # much of a person is the same in all their records
            if rng.random() < 0.6:
                first = dict(zip(reversed(people), reversed(cells), strict=True))
                cells[:] = [first[p] for p in people]
    columns["person"] = [f"{CANARY.format('P')}{p}" for p in people]
    sorts["person"], roles["person"] = "id", "identifier"
    case["canaries"]["person"] = CANARY.format("P")


def _add_canaries(rng: Random, case: dict[str, Any], columns: Columns, roles: dict[str, str], many: int) -> None:
    """One record with a value of its own here and there: dropped, suppressed or refused, it may not show."""
    at = rng.randrange(many)
    for number, name in enumerate(columns):
        if roles[name] in ("key", "sensitive", "other") and name != TRACE and rng.random() < 0.15:
            text = CANARY.format(number)
            columns[name][at] = text
            case["canaries"][name] = text


def _variable(rng: Random, case: dict[str, Any], role: str, cells: list[str | None], sort: str) -> dict[str, Any]:
    """Its role; now and then what its values stand for, and what they are."""
    found: dict[str, Any] = {"role": role, "reason": "chance"}
    if sort in ("trace", "id", "weight"):
        return found
    values = sorted({cell for cell in cells if cell and not any(text in cell for text in case["canaries"].values())})
    if values and rng.random() < 0.1:
        found["codes"] = {value: f"word {i}" for i, value in enumerate(rng.sample(values, min(3, len(values))))}
    if rng.random() < 0.06:
        found["scale"] = rng.choice(["nominal", "ordinal", "numeric"])
    if values and rng.random() < 0.04:
        found["missing_codes"] = [rng.choice(values)]
    if rng.random() < 0.1:
        found["label"] = rng.choice(["A label", "Größe, in cm", 'it\'s "so"'])
    return found


def _add_series(rng: Random, case: dict[str, Any], plan: dict[str, Any], many: int) -> None:
    """A file that is released again, with other people in it."""
    case["again"] = None
    if rng.random() < 0.06:
        plan["release"] |= {"series": "the series", "version": "1"}
        case["again"] = sorted(rng.sample(range(many), max(1, many * 9 // 10)))


def requirements(chance: Steps) -> list[dict[str, Any]]:
    """One to three requirements of any model."""
    found = [_requirement(chance) for _ in range(chance.rng.choice([1, 1, 2, 3]))]
    return [one for one in found if one is not None] or [{"model": "k", "k": "2"}]


def _requirement(chance: Steps) -> dict[str, Any] | None:
    rng = chance.rng
    models = ["k", "k", "k", "weak_k"]
    if chance.case["population"] is not None:
        models += ["k_map"] * 4 + ["delta_presence"] * 2
    there = [name for name in chance.sensitive if name in chance.left]
    if there:
        models += [
            "distinct_l",
            "entropy_l",
            "recursive_l",
            "one_sided",
            "alpha_k",
            "t",
            "t",
            "beta",
            "enhanced_beta",
            "delta_disclosure",
        ]
    model = rng.choice(models)
    found: dict[str, Any] = {"model": model}
    keys = [key for key in chance.keys if key in chance.left]
    if model in ("k", "weak_k", "k_map"):
        found["k"] = str(rng.choice([1, 2, 2, 3, 5]))
    elif model == "delta_presence":
        found |= {"dmin": "0", "dmax": rng.choice(["0.5", "0.9", "1"])}
    else:
        found |= _about(chance, rng.choice(there), model)
    if model == "weak_k" or rng.random() < 0.1:
        found["keys"] = rng.sample(keys, rng.randint(1, len(keys)))
    if rng.random() < 0.08:
        name = rng.choice(chance.left)
        values = sorted({cell for cell in chance.columns[name] if cell})
        if values:
            found["where"] = {name: rng.sample(values, min(2, len(values)))}
    return found


def _about(chance: Steps, name: str, model: str) -> dict[str, Any]:
    """The fields of a requirement on a sensitive variable."""
    rng = chance.rng
    values = sorted({cell for cell in chance.columns[name] if cell})
    found: dict[str, Any] = {"sensitive": name}
    match model:
        case "distinct_l":
            found["l"] = "2"
        case "entropy_l":
            found["l"] = rng.choice(["1.2", "1.5", "2"])
        case "recursive_l":
            found |= {"c": rng.choice(["1.5", "3"]), "l": "2"}
        case "one_sided":
            found |= {"value": rng.choice(values or ["a"]), "alpha": rng.choice(["1", "0.5", "0.8"])}
        case "alpha_k":
            found |= {"alpha": rng.choice(["0.6", "0.9"]), "k": "2"}
        case "t":
            distance = rng.choice(["equal", "ordered", "ordered-text", "hierarchical"])
            found |= {"t": rng.choice(["0.2", "0.4", "0.6"]), "distance": distance}
            if distance == "hierarchical":
                found["hierarchy"] = chance.tree(values or ["a"])
            if distance == "ordered" and chance.sorts[name] not in ("number", "decimal"):
                found["order"] = rng.sample(values, len(values)) or ["a"]
        case "beta" | "enhanced_beta":
            found["beta"] = rng.choice(["1", "3"])
        case _:
            found |= {"delta": rng.choice(["1.5", "3"]), "skip_zeros": rng.choice(["true", "false"])}
    return found
