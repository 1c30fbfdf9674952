"""Erase a test: truth, claims, cards, names, log, and the files beside it. It is done, or it says that it is not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, insert, select, update

from incrowd.errors import InputError
from incrowd.intruder_test import schema
from incrowd.intruder_test.store import Facts, Store


@dataclass(frozen=True)
class Erased:
    """What is gone, and what was not where it had been written."""

    rows: Counter[str]  # for each table, how many
    deleted: tuple[Path, ...]  # files beside the test
    missing: tuple[Path, ...]  # files that somebody has moved or deleted


def remember(store: Store, path: Path) -> None:
    """Note where a file with names or claims is: it is deleted with the test."""
    place = str(path.absolute())
    with store.writing() as connection:
        connection.execute(delete(schema.truth_file).where(schema.truth_file.c.path == place))
        connection.execute(insert(schema.truth_file).values(path=place))


def erase(store: Store) -> Erased:
    """Delete truth, claims, cards, names, the log and the files beside the test. Stored scores stay.

    It can be called again when it failed: until nothing is left in the file, the test counts as half erased.
    """
    deleted, missing = _delete_files(store)
    gone: Counter[str] = Counter()
    with store.writing() as connection:
        for table in schema.ERASED:
            gone[table.name] = connection.execute(delete(table)).rowcount
        connection.execute(delete(store.records))
        facts = Facts(**{**vars(store.facts), "columns": ()})
        connection.execute(update(schema.test).values(erased=-store.now, facts=facts.dump()))
    store.tidy()
    with store.writing() as connection:
        connection.execute(update(schema.test).values(erased=store.now))
    return Erased(gone, deleted, missing)


def _delete_files(store: Store) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Those that were remembered: deleted, and not found."""
    with store.reading() as connection:
        paths = [Path(path) for path in connection.execute(select(schema.truth_file.c.path)).scalars()]
    found: dict[bool, list[Path]] = {True: [], False: []}
    for path in sorted(paths):
        try:
            path.unlink()
            found[True].append(path)
        except (FileNotFoundError, NotADirectoryError):
            found[False].append(path)
        except OSError as error:
            message = f"not erased yet: {path} holds names or claims and cannot be deleted ({error.strerror})."
            raise InputError("D254", message, "Delete it, and erase the test again.") from None
    return tuple(found[True]), tuple(found[False])
