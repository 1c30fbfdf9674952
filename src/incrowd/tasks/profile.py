"""What is in a file: counts, types and suggested roles."""

from __future__ import annotations

from incrowd.profiling import Profile
from incrowd.profiling import profile as measure
from incrowd.rows import Source, open_source
from incrowd.rows.header import refuse_records_as_names


def profile(data: Source, *, delimiter: str | None = None, header: bool = False) -> Profile:
    """Which columns has a file or table, of which types, how many different and unique values, and which roles suggest
    themselves? No value of anybody is in the answer.

    A file whose first line looks like a record is refused; `header` says that it names the columns. A role is a
    suggestion, the decision is the custodian's.

    >>> found = ic.profile("people.csv")
    >>> [column.name for column in found.with_role("identifier")]
    ['name']
    """
    rows = open_source(data, delimiter=delimiter)
    if not header:
        refuse_records_as_names(rows)
    return measure(rows)
