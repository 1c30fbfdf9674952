"""Few plans: the frontier that is found is that of all of them, each carried out, attacked and judged by dumb code."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from examples import quick_only
from propose_cases import write_goal

import incrowd as ic
from incrowd.attack.on_run import situation_of
from incrowd.attack.registry import ATTACKS
from incrowd.audit.workspace import open_workspace
from incrowd.pipeline.job import Job
from incrowd.pipeline.trial import carry_out, open_and_count
from incrowd.plan import Plan
from incrowd.protect import require_in_memory
from incrowd.report.board.advice import TIERS, advise
from incrowd.rows import open_released
from incrowd.secret import secret_to_try
from incrowd.utility.of_run import measure_utility

Point = tuple[float, int, float, float]  # risk, use cases, information, bits of the keys

#: How each key may be said: the recodings of a level, or none for the value itself; None: left out.
AREA = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
AGES = {"20": "20-39", "30": "20-39", "40": "40-59", "50": "40-59"}


@dataclass(frozen=True)
class Case:
    """A table, and all that may be done to it."""

    columns: dict[str, list[str]]
    levels: dict[str, list[Any]]  # of each key: {}: as it is, a mapping, None: left out
    treatments: list[list[dict[str, Any]]]  # of the sensitive variable
    endings: tuple[str, ...]
    parts: dict[str, Any]

    @property
    def keys(self) -> list[str]:
        return list(self.levels)

    def plans(self) -> Iterator[list[dict[str, Any]]]:
        """The steps of every plan, written by hand."""
        for ending, treated, *chosen in product(self.endings, self.treatments, *self.levels.values()):
            steps = list(treated)
            level = dict(zip(self.keys, chosen, strict=True))
            gone = [name for name in self.keys if level[name] is None]
            if len(gone) == len(self.keys):
                continue  # no plan: nothing is left to be found by
            for name in self.keys:
                if level[name]:
                    there = {value: label for value, label in level[name].items() if value in self.columns[name]}
                    steps.append({"step": "recode", "variable": name, "mapping": there})
            if gone:
                steps.append({"step": "drop", "variables": gone})
            asked = self.parts["propose"]
            spared = {"area"} if "use_cases" in self.parts else {*asked.get("keep", ()), *asked.get("coarsest", ())}
            free = [name for name in self.keys if name not in gone and name not in spared]
            if ending == "cells":
                steps.append({"step": "suppress_cells", "k": 3})
            elif ending == "records":
                steps.append({"step": "suppress_records"})
            elif ending == "local" and free:
                steps.append({"step": "search", "hierarchies": dict.fromkeys(free, "auto"), "local": True})
            yield steps


def bits(values: Sequence[object]) -> float:
    return -sum(n / len(values) * math.log2(n / len(values)) for n in Counter(values).values())


def kept(given: Sequence[object], lines: Sequence[int], now: Sequence[object]) -> float:
    """n'/n * I(given; released) / H(given), by counting."""
    if not bits(given):
        return 1.0
    before = [given[line] for line in lines]
    shared = bits(before) + bits(now) - bits(list(zip(before, now, strict=True))) if before else 0.0
    return len(before) / len(given) * shared / bits(given)


def judged(case: Case, folder: Path, tier: str, steps: list[dict[str, Any]]) -> Point | None:
    """A plan carried out and attacked; None where it does not reach the tier."""
    outside = [word for word, one in ATTACKS.items() if one.outside]
    attack = [{"attacks": [w for w in ATTACKS if w not in outside]}, {"attacks": outside, "hold_out": 0.1}]
    scenarios = [{"name": "somebody who knows all keys", "keys": [*case.keys]}] if tier != "controlled" else []
    parts = {name: part for name, part in case.parts.items() if name != "propose"}
    plan = Plan.model_validate(
        {
            "title": "People", "tier": tier, "data": {"source": "people.csv", "kind": "survey"},
            "variables": {
                **{name: {"role": "key", "reason": "-"} for name in case.keys},
                "health": {"role": "sensitive", "reason": "-"},
            },
            "requirements": [{"model": "k", "k": 3}], "steps": steps, "attack": attack, "scenarios": scenarios, **parts,
        }
    )  # fmt: skip
    with open_workspace(folder) as work, ExitStack() as stack:
        job = Job(plan=plan, folder=folder, secret=secret_to_try(folder), work=work, stack=stack, keep_lines=True)
        try:
            counted = open_and_count(job)
            done = carry_out(counted)
        except ic.IncrowdError:
            return None
        against = [
            reason for reason in advise(done.log).reasons
            if not reason.by_people and TIERS.index(reason.tier) > TIERS.index(tier)
        ]  # fmt: skip
        if done.refusal is not None or against:
            return None
        start, end = require_in_memory(done.start, "-"), require_in_memory(done.state, "-")
        assert done.traced is not None
        situation = situation_of(plan, done.context, start, end, done.traced)
        released, lines = situation.released, situation.lines.tolist()
        file = open_released(done.file, spill=work.spill)
        stack.callback(file.close)
        outcomes = measure_utility(plan, done.context, start, end, file).outcomes
    now = {name: released[name].to_pylist() for name in released.column_names}
    information = [
        kept(case.columns[name], lines, now[name]) if name in now else 0.0 for name in (*case.keys, "health")
    ]
    before = {name: [case.columns[name][line] for line in lines] for name in case.keys if name in now}
    told = sum(
        bits(old) + bits(now[name]) - bits(list(zip(old, now[name], strict=True))) for name, old in before.items()
    )
    detail = len(lines) * told / sum(bits(case.columns[name]) for name in case.keys) / len(case.columns["health"])
    classes = Counter(zip(*(now[name] for name in case.keys if name in now), strict=True))
    figures = [max(one.excess, 0.0) for one in done.log.attacks if one.excess is not None]
    risk = max([1 / min(classes.values()), *figures])
    return risk, sum(o.passed for o in outcomes), sum(information) / len(information), detail


