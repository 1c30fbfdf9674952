"""How the reports say things: numbers for readers, and the sentences that both reports share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor

from incrowd.keys.requirements import MODELS
from incrowd.keys.saying import figures, fixed
from incrowd.plan.verdict import Verdict
from incrowd.risk.value import Risk

#: What a verdict on a limit to attacks has for a model.
ATTACK = "attack"


def count(number: int) -> str:
    """How many? With thousands separators.

    >>> count(97358)
    '97,358'
    """
    return f"{number:,}"


def share(part: int, whole: int) -> str:
    """Which part of the whole? In percent; something is never shown as nothing, nor almost all as all.

    >>> share(17039, 100000), share(1, 100000), share(0, 5), share(0, 0)
    ('17.0%', 'under 0.1%', '0%', 'none')
    """
    if not whole:
        return "none"
    if part in (0, whole):
        return f"{100 * part // whole}%"
    percent = 100 * part / whole
    if percent < 0.1:
        return "under 0.1%"
    if percent > 99.9:
        return "over 99.9%"
    return f"{percent:.1f}%"


def figure(number: float | None) -> str:
    """Which figure was asked for or achieved? A fraction is never rounded to a whole number: 0.99996 is not 1.

    >>> figure(9.0), figure(0.94736842), figure(0.99996), figure(None)
    ('9', '0.9474', '0.99996', 'no class')
    """
    if number is None:
        return "no class"
    if float(number).is_integer():
        return count(int(number))
    texts = (f"{number:.{digits}g}" for digits in range(4, 18))
    return next(text for text in texts if not float(text).is_integer())


def limit(verdict: Verdict) -> str:
    """Which figure would still do?

    >>> limit(Verdict("every class has at least 9 people", "k", True, 9, 9))
    'at least 9'
    """
    asked = figure(verdict.asked)
    if verdict.model == ATTACK:
        return f"at most {asked}"
    model = MODELS[verdict.model]
    if model.smallest_is_worst or verdict.lower:
        return f"at least {asked}"
    return f"below {asked}" if model.is_strict(verdict.asked) else f"at most {asked}"


def measured(verdict: Verdict) -> str:
    """What is the figure of a verdict?

    >>> measured(Verdict("every class has at least 9 people", "k", True, 9, 9))
    'people in the smallest class'
    """
    return "upper end of the 95% interval" if verdict.model == ATTACK else MODELS[verdict.model].measured


def risk(found: Risk | None) -> str:
    """A risk with its interval; a dash where an estimator gives no figure, and said where it was not measured.

    >>> risk(Risk("x", 0.25, 0.2, 0.31, "pitman", "all")), risk(None)
    ('0.250 (0.200 to 0.310)', 'not measured')
    """
    if found is None:
        return "not measured"
    if found.value is None:
        return "\N{EN DASH}"
    if found.low is None or found.high is None:
        return f"{found.value:.4g}" if 0 < abs(found.value) < 1000 else figures(found.value)[0]
    value, low, high = figures(found.value, found.low, found.high)
    return f"{value} ({low} to {high})"


def chance(value: float) -> str:
    """A chance as people say it. What is almost sure is not told as sure, and a small one never as smaller.

    >>> chance(1 / 9), chance(0.432), chance(0.0143), chance(1.0), chance(0.999), chance(0.0)
    ('1 in 9', '43 in 100', '1 in 69', '1 in 1', 'more than 99 in 100', 'none')
    """
    if value <= 0:
        return "none"
    if 0.99 < value < 1:
        return "more than 99 in 100"
    if value > 0.1 and abs(1 / value - round(1 / value)) > 1e-9:
        return f"{100 * value:.0f} in 100"
    return f"1 in {floor(round(1 / value, 9)):,}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names in a row, and how many more there are.

    >>> listed(["age", "sex"]), listed(["a", "b", "c", "d", "e", "f"])
    ('age and sex', 'a, b, c, d and 2 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def small(number: float | None) -> str:
    """A measured figure in three digits, or a dash. Something is never shown as nothing.

    >>> small(0.06712), small(270.2), small(0.0), small(0.00001), small(None)
    ('0.067', '270', '0', '1e-05', '\u2013')
    """
    if number is None:
        return "\N{EN DASH}"
    if number == 0 or abs(number) >= 1000:
        return fixed(number, 0)
    if abs(number) < 0.0005:
        return f"{number:.1g}"
    return f"{number:.3f}" if abs(number) < 100 and number != int(number) else f"{number:.3g}"


def seconds(number: float) -> str:
    """How long did it take?"""
    return f"{number:,.2f}"


#: Who gets the file, by its tier.
TIERS: Mapping[str, str] = {
    "open": "for anybody and any purpose; once out, it cannot be taken back",
    "safeguarded": "for registered users, under a licence with conditions",
    "controlled": "for approved researchers, in a safe setting",
}

#: What a reader of the released file should know, by its tier.
READERS: Mapping[str, tuple[str, ...]] = {
    "open": (
        "Anybody may download, keep and combine this file. A copy that has been taken cannot be called back, so the "
        "requirements have to hold against whatever is published about the same people later.",
        "It has to be assumed that an intruder knows who is in the file.",
    ),
    "safeguarded": (
        "This file is for registered users under the conditions of its licence. Meeting its requirements does not "
        "make it fit for open publication: do not pass it on.",
        "Do not combine it with other data about the same people beyond what the licence allows.",
    ),
    "controlled": (
        "This file is for approved researchers in a safe setting. Meeting its requirements does not make it fit to "
        "leave that setting.",
        "Results are checked before they leave; nothing that describes single records may be taken out.",
    ),
}

#: What every reader should know, whatever the tier.
EVERY_READER: tuple[str, ...] = (
    "Do not try to find a person in this file. If you believe that you can, tell the publisher, and nobody else.",
    "Values may be coarser than they were collected, or changed on purpose, and not every record need be released. "
    "Results, above all those for small groups, can differ from those of the file as it was collected.",
    "The order of the rows carries no meaning.",
)


@dataclass(frozen=True)
class Residual:
    """A risk that remains: its name, and what a reader should understand by it."""

    name: str
    words: str
    about_intruders: bool = False  # the people it speaks of are those who try


#: What the requirements do not protect against. Says nothing about this file's steps: it is in the public report.
RESIDUALS: tuple[Residual, ...] = (
    Residual(
        "What k counts",
        "k counts people in this file, by the keys that are named here. It does not count whom an intruder may know "
        "otherwise: another variable, another release about the same people or simply who took part can narrow a "
        "class down to fewer than k, or to one.",
    ),
    Residual(
        "Columns that are not keys",
        "An exact figure or a rare value in a column that is not a key can single out a record for somebody who "
        "happens to know it.",
    ),
    Residual(
        "Homogeneity",
        "When everybody in a class has the same value of a sensitive variable, placing a person in that class "
        "reveals the value without finding the record. k alone does not prevent this; a diversity requirement does, "
        "for the variable and the values that it names and no others.",
    ),
    Residual(
        "Skewness",
        "A class can hold a value much more often than the file as a whole. Placing a person in it then makes the "
        "value likely, though not certain. Only a requirement on how values are spread limits this.",
    ),
    Residual(
        "Gap inference",
        "A combination of keys that does not occur in the file invites guesses about the people it would describe, "
        "drawn from the neighbouring combinations. Such a guess is not knowledge, but it can be right more often "
        "than chance, and k does not measure how often.",
    ),
)

#: More of them, for those who decide: what they name would be a hint to those who try.
MORE_RESIDUALS: tuple[Residual, ...] = (
    Residual(
        "Who took part",
        "How close the file comes to somebody can tell whether they were in the data at all, and that can say "
        "something by itself, as in a register of patients.",
    ),
    Residual(
        "Minimality",
        "Whoever knows how the recoding was chosen can conclude that a finer one would have failed, and for whom.",
    ),
    Residual(
        "Other releases",
        "A second file or table about the same people, or the same file in other bands or areas, can be overlaid with "
        "this one until few candidates are left.",
    ),
    Residual(
        "Order of the rows and pseudonyms",
        "The order of the rows can tell who is who, and a pseudonym can be guessed from a list of names, if either is "
        "not made with a secret.",
    ),
    Residual(
        "Clever people",
        "People use what no scenario names: the news, photographs, a colleague's memory. Only a test with people shows "
        "it.",
        about_intruders=True,
    ),
)

#: What a board answers for when it releases, by tier: the conditions that the tier itself brings.
CONDITIONS: Mapping[str, tuple[str, ...]] = {
    "open": ("None can be enforced: an open file cannot be called back.",),
    "safeguarded": (
        "Users are registered and accept a licence: no attempt to find anybody, no passing on.",
        "Not to be published openly without a new assessment.",
    ),
    "controlled": (
        "Approved researchers, approved projects, in a safe setting only.",
        "Results are checked before they leave.",
    ),
}
