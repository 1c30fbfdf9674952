"""Who is on the other end of a connection on this machine? Another user of it is not let in.

The workbench opens files with the rights of whoever started it, and a loopback address is open to everybody who is
logged in. On Linux the system says whose a connection is; elsewhere nobody can say, and a token is the way.
"""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))


def is_stranger(host: str, port: int, server_port: int) -> bool:
    """Whether the connection from this address of this machine belongs to another user. Root may, as it always may."""
    owner = _owner(host, port, server_port)
    return owner is not None and owner not in (0, os.getuid())


def _owner(host: str, port: int, server_port: int) -> int | None:
    """The number of the user whose connection it is; None where that cannot be said."""
    try:
        if not ipaddress.ip_address(host).is_loopback:
            return None
    except ValueError:
        return None
    for table in TABLES:
        try:
            lines = table.read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            local, remote = (int(end.rpartition(":")[2], 16) for end in fields[1:3])
            if (local, remote) == (port, server_port):
                return int(fields[7])
    return None
