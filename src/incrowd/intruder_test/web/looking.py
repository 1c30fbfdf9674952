"""The pages to look around: the records, the target cards."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.responses import Response

from incrowd.intruder_test.browse import LONGEST, RecordSearch, parse_search
from incrowd.intruder_test.store import Facts
from incrowd.intruder_test.web.forms import clean

if TYPE_CHECKING:
    from incrowd.intruder_test.web.app import SiteOf


def add_looking(app: FastAPI, site: SiteOf) -> None:
    """Add the routes."""
    desk = site.desk

    @app.get("/records")
    def records(request: Request) -> Response:
        visit = site.working(request)
        assert visit.intruder is not None
        query = {name: clean(value) for name, value in request.query_params.items()}
        wanted = parse_search(query, desk.facts)
        found = desk.search(visit.intruder, wanted)
        given = {name: value for name, value in query.items() if value and name != "page"}
        desk.note(visit.intruder, visit.address, "search", _told(wanted, desk.facts, found.page))
        return site.page(
            "records.html", visit, found=found, query=query, wanted=wanted, longest=LONGEST,
            filters=filter_words(wanted, desk.facts), page_link=lambda n: "/records?" + urlencode({**given, "page": n}),
        )  # fmt: skip

    @app.get("/targets")
    def targets(request: Request) -> Response:
        visit = site.working(request)
        assert visit.intruder is not None
        desk.note(visit.intruder, visit.address, "target cards")
        claimed = {claim.target for claim in desk.claims(visit.intruder) if not claim.withdrawn}
        cards = [
            (number, shown, number in claimed, "/records?" + urlencode(_preset(dict(shown), desk.facts)))
            for number, shown in desk.cards(visit.intruder).items()
        ]
        return site.page("targets.html", visit, cards=cards)


def _preset(shown: dict[str, str | None], facts: Facts) -> dict[str, str]:
    """The filters that a card sets by itself: where the release has the very value that is known."""
    preset = {}
    for i, column in enumerate(facts.columns):
        value = shown.get(column.name)
        if column.kind == "choice" and value is not None and value in dict(column.values):
            preset[f"f{i}"] = f"={value}"
    return preset


def filter_words(wanted: RecordSearch, facts: Facts) -> list[str]:
    """The filters that are set, in words."""
    how = {"is": "is", "has": "contains", "from": "is at least", "to": "is at most"}
    told = []
    for at, kind, text in wanted.filters:
        column = facts.columns[at]
        value = column.said(text) if kind == "is" else text
        told.append(f"{column.name} is empty" if kind == "missing" else f"{column.name} {how[kind]} {value}")
    return told


def _told(wanted: RecordSearch, facts: Facts, page: int) -> str:
    words = "; ".join(filter_words(wanted, facts)) or "no filter"
    order = "" if wanted.sort is None else f"; by {facts.columns[wanted.sort].name}"
    return f"page {page}{order}; {words}"
