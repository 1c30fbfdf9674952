"""How a plan says that a file of records is read, where the file does not tell itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from incrowd.plan.strict import Strict, Text

if TYPE_CHECKING:
    from incrowd.rows import Reading


class FileOfRecords(Strict):
    """What every file of records that a plan names has."""

    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        None, description="What separates the fields of a CSV file, where the header does not tell."
    )
    encoding: Literal["utf-8", "latin-1", "cp1252"] | None = Field(
        None,
        description="How a file encodes its text (CSV; also SPSS, Stata and SAS, where the file does not say it); "
        "cp1252 is what Excel on Windows writes as CSV.",
    )
    sheet: Annotated[int, Field(ge=1)] | Text | None = Field(
        None, description="The sheet of an Excel file: its name, or its number from 1 on. Needed where it has several."
    )
    drop_index: bool = Field(
        False,
        description="Leave out a first column without a name, which pandas writes for the index of a table (CSV, "
        "Excel, Parquet). No other column is ever left out.",
    )

    @property
    def reading(self) -> Reading:
        """How it is read."""
        return {
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "sheet": self.sheet,
            "drop_index": self.drop_index,
        }
