"""Where the records of a plan are, and what kind of file it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from incrowd.keys.unit_name import PEOPLE, UnitName, parse_unit_name
from incrowd.plan.database import database_fault
from incrowd.plan.kinds import OneWord
from incrowd.plan.records import FileOfRecords
from incrowd.plan.scenarios import Protection
from incrowd.plan.strict import Text
from incrowd.rows.engines import ENGINES, EngineKind


class Population(FileOfRecords):
    """The people the file is about: a larger file with the same keys, or a table of their counts."""

    source: Text = Field(description="A file with the keys as columns, from the plan's folder.")
    count: Text | None = Field(
        None, description="The column that says how many people a line stands for; without it, a line is a person."
    )


class Data(FileOfRecords):
    """Where the records are, and what kind of file it is."""

    source: Text = Field(
        description="The file, from the plan's folder: CSV (also .gz), Parquet (a file or a folder), Excel, SPSS, "
        "Stata, SAS, JSON lines or Arrow; or "
        "`postgresql://host/database?table=schema.table`, without user and password."
    )
    kind: Literal["survey", "administrative", "census"] = Field(
        description="How the records were collected: it decides what an intruder can know about who is in the file."
    )
    unit: Text | None = Field(
        None, description="The identifier of a person who may have several records; k then counts people."
    )
    unit_name: Text | None = Field(
        None,
        description="What the file is about, where it is not people: `dwelling`, or `household`; with its plural where "
        "an s is not enough: `company/companies`. Reports and cards then speak of these.",
    )
    population: Population | None = Field(
        None, description="The population the file is about, for k_map, delta_presence and the risk of scenarios."
    )
    codes: Text | None = Field(
        None,
        description="What values stand for, of all variables: a CSV file with the columns variable, code and label. "
        "What a variable's own `codes` say goes first.",
    )
    weights: Text | None = Field(None, description="The variable with the sampling weights, for the risk of records.")
    household: Text | None = Field(
        None, description="The variable that tells households apart, for their risk, and to sample or swap them whole."
    )
    protection: Protection | None = Field(None, description="What protects the file already, before any step.")
    engine: Annotated[str, OneWord(lambda: tuple(ENGINES))] = Field(
        "duckdb", description="Who works on the records: DuckDB on this machine, or Spark. The release is the same."
    )
    master: Text | None = Field(None, description="With spark: its master URL; `local[2]` when left out.")
    limit: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="How many classes may be held here; more stay in the engine. Left out: 20,000,000 with spark, "
        "otherwise what the memory cap allows.",
    )

    @property
    def called(self) -> UnitName:
        """What those in the file are called: people, unless the plan says otherwise."""
        return PEOPLE if self.unit_name is None else parse_unit_name(self.unit_name)

    @property
    def database(self) -> bool:
        """Whether the records are in a database, and not in a file."""
        return "://" in self.source

    @property
    def engine_kind(self) -> EngineKind:
        """What the engine says of itself."""
        return ENGINES[self.engine]

    def place(self, folder: Path) -> str | Path:
        """Where the records are: the database as it is written, or the path seen from the plan's folder."""
        return self.source if self.database else folder / self.source

    def is_there(self, folder: Path) -> bool:
        """Whether it can be opened: a database may always be asked."""
        return self.database or (folder / self.source).exists()

    @field_validator("unit_name")
    @classmethod
    def _names(cls, name: str | None) -> str | None:
        if name is not None:
            parse_unit_name(name)
        return name

    @field_validator("source")
    @classmethod
    def _without_credentials(cls, source: str) -> str:
        if "://" in source and (fault := database_fault(source)) is not None:
            raise ValueError(fault)
        return source

    @model_validator(mode="after")
    def _belongs(self) -> Data:
        if self.master is not None and not self.engine_kind.takes_master:
            takes = " or ".join(name for name, kind in ENGINES.items() if kind.takes_master)
            raise ValueError(f"master goes with engine: {takes}")
        return self
