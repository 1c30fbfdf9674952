"""The page of people whom an intruder knows: a mark for each, who agreed to it, and whether they are in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from incrowd.intruder_test.acquaintances import MOST, is_mark
from incrowd.intruder_test.web.app import FormFields
from incrowd.intruder_test.web.forms import Visit, first, whole

if TYPE_CHECKING:
    from incrowd.intruder_test.web.app import SiteOf


def add_knowing(app: FastAPI, site: SiteOf) -> None:
    """Add the routes, where the test lets intruders ask for people whom they know."""
    desk = site.desk
    if not desk.facts.acquaintances:
        return

    def page(visit: Visit, faults: list[str], mark: str = "", status: int = 200) -> Response:
        assert visit.intruder is not None
        people = desk.people(visit.intruder)
        return site.page("people.html", visit, status, people=people, faults=faults, typed=mark, most=MOST)

    @app.get("/people")
    def people(request: Request) -> Response:
        visit = site.working(request)
        assert visit.intruder is not None
        desk.note(visit.intruder, visit.address, "people known")
        return page(visit, [])

    @app.post("/people")
    def add(request: Request, form: FormFields) -> Response:
        visit = site.working(request)
        site.check(visit, form)
        assert visit.intruder is not None
        mark, faults = first(form, "letter"), []
        if not is_mark(mark):
            faults.append("Write a mark of up to three letters or digits, such as A: never a name.")
        if first(form, "consent") != "yes":
            faults.append("Add only people who agreed to it, and tick that they did.")
        if not faults and not desk.add_person(visit.intruder, mark, visit.address):
            faults.append(f"You have this mark already, or {MOST} people: that is the most.")
        # What is no mark may be a name: it is not shown again.
        return page(visit, faults, mark if is_mark(mark) else "", 422) if faults else RedirectResponse("/people", 303)

    @app.post("/people/{number}/remove")
    def remove(request: Request, number: str, form: FormFields) -> Response:
        visit = site.working(request)
        site.check(visit, form)
        assert visit.intruder is not None
        if not desk.remove_person(visit.intruder, whole(number, 1, 10**9) or 0, visit.address):
            raise HTTPException(404, "Nobody of yours can be taken back there: an answer or a claim stays.")
        return RedirectResponse("/people", 303)
