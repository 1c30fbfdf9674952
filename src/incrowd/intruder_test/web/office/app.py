"""The office's application: who is asking, what their role allows, and which page they get.

It opens the whole store, with the truth. The intruders' pages are another application, which cannot read it: neither
knows the other's sessions, and their cookies have different names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException

from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test import accounts
from incrowd.intruder_test.accounts import Account
from incrowd.intruder_test.desk import TooMany
from incrowd.intruder_test.office import NotAllowed, Office, Refused
from incrowd.intruder_test.protocol import day, moment, span
from incrowd.intruder_test.tokens import form_mark, same
from incrowd.intruder_test.value import Scores
from incrowd.intruder_test.verdicts import JUDGMENTS
from incrowd.intruder_test.web.app import STYLE
from incrowd.intruder_test.web.expiring import add_expiring
from incrowd.intruder_test.web.forms import Form, first, read_form
from incrowd.intruder_test.web.unsent import failed, typed

HERE = Path(__file__).parent
OFFICE_STYLE = (HERE / "office.css").read_text(encoding="utf-8")
#: The pages: address, template, what they are called, and the right that they need.
PAGES = (
    ("/progress", "progress.html", "Progress", ""),
    ("/claims", "claims.html", "Claims", ""),
    ("/judge", "judge.html", "Judge", accounts.JUDGES),
    ("/people", "people.html", "People they know", ""),
    ("/results", "results.html", "Results", ""),
    ("/log", "log.html", "Log", accounts.LOG),
    ("/erase", "erase.html", "Erase", accounts.ERASES),
)

_pages = Environment(
    loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True,
)  # fmt: skip
_pages.filters.update(
    span=span, moment=moment, day=day, count=lambda number: f"{number:,}", meaning=lambda word: JUDGMENTS[word][0]
)

FormFields = Annotated[Form, Depends(read_form)]


@dataclass(frozen=True)
class Visit:
    """One request of somebody: from where, with which session, as whom."""

    address: str
    cookie: str
    account: Account


class OfficeSite:
    """What the routes share: the office, the session's cookie, and how pages look."""

    def __init__(
        self, office: Office, tls: bool, report: Callable[[Scores], str] | None, intruders: str | None
    ) -> None:
        self.office, self.tls, self.report, self.intruders = office, tls, report, intruders
        self.cookie = "__Host-incrowd-office" if tls else "incrowd-office"

    def visit(self, request: Request, right: str = "") -> Visit:
        """Somebody who has signed in and has this right; others are sent away."""
        cookie = request.cookies.get(self.cookie, "")
        account = self.office.who(cookie) if cookie else None
        if account is None:
            raise HTTPException(401, "Please sign in with the link that you were sent.")
        if right and not account.may(right):
            raise NotAllowed
        return Visit(address_of(request), cookie, account)

    def sent(self, request: Request, form: Form, right: str = "") -> Visit:
        """The same for a form, which must come from a page of the same session."""
        visit = self.visit(request, right)
        if not same(first(form, "mark"), form_mark(visit.cookie)):
            raise HTTPException(403, "This form is out of date. Please go back, reload the page and send it again.")
        return visit

    def page(self, name: str, visit: Visit | None, status: int = 200, **values: Any) -> HTMLResponse:
        """A page with what all pages show."""
        who = visit.account if visit else None
        mark = form_mark(visit.cookie) if visit else ""
        links = [(address, words, name == page) for address, page, words, right in PAGES
                 if who is not None and (not right or who.may(right))]  # fmt: skip
        text = _pages.get_template(name).render(facts=self.office.facts, who=who, mark=mark, links=links, **values)
        return HTMLResponse(text, status)

    def message(self, request: Request, status: int, message: str) -> Response:
        """A page that only says something, with what was typed where that was not stored."""
        try:
            visit = self.visit(request)
        except HTTPException:
            visit = None
        return self.page("message.html", visit, status, message=message, typed=typed(request))


def address_of(request: Request) -> str:
    """Where a request came from."""
    return request.client.host if request.client else "unknown"


def create_office(
    office: Office,
    *,
    tls: bool = False,
    expire: Callable[[], None] | None = None,
    report: Callable[[Scores], str] | None = None,
    intruders: str | None = None,
) -> FastAPI:
    """The application. `report` draws the whole report of scores; `intruders` is where the intruders' pages are."""
    from incrowd.intruder_test.web.office.judging import add_judging
    from incrowd.intruder_test.web.office.running import add_running

    site = OfficeSite(office, tls, report, intruders)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_expiring(app, office, expire)

    @app.exception_handler(HTTPException)
    def _refused(request: Request, error: HTTPException) -> Response:
        return site.message(request, error.status_code, error.detail)

    @app.exception_handler(NotAllowed)
    def _not_allowed(request: Request, error: NotAllowed) -> Response:
        return site.message(request, 403, "Your role does not allow this.")

    @app.exception_handler(Refused)
    def _cannot(request: Request, error: Refused) -> Response:
        return site.message(request, 409, str(error))

    @app.exception_handler(TooMany)
    def _too_many(request: Request, error: TooMany) -> Response:
        return site.message(request, 429, "Too many tries in a short time. Please wait some minutes and send it again.")

    @app.exception_handler(IncrowdError)
    def _failed(request: Request, error: IncrowdError) -> Response:
        if isinstance(error, InputError):  # of the custodian's own files and choices
            return site.message(request, 409, str(error))
        return failed(request, error)

    @app.get("/style.css")
    def style() -> Response:
        return Response(STYLE + OFFICE_STYLE, media_type="text/css")

    @app.get("/")
    def home(request: Request) -> Response:
        cookie = request.cookies.get(site.cookie, "")
        if cookie and office.who(cookie) is not None:
            return RedirectResponse("/progress", 303)
        return site.page("welcome.html", None, token=None)

    @app.get("/enter/{token}")
    def arrive(token: str) -> Response:
        # Nothing is used up by looking: programs that check mails open every link in them.
        return site.page("welcome.html", None, token=token[:100])

    @app.post("/enter")
    def enter(request: Request, form: FormFields) -> Response:
        cookie = office.sign_in(first(form, "token")[:100], address_of(request))
        if cookie is None:
            message = "This link is not valid: it was used before, or has been replaced. Ask for a new one."
            raise HTTPException(403, message)
        answer = RedirectResponse("/progress", 303)
        answer.set_cookie(site.cookie, cookie, httponly=True, samesite="strict", secure=tls, path="/")
        return answer

    @app.post("/leave")
    def leave(request: Request, form: FormFields) -> Response:
        visit = site.sent(request, form)
        office.sign_out(visit.account, visit.cookie, visit.address)
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(site.cookie, path="/", secure=tls, httponly=True, samesite="strict")
        return answer

    add_judging(app, site)
    add_running(app, site)
    return app
