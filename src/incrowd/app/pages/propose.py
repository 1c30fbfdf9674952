"""Propose: say what must be reached and spared, let plans be looked for, compare two, adopt one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import Response

from incrowd.app import limits
from incrowd.app.fields import chosen
from incrowd.app.looking import kept_back
from incrowd.app.results import last_done
from incrowd.app.sessions import Session
from incrowd.app.site import FormFields, Site
from incrowd.errors import IncrowdError, InputError, PlanError
from incrowd.intruder_test.web.forms import Form, first, whole
from incrowd.plan import Plan
from incrowd.plan.files import stamps
from incrowd.plan.propose import Propose
from incrowd.plan.tiers import TierName
from incrowd.proposals.goal import Goal, read_goal_plan
from incrowd.proposals.ladder import Rung
from incrowd.proposals.levels import key_levels
from incrowd.proposals.prices import LEAST
from incrowd.proposals.side_by_side import plan_lines, side_by_side
from incrowd.proposals.value import Proposal, Proposals
from incrowd.proposals.write import plan_text, points
from incrowd.report.charts.proposals import frontier_chart, price_chart
from incrowd.report.words import TIERS as TIER_WORDS
from incrowd.tasks.propose import MOST, TIERS, USUAL

Levels = Mapping[str, tuple[Rung, ...]]
#: A day: nobody waits longer in front of a page.
LONGEST = 86_400


@dataclass(frozen=True)
class Wish:
    """What is asked of a search, beside what the plan says."""

    tier: TierName
    file: str = ""  # of a plan that makes several files, the one that is meant
    most: int = USUAL
    seconds: int | None = None

    def plan(self, path: Path) -> Path:
        """The plan as the search is told it."""
        return Path(f"{path}@{self.file}") if self.file else path


def add(app: FastAPI, site: Site) -> None:
    """The addresses of this page."""

    @app.get("/propose")
    def show(request: Request, left: str = "", right: str = "") -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"wish": None, "found": None}
        with session.lock, site.telling(session):
            if session.project is not None:
                values = {**_asked(session), **_found(session, left, right)}
        return site.show(request, "propose", **values)

    @app.get("/propose/limits")
    def part(request: Request) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"limits": None, "general": None}
        with session.lock, site.telling(session):
            plan, _ = read_goal_plan(_wish(session).plan(session.need_project().document.path), _wish(session).tier)
            values = _limits(session, plan, look=True)
        return site.show(request, "propose_limits", **values)

    @app.post("/propose/goal")
    def goal(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "propose", _set_goal)

    @app.post("/propose/limits")
    def general(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "propose", _set_general)

    @app.post("/propose/variable")
    def variable(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "propose", _set_variable)

    @app.post("/propose/adopt")
    def adopt(request: Request, form: FormFields) -> Response:
        return site.act(request, form, "propose", _adopt)

    @app.get("/propose/plans/{name}")
    def plan(name: str, request: Request) -> Response:
        session = site.session(request)
        with session.lock:
            one = _named(_result(session), name.removesuffix(".yaml"))
        headers = {"Content-Disposition": f'attachment; filename="{one.name}.yaml"'}
        return Response(plan_text(one, one.plan), media_type="application/yaml", headers=headers)


def _wish(session: Session) -> Wish:
    """What was asked for last; at first what the plan says."""
    found = session.kept.get("propose")
    if isinstance(found, Wish):
        return found
    plan = session.need_project().document.checked.plan
    if plan is None:
        return Wish("open")
    return Wish(plan.tiers[0].tier, file=plan.tiers[0].tier) if plan.tiers else Wish(plan.tier)


def _set_goal(session: Session, form: Form) -> str | None:
    """Remember what is asked for, and begin to look when that is asked too."""
    path, plan = session.need_project().document.path, session.need_project().document.checked.plan
    word = chosen(form, "tier", TIERS)
    tier = next(one for one in TIERS if one == word)
    files = [] if plan is None else [one.tier for one in plan.tiers]
    file = chosen(form, "file", files) if files else ""
    most, text = whole(first(form, "most"), 1, MOST), first(form, "seconds")
    seconds = whole(text, 1, LONGEST)
    if most is None or (text and seconds is None):
        message = f"proposals and seconds are whole numbers: from 1 to {MOST}, and from 1 to {LONGEST:,}."
        raise InputError("D430", message, "Leave the seconds empty to look until enough is found.")
    wish = Wish(tier, file, most, seconds)
    session.kept["propose"] = wish
    if first(form, "do") == "start":
        last_done(session, "propose", "propose")
        title = f"Looking for plans for tier {tier}"
        settings = {"tier": tier, "most": most, "seconds": None if seconds is None else float(seconds)}
        session.begin("propose", title, "propose", wish.plan(path), **settings)
    return None


def _set_general(session: Session, form: Form) -> str | None:
    document = session.need_project().document
    document.change(lambda tree: limits.set_general(tree, form), "what a search may do")
    return None


def _set_variable(session: Session, form: Form) -> str | None:
    document = session.need_project().document
    name = chosen(form, "name", list(document.tree.get("variables") or {}))
    document.change(lambda tree: limits.set_variable(tree, name, form), f"what a search may do to {name}")
    return None


def _adopt(session: Session, form: Form) -> str | None:
    """A proposal becomes the plan. It names its files as the plan does that it was found for, from the same folder."""
    one, document = _named(_result(session), first(form, "name")), session.need_project().document
    document.refresh()
    document.write(plan_text(one, one.plan), f"adopted proposal {one.name}")
    session.say(f"The plan is now the proposal {one.name}. Undo, under The plan, brings the earlier one back.")
    return None


def _asked(session: Session) -> dict[str, Any]:
    """The goal, what it takes to reach it, and what may be done."""
    wish, document = _wish(session), session.need_project().document
    given: dict[str, Any] = {
        "wish": wish, "tiers": {tier: TIER_WORDS[tier] for tier in TIERS}, "most": MOST, "usual": USUAL,
        "files": [one.tier for one in document.checked.plan.tiers] if document.checked.plan else [],
        "words": (), "added": (), "hindered": (), "limits": None, "general": None, "loading": False,
    }  # fmt: skip
    try:
        plan, given["added"] = read_goal_plan(wish.plan(document.path), wish.tier)
    except PlanError as error:
        return {**given, "hindered": [str(fault) for fault in error.faults]}
    except IncrowdError as error:
        return {**given, "hindered": [str(error)]}
    return {**given, "words": Goal.of(wish.tier, plan).words(), "cases": len(plan.use_cases), **_limits(session, plan)}


def _limits(session: Session, plan: Plan, *, look: bool = False) -> dict[str, Any]:
    """What may be done to each variable. The names of levels need the data: `look` at them, or let that come later."""
    needs = plan.model_dump_json(include={"data", "variables", "steps", "requirements", "use_cases"})
    needs += (plan.propose or Propose()).model_dump_json(include={"hierarchies"})
    project = session.need_project()
    needs += str(stamps(project.plan, project.home))
    known = session.kept.get("propose levels")
    levels: Levels | None = known[1] if isinstance(known, tuple) and known[0] == needs else None
    if levels is None and not look:
        return {"loading": True}
    if levels is None:
        try:
            levels = key_levels(session.live(), plan)
        except IncrowdError as error:  # the names of levels are a help, and no condition
            session.say(str(error), "plain")
            levels = {}
        session.kept["propose levels"] = (needs, levels)
    hidden = kept_back(session)
    levels = {name: each for name, each in levels.items() if name not in hidden}  # a level is called by its values
    return {"limits": limits.limits_of(plan, levels), "general": plan.propose or Propose(), "loading": False}


def _found(session: Session, left: str, right: str) -> dict[str, Any]:
    """What was found, and two of it side by side."""
    job = last_done(session, "propose", "propose")
    if job is None:
        return {"found": None}
    found: Proposals = job.result
    names = [one.name for one in found]
    one = left if left in names else found.recommended.name if found.recommended else ""
    other = right if right in names and right != one else next((name for name in names if name != one), "")
    document = session.need_project().document
    adopted = next((each.name for each in found if plan_text(each, each.plan) == document.text), "")
    given: dict[str, Any] = {
        "found": found, "done": job, "left": None, "right": None, "adopted": adopted, "least": LEAST, "limit": None,
        "bars": None, "chart": None, "treated": (), "differences": (), "changes": {},
    }  # fmt: skip
    if not names:
        return given
    drawn = [(price.promise, price.back) for price in found.prices if price.back >= LEAST]
    given |= {
        "left": _named(found, one), "chart": frontier_chart(_linked(found, one, other)),
        "bars": price_chart(drawn) if drawn else None, "limit": Goal.of(found.tier, _named(found, one).plan).attack,
    }  # fmt: skip
    now = document.checked.plan
    shown = [_named(found, name) for name in (one, other) if name]
    given["changes"] = {} if now is None else {each.name: plan_lines(now, each.plan) for each in shown}
    if other:
        first_, second = shown
        given |= {
            "right": second, "treated": side_by_side(first_, second),
            "differences": plan_lines(first_.plan, second.plan),
        }  # fmt: skip
    return given


def _linked(found: Proposals, one: str, other: str) -> list[Any]:
    """The points of the chart: a click puts a proposal beside the one on the left."""
    pairs = {name: (one, name) if name != one else (one, other) for name in (each.name for each in found)}
    address = {name: "/propose?" + urlencode({"left": a, "right": b}) for name, (a, b) in pairs.items()}
    return [replace(point, href=address[point.name]) for point in points(found)]


def _result(session: Session) -> Proposals:
    job = last_done(session, "propose", "propose")
    if job is None:
        raise _unknown()
    found: Proposals = job.result
    return found


def _named(found: Proposals, name: str) -> Proposal:
    one = next((each for each in found if each.name == name), None)
    if one is None:
        raise _unknown()
    return one


def _unknown() -> InputError:
    return InputError("D433", "there is no such proposal.", "Look for plans first, and choose one of the list.")
