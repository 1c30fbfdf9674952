"""The pages of the claims: all in one page, and one by one for judges."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from incrowd.intruder_test import accounts
from incrowd.intruder_test.office import EYES, NOTE, ShownClaim
from incrowd.intruder_test.verdicts import Judgment
from incrowd.intruder_test.web.forms import first, whole
from incrowd.intruder_test.web.office.app import FormFields, OfficeSite, Visit


def add_judging(app: FastAPI, site: OfficeSite) -> None:
    """Add the routes."""
    office = site.office

    def find(visit: Visit, number: str) -> ShownClaim:
        wanted = whole(number, 1, 10**9)
        for one in office.claims(visit.account):
            if one.told.number == wanted:
                return one
        raise HTTPException(404, "There is no such claim, or it was withdrawn.")

    @app.get("/claims")
    def claims(request: Request) -> Response:
        visit = site.visit(request)
        office.note(visit.account, visit.address, "claims read")
        return site.page("claims.html", visit, claims=office.claims(visit.account), eyes=EYES)

    @app.get("/judge")
    def waiting(request: Request) -> Response:
        visit = site.visit(request, accounts.JUDGES)
        shown = office.claims(visit.account)
        return site.page("judge.html", visit, claims=shown, eyes=EYES, done=request.query_params.get("done") == "1")

    @app.get("/judge/{number}")
    def one(request: Request, number: str) -> Response:
        visit = site.visit(request, accounts.JUDGES)
        claim = find(visit, number)
        office.note(visit.account, visit.address, "claim read", f"claim {claim.told.number}")
        return site.page("judge_one.html", visit, claim=claim, eyes=EYES, longest=NOTE)

    @app.post("/judge/{number}")
    def judge(request: Request, number: str, form: FormFields) -> Response:
        visit = site.sent(request, form, accounts.JUDGES)
        claim = find(visit, number)
        if first(form, "changed") != str(claim.told.changed):
            raise HTTPException(409, "The claim was changed meanwhile. Please read it again.")
        said = Judgment(visit.account.name, first(form, "judgment"), first(form, "note"))
        office.judge(visit.account, claim.told.number, claim.told.changed, said, visit.address)
        return RedirectResponse("/judge?done=1", 303)
