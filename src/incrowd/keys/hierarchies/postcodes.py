"""Postcodes as a hierarchy: sector, sub-district, district, area, and a region above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from incrowd.errors import InputError
from incrowd.keys.hierarchies.nesting import components_nest
from incrowd.keys.hierarchies.stack import leaves_of, stack
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.labels import Labels, Values
from incrowd.keys.postcodes import COMPONENTS, REASONS, Component, NoPostcode, Postcode, parse

#: The levels above a postcode, unless others are named.
LEVELS: tuple[Component, ...] = ("sector", "subdistrict", "district", "area")


def postcode_component(values: Values, component: Component, name: str, others: str | None = None) -> Labels:
    """The component that each postcode lies in. Other values get the name `others`, or are a fault.

    >>> postcode_component(["ne31ed", "NE35 2FG", None], "district", "home")
    ['NE3', 'NE35', None]
    """
    named: Labels = []
    for value, one in zip(values, _read(values, name, others), strict=True):
        named.append(one.component(component) if one else None if value is None else others)
    return named


def postcodes(
    values: Values,
    name: str,
    components: Sequence[Component] = LEVELS,
    regions: Mapping[str, str] | None = None,
    others: str | None = None,
) -> Hierarchy:
    """Postcodes by ever coarser components, the finest first, and by region where those are given.

    `regions` names the region of each code of the last component. Levels are never left out, also where they put
    nothing together, so that a level's number means the same in every file.

    >>> postcodes(["NE3 1ED", "NE35 2FG"], "home", ["sector", "area"]).rows[1]
    ('NE35 2FG', 'NE35 2', 'NE', '*')
    """
    if not components_nest(components):
        order = ", ".join(reversed(COMPONENTS))
        raise InputError("D052", f"the components of {name!r} do not nest.", f"Their order is {order}.")
    leaves = sorted(leaves_of(values, name))
    read = _read(leaves, name, others)
    levels: list[Labels] = [[one.component(part) if one else others for one in read] for part in components]
    if regions is not None:
        absent = {label for label in levels[-1] if label not in regions and label != others}
        if absent:
            raise InputError(
                "D181",
                f"{len(absent)} {components[-1]}s of {name!r} have no region in the lookup.",
                f"Its first column must hold every {components[-1]}, its second the region.",
            )
        levels.append([others if label == others else regions[str(label)] for label in levels[-1]])
    return stack(leaves, levels, name)


def _read(values: Values, name: str, others: str | None) -> list[Postcode | None]:
    """The postcodes; None where there is nothing, or no postcode and a name for such values."""
    read = [None if value is None else parse(value) for value in values]
    faults = Counter(one.reason for one in read if isinstance(one, NoPostcode))
    if faults and others is None:
        told = "; ".join(f"{number}: {REASONS[reason]}" for reason, number in sorted(faults.items()))
        raise InputError(
            "D180",
            f"{faults.total()} of the {len(values)} different values of {name!r} are no postcodes ({told}).",
            "Mend them, or say what they become (others: ...).",
        )
    return [one if isinstance(one, Postcode) else None for one in read]
