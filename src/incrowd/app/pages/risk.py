"""Risk: whom could somebody find who knows a few things? Live, as what they know is ticked."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import inf
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response

from incrowd.app.looking import kept_back
from incrowd.app.sessions import Project, Session
from incrowd.app.site import FormFields, Site
from incrowd.audit.log import Snapshot
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, clean, first
from incrowd.keys.unit_name import UnitName
from incrowd.protect import State
from incrowd.report.charts.heat import heat_table
from incrowd.report.charts.palette import key_of_counts, shade
from incrowd.report.charts.run import released_sizes
from incrowd.report.words import risk as in_words

#: Above so many ticked keys the tables of them are too many to be read: the first are taken.
MOST = 12


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""

    @app.get("/risk")
    def show(request: Request) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"found": None, "keys": (), "columns": (), "unsaid": (), "scenarios": ()}
        with session.lock, site.telling(session):
            if session.project is not None:
                values |= _choice(session, session.project)
                values["found"] = _found(session, values["keys"])
        return site.show(request, "risk", **values)

    @app.post("/risk/keys")
    def tick(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            plan = session.need_project().plan
            if scenario := first(form, "scenario"):
                keys = next((list(one.keys) for one in plan.scenarios if one.name == scenario), plan.with_role("key"))
            else:
                keys = form.get("keys", [])
            # A form loses the spaces around a name: the intruder would know less than is ticked.
            session.kept["risk"] = [key for key in plan.variables if key in keys or clean(key) in keys]

        return site.act(request, form, "risk", do)

    @app.post("/risk/scenario")
    def save(request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> None:
            project = session.need_project()
            keys, name = _keys(session, project), first(form, "name")
            if not name or not keys:
                raise InputError("D449", "a scenario has a name and at least one thing that is known.", "Give it both.")
            if any(one.name == name for one in project.plan.scenarios):
                raise InputError("D450", "there is a scenario with this name.", "Give it another.")
            if others := [key for key in keys if key not in project.plan.with_role("key")]:
                way = "Give it the role 'key' on the page Variables, or untick it."
                raise InputError("D460", f"{others[0]!r} is no key of the plan, so no scenario can name it.", way)
            new = {"name": name, "keys": list(keys)}
            project.document.change(
                lambda tree: tree.setdefault("scenarios", []).append(new), f"scenario {name!r} added"
            )
            session.say(f"The scenario {name!r} is in the plan. The attacks will be tried in it, too.")

        return site.act(request, form, "risk", do)

    @app.get("/risk/tables")
    def tables(request: Request) -> Response:
        return _part(site, request, "risk_tables", ("tables",))

    @app.get("/risk/population")
    def population(request: Request) -> Response:
        return _part(site, request, "risk_population", ("record", "population"))

    @app.get("/risk/special")
    def special(request: Request) -> Response:
        return _part(site, request, "risk_special", ("suda",))

    @app.get("/risk/rarest")
    def rarest(request: Request) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"found": None, "lines": ()}
        with site.telling(session):
            with session.lock:
                ticked = _keys(session, session.need_project())
                look, book = session.live().rarest(ticked), session.live().opened.book
            found = _measured(session, ticked, look)
            lines = [
                (" and ".join(f"{k}: {book.word(k, v)}" for k, v in one.values), one.before)
                for one in ([] if found is None else found.combinations)
            ]
            values = {"found": found, "lines": lines}
        return site.show(request, "risk_rarest", **values)


def _part(site: Site, request: Request, name: str, measures: tuple[str, ...]) -> Response:
    """One part of the page, measured by itself: the page does not wait for the slowest."""
    session = site.session(request)
    values: dict[str, Any] = {"found": None, "heats": (), "words": in_words, "shade": shade, "shades": ()}
    with site.telling(session):
        with session.lock:
            ticked = _keys(session, session.need_project())
            keys = ticked[:MOST]
            measure = session.live().measuring(keys, measures)
        values["found"] = found = _measured(session, ticked, measure)
        if found is not None and found.tables is not None:
            heats = [heat_table(found.tables, ways) for ways in (2, 3, 4) if ways <= len(keys)]
            most = max((one.most for one in heats), default=0)
            values |= {"heats": heats, "most": most, "shades": key_of_counts(most)}
    return site.show(request, name, **values)


def _measured(session: Session, ticked: list[str], measure: Callable[[], Any]) -> Any:
    """What is found, one measure at a time: it may take long, and other pages go on. None where other keys are ticked
    by now: each tick asks anew, and nobody waits for what was asked before.
    """
    with session.measuring:
        with session.lock:
            late = session.project is None or _keys(session, session.project) != ticked
        return None if late else measure()


def _keys(session: Session, project: Project) -> list[str]:
    """What is ticked: the plan's keys at first. A column that the plan no longer has, or that names people, is not."""
    ticked = session.kept.get("risk")
    plan, hidden = project.plan, kept_back(session)
    keys = [key for key in ticked if key in plan.variables] if isinstance(ticked, list) else plan.with_role("key")
    return [key for key in keys if key not in hidden]


def _choice(session: Session, project: Project) -> dict[str, Any]:
    plan, hidden = project.plan, kept_back(session)
    columns = [(name, one.role) for name, one in plan.variables.items() if name not in hidden]
    unsaid = [name for name in plan.variables if name in hidden and plan.variables[name].role != "identifier"]
    return {"keys": _keys(session, project), "columns": columns, "unsaid": unsaid, "scenarios": plan.scenarios}


def _found(session: Session, keys: list[str]) -> dict[str, Any] | None:
    """The classes of the file as it came and after the steps of the plan, by the ticked keys."""
    if not keys:
        return None
    live = session.live()
    now = Snapshot.of(live.by(keys))
    found = {"now": now, "chart": _drawn(now, live.plan.data.called), "after": None, "gone": ()}
    checked = session.need_project().document.checked
    if not checked.faults and session.need_project().plan.steps:
        state = live.after(session.need_project().plan).state
        if isinstance(state, State):
            left = [key for key in keys if key in state.table.names]
            found["gone"] = [key for key in keys if key not in left]
            found["after"] = Snapshot.of(state.table.project(left)[0]) if left and state.table.classes else None
    return found


def _drawn(now: Snapshot, called: UnitName) -> Any:
    """How large the classes are. Whoever hears the chart is told, too, that it is of the file as it came."""
    sizes = _sizes(now)
    each = ", ".join(f"{number:,} of {size} {called.many}" for size, number in sizes)
    return released_sizes(sizes, called).properties(description=f"Classes of the file as it came by size: {each}.")


def _sizes(now: Snapshot) -> list[tuple[str, int]]:
    """The classes by size, in bands that fit below a chart."""
    each = {**now.sizes, **now.larger}  # the size of a class, or where a band of sizes begins
    found = []
    for least, after in pairwise((1, 2, 3, 4, 5, 6, 10, 20, 50, 100, 1000, inf)):
        number = sum(classes for size, classes in each.items() if least <= size < after)
        name = (
            f"{least:,} up" if after == inf else f"{least:,}" if after == least + 1 else f"{least:,} to {after - 1:,}"
        )
        found.append((name, number))
    return found
