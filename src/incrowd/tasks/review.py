"""An old release looked at again: with today's tools, and with what has been published since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path

from incrowd.attack.auxiliary import read_auxiliary
from incrowd.attack.external import categories_of
from incrowd.attack.on_run import attack_all, attack_names
from incrowd.attack.value import Attacked
from incrowd.audit.about import about
from incrowd.audit.archive import Archive
from incrowd.audit.checked import Trust
from incrowd.audit.manifest import hash_file
from incrowd.audit.past import PastRun
from incrowd.errors import InputError
from incrowd.keys.requirements import Requirement
from incrowd.machine.paths import as_path
from incrowd.pipeline.foreign_plan import ForeignRelease, is_foreign
from incrowd.pipeline.trace import Traced, trace_release
from incrowd.plan import Plan
from incrowd.plan.verdict import Verdict
from incrowd.release import GateInputs
from incrowd.release.judge import judge
from incrowd.release.recount import read_back
from incrowd.report.review import AttackThenNow, Reviewed, ReviewedRequirement, RiskThenNow
from incrowd.risk.background import plan_scenarios
from incrowd.risk.value import Risk, Scenario
from incrowd.rows import open_released
from incrowd.tasks._review_external import as_files, count_external
from incrowd.tasks._review_foreign import review_foreign
from incrowd.tasks.risk import risk as measure_risk


def review(
    path: str | Path,
    *,
    original: str | Path | None = None,
    external: Sequence[str | Path] = (),
    folder: str | Path | None = None,
    attacks: Sequence[str] | None = None,
    today: date | None = None,
    trust: Trust | None = None,
    foreign: ForeignRelease | None = None,
    requirements: Sequence[Requirement] = (),
) -> Reviewed:
    """Is a release still as safe as its audit says?

    Its requirements are counted again in the file as it lies there, the risk of the plan's scenarios is measured, and
    the simulated intruders of today attack it. `external` are files that intruders may have now: each is a register
    of people in scenarios whose keys it has, and otherwise another release about some of the same people. Attacks
    need the truth, and so the `original`; without it they are left out, and the review says so. A file that has nothing
    to compare, and an attack of the audit that can no longer be tried, are named in `not_tried`. `trust` says whose
    signature of the audit counts: a review compares with what is sealed, or not at all. A file that another tool made
    has no audit: `foreign` tells its keys, `requirements` what must hold in it, and only today's figures are told.

    >>> ic.review(done.folder, attacks=["linkage"]).worse
    ()
    """
    if is_foreign(as_path(path), foreign):
        return review_foreign(
            as_path(path), foreign or ForeignRelease(), original=_path(original), external=list(map(as_path, external)),
            attacks=attacks, requirements=requirements, today=today,
        )  # fmt: skip
    if requirements:
        raise InputError("D477", f"{path} says itself what must hold in it.", "Leave out the requirements.")
    archive = Archive.find(as_path(path), _path(folder), trust or Trust())
    if archive.release is None:
        raise InputError("D240", f"{path} has no release beside its audit.", "Name the folder of a run: runs/ID.")
    attack_names(attacks)  # a name that there is none of is told before the work
    plan, past = archive.plan, PastRun.of(archive.log)
    file = archive.release / plan.release.file
    if not file.exists():
        raise InputError("D242", f"the released file {plan.release.file} is not there.")
    stored = _stored(archive, file)
    with ExitStack() as stack:
        traced, why = _truth(stack, archive, _path(original), _path(folder), stored)
        released = open_released(file)
        stack.callback(released.close)
        scenarios = _scenarios(plan, released.columns)
        notes: list[str] = []
        verdicts = _recounted(plan, file) if traced is None else [(v, "") for v in traced.done.log.verdicts]
        if traced is not None and plan.scenarios:
            risks = [r for one in traced.done.log.risks if one.after for r in (*one.after.risks, *one.after.worth)]
        elif plan.data.unit is None:
            risks = [risk for one in scenarios for risk in _risk_today(file, one)]
        else:
            risks = []
            notes.append("no risk was measured: people have several records, and the release does not tell whose")
        categories = {} if traced is None or not external else categories_of(traced.situation())
        beside = count_external(stack, released, list(map(as_path, external)), categories, scenarios)
        notes += beside.notes
        not_tried = [] if archive.signed else ["whose audit this is: it has no signature, so nobody vouches for it"]
        not_tried += beside.not_tried
        risks = [*risks, *beside.risks]
        found = [] if traced is None else _attack(traced, scenarios, [as_path(place) for place in external], attacks)
    compared = tuple(_attacks(past, found, about(plan).risk_open))
    not_tried += [f"{one.now.scenario}: {one.now.name}: {one.now.why}" for one in compared if one.lost]
    due = None if plan.attest.review is None else plan.attest.review.next
    return Reviewed(
        title=plan.title,
        tier=plan.tier,
        today=(today or date.today()).isoformat(),
        due=None if due is None else str(due),
        released=stored,
        untraced=why,
        requirements=tuple(_requirements(past, verdicts)),
        risks=tuple(_risks(past, risks)),
        attacks=compared,
        left_out=tuple(dict.fromkeys(one.attack for one in past.attacks if traced is None)),
        external=beside.names,
        notes=tuple(notes),
        not_tried=tuple(not_tried),
        called=plan.data.called,
    )


def _truth(
    stack: ExitStack, archive: Archive, original: Path | None, folder: Path | None, stored: str
) -> tuple[Traced | None, str]:
    """The truth behind the release where the original is at hand, until the stack ends; otherwise None, and why."""
    inputs = archive.inputs(original, copies=folder is None)
    if original is None and (missing := [file.name for file in inputs if file.state == "missing"]):
        return None, f"{missing[0]} is not where it was; name the original with --original, other files with --folder"
    try:
        return stack.enter_context(trace_release(archive, original, folder)), ""
    except InputError as error:
        # A release that was changed can still be counted; another original than the one it was made from is a slip.
        if error.code == "D193" and original is not None and stored == "same":
            raise
        if error.code not in {"D190", "D192", "D193"}:
            raise
        return None, error.message


def _path(background: str | Path | None) -> Path | None:
    return None if background is None else as_path(background)


def _scenarios(plan: Plan, columns: Sequence[str]) -> list[Scenario]:
    """The plan's scenarios, with those of their keys that are released."""
    cut = [replace(one, keys=tuple(key for key in one.keys if key in columns)) for one in plan_scenarios(plan)]
    return [one for one in cut if one.keys]


