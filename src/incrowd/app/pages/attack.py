"""Attack: simulated intruders try what the plan would release, or a run. For people: `app/pages/attack_people.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

import incrowd as ic
from incrowd.app.attacking import choices, named, named_all, told
from incrowd.app.pages import attack_people
from incrowd.app.releasing import find_run, runs_of, trust_of
from incrowd.app.results import last_done, reads_too
from incrowd.app.sessions import Project, Session
from incrowd.app.site import FormFields, Site
from incrowd.attack.words import knowledge
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, first
from incrowd.risk.background import plan_scenarios
from incrowd.tasks._recount import plan_of
from incrowd.tasks.attack import Intrusion

COMMAND = "incrowd attack"


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""
    attack_people.add(app, site)

    @app.get("/attack")
    def show(request: Request) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {
            "view": "simulated", "asked": {}, "attacks": (), "scenarios": (), "sources": {}, "told": None, "job": None,
            "run": None,
        }  # fmt: skip
        with session.lock, site.telling(session):
            if session.project is not None:
                values |= _form(session, session.project) | _told(session)
        return site.show(request, "attack", **values)

    @app.post("/attack/try")
    def try_(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            project = session.need_project()
            asked = {name: form.get(name, []) for name in ("attacks", "scenarios")}
            session.kept["attack"] = asked | {
                name: first(form, name) for name in ("source", "register", "others", "tables")
            }
            if not asked["attacks"] or not asked["scenarios"]:
                raise InputError("D442", "an attack needs an intruder and a scenario.", "Tick at least one of each.")
            source, register = first(form, "source"), first(form, "register")
            place = _place(session, project, source)
            last_done(session, "attack", "attack")
            register = str(named(site, session, register, COMMAND)) if register else ""
            others, tables = (named_all(site, session, first(form, name), COMMAND) for name in ("others", "tables"))
            job = session.begin(
                "attack", "Simulated intruders try the file", "attack", str(place), **asked, register=register or None,
                others=others, tables=tables, trust=trust_of(session),
            )  # fmt: skip
            reads_too(session, job, [*([register] if register else []), *others, *tables])

        return site.act(request, form, "attack", do)

    @app.post("/attack/keep")
    def keep(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            limit = first(form, "limit")
            if not limit.replace(".", "", 1).isdecimal() or not 0 <= float(limit) <= 1:
                raise InputError("D442", "a limit is a share from 0 to 1.", "Write 0.33 for one in three.")
            block: dict[str, Any] = {name: form.get(name, []) for name in ("attacks", "scenarios")}
            block |= {"limit": float(limit)} | ({"reason": reason} if (reason := first(form, "reason")) else {})
            document = session.need_project().document
            document.change(lambda tree: tree.setdefault("attack", []).append(block), "attacks with a limit added")
            session.say("Every run tries these attacks from now on, and releases nothing when one succeeds too often.")

        return site.act(request, form, "attack", do)


def _sources(session: Session, project: Project) -> dict[str, str]:
    """What can be attacked: the file of the plan, or of each of its tiers, and what was released."""
    tiers = [one.tier for one in project.plan.tiers]
    found = {f"plan@{tier}": f"what the plan would release now as {tier}" for tier in tiers}
    runs = {one.name: f"the release of {one.when} ({one.name})" for one in runs_of(session) if not one.refused}
    return (found or {"plan": "what the plan would release now"}) | runs


def _place(session: Session, project: Project, source: str) -> Path:
    """The plan, one of its tiers, or the folder of a run."""
    if not source.startswith("plan"):
        return find_run(session, source).folder
    if faults := project.document.checked.faults:
        message = f"the plan has {len(faults)} {'fault' if len(faults) == 1 else 'faults'}, so it cannot be tried."
        raise InputError("D440", message, "Mend what is listed beside the page: The plan.")
    _, at, tier = source.partition("@")
    return Path(f"{project.document.path}{at}{tier}")


def _form(session: Session, project: Project) -> dict[str, Any]:
    """What can be asked, and what was asked last."""
    plan, asked = project.plan, session.kept.get("attack")
    asked = asked if isinstance(asked, dict) else {}
    chosen = asked.get("scenarios")
    scenarios = [
        (one.name, plan.data.called.say(knowledge(one)), chosen is None or one.name in chosen)
        for one in plan_scenarios(plan)
    ]
    attacks = choices(plan, asked.get("attacks"))
    return {"asked": asked, "attacks": attacks, "scenarios": scenarios, "sources": _sources(session, project)}


def _told(session: Session) -> dict[str, Any]:
    """What the last attack found: it stays while another is tried."""
    job = last_done(session, "attack", "attack")
    if job is None or not isinstance(job.result, Intrusion):
        return {}
    project, source = session.need_project(), job.result.source
    run = next((one for one in runs_of(session) if str(one.folder) == source), None)
    if run is not None:
        plan = plan_of(run.folder, trust_of(session))
    else:
        plan = project.plan if "@" not in Path(source).name else ic.load_plan(source)
    return {"told": told(job.result, plan), "job": job, "run": run}
