"""What is in a file? The profile: counts, types and suggested roles, and not one value of a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from incrowd.keys.codebook import Codebook, Scale
from incrowd.plan.model import Role
from incrowd.profiling.coding import MARKERS, missing_codes_of, scale_of
from incrowd.profiling.kinds import KINDS, RECORD_NUMBER
from incrowd.profiling.recognise import Facts, Form, Suggestion, Type, form_of, suggest
from incrowd.rows import Rows
from incrowd.rows.result import Line, Result
from incrowd.rows.summary import count_columns, count_markers, rounded_percentiles, some_values

#: More different numbers than this are worth a range (and bands).
FINE = 20
_FEWEST_BEYOND = 20
#: So many keys are suggested before columns that nothing tells are taken for something else.
MOST_KEYS = 16
_TOO_MANY = (
    f"Its name is unknown, and {MOST_KEYS} other columns are taken for keys already, more than most intruders know of "
    "anybody: sensitive until you decide (a key if others know it)."
)


@dataclass(frozen=True)
class Column:
    """One column: what was counted, what it seems to be, and the role that follows.

    `distinct`, `unique` (values that only one record has), `shortest` and `longest` (characters) leave out
    missing and blank values; `share_unique` is `unique` per record that has a value. `misfits` are distinct
    values that are not of the type. `low` and `high` are the 5th and 95th percentile, rounded, given only
    where 20 records lie at them or beyond. `certain` is False where the role is a guess.

    `title` and `labels` (codes that have a name) are what the file or a codebook says; `scale` says whether the values
    are names, ordered names or amounts, and `missing_codes` which of them say why there is none (-9, not applicable):
    both are suggestions where nobody has said it.
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
    title: str | None = None
    scale: Scale | None = None
    labels: int = 0
    missing_codes: tuple[str, ...] = ()


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

    What the file says of itself (`rows.book`) is believed: titles, names of codes, codes for missing values, scales.

    At most six queries, whatever the number of columns.
    """
    records = rows.count()
    counts = count_columns(rows)
    samples = some_values(rows, counts)
    markers = count_markers(rows, MARKERS)
    found: list[tuple[Facts, Form, Suggestion]] = []
    for name, count, values in zip(rows.columns, counts, samples, strict=True):
        facts = Facts(name, records, count, values, rows.book.titles.get(name, ""))
        form = form_of(facts)
        found.append((facts, form, suggest(facts, form)))
    ranges = rounded_percentiles(rows, [f.name for f, form, s in found if _deserves_range(f, form, s)], _FEWEST_BEYOND)
    coded = [_coded(*each, rows.book, marked) for each, marked in zip(found, markers, strict=True)]
    columns = _not_all_keys(
        tuple(
            replace(_column(*each, ranges.get(each[0].name, (None, None))), **more)
            for each, more in zip(found, coded, strict=True)
        )
    )
    return Profile(rows.place, records, columns, (*rows.notes, *_notes(columns, records)))


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


def _coded(
    facts: Facts, form: Form, suggestion: Suggestion, book: Codebook, marked: Mapping[str, int]
) -> dict[str, Any]:
    """What is said or suggested of the values' meaning."""
    missing = missing_codes_of(facts, book, marked) if suggestion.role != "identifier" else ()
    return {
        "title": book.titles.get(facts.name),
        "scale": scale_of(facts, form, suggestion, book, missing),
        "labels": len(book.codes.get(facts.name, {})),
        "missing_codes": missing,
    }


def _not_all_keys(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Nobody knows forty things of a person: after so many keys, further columns that nothing tells are rather what an
    intruder wants to learn. Those whose name says key are keys, however many they are.
    """
    left = MOST_KEYS - sum(column.role == "key" and column.certain for column in columns)
    kept: list[Column] = []
    for column in columns:
        if column.role == "key" and not column.certain:
            left -= 1
            if left < 0:
                column = replace(column, role="sensitive", reason=_TOO_MANY)
        kept.append(column)
    return tuple(kept)


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
