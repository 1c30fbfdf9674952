"""Earlier runs: what there is, two of them compared, and one looked at again with what intruders have by now."""

from __future__ import annotations

import secrets
import time
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

import incrowd as ic
from incrowd.app.attacking import named_all
from incrowd.app.jobs import Job
from incrowd.app.releasing import find_run, runs_of, split_address, trust_of
from incrowd.app.results import last_done, reads_too
from incrowd.app.sessions import Session
from incrowd.app.site import SHUT_IN, FormFields, Site
from incrowd.audit.runs import KeptRun, glance, sealed_files
from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.web.forms import Form, first
from incrowd.report.review import Reviewed, review_page, write_review

#: So many runs are listed, and so many bytes of them hashed to see whether they are as they were sealed.
LISTED, HASHED = 50, 200 << 20


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this part."""

    @app.get("/release/runs")
    def show(request: Request, one: str = "", other: str = "") -> Response:
        session = site.session(request)
        values: dict[str, Any] = {
            "view": "runs", "lines": (), "more": 0, "differences": None, "one": one, "other": other,
            "reviewed": None, "review_job": None, "reviewed_run": "", "kept_reviews": (),
        }  # fmt: skip
        with session.lock, site.telling(session):
            if session.project is not None:
                runs = runs_of(session)
                values |= {"lines": _lines(session, runs[:LISTED]), "more": max(0, len(runs) - LISTED)}
                values["kept_reviews"] = [(run, place.parent.name) for run in runs for place in _reviews(run)]
                values |= _last_review(session)
                if one and other:
                    sides = (find_run(session, name).folder for name in (one, other))
                    values["differences"] = ic.audit_diff(*sides, trust=trust_of(session))
        return site.show(request, "release", **values)

    @app.post("/release/review")
    def begin(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            run = find_run(session, first(form, "run"))
            files = named_all(site, session, first(form, "external"), "incrowd review")
            last_done(session, "review", "review")
            job = session.begin(
                "review", "Look at the release again", "review", str(run.folder), external=files,
                trust=trust_of(session),
            )  # fmt: skip
            reads_too(session, job, files)
            _reviewed(session)[job] = run.name

        return site.act(request, form, "release/runs", do)

    @app.get("/review")  # where a cancelled job leads
    def back() -> Response:
        return RedirectResponse("/release/runs", 303)

    @app.get("/release/review")
    def page(request: Request) -> Response:
        session = site.session(request)
        with session.lock:
            found = _last_review(session).get("reviewed")
        if not isinstance(found, Reviewed):
            raise HTTPException(404, "There is no review yet.")
        return HTMLResponse(review_page(found), headers={"Content-Security-Policy": SHUT_IN})

    @app.post("/release/review/keep")
    def keep(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            last = _last_review(session)
            if last.get("reviewed") is None:
                raise InputError("D444", "there is no review to keep.", "Look at a release again first.")
            run = find_run(session, last["reviewed_run"])
            place = run.folder / time.strftime(f"review-%Y%m%d-%H%M%S-{secrets.token_hex(3)}")
            write_review(last["reviewed"], place)
            session.say(f"The review is kept in {place}, which only you may read.")

        return site.act(request, form, "release/runs", do)

    @app.get("/release/kept-review/{address:path}")
    def kept(request: Request, address: str) -> Response:
        session = site.session(request)
        try:
            with session.lock:
                run, name = split_address(session, address)
        except IncrowdError as error:
            raise HTTPException(404, str(error)) from None
        place = next((place for place in _reviews(run) if place.parent.name == name), None)
        if place is None:
            raise HTTPException(404, "This run has no such review.")
        return HTMLResponse(place.read_text(encoding="utf-8"), headers={"Content-Security-Policy": SHUT_IN})


def _lines(session: Session, runs: tuple[KeptRun, ...]) -> list[dict[str, Any]]:
    """Each run in a line. Seals are looked at as long as that is quick: the page of a run always looks."""
    trust, left, found = trust_of(session), HASHED, []
    for run in runs:
        line: dict[str, Any] = {"run": run, "glance": None, "seal": None, "fault": ""}
        try:
            line["glance"] = glance(run.folder, trust)
            left -= sum(entry.bytes for entry in sealed_files(run.folder, trust).values())
        except IncrowdError as error:
            line["fault"] = str(error)
        if left >= 0:
            line["seal"] = ic.audit_verify(run.folder, trust=trust)
        found.append(line)
    return found


def _reviewed(session: Session) -> dict[Job, str]:
    """Which run each review of this session is of."""
    found = session.kept.setdefault("reviewed", {})
    assert isinstance(found, dict)
    return found


def _last_review(session: Session) -> dict[str, Any]:
    """The last review that came to its end."""
    job = last_done(session, "review", "review")
    if job is None or not isinstance(job.result, Reviewed):
        return {}
    return {"reviewed": job.result, "review_job": job, "reviewed_run": _reviewed(session).get(job, "")}


def _reviews(run: KeptRun) -> list[Path]:
    """The pages of the reviews that lie beside a run's audit; links are none."""
    return [
        place
        for place in sorted(run.folder.glob("review-*/review.html"))
        if place.is_file() and not place.is_symlink() and not place.parent.is_symlink()
    ]