def beaten(one: Point, other: Point) -> bool:
    """Whether the other is nowhere worse and somewhere better."""
    better = [one[0] - other[0], *(b - a for a, b in zip(one[1:], other[1:], strict=True))]
    return all(gain >= -1e-9 for gain in better) and any(gain > 1e-9 for gain in better)


def random_case(seed: int) -> Case:
    chance = random.Random(seed)
    number = chance.randint(120, 260) if seed < 6 else chance.randint(40, 70)  # many small classes
    area = [chance.choices([*AREA], [5, 4, 3, 1])[0] for _ in range(number)]
    columns = {
        "area": area,
        "age": [chance.choices([*AGES], [4, 4, 3, chance.choice([1, 3])])[0] for _ in range(number)],
        "health": [chance.choices(["good", "ill", "poor"], [6, 3 if at == "a1" else 1, 1])[0] for at in area],
    }
    levels: dict[str, list[Any]] = {"area": [{}, AREA, None], "age": [{}, AGES, None]}
    asked: dict[str, Any] = {
        "hierarchies": {"area": {"mappings": [AREA]}, "age": {"mappings": [AGES]}},
        "perturbation": False, "records_lost": 0,
    }  # fmt: skip
    drop = [{"step": "drop", "variables": ["health"]}]
    match seed % 3:
        case 0:  # health may be left out
            return Case(columns, levels, [[], drop], ("recode", "cells", "local"), {"propose": asked})
        case 1:  # a use case names the area, and so it stays; records may be dropped
            cases = [{"name": "ill", "test": "top_overlap", "by": "area", "share": {"health": ["ill"]}, "top": 2}]
            asked |= {"records_lost": 0.1}
            levels["area"].remove(None)
            endings = ("recode", "records", "cells", "local")
            return Case(columns, levels, [[]], endings, {"propose": asked, "use_cases": cases})
        case _:  # the age is kept, and a tenth may be dropped
            asked |= {"records_lost": 0.1, "keep": ["age", "health"], "coarsest": {"area": "1"}}
            levels["area"].remove(None)
            levels["age"].remove(None)
            return Case(columns, levels, [[]], ("recode", "records", "local"), {"propose": asked})  # no blanks


@pytest.mark.parametrize("tier", quick_only(["safeguarded"], ["safeguarded", "controlled"]))
@pytest.mark.parametrize("seed", quick_only([2], [2, 0, 4, 6, 8]))
def test_the_frontier_is_that_of_all_plans(tmp_path: Path, seed: int, tier: str) -> None:
    case = random_case(seed)
    roles = {**dict.fromkeys(case.keys, "key"), "health": "sensitive"}
    path = write_goal(tmp_path, case.columns, roles, **case.parts)
    found = ic.propose(path, tier, most=7)
    assert "the frontier is exact" in found.search[0]

    points = [point for steps in case.plans() if (point := judged(case, tmp_path, tier, steps)) is not None]
    best = [one for one in points if not any(beaten(one, other) for other in points)]
    expected = _rounded([one[:3] for one in best])
    got = _rounded([(one.risk, one.held, one.information) for one in found])
    if len({_rounded([one])[0] for one in best}) > 7:  # some of them are shown
        assert len(found) == 7
        assert set(got) <= set(expected)
    else:
        assert set(got) == set(expected)


def _rounded(points: Iterable[Sequence[float]]) -> list[tuple[float, ...]]:
    return [tuple(round(figure, 8) + 0.0 for figure in point) for point in points]
