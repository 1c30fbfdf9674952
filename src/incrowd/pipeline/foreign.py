"""The truth behind a release that was made elsewhere: there is no audit, so that it is worked out from the two files.

Nothing of it is stored, and nothing is guessed: what cannot be known is told, and not judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from incrowd.attack.foreign.harmonise import LEARNT, harmonised, learnt
from incrowd.attack.foreign.labels import Column, read_column
from incrowd.attack.foreign.linking import same_people
from incrowd.attack.foreign.truth import BY_FIT, BY_ORDER, Draws, Truth, disagreeing, told_truth, truth_by_fit
from incrowd.attack.foreign.trying import Foreign
from incrowd.attack.situation import Int64, Situation, coded, fetch
from incrowd.attack.words import list_keys, percent
from incrowd.audit.manifest import hash_release
from incrowd.errors import InputError
from incrowd.pipeline.foreign_plan import ForeignRelease, Sayings, foreign_plan, prepared, sayings
from incrowd.plan import Plan
from incrowd.protect import Context
from incrowd.risk.value import EVERYTHING, Scenario
from incrowd.rows import Rows, open_source
from incrowd.secret import Secret


@dataclass(frozen=True)
class TracedForeign:
    """A release made elsewhere beside its original (or a register): what attacks work on, and what is known of it."""

    plan: Plan
    context: Context
    foreign: Foreign
    rows: Rows  # the original, or the register, as it came
    sha256: str  # of the release

    def situation(self, scenario: Scenario | None = None) -> Situation:
        """What an attack in this scenario works on, where whoever fits best is taken for the truth."""
        whole = self.foreign.situations[0]
        return whole if scenario is None else whole.within(scenario)

    def certain(self) -> tuple[tuple[frozenset[int], frozenset[int]], str]:
        """The lines of those who are certainly in the release, and certainly not; and how many records are nobody's
        for certain, in words.
        """
        truth = self.foreign.truth
        known = 0 if truth is None else int(truth.exact.sum())
        if truth is None or not known:
            why = self.foreign.why or "every record has several that fit"
            message = f"nobody can be put on a card: whose record is whose is not known of anybody ({why})."
            hint = "Name an id that both files have with --id, or say --same-order where that is so."
            raise InputError("D479", message, hint)
        left = len(truth.exact) - known
        doubt = f"{left:,} of {len(truth.exact):,} released records have no card, since several people fit them: those \
who have one are rarer than most, and easier to find"
        lines = frozenset(truth.lines[truth.exact].tolist()), frozenset(np.flatnonzero(truth.outside).tolist())
        return lines, doubt if left else ""

    def behind(self) -> dict[str, dict[str, frozenset[str]]]:
        """Of each key with labels of several levels, what a label stands for. Not from the truth: who looks at the
        release sees it, too.
        """
        found = {}
        for column in self.foreign.columns:
            mixed = column.name in self.foreign.base.loose and not column.reading.single
            if mixed and column.reading.how != LEARNT:
                said: dict[str, set[str]] = {}
                for label, value in zip(column.reading.label.tolist(), column.reading.value.tolist(), strict=True):
                    name, under = column.labels[label], column.values[value]
                    if name is not None and under is not None and name != under:
                        said.setdefault(name, set()).add(under)
                found[column.name] = {name: frozenset(under) for name, under in said.items()}
        return found


@contextmanager
def trace_foreign(
    release: Path, original: Path | None, register: Path | None, told: ForeignRelease
) -> Iterator[TracedForeign]:
    """A release made elsewhere with its original, or with a register of people who may be in it."""
    people = original or register
    if people is None:
        message = f"{release.name} has no audit, so that nobody can tell how it was made."
        raise InputError("D477", message, "Name what it was made from with --original, or a register with --register.")
    with ExitStack() as stack:
        opened = []
        for path in (release, people):
            opened.append(open_source(path))
            stack.callback(opened[-1].close)
        plan, folder = foreign_plan(told, release, list(dict.fromkeys([*opened[0].columns, *opened[1].columns])))
        rows = prepared(told, plan, folder, opened[1]) if original is not None else opened[1]
        sha256 = hash_release(release)
        # Whoever has both files can repeat it; nothing is released, so that nobody needs to be kept from it.
        secret = Secret(hashlib.sha3_256(f"{sha256}:{hash_release(people)}".encode()).digest())
        context = Context(folder, secret, ("foreign", plan.title), (), book=rows.book)
        mine, theirs = fetch(opened[0], opened[0].columns), fetch(rows, rows.columns)
        said = sayings(told, plan, context, rows, theirs)
        found = _foreign(plan, context, told, (mine, theirs), said, original is not None)
        yield TracedForeign(plan.model_copy(update={"steps": []}), context, found, rows, sha256)


def _foreign(
    plan: Plan, context: Context, told: ForeignRelease, tables: tuple[pa.Table, pa.Table], said: Sayings, whole: bool
) -> Foreign:
    """Both files compared. `whole` says that the second is the original, and not a register."""
    released, original = tables
    shared = [name for name in released.column_names if name in original.column_names]
    keys = [name for name in plan.with_role("key") if name in shared]
    if not keys:
        hint = f"Rename its columns to those of the original: {', '.join(plan.with_role('key'))}."
        raise InputError("D475", "the release has none of the keys that the other file has.", hint)
    for table in tables:
        if not table.num_rows:
            raise InputError("D475", "a file without records cannot be compared.", "Name a file that holds some.")
    columns = [_column(name, released, original, said) for name in shared]
    notes = _unshared(plan, released, original)
    numbers = np.arange(released.num_rows)
    blank = np.all([one.reading.blank[one.released] for one in columns if one.name in keys], axis=0)
    if blank.all():
        raise InputError("D475", "no released record has a key: all are blank.", "Name keys that the release has.")
    if blank.any():
        # Whoever looks for somebody passes over them; among everybody's candidates they would hide the others.
        notes.append(f"{int(blank.sum()):,} records have no key at all, as suppressed ones: they are left out")
        numbers, released = np.flatnonzero(~blank), released.filter(pa.array(~blank))
        columns = [_column(name, released, original, said) for name in shared]
    draws = _draws(context)
    if whole or told.id:
        _refuse_lengths(told, tables)
        truth, why, more = _truth(plan, told, columns, numbers, context)
        notes += more
    else:
        lines, why = same_people(columns, plan.with_role("identifier"), draws)
        truth = None if lines is None else told_truth(lines, original.num_rows, why)
        why = "" if truth else f"a register is no original: {why}"
    if truth is not None and truth.how != BY_FIT:
        columns = [learnt(column, truth.lines) if column.unread else column for column in columns]
    return _put_together(plan, columns, (released, original), truth, why, notes, context, whole)


def _refuse_lengths(told: ForeignRelease, tables: tuple[pa.Table, pa.Table]) -> None:
    released, original = (table.num_rows for table in tables)
    if told.same_order and released != original:
        message = f"the release has {released:,} records and the original {original:,}."
        raise InputError("D476", message, "Files of different lengths are not in the same order: leave it out.")


def _truth(
    plan: Plan, told: ForeignRelease, columns: Sequence[Column], numbers: Int64, context: Context
) -> tuple[Truth | None, str, list[str]]:
    """Whose record is whose, or None and why nobody can tell; and what is to be said of it. `numbers` are the places of
    the records in the release.
    """
    draws, people = _draws(context), len(columns[0].original)
    if told.same_order:
        if against := disagreeing(columns, numbers, draws):
            message = f"the records are not in the same order: {against}."
            raise InputError("D476", message, "Leave it out, or name the files that belong together.")
        return told_truth(numbers, people, BY_ORDER), "", []
    ids = [told.id] if told.id else plan.with_role("identifier")
    named = {*plan.with_role("key"), *plan.with_role("sensitive")}
    ids += [column.name for column in columns if column.name not in (*ids, *named)]
    lines, how = same_people(columns, ids, draws, asked=told.id)
    if lines is not None:
        note = f"{how}: whoever has it beside a name has the record, whatever else was done to the release"
        return told_truth(lines, people, how), "", [note]
    by = [column for column in columns if column.name not in plan.with_role("identifier")]
    truth, why = truth_by_fit(by, plan.with_role("key"), draws)
    if truth is None:
        return None, why, [how] if how else []
    exact, known = float(truth.exact.mean()), truth.share
    said = f"whose record is whose was found by what fits: {percent(exact)} of the records have one original only"
    if known > exact:
        said += f", {percent(known - exact)} several that are alike in all that both files say"
    if known < 1:
        said += f"; {percent(1 - known)} have several that differ: they are placed in two ways, and where the figures \
are not the same the higher is told"
    return truth, "", [*([how] if how else []), said, *truth.notes]


def _column(name: str, released: pa.Table, original: pa.Table, said: Sayings) -> Column:
    sides = []
    for table in (released, original):
        ((codes,), values) = coded([table], name)
        sides.append((codes, values.to_pylist()))
    return read_column(name, sides[0], sides[1], said.get(name, {}))


def _unshared(plan: Plan, released: pa.Table, original: pa.Table) -> list[str]:
    """Columns of one file alone."""
    notes = []
    if only := [name for name in released.column_names if name not in original.column_names]:
        notes.append(f"columns of the release that the other file does not have, and that nothing was compared by: "
                     f"{list_keys(only)}")  # fmt: skip
    if gone := [name for name in plan.with_role("key") if name not in released.column_names]:
        notes.append(f"keys that are not released: {list_keys(gone)}")
    return notes


def _put_together(
    plan: Plan, columns: Sequence[Column], tables: tuple[pa.Table, pa.Table], truth: Truth | None, why: str,
    notes: list[str], context: Context, whole: bool,
) -> Foreign:  # fmt: skip
    released, original = tables
    changed = () if truth is None else (truth.changed if truth.how == BY_FIT else _changed(columns, truth.lines))
    said = {column.name: harmonised(column, column.name in changed) for column in columns}
    told = pa.table({name: said[name][0] if name in said else released[name] for name in released.column_names})
    known = pa.table({name: one[1] for name, one in said.items()})
    keys = tuple(name for name in plan.with_role("key") if name in said)
    base = Situation(
        released=told,
        lines=np.zeros(0, np.int64),
        known=known,
        people=_people(plan, original),
        keys=keys,
        sensitive=tuple(name for name in plan.with_role("sensitive") if name in said),
        scenario=Scenario(EVERYTHING, keys),
        at_start=original.select,
        draws=_draws(context),
        identifiers=tuple(plan.with_role("identifier")),
        columns=tuple(original.column_names),
        loose=frozenset(name for name in keys if said[name][2]),
        hidden=tuple(name for name in plan.with_role("sensitive") if name not in said),
    )
    unread = tuple(column.name for column in columns if column.unread)
    if unread:
        notes = [*notes, f"labels of {list_keys(unread)} stand for nothing that the other file has: name a plan or "
                         "hierarchies that say what"]  # fmt: skip
    how = [f"{column.name} ({column.reading.how})" for column in columns if column.reading.how.startswith("rounded")]
    notes = [*notes, f"read as rounded: {list_keys(how)}"] if how else notes
    return Foreign(base, _alone(base, plan), tuple(columns), truth, why, changed, unread, tuple(notes), whole)


def _changed(columns: Sequence[Column], lines: Int64) -> tuple[str, ...]:
    """The columns in which a released record says something else than its original."""
    return tuple(c.name for c in columns if not c.agrees(c.released, c.original[lines]).all())


def _people(plan: Plan, original: pa.Table) -> Int64:
    if plan.data.unit is None or plan.data.unit not in original.column_names:
        return np.arange(original.num_rows)
    (codes,), _ = coded([original], plan.data.unit)
    return codes


def _alone(base: Situation, plan: Plan) -> Situation:
    """The release taken for its own original: what can be said of it without anybody's truth."""
    there = base.released.column_names
    keys = tuple(name for name in plan.with_role("key") if name in there)
    number = np.arange(base.released.num_rows)
    return replace(
        base, lines=number, known=base.released, people=number, keys=keys, at_start=base.released.select,
        sensitive=tuple(name for name in plan.with_role("sensitive") if name in there), loose=frozenset(),
        scenario=Scenario(EVERYTHING, keys), identifiers=(), columns=tuple(there), hidden=(),
    )  # fmt: skip


def _draws(context: Context) -> Draws:
    return lambda *purpose: context.draws("attack", *purpose)
