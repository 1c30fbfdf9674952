"""Serve the web pages of a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from incrowd.machine import stopping
from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.serving import server


def intruder_test_serve(
    test: str,
    *,
    host: str | None = None,
    port: int = 8765,
    tls_cert: str | Path | None = None,
    tls_key: str | Path | None = None,
    names: Sequence[str] = (),
    say: Callable[[str], None] = print,
) -> None:
    """Serve the web pages of a test until it is stopped (Ctrl-C): to this machine only, unless there is a certificate.

    `host` is the address to listen on, `names` are names of this machine that intruders use; `say` hears the address.

    >>> ic.intruder_test_serve("test.sqlite", port=8766)  # doctest: +SKIP
    """
    host = "127.0.0.1" if host is None else host
    cert, key = (None if file is None else Path(file) for file in (tls_cert, tls_key))
    running = server(test, host, port, cert, key, names)
    say(f"Serving on {'https' if cert else 'http'}://{host}:{port}. End it with Ctrl-C.")

    def end() -> None:
        running.should_exit = True

    with stopping.ends_by_itself(end):
        running.run()
