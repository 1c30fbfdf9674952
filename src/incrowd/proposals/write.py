"""Proposals as files: the plans, a page to read, a chart to point at, and the figures for scripts. All stay inside."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from incrowd.errors import InputError, PlanError
from incrowd.machine.writing import write_private
from incrowd.plan import Plan
from incrowd.plan.check import check_plan
from incrowd.plan.files import named_files, with_files
from incrowd.plan.load import dump_content
from incrowd.proposals.bench import Bench
from incrowd.proposals.goal import with_parts
from incrowd.proposals.plans import limited_attacks
from incrowd.proposals.prices import LEAST, Price
from incrowd.proposals.telling import optimised, searched
from incrowd.proposals.trying import Tried
from incrowd.proposals.value import Proposal, Proposals
from incrowd.proposals.walk import Walk
from incrowd.report.charts.proposals import Point, frontier_chart, frontier_page, price_chart
from incrowd.report.render import render, svg
from incrowd.secret import FILE, VARIABLE, Secret, find_secret

PAGE, CHART, FIGURES = "proposals.html", "chart.html", "proposals.json"
#: Texts of a plan fit on a line.
_WIDTH = 110
#: Fields of steps that are numbers, exact as they are written.
NUMBERS = ("bands", "at", "base")


def proposed_plan(bench: Bench, walk: Walk, tried: Tried, found: Proposal, prices: Sequence[Price]) -> Plan:
    """The plan of a proposal as it is handed over: with the limits of its attacks, and how it was found."""
    attacks = limited_attacks(bench.plan, walk.goal, tried.attacks)
    told = {
        "goal": walk.goal.tier, "name": found.name, "recommended": found.recommended, "why": found.why,
        "optimised": optimised(bench), "search": list(searched(walk)), "risk": round(found.risk, 6),
        "kept": round(min(max(found.information, 0.0), 1.0), 6), "left_to_do": list(found.left_to_do),
        "prices": [{"promise": p.promise, "instead": p.instead, "back": round(p.back, 6), "how": p.how}
                   for p in (prices if found.recommended else ()) if p.back >= LEAST],
    }  # fmt: skip
    plan = with_parts(tried.plan, attack=attacks, proposed=told)
    return _without_faults(plan, bench.folder)


def _without_faults(plan: Plan, folder: Path) -> Plan:
    """What was priced or swept for another plan may not fit this one: it is left out, and nothing else may be wrong."""
    faults = check_plan(plan, folder)
    if any(fault.place.startswith("alternatives") for fault in faults):
        plan = with_parts(plan, alternatives=None)
        faults = check_plan(plan, folder)
    if faults:
        raise PlanError(faults)
    return plan


def require_free(folder: Path, force: bool, secret: Secret, plan: Plan, home: Path) -> None:
    """The folder of proposals is new, or those that are there may be replaced; runs there draw by this secret; and what
    is copied there (the code of use cases) takes nobody's file away.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError("D399", f"{folder} is no folder.", "Name another with -o.")
    if folder.is_dir() and _earlier(folder) and not force:
        hint = "Choose another folder with -o, or replace them with --force."
        raise InputError("D399", f"{folder} has proposals already.", hint)
    if (folder / FILE).exists() and find_secret(folder).material != secret.material:
        hint = "Choose another folder with -o: runs of the plans would draw otherwise than the search."
        raise InputError("D399", f"{folder} has the secret of another project.", hint)
    for source, target in _copies(plan, home, folder):
        if target.exists() and target.read_bytes() != source.read_bytes() and not (force and _earlier(folder)):
            hint = "Choose another folder with -o, or move the file away."
            raise InputError("D399", f"{target} is there already, and is other code than the plan's.", hint)


def _earlier(folder: Path) -> list[Path]:
    names = ("recommended.yaml", PAGE, CHART, FIGURES)
    return [*(folder / name for name in names if (folder / name).exists()), *sorted(folder.glob("other-*.yaml"))]


