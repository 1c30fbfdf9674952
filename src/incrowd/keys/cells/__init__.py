"""Cell suppression: blank the fewest cells so that everybody is one of k."""

from incrowd.keys.cells.suppress import CellSuppression, suppress_cells, wildcard_sizes

__all__ = ["CellSuppression", "suppress_cells", "wildcard_sizes"]
