"""The use cases of a plan: what the data is for, each with a test and a pass rule that is fixed before treatment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import Field, GetCoreSchemaHandler, field_validator, model_validator
from pydantic_core import CoreSchema

from incrowd.plan.requirements import AnyRequirement, ModelName
from incrowd.plan.strict import Strict, Text

Values = Annotated[list[str], Field(min_length=1)]
Condition = Annotated[dict[Text, Values], Field(min_length=1)]
Below1 = Annotated[float, Field(gt=0, lt=1)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Places = list[tuple[str, str]]
#: Values of k in one sweep.
MOST_KS = 1_000


class UseCase(Strict):
    """What every use case has. Values are written as they stand in the release: the original is brought to the
    release's categories before the two are compared.
    """

    name: Text = Field(description="The question an analyst asks, for the reports.")

    if TYPE_CHECKING:
        test: str  # each has its own words for it, and is known by them

    @classmethod
    def __pydantic_init_subclass__(cls, **more: Any) -> None:
        """Know the kind by the words of its test; what several kinds share has none."""
        super().__pydantic_init_subclass__(**more)
        if "test" in cls.model_fields:
            KINDS.update(dict.fromkeys(get_args(cls.model_fields["test"].annotation), cls))

    def named(self) -> Places:
        """The variables that it names, each with its place in the use case."""
        return []

    def values(self) -> Places:
        """The values that it names, each with its variable: a value that no record has would make it pass."""
        return []

    def files(self) -> dict[str, str]:
        """The files that it runs, by their place in the use case."""
        return {}


#: Every kind of use case, by the words of its test.
KINDS: dict[str, type[UseCase]] = {}


def _each(condition: Mapping[str, Sequence[str]] | None) -> Places:
    return [(name, value) for name, values in (condition or {}).items() for value in values]


class Grouped(UseCase):
    """A figure that may be asked for in groups, and of some records only."""

    by: Text | None = Field(None, description="The variable whose values are the groups; one group when left out.")
    among: Condition | None = Field(None, description="Only records that have one of these values in each variable.")

    def named(self) -> Places:
        """The groups and the condition."""
        by = [("by", self.by)] if self.by is not None else []
        return [*by, *((f"among.{name}", name) for name in self.among or {})]

    def values(self) -> Places:
        """Those of the condition."""
        return _each(self.among)


class Shared(Grouped):
    """A share of records in groups."""

    share: Condition = Field(description="Which records are counted: one of these values in each variable.")

    def named(self) -> Places:
        """Also what is counted."""
        return [*super().named(), *((f"share.{name}", name) for name in self.share)]

    def values(self) -> Places:
        """Also those that are counted."""
        return [*super().values(), *_each(self.share)]


class TopOverlap(Shared):
    """Do the groups with the largest shares stay the same? Passes when enough of the top groups stay on top."""

    test: Literal["top_overlap"]
    by: Text = Field(description="The variable whose values are ranked.")
    top: Annotated[int, Field(ge=1)] = Field(3, description="How many groups are on top.")
    at_least: Annotated[int, Field(ge=1)] = Field(2, description="How many of them must stay.")
    order: bool = Field(False, description="Whether the groups on top must also stand in the same order.")

    @model_validator(mode="after")
    def _possible(self) -> TopOverlap:
        if self.at_least > self.top:
            raise ValueError("at_least cannot be more than top")
        return self


class Proportion(Shared):
    """Does a share stay what it was? Passes when it moves by no more than `within` in every group."""

    test: Literal["proportion"]
    within: Share = Field(0.05, description="The largest change of a share; 0.05 is five points in a hundred.")


class Numeric(Grouped):
    """A number in groups."""

    of: Text = Field(description="The variable, whose values are numbers.")

    def named(self) -> Places:
        """Also the number."""
        return [*super().named(), ("of", self.of)]


class Centre(Numeric):
    """Does the middle of a number stay what it was? Passes when it moves by no more than `within` in every group."""

    test: Literal["mean", "median"]
    within: NotNegative = Field(0.05, description="The largest change, in parts of the original; 0.05 is 5%.")


class TTest(Numeric):
    """Do two sorts of people differ in a number? Passes when the answer stays the same in every group."""

    test: Literal["t_test"]
    between: Annotated[dict[Text, Annotated[list[str], Field(min_length=2, max_length=2)]], Field(min_length=1)] = (
        Field(description="One variable and the two values that are compared: {gender: [Male, Female]}.")
    )
    variant: Literal["student", "welch"] = Field(
        "student", description="Which test decides: equal variances, or not. Both are reported."
    )
    alpha: Below1 = Field(0.05, description="Below this p-value there is a difference.")
    changes_at_most: Annotated[int, Field(ge=0)] = Field(0, description="So many groups may change their answer.")

    @model_validator(mode="after")
    def _one(self) -> TTest:
        if len(self.between) != 1:
            raise ValueError("between names one variable and two of its values")
        return self

    def named(self) -> Places:
        """Also what is compared."""
        return [*super().named(), *((f"between.{name}", name) for name in self.between)]

    def values(self) -> Places:
        """Also the two that are compared."""
        return [*super().values(), *_each(self.between)]


class Correlation(Grouped):
    """Do two numbers go together as before? Passes when r moves by no more than `within` in every group."""

    test: Literal["correlation"]
    between: Annotated[list[Text], Field(min_length=2, max_length=2)] = Field(description="Two variables, numbers.")
    within: NotNegative = Field(0.1, description="The largest change of Pearson's r.")

    def named(self) -> Places:
        """Also the two numbers."""
        return [*super().named(), *((f"between.{i}", name) for i, name in enumerate(self.between))]


class Modelled(UseCase):
    """Something is explained by other variables."""

    features: Annotated[list[Text], Field(min_length=1)] = Field(description="The variables that explain.")
    numbers: list[Text] = Field(default_factory=list, description="Which features are numbers; others are categories.")
    among: Condition | None = Field(None, description="Only records that have one of these values in each variable.")

    def named(self) -> Places:
        """The features and the condition."""
        features = [(f"features.{i}", name) for i, name in enumerate(self.features)]
        return [*features, *((f"among.{name}", name) for name in self.among or {})]

    def values(self) -> Places:
        """Those of the condition."""
        return _each(self.among)

    @model_validator(mode="after")
    def _numbers(self) -> Modelled:
        if set(self.numbers) - set(self.features):
            raise ValueError("numbers must be among the features")
        return self


class Regression(Modelled):
    """Do coefficients keep their signs? Passes when each that was significant keeps its sign and its significance,
    and its interval overlaps the original one enough.
    """

    test: Literal["regression"]
    outcome: Text = Field(description="What is explained: a number, or with `value` whether it has that value.")
    value: Text | None = Field(None, description="A logistic regression: the value whose odds are explained.")
    base: dict[Text, Text] = Field(
        default_factory=dict, description="For a category, what its values are compared with; else the most frequent."
    )
    coefficients: list[Text] | None = Field(
        None, description="Which coefficients decide: 'age', or 'gender=Male' for a category. All when left out."
    )
    alpha: Below1 = Field(0.05, description="Below this p-value a coefficient is significant.")
    overlap_at_least: Share = Field(0.0, description="How much the intervals must overlap, from 0 to 1.")

    def named(self) -> Places:
        """Also the outcome."""
        return [*super().named(), ("outcome", self.outcome)]

    def values(self) -> Places:
        """Also what others are compared with, and the value whose odds are explained."""
        explained = [] if self.value is None else [(self.outcome, self.value)]
        return [*super().values(), *self.base.items(), *explained]


class EntropyRatio(UseCase):
    """How much information is left? H released / H as it came, summed over columns. Passes when it is enough."""

    test: Literal["entropy_ratio"]
    columns: list[Text] | None = Field(None, description="Which columns; all that came and are released if left out.")
    at_least: Share = Field(0.5, description="The smallest ratio that will do.")
    joint: bool = Field(False, description="Whether the joint ratio decides, and not the sum over columns.")

    def named(self) -> Places:
        """The columns."""
        return [(f"columns.{i}", name) for i, name in enumerate(self.columns or [])]


class Classifier(Modelled):
    """Can a model still be trained on the release? Passes when its balanced accuracy on a held-out part of the
    original falls by no more than `lost_at_most`.
    """

    test: Literal["classifier"]
    target: Text = Field(description="What is predicted: a category.")
    lost_at_most: NotNegative = Field(0.05, description="The largest loss of balanced accuracy.")
    held_out: Below1 = Field(0.3, description="The share of the records that is kept to test on.")
    model: Literal["logistic", "forest"] = Field("logistic", description="What is trained.")

    def named(self) -> Places:
        """Also the target."""
        return [*super().named(), ("target", self.target)]


class Python(UseCase):
    """Anything else: a function beside the plan that gets both tables and says whether the release passes."""

    test: Literal["python"]
    function: Annotated[str, Field(pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$")] = Field(
        description="module:function, from a file in the plan's folder. Running the plan runs that code."
    )
    columns: Annotated[list[Text], Field(min_length=1)] = Field(description="The columns that it gets.")

    def named(self) -> Places:
        """The columns."""
        return [(f"columns.{i}", name) for i, name in enumerate(self.columns)]

    @property
    def file(self) -> str:
        """The file with the function, from the plan's folder."""
        return self.function.partition(":")[0].replace(".", "/") + ".py"

    def files(self) -> dict[str, str]:
        """The one with the function."""
        return {"function": self.file}


