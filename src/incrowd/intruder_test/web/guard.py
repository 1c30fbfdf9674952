"""What every request must pass, and what every answer carries."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY, QUERY = 64 * 1024, 4 * 1024  # bytes
_HOST = re.compile(r"(?:\[([0-9A-Fa-f:]+)\]|([A-Za-z0-9.-]+))(?::[0-9]+)?")
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Robots-Tag": "noindex, nofollow",
}


class Guard:
    """Around the whole application: size, host and origin of a request; headers of an answer; quiet failures."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], tls: bool) -> None:
        self.app, self.hosts = app, {host.lower() for host in hosts}
        self.headers = {**HEADERS, "Strict-Transport-Security": "max-age=31536000"} if tls else HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        begun = False

        async def answer(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, answer)
            return
        try:
            await self.app(scope, receive, answer)
        except Exception as error:
            _tell(error)
            if not begun:
                await PlainTextResponse("Something went wrong here.", 500)(scope, receive, answer)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if _name(host) not in self.hosts:
            return PlainTextResponse("Unknown host.", 400)
        if len(scope["query_string"]) > QUERY:
            return PlainTextResponse("The address is too long.", 414)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Not allowed.", 405)
        length = headers.get("content-length", "0")
        if "transfer-encoding" in headers or not length.isdecimal():
            return PlainTextResponse("The length must be told.", 411)
        if int(length) > BODY:
            return PlainTextResponse("Too much text.", 413)
        if scope["method"] == "POST":
            # A browser that keeps its referrer to itself says null; the form's token decides then.
            origin, site = headers.get("origin", "null"), headers.get("sec-fetch-site", "same-origin")
            if (origin != "null" and urlsplit(origin).netloc != host) or site not in ("same-origin", "none"):
                return PlainTextResponse("This form came from another site.", 403)
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/x-www-form-urlencoded":
                return PlainTextResponse("Only forms can be sent.", 415)
        return None


def _name(host: str) -> str:
    """A host without its port."""
    found = _HOST.fullmatch(host)
    return (found[1] or found[2]).lower() if found else ""


def _tell(error: Exception) -> None:
    """On the server's console: where it happened, never what anybody wrote."""
    places = [
        f"{f.name} ({f.filename.rsplit('/', 2)[-1]}:{f.lineno})" for f in traceback.extract_tb(error.__traceback__)
    ]
    print(f"an unexpected {type(error).__name__} in {' < '.join(reversed(places[-4:]))}", file=sys.stderr, flush=True)
