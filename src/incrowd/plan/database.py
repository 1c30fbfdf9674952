"""How a plan may name a table in a database: without anything that opens it."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

FORM = "postgresql://host/database?table=schema.table"


def database_fault(source: str) -> str | None:
    """What is wrong with the address of a table, or None. Never repeats the address: it may hold a password.

    >>> database_fault("postgresql://db.example.org/health?table=visits")
    >>> database_fault("postgresql://me:secret@db.example.org/health?table=visits")
    'user and password do not belong into a plan: set PGUSER, and PGPASSWORD or .pgpass'
    """
    try:
        parts = urlsplit(source)
        query = parse_qs(parts.query, strict_parsing=True, keep_blank_values=True) if parts.query else {}
        named = parts.username is not None or parts.password is not None
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        return f"this address cannot be read; write it as {FORM}"
    if parts.scheme != "postgresql":
        return f"the only database is PostgreSQL: {FORM}"
    if named or {"user", "password", "passfile", "sslpassword"} & set(query):
        return "user and password do not belong into a plan: set PGUSER, and PGPASSWORD or .pgpass"
    if set(query) != {"table"} or len(query["table"]) != 1 or parts.fragment or not port_is_fine:
        return f"write it as {FORM}; everything else comes from the environment (PGSSLMODE, PGPORT, ...)"
    if not re.fullmatch(r"/[^/]+", parts.path) or not re.fullmatch(r"[^.]+(\.[^.]+)?", query["table"][0]):
        return f"write it as {FORM}: one database, and a table with or without its schema"
    return None
