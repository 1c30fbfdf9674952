"""The pages to look around: the records, the target cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from incrowd.intruder_test.browse import LONGEST, RecordSearch, parse_search
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.likeness import Look
from incrowd.intruder_test.telling import errors_in_words, role
from incrowd.intruder_test.web.forms import clean

if TYPE_CHECKING:
    from incrowd.intruder_test.web.app import SiteOf

#: So many of the coarser labels are named.
MOST_LABELS = 12
NO_CARD = "There is no such target card of yours."


def add_looking(app: FastAPI, site: SiteOf) -> None:
    """Add the routes."""
    desk = site.desk

    @app.get("/records")
    def records(request: Request) -> Response:
        visit = site.working(request)
        assert visit.intruder is not None
        query = {name: clean(value) for name, value in request.query_params.items()}
        wanted = parse_search(query, desk.facts)
        looks = () if wanted.like is None else desk.looks(visit.intruder, wanted.like)
        if looks is None:
            raise HTTPException(404, NO_CARD)
        card = None if wanted.like is None else desk.cards(visit.intruder)[wanted.like]
        found = desk.search(visit.intruder, wanted, looks)
        given = {name: value for name, value in query.items() if value and name != "page"}
        desk.note(visit.intruder, visit.address, "search", _told(wanted, desk.facts, found.page))
        return site.page(
            "records.html", visit, found=found, query=query, wanted=wanted, longest=LONGEST, card=card,
            could=looks_in_words(looks, desk.facts),
            filters=filter_words(wanted, desk.facts), page_link=lambda n: "/records?" + urlencode({**given, "page": n}),
        )  # fmt: skip

    @app.get("/targets")
    def targets(request: Request) -> Response:
        visit = site.working(request)
        assert visit.intruder is not None
        team, facts = visit.intruder.team, desk.facts
        desk.note(visit.intruder, visit.address, "target cards")
        claimed = {claim.target for claim in desk.claims(visit.intruder) if not claim.withdrawn}
        cards = [(number, shown, number in claimed) for number, shown in desk.cards(visit.intruder).items()]
        by_area = visit.intruder.area is not None
        error = {name: often for name, often in team.error.items() if not (by_area and name == facts.by_area)}
        titles = {name: facts.meaning(name) or name for name in error}
        return site.page(
            "targets.html", visit, cards=cards, role=role(team.scenario),
            errors=errors_in_words(error, titles, facts.called.many), area=_area(visit.intruder.area, facts),
        )  # fmt: skip


def _area(area: str | None, facts: Facts) -> str:
    """An intruder's area in words, where there is one."""
    at = facts.column(facts.by_area)
    if area is None:
        return ""
    return facts.columns[at].said(area) if at is not None and area in facts.columns[at].words else area


def looks_in_words(looks: Sequence[Look], facts: Facts) -> list[tuple[str, str, str]]:
    """What a card's person could look like: for each key its name, the labels that say just this, and the others."""
    told = []
    for look in looks:
        at = facts.column(look.key)
        said = [label or "(empty)" if at is None else facts.columns[at].said(label) for label in look.labels]
        exact, others = said[: look.exact], said[look.exact :]
        more = f" and {len(others) - MOST_LABELS} more" if len(others) > MOST_LABELS else ""
        told.append((facts.meaning(look.key) or look.key, " or ".join(exact), ", ".join(others[:MOST_LABELS]) + more))
    return told


def filter_words(wanted: RecordSearch, facts: Facts) -> list[str]:
    """The filters that are set, in words."""
    how = {"is": "is", "has": "contains", "from": "is at least", "to": "is at most"}
    told = []
    for at, kind, text in wanted.filters:
        column = facts.columns[at]
        value = column.said(text) if kind == "is" else text
        told.append(f"{column.name} is empty" if kind == "missing" else f"{column.name} {how[kind]} {value}")
    return [f"{one}, or could be" for one in told] if wanted.wide else told


def _told(wanted: RecordSearch, facts: Facts, page: int) -> str:
    words = "; ".join(filter_words(wanted, facts)) or "no filter"
    words = words if wanted.like is None else f"could be target {wanted.like}; {words}"
    order = "" if wanted.sort is None else f"; by {facts.columns[wanted.sort].name}"
    return f"page {page}{order}; {words}"
