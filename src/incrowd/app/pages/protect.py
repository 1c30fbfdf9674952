"""Protect: the steps in their order, what each changes, and what must hold; classes follow while it is edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from incrowd.app import steps as edits
from incrowd.app.fields import FormField, fields_of, read_fields
from incrowd.app.pages.protect_tree import add_tree, tree_of, why_no_tree
from incrowd.app.sessions import Project, Session
from incrowd.app.site import FormFields, Site
from incrowd.audit.log import StepLog
from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.web.forms import Form, first, whole
from incrowd.pipeline.protect import Begun
from incrowd.plan import Plan
from incrowd.plan.requirements import REQUIREMENTS
from incrowd.plan.steps import STEPS
from incrowd.report.charts.run import classes_by_step, records_lost

#: What a level chosen from the list gives as its reason, until somebody writes a better one.
WHY = "Fewer, larger groups: people are harder to tell apart."


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""

    @app.get("/protect")
    def show(request: Request, edit: str = "", new: str = "", need: str = "") -> Response:
        session = site.session(request)
        values: dict[str, Any] = dict.fromkeys(
            ("steps", "logs", "held", "required", "keys", "kinds", "models", "tiers"), ()
        )
        values |= {"digest": edits.digest, "form": None, "chart": None, "lost": None, "begun": None, "stopped": None}
        with session.lock, site.telling(session):
            if session.project is not None:
                values |= _values(session, session.project)
                values["form"] = _form(session.project, edit, new, need)
        return site.show(request, "protect", **values)

    @app.post("/protect/step")
    def step(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "protect", _save_step)

    @app.post("/protect/steps/{way}")
    def change(way: str, request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            _change_step(session.need_project(), way, first(form, "number"), first(form, "was"))

        return site.act(request, form, "protect", do)

    @app.post("/protect/requirement")
    def requirement(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "protect", _save_requirement)

    @app.post("/protect/unrequire")
    def unrequire(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            def edit(tree: Any) -> None:
                found = tree.get("requirements") or []
                del found[edits.at(found, first(form, "number"), first(form, "was"))]

            session.need_project().document.change(edit, "requirement removed")

        return site.act(request, form, "protect", do)

    @app.post("/protect/level")
    def level(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "protect", _set_level)

    add_tree(app, site)


def _values(session: Session, project: Project) -> dict[str, Any]:
    """Everything that the page shows of the plan as it is."""
    plan, tree = project.plan, project.document.tree
    written = [dict(one) if isinstance(one, dict) else {} for one in edits.steps_of(tree)]
    begun, stopped = _tried(session, plan) if not project.document.checked.faults else (None, None)
    logs = () if begun is None else begun.steps
    return {
        "steps": [(one, STEPS.get(str(one.get("step"))), _rest(one)) for one in written],
        "logs": {log.number: log for log in logs},
        "begun": begun,
        "stopped": stopped,
        "held": () if begun is None or stopped else _or_said(session, lambda: session.live().verdicts(begun)),
        "required": _required(tree),
        "tiers": [one.tier for one in plan.tiers],
        "keys": () if begun is None else _or_said(session, lambda: _keys(session, project, plan)),
        "kinds": [(name, _about(kind)) for kind in STEPS.all for name in STEPS.names if STEPS.get(name) is kind],
        "models": [(name, _about(kind)) for kind in REQUIREMENTS.all for name in REQUIREMENTS.names
                   if REQUIREMENTS.get(name) is kind],
        "chart": classes_by_step(_moved(logs)) if len(logs) > 1 else None,
        "lost": records_lost(logs) if logs else None,
    }  # fmt: skip


def _or_said(session: Session, ask: Callable[[], Sequence[Any]]) -> Sequence[Any]:
    """What a question gives. A fault is said, and the rest of the page stands: it is where the fault is mended."""
    try:
        return ask()
    except IncrowdError as error:
        session.say(str(error), "bad")
        return ()


def _required(tree: Any) -> list[Any]:
    """The requirements as they are written, also where that is not as it should be."""
    found = tree.get("requirements")
    return [one if isinstance(one, dict) else {"?": one} for one in (found if isinstance(found, list) else ())]


def _tried(session: Session, plan: Plan) -> tuple[Begun | None, str | None]:
    """The steps carried out on the data in memory; where one fails, those before it and the reason."""
    live = session.live()
    try:
        return live.after(plan), None
    except IncrowdError as error:
        return live.done[-1][1], str(error)


def _moved(logs: tuple[StepLog, ...]) -> list[StepLog]:
    """The steps after which the classes are other ones, and the start."""
    before = (None, *logs)
    return [log for log, last in zip(logs, before, strict=False) if last is None or last.after != log.after]


def _about(kind: type) -> str:
    return (kind.__doc__ or "").strip().split("\n")[0]


def _rest(step: dict[str, Any]) -> str:
    """A step's own fields in short."""
    said = {name: value for name, value in step.items() if name not in ("step", "reason", "off")}
    text = ", ".join(f"{name}: {_short(value)}" for name, value in said.items())
    return text if len(text) < 220 else text[:220] + " ..."


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{old} → {new}" for old, new in list(value.items())[:4]) + ("; ..." if len(value) > 4 else "")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _keys(session: Session, project: Project, plan: Plan) -> list[dict[str, Any]]:
    """Each key, with the levels at which it can be said; without any, why there are none and what can be done."""
    return [_key(session, project, plan, name) for name in plan.with_role("key")]


