"""Serve a test: on this machine only, unless the connection is encrypted."""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.custodian import need_alive, opened
from incrowd.intruder_test.desk import Desk
from incrowd.intruder_test.erasing import erase
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.web.app import create_app
from incrowd.intruder_test.web.guard import Guard


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def server(
    place: str,
    host: str = "127.0.0.1",
    port: int = 8765,
    cert: Path | None = None,
    key: Path | None = None,
    names: Sequence[str] = (),
    clock: Callable[[], float] = time.time,
) -> uvicorn.Server:
    """A server that is ready to run; refuses to show a test to a network that can listen."""
    tls = cert is not None and key is not None
    if (cert is None) != (key is None):
        raise InputError("D221", "TLS needs both: --tls-cert and --tls-key.")
    if not tls and not is_loopback(host):
        message = f"{host} can be reached from other machines, and the connection would not be encrypted."
        raise IncrowdError("X025", message, "Leave out --host, or give --tls-cert and --tls-key.")
    for file in (cert, key):
        if file is not None and not file.is_file():
            raise InputError("D221", f"there is no file {file}.")
    with opened(place, clock) as store:
        need_alive(store)
    hosts = {"127.0.0.1", "localhost", "::1", *names}
    if not is_loopback(host):
        hosts.add(host)
    desk = Store(place, desk=True, clock=clock)
    app = Guard(create_app(Desk(desk), tls=tls, expire=lambda: _expire(place, clock)), hosts, tls)
    config = uvicorn.Config(
        app, host=host, port=port, ssl_certfile=cert, ssl_keyfile=key, log_level="warning", access_log=False,
        server_header=False, proxy_headers=False, timeout_keep_alive=5, lifespan="off", limit_concurrency=200,
    )  # fmt: skip
    return uvicorn.Server(config)


def _expire(place: str, clock: Callable[[], float]) -> None:
    try:
        store = Store(place, clock=clock)
        try:
            erase(store)
        finally:
            store.close()
    except IncrowdError as error:
        logging.getLogger("uvicorn.error").error("%s", error)  # of the custodian's own files, and of nobody's claims
        raise
