"""The pages to claim: a form, the list of one's own claims, change and withdraw."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from incrowd.intruder_test.acquaintances import OUT, Acquaintance
from incrowd.intruder_test.claims import Claim, told_by
from incrowd.intruder_test.desk import Closed, Meanwhile
from incrowd.intruder_test.sources import KINDS
from incrowd.intruder_test.web.app import FormFields, new_nonce
from incrowd.intruder_test.web.forms import KNOWN, LONGEST, Form, Visit, first, read_claim, whole

if TYPE_CHECKING:
    from incrowd.intruder_test.web.app import SiteOf

EMPTY = Claim(None, "", None, None, None, 50, "", (), "")


def _offered(known: Sequence[Acquaintance], claim: Claim) -> list[Acquaintance]:
    """Whom a claim may be about: nobody who is not in the file, unless the claim is there already."""
    return [one for one in known if one.answer != OUT or one.id == claim.acquaintance]


def add_claiming(app: FastAPI, site: SiteOf) -> None:
    """Add the routes."""
    desk = site.desk

    def form_page(
        visit: Visit, claim: Claim, nonce: str, faults: list[str], status: int = 200, there: Claim | None = None
    ) -> Response:
        """The form; with `there` beside what stands instead, so that nobody writes over it unread."""
        assert visit.intruder is not None
        record = None if claim.record is None else desk.record(visit.intruder, claim.record)
        values = None if record is None else list(zip(desk.facts.columns, record, strict=True))
        cards = desk.cards(visit.intruder)
        told = told_by(cards.get(claim.target or 0, ()))
        return site.page(
            "claim.html", visit, status, claim=claim, nonce=nonce, faults=faults, there=there, cards=cards,
            longest=LONGEST, record=values, known=_offered(desk.people(visit.intruder), claim), kinds=KINDS,
            prefix=KNOWN,
            columns=[(at, column) for at, column in enumerate(desk.facts.columns) if column.name not in told],
        )  # fmt: skip

    def read(visit: Visit, form: Form) -> tuple[Claim, list[str]]:
        assert visit.intruder is not None
        return read_claim(form, desk.facts, desk.cards(visit.intruder), desk.people(visit.intruder))

    def meanwhile(visit: Visit, number: int, claim: Claim) -> Response:
        there = own(visit, str(number))
        return form_page(visit, replace(claim, id=there.id, changed=there.changed), "", [], 409, there)

    def own(visit: Visit, number: str) -> Claim:
        assert visit.intruder is not None
        claim = desk.claim(visit.intruder, whole(number, 1, 10**9) or 0)
        if claim is None:
            raise HTTPException(404, "There is no such claim of yours.")
        return claim

    @app.get("/claims")
    def claims(request: Request) -> Response:
        visit = site.signed_in(request)
        assert visit.intruder is not None
        if visit.intruder.started is None:
            raise Closed
        desk.note(visit.intruder, visit.address, "own claims")
        return site.page(
            "claims.html", visit, claims=desk.claims(visit.intruder), filed=request.query_params.get("filed"),
            marks={one.id: one.mark for one in desk.people(visit.intruder)}, kinds=KINDS,
        )  # fmt: skip

    @app.get("/claims/new")
    def new(request: Request) -> Response:
        visit = site.working(request)
        assert visit.intruder is not None
        asked = {name: whole(request.query_params.get(name, ""), 1, 10**9) for name in ("target", "record", "person")}
        target = asked["target"] if asked["target"] in desk.cards(visit.intruder) else None
        person = asked["person"] if asked["person"] in {one.id for one in desk.people(visit.intruder)} else None
        record = asked["record"] if (asked["record"] or 0) <= desk.facts.records else None
        empty = replace(EMPTY, target=target, record=record, acquaintance=person)
        return form_page(visit, empty, new_nonce(), [])

    @app.post("/claims")
    def file(request: Request, form: FormFields) -> Response:
        visit = site.working(request)
        site.check(visit, form)
        assert visit.intruder is not None
        nonce = first(form, "nonce")
        if not re.fullmatch(r"[0-9a-f]{32}", nonce):
            raise HTTPException(400, "This form is broken. Please open it again.")
        claim, faults = read(visit, form)
        if faults:
            return form_page(visit, claim, nonce, faults, 422)
        try:
            number = desk.file(visit.intruder, nonce, claim, visit.address)
        except Meanwhile as error:
            return meanwhile(visit, error.claim, claim)
        stands = own(visit, str(number))
        return RedirectResponse(f"/claims?filed={1 if stands.changed == stands.filed else 2}", 303)

    @app.get("/claims/{number}")
    def edit(request: Request, number: str) -> Response:
        visit = site.working(request)
        return form_page(visit, own(visit, number), "", [])

    @app.post("/claims/{number}")
    def change(request: Request, number: str, form: FormFields) -> Response:
        visit = site.working(request)
        site.check(visit, form)
        assert visit.intruder is not None
        there = own(visit, number)
        claim, faults = read(visit, form)
        said = first(form, "changed")
        seen = int(said) if re.fullmatch(r"[0-9]{1,12}", said) else 0
        if faults:
            return form_page(visit, replace(claim, id=there.id, changed=seen), "", faults, 422)
        try:
            desk.change(visit.intruder, there.id, claim, seen, visit.address)
        except Meanwhile as error:
            return meanwhile(visit, error.claim, claim)
        return RedirectResponse("/claims?filed=2", 303)

    @app.post("/claims/{number}/withdraw")
    def withdraw(request: Request, number: str, form: FormFields) -> Response:
        visit = site.working(request)
        site.check(visit, form)
        assert visit.intruder is not None
        desk.withdraw(visit.intruder, own(visit, number).id, visit.address)
        return RedirectResponse("/claims?filed=3", 303)
