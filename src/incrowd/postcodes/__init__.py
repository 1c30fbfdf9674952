"""UK postcodes and geography: parsing, who is in a crowd at which component, and merging places that are too small."""

from incrowd.keys.postcodes import NoPostcode, Postcode, parse
from incrowd.postcodes.analyse import Analysis, Curve, analyse_places, small_groups
from incrowd.postcodes.count import Places, count_places
from incrowd.postcodes.merge import Merged, merge_places, us_zip3
from incrowd.postcodes.neighbours import read_adjacency

#: The public name of `parse`.
parse_postcode = parse

__all__ = [
    "Analysis",
    "Curve",
    "Merged",
    "NoPostcode",
    "Places",
    "Postcode",
    "analyse_places",
    "count_places",
    "merge_places",
    "parse",
    "parse_postcode",
    "read_adjacency",
    "small_groups",
    "us_zip3",
]
