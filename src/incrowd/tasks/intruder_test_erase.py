"""Delete the truth behind a test."""

from __future__ import annotations

from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.custodian import opened
    from incrowd.intruder_test.erasing import Erased, erase


def intruder_test_erase(test: str) -> Erased:
    """Delete truth, claims, cards, names and the log now, and the files with invitations and claims beside the test.

    Scores that were stored stay. It does not ask: it is done.

    >>> ic.intruder_test_erase("test.sqlite").rows["target"]
    4
    """
    with opened(test, due=False) as store:
        return erase(store)
