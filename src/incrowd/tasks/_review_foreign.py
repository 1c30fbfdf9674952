"""A release that another tool made, looked at again: there is no audit, so that only today's figures are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path

from incrowd.attack.auxiliary import read_auxiliary
from incrowd.attack.external import categories_of
from incrowd.attack.foreign.trying import UNJUDGED, attack_foreign
from incrowd.attack.on_run import attack_names
from incrowd.audit.about import about
from incrowd.keys.requirements import Requirement
from incrowd.pipeline.foreign import TracedForeign, trace_foreign
from incrowd.pipeline.foreign_plan import ForeignRelease, foreign_plan
from incrowd.plan import Plan
from incrowd.report.review import NO_AUDIT, AttackThenNow, Reviewed, ReviewedRequirement, RiskThenNow
from incrowd.risk.background import plan_scenarios
from incrowd.risk.value import Risk, Scenario
from incrowd.rows import Rows, open_source
from incrowd.tasks._review_external import as_files, count_external
from incrowd.tasks.risk import risk as measure_risk
from incrowd.tasks.verify import verify_rows


def review_foreign(
    release: Path,
    told: ForeignRelease,
    *,
    original: Path | None,
    external: Sequence[Path],
    attacks: Sequence[str] | None,
    requirements: Sequence[Requirement],
    today: date | None,
) -> Reviewed:
    """What can be counted in a file that has no audit, and what intruders do with it where the original is at hand.

    Requirements are those that are given, and those of the plan that is named. What compares with the file as it was
    before, or with a population, cannot be counted.
    """
    names = attack_names(attacks)
    with ExitStack() as stack:
        released = open_source(release)
        stack.callback(released.close)
        # A register among the other files stands in for the original, as far as it can.
        plan, _ = foreign_plan(told, release, released.columns if original is None else _columns(released, original))
        there = [one for one in _scenarios(plan, released.columns) if one.keys]
        files = as_files(external, there)
        traced: TracedForeign | None = None
        if original is not None or files.register is not None:
            traced = stack.enter_context(trace_foreign(release, original, files.register, told))
            plan = traced.plan
        keys = [name for name in plan.with_role("key") if name in released.columns]
        asked = [*requirements, *(one.requirement() for one in plan.requirements if told.plan is not None)]
        counted, notes = _requirements(released, keys, asked)
        whole = traced is not None and traced.foreign.whole
        categories = categories_of(traced.situation()) if traced is not None and whole and external else {}
        beside = count_external(stack, released, external, categories, there)
        risks = [risk for one in there for risk in _risk_today(release, one)]
        found, not_tried = [], list(beside.not_tried)
        if traced is not None:
            foreign = traced.foreign
            used = files if whole else replace(files, register=None)
            auxiliary = read_auxiliary(traced.plan, traced.context, traced.situation(), used)
            found = attack_foreign(foreign, auxiliary, there, names)
            notes += foreign.notes
            not_tried += [f"{one.scenario}: {one.name}: {one.why}" for one in found if one.sentence == UNJUDGED]
    return Reviewed(
        title=plan.title,
        tier=plan.tier if told.plan is not None else "no tier is told",
        today=(today or date.today()).isoformat(),
        due=None,
        released=NO_AUDIT,
        untraced="" if traced is not None else "name what it was made from with --original",
        requirements=tuple(counted),
        risks=tuple(RiskThenNow(r.scenario, r.name, r.method, False, None, r.value, r.why)
                    for r in (*risks, *beside.risks)),
        attacks=tuple(AttackThenNow(None, one, about(plan).risk_open) for one in found),
        left_out=tuple(names) if traced is None else (),
        external=beside.names,
        notes=("there is no audit, so that nothing can be compared with what was found then", *notes, *beside.notes),
        not_tried=tuple(not_tried),
        called=plan.data.called,
    )  # fmt: skip


def _columns(released: Rows, original: Path) -> list[str]:
    rows = open_source(original)
    try:
        return list(dict.fromkeys([*released.columns, *rows.columns]))
    finally:
        rows.close()


def _scenarios(plan: Plan, columns: Sequence[str]) -> Iterator[Scenario]:
    for one in plan_scenarios(plan):
        yield replace(one, keys=tuple(key for key in one.keys if key in columns))


def _requirements(
    released: Rows, keys: Sequence[str], asked: Sequence[Requirement]
) -> tuple[list[ReviewedRequirement], list[str]]:
    """Each requirement counted in the file, and what there is to say of its classes."""
    lost = "it compares with a population, and none is named"
    here = [one for one in asked if not one.needs_population]
    counted = verify_rows(released, keys, here)
    found = [
        ReviewedRequirement(one.requirement, None, None, one.passed, one.achieved) for one in counted.findings
    ]  # fmt: skip
    found += [
        ReviewedRequirement(one.describe(), None, None, None, None, lost) for one in asked if one.needs_population
    ]
    notes = [
        f"{counted.records:,} records in {counted.classes:,} classes by {', '.join(keys)}: the smallest has "
        f"{counted.k:,}, and {counted.uniques:,} stand alone; a blank cell is a value of its own"
    ]
    if any(one.compares_with_file for one in here):
        notes.append("what compares with the whole file compares with the release: what it was before is not known")
    return found, notes


def _risk_today(file: Path, scenario: Scenario) -> list[Risk]:
    found = measure_risk(file, scenario.keys, knows_who_is_in=scenario.knows_who_is_in)
    return [replace(risk, scenario=scenario.name) for one in found.measured for risk in one.risks]
