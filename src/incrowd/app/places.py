"""What the page of postcodes keeps: whose figures are shown, and what was asked of them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from urllib.parse import urlencode

from incrowd.app.places_files import (
    DOUBTS,
    Beside,
    File,
    Given,
    count_file,
    of_plan,
    open_again,
    open_beside,
    open_file,
)
from incrowd.app.sessions import Session
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import clean, whole
from incrowd.postcodes import Places, read_census
from incrowd.postcodes.merge import Way

#: The ways of merging, and what a page calls them.
WAYS: dict[Way, str] = {
    "one": "all into one group", "parent": "into the rest of their parent", "neighbours": "into neighbours",
}  # fmt: skip
#: The largest threshold; more people than there are.
MOST = 999_999_999
LONGEST = 100  # letters of what is looked up
#: Where uploads are, in the session's private folder; and what may lie beside the figures.
UPLOADS = "postcodes"
BESIDE = {"shapes": "The shapes", "pairs": "The pairs of neighbours"}


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


@dataclass(eq=False)
class Desk:
    """The page's state in a session. `places` is None while nobody has said which column holds the postcodes, and where
    the file cannot be counted any more. Of a file in `doubt`, its first line may be a record: nothing of it is shown.
    """

    places: Places | None = field(default_factory=read_census)
    file: File | None = None
    doubt: Given | None = None
    asked: Asked = Asked()
    pairs: Beside | None = None
    shapes: Beside | None = None
    property: str = ""

    def take(self, given: Given) -> None:
        """Count the people of a file instead of the census. An upload that was shown before goes."""
        try:
            file = open_file(given)
            places = count_file(file)
        except InputError as error:
            if error.code in DOUBTS:
                self._doubt(given)
            else:
                given.remove()
            raise
        self._show(file, places)

    def believe(self) -> None:
        """Somebody says that the first line of the file in doubt names its columns."""
        if self.doubt is None:
            raise InputError("D401", "no file is open on this page.", "Choose one first.")
        given, self.doubt = self.doubt, None
        self.take(replace(given, header=True))

    def settle(self, column: str, unit: str, counts: Sequence[str], repair: bool) -> None:
        """Say which column holds the postcodes, which tells people apart, and which ones count people."""
        if self.file is None:
            raise InputError("D401", "no file is open on this page.", "Choose one first.")
        if column not in self.file.columns:
            raise InputError("D402", "the file has no such column of postcodes.", "Choose one from the list.")
        if unit and (unit == column or unit not in self.file.columns):
            message = "the file has no such column that tells people apart."
            raise InputError("D406", message, "Choose another one than that of postcodes.")
        # A person who has several rows counts once: no row stands for several people then.
        known = [name for name in self.file.numbers if name in counts and name != column and not unit]
        file = replace(self.file, column=column, unit=unit or None, counts=tuple(known), repair=repair)
        self._show(file, count_file(file))

    def back(self) -> None:
        """Show the census again."""
        self._show(None, read_census())

    def fresh(self, now: Given | None) -> str | None:
        """Count again where the file has changed, or what the plan says of it (`now`); gives what is to be told then.

        Until it is done there are no figures: those of the file as it was are not shown for those of the file.
        """
        if self.file is None:
            return None
        given = self.file.given if now is None else now
        known = self.places is not None or self.file.column is None
        if known and given == self.file.given and given.stamp == self.file.stamp:
            return None
        told = "The file has changed: it was" if given == self.file.given else "The plan has changed: its data were"
        self.places = None
        try:
            self.file = open_again(self.file, given)
        except InputError as error:
            if error.code in DOUBTS:
                self._doubt(given)
            raise
        self.places = count_file(self.file)
        return f"{told} counted again."

    def put_beside(self, what: str, given: Given | None) -> None:
        """Shapes or pairs of neighbours; without any, what was there is put away."""
        if what not in BESIDE:
            return
        try:
            found = None if given is None else open_beside(what, given)
        except InputError:
            if given is not None:
                given.remove()
            raise
        if (before := getattr(self, what)) is not None:
            before.given.remove()
        setattr(self, what, found)
        if what == "shapes":
            self.property = ""

    def fresh_beside(self, what: str) -> bool:
        """Read shapes or pairs again where their file has changed. Whether that was done."""
        before: Beside | None = getattr(self, what)
        if before is None or before.given.stamp == before.stamp:
            return False
        setattr(self, what, open_beside(what, before.given))
        return True

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

    def _show(self, file: File | None, places: Places | None) -> None:
        """Show these figures. What is not shown any more is not kept."""
        shown = None if file is None else file.given
        for old in (self.doubt, None if self.file is None else self.file.given):
            if old is not None and (shown is None or old.source != shown.source):
                old.remove()
        self.file, self.places, self.doubt = file, places, None

    def _doubt(self, given: Given) -> None:
        if self.doubt is not None and self.doubt.source != given.source:
            self.doubt.remove()
        self.doubt = given


def desk_of(session: Session) -> Desk:
    """The session's; a new one has the census on it, and nothing of an earlier one."""
    desk = session.kept.get("postcodes")
    if not isinstance(desk, Desk):  # opening another plan has cleared the desk
        shutil.rmtree(session.folder / UPLOADS, ignore_errors=True)
        desk = session.kept["postcodes"] = Desk()
    return desk


def refresh(session: Session) -> None:
    """Count again, and say so, where the file of the page is not what was counted, or its plan says otherwise of it."""
    desk, project, now = desk_of(session), session.project, None
    of_a_plan = desk.file is not None and desk.file.given.names is not None
    if of_a_plan and project is not None and project.document.checked.plan is not None:
        now = of_plan(project)
    if told := desk.fresh(now):
        session.say(told, "plain")


def refresh_beside(session: Session, what: str) -> None:
    """Read shapes or pairs again, and say so, where their file has changed."""
    if desk_of(session).fresh_beside(what):
        session.say(f"{BESIDE[what]} have changed: they were read again.", "plain")


def _percent(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number <= 50 else None
