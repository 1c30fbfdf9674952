"""What the released file of a plan looks like, and what is said of it in public."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from incrowd.plan.database import database_fault
from incrowd.plan.licences import AnyLicence
from incrowd.plan.series import AnySeries
from incrowd.plan.strict import Strict, Text


class Release(Strict):
    """What the released file looks like."""

    format: Literal["csv", "parquet", "xlsx"] = Field(
        "csv",
        description="csv: texts; parquet: with integers, dates and decimals where every value allows it; xlsx: an "
        "Excel file of one sheet, for at most 1,048,575 records.",
    )
    parts: bool = Field(
        False, description="With parquet: a folder of files instead of one. On Spark the executors write them."
    )
    table: Text | None = Field(
        None,
        description="Write the release to this new table of PostgreSQL, too, in one transaction: "
        "`postgresql://host/database?table=schema.table`, without user and password.",
    )
    name: str = Field(
        "data",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$",
        description="The name of the data file, without its ending; no name of a file beside it, such as 'dictionary'.",
    )

    formulas: Literal["keep", "neutralise"] = Field(
        "keep",
        description="Cells that begin like a formula, which a spreadsheet would run (`=`, `@`, a sign, a tab): keep "
        "them as they are, or neutralise them by an apostrophe. They are counted and told in either case.",
    )
    licence: AnyLicence | None = Field(
        None,
        description="Under which terms the file may be used: OGL-UK-3.0, CC-BY-4.0, CC0-1.0, ODC-By-1.0, ODbL-1.0, or "
        "a name and url of another.",
    )
    publisher: Text | None = Field(None, description="Which organisation publishes it.")
    description: Text | None = Field(None, description="What it is about, in a few public sentences.")
    contact: Text | None = Field(None, description="Where readers may ask: a team's address, never a person's.")
    version: Text | None = Field(None, description="Which edition it is: `1.0`, or `2026-03`.")
    keywords: list[Text] = Field(default_factory=list, description="Words to find it by in a catalogue.")
    series: AnySeries | None = Field(
        None,
        description="The file is released again and again: the name of the series, or what may differ between two of "
        "its releases. Each is held against the last ones before it leaves.",
    )

    @field_validator("name")
    @classmethod
    def _free(cls, name: str) -> str:
        if name.lower() in ("dictionary", "datapackage", "manifest"):
            raise ValueError(f"{name!r} is the name of another file of the release")
        return name

    @field_validator("table")
    @classmethod
    def _without_credentials(cls, table: str | None) -> str | None:
        if table is not None and (fault := database_fault(table)) is not None:
            raise ValueError(fault)
        return table

    @model_validator(mode="after")
    def _belongs(self) -> Release:
        if self.parts and self.format != "parquet":
            raise ValueError("parts go with format: parquet")
        return self

    @property
    def kind(self) -> str:
        """How it is written: csv, parquet, parts, or xlsx."""
        return "parts" if self.parts else self.format

    @property
    def file(self) -> str:
        """The name of the file, or of the folder of parts."""
        return self.name if self.parts else f"{self.name}.{self.format}"
