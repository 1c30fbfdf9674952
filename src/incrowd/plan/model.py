"""The release plan as types. A field is here only when something acts on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator, model_validator

from incrowd.plan.attack import Attack
from incrowd.plan.attest import Attest
from incrowd.plan.database import database_fault
from incrowd.plan.earlier_form import in_present_form
from incrowd.plan.kinds import OneWord
from incrowd.plan.licences import AnyLicence
from incrowd.plan.requirements import AnyRequirement
from incrowd.plan.scenarios import Exposure, PlannedScenario, Protection
from incrowd.plan.steps import AnyStep
from incrowd.plan.strict import Strict, Text
from incrowd.plan.tiers import Tier, TierName, Together
from incrowd.plan.use_cases import Alternative, AnyUseCase, Sweep
from incrowd.rows.engines import ENGINES, EngineKind

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
    household: Text | None = Field(
        None, description="The variable that tells households apart, for their risk, and to sample or swap them whole."
    )
    protection: Protection | None = Field(None, description="What protects the file already, before any step.")
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = Field(
        None, description="What separates the fields of a CSV file, where the header does not tell."
    )
    encoding: Literal["utf-8", "latin-1", "cp1252"] | None = Field(
        None, description="How a CSV file encodes its text; cp1252 is what Excel on Windows writes as CSV."
    )
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
        if self.database and self.limit is not None:
            raise ValueError("a database has no limit: its classes are always fetched")
        if self.database and not self.engine_kind.on_this_machine:
            here = " or ".join(name for name, kind in ENGINES.items() if kind.on_this_machine)
            raise ValueError(
                f"a database is counted where it is and applied in {here}: leave out engine: {self.engine}"
            )
        return self


class Variable(Strict):
    """What a column is, and why."""

    role: Role = Field(
        description="identifier: names a person; key: an intruder may know it; sensitive: what an intruder wants "
        "to learn; other: neither."
    )
    reason: Text = Field(description="Why it has this role. Stays in the audit.")
    label: Text | None = Field(None, description="What the column means, for the data dictionary of the release.")
    codes: Annotated[dict[str, Text], Field(min_length=1)] | None = Field(
        None,
        description="What the released values stand for: `1: married`. Values that do not occur are left out.",
    )
    exposure: Exposure | None = Field(None, description="Who could know it, to help decide whether it is a key.")


class Release(Strict):
    """What the released file looks like."""

    format: Literal["csv", "parquet"] = "csv"
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
        """How it is written: csv, parquet, or parts."""
        return "parts" if self.parts else self.format

    @property
    def file(self) -> str:
        """The name of the file, or of the folder of parts."""
        return self.name if self.parts else f"{self.name}.{self.format}"


class Plan(Strict):
    """From a raw file to a release: what is in the file, what is done to it, and what must hold at the end."""

    title: Text
    data: Data
    tier: TierName = Field(
        description="Who will get the file. The tier is part of what all randomness is derived from. Left out where "
        "the plan has `tiers`."
    )
    variables: Annotated[dict[str, Variable], Field(min_length=1)] = Field(
        description="Every column of the data, with its role."
    )
    steps: list[AnyStep] = Field(default_factory=list, description="Protection, in order.")
    requirements: Annotated[list[AnyRequirement], Field(min_length=1)] = Field(
        description="What the gate counts again in the written file. All must hold."
    )
    attack: list[Attack] = Field(
        default_factory=list,
        description="Simulated intruders who try the written file once the gate has counted it. With a limit they can "
        "refuse the release.",
    )
    scenarios: list[PlannedScenario] = Field(
        default_factory=list, description="What intruders know. The risk of each is measured before and after."
    )
    use_cases: list[AnyUseCase] = Field(
        default_factory=list, description="What the data is for. Each has a test and a pass rule; a run gives verdicts."
    )
    sweep: Sweep | None = Field(None, description="The values of k to try on the use cases; a run only reports them.")
    alternatives: list[Alternative] = Field(
        default_factory=list, description="Requirements that are not made; the report says what each would cost."
    )
    intruder_test: Text | None = Field(
        None,
        description="The scores of a human intruder test of this release, from the plan's folder: what `incrowd "
        "intruder-test score --json` wrote. The reports show it.",
    )
    release: Release = Release()
    attest: Attest = Field(Attest(), description="What only people can say: attestations, sign-offs, the next review.")
    tiers: list[Tier] = Field(
        default_factory=list,
        description="Several files from one source, each with steps of its own after those above.",
    )
    together: Together = Field(Together(), description="With tiers: what the files may not do together.")

    @model_validator(mode="before")
    @classmethod
    def _first_tier(cls, content: Any) -> Any:
        """A plan with tiers has no tier of its own; until one is chosen it passes for the first."""
        content = in_present_form(content).content
        if not isinstance(content, dict) or not content.get("tiers"):
            return content
        if "tier" in content:
            raise ValueError("a plan has either tier or tiers")
        first = content["tiers"][0] if isinstance(content["tiers"], list) else None
        name = first.get("tier") if isinstance(first, dict) else None
        return {**content, "tier": name if name in get_args(TierName) else "controlled"}

    def of_tier(self, name: str) -> Plan:
        """The plan of one of its files alone."""
        one = next(tier for tier in self.tiers if tier.tier == name)
        mine = {
            "steps": [*self.steps, *one.steps],
            "attack": [*self.attack, *one.attack],
            "requirements": one.requirements or self.requirements,
        }
        return self.model_copy(update={"tier": name, "tiers": [], **mine})

    @property
    def active(self) -> list[tuple[int, AnyStep]]:
        """The steps that are not switched off, each with its number in the plan, from 0."""
        return [(number, step) for number, step in enumerate(self.steps) if not step.off]

    @property
    def attacks(self) -> list[tuple[int, Attack]]:
        """The attacks that are not switched off, each with its number in the plan, from 0."""
        return [(number, attack) for number, attack in enumerate(self.attack) if not attack.off]

    @property
    def recoding_steps(self) -> int:
        """How many steps come before the first that does more than say things more coarsely, for all records alike."""
        return next((number for number, step in self.active if not step.only_coarsens), len(self.steps))

    def with_role(self, role: Role) -> list[str]:
        """The variables with a role, in the plan's order."""
        return [name for name, variable in self.variables.items() if variable.role == role]
