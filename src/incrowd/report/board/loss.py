"""What the release lost: shown as plainly as what it holds, with a level whose limits are told beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from incrowd.audit.log import RunLog
from incrowd.keys.saying import percent
from incrowd.report.board.naming import column, value_of
from incrowd.report.words import listed, share
from incrowd.utility.loss import Subgroup

Level = Literal["small", "noticeable", "large"]

#: Up to here the loss is small, above here it is large: shares of the records, or of the cells of the keys.
SMALL, LARGE = 0.05, 0.20
#: A group that loses more than this makes the loss noticeable at least, however small the whole.
OF_A_GROUP = 0.5
#: Smaller groups are not named: their share says little, and they are few people.
SMALLEST_GROUP = 30
#: So many groups are named.
NAMED = 3

#: The same limits in words: for every reader, and for those who decide.
PUBLIC_LIMITS = (
    f"A loss is small up to {SMALL:.0%} of the records, large above {LARGE:.0%}; where a key has one value only, it is "
    "noticeable at least."
)
LIMITS = (
    f"A loss is small up to {SMALL:.0%} of the records (or of the cells of the keys), large above {LARGE:.0%}; where a "
    f"group of at least {SMALLEST_GROUP} records loses more than {OF_A_GROUP:.0%}, or a key is emptied to one value, "
    "it is noticeable at least."
)


def level_of(share_lost: float) -> Level:
    """How much a share of the records, or of their cells, is.

    >>> level_of(0.05), level_of(0.2), level_of(0.59)
    ('small', 'noticeable', 'large')
    """
    return "small" if share_lost <= SMALL else "noticeable" if share_lost <= LARGE else "large"


def noticed(level: Level) -> Level:
    """The same level, and noticeable at least."""
    return "noticeable" if level == "small" else level


@dataclass(frozen=True)
class Lost:
    """What is gone: records, cells that were blanked, and the groups that lost most.

    A sample is no loss of anybody in particular: what it left out is told apart, and the rest is what is lost.
    """

    records: int
    of: int  # the records as they came, without those that a sample left out
    sampled: int  # left out by a sample
    blanked: int
    cells: int  # of the keys in the release
    hardest: tuple[tuple[Subgroup, float], ...]  # with the share that is gone, of at least SMALLEST_GROUP records
    keys: int = 0  # in the release
    emptied: tuple[str, ...] = ()  # those of them that a step has left with one value: there in name, and tell nothing

    @property
    def level(self) -> Level:
        """How much that is."""
        most = max(self.records / self.of if self.of else 0.0, self.blanked / self.cells if self.cells else 0.0)
        hit = any(gone > OF_A_GROUP for _, gone in self.hardest)
        return noticed(level_of(most)) if hit or self.emptied else level_of(most)

    @property
    def share(self) -> str:
        """The records that are gone, in percent."""
        return share(self.records, self.of)

    @property
    def drawn(self) -> str:
        """What a sample left out, in words."""
        return f"{self.of:,} of {self.of + self.sampled:,} records were drawn as a sample" if self.sampled else ""


def lost(log: RunLog) -> Lost:
    """What did the release lose?"""
    sampled = sum(step.records_removed for step in log.steps if step.name == "sample")
    groups = log.utility.subgroups if log.utility is not None else ()
    drawn = 1.0 - sampled / log.start.records if log.start.records else 1.0
    # A group of a sample loses what it surely has less than its part of the sample: the rest is the luck of the draw.
    gone = [
        (one, max(1.0 - (1.0 - (one.low if sampled else one.share)) / drawn, 0.0))
        for one in groups
        if one.records >= SMALLEST_GROUP and drawn
    ]
    taken = log.start.records - sampled - log.end.records
    return Lost(
        records=taken,
        of=log.start.records - sampled,
        sampled=sampled,
        blanked=sum(step.cells_changed for step in log.steps if step.name == "suppress_cells"),
        cells=log.end.records * len(log.end.keys),
        hardest=tuple([each for each in gone if each[1] and taken][:NAMED]),
        keys=len(log.end.keys),
        emptied=_emptied(log),
    )


def _emptied(log: RunLog) -> tuple[str, ...]:
    """Keys that have one value now and had more: one that came with a single value has lost nothing."""
    bits = log.utility.loss.bits if log.utility is not None else {}
    return tuple(name for name in log.end.keys if name in log.one_value and bits.get(name, 1.0) > 0)


def lost_words(log: RunLog) -> str:
    """What is gone, in sentences: records, cells, and who lost most."""
    gone = lost(log)
    told = f"{gone.records:,} of {gone.of:,} records are gone ({gone.share})." if gone.records else "No record is gone."
    sample = f"{gone.drawn}." if gone.drawn else ""
    return " ".join(part for part in (sample, told, emptied_words(log), blanked_words(log), hardest_words(log)) if part)


def emptied_words(log: RunLog) -> str:
    """Which keys are there in name only, where some are."""
    gone = lost(log)
    if not gone.emptied:
        return ""
    named = listed([column(log, name) for name in gone.emptied])
    verb = "is" if len(gone.emptied) == 1 else "are"
    return f"{len(gone.emptied)} of {gone.keys} keys {verb} emptied to one value, and {_tell(gone.emptied)}: {named}."


def _tell(names: tuple[str, ...]) -> str:
    return "tells nothing" if len(names) == 1 else "tell nothing"


def blanked_words(log: RunLog) -> str:
    """How many cells were blanked, where some were."""
    gone = lost(log)
    part = share(gone.blanked, gone.cells)
    return f"{gone.blanked:,} cells of the keys were blanked ({part})." if gone.blanked else ""


def hardest_words(log: RunLog) -> str:
    """Who lost most, where some group lost more than the whole."""
    gone = lost(log)
    whole = gone.records / gone.of if gone.of else 0.0
    named = [
        f"{value_of(log, group.variable, group.value)} ({percent(part)})"
        for group, part in gone.hardest
        if part > whole
    ]
    return f"Hit hardest: {'; '.join(named)}." if named else ""
