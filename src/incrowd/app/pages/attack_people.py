"""People as intruders: a test is made of a release, its pages are opened, it is watched, judged, and erased."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

import incrowd as ic
from incrowd.app.releasing import find_run, runs_of, trust_of
from incrowd.app.sessions import Session
from incrowd.app.site import SHUT_IN, FormFields, Site
from incrowd.app.testing import (
    MAKE,
    SERVE,
    TestFile,
    close_pages,
    decide,
    find_test,
    free_name,
    free_port,
    new_place,
    serve,
    served,
    tests_of,
    undecided,
)
from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.protocol import CONFIDENTIALITY, SOURCES, day, moment, span
from incrowd.intruder_test.value import dump_scores
from incrowd.intruder_test.web.forms import Form, first
from incrowd.machine.writing import write_private
from incrowd.report.tested import calibration_chart, intruder_report, used_chart
from incrowd.risk.background import plan_scenarios
from incrowd.tasks.intruder_test_new import KEPT_DAYS, OPEN_DAYS

PEOPLE = "attack/people"


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this part."""

    @app.get("/attack/people")
    def show(request: Request, test: str = "") -> Response:
        session = site.session(request)
        values: dict[str, Any] = {
            "view": "people", "tests": (), "test": None, "served": None, "runs": (), "scenarios": (), "claims": (),
            "links": (), "defaults": _defaults(), "charts": (), "free": "", "span": span, "day": day, "moment": moment,
        }  # fmt: skip
        with session.lock, site.telling(session):
            if session.project is not None:
                values |= _values(session, test)
        return site.show(request, "attack", **values)

    @app.get(f"/{MAKE}")  # where a cancelled job leads
    @app.get(f"/{SERVE}")
    def back() -> Response:
        return RedirectResponse(f"/{PEOPLE}", 303)

    @app.post("/attack/people/new")
    def new(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            run, place = find_run(session, first(form, "run")), new_place(session, first(form, "file"))
            if place.exists():
                raise InputError("D443", "there is a file of this name already.", "Give the test another name.")
            address = f"http://127.0.0.1:{free_port()}"
            session.begin(
                MAKE, "Make the test", "intruder_test_new", str(run.folder), str(place), _options(session, form),
                address=address, trust=trust_of(session),
            )  # fmt: skip

        return site.act(request, form, PEOPLE, do)

    def on_test(address: str, do: Any) -> None:
        """A form about one test: `do` gets the session, the test and the form."""

        @app.post(f"/{PEOPLE}/{address}")
        def act(request: Request, form: FormFields) -> Response:
            def doing(session: Session, form: Form) -> str:
                test = find_test(session, first(form, "test"))
                do(session, test, form)
                return _address(test)

            return site.act(request, form, PEOPLE, doing)

    on_test("serve", lambda session, test, form: serve(session, test))
    on_test("close", lambda session, test, form: close_pages(session, test))
    on_test("invite", _invite)
    on_test("score", _score)
    on_test("decide", _decide)
    on_test("plan", _into_plan)
    on_test("erase", _erase)

    @app.get("/attack/people/report/{name}")
    def report(request: Request, name: str) -> Response:
        scores = _test(site, request, name).scores
        if scores is None:
            raise HTTPException(404, "This test was not scored yet.")
        return HTMLResponse(intruder_report(scores), headers={"Content-Security-Policy": SHUT_IN})

    @app.get("/attack/people/scores/{name}")
    def scores(request: Request, name: str) -> Response:
        test = _test(site, request, name)
        if test.scores is None:
            raise HTTPException(404, "This test was not scored yet.")
        return _download(dump_scores(test.scores), f"{test.place.stem}.scores.json", "application/json")

    @app.get("/attack/people/protocol/{name}")
    def protocol(request: Request, name: str) -> Response:
        test = _test(site, request, name)
        file = test.beside(".protocol.md")
        if not file.is_file() or file.is_symlink():
            raise HTTPException(404, "The protocol is not beside the test.")
        return _download(file.read_text(encoding="utf-8"), file.name, "text/markdown; charset=utf-8")


def _test(site: Site, request: Request, name: str) -> TestFile:
    session = site.session(request)
    try:
        with session.lock:
            return find_test(session, name)
    except IncrowdError as error:
        raise HTTPException(404, str(error)) from None


def _download(text: str, name: str, kind: str) -> Response:
    return Response(text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _address(test: TestFile) -> str:
    return f"/{PEOPLE}?test={test.name}"


def _defaults() -> dict[str, str]:
    today = datetime.now(UTC).date()
    return {
        "expires": str(today + timedelta(days=OPEN_DAYS)), "delete_on": str(today + timedelta(days=KEPT_DAYS)),
        "sources": SOURCES, "confidentiality": CONFIDENTIALITY,
    }  # fmt: skip


def _values(session: Session, name: str) -> dict[str, Any]:
    job = session.jobs.get(MAKE)
    if job is None or job.state != "running":
        _names_file(session).unlink(missing_ok=True)  # who takes part is in the test, and goes with it
    tests = tests_of(session)
    test = next((one for one in tests if one.name == name), tests[0] if tests else None)
    found: dict[str, Any] = {
        "tests": tests, "test": test, "served": served(session), "free": free_name(session),
        "runs": [one for one in runs_of(session) if not one.refused],
        "scenarios": [one.name for one in plan_scenarios(session.need_project().plan)],
    }  # fmt: skip
    if test is not None and test.watch is not None:
        open_ = found["served"]
        found["links"] = test.links(open_[1] if open_ and open_[0] == test.name else None)
        if not test.watch.erased:
            found["claims"] = undecided(test)
    if test is not None and test.scores is not None and test.scores.total.claims:
        used = [used_chart(test.scores, test.scores.by_variable)] if test.scores.by_variable else []
        found["charts"] = [calibration_chart(test.scores), *used]
    return found


def _names_file(session: Session) -> Path:
    return session.folder / "intruders.txt"


def _options(session: Session, form: Form) -> ic.IntruderTestOptions:
    """What the form decides about a new test."""
    who = first(form, "intruders")
    if not who.isdecimal():
        write_private(_names_file(session), who + "\n")
        who = str(_names_file(session))
    try:
        numbers = {
            "targets": int(first(form, "targets")), "decoys": float(first(form, "decoys")) / 100,
            "hours": float(first(form, "hours")),
        }  # fmt: skip
    except ValueError:
        raise InputError("D443", "cards, decoys and hours are numbers.", "Write them in figures.") from None
    texts = {name: text for name in ("sources", "confidentiality") if (text := first(form, name))}
    dates = {name: first(form, name) or None for name in ("expires", "delete_on")}
    return ic.IntruderTestOptions(
        intruders=who, scenario=first(form, "scenario") or None, riskiest=first(form, "riskiest") == "yes",
        prize=first(form, "prize"), title=first(form, "title") or None, **numbers, **texts, **dates,  # type: ignore[arg-type]
    )  # fmt: skip


def _invite(session: Session, test: TestFile, form: Form) -> None:
    made, open_ = ic.intruder_test_invite(str(test.place), first(form, "name")), served(session)
    link = made.link(open_[1] if open_ and open_[0] == test.name else None)
    session.say(f"A new link for {made.name}, which is shown only here: {link} The old one no longer works.")


def _score(session: Session, test: TestFile, form: Form) -> None:
    found = ic.intruder_test_score(str(test.place))
    session.say(
        f"Counted: {found.scores.total.correct} of {found.scores.total.claims} judged claims are right.", "plain"
    )


def _decide(session: Session, test: TestFile, form: Form) -> None:
    given = {name.removeprefix("verdict-"): texts[0] for name, texts in form.items() if name.startswith("verdict-")}
    many = decide(test, {int(number): text for number, text in given.items() if number.isdecimal()})
    session.say(f"{many} {'verdict was' if many == 1 else 'verdicts were'} taken over, and the claims counted again.")


def _into_plan(session: Session, test: TestFile, form: Form) -> None:
    if test.scores is None:
        raise InputError("D443", "this test was not scored yet.", "Score it first.")
    file = test.beside(".scores.json")
    write_private(file, dump_scores(test.scores))
    document = session.need_project().document
    document.change(lambda tree: tree.__setitem__("intruder_test", file.name), "a human intruder test named")
    session.say(f"{file.name} is named in the plan: the reports of the next run tell of it.")


def _erase(session: Session, test: TestFile, form: Form) -> None:
    if first(form, "sure") != "yes":
        raise InputError("D442", "nothing was erased.", "Tick that you mean it: it cannot be undone.")
    close_pages(session, test)
    gone = ic.intruder_test_erase(str(test.place))
    rows = gone.rows
    detail = [f"Deleted, too: {path}" for path in gone.deleted]
    detail += [f"Not where it was written: {path}. Delete it yourself if you have moved it." for path in gone.missing]
    detail += [f"No file any more, and left alone: {path}. Look what it holds." for path in gone.left_alone]
    detail.append("Copies that you made, such as the mails with the links, are yours to delete.")
    what = f"{rows['claim']} claims, {rows['target']} cards, {rows['intruder']} names, and the log"
    session.say(f"Erased: {what}. Scores that were counted stay.", detail=detail)
