"""What every request must pass, and what every answer carries."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from incrowd.errors import places
from incrowd.intruder_test.web.proxy import Address, behind

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
    """Around the whole application: size, host and origin of a request; headers of an answer; quiet failures.

    `policy` is what its pages may load, where they need more than a style; `uploads` are addresses that take a file as
    it is, each with the bytes that it may have. With `proxies`, only they may ask, and they say for whom.
    """

    def __init__(
        self,
        app: ASGIApp,
        hosts: Collection[str],
        tls: bool,
        policy: str = "",
        uploads: Mapping[str, int] | None = None,
        proxies: frozenset[Address] = frozenset(),
    ) -> None:
        self.proxies = proxies
        self.app, self.hosts, self.uploads = app, {host.lower() for host in hosts}, uploads or {}
        self.headers = {**HEADERS, "Strict-Transport-Security": "max-age=31536000"} if tls else {**HEADERS}
        if policy:
            self.headers["Content-Security-Policy"] = policy

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
                headers = MutableHeaders(scope=message)
                own = headers.get("content-security-policy")  # a page that may do less, or is shut in, says so itself
                headers.update(self.headers)
                if own is not None:
                    headers["Content-Security-Policy"] = own
            await send(message)

        refusal: PlainTextResponse | None = None
        if self.proxies:
            seen = behind(scope, self.proxies)
            scope, refusal = (scope, seen) if isinstance(seen, PlainTextResponse) else (seen, None)
        refusal = refusal or self._refusal(scope)
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
        if int(length) > self.uploads.get(scope["path"], BODY):
            return PlainTextResponse("Too much at once.", 413)
        if scope["method"] == "POST":
            # A browser that keeps its referrer to itself says null; the form's token decides then.
            origin, site = headers.get("origin", "null"), headers.get("sec-fetch-site", "same-origin")
            if (origin != "null" and urlsplit(origin).netloc != host) or site not in ("same-origin", "none"):
                return PlainTextResponse("This form came from another site.", 403)
            kind = headers.get("content-type", "").partition(";")[0].strip().lower()
            wanted = (
                "application/octet-stream" if scope["path"] in self.uploads else "application/x-www-form-urlencoded"
            )
            if kind != wanted:
                return PlainTextResponse("Only forms can be sent.", 415)
        return None


def _name(host: str) -> str:
    """A host without its port."""
    found = _HOST.fullmatch(host)
    return (found[1] or found[2]).lower() if found else ""


def _tell(error: Exception) -> None:
    """On the server's console: where it happened, never what anybody wrote."""
    where = " < ".join(reversed(places(error, 4)))
    print(f"an unexpected {type(error).__name__} in {where}", file=sys.stderr, flush=True)
