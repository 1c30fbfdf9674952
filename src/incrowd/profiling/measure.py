"""What is in a file? The profile: counts, types and suggested roles, and not one value of a person."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, get_args

from incrowd.plan.model import Role
from incrowd.profiling.kinds import KINDS, RECORD_NUMBER
from incrowd.profiling.recognise import Facts, Form, Suggestion, Type, form_of, suggest
from incrowd.rows import Rows
from incrowd.rows.result import Line, Result
from incrowd.rows.summary import count_columns, rounded_percentiles, some_values

#: More different numbers than this are worth a range (and bands).
FINE = 20
_FEWEST_BEYOND = 20


@dataclass(frozen=True)
class Column:
    """One column: what was counted, what it seems to be, and the role that follows.

    `distinct`, `unique` (values that only one record has), `shortest` and `longest` (characters) leave out
    missing and blank values; `share_unique` is `unique` per record that has a value. `misfits` are distinct
    values that are not of the type. `low` and `high` are the 5th and 95th percentile, rounded, given only
    where 20 records lie at them or beyond. `certain` is False where the role is a guess.
    """

    name: str
    type: Type
    distinct: int
    unique: int
    share_unique: float
    missing: int
    empty: int
    shortest: int | None
    longest: int | None
    misfits: int
    date_format: str | None
    low: float | None
    high: float | None
    kind: str | None
    role: Role
    reason: str
    certain: bool


@dataclass(frozen=True, repr=False)
class Profile(Result):
    """What is in a file. Safe to show to colleagues: column names and counts, no value of anybody.

    `notes` say what concerns more than one column.
    """

    place: str
    records: int
    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()

    def with_role(self, role: Role) -> tuple[Column, ...]:
        """The columns for which a role is suggested, in the file's order."""
        return tuple(column for column in self.columns if column.role == role)

    def _told(self) -> str:
        roles = (f"{len(self.with_role(role))} {role}" for role in get_args(Role) if self.with_role(role))
        return f"{self.place}: {self.records:,} records, {len(self.columns)} columns ({', '.join(roles)})"

    def _lines(self) -> Iterable[Line]:
        return [asdict(column) for column in self.columns]

    def to_dict(self) -> dict[str, Any]:
        """The profile as plain values, for JSON."""
        return {
            "place": self.place,
            "records": self.records,
            "columns": [asdict(column) for column in self.columns],
            "notes": list(self.notes),
        }


def profile(rows: Rows) -> Profile:
    """Which columns has a file, of which types, how many different and unique values, and which roles suggest
    themselves?

    Counts are exact; kinds are recognised on about a thousand distinct values per column, chosen by hash, so
    the same file gives the same profile on every engine. Misleads where columns are coded and their names say
    nothing (`v17`): such columns are suggested as keys, with `certain` False. A role is a suggestion, the
    decision is the custodian's.

    At most five queries, whatever the number of columns.
    """
    records = rows.count()
    counts = count_columns(rows)
    samples = some_values(rows, counts)
    found: list[tuple[Facts, Form, Suggestion]] = []
    for name, count, values in zip(rows.columns, counts, samples, strict=True):
        facts = Facts(name, records, count, values)
        form = form_of(facts)
        found.append((facts, form, suggest(facts, form)))
    ranges = rounded_percentiles(rows, [f.name for f, form, s in found if _deserves_range(f, form, s)], _FEWEST_BEYOND)
    columns = tuple(_column(*each, ranges.get(each[0].name, (None, None))) for each in found)
    return Profile(rows.place, records, columns, _notes(columns, records))


def _deserves_range(facts: Facts, form: Form, suggestion: Suggestion) -> bool:
    fine = form.type in ("whole number", "number") and facts.counts.distinct > FINE
    return fine and suggestion.role != "identifier" and facts.present >= 2 * _FEWEST_BEYOND


def _column(facts: Facts, form: Form, suggestion: Suggestion, ends: tuple[float | None, float | None]) -> Column:
    counts = facts.counts
    return Column(
        name=facts.name,
        type=form.type,
        distinct=counts.distinct,
        unique=counts.once,
        share_unique=round(facts.share_unique, 4),
        missing=counts.missing,
        empty=counts.empty,
        shortest=counts.shortest,
        longest=counts.longest,
        misfits=form.misfits,
        date_format=form.date_format,
        low=ends[0],
        high=ends[1],
        kind=suggestion.kind,
        role=suggestion.role,
        reason=suggestion.reason,
        certain=suggestion.certain,
    )


def _notes(columns: tuple[Column, ...], records: int) -> tuple[str, ...]:
    notes = []
    for place, column in enumerate(columns, 1):
        if any(kind.looks(column.name) for kind in KINDS if kind.looks is not None and not kind.soft):
            notes.append(f"The name of column {place} looks like somebody's data: does the file lack its header line?")
        repeats = column.distinct < 0.98 * (records - column.missing - column.empty)
        if column.kind == RECORD_NUMBER.name and column.role == "identifier" and repeats:
            notes.append(
                f"{column.name!r} repeats: if it stands for a person with several records, name it as the plan's "
                "unit, so that k counts people."
            )
    guessed = sum(not column.certain for column in columns)
    if guessed:
        notes.append(f"{guessed} of {len(columns)} roles are guesses: nothing in name or values told them.")
    return tuple(notes)
