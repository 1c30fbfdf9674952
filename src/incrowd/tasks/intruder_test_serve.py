"""Serve the web pages of a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from incrowd.machine import stopping
from incrowd.report.tested import intruder_report
from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.serving import OFFICE_PORT, PORT, server


def intruder_test_serve(
    test: str,
    *,
    office: bool = False,
    host: str | None = None,
    port: int | None = None,
    tls_cert: str | Path | None = None,
    tls_key: str | Path | None = None,
    behind_proxy: Sequence[str] = (),
    names: Sequence[str] = (),
    address: str | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Serve the web pages of a test until it is stopped (Ctrl-C): to this machine only, unless there is a certificate.

    With `office` they are the pages of custodians, judges and observers, where new links lead to `address`. `host` is
    the address to listen on, `names` are names of this machine that people use, `behind_proxy` addresses of proxies
    that end TLS; `say` hears the address.

    >>> ic.intruder_test_serve("test.sqlite", port=8766)  # doctest: +SKIP
    """
    host = "127.0.0.1" if host is None else host
    port = (OFFICE_PORT if office else PORT) if port is None else port
    cert, key = (None if file is None else Path(file) for file in (tls_cert, tls_key))
    running = server(
        test, host, port, cert, key, names, behind=behind_proxy, office=office, report=intruder_report,
        intruders=address,
    )  # fmt: skip
    what = "the office" if office else "the pages of the intruders"
    said = f"Serving {what} on {'https' if cert else 'http'}://{host}:{port}"
    if behind_proxy:
        said += f", only to the proxy at {', '.join(behind_proxy)}, as {', '.join(names)}"
    say(f"{said}. End it with Ctrl-C.")

    def end() -> None:
        running.should_exit = True

    with stopping.ends_by_itself(end):
        running.run()