def write_proposals(found: Proposals, out: Path, folder: Path, secret: Secret) -> Proposals:
    """Everything in one folder, for its owner only. The plans name their files from there; with the secret beside them
    a run draws what was drawn here.
    """
    try:
        out.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        message = f"{out} cannot be made ({os.strerror(error.errno or 0)})."
        raise InputError("D399", message, "Name another with -o.") from None
    for old in _earlier(out):
        old.unlink()
    items = []
    for one in found:
        file = out / f"{one.name}.yaml"
        write_private(file, plan_text(one, _moved(one.plan, folder, out)))
        items.append(replace(one, file=file))
    if items:
        _share_secret(secret, out)
    home = Path(os.path.relpath(folder, Path.cwd()))
    found = replace(found, items=tuple(items), out=out, home=home)
    write_private(out / FIGURES, figures(found))
    write_private(out / PAGE, page(found))
    if items:
        write_private(out / CHART, frontier_page(points(found), f"Proposals for {found.tier}"))
    return found


def _moved(plan: Plan, folder: Path, out: Path) -> Plan:
    """The plan with its files as they are seen from where it will lie. Code of use cases is only looked for beside the
    plan, so that it is copied.
    """
    for source, target in _copies(plan, folder, out):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    named = [file for file in named_files(plan) if not file.fixed and not Path(file.name).is_absolute()]
    return with_files(plan, {file.place: os.path.relpath(folder / file.name, out.resolve()) for file in named})


def _copies(plan: Plan, folder: Path, out: Path) -> list[tuple[Path, Path]]:
    """The files that must lie beside a plan: from where, and to where. None where they lie there already."""
    there = [(folder / file.name, out / file.name) for file in named_files(plan) if file.fixed]
    return [(source, target) for source, target in there if source.is_file() and source.resolve() != target.resolve()]


def _share_secret(secret: Secret, out: Path) -> None:
    """The project's secret beside the plans, where it is not in the environment: their figures rest on its draws."""
    place = out / FILE
    if VARIABLE not in os.environ and not place.exists():
        write_private(place, secret.material.hex() + "\n")


def plan_text(one: Proposal, plan: Plan) -> str:
    """The plan as YAML: what differs from the defaults, below what it is."""
    head = f"A plan for tier {plan.tier}, found by `incrowd propose`.\n{one.why}\n\nWhat is left to do:\n"
    head += "\n".join(f"- {line}" for line in one.left_to_do) or "nothing"
    comment = "\n".join(f"# {line}".rstrip() for line in head.splitlines())
    return f"{comment}\n\n{in_order(plan)}"


def in_order(plan: Plan) -> str:
    """A plan as YAML in one order, however it was written."""
    content = plan.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    content["steps"] = [_step_first(step) for step in content.get("steps", [])]
    for part in ("attack", "requirements"):
        content[part] = [_reason_last(one) for one in content.get(part, [])]
    return dump_content(content, _WIDTH)


def _step_first(step: dict[str, Any]) -> dict[str, Any]:
    """As somebody would write it: which step, what it does, and why; numbers as numbers."""
    named = {field: _number(value) if field in NUMBERS else value for field, value in step.items() if field != "step"}
    return _reason_last({"step": step["step"], **named})


def _reason_last(part: dict[str, Any]) -> dict[str, Any]:
    return {**{field: value for field, value in part.items() if field != "reason"},
            **({"reason": part["reason"]} if "reason" in part else {})}  # fmt: skip


def _number(value: Any) -> Any:
    """A number that was kept as its text, where that reads the same."""
    if isinstance(value, list):
        return [_number(one) for one in value]
    if isinstance(value, str):
        whole = value.lstrip("-").isdigit() and str(int(value)) == value
        return int(value) if whole else value
    return value


def figures(found: Proposals) -> str:
    """Everything but the plans, for scripts."""
    content = asdict(replace(found, items=tuple(replace(one, plan=None) for one in found)))  # type: ignore[arg-type]
    for one in content["items"]:
        del one["plan"]
        one["file"] = None if one["file"] is None else str(one["file"])
    for field in ("out", "home"):
        content[field] = None if content[field] is None else str(content[field])
    return json.dumps({"proposals": content.pop("items"), **content}, indent=1, ensure_ascii=False) + "\n"


def points(found: Proposals) -> list[Point]:
    """The proposals as points of a chart."""
    return [
        Point(one.name, one.risk, one.information, one.held, len(one.use_cases), one.recommended, one.k)
        for one in found
    ]  # fmt: skip


def page(found: Proposals) -> str:
    """Everything to read."""
    drawn = [(price.promise, price.back) for price in found.prices if price.back >= LEAST]
    return render(
        "proposals.html",
        found=found,
        frontier=svg(frontier_chart(points(found))) if found.items else None,
        bars=svg(price_chart(drawn)) if drawn else None,
        least=LEAST,
    )
