"""Behind a proxy that ends TLS: who is really asking, and whether they came by https.

Only the proxy may ask, and only what it adds to a request counts. The headers grow from left to right, so whatever a
client wrote there itself stands to the left of what the proxy saw.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import Scope

from incrowd.errors import IncrowdError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.%]+)\](?::[0-9]+)?|([0-9.]+):[0-9]+")


def trusted(addresses: Sequence[str]) -> frozenset[Address]:
    """The addresses of proxies, checked."""
    found = set()
    for text in addresses:
        address = parse(text)
        if address is None or address.is_unspecified or address.is_multicast:
            message = f"{text!r} is not the address of a proxy."
            raise IncrowdError("X042", message, "Give the address that it connects from, such as 127.0.0.1.")
        found.add(address)
    return frozenset(found)


def parse(text: str) -> Address | None:
    """An address, with or without a port, or None. IPv4 inside IPv6 is IPv4."""
    inner = _WITH_PORT.fullmatch(text.strip())
    try:
        found = ipaddress.ip_address((inner[1] or inner[2]) if inner else text.strip())
    except ValueError:
        return None
    mapped = getattr(found, "ipv4_mapped", None)
    return found if mapped is None else mapped


def behind(scope: Scope, proxies: frozenset[Address]) -> Scope | PlainTextResponse:
    """The request as the proxy got it, or why it is refused."""
    peer = parse(str((scope.get("client") or ("", 0))[0]))
    if peer is None or peer not in proxies:
        return PlainTextResponse("Only through the proxy.", 403)
    headers = Headers(scope=scope)
    ways = [each.strip().lower() for line in headers.getlist("x-forwarded-proto") for each in line.split(",")]
    if not ways or ways[-1] != "https":
        return PlainTextResponse("Only by https.", 403)
    path = [parse(each) for line in headers.getlist("x-forwarded-for") for each in line.split(",")]
    # From the right: each trusted address is a proxy, and the first other one is who asked the outermost of them. Where
    # all are trusted, somebody sits at the proxy's own machine.
    client = next((each for each in reversed(path) if each is None or each not in proxies), path[0] if path else None)
    if client is None:
        return PlainTextResponse("The proxy does not say who is asking.", 400)
    return {**scope, "client": (str(client), 0), "scheme": "https"}