class _ByTest:
    """Says to pydantic that the word of its test tells which kind a use case is."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        union: Any = reduce(or_, dict.fromkeys(KINDS.values()))
        return handler.generate_schema(Annotated[union, Field(discriminator="test")])


AnyUseCase = Annotated[UseCase, _ByTest()]


class Alternative(Strict):
    """A choice that was not made, to be priced in records: other requirements instead of some of the plan's."""

    name: Text = Field(description="What it is called, in the report.")
    requirements: Annotated[list[AnyRequirement], Field(min_length=1)] = Field(description="What would be required.")
    instead_of: list[ModelName] = Field(
        default_factory=list, description="The plan's requirements of these models would not be made."
    )


class Sweep(Strict):
    """What every k would do to the use cases, as part of the evidence of a run."""

    k: Annotated[str, Field(pattern=r"^\d+(:\d+)?(,\d+(:\d+)?)*$")] = Field(
        description="Which k: `2:11`, or a list such as `3,5,10`."
    )

    @field_validator("k")
    @classmethod
    def _can_be_tried(cls, text: str) -> str:
        spans = [[int(end) for end in part.split(":")] for part in text.split(",") if len(part) < 40]
        if any(not 1 <= span[0] <= span[-1] for span in spans) or len(spans) <= text.count(","):
            raise ValueError("each k is 1 or more, and a span rises")
        if sum(span[-1] - span[0] + 1 for span in spans) > MOST_KS:
            raise ValueError(f"at most {MOST_KS:,} values can be tried")
        return text
