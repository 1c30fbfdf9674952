"""The last step of a starter plan: what makes its requirements hold, and what that costs on the file at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from incrowd.profiling.choices import Choices
from incrowd.profiling.yamltext import comment, key

#: The share of the records that the search of a starter plan may suppress.
SUPPRESSION = 0.05
#: In a file of fewer records a larger k would leave nothing worth having.
_SMALL = 100


@dataclass(frozen=True)
class Ending:
    """How the plan ends: by one level for each key, a recoding for each class, or blanked cells. `levels` are pinned
    where finding them takes long; `cost` says what a trial on the file came to.
    """

    k: int
    way: Literal["search", "local", "cells"] = "search"
    suppression: float = SUPPRESSION
    levels: Mapping[str, int] = field(default_factory=dict)
    cost: str = ""

    def lines(self, choices: Choices) -> Iterator[str]:
        """The step as the plan writes it."""
        yield comment(f"{_WHY[self.way]}{_PINNED if self.levels else ''}{self.cost and f'{chr(10)}{self.cost}'}", 2)
        if self.way == "cells":
            yield "  - step: suppress_cells"
            yield f"    k: {self.k}"
            return
        yield "  - step: search"
        yield "    hierarchies:"
        for choice in choices.each:
            if choice.is_key:
                yield f"      {key(choice.column.name)} {choice.hierarchy}"
        yield f"    suppression: {self.suppression:g} # at most this share of the records may be suppressed"
        if self.way == "local":
            yield "    local: true"
        if self.levels:
            yield "    levels:"
            yield from (f"      {key(name)} {level}" for name, level in self.levels.items())


def usual_k(records: int) -> int:
    """Which k a starter plan asks for: 5, in a small file 3, and never more than there are records.

    >>> usual_k(10_000), usual_k(40), usual_k(2)
    (5, 3, 2)
    """
    return 5 if records >= _SMALL else max(min(3, records), 2)


_WHY = {
    "search": """\
Last: find the levels of the keys that cost least so that the requirements hold. 'auto' builds a hierarchy
from the data; better ones come from people who know it: name a file (ARX's format) or a rule instead.""",
    "local": """\
Last: find a recoding for each class (local) so that the requirements hold. One level for each key would have
cost much more here; the price is that 30-34, 30-39 and * may stand side by side in one column. 'auto' builds
a hierarchy from the data; better ones come from people who know it: name a file or a rule instead.""",
    "cells": """\
Last: blank the fewest cells so that the requirements hold; no record goes. No coarsening of the keys alone
made them hold. With hierarchies from people who know the data, a search step may do better.""",
}
_PINNED = """
Its levels are pinned, since finding them takes long: take 'levels' away, and they are searched for again."""
