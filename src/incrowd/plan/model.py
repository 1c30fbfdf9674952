"""The release plan as types. A field is here only when something acts on it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from incrowd.plan.database import database_fault
from incrowd.plan.hierarchies import AnyHierarchy
from incrowd.plan.requirements import AnyRequirement, ModelName
from incrowd.plan.scenarios import Exposure, Protection, Scenario
from incrowd.plan.strict import Strict, Text

Role = Literal["identifier", "key", "sensitive", "other"]


class Population(Strict):
    """The people the file is about: a larger file with the same keys, or a table of their counts."""

    source: Text = Field(description="A file with the keys as columns, from the plan's folder.")
    count: Text | None = Field(
        None, description="The column that says how many people a line stands for; without it, a line is a person."
    )


class Data(Strict):
    """Where the records are, and what kind of file it is."""

    source: Text = Field(
        description="The file, from the plan's folder: CSV (also .gz), Parquet (a file or a folder) or Excel; or "
        "`postgresql://host/database?table=schema.table`, without user and password."
    )
    kind: Literal["survey", "administrative", "census"] = Field(
        description="How the records were collected: it decides what an intruder can know about who is in the file."
    )
    unit: Text | None = Field(
        None, description="The identifier of a person who may have several records; k then counts people."
    )
    population: Population | None = Field(
        None, description="The population the file is about, for k_map, delta_presence and the risk of scenarios."
    )
    weights: Text | None = Field(None, description="The variable with the sampling weights, for the risk of records.")
    household: Text | None = Field(None, description="The variable that tells households apart, for their risk.")
    protection: Protection | None = Field(None, description="What protects the file already, before any step.")
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        None, description="What separates the fields of a CSV file, where the header does not tell."
    )
    encoding: Literal["utf-8", "latin-1"] | None = Field(None, description="How a CSV file encodes its text.")
    engine: Literal["duckdb", "spark"] = Field(
        "duckdb", description="Who works on the records: DuckDB on this machine, or Spark. The release is the same."
    )
    master: Text | None = Field(None, description="With spark: its master URL; `local[2]` when left out.")
    limit: Annotated[int, Field(ge=1)] | None = Field(
        None, description="With spark: how many lines of one result may be fetched; 20,000,000 when left out."
    )

    @property
    def database(self) -> bool:
        """Whether the records are in a database, and not in a file."""
        return "://" in self.source

    def place(self, folder: Path) -> str | Path:
        """Where the records are: the database as it is written, or the path seen from the plan's folder."""
        return self.source if self.database else folder / self.source

    def is_there(self, folder: Path) -> bool:
        """Whether it can be opened: a database may always be asked."""
        return self.database or (folder / self.source).exists()

    @field_validator("source")
    @classmethod
    def _without_credentials(cls, source: str) -> str:
        if "://" in source and (fault := database_fault(source)) is not None:
            raise ValueError(fault)
        return source

    @model_validator(mode="after")
    def _belongs(self) -> Data:
        if self.engine != "spark" and (self.master is not None or self.limit is not None):
            raise ValueError("master and limit go with engine: spark")
        if self.engine == "spark" and self.database:
            raise ValueError("a database is counted where it is and applied in duckdb: leave out engine: spark")
        return self


class Variable(Strict):
    """What a column is, and why."""

    role: Role = Field(
        description="identifier: names a person; key: an intruder may know it; sensitive: what an intruder wants "
        "to learn; other: neither."
    )
    reason: Text = Field(description="Why it has this role. Stays in the audit.")
    label: Text | None = Field(None, description="What the column means, for the data dictionary of the release.")
    exposure: Exposure | None = Field(None, description="Who could know it, to help decide whether it is a key.")


class Step(Strict):
    """What every protection step has."""

    reason: Text | None = Field(None, description="Why this step. Stays in the audit.")


class Drop(Step):
    """Remove whole columns."""

    step: Literal["drop"]
    variables: Annotated[list[Text], Field(min_length=1)]


class Pseudonymise(Step):
    """Replace identifiers by HMAC-SHA3-256 of them under the secret, in one new column."""

    step: Literal["pseudonymise"]
    variables: Annotated[list[Text], Field(min_length=1, description="Columns that name a person together.")]
    into: Text = Field(description="The name of the new column. The old identifiers among the variables go.")


