"""What every protection step says of itself, so that a plan can be checked without knowing the methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from incrowd.errors import Fault
from incrowd.plan.kinds import Kinds
from incrowd.plan.strict import Strict, Text

#: Every step that a plan may have.
STEPS: Kinds[Step] = Kinds("step")


class Step(Strict):
    """What every protection step has. A method answers the questions below where its answer differs.

    A step registers itself by the word of its field `step`; a class without one is what several steps share.
    """

    if TYPE_CHECKING:
        step: str  # each step declares its own, as a Literal

    reason: Text | None = Field(None, description="Why this step. Stays in the audit.")
    off: bool = Field(False, description="Leave the step out, and keep it in the plan and in the audit.")

    #: Its place in lists that people read: what most plans begin with first. A step that does not say comes last.
    listed: ClassVar[int] = 100

    #: What it does, for those who decide, with its fields in braces: "{variable}: put into coarser groups". Where it
    #: says nothing, the title of the step stands there.
    plainly: ClassVar[str] = ""

    #: The variables that it names must be keys.
    only_keys: ClassVar[bool] = False

    #: It makes the columns that the plan speaks of, and is done as the data are opened, before anything is counted.
    prepares: ClassVar[bool] = False

    #: It says a variable more coarsely, or removes or makes columns, for all records alike: use cases compare the
    #: release with the records after such steps alone.
    only_coarsens: ClassVar[bool] = False

    #: The records that the release is compared with get it too, once there are such: its values have other names then.
    done_to_original: ClassVar[bool] = False

    #: It makes other values record by record, person by person or group by group: not of what a population is counted
    #: by.
    perturbs_records: ClassVar[bool] = False

    #: It takes away whole classes, and does nothing else.
    drops_classes: ClassVar[bool] = False

    #: Its fields that a sweep of k, or of the suppression limit, sets to each value in turn.
    swept: ClassVar[frozenset[str]] = frozenset()

    #: Chance, by the secret, may decide something of what it changes. A step without this is given no key to draw by.
    chance: ClassVar[bool] = False

    #: Fields that shape its draws otherwise than by their key: of two files that differ in these alone, one is the
    #: other with more noise.
    nested: ClassVar[frozenset[str]] = frozenset()

    #: What a search finds, for a later run to pin; and the fields that only say how it is looked for, or pin it.
    finds: ClassVar[tuple[str, ...]] = ()
    searched: ClassVar[frozenset[str]] = frozenset()

    #: The files it reads may hold records about people: an audit keeps their hashes, never a copy.
    about_people: ClassVar[bool] = True

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        STEPS.add(cls)

    @property
    def perturbs(self) -> bool:
        """Does it make other values of those it finds, so that two files made differently tell more together?"""
        return self.chance

    @property
    def decides_by_class(self) -> bool:
        """Does it decide about records by the classes they are in? Then nothing may change the classes later."""
        return False

    @property
    def per_record(self) -> bool:
        """Does it blank or recode cells of keys record by record? Then populations are out of its reach, and a person
        may fit several labels of a key.
        """
        return False

    @property
    def one_record_each(self) -> bool:
        """Does it take every record for a person of its own? Then people with several are out of its reach."""
        return False

    @property
    def needs_unit(self) -> bool:
        """Does it say what is done to people with several records?"""
        return False

    @property
    def samples(self) -> bool:
        """Does it take records out of every class, so that nothing decided before it holds any more?"""
        return False

    @property
    def needs_population(self) -> bool:
        """Does it count in data.population?"""
        return False

    def together(self, household: str | None) -> bool:
        """Does it treat whole households, in a plan that names this variable for them?"""
        return False

    def named(self) -> list[tuple[str, str]]:
        """The variables that it names, each with its place in the step."""
        return []

    def needs_keys(self) -> set[str]:
        """The places among them where only a key will do."""
        return {place for place, _ in self.named()} if self.only_keys else set()

    def named_models(self) -> list[tuple[str, str]]:
        """The requirements of the plan that it names by their model, each with its place in the step."""
        return []

    def decides_by(self, model: str) -> bool:
        """Does it decide by the requirements with this model? By all of the plan's, where it names none."""
        named = [name for _, name in self.named_models()]
        return not named or model in named

    def counted(self) -> list[str]:
        """The variables whose combinations it counts by itself, whatever the plan requires."""
        return []

    def faults(self, there: Sequence[str], keys: Sequence[str], identifiers: Sequence[str]) -> Iterator[Fault]:
        """What else is wrong with it, at places in the step; `there` are the variables before it, `keys` those of them
        that are keys.
        """
        yield from ()

    def randomises(self) -> list[str]:
        """The variables whose values it changes record by record, by chance."""
        return []

    def amounts(self) -> list[tuple[str, str]]:
        """The variables that it reckons with, each with its place in the step: they must be amounts."""
        return []

    def ordered(self) -> list[tuple[str, str]]:
        """Those of which it takes neighbours together, by their number: they must have an order."""
        return []

    def alters(self) -> list[str]:
        """The variables whose values it recodes or removes for all records."""
        return []

    def removes(self) -> list[str]:
        """The columns that it removes without looking at them."""
        return []

    def files(self) -> dict[str, str]:
        """The files it reads, by their place in the step."""
        return {}

    def coarsens(self, keys: Sequence[str]) -> set[str]:
        """The keys that it may change in a way that only the data decide."""
        return set()

    def after(self, there: list[str], identifiers: Sequence[str]) -> list[str]:
        """The variables that are there after it."""
        return there
