"""Invite an intruder of a test again."""

from __future__ import annotations

from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.custodian import invite, opened
    from incrowd.intruder_test.making import Invitation


def intruder_test_invite(test: str, name: str) -> Invitation:
    """A new link for somebody; the old one and open sessions end, claims and clock stay.

    >>> ic.intruder_test_invite("test.sqlite", "intruder 1").name
    'intruder 1'
    """
    with opened(test) as store:
        return Invitation(name, invite(store, name))
