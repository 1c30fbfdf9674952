"""The server of the workbench, ready to run: who may reach it, and how it ends."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from incrowd.app.site import POLICY, Site, create_app
from incrowd.errors import IncrowdError
from incrowd.intruder_test.serving import is_loopback
from incrowd.intruder_test.web.guard import Guard

__all__ = ["LOOPBACK", "Server", "is_loopback", "make_server"]

LOOPBACK = "127.0.0.1"
#: Where files come in as they are.
UPLOADS = ("/data/upload", "/postcodes/upload", "/postcodes/shapes", "/postcodes/pairs")
#: The shortest token that somebody may choose.
SHORTEST = 20


class Server(uvicorn.Server):
    """The server; `address` is what to open, `ready` is set once it answers."""

    def __init__(self, config: uvicorn.Config, site: Site, address: str) -> None:
        super().__init__(config)
        self.site, self.address, self.ready = site, address, threading.Event()

    async def startup(self, sockets: object = None) -> None:
        """Say when it answers."""
        await super().startup(sockets)  # type: ignore[arg-type]
        self.ready.set()

    def stop(self) -> None:
        """End by itself, soon."""
        self.should_exit = True

    def close(self) -> None:
        """All work is cancelled, all sessions and their folders go."""
        self.ready.set()
        self.site.sessions.close()


def make_server(
    host: str, port: int, token: str | None, names: Sequence[str], upload: int, folder: Path | None
) -> Server:
    """A server that is ready to run. Where others can reach it a token is required, and one is made.

    Whoever gives it a name has others in mind: they come through a proxy or a tunnel, also to a loopback address.
    """
    local = is_loopback(host) and not names
    if token is not None and len(token) < SHORTEST:
        raise IncrowdError("X039", f"a token has at least {SHORTEST} characters.", "Leave it out: one is made.")
    if not local and token is None:
        token = secrets.token_urlsafe(24)
    site = Site(token=token or "", paths=local, home=folder, upload=upload)
    hosts = {LOOPBACK, "localhost", "::1", *names, host}
    guarded = Guard(create_app(site), hosts, False, POLICY, dict.fromkeys(UPLOADS, upload))
    config = uvicorn.Config(
        guarded, host=host, port=port, log_level="warning", access_log=False, server_header=False, proxy_headers=False,
        timeout_keep_alive=5, timeout_graceful_shutdown=3, lifespan="off", limit_concurrency=200,
    )  # fmt: skip
    shown = next(iter(names), LOOPBACK if host in ("0.0.0.0", "::") else host)
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/" + (f"?token={token}" if token else "")
    return Server(config, site, address)
