"""On the day of deletion nothing is shown any more, on any page, and the first visitor has the test erased."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from sqlalchemy.exc import SQLAlchemyError

from incrowd.errors import IncrowdError
from incrowd.intruder_test.facts import Facts


class Kept(Protocol):
    """What is asked of a test here."""

    @property
    def facts(self) -> Facts:
        """What the test is."""

    @property
    def now(self) -> int:
        """Seconds since 1970."""

    @property
    def erased(self) -> bool:
        """Whether there is nothing left to see."""


def add_expiring(app: FastAPI, test: Kept, expire: Callable[[], None] | None) -> None:
    """Close all pages once the test is erased or should be. `expire` erases it, and is called until it succeeds."""
    waiting = [] if expire is None else [expire]

    @app.middleware("http")
    async def _deleted(request: Request, go: Any) -> Response:
        if test.now >= test.facts.delete_on:
            if waiting:
                try:
                    waiting[0]()
                except (IncrowdError, OSError, SQLAlchemyError):
                    # Nothing is shown any more; the next visitor tries again.
                    return HTMLResponse("This test is over. It is not deleted yet.", 503)
                waiting.clear()
            return HTMLResponse("This test is over and was deleted.", 410)
        try:
            gone = test.erased  # by somebody else: nothing may be written to it again
        except IncrowdError as error:
            return HTMLResponse(f"{error.code}: it did not work just now. Please send it again.", 503)
        if gone:
            return HTMLResponse("This test is over and was deleted.", 410)
        answer: Response = await go(request)
        return answer
