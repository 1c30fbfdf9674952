"""The requirements of a plan: the privacy models of keys/requirements, as they are written in YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, model_validator

from incrowd.keys import requirements as models
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.requirements.base import MOST
from incrowd.plan.kinds import Kinds, OneWord
from incrowd.plan.strict import Strict, Text

Where = dict[Text, Annotated[list[str], Field(min_length=1)]]
Count = Annotated[int, Field(ge=1, le=MOST)]
Share = Annotated[float, Field(ge=0, le=1)]


#: Every requirement that a plan may have.
REQUIREMENTS: Kinds[AnyModel] = Kinds("model")


class AnyModel(Strict):
    """What every requirement may have: its own keys, and the records that it is about.

    It registers itself by the word of its field `model`, under which keys/requirements has the model itself.
    """

    if TYPE_CHECKING:
        model: str  # each requirement declares its own, as a Literal

    keys: Annotated[list[Text], Field(min_length=1)] | None = Field(
        None, description="The keys it looks at; all keys of the release when left out."
    )
    where: Where | None = Field(
        None, description="Binds only classes with at least one record that has one of these values in each variable."
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        REQUIREMENTS.add(cls)

    @property
    def needs_population(self) -> bool:
        """Whether it needs the counts of a population."""
        return models.MODELS[self.model].needs_population

    @property
    def crowd(self) -> int:
        """The crowd that it promises to everybody in the file."""
        return 1

    def trees(self) -> dict[str, str]:
        """The files of its hierarchies (field `hierarchy`), by the sensitive variable that each is of."""
        return {}

    def values(self) -> list[str]:
        """The values that it names, as they stand in the released file."""
        return [value for values in (self.where or {}).values() for value in values]

    def requirement(self, hierarchies: Mapping[str, Hierarchy] | None = None) -> models.Requirement:
        """The same for the KeyTable. Hierarchies of sensitive variables are handed in: no file is read here."""
        keys = None if self.keys is None else tuple(self.keys)
        where = None if self.where is None else where_text(self.where)
        return self._make(hierarchies or {}, keys=keys, where=where)

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        raise NotImplementedError


def where_text(where: Mapping[str, list[str]]) -> str:
    """A condition in words: 'area = Wales | London and sex = f'."""
    return " and ".join(f"{name} = {' | '.join(values)}" for name, values in where.items())


class K(AnyModel):
    """Every class has at least k people."""

    model: Literal["k"]
    k: Count

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.K(self.k, **common)

    @property
    def crowd(self) -> int:
        """k people."""
        return self.k


class WeakK(AnyModel):
    """k for the keys and the records that matter most: needs keys, where, or both."""

    model: Literal["weak_k"]
    k: Count

    @model_validator(mode="after")
    def _subset(self) -> WeakK:
        if self.keys is None and self.where is None:
            raise ValueError("weak_k needs its own keys or a condition (where); for all of them say k")
        return self

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.WeakK(self.k, **common)


class KMap(AnyModel):
    """Every class of the file has at least k people in the population (data.population)."""

    model: Literal["k_map"]
    k: Count

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.KMap(self.k, **common)


class DeltaPresence(AnyModel):
    """In every class of the population a share between dmin and dmax is in the file."""

    model: Literal["delta_presence"]
    dmin: Share
    dmax: Share

    @model_validator(mode="after")
    def _rising(self) -> DeltaPresence:
        if self.dmin > self.dmax:
            raise ValueError("dmin must be at most dmax")
        return self

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.DeltaPresence(self.dmin, self.dmax, **common)


class DistinctL(AnyModel):
    """Every class has at least l different values of a sensitive variable."""

    model: Literal["distinct_l"]
    sensitive: Text
    l: Count  # noqa: E741 - the literature's name

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.DistinctL(self.sensitive, self.l, **common)


class EntropyL(AnyModel):
    """Every class is as diverse as l equally frequent values."""

    model: Literal["entropy_l"]
    sensitive: Text
    l: Annotated[float, Field(ge=1)]  # noqa: E741 - the literature's name

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.EntropyL(self.sensitive, self.l, **common)


class RecursiveL(AnyModel):
    """The most frequent value is rarer than c times the l-th and all rarer ones together."""

    model: Literal["recursive_l"]
    sensitive: Text
    c: Annotated[float, Field(gt=0)]
    l: Count  # noqa: E741 - the literature's name

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.RecursiveL(self.sensitive, self.c, self.l, **common)


class OneSided(AnyModel):
    """In no class does everybody (or more than alpha) have the stigmatising value."""

    model: Literal["one_sided"]
    sensitive: Text
    value: str = Field(description="The stigmatising value, as it stands in the released file.")
    alpha: Annotated[float, Field(gt=0, le=1)] = Field(
        1.0, description="The largest share allowed; 1 means that only classes where everybody has it fail."
    )

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.OneSided(self.sensitive, self.value, self.alpha, **common)

    def values(self) -> list[str]:
        """The stigmatising one, too."""
        return [*super().values(), self.value]


class AlphaK(AnyModel):
    """Every class has at least k people, and no value of a sensitive variable has a larger share than alpha."""

    model: Literal["alpha_k"]
    sensitive: Text
    alpha: Annotated[float, Field(gt=0, le=1)]
    k: Count

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.AlphaK(self.sensitive, self.alpha, self.k, **common)

    @property
    def crowd(self) -> int:
        """k people."""
        return self.k


class TCloseness(AnyModel):
    """In every class a sensitive variable is spread as in the file, up to a distance of t."""

    model: Literal["t"]
    sensitive: Text
    t: Share
    distance: Literal["equal", "ordered", "ordered-text", "hierarchical"] = "equal"
    order: list[str] | None = Field(None, description="With ordered: the values in their order, if not numbers.")
    hierarchy: Text | None = Field(None, description="With hierarchical: the hierarchy file of the variable.")

    @model_validator(mode="after")
    def _belongs(self) -> TCloseness:
        if (self.hierarchy is not None) != (self.distance == "hierarchical"):
            raise ValueError("a hierarchy goes with the hierarchical distance, and it needs one")
        if self.order is not None and self.distance != "ordered":
            raise ValueError("an order goes with the ordered distance")
        return self

    def trees(self) -> dict[str, str]:
        """That of the hierarchical distance."""
        return {} if self.hierarchy is None else {self.sensitive: self.hierarchy}

    def values(self) -> list[str]:
        """Those in their order, too."""
        return [*super().values(), *(self.order or ())]

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        order = None if self.order is None else tuple(self.order)
        hierarchy = hierarchies.get(self.sensitive) if self.distance == "hierarchical" else None
        return models.TCloseness(self.sensitive, self.t, self.distance, order=order, hierarchy=hierarchy, **common)


class Beta(AnyModel):
    """No class makes a value more than beta times likelier than it is in the file."""

    model: Literal["beta", "enhanced_beta"]
    sensitive: Text
    beta: Annotated[float, Field(gt=0)]

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        match self.model:
            case "beta":
                return models.BetaLikeness(self.sensitive, self.beta, **common)
            case "enhanced_beta":
                return models.EnhancedBeta(self.sensitive, self.beta, **common)


class DeltaDisclosure(AnyModel):
    """No class changes the odds of a value by a factor of exp(delta) or more, up or down."""

    model: Literal["delta_disclosure"]
    sensitive: Text
    delta: Annotated[float, Field(gt=0)]
    skip_zeros: bool = Field(False, description="Leave values out that a class does not have, as ARX and pycanon do.")

    def _make(self, hierarchies: Mapping[str, Hierarchy], **common: Any) -> models.Requirement:
        return models.DeltaDisclosure(self.sensitive, self.delta, self.skip_zeros, **common)


#: A requirement of a plan, of the kind that its field `model` names.
AnyRequirement = Annotated[AnyModel, REQUIREMENTS]

#: The word for one of the models.
ModelName = Annotated[str, OneWord(lambda: REQUIREMENTS.names)]
