"""Erase a test: truth, claims, cards, names, log, and the files beside it. It is done, or it says that it is not."""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import delete, func, insert, select, update

from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test import schema
from incrowd.intruder_test.certificate import Certificate, keep_certificate, kept_certificate, place_beside
from incrowd.intruder_test.store import Store, is_file
from incrowd.machine.writing import write_private

#: Who erases when nobody does, and who nobody said.
BY_DATE, BY_SOMEBODY = "this program, on the stated day", "not stated"


@dataclass(frozen=True)
class Erased:
    """What is gone, and what was not where it had been written."""

    rows: Counter[str]  # for each table, how many
    deleted: tuple[Path, ...]  # files beside the test
    missing: tuple[Path, ...]  # files that somebody has moved or deleted
    left_alone: tuple[Path, ...]  # folders, links and devices where a file had been written: nobody's to delete
    certificate: Certificate
    written: Path | None  # where the certificate is; None where there is no file to write beside, or nothing could be


def remember(store: Store, path: Path) -> None:
    """Note where a file with names or claims is: it is deleted with the test. Behind a link it is the file that holds
    them, and the link goes with it. What goes to a device or a pipe is kept by whoever reads it.
    """
    real = Path(os.path.realpath(path))
    if real.exists() and not real.is_file():
        return
    linked = path.is_symlink() and Path("/dev") not in path.absolute().parents  # /dev/stdout belongs to the machine
    with store.writing() as connection:
        for place in {str(real), str(path.absolute())} if linked else {str(real)}:
            connection.execute(delete(schema.truth_file).where(schema.truth_file.c.path == place))
            connection.execute(insert(schema.truth_file).values(path=place))


def erase(store: Store, by: str = BY_SOMEBODY) -> Erased:
    """Delete truth, claims, cards, names, the log and the files beside the test. Stored scores stay.

    It can be called again when it failed: until nothing is left in the file, the test counts as half erased. The
    certificate is stored in the test, and written beside it.
    """
    if store.erased and not store.half_erased:
        return _as_before(store)
    deleted, missing, left_alone = _delete_files(store)
    gone: Counter[str] = Counter()
    facts = store.facts
    with store.writing() as connection:
        for table in (*schema.ERASED, store.records):
            gone[table.name] = connection.execute(delete(table)).rowcount
        # The words are of the values on cards.
        bare = replace(facts, columns=(), words={}, titles={})
        connection.execute(update(schema.test).values(erased=-store.now, facts=bare.dump()))
        name = Path(store.place).name if is_file(store.place) else "a schema of PostgreSQL"
        told = Certificate(
            facts.title, facts.sha256, name, by, store.now, dict(gone),
            _said(deleted), _said(missing), _said(left_alone),
        )  # fmt: skip
        begun = kept_certificate(connection)
        told = told if begun is None else begun.joined(told)
        keep_certificate(connection, told)
    told = replace(told, overwritten=store.tidy())
    with store.writing() as connection:
        tables = (*schema.ERASED, store.records)
        left = {each.name: connection.execute(select(func.count()).select_from(each)).scalar_one() for each in tables}
        if any(left.values()):
            names = ", ".join(name for name, many in left.items() if many)
            message = f"not erased yet: while it was erased, somebody wrote to the test again ({names})."
            raise IncrowdError("X043", message, "End what serves it, and erase it again.")
        told = replace(told, left=left)
        connection.execute(update(schema.test).values(erased=store.now))
        keep_certificate(connection, told)
    written = write_certificate(Path(store.place), told) if is_file(store.place) else None
    return Erased(Counter(told.rows), deleted, missing, left_alone, told, written)


def _as_before(store: Store) -> Erased:
    """What was erased when it was: nothing is left to erase."""
    with store.reading() as connection:
        told = kept_certificate(connection)
    assert told is not None  # nothing is erased without one
    deleted, missing, left_alone = (tuple(map(Path, each)) for each in (told.deleted, told.missing, told.left_alone))
    return Erased(Counter(told.rows), deleted, missing, left_alone, told, None)


def write_certificate(stem: Path, told: Certificate) -> Path | None:
    """Beside the test, where that can be written; it is in the test in any case."""
    path = place_beside(stem)
    try:
        write_private(path, told.text)
    except (InputError, OSError):
        return None
    return path


def _said(paths: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(map(str, paths))


def _delete_files(store: Store) -> tuple[tuple[Path, ...], tuple[Path, ...], tuple[Path, ...]]:
    """Those that were remembered: deleted, not found, and left alone since it is no file of ours that is there now."""
    with store.reading() as connection:
        paths = sorted(Path(path) for path in connection.execute(select(schema.truth_file.c.path)).scalars())
    deleted: list[Path] = []
    missing: list[Path] = []
    left_alone: list[Path] = []
    for path in paths:
        try:
            mode = path.lstat().st_mode
            # A link is ours as long as it leads to what was written through it.
            ours = Path(os.path.realpath(path)) in paths if stat.S_ISLNK(mode) else stat.S_ISREG(mode)
            if ours:
                path.unlink()
            (deleted if ours else left_alone).append(path)
        except (FileNotFoundError, NotADirectoryError):
            missing.append(path)
        except OSError as error:
            message = f"not erased yet: {path} holds names or claims and cannot be deleted ({error.strerror})."
            raise InputError("D254", message, "Delete it, and erase the test again.") from None
    return tuple(deleted), tuple(missing), tuple(left_alone)
