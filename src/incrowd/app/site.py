"""The application: whose session it is, which page they get, and what becomes of a fault."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException

from incrowd import __version__
from incrowd.app.mending import misfits, where
from incrowd.app.neighbours import is_stranger
from incrowd.app.results import outdated
from incrowd.app.sessions import Session, Sessions
from incrowd.errors import IncrowdError, PlanError, visible
from incrowd.intruder_test.tokens import same
from incrowd.intruder_test.web.forms import Form, first, read_form

HERE = Path(__file__).parent
#: The stages of the flow, in its order, and the page beside them: address, and the word in the menu.
PAGES = (
    ("data", "Data"), ("variables", "Variables"), ("risk", "Risk"), ("protect", "Protect"), ("propose", "Propose"),
    ("utility", "Utility"), ("attack", "Attack"), ("release", "Release"), ("postcodes", "Postcodes"),
)  # fmt: skip
#: What a page may load: our own script and style. Charts set styles on their elements.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-src 'self'; frame-ancestors 'none'"
)
#: What a report may do that is shown as it is: draw its charts, shut in, with no way out and no session.
SHUT_IN = (
    "sandbox allow-scripts allow-popups; default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'"
)
FormFields = Annotated[Form, Depends(read_form)]
#: What a request asks of the page that it came from.
Handler = Callable[[Session, Form], str | None]


class Site:
    """What the pages share: sessions, settings, and how a page looks."""

    def __init__(self, *, token: str = "", paths: bool = True, home: Path | None = None, upload: int = 0) -> None:
        self.sessions = Sessions()
        self.token, self.paths, self.upload = token, paths, upload
        self.home = home or Path.cwd()
        self.pages = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True, extensions=["jinja2.ext.do"],
        )  # fmt: skip
        self.pages.filters.update(
            count=lambda number: f"{number:,}", percent=_percent, figure=figure, chart=chart, live_chart=live_chart,
            shown=lambda text: visible(str(text)), where=where, misfits=misfits, outdated=outdated,
        )  # fmt: skip

    def session(self, request: Request) -> Session:
        """Whose request it is. (`_enter` has seen to it that there is a session.) What an editor has done to the plan
        meanwhile is read first, before anything is said of it.
        """
        found: Session = request.state.session
        if not _on_loop():  # it would keep everybody waiting for this session's lock
            with found.lock, self.telling(found):
                if found.project is not None and found.project.document.refresh():
                    found.say("plan.yaml was changed outside: it was read again.", "plain")
        return found

    def show(self, request: Request, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A page with what all pages have: the menu, notices, and the state of the plan."""
        session = self.session(request)
        with session.lock:
            notices, session.notices = session.notices, []
            project = session.project
            jobs = {page: job for page, job in session.jobs.items() if job.state == "running"}
            text = self.pages.get_template(f"{name}.html").render(
                page=name, pages=PAGES, mark_value=session.mark, notices=notices, project=project, session=session,
                jobs=jobs, site=self, version=__version__, **values,
            )  # fmt: skip
        return HTMLResponse(text, status, headers={"Vary": "Cookie"})

    @contextmanager
    def telling(self, session: Session) -> Iterator[None]:
        """A fault of ours inside becomes a notice on the page; it holds no value of anybody."""
        try:
            yield
        except PlanError as error:
            session.say("The plan has faults.", "bad", [str(fault) for fault in error.faults])
        except IncrowdError as error:
            session.say(str(error), "bad")

    def act(self, request: Request, form: Form, page: str, do: Handler) -> Response:
        """What a form asks for: done under the session's lock, a fault told, and back to the page (or another)."""
        session = self.session(request)
        if not same(first(form, "mark"), session.mark):
            session.say("That form was out of date: nothing was done. Please try again.", "bad")
            return RedirectResponse(f"/{page}", 303)
        to = None
        with session.lock, self.telling(session):
            to = do(session, form)
        return RedirectResponse(to or f"/{page}", 303)


