"""The proven optimum over whole-variable recodings: the lattice, its bounds, its walk, its frontier."""
