"""Let somebody into the office of a test."""

from __future__ import annotations

from dataclasses import dataclass, field

from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.accounts import ADDRESS, put_account
    from incrowd.intruder_test.custodian import opened


@dataclass(frozen=True)
class OfficeLink:
    """Who, as what, and the link that signs this person in, once."""

    name: str
    role: str
    token: str = field(repr=False)

    def link(self, address: str | None = None) -> str:
        """The link, to where the office will be found; to this machine when nothing is said."""
        return f"{(address or ADDRESS).rstrip('/')}/enter/{self.token}"


def intruder_test_account(test: str, name: str, *, role: str) -> OfficeLink:
    """A link to the office for somebody who runs the test; the account is made where there is none.

    `role` is custodian (may do everything), judge (judges claims, and sees no names of intruders) or observer (only
    reads). For somebody who has an account, the old link and open sessions end.

    >>> ic.intruder_test_account("test.sqlite", "Ann", role="judge").role
    'judge'
    """
    with opened(test) as store:
        return OfficeLink(name, role, put_account(store, name, role))
