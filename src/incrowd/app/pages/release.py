"""Release: the plan is run, the gate's verdict is shown, and what may leave can be taken. Nothing leaves by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException

import incrowd as ic
from incrowd.app.attacking import strongest
from incrowd.app.pages import release_runs, release_signing
from incrowd.app.releasing import (
    BEFORE,
    Shown,
    changed_inputs,
    current,
    find_run,
    forged,
    packed,
    refused_by,
    runs_of,
    show_run,
    split_address,
    trust_of,
    why_safe,
)
from incrowd.app.sessions import Session
from incrowd.app.site import SHUT_IN, FormFields, Site
from incrowd.audit.runs import open_sealed
from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.web.forms import Form, first
from incrowd.plan import dump_plan
from incrowd.tasks._recount import plan_of, to_recount

#: A released file up to so many bytes is counted again while the page is shown; a larger one when somebody asks.
SMALL = 50 << 20
#: What a file is by its ending; whatever else there is, is bytes.
TYPES = {
    ".html": "text/html; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".json": "application/json",
    ".yaml": "application/yaml", ".pdf": "application/pdf", ".parquet": "application/vnd.apache.parquet",
}  # fmt: skip


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""
    release_signing.add(app, site)
    release_runs.add(app, site)

    @app.get("/release")
    def show(request: Request, run: str = "") -> Response:
        session = site.session(request)
        values: dict[str, Any] = {
            "view": "run", "shown": None, "runs": (), "why": (), "attacked": "", "refused": None, "changed": False,
            "inputs": (), "forged": (), "notes": (), "others": (),
        }  # fmt: skip
        reading = None
        with session.lock, site.telling(session):
            if session.project is not None:
                values["runs"] = runs_of(session)
                chosen = find_run(session, run) if run else current(values["runs"])
                job = session.jobs.get("release")
                if job is not None and (refused := refused_by(session, job)) is not None:
                    values["refused"] = show_run(session, refused)
                if job is not None and job.state == "done" and isinstance(job.result, ic.Run):
                    values["notes"] = tuple(dict.fromkeys(note for one in job.result.files for note in one.notes))
                values["others"] = [one for one in values["runs"] if one.current and one != chosen]
                if chosen is not None:
                    values["shown"] = shown = show_run(session, chosen)
                    values["why"] = tuple(why_safe(shown.glance))
                    values["attacked"] = shown.glance.called.say(strongest(shown.glance.past.attacks))
                    values["changed"] = _changed(session, shown)
                    reading = (chosen, session.need_project().home, trust_of(session))
                    if sum(one.bytes for one in (*shown.leaves, *shown.stays)) <= SMALL:
                        values["forged"] = forged(session, chosen)
        if reading is not None:
            with session.measuring, site.telling(session):  # files may be hashed, and other pages go on
                values["inputs"] = changed_inputs(session, *reading)
        return site.show(request, "release", **values)

    @app.post("/release/run")
    def begin(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            project = session.need_project()
            if faults := project.document.checked.faults:
                message = f"the plan has {len(faults)} {'fault' if len(faults) == 1 else 'faults'}, so it is not run."
                raise InputError("D440", message, "Mend what is listed beside the page: The plan.")
            session.kept[BEFORE] = frozenset(one.name for one in runs_of(session))
            session.begin("release", "Run the plan", "run", str(project.document.path))

        return site.act(request, form, "release", do)

    @app.get("/release/seal")
    def seal(request: Request, run: str = "") -> Response:
        session = site.session(request)
        with session.lock:  # and not while files are hashed: other pages would wait
            chosen, trust = find_run(session, run), trust_of(session)
            job = session.jobs.get("count")
        values: dict[str, Any] = {"run": chosen, "seal": None, "asked": None, "counted": None, "fault": "", "large": 0}
        try:
            values["seal"] = ic.audit_verify(chosen.folder, trust=trust)
            if not chosen.refused:
                values["asked"] = asked = to_recount(chosen.folder, trust)
                bytes_ = asked.file.stat().st_size if asked.file.is_file() else SMALL + 1
                if not asked.why and bytes_ <= SMALL:
                    values["counted"] = ic.verify(*asked.arguments)
                elif not asked.why:
                    values["large"] = bytes_
                    ours = job is not None and job.state == "done" and session.kept.get("counted") == chosen.name
                    values["counted"] = job.result if job is not None and ours else None
        except (IncrowdError, OSError) as error:
            values["fault"] = str(error) if isinstance(error, IncrowdError) else "The files of this run cannot be read."
        return site.show(request, "release_seal", **values)

    @app.post("/release/count")
    def count(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> str:
            chosen = find_run(session, first(form, "run"))
            asked = to_recount(chosen.folder, trust_of(session))
            session.kept["counted"] = chosen.name
            session.begin("count", "Count the released file again", "verify", *asked.arguments)
            return f"/release?run={chosen.name}"

        return site.act(request, form, "release", do)

    @app.post("/release/print")
    def print_(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> str:
            chosen, word = find_run(session, first(form, "run")), first(form, "kind") == "word"
            title = "Write the decision paper as Word" if word else "Print the reports"
            settings = {"word": word, "pdf": not word, "trust": trust_of(session)}
            session.begin("print", title, "report", str(chosen.folder), **settings)
            return f"/release?run={chosen.name}"

        return site.act(request, form, "release", do)

    @app.get("/count")  # where cancelled jobs lead
    @app.get("/print")
    def back() -> Response:
        return RedirectResponse("/release", 303)

    @app.get("/release/file/{address:path}")
    def file(request: Request, address: str, download: str = "") -> Response:
        session = site.session(request)
        try:
            with session.lock:
                run, name = split_address(session, address)
                trust = trust_of(session)
            found = open_sealed(run.folder, name, trust)
        except IncrowdError as error:
            raise HTTPException(404, str(error)) from None
        return _sent(found, name, bool(download))

    @app.get("/release/pack/{part}/{address:path}")
    def pack(request: Request, part: str, address: str) -> Response:
        session = site.session(request)
        if part not in ("release", "audit"):
            raise HTTPException(404, "There is no such part of a run.")
        with session.lock:
            run, trust = find_run(session, address), trust_of(session)
        place = packed(session.folder, run, part, trust)
        gone = BackgroundTask(place.unlink, missing_ok=True)
        name = f"{part}-{run.folder.name}.zip"
        return FileResponse(place, media_type="application/zip", filename=name, background=gone)


def _sent(file: BinaryIO, name: str, download: bool) -> Response:
    """A file of a run. A report is shown shut in; everything else is for the disk."""
    ending = name[name.rfind(".") :]
    headers = {"Content-Security-Policy": SHUT_IN}
    if download or ending != ".html":
        headers["Content-Disposition"] = f'attachment; filename="{_plain(name.rpartition("/")[2])}"'
    return StreamingResponse(_pieces(file), media_type=TYPES.get(ending, "application/octet-stream"), headers=headers)


def _plain(name: str) -> str:
    """A name that a header can hold."""
    return "".join(
        letter if letter.isascii() and letter not in '"\\' and letter.isprintable() else "_" for letter in name
    )


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(1 << 20):
            yield piece


def _changed(session: Session, shown: Shown) -> bool:
    """Whether the plan is another one by now than the one that was run. (A plan with tiers is run as several.)"""
    project = session.need_project()
    plan = project.document.checked.plan
    if plan is None or plan.tiers:
        return False
    return dump_plan(plan) != dump_plan(plan_of(shown.run.folder, trust_of(session)))
