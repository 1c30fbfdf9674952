"""Write the texts for participants, to be edited."""

from __future__ import annotations

from pathlib import Path

from incrowd.tasks._extras import needs_intruders

with needs_intruders():
    from incrowd.intruder_test.texts import write_templates


def intruder_test_texts(out: str | Path) -> list[Path]:
    """Write the texts for participants into a folder: information, code of conduct, consent, invitation. Gives where.

    `IntruderTestOptions(texts=folder)` takes them, edited. What stands in braces is filled in with the test's facts.

    >>> [path.name for path in ic.intruder_test_texts("texts")]
    ['information.md', 'conduct.md', 'consent.md', 'invitation.md']
    """
    return write_templates(Path(out))
