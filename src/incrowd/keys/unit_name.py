"""What those in a file are called: people, unless the plan says dwellings or companies."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: How texts for readers speak of those in the file. Whoever tries to find them is an intruder, or somebody.
_SAID = re.compile(r"\b(?:(?P<a>[Aa]) )?(?P<who>people|person)(?P<that> whom?)?\b", re.IGNORECASE)

#: A name is made of words: what it stands in is read as HTML, as Markdown and in terminals.
_NAME = re.compile(r"[^\W\d_][\w '-]*")


@dataclass(frozen=True)
class UnitName:
    """One and many of them. Every text for readers that speaks of those in the file takes its words from here."""

    one: str = "person"
    many: str = "people"

    @property
    def a(self) -> str:
        """One of them, with the article: a person, an address."""
        return f"{'an' if self.one[:1].lower() in 'aeiou' else 'a'} {self.one}"

    @property
    def somebody(self) -> str:
        """One of them, as somebody speaks who knows one: somebody whom, or a dwelling that."""
        return "somebody whom" if self == PEOPLE else f"{self.a} that"

    def say(self, text: str) -> str:
        """A text that speaks of people, with these instead. For texts about those in the file, never about intruders.

        >>> UnitName("address", "addresses").say("People who are alone; a person whom k hides.")
        'Addresses that are alone; an address that k hides.'
        """
        return text if self == PEOPLE else _SAID.sub(self._instead, text)

    def _instead(self, found: re.Match[str]) -> str:
        name = self.many if found["who"].lower() == "people" else self.a if found["a"] else self.one
        upper = (found["a"] or found["who"])[0].isupper()
        return (name[:1].upper() + name[1:] if upper else name) + (" that" if found["that"] else "")

    def of(self, number: int) -> str:
        """One or many, by their number.

        >>> PEOPLE.of(1), UnitName("dwelling", "dwellings").of(3)
        ('person', 'dwellings')
        """
        return self.one if number == 1 else self.many


#: Whom a file is about when nothing is said.
PEOPLE = UnitName()


def parse_unit_name(text: str) -> UnitName:
    """The words of a plan: the singular, and the plural behind a slash where it is not regular.

    >>> parse_unit_name("dwelling"), parse_unit_name("company/companies")
    (UnitName(one='dwelling', many='dwellings'), UnitName(one='company', many='companies'))
    """
    one, slash, many = (part.strip() for part in text.partition("/"))
    named = [one, many] if slash else [one]
    if len(text) > 80 or not all(_NAME.fullmatch(name) for name in named):
        raise ValueError(
            "write the singular, and its plural behind a slash where an s is not enough: company/companies"
        )
    return UnitName(one, many or _plural(one))


def _plural(one: str) -> str:
    """Household, business, agency: by the regular endings."""
    if one.endswith(("s", "x", "z", "ch", "sh")):
        return f"{one}es"
    if one.endswith("y") and one[-2:-1] not in "aeiou":
        return f"{one[:-1]}ies"
    return {"person": "people"}.get(one, f"{one}s")
