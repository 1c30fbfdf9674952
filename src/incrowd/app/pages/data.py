"""Data: open a file or an example, see what is in it, and say what kind of file it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import PlainTextResponse, Response

from incrowd.app import opening as openings
from incrowd.app.data_settings import KINDS, TIERS, save_settings, settings_of
from incrowd.app.looking import PAGE, look, stamp_of
from incrowd.app.sessions import Project, Session
from incrowd.app.site import FormFields, Site
from incrowd.app.uploads import is_plan_by_name, receive, refuse_ending
from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.tokens import same
from incrowd.intruder_test.web.forms import Form, first
from incrowd.plan import read_text
from incrowd.plan.prepare import source_columns
from incrowd.profiling import Column
from incrowd.rows.formats import ENDINGS

#: What separates the fields of a line, by its name: a form cannot hold a tab.
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
ENCODINGS = {"utf-8": "UTF-8", "cp1252": "Windows (cp1252)", "latin-1": "Latin-1"}
#: So many files are offered to choose from.
OFFERED = 40


@dataclass(frozen=True)
class Seen:
    """A column of the file: what it is called in the plan, the role it has there, and what the profile says."""

    name: str
    role: str
    column: Column


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""

    @app.get("/data")
    def show(request: Request) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"found": None, "seen": (), "hidden": (), "settings": {}, "there": True, "names": ()}
        with session.lock, site.telling(session):
            openings.settle(session)
            if session.project is not None:
                values |= _values(session, session.project)
        with session.lock:
            values |= {
                "failed": openings.failed(session), "already": session.kept.get(openings.ALREADY),
                "earlier": openings.earlier(session), "job": session.jobs.get(PAGE),
                "offered": list(islice(_files(site.home), OFFERED)) if site.paths else [],
            }  # fmt: skip
        return site.show(
            request, "data", **values, examples=openings.EXAMPLES, kinds=KINDS, tiers=TIERS, endings=sorted(ENDINGS),
            delimiters=DELIMITERS, encodings=ENCODINGS, megabytes=f"{site.upload / 2**20:,.0f}",
        )  # fmt: skip

    @app.post("/data/open")
    def open_(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            if not site.paths:
                message = "files of this machine cannot be opened from another one."
                raise InputError("D422", message, "Upload the file.")
            path = first(form, "file").strip("'\"")  # as a shell or a file manager copies it
            if not path:
                raise InputError("D422", "no path is given.", "Write the path of a file, or of a plan.yaml.")
            openings.open_path(session, path, first(form, "home"), site.home, *_asked(form))

        return site.act(request, form, PAGE, do)

    @app.post("/data/retry")
    def retry(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            opening = openings.failed(session)
            if opening is None or not opening.own:
                raise InputError("D421", "that file is not there any more.", "Upload it again.")
            settings, reading = _asked(form)
            openings.begin(session, replace(opening, settings=settings, reading=reading))

        return site.act(request, form, PAGE, do)

    @app.post("/data/example")
    def example(request: Request, form: FormFields) -> Response:
        return site.act(request, form, PAGE, lambda session, form: openings.open_example(session, first(form, "name")))

    @app.post("/data/earlier")
    def again(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            openings.open_earlier(session, first(form, "which"), remove=first(form, "remove") == "yes")

        return site.act(request, form, PAGE, do)

    @app.post("/data/look")
    def look_again(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            look(session, again=True)

        return site.act(request, form, PAGE, do)

    @app.post("/data/settings")
    def set_(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            document = session.need_project().document
            document.change(save_settings(form, site.paths), "what the data are")

        return site.act(request, form, PAGE, do)

    @app.post("/data/upload")
    async def upload(request: Request) -> Response:
        session = site.session(request)
        if not same(request.headers.get("x-mark", ""), session.mark):
            return PlainTextResponse("That page was out of date: nothing was taken. Reload it.", 403)
        name = request.query_params.get("name", "")
        beside = request.query_params.get("beside") == "yes"
        try:
            refuse_ending(name)
            home = await run_in_threadpool(openings.new_home, session)
            try:
                path = await receive(request, home, name, site.upload)
                await run_in_threadpool(_uploaded, session, path, beside)
            finally:
                if is_plan_by_name(name) or beside or not any(home.iterdir()):
                    shutil.rmtree(home, ignore_errors=True)
        except IncrowdError as error:
            session.say(str(error), "bad")
            return PlainTextResponse("Refused.", 400)
        return PlainTextResponse("Taken.")


def _uploaded(session: Session, path: Path, beside: bool) -> None:
    """What becomes of a file that has arrived: it is opened, put beside the plan, or is a changed plan itself."""
    with session.lock:
        if is_plan_by_name(path.name):
            document = session.need_project().document
            document.refresh()
            document.write(read_text(path), "uploaded")
            session.say("The uploaded plan is open. Undo brings back the one before.")
        elif beside:
            project = session.need_project()
            if not project.own:
                message = "this plan is in a folder of your own."
                raise InputError("D422", message, "Put the file there with your file manager.")
            try:
                path.replace(project.home / path.name)
            except OSError:
                message = "there is a folder of that name beside the plan."
                raise InputError("D424", message, "Give the file another name.") from None
            session.say(f"{path.name} is beside the plan now: name it there by this name.")
        else:
            unsaid = {"kind": None}  # how it was collected is asked, and never taken for granted
            openings.begin(session, openings.Opening(str(path), path.parent, own=True, made=True, settings=unsaid))


def _values(session: Session, project: Project) -> dict[str, Any]:
    """What is known of the plan's data."""
    values: dict[str, Any] = {"there": stamp_of(project) is not None}
    if project.document.checked.plan is None:
        return values  # the faults are beside the page
    values["settings"] = settings_of(project.document.text)
    values["names"] = list(project.plan.variables)
    if (found := look(session)) is None:
        return values
    plan, columns = project.plan, found.profile.columns
    names = source_columns(plan, [column.name for column in columns], found.profile.place)[0]
    roles = {name: variable.role for name, variable in plan.variables.items()}
    seen = [Seen(name, roles.get(name, ""), column) for name, column in zip(names, columns, strict=True)]
    # What somebody calls an identifier is hidden, and so is what looks like one.
    hidden = {one.column.name for one in seen if "identifier" in (one.role, one.column.role)}
    return values | {"found": found, "seen": seen, "hidden": hidden}


def _asked(form: Form) -> tuple[dict[str, Any], dict[str, Any]]:
    """How a file is to be opened: what `init` is told, and how the file is read."""
    kind, sheet = first(form, "kind"), first(form, "sheet")
    settings = {
        "kind": kind if kind in KINDS else None, "header": first(form, "header") == "yes",
        "unit": first(form, "unit") or None, "codes": first(form, "codes") or None,
    }  # fmt: skip
    encoding = first(form, "encoding")
    reading = {
        "delimiter": DELIMITERS.get(first(form, "delimiter")), "encoding": encoding if encoding in ENCODINGS else None,
        "sheet": int(sheet) if sheet.isdecimal() and len(sheet) < 5 else sheet or None,
        "drop_index": first(form, "drop_index") == "yes",
    }  # fmt: skip
    return settings, reading


def _files(folder: Path) -> Iterator[str]:
    """Files of records in the folder of the workbench, and plans in those below, to choose from."""
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            if path.name.startswith("."):
                continue
            if path.is_file() and (path.suffix.lower() in ENDINGS or path.suffix in (".yaml", ".yml")):
                yield path.name
            elif path.is_dir() and (path / openings.PLAN).is_file():
                yield f"{path.name}/{openings.PLAN}"
