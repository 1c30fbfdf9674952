"""Tables published beside a release: counted in the file as it came, perturbed by cell key, or refused."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from incrowd.audit.archive import Archive
from incrowd.audit.checked import Trust
from incrowd.errors import InputError, NotReleasable, did_you_mean
from incrowd.keys.cellkey import KEYS, LARGEST, Perturbations, Perturbed, perturb, rule_10_5
from incrowd.keys.codebook import Codebook
from incrowd.keys.natural import in_order
from incrowd.machine.paths import as_path, must_be_file
from incrowd.machine.writing import write_private
from incrowd.pipeline.check import inspect
from incrowd.pipeline.prepare import prepare
from incrowd.plan import Plan, is_plan, read_text, released_columns
from incrowd.plan.codebook import codebook_of
from incrowd.rows import Reading, Rows, open_source
from incrowd.rows.cells import count_cells
from incrowd.rows.engine import connect
from incrowd.rows.result import Line, Result
from incrowd.secret import Secret, draw_numbers, find_secret

#: More cells than this are no table that anybody reads.
MOST_CELLS = 1_000_000
#: A table of released variables may be published when the release holds at most this share of the people it counts.
MOST_RELEASED = 0.5

Cell = tuple[str | None, ...]


@dataclass(frozen=True)
class PublishedTable:
    """A table that may be published: its cells, and their counts; None where a count is suppressed."""

    by: tuple[str, ...]
    cells: tuple[Cell, ...]
    counts: tuple[int | None, ...]
    threshold: int
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # of values in it: what they stand for

    @property
    def suppressed(self) -> int:
        """How many cells show no count?"""
        return sum(count is None for count in self.counts)

    def csv(self) -> str:
        """As a CSV file: the variables, what their values stand for, and the count. Missing values and suppressed
        counts are empty.
        """
        lines = [(*cell, *self._in_words(cell), count) for cell, count in zip(self.cells, self.counts, strict=True)]
        return _csv([*self.by, *(f"{name} (in words)" for name in self.by if name in self.words), "count"], lines)

    def _in_words(self, cell: Cell) -> list[str]:
        pairs = zip(self.by, cell, strict=True)
        return [self.words[name].get(value or "", value or "") for name, value in pairs if name in self.words]


@dataclass(frozen=True, eq=False, repr=False)
class PerturbedTable(Result):
    """What a table was made from. It stays inside: who has it can take the noise off."""

    published: PublishedTable
    inside: Perturbed
    omitted: int  # values that are not listed, since too few records have them

    def _told(self) -> str:
        done = self.published
        hidden = f"{done.suppressed:,} of them without a count; {self.omitted:,} values not listed"
        return f"{len(done.cells):,} cells by {', '.join(done.by)}, {hidden}"

    def _lines(self) -> Iterable[Line]:
        """The cells as they may be published: neither true counts nor noise."""
        done = self.published
        pairs = zip(done.cells, done.counts, strict=True)
        return [{**dict(zip(done.by, cell, strict=True)), "count": count} for cell, count in pairs]

    def _names(self) -> Sequence[str]:
        return (*self.published.by, "count")

    def write_audit(self, path: Path) -> None:
        """Every cell with its true count, cell key and perturbation, in a file that only its owner may read."""
        found = self.inside
        numbers = (found.counts, found.cell_keys, found.pcv, found.added)
        lines = zip(self.published.cells, self.published.counts, *(n.tolist() for n in numbers), strict=True)
        rows = [(*cell, *inside, count) for cell, count, *inside in lines]
        heads = [*self.published.by, "true_count", "cell_key", "pcv", "added", "count"]
        write_private(path, _csv(heads, rows))


def table(
    source: str | Path,
    by: Sequence[str],
    *,
    population: bool = False,
    ptable: str | Path | None = None,
    threshold: int = 10,
    secret: Secret | None = None,
    trust: Trust | None = None,
) -> PerturbedTable:
    """How many people are there by these variables, said so that no single person shows?

    `source` is a plan, or a release of this machine (the folder `release`, or a run's). The table is counted in the
    plan's data as it came, or in its population. Refused where the release shows the same counts: noise on what
    everybody can count protects nobody, and tells the noise.

    >>> ic.table("plan.yaml", ["area", "gender"])
    Traceback (most recent call last):
    incrowd.errors.NotReleasable: R019: this table can be counted in the release. ...
    >>> ic.table("plan.yaml", ["gender", "dob"])
    PerturbedTable: ... values not listed
    """
    path = as_path(source)
    plan, folder, released, file = _find(path, trust or Trust())
    place, reading = _place(plan, folder, population)
    _check_names(plan, by)
    secret = secret or find_secret(folder)
    if (weakness := secret.weakness) is not None:
        raise NotReleasable("R021", f"the secret is too weak for a table: {weakness}.", "openssl rand -hex 32")
    countable = [name for name in by if name in released]
    if len(countable) == len(by) and not population:
        raise NotReleasable("R019", "this table can be counted in the release.", _THEATRE)
    noise = rule_10_5() if ptable is None else read_ptable(Path(ptable))
    with TemporaryDirectory(prefix="incrowd-") as spill, ExitStack() as stack:  # mode 0700
        engine = connect(plan.data.engine, spill=Path(spill), master=plan.data.master, limit=plan.data.limit)
        stack.callback(engine.close)
        rows = open_source(place, engine=engine, **reading)
        stack.callback(rows.close)
        if not population:
            rows = prepare(plan, folder, rows).rows
        if population and len(countable) == len(by):
            _refuse_small(rows, file, plan.data.reading if file == plan.data.place(folder) else {})
        found = _count(rows, by, countable, noise, threshold, secret)
        return replace(found, published=_worded(found.published, codebook_of(plan, folder, rows.book)))


_THEATRE = (
    "Anybody can count it there, exactly; noise beside it would only show the noise. Publish no table, or one by a "
    "variable that is not released, or of a larger population (--population)."
)


def _worded(done: PublishedTable, book: Codebook) -> PublishedTable:
    """With what the values of the table stand for; of others nothing is said."""
    words: dict[str, dict[str, str]] = {}
    for at, name in enumerate(done.by):
        listed = {value for value in (cell[at] for cell in done.cells) if value is not None}
        if told := {value: word for value, word in book.codes.get(name, {}).items() if value in listed}:
            words[name] = told
    return replace(done, words=words)


def _count(
    rows: Rows, by: Sequence[str], countable: Sequence[str], table: Perturbations, threshold: int, secret: Secret
) -> PerturbedTable:
    # The key is the secret's own and not this release's: the same people get the same noise in every table. With
    # fresh noise in each, many tables would average it away.
    # Another perturbation table reads the keys in another way, and two readings of one key, such as noise and twice
    # that noise, subtract: so it has keys of its own.
    found = count_cells(rows, by, draw_numbers(secret.subkey("table", "record key", table.digest)), KEYS)
    columns = [found[f"c{i}"].to_pylist() for i in range(len(by))]
    numbers = np.column_stack([found["n"].to_numpy(), found["key"].to_numpy()]).reshape(-1, 2)
    counted = dict(zip(zip(*columns, strict=True), numbers.tolist(), strict=True))
    at = [i for i, name in enumerate(by) if name in countable]
    if 0 < len(at) < len(by) and len(counted) == len({tuple(cell[i] for i in at) for cell in counted}):
        message = "the variables that are not released follow from those that are, so the release shows this table."
        raise NotReleasable("R019", message, _THEATRE)
    values = [_listed(column, numbers, table, threshold) for column in columns]
    if (size := int(np.prod([float(len(each)) for each in values]))) > MOST_CELLS:
        raise InputError("D138", f"the table has {size:,} cells, more than {MOST_CELLS:,}.", "Name fewer variables.")
    cells = tuple(itertools.product(*values))
    sums = np.array([counted.get(cell, (0, 0)) for cell in cells], np.int64).reshape(-1, 2)
    inside = perturb(sums[:, 0], sums[:, 1], table, threshold)
    counts = tuple(None if count < 0 else count for count in inside.published.tolist())
    omitted = sum(len(set(column)) - len(each) for column, each in zip(columns, values, strict=True))
    return PerturbedTable(PublishedTable(tuple(by), cells, counts, threshold), inside, omitted)


def _listed(
    column: Sequence[str | None], numbers: NDArray[np.int64], table: Perturbations, threshold: int
) -> list[str | None]:  # fmt: skip
    """The values that the table lists: those whose own count would be shown. A name in a list without a count says
    that somebody has it, and the rarer it is, the more it says.
    """
    sums: dict[str | None, NDArray[np.int64]] = {}
    for value, pair in zip(column, numbers, strict=True):
        sums[value] = sums.get(value, np.zeros(2, np.int64)) + pair
    order = in_order(sums)
    totals = np.array([sums[value] for value in order], np.int64).reshape(-1, 2)
    shown = perturb(totals[:, 0], totals[:, 1], table, threshold).published >= 0
    return [value for value, show in zip(order, shown.tolist(), strict=True) if show]


def read_ptable(path: Path) -> Perturbations:
    """A perturbation table as ONS writes it: a CSV file with the columns pcv, ckey and pvalue, each pair once."""
    values = np.zeros((LARGEST + 1, KEYS), np.int64)
    seen = np.zeros_like(values, dtype=bool)
    fault = None
    must_be_file(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            for line in csv.DictReader(file):
                pcv, ckey, added = (int(line[name]) for name in ("pcv", "ckey", "pvalue"))
                if not (0 <= pcv <= LARGEST and 0 <= ckey < KEYS) or seen[pcv, ckey] or pcv + added < 0:
                    fault = "a line is out of range, is there twice, or makes a count negative"
                    break
                values[pcv, ckey], seen[pcv, ckey] = added, True
    except (OSError, KeyError, ValueError, TypeError, UnicodeDecodeError):
        fault = "it is no CSV file of whole numbers with the columns pcv, ckey and pvalue"
    if fault is None and not seen[1:].all():
        fault = f"it must name every pcv from 1 to {LARGEST} with every cell key from 0 to {KEYS - 1}"
    if fault is not None:
        raise InputError("D137", f"the perturbation table {path.name} cannot be used: {fault}.")
    return Perturbations(values, path.name)


def _find(path: Path, trust: Trust) -> tuple[Plan, Path, list[str], str | Path]:
    """The plan, the folder its files are looked for in, the released columns, and the file that has them: without a
    release, the data.
    """
    if is_plan(path):
        folder = path.resolve().parent
        plan = inspect(read_text(path), folder).sound()
        return plan, folder, released_columns(plan), plan.data.place(folder)
    try:
        archive = Archive.find(path, None, trust)
    except InputError as error:
        if error.code != "D192":
            raise
        message = f"{path} is neither a plan nor a release with its audit."
        raise InputError("D140", message, "Say: incrowd table plan.yaml --by region,age") from None
    plan = archive.plan
    file = _released_file(archive, plan)
    return plan, archive.home, list(open_source(file).columns), file


def _released_file(archive: Archive, plan: Plan) -> Path:
    if archive.release is None:
        raise InputError("D140", "this audit has no release beside it.", "Say: incrowd table plan.yaml --by region,age")
    return archive.release / plan.release.file


def _place(plan: Plan, folder: Path, population: bool) -> tuple[str | Path, Reading]:
    """What is counted, and how it is read."""
    if plan.data.unit is not None:
        message = "people have several records here, and a table counts records."
        raise InputError("D142", message, "Count a file with one record for each person.")
    if not population:
        return plan.data.place(folder), plan.data.reading
    if plan.data.population is None or plan.data.population.count is not None:
        message = "the plan names no population with a record for each person."
        raise InputError("D141", message, "Name it: data: population: source.")
    return folder / plan.data.population.source, plan.data.population.reading


def _check_names(plan: Plan, by: Sequence[str]) -> None:
    known = [name for name, variable in plan.variables.items() if variable.role != "identifier"]
    if not by or len(set(by)) < len(by):
        raise InputError("D139", "name the variables of the table, each once.", "Say: --by region,age")
    for name in by:
        if name not in known:
            hint = did_you_mean(name, known) or "Identifiers cannot be counted."
            raise InputError("D139", f"{name!r} is not a variable of the plan that can be counted.", hint)


def _refuse_small(rows: Rows, file: str | Path, reading: Reading) -> None:
    """Is the population so much larger than the release that the release does not show its counts?"""
    released, people = open_source(file, **reading).count(), rows.count()
    if released > MOST_RELEASED * people:
        message = f"the release has {released:,} records where the population has {people:,}: it shows these counts."
        raise NotReleasable("R020", message, f"It may hold at most {MOST_RELEASED:.0%} of the people who are counted.")


def _csv(heads: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([heads, *lines])
    return out.getvalue()
