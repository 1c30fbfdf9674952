"""Utility: what the file is for, original beside release, and what every k would do to the conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from incrowd.app import cases
from incrowd.app.fields import chosen
from incrowd.app.looking import kept_back
from incrowd.app.results import last_done, outdated
from incrowd.app.sessions import Session
from incrowd.app.site import FormFields, Site
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, first, whole
from incrowd.pipeline.categories import categories
from incrowd.plan import Plan
from incrowd.plan.use_cases import KINDS
from incrowd.report.charts.frontier import frontier
from incrowd.report.charts.use_cases import both_sides, cost_of_k
from incrowd.tasks._keeping import Keeping
from incrowd.tasks.sweep import Swept

#: The values of k that are tried when nobody says which.
USUAL = "2:11"
TRY, SWEEP = "try_keeping", "sweep"


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""

    @app.get("/utility")
    def show(request: Request, add: str = "", edit: str = "") -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"cases": None}
        with session.lock, site.telling(session):
            if session.project is not None:
                plan = session.project.plan
                values = {
                    **_listed(session, plan),
                    **_form(session, plan, add, edit),
                    **_tried(session),
                    **_swept(session),
                }
        return site.show(request, "utility", **values)

    @app.get("/utility/values")
    def values(request: Request) -> Response:
        session = site.session(request)
        found: Mapping[str, tuple[str, ...]] = {}
        with session.lock, site.telling(session):
            plan = session.need_project().plan
            if not session.need_project().document.checked.faults:  # such a plan is looked at, and never carried out
                hidden = kept_back(session)
                columns = [name for name in cases.columns_of(plan) if name not in hidden]
                found = categories(session.live(), plan, columns)
        return site.show(request, "utility_values", values=found)

    @app.post("/utility/case")
    def save(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "utility", _save)

    @app.post("/utility/remove")
    def remove(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "utility", _remove)

    @app.post("/utility/try")
    def attempt(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "utility", _try)

    @app.post("/utility/sweep")
    def sweep(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "utility", _sweep)

    @app.post("/utility/k")
    def set_k(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "utility", _set_k)


def _listed(session: Session, plan: Plan) -> dict[str, Any]:
    """The use cases, and what may be added."""
    swept = session.kept.get("utility: k")
    return {
        "cases": cases.cases_of(plan), "kinds": cases.kinds(), "files": [one.tier for one in plan.tiers],
        "file": session.kept.get("utility: file", ""),
        "ks": swept if isinstance(swept, str) else plan.sweep.k if plan.sweep else USUAL,
    }  # fmt: skip


def _form(session: Session, plan: Plan, add: str, edit: str) -> dict[str, Any]:
    """The form that is open: for a new use case, or for one that is there."""
    tree = session.need_project().document.tree
    number = whole(edit, 0, len(plan.use_cases) - 1) if edit and plan.use_cases else None
    given = None if number is None else cases.case_at(tree, number)
    test = add if given is None else str(given.get("test"))
    if test not in KINDS:
        return {"form": None, "test": "", "number": ""}
    draft = session.kept.get("utility: draft")
    typed = draft[1] if isinstance(draft, tuple) and draft[0] == (test, number) else None
    found = cases.case_fields(test, cases.columns_of(plan), given, typed)
    return {"form": found, "test": test, "number": "" if number is None else number}


def _save(session: Session, form: Form) -> str | None:
    """A use case as it was typed. What cannot be saved stays in the form."""
    document, test = session.need_project().document, chosen(form, "test", list(KINDS))
    number = whole(first(form, "number"), 0, 10_000)
    try:
        content = cases.read_case(test, form, cases.columns_of(session.need_project().plan))
    except InputError as error:
        session.say(str(error), "bad")
        session.kept["utility: draft"] = ((test, number), form)
        return f"/utility?add={test}#form" if number is None else f"/utility?edit={number}#form"
    what = "added" if number is None else "changed"
    document.change(lambda tree: cases.put_case(tree, number, content), f"{what} a use case: {content['name']}")
    session.kept.pop("utility: draft", None)
    return None


def _remove(session: Session, form: Form) -> str | None:
    document, number = session.need_project().document, whole(first(form, "number"), 0, 10_000)
    document.change(lambda tree: cases.remove_case(tree, -1 if number is None else number), "removed a use case")
    return None


def _try(session: Session, form: Form) -> str | None:
    _keep(session)
    session.begin("utility", "Trying the plan out", TRY, _plan(session, form))
    return None


def _sweep(session: Session, form: Form) -> str | None:
    _keep(session)
    ks = first(form, "k").replace(" ", "") or USUAL
    session.kept["utility: k"] = ks
    session.begin("utility", "Trying every k", SWEEP, _plan(session, form), k=ks)
    return None


def _keep(session: Session) -> None:
    """Both results stay to be looked at while something else is tried."""
    for function in (TRY, SWEEP):
        last_done(session, "utility", function)


def _plan(session: Session, form: Form) -> Path:
    """The plan as a job is told it: of one that makes several files, one is named."""
    project = session.need_project()
    files = [one.tier for one in project.plan.tiers]
    if not files:
        return project.document.path
    session.kept["utility: file"] = chosen(form, "file", files)
    return Path(f"{project.document.path}@{session.kept['utility: file']}")


def _set_k(session: Session, form: Form) -> str | None:
    project, k = session.need_project(), whole(first(form, "k"), 1, 1_000_000)
    if k is None:
        raise InputError("D432", "k is a whole number, 1 or more.", "Choose one of the table.")
    plan = project.plan
    project.document.change(lambda tree: cases.set_k(tree, plan, k), f"k = {k}")
    session.say(f"The plan now asks for classes of at least {k}. Undo, under The plan, brings the earlier k back.")
    return None


def _tried(session: Session) -> dict[str, Any]:
    """The last try: verdicts, and each use case in the original and in the release."""
    job = last_done(session, "utility", TRY)
    if job is None:
        return {"tried": None, "tried_job": None, "drawn": (), "verdicts": {}}
    found: Keeping = job.result
    fresh = not outdated(job, session.project)
    return {
        "tried": found, "tried_job": job, "drawn": [both_sides(outcome) for outcome in found.outcomes],
        "verdicts": {outcome.use_case: outcome for outcome in found.outcomes} if fresh else {},
    }  # fmt: skip


def _swept(session: Session) -> dict[str, Any]:
    """The last sweep: what each k costs, and which conclusions hold."""
    job = last_done(session, "utility", SWEEP)
    if job is None:
        return {"swept": None, "swept_job": None, "costs": None, "risks": None}
    found: Swept = job.result
    drawn = any(point.risk_mean is not None for point in found.sweep.points)
    return {
        "swept": found.sweep, "swept_job": job, "costs": cost_of_k(found.sweep),
        "risks": frontier(found.sweep) if drawn else None,
    }  # fmt: skip
