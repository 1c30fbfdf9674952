"""Serve a test: on this machine only, unless the connection is encrypted, here or by a proxy in front."""

from __future__ import annotations

import ipaddress
import logging
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.custodian import need_alive, opened
from incrowd.intruder_test.desk import Desk
from incrowd.intruder_test.erasing import BY_DATE, erase
from incrowd.intruder_test.office import Office
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.value import Scores
from incrowd.intruder_test.web.app import create_app
from incrowd.intruder_test.web.guard import Guard
from incrowd.intruder_test.web.office.app import create_office
from incrowd.intruder_test.web.proxy import trusted

#: The ports of the intruders' pages and of the office.
PORT, OFFICE_PORT = 8765, 8766


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
    port: int = PORT,
    cert: Path | None = None,
    key: Path | None = None,
    names: Sequence[str] = (),
    clock: Callable[[], float] = time.time,
    *,
    behind: Sequence[str] = (),
    office: bool = False,
    report: Callable[[Scores], str] | None = None,
    intruders: str | None = None,
) -> uvicorn.Server:
    """A server that is ready to run; refuses to show a test to a network that can listen.

    `behind` are the addresses of proxies that end TLS: nobody else is answered. With `office` it serves the pages of
    those who run the test, where `report` draws the report and `intruders` is the address for intruders' links.
    """
    tls = _encrypted(host, cert, key, names, behind)
    proxies = trusted(behind)
    with opened(place, clock) as store:
        need_alive(store)
    hosts = set(names) if proxies else {"127.0.0.1", "localhost", "::1", *names}
    if not proxies and not is_loopback(host):
        hosts.add(host)

    def expire() -> None:
        _expire(place, clock)

    app: FastAPI
    if office:
        whole = Office(Store(place, clock=clock))
        app = create_office(whole, tls=tls, expire=expire, report=report, intruders=intruders)
    else:
        app = create_app(Desk(Store(place, desk=True, clock=clock)), tls=tls, expire=expire)
    config = uvicorn.Config(
        Guard(app, hosts, tls, proxies=proxies), host=host, port=port, ssl_certfile=cert, ssl_keyfile=key,
        log_level="warning", access_log=False, server_header=False, proxy_headers=False, timeout_keep_alive=5,
        lifespan="off", limit_concurrency=200,
    )  # fmt: skip
    return uvicorn.Server(config)


def _encrypted(host: str, cert: Path | None, key: Path | None, names: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether people's connections are encrypted; refuses what would send a test over a network in the open."""
    if (cert is None) != (key is None):
        raise InputError("D221", "TLS needs both: --tls-cert and --tls-key.")
    if behind and cert is not None:
        message = "either a proxy ends TLS or this server does."
        raise IncrowdError("X041", message, "Leave out --behind-proxy, or --tls-cert and --tls-key.")
    if behind and not names:
        message = "behind a proxy, this server answers only to the name that people use."
        raise IncrowdError("X041", message, "Give it: --name intruders.example.org.")
    if cert is None and not behind and not is_loopback(host):
        message = f"{host} can be reached from other machines, and the connection would not be encrypted."
        raise IncrowdError("X025", message, "Leave out --host, or give --tls-cert and --tls-key.")
    for file in (cert, key):
        if file is not None and not file.is_file():
            raise InputError("D221", f"there is no file {file}.")
    return cert is not None or bool(behind)


def _expire(place: str, clock: Callable[[], float]) -> None:
    try:
        store = Store(place, clock=clock)
        try:
            erase(store, BY_DATE)
        finally:
            store.close()
    except IncrowdError as error:
        logging.getLogger("uvicorn.error").error("%s", error)  # of the custodian's own files, and of nobody's claims
        raise