def _risk_today(file: Path, scenario: Scenario) -> list[Risk]:
    """The risk of the released file as it lies there, without what only the plan's run knew."""
    found = measure_risk(file, scenario.keys, knows_who_is_in=scenario.knows_who_is_in)
    return [replace(risk, scenario=scenario.name) for one in found.measured for risk in one.risks]


def _stored(archive: Archive, file: Path) -> str:
    """Whether the released file is the one of the audit, by its hash."""
    manifest = archive.manifest
    then = {} if manifest is None else {entry.name: entry.sha256 for entry in manifest.release}
    parts = sorted(file.iterdir()) if file.is_dir() else [file]
    assert archive.release is not None
    now = {part.relative_to(archive.release).as_posix(): hash_file(part) for part in parts}
    if not then:
        return "unknown"
    return "same" if all(then.get(name) == found for name, found in now.items()) else "differs"


def _recounted(plan: Plan, file: Path) -> list[tuple[Verdict, str]]:
    """Every requirement counted in the file as it lies there, as the gate counts; with the reason where it cannot."""
    count = read_back(file, plan.release.kind)
    keys = [name for name in plan.with_role("key") if name in count.columns]
    found = []
    for requirement in plan.requirements:
        meant, why = requirement.requirement(), ""
        words = meant.describe()
        if meant.needs_population or meant.compares_with_file:
            why = "it compares with the file as it was, or with a population: name the original"
        elif plan.data.unit is not None:
            why = "it counts people who have several records: name the original"
        if why:
            found.append((Verdict(words, requirement.model, False, 0.0, None), why))
            continue
        one = judge(count, keys, requirement, GateInputs())
        found.append((Verdict(words, requirement.model, one.passed, one.limit, one.achieved, lower=one.lower), ""))
    return found


def _attack(
    traced: Traced, scenarios: Sequence[Scenario], external: Sequence[Path], names: Sequence[str] | None
) -> list[Attacked]:
    """What intruders achieve now."""
    files = as_files(external, scenarios)
    situation = traced.situation()
    auxiliary = read_auxiliary(traced.plan, traced.context, situation, files, traced.done.log.other_releases)
    found = []
    for scenario in scenarios:
        has = auxiliary.register is not None and set(scenario.keys) <= set(auxiliary.register.column_names)
        mine = auxiliary if has else replace(auxiliary, register=None, register_lines=None)
        found += attack_all(situation, mine, [scenario], attack_names(names))
    return found


def _requirements(past: PastRun, verdicts: Sequence[tuple[Verdict, str]]) -> Iterator[ReviewedRequirement]:
    then = {one.requirement: one for one in past.verdicts}
    for now, why in verdicts:
        before = then.get(now.requirement)
        yield ReviewedRequirement(
            now.requirement,
            None if before is None else before.passed,
            None if before is None else before.achieved,
            None if why else now.passed,
            now.achieved,
            why,
        )


def _risks(past: PastRun, risks: Sequence[Risk]) -> Iterator[RiskThenNow]:
    then = {(one.scenario, one.name, one.method): one.value for one in past.risks}
    for risk in risks:
        key = (risk.scenario, risk.name, risk.method)
        yield RiskThenNow(risk.scenario, risk.name, risk.method, key in then, then.get(key), risk.value, risk.why)
    today = {(risk.scenario, risk.name, risk.method) for risk in risks}
    for (scenario, name, method), value in then.items():
        if (scenario, name, method) not in today:
            yield RiskThenNow(scenario, name, method, True, value, None, "not measured today")


def _attacks(past: PastRun, attacks: Sequence[Attacked], accepted: float) -> Iterator[AttackThenNow]:
    then: dict[tuple[str, str, str], list[Attacked]] = {}
    for one in past.attacks:
        then.setdefault((one.name, one.scenario, one.knows), []).append(one)
    for now in attacks:
        before = then.get((now.name, now.scenario, now.knows), [])
        yield AttackThenNow(before.pop(0) if before else None, now, accepted)
