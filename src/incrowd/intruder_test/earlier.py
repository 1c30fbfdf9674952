"""The round before a test: its number, and the release that was tested in it."""

from __future__ import annotations

from pathlib import Path

from incrowd.errors import InputError
from incrowd.intruder_test.store import Store, is_file, said
from incrowd.intruder_test.value import load_scores


def round_after(place: str) -> tuple[int, str]:
    """The number of the round that comes after a test, and the SHA-256 of the release that was tested.

    `place` is the test, erased or not, or a file with its scores.
    """
    path = Path(place)
    try:
        if is_file(place) and path.is_file() and _begins_with(path, b"{"):
            scores = load_scores(path.read_text(encoding="utf-8"), place)
            return scores.round + 1, scores.release_sha256
        store = Store(place)
        try:
            return store.facts.round + 1, store.facts.sha256
        finally:
            store.close()
    except InputError as error:
        hint = "Name the test of the round before, or the scores that it gave as JSON."
        raise InputError("D488", f"{said(place)} is no round to come after ({error.code}).", hint) from None
    except (OSError, UnicodeDecodeError):
        raise InputError(
            "D488", f"{said(place)} cannot be read.", "Name the test of the round before, or its scores."
        ) from None


def _begins_with(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark
