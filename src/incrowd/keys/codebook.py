"""What values stand for: the names of codes, what a column means, and which codes say why there is no value."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

T = TypeVar("T")
#: Names without an order, names in an order, or amounts.
Scale = Literal["nominal", "ordinal", "numeric"]

#: A value of fewer people than this is theirs: where a person reads it is not named, not even inside.
RARE = 3
#: How a missing value is called where a person reads.
MISSING = "(missing)"


@dataclass(frozen=True)
class Codebook:
    """What a file's values stand for, column by column. Whatever is not in it stands for itself.

    >>> book = Codebook(codes={"marital": {"1": "single", "-9": "not asked"}}, missing={"marital": ("-9",)})
    >>> book.word("marital", "1"), book.word("marital", "7"), book.word("age", None)
    ('single', '7', '(missing)')
    """

    titles: Mapping[str, str] = field(default_factory=dict)  # column -> what it means
    codes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # column -> value -> words
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column -> values that say why there is none
    scales: Mapping[str, Scale] = field(default_factory=dict)

    def word(self, column: str, value: str | None) -> str:
        """A value as a person reads it."""
        return MISSING if value is None else self.codes.get(column, {}).get(value, value)

    def both(self, column: str, value: str | None) -> str:
        """A value with what it stands for, where a reader needs the value as it is written too.

        >>> Codebook(codes={"sex": {"2": "female"}}).both("sex", "2")
        '2 (female)'
        """
        word = self.word(column, value)
        return word if value is None or word == value else f"{value} ({word})"

    def say(self, text: str) -> str:
        """A text with conditions (`sex = 2`) or terms (`sex=2`) in it, which names values by what they stand for.

        >>> Codebook(codes={"sex": {"1": "male", "2": "female"}}).say("the share of sex = 1 | 2 stays; sex = 12 too")
        'the share of sex = male | female stays; sex = 12 too'
        """
        for column, codes in self.codes.items():
            if f"{column} = " in text or f"{column}=" in text:
                one = f"(?:{'|'.join(re.escape(code) for code in sorted(codes, key=len, reverse=True))})"
                rule = re.compile(rf"(?<!\w)({re.escape(column)} ?= ?)({one}(?: \| {one})*)(?![\w-])")
                text = rule.sub(lambda found, column=column: found[1] + self._words(column, found[2]), text)  # type: ignore[misc]
        return text

    def _words(self, column: str, values: str) -> str:
        return " | ".join(self.word(column, value) for value in values.split(" | "))

    def title(self, column: str) -> str:
        """A column as a person reads it."""
        return self.titles.get(column, column)

    def of(self, columns: Collection[str]) -> Codebook:
        """What it says of these columns alone."""

        def only(part: Mapping[str, T]) -> dict[str, T]:
            return {name: each for name, each in part.items() if name in columns}

        return Codebook(only(self.titles), only(self.codes), only(self.missing), only(self.scales))

    def renamed(self, names: Mapping[str, str]) -> Codebook:
        """The same of columns that have other names now, old to new."""

        def each(said: Mapping[str, T]) -> dict[str, T]:
            return {names.get(name, name): what for name, what in said.items()}

        return Codebook(each(self.titles), each(self.codes), each(self.missing), each(self.scales))

    def over(self, other: Codebook) -> Codebook:
        """Both, column by column; where both speak of a column, this one is right, code by code and in their order."""
        codes = {
            name: {**self.codes.get(name, {}), **other.codes.get(name, {}), **self.codes.get(name, {})}
            for name in {**other.codes, **self.codes}
        }
        return Codebook(
            {**other.titles, **self.titles}, codes, {**other.missing, **self.missing}, {**other.scales, **self.scales}
        )
