"""The release plan as types. A field is here only when something acts on it."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from incrowd.keys import requirements as models

Text = Annotated[str, Field(min_length=1)]
Role = Literal["identifier", "key", "sensitive", "other"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Data(_Strict):
    """Where the records are, and what kind of file it is."""

    source: Text = Field(description="The file, from the plan's folder: CSV (also .gz), Parquet or Excel.")
    kind: Literal["survey", "administrative", "census"] = Field(
        description="How the records were collected: it decides what an intruder can know about who is in the file."
    )
    unit: Text | None = Field(
        None, description="The identifier of a person who may have several records; k then counts people."
    )
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        None, description="What separates the fields of a CSV file, where the header does not tell."
    )
    encoding: Literal["utf-8", "latin-1"] | None = Field(None, description="How a CSV file encodes its text.")


class Variable(_Strict):
    """What a column is, and why."""

    role: Role = Field(
        description="identifier: names a person; key: an intruder may know it; sensitive: what an intruder wants "
        "to learn; other: neither."
    )
    reason: Text = Field(description="Why it has this role. Stays in the audit.")
    label: Text | None = Field(None, description="What the column means, for the data dictionary of the release.")


class Step(_Strict):
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
    models: Annotated[list[Literal["k", "distinct_l", "one_sided"]], Field(min_length=1)] | None = Field(
        None, alias="for", description="Which requirements; all of them when left out."
    )


AnyStep = Annotated[Drop | Pseudonymise | Recode | SuppressRecords, Field(discriminator="step")]


class KRequirement(_Strict):
    """Every class has at least k people."""

    model: Literal["k"]
    k: Annotated[int, Field(ge=1)]

    def requirement(self) -> models.Requirement:
        """The same for the KeyTable."""
        return models.K(self.k)


class DistinctLRequirement(_Strict):
    """Every class has at least l different values of a sensitive variable."""

    model: Literal["distinct_l"]
    sensitive: Text
    l: Annotated[int, Field(ge=1)]  # noqa: E741 - the literature's name

    def requirement(self) -> models.Requirement:
        """The same for the KeyTable."""
        return models.DistinctL(self.sensitive, self.l)


class OneSidedRequirement(_Strict):
    """In no class does everybody (or more than alpha) have the stigmatising value."""

    model: Literal["one_sided"]
    sensitive: Text
    value: str = Field(description="The stigmatising value, as it stands in the released file.")
    alpha: Annotated[float, Field(gt=0, le=1)] = Field(
        1.0, description="The largest share allowed; 1 means that only classes where everybody has it fail."
    )

    def requirement(self) -> models.Requirement:
        """The same for the KeyTable."""
        return models.OneSided(self.sensitive, self.value, self.alpha)


AnyRequirement = Annotated[KRequirement | DistinctLRequirement | OneSidedRequirement, Field(discriminator="model")]


class Release(_Strict):
    """What the released file looks like."""

    format: Literal["csv", "parquet"] = "csv"
    name: str = Field(
        "data",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$",
        description="The name of the data file, without its ending.",
    )


class Plan(_Strict):
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
    release: Release = Release()

    def with_role(self, role: Role) -> list[str]:
        """The variables with a role, in the plan's order."""
        return [name for name, variable in self.variables.items() if variable.role == role]
