"""The application: who is asking, whether they may, and which page they get."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException

from incrowd.errors import IncrowdError
from incrowd.intruder_test.desk import Closed, Desk, NotTheirs, TooMany
from incrowd.intruder_test.protocol import at, day, moment, rules, span
from incrowd.intruder_test.texts import blocks
from incrowd.intruder_test.tokens import form_mark, same
from incrowd.intruder_test.web.expiring import add_expiring
from incrowd.intruder_test.web.forms import Form, Visit, first, read_form
from incrowd.intruder_test.web.unsent import failed, typed

HERE = Path(__file__).parent
STYLE = (HERE / "style.css").read_text(encoding="utf-8")

_pages = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
_pages.filters.update(span=span, at=at, moment=moment, day=day, count=lambda number: f"{number:,}")

FormFields = Annotated[Form, Depends(read_form)]


class SiteOf:
    """What the routes share: the desk, the session's cookie, and how pages look."""

    def __init__(self, desk: Desk, tls: bool) -> None:
        self.desk, self.tls = desk, tls
        self.cookie = "__Host-incrowd" if tls else "incrowd"

    def visit(self, request: Request) -> Visit:
        """Who is asking."""
        address = request.client.host if request.client else "unknown"
        cookie = request.cookies.get(self.cookie, "")
        return Visit(address, cookie, self.desk.who(cookie) if cookie else None)

    def signed_in(self, request: Request) -> Visit:
        """Somebody who has signed in; others are sent away."""
        visit = self.visit(request)
        if visit.intruder is None:
            raise HTTPException(401, "Please sign in with the link that you were sent.")
        return visit

    def working(self, request: Request) -> Visit:
        """Somebody whose clock is running."""
        visit = self.signed_in(request)
        if visit.intruder is None or not visit.intruder.is_open:
            raise Closed
        return visit

    def check(self, visit: Visit, form: Form) -> None:
        """A form must come from a page of the same session."""
        if not same(first(form, "mark"), form_mark(visit.cookie)):
            raise HTTPException(403, "This form is out of date. Please go back, reload the page and send it again.")

    def page(self, name: str, visit: Visit | None, status: int = 200, **values: Any) -> HTMLResponse:
        """A page with what all pages show."""
        who = visit.intruder if visit else None
        mark = form_mark(visit.cookie) if visit and who else ""
        text = _pages.get_template(name).render(facts=self.desk.facts, who=who, mark=mark, page=name, **values)
        return HTMLResponse(text, status)

    def message(self, request: Request, status: int, message: str) -> HTMLResponse:
        """A page that only says something, with what was typed where that was not stored."""
        visit = self.visit(request)
        columns = [] if visit.intruder is None else [column.name for column in self.desk.facts.columns]
        return self.page("message.html", visit, status, message=message, typed=typed(request, columns))


def create_app(desk: Desk, *, tls: bool = False, expire: Callable[[], None] | None = None) -> FastAPI:
    """The application. `expire` is called when somebody comes on or after the day of deletion, until it succeeds."""
    from incrowd.intruder_test.web.claiming import add_claiming
    from incrowd.intruder_test.web.knowing import add_knowing
    from incrowd.intruder_test.web.looking import add_looking

    site = SiteOf(desk, tls)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    add_expiring(app, desk, expire)

    @app.exception_handler(HTTPException)
    def _refused(request: Request, error: HTTPException) -> Response:
        return site.message(request, error.status_code, error.detail)

    @app.exception_handler(TooMany)
    def _too_many(request: Request, error: TooMany) -> Response:
        return site.message(request, 429, "Too many tries in a short time. Please wait some minutes and send it again.")

    @app.exception_handler(NotTheirs)
    def _not_theirs(request: Request, error: NotTheirs) -> Response:
        return site.message(request, 404, "There is no such card or person of yours.")

    @app.exception_handler(Closed)
    def _closed(request: Request, error: Closed) -> Response:
        visit = site.visit(request)
        started = visit.intruder is not None and visit.intruder.started is not None
        if typed(request):
            why = (
                "The time is up: nothing can be claimed or changed any more." if started else "Accept the rules first."
            )
            return site.message(request, 409, why)
        return RedirectResponse("/claims" if started else "/rules", 303)

    @app.exception_handler(IncrowdError)
    def _failed(request: Request, error: IncrowdError) -> Response:
        return failed(request, error)

    @app.get("/style.css")
    def style() -> Response:
        return Response(STYLE, media_type="text/css")

    @app.get("/")
    def home(request: Request) -> Response:
        visit = site.visit(request)
        if visit.intruder is None:
            return site.page("welcome.html", None, token=None)
        return RedirectResponse("/rules" if visit.intruder.started is None else "/records", 303)

    @app.get("/enter/{token}")
    def arrive(token: str) -> Response:
        # Nothing is used up by looking: programs that check mails open every link in them.
        return site.page("welcome.html", None, token=token[:100])

    @app.post("/enter")
    def enter(request: Request, form: FormFields) -> Response:
        cookie = desk.sign_in(first(form, "token")[:100], site.visit(request).address)
        if cookie is None:
            message = "This link is not valid: it was used before, has been replaced, or the test is over. "
            raise HTTPException(403, message + "Ask whoever sent it for a new one.")
        answer = RedirectResponse("/rules", 303)
        answer.set_cookie(site.cookie, cookie, httponly=True, samesite="strict", secure=tls, path="/")
        return answer

    @app.post("/leave")
    def leave(request: Request, form: FormFields) -> Response:
        visit = site.signed_in(request)
        site.check(visit, form)
        assert visit.intruder is not None
        desk.sign_out(visit.intruder, visit.cookie, visit.address)
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(site.cookie, path="/", secure=tls, httponly=True, samesite="strict")
        return answer

    @app.get("/rules")
    def read_rules(request: Request) -> Response:
        visit = site.signed_in(request)
        assert visit.intruder is not None
        texts = {name: blocks(text) for name, text in desk.facts.texts.items()}
        return site.page("rules.html", visit, rules=rules(desk.facts, visit.intruder.team), texts=texts)

    @app.post("/rules")
    def accept(request: Request, form: FormFields) -> Response:
        visit = site.signed_in(request)
        site.check(visit, form)
        assert visit.intruder is not None
        if first(form, "accept") != "yes":
            raise HTTPException(400, "Tick the box if you accept the rules and agree to take part.")
        desk.accept(visit.intruder, visit.address)
        return RedirectResponse("/records", 303)

    add_looking(app, site)
    add_claiming(app, site)
    add_knowing(app, site)
    return app


def new_nonce() -> str:
    """What makes a form one form, however often it is sent."""
    return secrets.token_hex(16)
