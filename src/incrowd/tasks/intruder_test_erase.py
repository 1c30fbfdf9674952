"""Delete the truth behind a test."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.custodian import opened
    from incrowd.intruder_test.erasing import BY_SOMEBODY, Erased, erase, write_certificate
    from incrowd.intruder_test.store import is_file


def intruder_test_erase(test: str, *, by: str | None = None) -> Erased:
    """Delete truth, claims, cards, names and the log now, and the files with invitations and claims beside the test.

    Scores that were stored stay. It does not ask: it is done. A certificate says what was erased, when, and `by` whom;
    it is stored in the test and written beside it (of a test in PostgreSQL, here).

    >>> ic.intruder_test_erase("test.sqlite").rows["target"]
    4
    """
    with opened(test, due=False) as store:
        gone = erase(store, by or BY_SOMEBODY)
    if is_file(test) or gone.written is not None:
        return gone
    return replace(gone, written=write_certificate(Path("intruder-test"), gone.certificate))
