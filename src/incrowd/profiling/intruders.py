"""The usual intruders: who they are, whether they know who is in the file, and which keys they know of somebody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from incrowd.plan.scenarios import Exposure

_BODY = ("age", "year of birth", "date of birth", "sex", "ethnicity", "height or weight")
_HOME = ("area", "postcode", "marital status", "family", "housing", "country", "religion")
_WORK = ("occupation", "industry", "education")

#: With more keys than this a scenario takes long, and nobody knows so much.
KNOWN = 6


@dataclass(frozen=True)
class Intruder:
    """Somebody who might look for a person in the file. `asks` are the questions about a variable (`exposure`) whose
    answer says whether they know it; where nobody has answered, the `kinds` of variables tell. `error` is how often
    they are wrong about one.
    """

    name: str
    words: str
    knows_who_is_in: bool
    kinds: tuple[str, ...]
    asks: tuple[str, ...]
    error: Mapping[str, float] = field(default_factory=dict)


INTRUDERS = (
    Intruder(
        "neighbour", "Lives next door, sees who comes and goes, and may have heard that somebody took part.", True,
        (*_BODY, *_HOME), ("passer_by", "neighbours"), {"age": 0.1},
    ),
    Intruder(
        "colleague", "Works with somebody every day, knows job and schooling, and may know who took part.", True,
        ("age", "year of birth", "sex", "ethnicity", "marital status", "country", *_WORK),
        ("passer_by", "colleagues"), {"age": 0.1},
    ),
    Intruder(
        "stranger with a register", "Has a list of many people, such as an electoral roll, and matches it line by "
        "line. A list does not say who is in your file.", False,
        ("date of birth", "year of birth", "age", "sex", "postcode", "area"), ("public_sources",),
    ),
    Intruder(
        "journalist", "Looks for somebody who was in the news, with what was printed and posted. Finding one person is "
        "enough for a story.", False,
        ("age", "sex", "area", "occupation", "date of an event", "family"), ("public_sources", "guess"), {"age": 0.2},
    ),
)  # fmt: skip


def known_keys(
    intruder: Intruder, keys: Sequence[str], kinds: Mapping[str, str | None], exposed: Mapping[str, Exposure | None]
) -> list[str]:
    """Which of the keys does an intruder know? By what somebody has answered of a key, else by its kind. Where neither
    tells any, the first ones stand in: an intruder who knows nothing finds nobody.
    """
    told = [key for key in keys if any(_answer(exposed.get(key), ask) not in (None, "no") for ask in intruder.asks)]
    # A question that nobody has answered is no 'no': then the kind tells.
    answered = [key for key in keys if key in told or all(_answer(exposed.get(key), ask) for ask in intruder.asks)]
    rest = [key for key in keys if key not in answered and kinds.get(key) in intruder.kinds]
    by_kind = sorted(rest, key=lambda key: intruder.kinds.index(kinds.get(key) or ""))
    return [*told, *by_kind[: max(KNOWN - len(told), 0)]] or list(keys[:4])


def _answer(given: Exposure | None, ask: str) -> str | None:
    """What was answered to a question; None where it was not."""
    return str(getattr(given, ask)) if given is not None and ask in given.model_fields_set else None