class Recode(Step):
    """Say a variable more coarsely. Exactly one of the ways below."""

    step: Literal["recode"]
    variable: Text
    bands: Annotated[list[Decimal], Field(min_length=1)] | None = Field(
        None, description="Where each band starts: [16, 30, 45] gives 16-29, 30-44, 45+."
    )
    labels: list[Text] | None = Field(None, description="With bands: their names, as many as there are bands.")
    mapping: Annotated[dict[str, str], Field(min_length=1)] | None = Field(
        None, description="New names of values; values that are not mentioned stay, unless others is given."
    )
    others: Text | None = Field(
        None, description="With mapping or lookup: the name of all other values, or 'fault' to refuse them."
    )
    date_part: Literal["decade", "year", "quarter", "month"] | None = None
    date_format: Text | None = Field(None, description="With date_part: how dates are written, e.g. %d/%m/%Y.")
    prefix: Annotated[int, Field(ge=1)] | None = Field(None, description="How many first characters to keep.")
    lookup: Text | None = Field(
        None, description="A CSV file with a header: first column the value, second its new name."
    )
    hierarchy: Text | None = Field(None, description="A hierarchy file in ARX's format.")
    level: Annotated[int, Field(ge=1)] | None = Field(None, description="With hierarchy: which column of it.")

    @property
    def way(self) -> str:
        """Which way of recoding is used."""
        ways = ("bands", "mapping", "date_part", "prefix", "lookup", "hierarchy")
        return next(way for way in ways if getattr(self, way) is not None)

    @model_validator(mode="after")
    def _one_way(self) -> Recode:
        ways = ("bands", "mapping", "date_part", "prefix", "lookup", "hierarchy")
        given = [way for way in ways if getattr(self, way) is not None]
        if len(given) != 1:
            raise ValueError(f"a recode needs exactly one of {', '.join(ways)}")
        belongs = {"labels": "bands", "date_format": "date_part", "level": "hierarchy"}
        for extra, way in belongs.items():
            if getattr(self, extra) is not None and given != [way]:
                raise ValueError(f"{extra} goes with {way}")
        if self.others is not None and given[0] not in ("mapping", "lookup"):
            raise ValueError("others goes with mapping or lookup")
        if self.hierarchy is not None and self.level is None:
            raise ValueError("hierarchy needs a level")
        if self.bands is not None and any(a >= b for a, b in zip(self.bands, self.bands[1:], strict=False)):
            raise ValueError("bands must rise")
        if self.labels is not None and self.bands is not None and len(self.labels) != len(self.bands):
            raise ValueError("bands need as many labels as there are bands")
        return self


class SuppressRecords(Step):
    """Drop the records in classes that fail requirements of the plan."""

    step: Literal["suppress_records"]
    models: Annotated[list[ModelName], Field(min_length=1)] | None = Field(
        None, alias="for", description="Which requirements; all of them when left out."
    )


class Search(Step):
    """Find the recoding of the keys that costs least, so that all requirements of the plan hold."""

    step: Literal["search"]
    hierarchies: Annotated[dict[Text, AnyHierarchy], Field(min_length=1)] = Field(
        description="The keys that may be recoded, each with its hierarchy: a file, 'auto', or a rule. Others stay."
    )
    suppression: Annotated[float, Field(ge=0, le=1)] = Field(
        0.0, description="The share of the records that may be suppressed."
    )
    objective: Literal["arithmetic", "geometric", "discernibility", "class_size", "entropy", "precision"] = Field(
        "geometric", description="What is to be least."
    )
    weights: dict[Text, Annotated[float, Field(ge=0)]] | None = Field(
        None, description="How much a key's loss counts; 1 when left out."
    )
    local: bool = Field(
        False, description="A recoding per class instead of one level per key: less loss, mixed labels."
    )
    levels: dict[Text, Annotated[int, Field(ge=0)]] | None = Field(
        None, description="Pinned levels, as an earlier run wrote them to its audit: nothing is searched."
    )
    seconds: Annotated[float, Field(gt=0)] | None = Field(
        None, description="Stop after so long with the best so far; the result then depends on the machine."
    )

    @model_validator(mode="after")
    def _belongs(self) -> Search:
        if self.local and (self.levels or self.weights or self.objective != "geometric"):
            raise ValueError("local goes with neither levels nor weights nor another objective: its loss is arithmetic")
        return self


class SuppressCells(Step):
    """Blank the fewest cells of the keys so that every class has at least k people, dropping no record."""

    step: Literal["suppress_cells"]
    k: Annotated[int, Field(ge=2)]
    importance: list[Text] | None = Field(None, description="Keys, the most important first: blanked last in a tie.")
    weights: dict[Text, Annotated[float, Field(gt=0)]] | None = Field(
        None, description="What a blank in a key costs; 1 when left out."
    )


AnyStep = Annotated[
    Drop | Pseudonymise | Recode | SuppressRecords | Search | SuppressCells, Field(discriminator="step")
]


class Release(Strict):
    """What the released file looks like."""

    format: Literal["csv", "parquet"] = "csv"
    name: str = Field(
        "data",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$",
        description="The name of the data file, without its ending; not 'dictionary', which stands beside it.",
    )

    @field_validator("name")
    @classmethod
    def _free(cls, name: str) -> str:
        if name.lower() == "dictionary":
            raise ValueError("the data dictionary has this name already")
        return name


class Plan(Strict):
    """From a raw file to a release: what is in the file, what is done to it, and what must hold at the end."""

    title: Text
    data: Data
    tier: Literal["open", "safeguarded", "controlled"] = Field(
        description="Who will get the file. The tier is part of what all randomness is derived from."
    )
    variables: Annotated[dict[str, Variable], Field(min_length=1)] = Field(
        description="Every column of the data, with its role."
    )
    steps: list[AnyStep] = Field(default_factory=list, description="Protection, in order.")
    requirements: Annotated[list[AnyRequirement], Field(min_length=1)] = Field(
        description="What the gate counts again in the written file. All must hold."
    )
    scenarios: list[Scenario] = Field(
        default_factory=list, description="What intruders know. The risk of each is measured before and after."
    )
    release: Release = Release()

    def with_role(self, role: Role) -> list[str]:
        """The variables with a role, in the plan's order."""
        return [name for name, variable in self.variables.items() if variable.role == role]