def _key(session: Session, project: Project, plan: Plan, name: str) -> dict[str, Any]:
    live, recoding = session.live(), edits.recoding_of(plan, name)
    one: dict[str, Any] = {"name": name, "level": 0, "levels": (), "values": None, "why": "", "to": "", "way": ""}
    if name in live.opened.rows.columns:
        one["values"] = live.by([name]).classes
    if why := why_no_tree(session, name):
        return one | {"why": why, "to": "/variables", "way": "Decide what it is"}
    if (gone := next((number for number, step in plan.active if name in step.removes()), None)) is not None:
        return one | {"why": f"Step {gone + 1} takes it out of the release.", **_at_step(gone, "Change or remove it")}
    if one["values"] is None:
        why = "It is not a column of the file: a step makes it, so its values are known after that step only."
        return one | {"why": why, "to": "/protect?new=recode#form", "way": "Recode it in a step after that"}
    if recoding is not None and recoding[1].hierarchy is None:
        why = f"Step {recoding[0] + 1} recodes it without a hierarchy. Remove that step to choose from levels here."
        return one | {"why": why, **_at_step(recoding[0], "Change it there")}
    try:
        tree = edits.hierarchy_of(live, project.home, plan, name)
    except IncrowdError as error:
        other = {"to": "/protect?new=recode#form", "way": "Recode it by a step of your own"}
        return one | {"why": str(error), **(other if recoding is None else _at_step(recoding[0], "Name another file"))}
    if not tree.height:
        why = "All have the same value: there is nothing to tell more coarsely."
        return one | {"why": why, "to": "/protect?new=drop#form", "way": "Leave it out"}
    one["levels"] = edits.levels_in_words(tree, live.opened.book, edits.people_of(live.by([name])))
    one["level"] = recoding[1].level or 0 if recoding is not None and not recoding[1].off else 0
    return one


def _at_step(number: int, way: str) -> dict[str, str]:
    return {"to": f"/protect?edit={number + 1}#form", "way": way}


def _form(project: Project, edit: str, new: str, need: str) -> dict[str, Any] | None:
    """The form that is open: a step to change, a new one, or a requirement."""
    plan, tree = project.plan, project.document.tree
    columns = list(plan.variables)
    fields: list[FormField]
    if edit:
        steps = edits.steps_of(tree)
        number = edits.at(steps, edit)
        kind = STEPS.get(str(steps[number].get("step"))) if isinstance(steps[number], dict) else None
        if kind is None:
            raise InputError("D458", "this step is of no known kind.", "Mend it in an editor.")
        fields = fields_of(kind, columns, steps[number])
        name = str(steps[number]["step"])
        return {"what": "step", "kind": name, "number": edit, "fields": fields, "about": _about(kind),
                "was": edits.digest(steps[number])}  # fmt: skip
    for word, what, kinds in ((new, "step", STEPS), (need, "requirement", REQUIREMENTS)):
        if word:
            chosen = kinds.get(word)
            if chosen is None:
                raise InputError("D458", f"there is no such {what}.", "Choose one from the list.")
            fields = fields_of(chosen, columns)
            return {"what": what, "kind": word, "number": "", "fields": fields, "about": _about(chosen), "was": ""}
    return None


def _save_step(session: Session, form: Form) -> str | None:
    project = session.need_project()
    name = first(form, "kind")
    kind = STEPS.get(name)
    if kind is None:
        raise InputError("D458", "there is no such step.", "Choose one from the list.")
    said = {"step": name, **read_fields(kind, form, list(project.plan.variables))}

    def edit(tree: Any) -> None:
        steps = edits.steps_of(tree)
        if first(form, "number"):
            number = edits.at(steps, first(form, "number"), first(form, "was"))
            for old in [field for field in steps[number] if field not in said and field != "off"]:
                del steps[number][old]
            steps[number].update(said)
        else:
            edits.insert_step(steps, said)

    project.document.change(edit, f"{name} {'changed' if first(form, 'number') else 'added'}")
    return None


def _change_step(project: Project, way: str, number: str, was: str) -> None:
    def edit(tree: Any) -> None:
        steps = edits.steps_of(tree)
        place = edits.at(steps, number, was)
        if way == "remove":
            del steps[place]
        elif way == "switch":
            if str(steps[place].get("off", "")).lower() == "true":
                del steps[place]["off"]
            else:
                steps[place]["off"] = True
        elif way in ("up", "down"):
            other = place + (1 if way == "down" else -1)
            if 0 <= other < len(steps):
                steps.insert(other, steps.pop(place))

    words = {"remove": "removed", "switch": "switched", "up": "moved up", "down": "moved down"}
    project.document.change(edit, f"step {number} {words.get(way, 'changed')}")


def _save_requirement(session: Session, form: Form) -> str | None:
    project, name = session.need_project(), first(form, "kind")
    kind = REQUIREMENTS.get(name)
    if kind is None:
        raise InputError("D458", "there is no such requirement.", "Choose one from the list.")
    said = {"model": name, **read_fields(kind, form, list(project.plan.variables))}

    def edit(tree: Any) -> None:
        if tree.get("requirements") is None:
            tree["requirements"] = []
        tree["requirements"].append(said)

    project.document.change(edit, f"requirement {name} added")
    return None


def _set_level(session: Session, form: Form) -> str | None:
    project, variable = session.need_project(), first(form, "variable")
    plan, tree = project.plan, tree_of(session, variable)
    level = whole(first(form, "level"), 0, tree.height)
    if level is None:
        raise InputError("D452", "there is no such level.", "Choose one from the list.")
    file = edits.save_hierarchy(project.home, tree) if level else ""
    said = f"{variable} at level {level}" if level else f"{variable} as it is"
    project.document.change(lambda found: edits.set_level(found, plan, variable, file, level, WHY), said)
    return None
