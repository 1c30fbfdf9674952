"""Groups of k to 2k - 1 similar records for microaggregation: MDAV for several variables, the optimum for one."""

from incrowd.keys.grouping.mdav import mdav, standardised
from incrowd.keys.grouping.means import group_means, person_means
from incrowd.keys.grouping.univariate import univariate

__all__ = ["group_means", "mdav", "person_means", "standardised", "univariate"]
