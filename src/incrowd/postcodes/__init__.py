"""UK postcodes and geography: parsing, who is in a crowd at which component, and merging places that are too small."""

from incrowd.keys.postcodes import NoPostcode, Postcode, parse
from incrowd.postcodes.analyse import Analysis, Curve, analyse_places, small_groups
from incrowd.postcodes.census import read_census
from incrowd.postcodes.count import Places, count_places
from incrowd.postcodes.lookup import Lookup, look_up
from incrowd.postcodes.merge import Merged, merge_places, us_zip3
from incrowd.postcodes.neighbours import read_adjacency

#: The public name of `parse`.
parse_postcode = parse

__all__ = [
    "Analysis",
    "Curve",
    "Lookup",
    "Merged",
    "NoPostcode",
    "Places",
    "Postcode",
    "analyse_places",
    "count_places",
    "look_up",
    "merge_places",
    "parse",
    "parse_postcode",
    "read_adjacency",
    "read_census",
    "small_groups",
    "us_zip3",
]
