"""What the releases of a series give away is held against what the plan allows, with the reason and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from incrowd.attack.matching.editions import Edition
from incrowd.attack.matching.left_over import BOTH, CHANGED, WENT, Exposed
from incrowd.attack.together import ALL, compare_together
from incrowd.attack.words import percent
from incrowd.audit.series import SeriesPair
from incrowd.errors import NotReleasable
from incrowd.plan.series import Series

#: With more releases than these at once, the last ones are put together.
MOST_TOGETHER = 8


@dataclass(frozen=True)
class BesideThis:
    """An earlier release and this one, each with its people by the same digests."""

    run: str
    data: str  # the hash of what it released
    keyed_by: str  # which secret the digests are keyed by; empty where people are not known again
    earlier: Edition
    this: Edition


def all_together(sides: Sequence[BesideThis]) -> SeriesPair | None:
    """This release and all that it was compared with, at once; nothing where those are not several."""
    different = list({one.data: one for one in sides}.values())
    if len(different) < 2:
        return None
    some = different[-MOST_TOGETHER:]
    runs = ", ".join(one.run for one in some)
    keys = {one.keyed_by for one in some}
    if "" in keys:
        return SeriesPair(runs, False, None, said="three and more at once were not tried: people are not known again")
    if len(keys) > 1:
        why = "three and more at once were not tried: people are known again by digests under several secrets"
        return SeriesPair(runs, False, None, said=why)
    exposed = compare_together([*(one.earlier for one in some), some[0].this])
    said = f"all {len(some) + 1} releases at once"
    if len(some) < len(different):
        said += f", the last of {len(different) + 1}"
    return SeriesPair(runs, True, None, exposed, said=said)


def too_much(pair: SeriesPair, series: Series) -> NotReleasable | None:
    """The first of what the releases give away together that is more than the plan allows."""
    for one in pair.exposed:
        if one.untried:
            message = f"what this release and {pair.run} give away together could not be tried: {one.why}."
            hint = "Name the identifiers (series: people), or use the names and categories of the earlier release."
            return NotReleasable("R042", message, hint)
        limit = series.changed if one.whom == CHANGED else series.limit
        if limit is not None and one.share > limit:
            message = (
                f"who holds {pair.run} beside this release takes one file from the other and finds {one.found:,} of "
                f"the {one.of:,} {'people' if pair.linked else 'records'} {one.whom}: {_how(one)}; that is "
                f"{percent(one.share)}, where {percent(limit)} is allowed. Nothing was released."
            )
            known = "" if pair.linked else " Name the identifiers (series: people), so that fewer are taken for new."
            hint = f"{_way_out(one)}; release: series: limit says what share is allowed.{known}"
            return NotReleasable("R041", message, hint)
    return None


def _how(one: Exposed) -> str:
    """In how small a crowd they stand, and what is left of them."""
    how = []
    if one.small:
        by = " + ".join(one.keys) or "no key"
        how.append(
            f"{one.small:,} stand in crowds of fewer than the {one.promised:,} that are promised (the smallest has "
            f"{one.smallest:,}; classes by {by}: {one.classes:,})"
        )
    if one.told:
        how.append(f"of {one.told:,} a single value is left ({', '.join(one.learnt)})")
    return ", and ".join(how)


def _way_out(one: Exposed) -> str:
    """What helps depends on who is found."""
    crowd = f"{one.promised:,} of their class, with several values,"
    if one.whom in (BOTH, ALL):
        return "Use the categories of the earlier releases, or coarser ones that none of theirs cross"
    if one.whom == WENT:
        return (
            f"Who left cannot be held back: leave out more records of their classes, until at least {crowd} are gone, "
            "or withdraw the earlier release and name it under without"
        )
    return (
        f"Hold back who came (leave them out of the source, or suppress_records) until at least {crowd} come "
        "together, or use coarser categories in which they do"
    )
