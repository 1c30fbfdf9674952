"""Links and sessions: 256 random bits each, of which only a hash is stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets

BYTES = 32


def new_token() -> str:
    """A new one."""
    return secrets.token_urlsafe(BYTES)


def hashed(token: str) -> str:
    """What is stored of it. No salt is needed: nobody can try 2^256 tokens."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_mark(cookie: str) -> str:
    """The token of a session's forms: who does not have the cookie cannot make it."""
    return hmac.new(cookie.encode(), b"incrowd form", hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare without telling by the time it takes how much is the same."""
    return hmac.compare_digest(one.encode(), other.encode())
