"""The pages of running a test: progress, people whom intruders know, results, the log, and erasing."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from incrowd.intruder_test import accounts
from incrowd.intruder_test.making import Invitation
from incrowd.intruder_test.web.forms import first, whole
from incrowd.intruder_test.web.office.app import FormFields, OfficeSite

#: What the report may do that is shown as it is: draw its charts, shut in, with no way out and no session.
SHUT_IN = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "font-src data:; frame-ancestors 'none'"
)
MOST_PAGES = 10**4


def add_running(app: FastAPI, site: OfficeSite) -> None:
    """Add the routes."""
    office = site.office

    @app.get("/progress")
    def progress(request: Request) -> Response:
        visit = site.visit(request)
        return site.page("progress.html", visit, watch=office.progress(visit.account), invited=None)

    @app.post("/invite")
    def invite(request: Request, form: FormFields) -> Response:
        visit = site.sent(request, form, accounts.INVITES)
        name = first(form, "name")
        invited = Invitation(name, office.invite(visit.account, name, visit.address))
        link = invited.link(site.intruders)
        return site.page(
            "progress.html", visit, watch=office.progress(visit.account), invited=(name, link)
        )  # fmt: skip

    @app.get("/people")
    def people(request: Request) -> Response:
        visit = site.visit(request)
        return site.page("people.html", visit, people=office.people(visit.account))

    @app.post("/people/{number}")
    def answer(request: Request, number: str, form: FormFields) -> Response:
        visit = site.sent(request, form, accounts.ANSWERS)
        office.answer(visit.account, whole(number, 1, 10**9) or 0, first(form, "answer"), visit.address)
        return RedirectResponse("/people", 303)

    @app.get("/results")
    def results(request: Request) -> Response:
        visit = site.visit(request)
        found = office.results(visit.account)
        office.note(visit.account, visit.address, "results read")
        return site.page(
            "results.html", visit, scores=found[0] if found else None, left_out=found[1] if found else 0,
            has_report=site.report is not None, kept=office.has_scores(),
        )  # fmt: skip

    @app.get("/results/report")
    def report(request: Request) -> Response:
        visit = site.visit(request)
        found = office.results(visit.account)
        if found is None or site.report is None:
            raise HTTPException(404, "There is no report yet.")
        return HTMLResponse(site.report(found[0]), headers={"Content-Security-Policy": SHUT_IN})

    @app.post("/results/keep")
    def keep(request: Request, form: FormFields) -> Response:
        visit = site.sent(request, form, accounts.KEEPS)
        office.keep(visit.account, visit.address)
        return RedirectResponse("/results", 303)

    @app.get("/log")
    def log(request: Request) -> Response:
        visit = site.visit(request, accounts.LOG)
        page = whole(request.query_params.get("page", "1"), 1, MOST_PAGES) or 1
        lines, more = office.log(visit.account, page)
        return site.page("log.html", visit, lines=lines, number=page, more=more)

    @app.get("/erase")
    def ask(request: Request) -> Response:
        visit = site.visit(request, accounts.ERASES)
        return site.page("erase.html", visit, kept=office.has_scores(), certificate=None)

    @app.post("/erase")
    def erase(request: Request, form: FormFields) -> Response:
        visit = site.sent(request, form, accounts.ERASES)
        if first(form, "sure") != "yes":
            raise HTTPException(400, "Tick that you mean it: it cannot be undone.")
        told = office.erase(visit.account)
        return site.page("erase.html", None, kept=True, certificate=told.text)
