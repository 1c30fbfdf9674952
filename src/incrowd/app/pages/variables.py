"""Variables: what each column is and why, who could know it, and what intruders know."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import Response

from incrowd.app import variables_edit as edits
from incrowd.app.looking import PAGE as LOOKING
from incrowd.app.mending import follow_roles
from incrowd.app.opening import settle
from incrowd.app.sessions import Project, Session
from incrowd.app.site import FormFields, Site, page_of
from incrowd.app.variables_edit import ANSWERS, QUESTIONS, ROLES, Change, set_variables, suggested
from incrowd.app.variables_rows import Row, columns_of, one_of, rows_of, scenarios_of
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, first
from incrowd.profiling.intruders import INTRUDERS, known_keys

#: What each role means, with an example, for somebody who has never heard of it.
WORDS = {
    "identifier": (
        "names a person by itself",
        "Name, address, e-mail, a patient's number. It is never released as it is.",
    ),
    "key": (
        "others may know it of a person (quasi-identifier)",
        "Age, area, occupation. None of them names you; together they single you out, as the only baker of 61 in town.",
    ),
    "sensitive": (
        "what an intruder wants to learn",
        "Income, illness, benefits. Whoever finds you by your keys learns it.",
    ),
    "other": (
        "neither",
        "The number of a question, the day the file was made. Call nothing other that a friend could know.",
    ),
}

#: Where a session keeps answers that could not be saved yet.
DRAFT = "exposure: draft"
#: Reasons to choose from, or to be put better.
REASONS = {
    "identifier": ("Names a person.", "Numbers a person in another file.", "Leads to one person in a register."),
    "key": (
        "Visible.", "Neighbours know it.", "Colleagues know it.", "Everybody knows where somebody lives.",
        "On networking sites.", "In a public register.",
    ),
    "sensitive": ("Hardly anybody tells it.", "It carries a stigma.", "It could be used against somebody."),
    "other": ("Says nothing about a person.", "Only those who made the file know it."),
}  # fmt: skip


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""

    @app.get("/variables")
    def show(request: Request, of: str = "", show: str | None = None, find: str | None = None) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {
            "rows": None,
            "shown": (),
            "scenarios": (),
            "keys": (),
            "of": None,
            "given": {},
            "filter": ("", ""),
        }
        with session.lock, site.telling(session):
            settle(session)
            if session.project is not None:
                values |= _values(session, session.project, of, show, find)
        words: dict[str, Any] = {
            "roles": ROLES,
            "words": WORDS,
            "questions": QUESTIONS,
            "answers": ANSWERS,
            "intruders": INTRUDERS,
        }
        words |= {"reasons": REASONS}
        return site.show(request, "variables", job=session.jobs.get(LOOKING), **values, **words)

    @app.post("/variables/set")
    def set_(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            project, name = session.need_project(), first(form, "name")
            change = Change(first(form, "role"), first(form, "reason"), first(form, "label"))
            columns = columns_of(session, project)
            if first(form, "take") == "yes" and (column := one_of(columns, name)) is not None:
                change = suggested(column)
            what = f"{name}: {change.role}"
            project.document.change(set_variables(project.document, {name: change}, columns), what)

        return site.act(request, form, "variables", do)

    @app.post("/variables/several")
    def several(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            project, names = session.need_project(), form.get("which", [])
            if not names:
                raise InputError("D422", "no variable is ticked.", "Tick those whose role you want to set.")
            change = Change(first(form, "role"), first(form, "reason") or None)
            edit = set_variables(project.document, dict.fromkeys(names, change), columns_of(session, project))
            project.document.change(edit, f"{len(names)} variables: {change.role}")

        return site.act(request, form, "variables", do)

    @app.post("/variables/suggestions")
    def suggestions(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            project = session.need_project()
            rows = [row for row in rows_of(session, project) if row.column is not None and not row.confirmed]
            sure = {row.name: suggested(row.column) for row in rows if row.column and row.column.certain}
            unsure = {row.name: Change(row.column.role) for row in rows if row.column and not row.column.certain}
            edit = set_variables(project.document, {**sure, **unsure}, columns_of(session, project))
            project.document.change(edit, "took the suggestions")
            left = f" {len(unsure)} are guesses, and wait for your reason." if unsure else ""
            session.say(f"{len(sure)} roles are confirmed as suggested.{left} What you had decided stays.")

        return site.act(request, form, "variables", do)

    @app.post("/variables/follow")
    def follow(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            follow_roles(session.need_project().document)

        return site.act(request, form, page_of(first(form, "back")), do)

    @app.post("/variables/remove")
    def remove(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            document, name = session.need_project().document, first(form, "name")
            document.change(edits.remove_variable(document, name), f"{name}: removed")

        return site.act(request, form, "variables", do)

    @app.post("/variables/exposure")
    def exposure(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> str | None:
            document, name = session.need_project().document, first(form, "of")
            try:
                document.change(edits.set_exposure(document, name, form), f"{name}: who could know it")
            except InputError as error:  # what was answered stays to be completed
                session.say(str(error), "bad")
                session.kept[DRAFT] = name, {field: first(form, field) for field in (*QUESTIONS, "reason")}
                return f"/variables?of={quote(name)}#who"
            session.kept.pop(DRAFT, None)
            return None

        return site.act(request, form, "variables", do)

    @app.post("/variables/scenario/add")
    def more(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            project = session.need_project()
            who = next((one for one in INTRUDERS if one.name == first(form, "who")), None)
            keys = project.plan.with_role("key")
            kinds = {column.name: column.kind for column in columns_of(session, project)}
            exposed = {name: variable.exposure for name, variable in project.plan.variables.items()}
            known = keys[:4] if who is None else known_keys(who, keys, kinds, exposed)
            wrong = {} if who is None else {key: who.error.get(kinds.get(key) or "", 0.0) for key in known}
            error = {key: share for key, share in wrong.items() if share}
            project.document.change(
                edits.add_scenario(who, known, error), f"scenario: {'new' if who is None else who.name}"
            )

        return site.act(request, form, "variables", do)

    @app.post("/variables/scenario/set")
    def change(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            document = session.need_project().document
            gone = first(form, "remove") == "yes"
            edit = (edits.remove_scenario if gone else edits.set_scenario)(document, form)
            document.change(edit, f"scenario: {first(form, 'was')}{' removed' if gone else ''}")

        return site.act(request, form, "variables", do)


def _values(session: Session, project: Project, of: str, show: str | None, find: str | None) -> dict[str, Any]:
    before = session.kept.get("variables")
    kept = before if isinstance(before, tuple) else ("", "")
    chosen = session.kept["variables"] = (kept[0] if show is None else show, kept[1] if find is None else find)
    rows = rows_of(session, project)
    asked = next((row for row in rows if row.name == of), None)
    draft = session.kept.get(DRAFT)
    typed = draft[1] if isinstance(draft, tuple) and draft[0] == of else None
    return {
        "rows": rows, "shown": [(number, row) for number, row in enumerate(rows) if _fits(row, *chosen)],
        "filter": chosen, "of": asked,
        "given": typed or (asked.exposure if asked is not None and asked.exposure else {}),
        "scenarios": scenarios_of(project),
        "keys": [row.name for row in rows if row.role == "key" and row.state != "new"],
    }  # fmt: skip


def _fits(row: Row, show: str, find: str) -> bool:
    fits = {"": True, "undecided": row.undecided, "unconfirmed": not row.confirmed}.get(show, row.role == show)
    return fits and find.lower() in f"{row.name} {row.label}".lower()
