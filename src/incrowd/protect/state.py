"""What a protection step gets and gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.keys.cells.blanks import Blanks
from incrowd.keys.codebook import Codebook
from incrowd.keys.population import attach_histogram, join_population
from incrowd.keys.requirements import Requirement, is_met, refuse_unmet, where_name
from incrowd.keys.table import KeyTable
from incrowd.rows import Rows
from incrowd.rows.engine import OnBatch
from incrowd.rows.frame import OURS
from incrowd.rows.people import count_differing
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret, order_numbers

#: The hidden column that tells whose record it is, where the plan names a unit. It is never written to a release.
UNIT = f"{OURS}unit"


@dataclass(frozen=True)
class Original:
    """The records at the release's categories, with nothing taken away and nothing perturbed; and their KeyTable."""

    rows: Rows
    table: KeyTable


@dataclass(frozen=True)
class State:
    """The rows so far and the KeyTable of the same rows: every step changes both alike.

    `before` is the table before anything was suppressed, once something may be, and `bound` the requirements with
    what they compare with taken from there. `original` is what use cases compare the release with, once the two
    differ; `leaves` counts, for each recoded key, the values of the file as it came behind each of its values.
    `blanks` counts, for each key, the cells that a step has blanked.
    """

    rows: Rows
    table: KeyTable
    before: KeyTable | None = None
    bound: tuple[Requirement, ...] = ()
    original: Original | None = None
    leaves: Mapping[str, Mapping[str | None, int]] = field(default_factory=dict)
    blanks: Mapping[str, Blanks] = field(default_factory=dict)
    sampled: float = 1.0  # the share of the people that samples have kept
    history: str = ""  # a hash of all that was done so far, which later draws depend on

    def leaves_after(self, name: str, named: Mapping[str | None, str | None]) -> dict[str, Mapping[str | None, int]]:
        """The leaves once the values of a key have these new names."""
        old, new = self.leaves.get(name), dict[str | None, int]()
        for value, label in named.items():
            new[label] = new.get(label, 0) + (1 if old is None else old.get(value, 1))
        return {**self.leaves, name: new}


@dataclass(frozen=True)
class Context:
    """What a step may know of the plan around it."""

    folder: Path
    secret: Secret
    release: tuple[str, ...]  # what makes this release's randomness its own
    requirements: tuple[Requirement, ...]
    conditions: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)  # where in words -> where
    identifiers: tuple[str, ...] = ()
    has_unit: bool = False
    paths: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)  # of sensitive variables' leaves
    household: str | None = None
    book: Codebook = field(default_factory=Codebook)  # what the values of the file as it came stand for
    prepared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what is to be told of derived columns
    pseudonyms_by: tuple[str, ...] = ()  # in a series: what they are keyed by, instead of the release and the step
    keyed_by: tuple[str, ...] = ()  # in a step: all that was done before it, and the step (protect/drawing.py)
    certain: bool = False  # in a step that leaves nothing to chance
    linked: bool = False  # the release shows which records are one person's: by a pseudonym, or by their household
    homes: tuple[str, ...] = ()  # the columns by which the release shows, or will show, who lives together

    def home(self, rows: Rows) -> str | None:
        """The column by which the release shows who lives together; None where it does not, or where people have
        records in several households: then a person's records are treated alike, and not a household's.
        """
        found = next((name for name in self.homes if name in rows.columns), None)
        split = found is not None and self.has_unit and count_differing(rows, UNIT, [found]) > 0
        return None if split else found

    def subkey(self, *purpose: str) -> bytes:
        """A key for one purpose in this release; in a step, for this step with these parameters after those before it.

        What the step has measured in the data and cuts its draws by (a matrix, a covariance) belongs to the purpose.
        """
        assert not self.certain, "a step that draws must say so: chance = True"
        return self.secret.subkey(*self.release, *self.keyed_by, *purpose)

    def ended(self, history: str) -> Context:
        """The same after the last step: keys depend on all that was done."""
        return replace(self, keyed_by=(history,))

    def recount(self, state: State) -> State:
        """The same rows counted again, after a step that decided about single records."""
        rows = state.rows
        for condition, where in self.conditions.items():
            rows = rows.flag(where_name(condition), where)
        unit = UNIT if self.has_unit else None
        table = tabulate(rows, state.table.names, tuple(state.table.histograms), unit)
        old = state.table
        if old.population is not None:
            table = join_population(table, KeyTable(old.domains, old.codes, old.population))
        return replace(state, table=table)

    def bind(self, state: State) -> State:
        """Before anything is suppressed: count the conditions, and fix what the requirements compare with."""
        if state.before is not None:
            return state
        table = state.table
        for condition, where in self.conditions.items():
            name = where_name(condition)
            unit = UNIT if self.has_unit else None
            counted = tabulate(state.rows.flag(name, where), table.names, [name], unit)
            refuse_unmet(is_met(counted, name), name)
            table = attach_histogram(table, counted, name)
        bound = tuple(requirement.bind(table) for requirement in self.requirements)
        return replace(state, table=table, before=table, bound=bound)

    def order(self, *purpose: str) -> OnBatch:
        """A keyed order for a step that must choose among records."""
        return order_numbers(self.subkey(*purpose))

    def orders(self, *purpose: str) -> tuple[OnBatch, OnBatch]:
        """The same, and a second one for records that are equal in the first."""
        return self.order(*purpose), self.order(*purpose, "tie")

    def draws(self, *purpose: str) -> Callable[[int], NDArray[np.uint64]]:
        """Numbers that nobody can foresee without the secret, for decisions on counts; every call goes on with more."""
        numbers, given = self.order(*purpose, "draws"), 0

        def more(many: int) -> NDArray[np.uint64]:
            nonlocal given
            texts = pa.array(np.arange(given, given + many)).cast(pa.string())
            given += many
            drawn: NDArray[np.uint64] = numbers(texts).to_numpy().view(np.uint64)
            return drawn

        return more


@dataclass(frozen=True)
class Change:
    """What a step changed."""

    title: str
    records_removed: int = 0
    cells_changed: int = 0
    removed_for: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    found: Mapping[str, object] = field(default_factory=dict)  # what a search decided, for a later run to pin
