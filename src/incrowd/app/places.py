"""What the page of postcodes keeps: whose figures are shown, and what was asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import cast
from urllib.parse import urlencode

from incrowd.app.sessions import Session
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import clean, whole
from incrowd.postcodes import Places, count_places, read_census
from incrowd.postcodes.merge import Way
from incrowd.postcodes.shapes import Shapes
from incrowd.rows import open_source
from incrowd.rows.postcodes import count_columns, postcode_column

#: The ways of merging, and what a page calls them.
WAYS: dict[Way, str] = {
    "one": "all into one group", "parent": "into the rest of their parent", "neighbours": "into neighbours",
}  # fmt: skip
#: The largest threshold; more people than there are.
MOST = 999_999_999
LONGEST = 100  # letters of what is looked up


@dataclass(frozen=True)
class Asked:
    """What is asked of the figures. Its fields are those of the page's form and of its address."""

    text: str = ""
    threshold: int = 1_000
    population: str = ""
    component: str = ""
    tolerance: float = 5.0  # percent
    way: Way = "one"

    @property
    def query(self) -> str:
        """The address of the same question."""
        return urlencode({name: f"{value:g}" if name == "tolerance" else value for name, value in asdict(self).items()})

    def about(self, text: str) -> str:
        """The address of the same question about another place."""
        return replace(self, text=text).query


@dataclass(frozen=True)
class File:
    """A file of the user's: its columns, and which of them are taken for what. No column counts people unless told."""

    path: Path
    name: str
    columns: tuple[str, ...]
    numbers: tuple[str, ...]  # columns of whole numbers, which could be counts
    column: str | None  # of postcodes
    counts: tuple[str, ...] = ()
    repair: bool = False


@dataclass(eq=False)
class Desk:
    """The page's state in a session. `places` is None while nobody has said which column holds the postcodes."""

    places: Places | None = field(default_factory=read_census)
    file: File | None = None
    asked: Asked = Asked()
    pairs: Path | None = None
    shapes: Shapes | None = None
    property: str = ""

    def take(self, path: Path, name: str) -> None:
        """Count the people of a file instead of the census: at first each row is one person."""
        rows = open_source(path)
        try:
            columns = tuple(rows.columns)
            file = File(path, name, columns, tuple(count_columns(rows)), postcode_column(rows))
        finally:
            rows.close()
        self._count(file)

    def settle(self, column: str, counts: Sequence[str], repair: bool) -> None:
        """Say which column holds the postcodes and which ones count people."""
        if self.file is None:
            raise InputError("D401", "no file is open on this page.", "Choose one first.")
        known = [name for name in self.file.numbers if name in counts and name != column]
        if column not in self.file.columns:
            raise InputError("D402", "the file has no such column of postcodes.", "Choose one from the list.")
        self._count(replace(self.file, column=column, counts=tuple(known), repair=repair))

    def back(self) -> None:
        """Show the census again."""
        self.file, self.places = None, read_census()

    def ask(self, query: Mapping[str, str]) -> list[str]:
        """Take over what a form asks; what cannot be meant stays as it was, and is told."""
        told, asked = [], self.asked
        threshold = whole(query["threshold"].replace(",", ""), 1, MOST) if "threshold" in query else asked.threshold
        if threshold is None:
            told.append(f"The threshold is a whole number from 1 to {MOST:,}.")
        tolerance = _percent(query.get("tolerance", f"{asked.tolerance:g}"))
        if tolerance is None:
            told.append("The share of groups that may be below it is a number of percent from 0 to 50.")
        way = query.get("way", asked.way)
        self.asked = Asked(
            clean(query.get("text", asked.text))[:LONGEST], threshold or asked.threshold,
            query.get("population", asked.population), query.get("component", asked.component),
            asked.tolerance if tolerance is None else tolerance, way if way in WAYS else asked.way,
        )  # fmt: skip
        return told

    def fitting(self, places: Places) -> Asked:
        """What is asked, as far as these figures have it."""
        components = [name for name in places.components if name != "unit"]
        asked = self.asked
        population = asked.population if asked.population in places.populations else places.populations[0]
        return replace(
            asked, population=population, component=asked.component if asked.component in components else components[0]
        )

    def _count(self, file: File) -> None:
        places = None if file.column is None else _counted(file, file.column)
        self.file, self.places = file, places


def desk_of(session: Session) -> Desk:
    """The session's; a new one has the census on it."""
    return cast(Desk, session.kept.setdefault("postcodes", Desk()))


def _counted(file: File, column: str) -> Places:
    rows = open_source(file.path)
    try:
        return count_places(rows, column, file.counts, repair=file.repair)
    finally:
        rows.close()


def _percent(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 50 else None