def create_app(site: Site) -> FastAPI:
    """All pages and what they share. Each page is a file in `pages/` with a function `add(app, site)`."""
    from incrowd.app.pages import ALL

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    @app.middleware("http")
    async def _enter(request: Request, go: Any) -> Response:
        client, server = request.client, request.scope.get("server")
        if client is not None and server and is_stranger(client.host, client.port, server[1] or 0):
            return HTMLResponse("This workbench belongs to another user of this machine.", 403)
        if request.url.path.startswith("/static/"):
            return await go(request)  # type: ignore[no-any-return]
        cookie = request.cookies.get(_cookie(request), "")
        session = site.sessions.find(cookie)
        given, fresh = request.query_params.get("token", ""), ""
        if session is None:
            if not _opened(request):
                return HTMLResponse("Only a page that is opened begins a session.", 403)
            if site.token and not same(given, site.token):
                return HTMLResponse(_NO_TOKEN, 401)
            if request.method not in ("GET", "HEAD"):
                return RedirectResponse("/data", 303)
            try:
                fresh, session = site.sessions.new()
            except IncrowdError as error:
                return HTMLResponse(str(error), 503)
        request.state.session, request.state.cookie = session, fresh or cookie
        if given:  # the address that is shown and kept has no token in it
            answer: Response = RedirectResponse(request.url.path, 303)
        else:
            answer = await go(request)
        if fresh:
            answer.set_cookie(_cookie(request), fresh, httponly=True, samesite="lax", path="/")
        return answer

    @app.exception_handler(HTTPException)
    def _refused(request: Request, error: HTTPException) -> Response:
        if request.url.path.startswith("/static/"):  # nobody's page: it has no session
            return PlainTextResponse(str(error.detail), error.status_code)
        return site.show(request, "message", error.status_code, message=error.detail)

    @app.exception_handler(IncrowdError)
    def _failed(request: Request, error: IncrowdError) -> Response:
        return site.show(request, "message", 400, message=str(error))

    @app.exception_handler(Exception)
    def _broke(request: Request, error: Exception) -> Response:
        # The server's console is told where (`Guard`), and nobody what: it may be a value of the data.
        return HTMLResponse(_BROKE, 500)

    @app.get("/")
    def home() -> Response:
        return RedirectResponse("/data", 303)

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name == "vega.js":
            return Response(vega(), media_type="text/javascript", headers={"Cache-Control": "max-age=3600"})
        kind = {"workbench.css": "text/css", "workbench.js": "text/javascript"}.get(name)
        if kind is None:
            raise HTTPException(404, "There is no such file.")
        return Response((HERE / "static" / name).read_text(encoding="utf-8"), media_type=kind)

    @app.get("/jobs/{page}")
    def job(page: str, request: Request) -> Response:
        found = site.session(request).jobs.get(page)
        return JSONResponse({"state": "none"} if found is None else found.told())

    @app.post("/jobs/{page}/cancel")
    def cancel(page: str, request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> str | None:
            if (found := session.jobs.get(page)) is not None:
                found.cancel(keep=first(form, "keep") == "yes")
                found.wait(12)
            return None

        return site.act(request, form, page, do)

    @app.post("/plan/{way}")
    def history(way: str, request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> str | None:
            document = session.need_project().document
            (document.undo if way == "undo" else document.redo)()
            return None

        return site.act(request, form, page_of(first(form, "back")), do)

    @app.get("/plan.yaml")
    def plan(request: Request) -> Response:
        session = site.session(request)
        with session.lock:
            text = session.need_project().document.text
        headers = {"Content-Disposition": 'attachment; filename="plan.yaml"'}
        return Response(text, media_type="application/yaml", headers=headers)

    @app.post("/leave")
    def leave(request: Request, form: FormFields) -> Response:
        if same(first(form, "mark"), site.session(request).mark):
            site.sessions.end(request.state.cookie)
        answer = RedirectResponse("/data", 303)
        answer.delete_cookie(_cookie(request), path="/")
        return answer

    for add in ALL:
        add(app, site)
    return app


_NO_TOKEN = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>incrowd</title><main><h1>A token is needed</h1>'
    "<p>Open the link that <code>incrowd app</code> has printed in its terminal: it ends with a token.</p></main>"
)


_BROKE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>incrowd</title><main id="content"><h1>Something in '
    "incrowd broke</h1><p>The plan is as it was saved last. <a href='/data'>Go on from the beginning</a>; if it "
    "happens again, undo your last change, and please report it, without data.</p></main>"
)


def _cookie(request: Request) -> str:
    """The cookie of this workbench: a browser sends those of all ports, and another workbench has another one."""
    server = request.scope.get("server")
    return f"incrowd-workbench-{server[1] if server else 0}"


def _opened(request: Request) -> bool:
    """Whether somebody opens a page of ours. Another site could begin sessions until there is no room for one, with
    pictures or frames of our address; it is the browser that says for whom it asks.
    """
    headers = request.headers
    if headers.get("sec-fetch-dest", "document") in ("iframe", "frame", "embed", "object"):
        return False
    ours = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    return ours or headers.get("sec-fetch-mode") == "navigate"


def _on_loop() -> bool:
    """Whether this is the thread that serves everybody."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def page_of(name: str) -> str:
    """A page by the name that a form gives, or the first."""
    return name if name in dict(PAGES) else "data"


@cache
def vega() -> str:
    """What draws interactive charts, as the converter of our reports carries it: nothing comes from outside."""
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def chart(drawn: Any) -> Markup:
    """A chart as a picture in the page, with its text alternative."""
    from incrowd.report.charts.look import to_svg

    return Markup('<figure class="chart">{}</figure>').format(Markup(to_svg(drawn)))


def live_chart(drawn: Any) -> Markup:
    """A chart with values that show when it is pointed at. Its description is for whoever cannot see it."""
    from incrowd.report.charts.look import spec_of

    spec = spec_of(drawn)
    text = json.dumps(spec).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    mark = f"chart-{secrets.token_hex(4)}"
    return Markup(
        '<figure class="chart" data-chart="{}"><div role="img" aria-label="{}" id="{}-here"></div>'
        '<noscript><p>{}</p></noscript><script type="application/json" id="{}">{}</script></figure>'
    ).format(mark, spec["description"], mark, spec["description"], mark, Markup(text))


def figure(number: float | None, digits: int = 3) -> str:
    """A number as a person writes it; a dash where there is none."""
    return "-" if number is None else f"{number:,.{digits}g}" if isinstance(number, float) else f"{number:,}"


def _percent(part: float | None, digits: int = 1) -> str:
    if part is None:
        return "-"
    return "less than 0.1%" if 0 < part < 0.001 and digits == 1 else f"{100 * part:.{digits}f}%"
