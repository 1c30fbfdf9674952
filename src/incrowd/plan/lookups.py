"""How a plan names a lookup: a CSV file and two of its columns, or regions that incrowd knows itself."""

from __future__ import annotations

from typing import get_args

from pydantic import Field, model_validator

from incrowd.plan.strict import Strict, Text
from incrowd.rows.areas import AreaLevel

#: What a plan may write for a lookup without a file.
KNOWN = get_args(AreaLevel)


class Lookup(Strict):
    """A CSV file with a header, and which of its columns are meant."""

    file: Text = Field(description="The file, from the plan's folder.")
    from_: Text | None = Field(None, alias="from", description="The column with the values; the first when left out.")
    to: Text | None = Field(None, description="The column with their new names; the second when both are left out.")

    @model_validator(mode="after")
    def _belongs(self) -> Lookup:
        if self.from_ is not None and self.to is None:
            raise ValueError("from needs to: the column with the new names")
        return self


#: A file alone has the values in its first column and their new names in the second.
AnyLookup = Text | Lookup


def lookup_file(lookup: str | Lookup | None) -> str | None:
    """The file that a lookup reads; None where incrowd knows the names itself."""
    if isinstance(lookup, Lookup):
        return lookup.file
    return None if lookup in KNOWN else lookup
